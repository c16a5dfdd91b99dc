# SPDX-License-Identifier: MIT
"""``receval repo``: the tasks of the reproduction, where the command is that of a checkout."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

REPOSITORY = "repo"


@cache
def tasks() -> tuple[str, ...]:
    """Return the names of the tasks; none where there is the library alone.

    The reproduction counts where it lies beside the library: a package of the same name elsewhere
    is another one.
    """
    found = find_spec("reproduction")
    if found is None or found.origin is None:
        return ()
    if Path(found.origin).resolve().parents[1] != Path(__file__).resolve().parents[2]:
        return ()
    names: tuple[str, ...] = import_module("reproduction.commands.tasks").TASKS
    return names


def add_repository_tasks(commands: Any, with_tasks: bool) -> None:
    """Add ``repo`` to the commands of ``receval``, where there are tasks.

    Parameters
    ----------
    with_tasks : bool
        Whether to add the tasks, too: they load the models of the configuration, for which no
        other command should wait.
    """
    if tasks():
        import_module("reproduction.commands.tasks").add_repository(commands, with_tasks)
