"""The command ``receval``: drift, acceptance, datasets, one rule alone, files made from code."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from receval.config.settings import EDITIONS, json_schema, load_settings
from receval.datasets.reports import DatasetError
from receval.drift.acceptance import accept
from receval.drift.comparison import compare_folders
from receval.drift.report import as_text
from receval.messages import about_files
from receval.storage.files import write_atomically
from receval.workflow.plan.plan import Plan

SCHEMA = Path("config/schema.json")
METRICS_PAGE = Path("docs/metrics.md")


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
        carried out.
    """
    chosen = _parser().parse_args(arguments)
    if not Path("config/config.yaml").is_file():
        print(
            "There is no config/config.yaml here: run receval in the repository.", file=sys.stderr
        )
        return 2
    try:
        return int(chosen.run(chosen))
    except (ValueError, DatasetError, OSError) as error:
        if chosen.run is _run_rule:
            # A debugger goes to where it was raised.
            raise
        print(about_files(error) if isinstance(error, OSError) else error, file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="receval", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="command")
    for name, run, text in (
        ("drift", _drift, "compare fresh artifacts with the accepted ones; exit 1 if they drifted"),
        ("accept", _accept, "copy fresh artifacts to results/"),
        ("datasets", _datasets, "print which datasets can be had, and how to get the others"),
        ("verify", _verify, "compare prepared datasets with their records; exit 1 if they differ"),
    ):
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument("--edition", choices=EDITIONS, default=None)
        command.set_defaults(run=run)
        if name == "accept":
            command.add_argument(
                "--drop",
                action="store_true",
                help="accept although datasets are absent that were there before",
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
    for name, write, path in (("schema", _schema, SCHEMA), ("metrics", _metrics, METRICS_PAGE)):
        commands.add_parser(name, help=f"write {path}").set_defaults(run=write)
    return parser


def _plan(chosen: argparse.Namespace) -> Plan:
    return Plan(load_settings(Path("config"), chosen.edition), Path())


def _folders(plan: Plan) -> tuple[Path, Path]:
    return Path("work") / plan.edition / "artifacts", Path("results") / plan.edition


def _drift(chosen: argparse.Namespace) -> int:
    plan = _plan(chosen)
    fresh, accepted = _folders(plan)
    report = compare_folders(
        fresh,
        accepted,
        plan.settings.drift,
        plan.studies.artifact_names(),
        plan.accepted.one_sided_datasets(),
    )
    print(as_text(report))
    return int(report.drifted)


def _accept(chosen: argparse.Namespace) -> int:
    plan = _plan(chosen)
    fresh, accepted = _folders(plan)
    _check_complete(plan)
    if not chosen.drop:
        _check_nothing_is_lost(plan)
    result = accept(fresh, accepted, plan.studies.all_artifact_names())
    for verb, names in (("accepted", result.copied), ("removed", result.removed)):
        for name in names:
            print(f"{verb} {name}")
    print(f"{len(result.copied)} files accepted, {len(result.unchanged)} unchanged.")
    return 0


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


def _check_nothing_is_lost(plan: Plan) -> None:
    """Refuse to replace accepted results by ones that have fewer datasets."""
    for study in plan.settings.studies:
        # A dataset that the study did not have when it was accepted cannot be lost.
        lost = sorted(set(plan.studies.absent(study)) & set(plan.accepted.datasets(study)))
        if lost:
            raise ValueError(
                f"The accepted results of {study} have the datasets {', '.join(lost)}, which are "
                "absent here: accepting would lose their numbers. Get the datasets, or say so with "
                "receval accept --drop."
            )


def _datasets(chosen: argparse.Namespace) -> int:
    print(_plan(chosen).datasets.table())
    return 0


def _verify(chosen: argparse.Namespace) -> int:
    from receval.datasets.verification import verification  # tables, which other commands need not

    settings = load_settings(Path("config"), chosen.edition)
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
    write_atomically(SCHEMA, json_schema())
    print(f"wrote {SCHEMA}")
    return 0


def _metrics(_: argparse.Namespace) -> int:
    from receval.metrics.cards import document  # compiled code, which no other command needs

    write_atomically(METRICS_PAGE, document())
    print(f"wrote {METRICS_PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
