# SPDX-License-Identifier: MIT
"""The command ``receval``: for ratings and runs of one's own, and for the repository."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from receval import __version__
from receval.commands.audit_samples import add_audit_samples
from receval.commands.evaluate import add_evaluate
from receval.commands.multiverse import add_multiverse
from receval.commands.runs import add_runs
from receval.config.settings import EDITIONS, json_schema, load_settings
from receval.datasets.reports import DatasetError
from receval.drift.acceptance import Acceptance, acceptance
from receval.drift.comparison import compare_folders
from receval.drift.report import as_text
from receval.storage.files import write_atomically
from receval.storage.messages import about_files
from receval.workflow.leftovers import remove_leftovers
from receval.workflow.plan.folders import RunFolders
from receval.workflow.plan.plan import Plan
from receval.workflow.run_record import check_artifacts, plan_of_last_run

SCHEMA = Path("config/schema.json")
SCHEMA_OF_CLAIMS = Path("config/claims/schema.json")
METRICS_PAGE = Path("docs/metrics.md")
ERRATA_PAGE = Path("docs/errata.md")
README = Path("README.md")
CITATION = Path("CITATION.cff")

CLOSED_PIPE = 141
"""As shells say of a program that wrote into a closed pipe: 128 and the number of the signal."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status.

    Parameters
    ----------
    arguments : sequence of str, optional
        By default those of the process.

    Returns
    -------
    int
        0; 1 where results have drifted or data is not as recorded; 2 where the command cannot be
        carried out; 141 where nobody reads any more what it prints.
    """
    chosen = _parser().parse_args(arguments)
    if chosen.needs_repository and not _is_repository(chosen):
        print(
            "There is no config/config.yaml here: run receval in the repository.", file=sys.stderr
        )
        return 2
    warnings.showwarning = _show_warning
    try:
        status = int(chosen.run(chosen))
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        # Whoever reads has read enough: nothing more can be said, not even by Python at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED_PIPE
    except (ValueError, DatasetError, OSError) as error:
        if chosen.run is _run_rule:
            # A debugger goes to where it was raised.
            raise
        print(about_files(error) if isinstance(error, OSError) else error, file=sys.stderr)
        return 2


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning as a sentence, without the line of code that gave it."""
    print(f"Warning: {message}", file=sys.stderr)


def _is_repository(chosen: argparse.Namespace) -> bool:
    folders = RunFolders.of_command()
    is_there = (folders.config / "config.yaml").is_file()
    return is_there and (folders.are_own or chosen.run not in _WRITING)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="receval", description=__doc__)
    parser.add_argument("--version", action="version", version=f"receval {__version__}")
    parser.set_defaults(needs_repository=True)
    commands = parser.add_subparsers(required=True, metavar="command")
    add_evaluate(commands)
    add_runs(commands)
    add_multiverse(commands)
    add_audit_samples(commands)
    for name, run, text in (
        ("drift", _drift, "compare fresh artifacts with the accepted ones; exit 1 if they drifted"),
        ("accept", _accept, "copy fresh artifacts to results/"),
        ("datasets", _datasets, "print which datasets can be had, and how to get the others"),
        ("verify", _verify, "compare prepared datasets with their records; exit 1 if they differ"),
    ):
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument("--edition", choices=EDITIONS, default=None)
        command.set_defaults(run=run)
        if name == "drift":
            command.add_argument(
                "--all",
                action="store_true",
                help="name what is within its tolerance, too",
            )
        if name == "accept":
            command.add_argument(
                "--drop",
                action="store_true",
                help="accept although datasets or artifacts are gone that were there before",
            )
            command.add_argument(
                "--yes", action="store_true", help="accept what is shown without being asked"
            )
    text = "compile all kernels that runs need, once for all jobs to come"
    command = commands.add_parser("kernels", help=text, description=text)
    command.add_argument(
        "--record",
        action="store_true",
        help="add to the list what the jobs of work/ say in their logs to have compiled",
    )
    command.set_defaults(run=_kernels)
    text = "make one file by its rule's function in this process, for a debugger"
    command = commands.add_parser("run-rule", help=text, description=text)
    command.add_argument("file", help="what the rule makes, such as work/demo/ml-1m/raw.json")
    command.add_argument(
        "options", nargs=argparse.REMAINDER, help="options of Snakemake, such as --configfile"
    )
    command.set_defaults(run=_run_rule)
    for name, write, path in (
        ("schema", _schema, SCHEMA),
        ("metrics", _metrics, METRICS_PAGE),
        ("errata", _errata, ERRATA_PAGE),
        ("citation", _citation, README),
    ):
        commands.add_parser(name, help=f"write {path}").set_defaults(run=write)
    text = "judge the claims of the papers by accepted results, or by fresh ones"
    command = commands.add_parser("claims", help=text, description=text)
    command.add_argument("claim", nargs="*", help="numbers of claims, such as B-031")
    command.add_argument("--edition", choices=EDITIONS, default="full")
    command.add_argument(
        "--fresh", action="store_true", help="by what the last run left in work/, not by results/"
    )
    command.set_defaults(run=_claims)
    return parser


def _plan(chosen: argparse.Namespace) -> Plan:
    folders = RunFolders.of_command()
    return Plan(load_settings(folders.config, chosen.edition), folders)


def _folders(plan: Plan) -> tuple[Path, Path]:
    return Path("work") / plan.edition / "artifacts", plan.accepted.folder


def _drift(chosen: argparse.Namespace) -> int:
    from receval.datasets.verification import is_prepared, not_as_recorded  # tables

    plan = plan_of_last_run(chosen.edition, RunFolders.of_command())
    check_artifacts(plan, recorded=False)
    fresh, accepted = _folders(plan)
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


def _accept(chosen: argparse.Namespace) -> int:
    plan = plan_of_last_run(chosen.edition, RunFolders.of_command())
    _check_complete(plan)
    check_artifacts(plan, recorded=True)
    fresh, accepted = _folders(plan)
    remove_leftovers(accepted)
    listed = [
        *plan.studies.all_artifact_names(),
        *plan.claims.names(),
        *plan.errata.names(),
        *plan.paper.listed_names(),
        *plan.replications.names(),
    ]
    changes = acceptance(fresh, accepted, listed)
    if not chosen.drop:
        _check_nothing_is_lost(plan, changes)
    lines = changes.lines()
    print(*lines, sep="\n", end="\n" if lines else "")
    print(f"{len(lines)} files change, {len(changes.unchanged)} do not.")
    if lines and not chosen.yes:
        _ask(f"Accept these {len(lines)} changes of {changes.accepted.as_posix()}?")
    changes.carry_out()
    return 0


def _ask(question: str) -> None:
    """Ask at a terminal, and raise an error unless the answer is yes."""
    if not sys.stdin.isatty():
        raise ValueError("Nothing was accepted: say receval accept --yes, or answer at a terminal.")
    try:
        answer = input(f"{question} [y/N] ")
    except EOFError:
        print()
        answer = ""
    if answer.strip().lower() not in ("y", "yes"):
        raise ValueError("Nothing was accepted.")


def _check_complete(plan: Plan) -> None:
    """Refuse artifacts of which a part was not made, by a job that failed say."""
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
                f"The accepted results of {study} have the datasets {', '.join(lost)}, which the "
                "run did without: accepting would lose their numbers. Get the datasets, or say so "
                "with receval accept --drop."
            )
    if changes.removed:
        raise ValueError(
            "Accepting would remove the files of artifacts that no study lists any more "
            f"({len(changes.removed)}, such as {changes.removed[0]}): say so with receval accept "
            "--drop."
        )


def _datasets(chosen: argparse.Namespace) -> int:
    print(_plan(chosen).datasets.table())
    return 0


def _verify(chosen: argparse.Namespace) -> int:
    from receval.datasets.verification import verification  # tables, which other commands need not

    settings = load_settings(RunFolders.of_command().config, chosen.edition)
    lines, sound = verification(Path("work") / settings.edition, settings.datasets)
    print("\n".join(lines))
    return int(not sound)


def _kernels(chosen: argparse.Namespace) -> int:
    from receval.workflow.kernels import LIST, compile_all, listed, record  # compiled code

    if chosen.record:
        record(Path("work").rglob("logs/*.log"))
    outdated = compile_all()
    for kernel, types in outdated:
        print(f"{kernel} takes no {types}: write {LIST.name} again with receval kernels --record.")
    print(f"{len(listed()) - len(outdated)} kernels are compiled.")
    return int(bool(outdated))


def _run_rule(chosen: argparse.Namespace) -> int:
    from receval.workflow.foreground import run_rule  # which no other command needs

    return run_rule(chosen.file, chosen.options)


def _schema(_: argparse.Namespace) -> int:
    from receval.claims.spec import claims_schema  # which no other command needs

    for path, text in ((SCHEMA, json_schema()), (SCHEMA_OF_CLAIMS, claims_schema())):
        write_atomically(path, text)
        print(f"wrote {path}")
    return 0


def _claims(chosen: argparse.Namespace) -> int:
    from receval.claims.report import report_of_claims  # tables, which other commands need not

    folders = RunFolders.of_command()
    results = folders.results(chosen.edition)
    if chosen.fresh:
        results = Path("work") / chosen.edition / "artifacts"
    print(report_of_claims(folders.config / "claims", results, chosen.claim), end="")
    return 0


def _metrics(_: argparse.Namespace) -> int:
    from receval.metrics.cards import document  # compiled code, which no other command needs

    write_atomically(METRICS_PAGE, document())
    print(f"wrote {METRICS_PAGE}")
    return 0


def _errata(_: argparse.Namespace) -> int:
    from receval.publishing.errata_page import errata_page  # which no other command needs

    write_atomically(ERRATA_PAGE, errata_page())
    print(f"wrote {ERRATA_PAGE}")
    return 0


def _citation(_: argparse.Namespace) -> int:
    from receval.publishing.citation import read_citation, with_citations  # no other needs it

    page = with_citations(README.read_text(encoding="utf-8"), read_citation(CITATION))
    write_atomically(README, page)
    print(f"wrote the BibTeX of {README}")
    return 0


_WRITING = (_accept, _schema, _metrics, _errata, _citation)
"""What writes beside the configuration, and so is refused where there is none."""


if __name__ == "__main__":
    sys.exit(main())
