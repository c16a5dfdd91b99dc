# SPDX-License-Identifier: MIT
"""``receval tune``: tune systems on a validation part, and evaluate them with the best settings."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from receval.cli.arguments import (
    add_comparison,
    add_measuring,
    add_output,
    add_ratings,
    check_comparison,
    comparison_of,
    finish,
    number_or_word,
    ratings_of,
    repeated,
)
from receval.cli.command_parser import add_command, complete_by, progress_line
from receval.cli.evaluate import named_system
from receval.cli.features import (
    FILES,
    add_features,
    add_rating_scores,
    features_of,
    grouped_results,
)
from receval.cli.saved_arguments import add_settings
from receval.cli.split import DEFAULT_SPLIT, add_selection, named_split, selection_of
from receval.storage.messages import quoted

EXAMPLES = """names:
  systems, splits, metrics and protocols are those of receval evaluate
  grids       values such as neighbours=20,50,100, or a distribution to draw from:
              uniform(0,1), loguniform(0.001,10) or integers(5,200), both ends included;
              with several systems, the name comes first: mf:factors=10,20,50

examples:
  receval tune ratings.csv --system user-knn --grid neighbours=20,50,100
  receval tune ratings.csv --grid user-knn:neighbours=20,50,100,200 --grid mf:factors=10,20,50 \\
    --grid "mf:regularisation=loguniform(0.001,10)" --budget 20 --metric nDCG@10 --system pop \\
    --resume-folder trials
  receval tune --settings receval-tune/settings.json --seed 2 --out seed-2

The systems with the best settings are trained on all training ratings and evaluated on the test.
"""

DEFAULT_METRIC = "nDCG@10"

_DISTRIBUTION = re.compile(r"(uniform|loguniform|integers)\(\s*([^,()]+?)\s*,\s*([^,()]+?)\s*\)")


def add_tune(commands: Any) -> None:
    """Add this command to ``receval``."""
    text = "tune recommender systems on a validation part of your ratings, and compare them"
    parser = add_command(commands, "tune", text, EXAMPLES, run_tune)
    add_ratings(parser)
    parser.add_argument(
        "--system",
        action="append",
        metavar="NAME",
        help="system to tune, or without a grid to compare with, such as pop or mf; may be "
        "repeated (default: those of the grids)",
    )
    parser.add_argument(
        "--grid",
        action="append",
        metavar="VALUES",
        help="values to try of a parameter, such as neighbours=20,50,100 or "
        "mf:factors=integers(5,100); may be repeated",
    )
    parser.add_argument(
        "--budget",
        type=_at_least_one,
        metavar="NUMBER",
        help="trials of each system, drawn at random (default: all combinations of the grid)",
    )
    parser.add_argument(
        "--search",
        choices=("random", "optuna"),
        default="random",
        help="whether trials are drawn at random or proposed by Optuna (default: %(default)s)",
    )
    parser.add_argument(
        "--split",
        default=DEFAULT_SPLIT,
        metavar="KIND",
        help="split into training and test ratings, as for receval evaluate (default: %(default)s)",
    )
    add_selection(parser)
    parser.add_argument(
        "--validation",
        metavar="KIND",
        help="split of the training ratings into those on which trials train and those by which "
        "they are compared (default: as --split)",
    )
    parser.add_argument(
        "--jobs",
        type=_jobs,
        metavar="NUMBER",
        default="auto",
        help="trials that run at a time; results do not depend on it (default: all cores)",
    )
    resume = parser.add_argument(
        "--resume-folder",
        type=Path,
        metavar="FOLDER",
        help="keep trials in this folder, from which a stopped command goes on",
    )
    parser.add_argument(
        "--times",
        action="store_true",
        default=None,
        help="also write times.csv, the seconds of each trial, which differ from run to run",
    )
    add_measuring(parser)
    add_rating_scores(parser)
    add_features(parser)
    add_comparison(parser)
    add_output(parser, "receval-tune")
    complete_by("directory", [resume])
    add_settings(parser, required=["ratings", "grid"], files=["ratings", *FILES])


def run_tune(chosen: argparse.Namespace) -> int:
    """Run the command.

    Trials are compared by the first metric under the first protocol.
    """
    import pandas as pd

    from receval.evaluation.systems import evaluate_systems
    from receval.splits.split_ratings import split
    from receval.tuning.tune import tune

    check_comparison(chosen)
    names, grids = named_grids(repeated(chosen.system), repeated(chosen.grid))
    systems = {name: named_system(name) for name in names if name not in grids}
    metrics, protocols = repeated(chosen.metric), repeated(chosen.protocol) or ["AR AI-AN"]
    measuring = {"relevant": chosen.relevant, "users": chosen.users, "dialect": chosen.dialect}
    if chosen.dialect is not None and not metrics:
        raise ValueError("Name the metric of the dialect to tune by (--metric).")
    kind, parameters = named_split(chosen.split)
    features = features_of(chosen)
    rating_scores = repeated(chosen.rating_scores)
    parameters = {**selection_of(chosen), **parameters}
    data = split(ratings_of(chosen), kind, seed=chosen.seed, **parameters)
    with progress_line("trial") as progress:
        tuned = tune(
            data,
            {
                name: (partial(_system, name), {k: values_to_try(v) for k, v in own.items()})
                for name, own in grids.items()
            },
            metric=metrics[0] if metrics else DEFAULT_METRIC,
            protocol=protocols[0],
            item_features=features.get("item_features"),
            rating_scores=[name for name in rating_scores if name in grids],
            search=chosen.search,
            budget=chosen.budget,
            validation=None if chosen.validation is None else _validation(chosen.validation),
            seed=chosen.seed,
            jobs=chosen.jobs,
            resume_folder=chosen.resume_folder,
            progress=progress,
            **measuring,
        )
    systems |= tuned.systems
    with progress_line("system") as progress:
        result = evaluate_systems(
            data,
            {name: systems[name] for name in names if name in systems},
            protocols=protocols,
            metrics=metrics or None,
            progress=progress,
            rating_scores=rating_scores,
            **features,
            **measuring,
        )
    title = f"Tuned systems on {Path(chosen.ratings).name}"
    grouped = grouped_results(result, chosen)
    report = result.as_report(
        title, methods=bool(chosen.methods), grouped=grouped, **comparison_of(chosen)
    )
    report = replace(report, notes=(*report.notes, *tuned.notes))
    if chosen.times:
        times: pd.DataFrame = tuned.trace()[["system", "trial", "seconds"]]
        report = replace(report, data={**report.data, "times": times})
    best = [f"  {system_text(name, own)}" for name, own in tuned.best.items()]
    return finish(report, chosen, "\n".join(["Best settings:", *best]))


def named_grids(
    systems: Sequence[str], grids: Sequence[str]
) -> tuple[list[str], dict[str, dict[str, str]]]:
    """Return the systems to compare, and for those to tune the values of each parameter as texts.

    A grid without the name of a system is of the only one. One with a name is of all systems that
    begin with it, and adds it if there is none.

    Examples
    --------
    >>> named_grids(["pop"], ["user-knn:neighbours=5,9", "user-knn:minimum_overlap=1,2"])
    (['pop', 'user-knn'], {'user-knn': {'neighbours': '5,9', 'minimum_overlap': '1,2'}})
    """
    names = list(systems)
    found: dict[str, dict[str, str]] = {}
    for grid in grids:
        parameter, equals, values = grid.partition("=")
        system, colon, last = parameter.rpartition(":")
        parameter = last.strip()
        if not (equals and parameter and values.strip()):
            raise ValueError(
                f"The grid {quoted(grid)} is not a parameter with values. Write for example "
                "neighbours=20,50,100, or user-knn:neighbours=20,50,100."
            )
        if colon:
            of = [name for name in names if name.partition(":")[0] == system.strip()]
            if not of:
                names.append(system.strip())
                of = names[-1:]
        elif len(names) == 1:
            of = names
        else:
            there = f"there are {len(names)} systems" if names else "no system is named"
            raise ValueError(
                f"The grid {quoted(grid)} does not say of which system it is, and {there}. Write "
                f"for example {quoted(f'user-knn:{grid}')}."
            )
        for name in of:
            if parameter in found.setdefault(name, {}):
                raise ValueError(
                    f"Two grids have values of {parameter} of {name}. Give all values in one."
                )
            found[name][parameter] = values.strip()
    return names, found


def values_to_try(text: str) -> Any:
    """Return values of a grid: a list, or a distribution of scipy.

    Examples
    --------
    >>> values_to_try("20,50"), values_to_try("0.5,cosine")
    ([20, 50], [0.5, 'cosine'])
    >>> sorted(set(values_to_try("integers(1,3)").rvs(50, random_state=1).tolist()))
    [1, 2, 3]
    """
    found = _DISTRIBUTION.fullmatch(text.strip())
    if found is None:
        if "(" in text:
            raise ValueError(
                f"{quoted(text)} is no distribution. Write uniform(low,high), loguniform(low,high) "
                "or integers(low,high)."
            )
        return [number_or_word(own.strip()) for own in text.split(",") if own.strip()]
    from scipy import stats

    name, kind = found[1], "whole numbers" if found[1] == "integers" else "numbers"
    ends = [number_or_word(found[2]), number_or_word(found[3])]
    low, high = (own for own in ends if not isinstance(own, str)) if _are(kind, ends) else (0, 0)
    if not low < high or (name == "loguniform" and not low > 0):
        above = " above 0" if name == "loguniform" else ""
        raise ValueError(f"{quoted(text)}: both ends must be {kind}{above}, the lower one first.")
    if name == "integers":
        return stats.randint(low, high + 1)
    return stats.uniform(low, high - low) if name == "uniform" else stats.loguniform(low, high)


def _are(kind: str, ends: Sequence[int | float | str]) -> bool:
    wanted = int if kind == "whole numbers" else int | float
    return all(isinstance(own, wanted) and math.isfinite(own) for own in ends)


def system_text(name: str, parameters: Mapping[str, Any]) -> str:
    """Return a system with more parameters, as ``receval evaluate --system`` takes it.

    Examples
    --------
    >>> system_text("user-knn", {"neighbours": 20}), system_text("mf:factors=5", {"seed": 1})
    ('user-knn:neighbours=20', 'mf:factors=5,seed=1')
    """
    written = ",".join(f"{parameter}={value}" for parameter, value in parameters.items())
    return f"{name}{',' if ':' in name else ':'}{written}"


def _system(name: str, **parameters: Any) -> Any:
    return named_system(system_text(name, parameters))


def _validation(text: str) -> dict[str, Any]:
    kind, parameters = named_split(text)
    return {"kind": kind, **parameters}


def _at_least_one(text: str) -> int:
    if not text.isdigit() or int(text[:20]) < 1:
        raise argparse.ArgumentTypeError(f"{text[:60]!r} is not a whole number of 1 or more")
    return int(text)


def _jobs(text: str) -> int | Literal["auto"]:
    return "auto" if text == "auto" else _at_least_one(text)
