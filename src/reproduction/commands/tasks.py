# SPDX-License-Identifier: MIT
"""``receval repo``: the list of its tasks."""

from __future__ import annotations

from typing import Any

TASKS = (
    "drift",
    "accept",
    "datasets",
    "verify",
    "versions",
    "claims",
    "kernels",
    "run-rule",
    "schema",
    "metrics",
    "errata",
    "dialects",
    "warnings",
    "studies",
    "citation",
)


def add_repository(commands: Any, with_tasks: bool) -> None:
    """Add ``repo`` to the commands of ``receval``, ``with_tasks`` with its tasks, too.

    They load the models of the configuration, which would slow down other commands.
    """
    text = "maintain a clone of the repository: " + ", ".join(TASKS)
    parser = commands.add_parser("repo", help=text, description=f"{text[0].upper()}{text[1:]}.")
    if not with_tasks:
        return
    from reproduction.commands.generated_files import add_generated_files
    from reproduction.commands.jobs import add_jobs, add_surroundings
    from reproduction.commands.results import add_claims, add_drift

    tasks = parser.add_subparsers(required=True, dest="task", metavar="task")
    for add in (add_drift, add_surroundings, add_claims, add_jobs, add_generated_files):
        add(tasks)
