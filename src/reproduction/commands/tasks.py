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
    """Add ``repo`` to the commands of ``receval``.

    Parameters
    ----------
    with_tasks : bool
        Whether to add the tasks, too. They load the models of the configuration, which would slow
        down other commands.
    """
    text = "maintain a clone of the repository: " + ", ".join(TASKS)
    parser = commands.add_parser("repo", help=text, description=f"{text[0].upper()}{text[1:]}.")
    if not with_tasks:
        return
    from reproduction.commands.accept import add_accept
    from reproduction.commands.claims import add_claims
    from reproduction.commands.drift import add_drift
    from reproduction.commands.generated_files import add_generated_files
    from reproduction.commands.jobs import add_jobs
    from reproduction.commands.prepared_data import add_prepared_data
    from reproduction.commands.versions import add_versions

    tasks = parser.add_subparsers(required=True, dest="task", metavar="task")
    add_drift(tasks)
    add_accept(tasks)
    add_prepared_data(tasks)
    add_versions(tasks)
    add_claims(tasks)
    add_jobs(tasks)
    add_generated_files(tasks)
