# SPDX-License-Identifier: MIT
"""Popularity and EASE on the splits that Shehzad and Jannach (2023) released, by split.

    python benchmarks/released_splits.py CLONE RATINGS > tests/studies/fixtures/released_splits.csv

CLONE is a clone of Faisalse/RecSys2023_hyperparameter_tuning, whose test files are read
(``data/movielens_1m/splitting/0`` to ``4``), and RATINGS the ``ratings.dat`` of MovieLens 1M. All
interactions of the released selection that do not test are for training. Printed is a CSV: the
mean of each metric, for each split and system.
"""

from __future__ import annotations

from receval.arithmetic import use_one_arithmetic

use_one_arithmetic()

import argparse
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

import receval as rv
from receval.evaluation.systems import evaluate_systems
from receval.recommenders.ease import EASE
from receval.recommenders.non_personalised import Popularity
from receval.seeds import generator
from receval.splits.split import TEST, TRAIN, Split
from receval.splits.split_ratings import SplitRatings
from reproduction.studies.shehzad2023.released_values import METRICS, SYSTEMS
from reproduction.studies.shehzad2023.tuning_trials import PROTOCOL, STUDY, chosen_interactions


def main() -> None:
    """Print the values of all five splits."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("clone", type=Path)
    parser.add_argument("ratings", type=Path)
    given = parser.parse_args()
    root = Path(__file__).resolve().parents[1]
    text = (root / "config" / "studies" / f"{STUDY}.yaml").read_text("utf-8")
    parameters = yaml.safe_load(text)["artifacts"]["released_values"]["parameters"]
    everything = rv.read_ratings(given.ratings)
    played = chosen_interactions(everything, partial(generator, 1), *parameters["ml-1m"])
    pairs = pd.MultiIndex.from_arrays(
        [played.user_ids[played.users], played.item_ids[played.items]]
    )
    rows = []
    for number in range(5):
        path = given.clone / "data" / "movielens_1m" / "splitting" / str(number) / "test.tsv"
        tested = pd.read_csv(path, sep="\t", header=None, usecols=[0, 1], dtype=str)
        is_test = pairs.isin(pd.MultiIndex.from_frame(tested))
        if is_test.sum() != len(tested):
            sys.exit(
                f"{path} has {len(tested)} test ratings, of which {is_test.sum()} are among the "
                f"ratings of {given.ratings} that the paper selects: Give the MovieLens 1M ratings."
            )
        codes = np.where(is_test, TEST, TRAIN).astype(np.uint8)
        split = SplitRatings(played, Split((codes,)), {"kind": "user-ratio"}, number)
        eases = [EASE(regularisation=parameters[name]) for name in ("tuned", "untuned")]
        systems = dict(zip(SYSTEMS, [*eases, Popularity()], strict=True))
        result = evaluate_systems(split, systems, metrics=METRICS, protocols=PROTOCOL, relevant=1.0)
        (own,) = result.values.values()
        rows += [
            (number, *names, metric, own.means[row, column])
            for column, names in enumerate(SYSTEMS.values())
            for row, metric in enumerate(METRICS)
        ]
    table = pd.DataFrame(rows, columns=["split", "system", "parameters", "metric", "value"])
    table.to_csv(sys.stdout, index=False, float_format="%.9f", lineterminator="\n")


if __name__ == "__main__":
    main()
