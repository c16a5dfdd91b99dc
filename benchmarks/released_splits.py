# SPDX-License-Identifier: MIT
"""Popularity and EASE on the splits that Shehzad and Jannach (2023) released, by split.

    python benchmarks/released_splits.py CLONE RATINGS > tests/studies/fixtures/released_splits.csv
    python benchmarks/released_splits.py CLONE RATINGS --trials \
        > tests/studies/fixtures/released_trials.csv

CLONE is a clone of Faisalse/RecSys2023_hyperparameter_tuning, whose test files are read
(``data/movielens_1m/splitting/0`` to ``4``), and RATINGS the ``ratings.dat`` of MovieLens 1M. All
interactions of the released selection that do not test are for training. Printed is a CSV: the
mean of each metric, for each split and system; or nDCG@10 of EASE on the first split for each trial
of the released search, beside the released value.
"""

from __future__ import annotations

from receval.arithmetic import use_one_arithmetic

use_one_arithmetic()

import argparse
import re
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml
from numpy.typing import NDArray

import receval as rv
from receval.evaluation.systems import evaluate_systems
from receval.recommenders.ease import EASE
from receval.recommenders.non_personalised import Popularity
from receval.seeds import generator
from receval.splits.split import TEST, TRAIN, Split
from receval.splits.split_ratings import SplitRatings
from reproduction.studies.shehzad2023.released import METRICS, SYSTEMS
from reproduction.studies.shehzad2023.tuning_trials import PROTOCOL, STUDY, chosen_interactions


def main() -> None:
    """Print the values of all five splits."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("clone", type=Path)
    parser.add_argument("ratings", type=Path)
    parser.add_argument("--trials", action="store_true", help="those of the search for EASE")
    given = parser.parse_args()
    root = Path(__file__).resolve().parents[1]
    text = (root / "config" / "studies" / f"{STUDY}.yaml").read_text("utf-8")
    parameters = yaml.safe_load(text)["artifacts"]["released_values"]["parameters"]
    rows: list[tuple[object, ...]] = []
    found = splits(given.clone, given.ratings, parameters["ml-1m"])
    if given.trials:
        number, split = next(found)
        for regularisation, released in trials(given.clone):
            means = values(split, {"ease": EASE(regularisation=regularisation)})
            rows.append((number, regularisation, released, means[0, 0]))
        found = iter(())
    for number, split in found:
        eases = [EASE(regularisation=parameters[name]) for name in ("tuned", "untuned")]
        means = values(split, dict(zip(SYSTEMS, [*eases, Popularity()], strict=True)))
        rows += [
            (number, *names, metric, means[row, column])
            for column, names in enumerate(SYSTEMS.values())
            for row, metric in enumerate(METRICS)
        ]
    measured = (
        ["regularisation", "released"] if given.trials else ["system", "parameters", "metric"]
    )
    table = pd.DataFrame(rows, columns=["split", *measured, "value"])
    table.to_csv(sys.stdout, index=False, float_format="%.9f", lineterminator="\n")


def splits(clone: Path, ratings: Path, chosen: list[int]) -> Iterator[tuple[int, SplitRatings]]:
    """Yield the released splits of MovieLens 1M with their numbers."""
    everything = rv.read_ratings(ratings)
    played = chosen_interactions(everything, partial(generator, 1), *chosen)
    pairs = pd.MultiIndex.from_arrays(
        [played.user_ids[played.users], played.item_ids[played.items]]
    )
    for number in range(5):
        path = clone / "data" / "movielens_1m" / "splitting" / str(number) / "test.tsv"
        tested = pd.read_csv(path, sep="\t", header=None, usecols=[0, 1], dtype=str)
        is_test = pairs.isin(pd.MultiIndex.from_frame(tested))
        if is_test.sum() != len(tested):
            sys.exit(
                f"{path} has {len(tested)} test ratings, of which {is_test.sum()} are among the "
                f"ratings of {ratings} that the paper selects: Give the MovieLens 1M ratings."
            )
        codes = np.where(is_test, TEST, TRAIN).astype(np.uint8)
        yield number, SplitRatings(played, Split((codes,)), {"kind": "user-ratio"}, number)


def trials(clone: Path) -> list[tuple[float, float]]:
    """Return the regularisation and the released nDCG@10 of each trial of the search for EASE."""
    folder = clone / "Additional material" / "Movielens_1m" / "Tuned"
    (path,) = folder.glob("rec__cutoff_10_*.tsv")
    found = pd.read_csv(path, sep="\t")
    named = re.compile(r"EASER_.*l2_norm=([0-9$]+)")
    matches = [named.fullmatch(model) for model in found["model"]]
    return [
        (float(match[1].replace("$", ".")), float(value))
        for match, value in zip(matches, found["nDCG"], strict=True)
        if match
    ]


def values(split: SplitRatings, systems: Mapping[str, Any]) -> NDArray[np.float64]:
    """Return the mean of each metric for each system, shape (n_metrics, n_systems)."""
    result = evaluate_systems(split, systems, metrics=METRICS, protocols=PROTOCOL, relevant=1.0)
    (own,) = result.values.values()
    return own.means


if __name__ == "__main__":
    main()
