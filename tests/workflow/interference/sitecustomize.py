# SPDX-License-Identifier: MIT
"""What may happen to a run: no network, a full disk, a process killed or held at a moment.

Python imports this module at its start where its folder is on ``PYTHONPATH``: in Snakemake and in
each of its jobs.
"""

import errno
import fnmatch
import os
import signal
import socket
import time
from pathlib import Path
from typing import Any, NoReturn

REFUSED = "RECEVAL_TEST_REFUSED"
"""Variable with the file that lists all attempts to reach the network, none of which succeeds."""

FULL = "RECEVAL_TEST_FULL"
"""Variable with a pattern of paths: there is no space for such files."""

KILLED = "RECEVAL_TEST_KILLED"
"""Variable with ``job`` or ``run`` and a pattern of paths: whom to kill before such a file gets
its final name."""

HELD = "RECEVAL_TEST_HELD"
"""Variable with a pattern of paths: before such a file gets its final name, its job waits as long
as there is a file ``held``, which it makes in the current folder."""


def forbid_network(attempts: Path) -> None:
    def refuse(*arguments: Any, **options: Any) -> NoReturn:
        with attempts.open("a", encoding="utf-8") as file:
            print(arguments, options, file=file)
        raise OSError("There is no network in this test.")

    socket.getaddrinfo = refuse
    socket.socket.connect = refuse  # type: ignore[method-assign]
    socket.socket.connect_ex = refuse  # type: ignore[method-assign]


def refuse_space(pattern: str) -> None:
    replace = os.replace

    def replace_or_refuse(source: Any, target: Any, **options: Any) -> None:
        if fnmatch.fnmatch(os.fspath(target), pattern):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), os.fspath(target))
        replace(source, target, **options)

    os.replace = replace_or_refuse  # type: ignore[assignment]


def kill_before(whom: str, pattern: str) -> None:
    replace = os.replace

    def replace_or_die(source: Any, target: Any, **options: Any) -> None:
        if fnmatch.fnmatch(os.fspath(target), pattern):
            # The number 0 stands for the whole group: Snakemake and all of its jobs.
            os.kill({"job": os.getpid(), "run": 0}[whom], signal.SIGKILL)
        replace(source, target, **options)

    os.replace = replace_or_die  # type: ignore[assignment]


def hold_before(pattern: str) -> None:
    replace = os.replace

    def wait_and_replace(source: Any, target: Any, **options: Any) -> None:
        if fnmatch.fnmatch(os.fspath(target), pattern):
            held = Path("held")
            held.touch()
            while held.exists():
                time.sleep(0.01)
        replace(source, target, **options)

    os.replace = wait_and_replace  # type: ignore[assignment]


if REFUSED in os.environ:
    forbid_network(Path(os.environ[REFUSED]))
if FULL in os.environ:
    refuse_space(os.environ[FULL])
if KILLED in os.environ:
    kill_before(*os.environ[KILLED].split(" ", maxsplit=1))
if HELD in os.environ:
    hold_before(os.environ[HELD])
