# SPDX-License-Identifier: MIT
"""``receval runs``: evaluate recommendation lists that other programs made."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from receval.cli.arguments import (
    COLUMNS,
    add_columns,
    add_comparison,
    add_measuring,
    add_output,
    add_reading,
    columns_of,
    comparison_of,
    depth,
    finish,
    hints_for,
    read_as_far_as_they_fit,
    read_others,
    reading_of,
    repeated,
)
from receval.cli.command_parser import add_command, complete_by, progress_line
from receval.cli.features import (
    FILES,
    add_features,
    add_rating_scores,
    features_of,
    grouped_results,
)
from receval.cli.large_runs import add_blocks, run_in_blocks
from receval.cli.saved_arguments import add_settings, keep_read
from receval.storage.messages import enumerated, printable

EXAMPLES = """examples:
  receval runs --test test.qrels a.run b.run --metric nDCG@10 --metric MAP
  receval runs --test held_out.csv --train train.csv mine=lists.tsv theirs=theirs.json --metric P@5
  receval runs --test test.parquet mine=lists/ --in-blocks blocks --metric nDCG@10
  receval runs --settings receval-runs/settings.json --metric MRR --out mrr
"""

_RUN_COLUMNS = ("user", "item", "score", "rank")


def add_runs(commands: Any) -> None:
    """Add this command to ``receval``."""
    text = "compare recommendation lists that other programs have made"
    parser = add_command(commands, "runs", text, EXAMPLES, run_runs)
    add_lists(parser)
    add_depth(parser)
    parser.add_argument(
        "--ties",
        choices=("auto", "trec", "random", "listed"),
        default="auto",
        help="order of items with equal scores (default: trec, or that of the dialect)",
    )
    add_measuring(parser)
    add_rating_scores(parser)
    add_features(parser)
    add_comparison(parser)
    add_blocks(parser)
    add_output(parser, "receval-runs")
    repeat_lists(parser, FILES)


def add_lists(parser: argparse.ArgumentParser) -> None:
    """Add arguments for files of lists, and for test and training data."""
    runs = parser.add_argument(
        "runs",
        nargs="*",
        help="files of lists: TREC runs, tables of user, item and score, JSON, or sparse matrices; "
        "NAME=FILE sets the name of a run",
    )
    test = parser.add_argument(
        "--test", metavar="FILE", help="test data: judgments (qrels) or held-out ratings"
    )
    train = parser.add_argument(
        "--train",
        metavar="FILE",
        help="training ratings; a user's training items are removed from the user's lists",
    )
    parser.add_argument(
        "--trained-pairs",
        choices=("refuse", "drop"),
        default="refuse",
        help="what to do with test pairs that are also in --train (default: %(default)s)",
    )
    complete_by("file", [runs, test, train])
    add_columns(parser, COLUMNS, " in the table of --test")
    add_reading(parser, "the tables of --test, and of --train unless it has options of its own")
    add_columns(parser, COLUMNS, " in the table of --train", "train-")
    add_reading(parser, "the table of --train", "train-")
    add_run_columns(parser)


def add_run_columns(parser: argparse.ArgumentParser) -> None:
    """Add arguments for how runs are read."""
    add_columns(parser, _RUN_COLUMNS, " in runs", "run-")
    parser.add_argument(
        "--run-order",
        choices=("score", "rank"),
        default="score",
        help="order of lists that have both scores and ranks (default: %(default)s)",
    )
    add_reading(parser, "runs", "run-")


def add_depth(parser: argparse.ArgumentParser) -> None:
    """Add the argument for the length at which lists were cut."""
    parser.add_argument(
        "--depth",
        type=depth,
        metavar="LENGTH",
        default="auto",
        help="length at which lists were cut, or 'whole' if items that are not in them were never "
        "retrieved (default: %(default)s)",
    )


def judged_and_trained(chosen: argparse.Namespace) -> tuple[Any, Any]:
    """Return the test and the training data of the arguments of :func:`add_lists`."""
    from receval.data.ratings_table import read_test_data

    of_test = {**columns_of(chosen, COLUMNS), **reading_of(chosen)}
    test = read_test_data(chosen.test, **of_test)
    keep_read(chosen, test)
    train = None if chosen.train is None else read_others(chosen, chosen.train, "train-")
    keep_read(chosen, train)
    return test, train


def read_runs(chosen: argparse.Namespace, files: list[str] | None = None) -> dict[str, Any]:
    """Return the runs of the arguments of :func:`add_lists`, or of other files, by their names.

    All of them have the same options, each of which must fit one run at least.
    """
    from receval.data.run import read_run

    options = {**columns_of(chosen, _RUN_COLUMNS, "run-"), **reading_of(chosen, "run-")}
    options["order"] = chosen.run_order
    named = named_runs(chosen.runs if files is None else files)
    with hints_for("run-"):
        runs: dict[str, Any] = {}
        unfit = []
        for name, path in named.items():
            runs[name], error = read_as_far_as_they_fit(read_run, path, options)
            keep_read(chosen, runs[name])
            unfit.append(error)
        names = [set() if error is None else {*error.names} for error in unfit]
        if unfit and unfit[0] is not None and set.intersection(*names):
            raise unfit[0]
        return runs


def repeat_lists(parser: argparse.ArgumentParser, files: Sequence[str] = ()) -> None:
    """Add ``--settings`` to a command that has the arguments of :func:`add_lists`.

    ``files`` are further arguments that name files.
    """
    add_settings(parser, required=["runs", "test"], files=["runs", "test", "train", *files])


def run_runs(chosen: argparse.Namespace) -> int:
    """Run the command."""
    measuring: dict[str, Any] = {
        "trained_pairs": chosen.trained_pairs,
        "protocols": repeated(chosen.protocol) or "AR AI-AN",
        "metrics": repeated(chosen.metric) or None,
        "relevant": chosen.relevant,
        "users": chosen.users,
        "depth": chosen.depth,
        "ties": chosen.ties,
        "seed": chosen.seed,
    }
    if chosen.in_blocks is not None:
        tables = _tables_in_blocks(chosen)
        in_blocks = run_in_blocks(chosen, {**tables, **measuring})
        if in_blocks is None:
            return 0
        names = () if _of_train(chosen) else tables["train_columns"]
        taken = enumerated([f"--{name.replace('_', '-')}" for name in names])
        reading = (
            replace(own, form=f"{own.form}, read with {taken}")
            if taken and own.source == chosen.train
            else own
            for own in in_blocks.reading
        )
        result = replace(in_blocks, reading=tuple(reading))
    else:
        from receval.evaluation.runs import evaluate_runs

        if chosen.shards is not None or chosen.shard is not None:
            raise ValueError("--shards needs --in-blocks FOLDER, where the plan is written.")
        test, train = judged_and_trained(chosen)
        runs = read_runs(chosen)
        features = features_of(chosen)
        with progress_line("run") as progress:
            result = evaluate_runs(
                test,
                runs,
                train=train,
                **measuring,
                dialect=chosen.dialect,
                rating_scores=repeated(chosen.rating_scores),
                **features,
                progress=progress,
            )
    title = f"Runs on {Path(chosen.test).name}"
    grouped = grouped_results(result, chosen)
    report = result.as_report(
        title, methods=bool(chosen.methods), grouped=grouped, **comparison_of(chosen)
    )
    return finish(report, chosen)


def _of_train(chosen: argparse.Namespace) -> dict[str, Any]:
    return {**columns_of(chosen, COLUMNS, "train-"), **reading_of(chosen, "train-")}


def _tables_in_blocks(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return the tables of an evaluation in blocks, and how they are read."""
    of_test = {**columns_of(chosen, COLUMNS), **reading_of(chosen)}
    of_train = _of_train(chosen) or {n: own for n, own in of_test.items() if n != "format"}
    found: dict[str, Any] = {
        "test": chosen.test,
        "runs": named_runs(chosen.runs),
        "train": chosen.train,
        "test_columns": of_test,
        "train_columns": of_train,
        "run_columns": {
            **columns_of(chosen, _RUN_COLUMNS, "run-"),
            **reading_of(chosen, "run-"),
            "order": chosen.run_order,
        },
    }
    return found if chosen.block_rows is None else {**found, "rows": chosen.block_rows}


def named_runs(runs: list[str]) -> dict[str, str]:
    """Return the files of runs by name, taken from ``NAME=FILE`` or from the file name."""
    named: dict[str, str] = {}
    for text in runs:
        name, equals, path = text.partition("=")
        # A path may contain "=", and a name "/".
        is_path = not (name and equals) or ("/" in name and not Path(path).exists())
        if is_path or Path(text).exists():
            name, path = Path(text).name.partition(".")[0], text
        name = printable(name)
        if name in named:
            raise ValueError(
                f"Two runs are called {name}: {named[name]} and {path}. Give them different names, "
                f"such as {name}-1={named[name]} {name}-2={path}."
            )
        named[name] = path
    return named
