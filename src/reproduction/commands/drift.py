# SPDX-License-Identifier: MIT
"""``receval repo drift``: compare new artifacts with the accepted ones."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reproduction.commands.one_task import add_edition, add_task

if TYPE_CHECKING:
    from reproduction.workflow.plan.plan import Plan


def add_drift(tasks: Any) -> None:
    """Add the task to those of the repository."""
    text = "compare new artifacts with the accepted ones; the exit status is 1 if they drifted"
    parser = add_task(tasks, "drift", run_drift, text)
    add_edition(parser)
    parser.add_argument(
        "--all", action="store_true", help="also list differences within their tolerance"
    )


def run_drift(chosen: argparse.Namespace) -> int:
    """Print the report; return 1 if results drifted or prepared data is not as recorded."""
    from reproduction.datasets.prepare import is_prepared, not_as_recorded
    from reproduction.drift.comparison import compare_folders
    from reproduction.drift.report import as_text
    from reproduction.workflow.plan.datasets import RunFolders
    from reproduction.workflow.plan.run_record import check_artifacts, plan_of_last_run

    plan = plan_of_last_run(chosen.edition, RunFolders.of_command())
    check_artifacts(plan, recorded=False)
    fresh, accepted = fresh_and_accepted(plan)
    report = compare_folders(
        fresh,
        accepted,
        plan.settings.drift.exact() if chosen.all else plan.settings.drift,
        [
            *plan.studies.artifact_names(),
            *plan.claims.names(),
            *plan.errata.names(),
            *plan.paper.names(),
            *plan.replications.made(),
        ],
        plan.accepted.one_sided_datasets(),
    )
    prepared = dict.fromkeys(Path(file).parent for file in plan.studies.prepared_files())
    problems = [line for path in prepared if is_prepared(path) for line in not_as_recorded(path)]
    print(*problems, as_text(report), sep="\n")
    return int(report.drifted or bool(problems))


def fresh_and_accepted(plan: Plan) -> tuple[Path, Path]:
    """Return the folder of new artifacts and the folder of accepted ones."""
    return Path("work") / plan.edition / "artifacts", plan.accepted.folder
