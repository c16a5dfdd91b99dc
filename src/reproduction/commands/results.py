# SPDX-License-Identifier: MIT
"""``receval repo drift``, ``accept`` and ``claims``: compare new artifacts with accepted ones.

New artifacts can be accepted. The claims of the papers are shown with their verdicts.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reproduction.commands.one_task import add_edition, add_task

if TYPE_CHECKING:
    from reproduction.drift.comparison import Acceptance
    from reproduction.workflow.plan.plan import Plan


def add_drift(tasks: Any) -> None:
    """Add the tasks to those of the repository."""
    text = "compare new artifacts with the accepted ones; the exit status is 1 if they drifted"
    parser = add_task(tasks, "drift", run_drift, text)
    add_edition(parser)
    parser.add_argument(
        "--all", action="store_true", help="also list differences within their tolerance"
    )
    parser = add_task(tasks, "accept", run_accept, "copy new artifacts to results/", writes=True)
    add_edition(parser)
    parser.add_argument(
        "--drop",
        action="store_true",
        help="accept even if datasets or artifacts of the accepted results are missing",
    )
    parser.add_argument("--yes", action="store_true", help="accept without asking")


def run_drift(chosen: argparse.Namespace) -> int:
    """Print the report; return 1 if results drifted or prepared data is not as recorded."""
    from reproduction.datasets.prepare import is_prepared, not_as_recorded
    from reproduction.drift.comparison import compare_folders
    from reproduction.drift.report import as_text
    from reproduction.workflow.plan.datasets import RunFolders
    from reproduction.workflow.plan.plan import check_artifacts, plan_of_last_run

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


def run_accept(chosen: argparse.Namespace) -> int:
    """Show the changes, ask for confirmation, and copy."""
    from reproduction.drift.comparison import acceptance
    from reproduction.workflow.jobs.job_runner import remove_temporary_files
    from reproduction.workflow.plan.datasets import RunFolders
    from reproduction.workflow.plan.plan import check_artifacts, plan_of_last_run

    plan = plan_of_last_run(chosen.edition, RunFolders.of_command())
    _check_complete(plan)
    check_artifacts(plan, recorded=True)
    fresh, accepted = fresh_and_accepted(plan)
    remove_temporary_files(accepted)
    listed = [
        *plan.studies.all_artifact_names(),
        *plan.claims.names(),
        *plan.errata.names(),
        *plan.paper.listed_names(),
        *plan.replications.names(),
    ]
    changes = acceptance(fresh, accepted, listed, plan.claims.pages())
    if not chosen.drop:
        _check_nothing_is_lost(plan, changes)
    lines = changes.lines()
    print(*lines, sep="\n", end="\n" if lines else "")
    print(f"{len(lines)} files change, {len(changes.unchanged)} do not.")
    if lines and (given := _settings_given(plan)):
        print(
            f"They were made with {' '.join(given)}. Without these settings, the last digits "
            "differ."
        )
    if lines and not chosen.yes:
        _ask(f"Accept these {len(lines)} changes of {changes.accepted.as_posix()}?")
    changes.carry_out()
    return 0


def _settings_given(plan: Plan) -> list[str]:
    """Return the settings of the arithmetic that the user or the host had changed."""
    given: dict[str, str] = {}
    for study in plan.settings.studies:
        path = Path(plan.studies.record_file(study))
        if path.is_file():
            given |= json.loads(path.read_text(encoding="utf-8"))["arithmetic"]["given"]
    return [f"{name}={value}" for name, value in sorted(given.items())]


def _ask(question: str) -> None:
    """Ask at a terminal, and raise an error unless the answer is yes."""
    # Standard input may be closed, for example in a daemon.
    if sys.stdin is None or not sys.stdin.isatty():
        raise ValueError(
            "Nothing was accepted. Use receval repo accept --yes, or answer at a terminal."
        )
    try:
        answer = input(f"{question} [y/N] ")
    except EOFError:
        print()
        answer = ""
    if answer.strip().lower() not in ("y", "yes"):
        raise ValueError("Nothing was accepted.")


def _check_complete(plan: Plan) -> None:
    """Refuse incomplete artifacts, such as those of a failed job."""
    for study in plan.settings.studies:
        for artifact in plan.artifacts.made(study):
            files = [Path(file) for file in plan.artifacts.files(study, artifact)]
            missing = [file.as_posix() for file in files if not file.is_file()]
            if missing and len(missing) < len(files):
                raise ValueError(
                    f"{study}/{artifact} is not complete: {', '.join(missing)} is missing. Let the "
                    "run finish before accepting its results."
                )


def _check_nothing_is_lost(plan: Plan, changes: Acceptance) -> None:
    """Refuse to replace accepted results by ones with fewer datasets, or to remove them."""
    for study in plan.settings.studies:
        there = set(plan.studies.datasets(study)) - set(plan.studies.absent(study))
        lost = sorted(set(plan.accepted.datasets(study)) - there)
        if lost:
            raise ValueError(
                f"The accepted results of {study} have the datasets {', '.join(lost)}, which "
                "this run does not have. Accepting would lose their numbers. Get the datasets, "
                "or use receval repo accept --drop."
            )
    if changes.removed:
        raise ValueError(
            "Accepting would remove files of artifacts that no study lists any more "
            f"({len(changes.removed)}, such as {changes.removed[0]}). Use receval repo accept "
            "--drop to remove them."
        )


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
    from reproduction.claims.ledger import report_of_claims
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
