# SPDX-License-Identifier: MIT
"""``receval repo``: its tasks on results, claims, datasets, jobs and generated files."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reproduction.drift.comparison import Acceptance
    from reproduction.workflow.plan.plan import Plan

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
    "metadata",
)

_Run = Callable[[argparse.Namespace], int]


def add_repository(commands: Any, with_tasks: bool) -> None:
    """Add ``repo`` to the commands of ``receval``, ``with_tasks`` with its tasks, too.

    They load the models of the configuration, which would slow down other commands.
    """
    text = "maintain a clone of the repository: " + ", ".join(TASKS)
    parser = commands.add_parser("repo", help=text, description=f"{text[0].upper()}{text[1:]}.")
    if with_tasks:
        _add_tasks(parser.add_subparsers(required=True, dest="task", metavar="task"))


def _add_tasks(tasks: Any) -> None:
    """Add all tasks, in the order of :data:`TASKS`."""
    from reproduction.commands.generated_files import GENERATED, write_generated

    text = "compare new artifacts with the accepted ones; the exit status is 1 if they drifted"
    task = _add(tasks, "drift", run_drift, text, edition="")
    text = "also list differences within their tolerance"
    task.add_argument("--all", action="store_true", help=text)
    text = "copy new artifacts to results/"
    task = _add(tasks, "accept", run_accept, text, edition="", writes=True)
    text = "accept even if datasets or artifacts of the accepted results are missing"
    task.add_argument("--drop", action="store_true", help=text)
    task.add_argument("--yes", action="store_true", help="accept without asking")
    text = "list the datasets that are available, and how to get the others"
    _add(tasks, "datasets", run_datasets, text, edition="")
    text = "compare prepared datasets with their records; the exit status is 1 if they differ"
    _add(tasks, "verify", run_verify, text, edition="")
    text = "print the processor, arithmetic and library versions that results depend on"
    _add(tasks, "versions", print_versions, text)
    text = "judge the claims of the papers by accepted or new results"
    task = _add(tasks, "claims", run_claims, text)
    text = "numbers of claims to show in detail, such as B-031"
    task.add_argument("claim", nargs="*", help=text)
    _add_edition(task, "full")
    text = "use the results of the last run in work/ instead of results/"
    task.add_argument("--fresh", action="store_true", help=text)
    task = _add(tasks, "kernels", run_kernels, "compile the numba kernels of all jobs in advance")
    text = "add the kernels that the jobs in work/ had to compile to the list"
    task.add_argument("--record", action="store_true", help=text)
    text = "make one file by calling the function of its rule in this process, for debugging"
    task = _add(tasks, "run-rule", run_one_rule, text)
    task.add_argument("file", help="file to make, such as work/demo/ml-1m/raw.json")
    text = "options of Snakemake, such as --configfile"
    task.add_argument("options", nargs=argparse.REMAINDER, help=text)
    # A debugger needs the original exception.
    task.set_defaults(raises=True)
    for name, (text, _) in GENERATED.items():
        _add(tasks, name, partial(write_generated, name), text, writes=True)
    text = (
        "write .zenodo.json, codemeta.json, ro-crate-metadata.json and metadata/ from "
        "CITATION.cff, pyproject.toml, config/datasets.yaml and results/"
    )
    task = _add(tasks, "metadata", run_metadata, text, writes=True)
    text = (
        "pack the last run of an edition as a Workflow Run RO-Crate in work/EDITION/crate instead"
    )
    task.add_argument("--run", choices=("demo", "full"), dest="packed", help=text)


def _add(
    tasks: Any, name: str, run: _Run, text: str, *, edition: str | None = None, writes: bool = False
) -> argparse.ArgumentParser:
    """Add one task, which has the choice of an edition unless that is None."""
    parser: argparse.ArgumentParser = tasks.add_parser(
        name, help=text, description=f"{text[0].upper()}{text[1:]}."
    )
    parser.set_defaults(run=partial(_run_in_repository, run, writes))
    if edition is not None:
        _add_edition(parser, edition)
    return parser


def _add_edition(parser: argparse.ArgumentParser, default: str) -> None:
    """Add the choice of an edition, by default that of the configuration."""
    from reproduction.config.settings import EDITIONS  # models, which `receval repo` alone needs

    parser.add_argument(
        "--edition",
        choices=EDITIONS,
        default=default or None,
        help=f"demo or full (default: {default or 'that of config/config.yaml'})",
    )


def _run_in_repository(run: _Run, writes: bool, chosen: argparse.Namespace) -> int:
    """Run a task, but refuse it outside a repository, or if it may not write here."""
    from reproduction.datasets.reports import DatasetError
    from reproduction.workflow.plan.datasets import RunFolders

    own, used = Path("src").resolve(), Path(__file__).resolve().parents[2]
    if (own / "receval" / "__init__.py").is_file() and own != used:
        raise ValueError(
            f"This folder has its own receval, but this command is the one in {used}. Use the "
            "environment of this folder (make .venv/ready, then .venv/bin/receval repo ...), or "
            "PYTHONPATH=src receval repo ..."
        )
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


def run_drift(chosen: argparse.Namespace) -> int:
    """Print the report; return 1 if results drifted or prepared data is not as recorded."""
    from reproduction.datasets.prepare import is_prepared, not_as_recorded
    from reproduction.drift.comparison import as_text, compare_folders
    from reproduction.workflow.plan.datasets import RunFolders
    from reproduction.workflow.plan.plan import check_artifacts, plan_of_last_run

    plan = plan_of_last_run(chosen.edition, RunFolders.of_command())
    check_artifacts(plan, recorded=False)
    report = compare_folders(
        _fresh(plan.edition),
        plan.accepted.folder,
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


def _fresh(edition: str) -> Path:
    """Return the folder of the new artifacts of an edition."""
    return Path("work") / edition / "artifacts"


def run_accept(chosen: argparse.Namespace) -> int:
    """Show the changes, ask for confirmation, and copy."""
    from reproduction.drift.comparison import acceptance
    from reproduction.workflow.jobs.job_runner import remove_temporary_files
    from reproduction.workflow.plan.datasets import RunFolders
    from reproduction.workflow.plan.plan import check_artifacts, plan_of_last_run

    plan = plan_of_last_run(chosen.edition, RunFolders.of_command())
    _check_complete(plan)
    check_artifacts(plan, recorded=True)
    remove_temporary_files(plan.accepted.folder)
    listed = [
        *plan.studies.all_artifact_names(),
        *plan.claims.names(),
        *plan.errata.names(),
        *plan.paper.listed_names(),
        *plan.replications.names(),
    ]
    changes = acceptance(
        _fresh(plan.edition),
        plan.accepted.folder,
        listed,
        plan.claims.pages(),
        plan.settings.figures,
    )
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


def print_versions(_: argparse.Namespace) -> int:
    """Print one line for each of them."""
    from tabulate import tabulate

    from reproduction.workflow.provenance.versions import processor_and_arithmetic, versions

    machine = processor_and_arithmetic()
    arithmetic = machine["arithmetic"]
    given = [f"{name}={value}" for name, value in arithmetic["given"].items()]
    rows = [
        ("processor", machine["processor"]),
        *(("linear algebra", library) for library in arithmetic["blas"]),
        ("code by numba", arithmetic["numba"]),
        ("loops of numpy", f"for {arithmetic['numpy']}"),
        ("C library", arithmetic["libc"]),
        *(("set by the user or the host", setting) for setting in given),
        *versions().items(),
    ]
    print(tabulate(rows, tablefmt="plain", disable_numparse=True))
    return 0


def run_claims(chosen: argparse.Namespace) -> int:
    """Print how many claims hold, or all details of some claims."""
    from reproduction.claims.ledger import report_of_claims
    from reproduction.claims.verdicts import datasets_elsewhere
    from reproduction.config.reading import load_datasets
    from reproduction.workflow.plan.datasets import RunFolders

    folders = RunFolders.of_command()
    results = folders.results(chosen.edition)
    if chosen.fresh:
        results = _fresh(chosen.edition)
    elsewhere = datasets_elsewhere(load_datasets(folders.config / "datasets.yaml"))
    print(report_of_claims(folders.config / "claims", results, chosen.claim, elsewhere), end="")
    return 0


def run_kernels(chosen: argparse.Namespace) -> int:
    """Compile kernels; return 1 if the list of their types is outdated."""
    from reproduction.workflow.jobs.kernels import LIST, compile_all, listed, record

    if chosen.record:
        record(Path("work").rglob("logs/*.log"))
    outdated = compile_all()
    for kernel, types in outdated:
        print(
            f"{kernel} does not accept {types}. Write {LIST.name} again with receval repo "
            "kernels --record."
        )
    print(f"{len(listed()) - len(outdated)} kernels are compiled.")
    return int(bool(outdated))


def run_one_rule(chosen: argparse.Namespace) -> int:
    """Make one file in the foreground, and return Snakemake's exit status."""
    from reproduction.workflow.jobs.job_runner import run_rule
    from reproduction.workflow.jobs.run_job import is_our_own

    def show(kind: type[BaseException], error: BaseException, *trace: Any) -> None:
        # No debugger has caught it, and Snakemake has shown its message.
        if not is_our_own(error):
            sys.__excepthook__(kind, error, *trace)

    sys.excepthook = show
    return run_rule(chosen.file, chosen.options)


def run_metadata(chosen: argparse.Namespace) -> int:
    """Write the descriptions for other machines, or pack a run; say what was written."""
    from receval.storage.files import write_atomically
    from reproduction.publishing.metadata import descriptions, pack_run

    if chosen.packed:
        print(f"wrote {pack_run(chosen.packed).as_posix()}")
        return 0
    for file, text in descriptions().items():
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        write_atomically(Path(file), text)
        print(f"wrote {file}")
    return 0
