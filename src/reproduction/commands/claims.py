# SPDX-License-Identifier: MIT
"""``receval repo claims``: show the claims of the papers and their verdicts."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from reproduction.commands.one_task import add_edition, add_task


def add_claims(tasks: Any) -> None:
    """Add the task to those of the repository."""
    text = "judge the claims of the papers by accepted or new results"
    parser = add_task(tasks, "claims", run_claims, text)
    parser.add_argument(
        "claim", nargs="*", help="numbers of claims to show in detail, such as B-031"
    )
    add_edition(parser, "full")
    parser.add_argument(
        "--fresh",
        action="store_true",
        help="use the results of the last run in work/ instead of results/",
    )


def run_claims(chosen: argparse.Namespace) -> int:
    """Print how many claims hold, or all details of some claims."""
    from reproduction.claims.report import report_of_claims
    from reproduction.claims.verdicts import datasets_elsewhere
    from reproduction.config.reading import load_datasets
    from reproduction.workflow.plan.datasets import RunFolders

    folders = RunFolders.of_command()
    results = folders.results(chosen.edition)
    if chosen.fresh:
        results = Path("work") / chosen.edition / "artifacts"
    elsewhere = datasets_elsewhere(load_datasets(folders.config / "datasets.yaml"))
    print(report_of_claims(folders.config / "claims", results, chosen.claim, elsewhere), end="")
    return 0
