# SPDX-License-Identifier: MIT
"""One value for all users: the averages, and who is averaged."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics.examples import AR, ONE, example, ranks

from receval.metrics.averages import (
    MEAN_DECIMALS,
    AdjustedGeometric,
    Arithmetic,
    Average,
    Geometric,
    Median,
    Weighted,
    parse_average,
)
from receval.metrics.evaluation import EvaluatedUsers, aggregate, evaluate, evaluated_lists, mean
from receval.metrics.lists import JudgedLists
from receval.metrics.registry import parse
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.splits.split import Judgments

VALUES = np.array([[0.5, 0.125, 0.0, 1.0], [0.25, 0.25, 0.25, 0.25]])
N_TEST = np.array([1, 2, 3, 4])
N_RELEVANT = np.array([0, 2, 2, 0])


def of(average: Average, values: np.ndarray = VALUES) -> list[float]:
    return np.atleast_1d(average.of(values, N_TEST, N_RELEVANT)).tolist()


@pytest.mark.each(
    ("average", "first", "second"),
    [
        (Arithmetic(), 1.625 / 4, 0.25),
        (Median(), (0.125 + 0.5) / 2, 0.25),
        (Weighted(), (0.5 + 2 * 0.125 + 4) / 10, 0.25),
        (Weighted(by="positive"), (2 * 0.125 + 2 * 0.0) / 4, 0.25),
        (Geometric(), (0.5 * 0.125 * 1e-5) ** (1 / 4), 0.25),
        (Geometric(floor=0.25), (0.5 * 0.25 * 0.25) ** (1 / 4), 0.25),
        (Geometric(zeros="one"), (0.5 * 0.125) ** (1 / 4), 0.25),
        (Geometric(floor=0.25, zeros="one"), (0.5 * 0.25) ** (1 / 4), 0.25),
        (AdjustedGeometric(epsilon=0.5), (1.0 * 0.625 * 0.5 * 1.5) ** (1 / 4) - 0.5, 0.25),
    ],
    ids=lambda value: value.label if isinstance(value, Average) else "",
)
def test_averages_worked_by_hand(average: Average, first: float, second: float) -> None:
    assert of(average) == pytest.approx([first, second], rel=1e-12)
    assert of(average, VALUES[0]) == pytest.approx([first], rel=1e-12)


def test_means_are_equal_that_differ_by_less_than_half_of_the_twelfth_decimal() -> None:
    means = np.array([0.25, 0.25 + 4e-13, 0.25 - 4e-13, 0.25 + 1e-12, 0.25 - 1e-12])
    assert len(set(np.round(means, MEAN_DECIMALS).tolist())) == 3


@pytest.mark.each(
    ("average", "label"),
    [
        (Arithmetic(), "arithmetic"),
        (Median(), "median"),
        (Weighted(), "weighted"),
        (Weighted(by="positive"), "weighted(by=positive)"),
        (Geometric(), "geometric"),
        (Geometric(floor=0.001), "geometric(floor=0.001)"),
        (Geometric(floor=1e-5, zeros="one"), "geometric(zeros=one)"),
        (AdjustedGeometric(), "geometric-adjusted"),
        (AdjustedGeometric(epsilon=1), "geometric-adjusted(epsilon=1)"),
    ],
)
def test_labels_of_averages_read_back(average: Average, label: str) -> None:
    assert average.label == label
    assert parse_average(f" {label} ") == average


@pytest.mark.each(
    ("label", "words"),
    [
        ("harmonic", "arithmetic, geometric, geometric-adjusted, median, weighted"),
        ("arithmetic(", "not the label of an average"),
        ("geometric(floor=0.1", "not the label of an average"),
        ("geometric(epsilon=0.1)", "Its parameters: floor, zeros"),
        ("geometric(floor=low)", "must be a number"),
        ("geometric(floor=0)", "must exceed 0"),
        ("geometric(floor=nan)", "must exceed 0"),
        ("geometric(zeros=two)", "one of floor, one"),
        ("geometric-adjusted(epsilon=-1)", "must exceed 0"),
        ("weighted(by=train)", "one of test, positive"),
        ("median(by=test)", "Its parameters: none"),
    ],
)
def test_bad_labels_of_averages_are_refused_with_what_is_accepted(label: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse_average(label)


def test_weights_that_are_all_0_are_refused() -> None:
    with pytest.raises(ValueError, match="no positive ratings"):
        Weighted(by="positive").of(VALUES, N_TEST, np.zeros(4))


def test_who_is_averaged_has_a_name() -> None:
    lists = example()
    values = evaluate([parse("P@1")], lists)
    assert evaluated_lists(lists, "all").tolist() == [True, True, True]
    assert evaluated_lists(lists, "tested").tolist() == [True, True, False]
    assert evaluated_lists(lists, "relevant").tolist() == [True, True, False]
    assert evaluated_lists(lists, "covered").tolist() == [True, False, False]
    assert evaluated_lists(lists, "relevant-covered").tolist() == [True, False, False]
    assert mean(values, lists, "all")[0] == pytest.approx(1 / 3)
    assert mean(values, lists, "tested")[0] == pytest.approx(1 / 2)
    assert mean(values, lists, "covered")[0] == 1.0
    with pytest.raises(ValueError, match="all, tested, relevant, covered and relevant-covered"):
        mean(values, lists, "some")  # type: ignore[arg-type]


def test_users_without_relevant_items_are_tested_but_not_relevant() -> None:
    judgments = Judgments.from_pairs([0, 1], [0, 0], [5, 1], 3)
    lists = JudgedLists.of(judgments, ranks([1, 1], [3, 3, 3]), 4, AR)
    assert evaluated_lists(lists, "tested").tolist() == [True, True, False]
    assert evaluated_lists(lists, "relevant").tolist() == [True, False, False]
    # A list that nothing judges cannot be measured.
    assert evaluated_lists(lists, "covered").tolist() == [True, True, False]
    values = evaluate([parse("P@1")], lists)
    assert mean(values, lists, "relevant")[0] == 1.0
    assert aggregate(values, lists, Weighted(by="positive"))[0] == 1.0


def test_aggregate_weighs_the_users_that_it_averages() -> None:
    lists = example()  # Five and one test ratings, three and one of them positive.
    values = evaluate([parse("P@1"), parse("P@4")], lists)
    by_test = aggregate(values, lists, Weighted(), "all")
    np.testing.assert_allclose(by_test, [5 / 6, 0.5 * 5 / 6])
    by_positive = aggregate(values, lists, Weighted(by="positive"))
    np.testing.assert_allclose(by_positive, [3 / 4, 0.5 * 3 / 4])
    np.testing.assert_array_equal(aggregate(values, lists, Weighted(), "covered"), [1.0, 0.5])
    floored = aggregate(values, lists, Geometric(floor=0.01))
    np.testing.assert_allclose(floored, [0.1, np.sqrt(0.005)])


def test_under_1r_every_list_weighs_the_same() -> None:
    judgments = Judgments.from_pairs([0, 0, 0, 1], [0, 1, 2, 0], [5, 4, 2, 4], 3)
    lists = JudgedLists.of(judgments, ranks([1, 12, 0, 0], [99, 99, 0]), 4, ONE)
    values = evaluate([parse("RR@10")], lists)
    for average in (Arithmetic(), Weighted(), Weighted(by="positive")):
        assert aggregate(values, lists, average)[0] == pytest.approx(1 / 3)
    assert aggregate(values, lists, Median())[0] == 0.0
    assert mean(values, lists, "all")[0] == mean(values, lists, "relevant")[0]


@pytest.mark.parametrize("who", ["all", "tested", "relevant", "covered", "relevant-covered"])
@given(percentiles=st.lists(st.integers(0, 4), min_size=1, max_size=12), seed=st.integers(0, 999))
def test_under_p1r_the_averages_of_percentiles_with_lists_are_averaged(
    who: EvaluatedUsers, percentiles: list[int], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    n = len(percentiles)
    judgments = Judgments.from_pairs(range(n), [0] * n, rng.choice([4, 5], n), n)
    # One list of each user, some of them empty.
    lengths = rng.choice([0, 1, 3], n).astype(np.int32)
    judged = JudgedRanks(
        np.minimum(lengths, 1), lengths - (lengths > 0), lengths, np.array(percentiles, np.int16)
    )
    protocol = Protocol("1R", threshold=4.0, percentiles=5)
    lists = JudgedLists.of(judgments, judged, 4.0, protocol)
    values = rng.random((2, n))
    kept = [place for place in range(n) if "covered" not in who or lengths[place] > 0]
    if not kept:
        with pytest.raises(ValueError, match="No list is left"):
            aggregate(values, lists, Median(), who)
        return
    for row, found in zip(values, aggregate(values, lists, Median(), who), strict=True):
        by_percentile = [
            np.median([row[place] for place in kept if percentiles[place] == own])
            for own in sorted({percentiles[place] for place in kept})
        ]
        assert found == pytest.approx(np.mean(by_percentile))


@pytest.mark.each("evaluated_users", ["tested", "relevant", "covered"])
def test_nothing_to_average_is_an_error_that_says_so(evaluated_users) -> None:
    lists = JudgedLists.of(Judgments.from_pairs([], [], [], 2), ranks([], [0, 0]), 4, ONE)
    nobody = JudgedLists.of(Judgments.from_pairs([], [], [], 2), ranks([], [0, 0]), 4, AR)
    for empty in (lists, nobody):
        values = evaluate([parse("P@1")], empty)
        with pytest.raises(ValueError, match=f"over {evaluated_users} users: nothing is judged"):
            mean(values, empty, evaluated_users)


def test_covered_users_without_a_list_are_an_error_that_says_so() -> None:
    lists = JudgedLists.of(Judgments.from_pairs([0], [0], [5], 2), ranks([0], [0, 0]), 4, AR)
    with pytest.raises(ValueError, match="over covered users: all lists are empty"):
        mean(evaluate([parse("P@1")], lists), lists, "covered")
