# SPDX-License-Identifier: MIT
"""What all tasks of ``receval repo`` share: their parsers, and the checks before they run."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any


def add_task(
    tasks: Any, name: str, run: Callable[[argparse.Namespace], int], text: str, writes: bool = False
) -> argparse.ArgumentParser:
    """Add one task, and return its parser."""
    parser: argparse.ArgumentParser = tasks.add_parser(
        name, help=text, description=f"{text[0].upper()}{text[1:]}."
    )
    parser.set_defaults(run=in_repository(run, writes))
    return parser


def add_edition(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    """Add the choice of an edition, by default that of the configuration."""
    from reproduction.config.settings import EDITIONS  # models, which `receval repo` alone needs

    parser.add_argument(
        "--edition",
        choices=EDITIONS,
        default=default,
        help=f"demo or full (default: {default or 'that of config/config.yaml'})",
    )


def _check_source() -> None:
    """Refuse to work on one repository with the code of another."""
    own, used = Path("src").resolve(), Path(__file__).resolve().parents[2]
    if (own / "receval" / "__init__.py").is_file() and own != used:
        raise ValueError(
            f"This folder has its own receval, but this command is the one in {used}. Use the "
            "environment of this folder (make .venv/ready, then .venv/bin/receval repo ...), or "
            "PYTHONPATH=src receval repo ..."
        )


def in_repository(
    run: Callable[[argparse.Namespace], int], writes: bool
) -> Callable[[argparse.Namespace], int]:
    """Return a task that is refused outside a repository, or if it may not write here."""

    def checked(chosen: argparse.Namespace) -> int:
        from reproduction.datasets.reports import DatasetError
        from reproduction.workflow.plan.datasets import RunFolders

        _check_source()
        folders = RunFolders.of_command()
        is_there = (folders.config / "config.yaml").is_file()
        if not is_there or (writes and not folders.are_own):
            raise ValueError(
                "There is no config/config.yaml in this folder. Run receval repo in the repository."
            )
        try:
            return run(chosen)
        except DatasetError as error:
            if getattr(chosen, "raises", False):
                raise
            raise ValueError(str(error)) from error

    return checked
