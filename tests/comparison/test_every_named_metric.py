# SPDX-License-Identifier: MIT
"""Gains by every name that there is, and what metrics take from the data beside a person's runs."""

from __future__ import annotations

from typing import get_args

import numpy as np

from receval.comparison.runs import evaluate_runs
from receval.comparison.splitting import split
from receval.comparison.systems import evaluate_systems
from receval.interchange.ratings_table import read_ratings
from receval.metrics.gains import Gain
from receval.recommenders.non_personalised import Popularity

TEST = {"user": list("aabb"), "item": list("xyxz"), "rating": [5, 2, 4, 3]}
LISTS = {"a": {"x": 2.0, "y": 1.0}, "b": {"z": 3.0, "x": 1.0}}
ONE = {"a": LISTS["a"]}


def test_every_gain_is_taken_with_runs_and_with_systems_and_told_in_words() -> None:
    metrics = [f"nDCG(gain={gain})@5" for gain in get_args(Gain)]
    of_runs = evaluate_runs(TEST, {"mine": LISTS}, metrics=metrics, depth="whole")
    table = {"user": list("aaabbbccc"), "item": list("xyzxyzxyz"), "rating": [5, 4, 3] * 3}
    halves = split(read_ratings(table), "user-ratio", train_ratio=0.5)
    of_systems = evaluate_systems(halves, {"Pop": Popularity()}, metrics=metrics)
    for result in (of_runs, of_systems):
        assert len(result.metrics) == len(get_args(Gain))
        assert np.isfinite(result.summary()["mean"]).all()
        told = " ".join(result.words)
        assert all(f"{metric}: gain " in told for metric in result.metrics)


def test_err_of_runs_takes_the_highest_grade_from_the_data() -> None:
    own = {"user": list("aa"), "item": list("xy"), "rating": [5, 2]}
    result = evaluate_runs(own, {"mine": ONE}, metrics="ERR@10", depth="whole", relevant=2)
    first, second = 31 / 32, 3 / 32
    assert np.isclose(result.summary()["mean"][0], first + (1 - first) * second / 2)


def test_err_of_runs_takes_the_highest_grade_of_training_data_too() -> None:
    own = {"user": list("aa"), "item": list("xy"), "rating": [4, 2]}
    train = {"user": ["b"], "item": ["x"], "rating": [5]}
    result = evaluate_runs(
        own, {"mine": ONE}, train=train, metrics="ERR@10", depth="whole", relevant=2
    )
    first, second = 15 / 32, 3 / 32
    assert np.isclose(result.summary()["mean"][0], first + (1 - first) * second / 2)


def test_stratified_recall_of_runs_takes_the_strata_from_the_data() -> None:
    result = evaluate_runs(
        TEST, {"mine": LISTS}, metrics="StratifiedRecall@2", depth="whole", relevant=2
    )
    assert result.summary()["mean"][0] == 1.0
