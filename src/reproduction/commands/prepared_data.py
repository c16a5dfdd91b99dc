# SPDX-License-Identifier: MIT
"""``receval repo datasets`` and ``verify``: list available datasets, and verify prepared ones."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from reproduction.commands.one_task import add_edition, add_task


def add_prepared_data(tasks: Any) -> None:
    """Add the tasks to those of the repository."""
    for name, run, text in (
        (
            "datasets",
            run_datasets,
            "list the datasets that are available, and how to get the others",
        ),
        (
            "verify",
            run_verify,
            "compare prepared datasets with their records; the exit status is 1 if they differ",
        ),
    ):
        add_edition(add_task(tasks, name, run, text))


def run_datasets(chosen: argparse.Namespace) -> int:
    """Print the table of the datasets of an edition."""
    from reproduction.config.settings import load_settings
    from reproduction.workflow.plan.datasets import RunFolders
    from reproduction.workflow.plan.plan import Plan

    folders = RunFolders.of_command()
    print(Plan(load_settings(folders.config, chosen.edition), folders).datasets.table())
    return 0


def run_verify(chosen: argparse.Namespace) -> int:
    """Print whether each prepared dataset is as recorded; return 1 if one is not."""
    from reproduction.config.settings import load_settings
    from reproduction.datasets.prepare import verification
    from reproduction.workflow.plan.datasets import RunFolders

    settings = load_settings(RunFolders.of_command().config, chosen.edition)
    lines, sound = verification(Path("work") / settings.edition, settings.datasets)
    print("\n".join(lines))
    return int(not sound)
