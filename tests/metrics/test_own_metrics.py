# SPDX-License-Identifier: MIT
"""Plain functions are metrics, of lists or of judged ranks."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from metrics.examples import example, random_cases
from metrics.examples import lists_of as judged_lists_of
from scipy.sparse import csr_array

import receval as rv
from receval.evaluation.measuring import named_metrics
from receval.metrics.evaluation import evaluate
from receval.metrics.registry import parse

TEST = {"user": list("aaab"), "item": list("xyzx"), "rating": [5, 4, 1, 2]}
RUN = {"a": {"v": 4.0, "y": 3.0, "x": 2.0}, "b": {"x": 1.0}}
measured = partial(rv.evaluate_runs, TEST, {"mine": RUN}, relevant=2, depth="whole")


def hits(items, ratings):
    """Count the items with a test rating."""
    return sum(item in ratings for item in items)


def test_a_function_of_items_and_ratings_is_called_for_each_user() -> None:
    two = rv.metric_of(hits, name="Two", cutoff=2, less_is_better=True)
    result = measured(metrics=[hits, two, "P@3"])
    assert result.less_is_better == {"Two@2"}
    values = result.per_user().set_index("user")
    assert values["hits@10"].tolist() == [2.0, 1.0]
    assert values["Two@2"].tolist() == [1.0, 1.0]
    assert "hits@10: Count the items with a test rating (k = 10)." in result.words
    assert list(result.summary()["metric"]) == ["hits@10", "Two@2", "P@3"]


@pytest.mark.each(
    ("function", "value"),
    [
        (len, 3),
        (lambda items: items[0] == "v", 1),
        (lambda items, ratings, scores: scores[0] - scores[-1], 2),
        (lambda items, ratings, bonus=7: bonus, 7),
        (lambda *everything: len(everything), 3),
    ],
)
def test_a_function_takes_as_many_arguments_as_it_needs(function: Any, value: float) -> None:
    result = measured(metrics=rv.metric_of(function, name="Own"))
    assert result.per_user()["Own@10"].iloc[0] == value


def test_functions_that_are_bound_to_other_values_are_told_apart_in_any_process() -> None:
    def inner(own: object) -> Any:
        return lambda items: own

    def made() -> list[Any]:
        long = np.zeros(300_000)
        last = np.eye(1, len(long), 1500)[0] * 1e-9
        bound = [None, 0, False, long, last, pd.Series(long), pd.Series(last), csr_array([[1, 0]])]
        bound += [csr_array([[0, 1]]), hits, inner, inner(1), inner(2), partial(hits, 1)]
        bound += [SimpleNamespace(own=1), SimpleNamespace(own=2), lambda i: i, lambda i: i + 1]
        return [rv.metric_of(inner(own), name="Own") for own in bound]

    # Objects at other addresses are what another process has.
    metrics, others = made(), made()
    assert [one.text for one in metrics] == [one.text for one in others]
    assert len({one.text for one in metrics}) == len(metrics)
    # What cannot be written in full is refused by another process, whatever its own text says.
    same = type("Same", (), {"__call__": hits, "__repr__": lambda _: "same"})
    called = [rv.metric_of(same(), name="Own") for _ in range(2)]
    assert called[0].text != called[1].text


@pytest.mark.each("label", ["RR", "RR@2", "RR@5"])
def test_a_function_of_ranks_is_a_metric_of_judged_ranks(label: str) -> None:
    def first(ranks, ratings, relevant):
        found = ranks[relevant & (ranks > 0)]
        return 1 / found.min() if len(found) else 0

    metric = parse(label)
    own = rv.metric_of(first, cutoff=metric.cutoff, level="judged")
    for lists in (example(), judged_lists_of(random_cases(1))):
        np.testing.assert_allclose(*evaluate([metric, own], lists), rtol=1e-14)


def test_a_function_of_ranks_knows_the_length_and_the_order_of_the_ratings() -> None:
    seen = []
    own = rv.metric_of(
        lambda *arguments: seen.append(arguments) or 0, name="Own", cutoff=2, level="judged"
    )
    measured(metrics=[own], protocols="AR AI-AN")
    ranks, ratings, relevant, length = seen[0]
    assert (ranks.tolist(), ratings.tolist()) == ([0, 2, 0], [5.0, 4.0, 1.0])
    assert (relevant.tolist(), length) == ([True, True, False], 2)


def test_systems_are_measured_by_functions_of_their_lists() -> None:
    table = {"user": list("aabb"), "item": list("xyxy"), "rating": [1] * 4}
    halves = rv.split(rv.read_ratings(table), "user-ratio", train_ratio=0.5)
    result = rv.evaluate(halves, {"Pop": rv.Popularity()}, metrics=[hits, "RR"])
    assert result.per_user()["hits@10"].tolist() == [1.0, 1.0]


@pytest.mark.each(
    ("function", "options", "words"),
    [
        (lambda items: 0, {}, "'<lambda>' cannot be the name.*name='Length'"),
        (hits, {"name": "nDCG"}, "nDCG is a metric of the library.*name='MynDCG'"),
        (lambda: 0, {"name": "Own"}, "takes 0 arguments.*at most 3: items, ratings, scores"),
        (lambda a, b, c, d: 0, {"name": "Own"}, "takes 4 arguments.*at most 3"),
        (hits, {"cutoff": 0}, "at least 1"),
        (hits, {"level": "lists"}, "must be 'list' or 'judged'"),
    ],
)
def test_functions_that_cannot_be_metrics_are_refused(
    function: Any, options: dict, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        rv.metric_of(function, **options)


@pytest.mark.each("value", [None, float("nan"), "much"])
def test_what_is_no_finite_number_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"Own returned .* for a user\. It must return"):
        measured(metrics=rv.metric_of(lambda items: value, name="Own"))


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(TypeError, match="is not a function"):
        measured(metrics=[dict])
    with pytest.raises(ValueError, match="A function is a metric of receval, but the dialect"):
        measured(metrics=[hits], dialect="recbole")
    with pytest.raises(ValueError, match="needs one list of recommendations per user"):
        measured(metrics=[hits], protocols="1R AI-AN")


def test_two_functions_of_one_name_are_refused_and_one_that_is_given_twice_counts_once() -> None:
    first, second = (lambda items: 1.0), (lambda items: 0.0)
    metrics = [rv.metric_of(function, name="Own") for function in (first, second)]
    assert len(named_metrics([metrics[0], metrics[0]])) == 1
    with pytest.raises(ValueError, match=r"^Two different metrics are called Own@10\."):
        named_metrics(metrics)
