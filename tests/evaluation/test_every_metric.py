# SPDX-License-Identifier: MIT
"""Every metric and parameter value of docs/metrics.md works for runs and for systems."""

from __future__ import annotations

import numpy as np
import pytest
from metrics.forms import ALL, COMMON

from receval.data.ratings import Ratings
from receval.data.ratings_table import read_ratings
from receval.evaluation.formatting import draw_intervals
from receval.evaluation.identifiers import SharedCodes
from receval.evaluation.result import EvaluationResult
from receval.evaluation.runs import evaluate_runs
from receval.evaluation.systems import evaluate_systems
from receval.metrics.registry import METRICS, metric_class
from receval.recommenders.non_personalised import Popularity
from receval.splits.split_ratings import split

VALUES_OF_COMMON = {"cutoff": 3, "condensed": True, "depth": 2}
# test_cards.py holds the page to these names and values.
WITH_COMMON = [
    metric_class(name)(**{"cutoff": 3, parameter: value})
    for name in METRICS
    for parameter, value in VALUES_OF_COMMON.items()
]
LABELS = list(
    dict.fromkeys(
        metric.label
        for metric in [*ALL, *WITH_COMMON]
        if metric.name != "FilledRanks" or metric.cutoff is not None
    )
)
TABLE = {
    "user": list("aaaabbbbcccc"),
    "item": list("wxyzwxyzwxyz"),
    "rating": [5, 4, 1, 3, 2, 5, 4, 1, 3, 1, 5, 4],
}
LISTS = {user: {"z": 4.0, "y": 3.0, "x": 2.0, "w": 1.0} for user in "abc"}


@pytest.fixture
def _three_panels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let figures show three metrics: matplotlib takes a minute for hundreds of panels."""
    monkeypatch.setattr(
        "receval.evaluation.result_report.draw_intervals",
        lambda summary: draw_intervals(summary[:3]),
    )


def check_that_all_are_told(result: EvaluationResult) -> None:
    averages = result.as_report().data["averages"]
    assert averages["metric"].tolist() == LABELS
    assert np.isfinite(averages["mean"]).all()
    means = averages.set_index("metric")["mean"]
    for metric, (low, high) in result.bounds.items():
        assert low < high
        assert low <= means[metric] <= high


def test_every_parameter_of_every_metric_is_tried() -> None:
    assert set(VALUES_OF_COMMON) == set(COMMON)


@pytest.mark.costly
@pytest.mark.usefixtures("_three_panels", "unrendered")
def test_every_listed_metric_works_for_runs() -> None:
    check_that_all_are_told(evaluate_runs(TABLE, {"mine": LISTS}, metrics=LABELS, depth="whole"))


@pytest.mark.costly
@pytest.mark.usefixtures("undrawn")
def test_every_listed_metric_works_for_systems() -> None:
    data = split(read_ratings(TABLE), "user-ratio", train_ratio=0.5)
    check_that_all_are_told(evaluate_systems(data, {"Pop": Popularity()}, metrics=LABELS))


TEST = {"user": ["ann", "ann"], "item": ["x", "y"], "rating": [2, 1]}
TRAIN = {"user": ["bob", "eve", "joe"], "item": ["x", "x", "x"], "rating": [3, 3, 3]}
RUN = {"ann": {"x": 2.0, "y": 1.0}}


@pytest.mark.each(
    ("metric", "train", "relevant", "value"),
    [
        # Without training data, x satisfies with (4 - 1) / 4 and y with (2 - 1) / 4.
        ("ERR@10", None, 2, 3 / 4 + 1 / 2 * 1 / 4 * 1 / 4),
        # With the highest rating of the training data, with (4 - 1) / 8 and (2 - 1) / 8.
        ("ERR@10", TRAIN, 2, 3 / 8 + 1 / 2 * 5 / 8 * 1 / 8),
        # x has one positive rating in the test and three in training, and the weight 1 / 2; y one.
        ("StratifiedRecall@1", TRAIN, 1, 0.5 / (0.5 + 1)),
    ],
)
def test_ratings_of_test_and_training_data_count_together(
    metric: str, train: object, relevant: float, value: float
) -> None:
    result = evaluate_runs(
        TEST, {"mine": RUN}, train=train, metrics=metric, relevant=relevant, depth="whole"
    )
    assert result.summary()["mean"].item() == pytest.approx(value)


@pytest.mark.parametrize(("events", "values"), [(False, [2.0, 3.0]), (True, [2.0, 4.0, 3.0])])
def test_test_and_training_values_of_a_pair_are_both_kept_of_events_alone(
    events: bool, values: list[float]
) -> None:
    test = Ratings(*codes([0], [0]), np.float32([2]), *IDS, events=events)
    train = Ratings(*codes([0, 1], [0, 1]), np.float32([4, 3]), *IDS, events=events)
    dataset = SharedCodes.of(test, train, []).dataset(test, train)
    assert dataset.values.tolist() == values


IDS = np.array(["ann", "bob"]), np.array(["x", "y"])


def codes(*columns: list[int]) -> list[np.ndarray]:
    return [np.array(column, dtype=np.int32) for column in columns]
