# SPDX-License-Identifier: MIT
from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from each_case import tries
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import hypergeom
from theory.exact_chances import assert_chances, hypergeometric
from theory.worlds import THRESHOLD, fold_of, lists_of, random_fold, random_scores

from receval.metrics.evaluation import evaluate
from receval.metrics.registry import parse
from receval.protocols.protocol import Protocol
from receval.sampled_metrics.sampled_candidates import (
    SamplingOdds,
    expected_of_ranks,
    expected_precision_among_samples,
    expected_under_one_relevant,
)
from receval.splits.split import Fold

EVERYTHING = Protocol("AR", "TI")
METRICS = [
    "P@2",
    "P@10",
    "RR",
    "nDCG",
    "nDCG(gain=exp)@3",
    "AP@4",
    "Recall@3",
    "P",
    "nDCG(depth=3)",
]


def odds_of(fold: Fold, scores: np.ndarray, protocol: Protocol = EVERYTHING) -> SamplingOdds:
    (lists,) = lists_of(fold, scores, protocol)
    return SamplingOdds.of(fold, lists, protocol)


# One user: relevant items at 2 and 5 of seven, another at the end, one in train (item 7).
FOLD = fold_of(
    [(0, 7)],
    [(0, 1, 5), (0, 4, 4), (0, 6, 5), (0, 2, 1), (0, 7, 5), *((1, i, 1) for i in range(8))],
    (2, 8),
)
SCORES = np.array([[7.0, 6, 5, 4, 3, 2, 1, 8], np.zeros(8)])


def test_what_is_read_off_the_ranks_by_hand() -> None:
    odds = odds_of(FOLD, SCORES)
    assert odds.users.tolist() == [0, 0, 0, 0]
    assert odds.values.tolist() == [5, 4, 5, 5]
    assert odds.above.tolist() == [1, 3, 4, -1]
    assert odds.relevant_above.tolist() == [0, 1, 2, -1]
    assert odds.pools.tolist() == [4, 8]


@pytest.mark.each("label", METRICS)
@pytest.mark.each("sampled", [1, 2, 3, 4, 9])
def test_one_relevant_expectations_are_averages_over_all_samples(label: str, sampled: int) -> None:
    metric = parse(label)
    found = expected_under_one_relevant(odds_of(FOLD, SCORES), metric, sampled)
    pool = [0, 2, 3, 5]
    for index, item in enumerate([1, 4, 6]):
        values = []
        for sample in combinations(pool, min(sampled, 4)):
            own = [*sample, item]
            test = [(0, item, float([5, 4, 5][index])), *((0, i, 1.0) for i in sample)]
            mini = fold_of([(0, i) for i in range(8) if i not in own], test, (1, 8))
            (lists,) = lists_of(mini, SCORES[:1], Protocol("1R", "TI", None, THRESHOLD))
            values.append(evaluate([metric], lists)[0, 0])
        assert found[index] == pytest.approx(np.mean(values)), item
    assert found[3] == 0


@pytest.mark.each("cutoff", [1, 2, 3, 5])
@pytest.mark.each("sampled", [1, 2, 3, 4, 9])
def test_all_relevant_expectations_are_averages_over_all_samples(cutoff: int, sampled: int) -> None:
    found = expected_precision_among_samples(odds_of(FOLD, SCORES), cutoff, sampled)
    hits = [
        len({1, 4, 6} & set(sorted([*sample, 1, 4, 6])[:cutoff]))
        for sample in combinations([0, 2, 3, 5], min(sampled, 4))
    ]
    assert found.tolist() == pytest.approx([np.mean(hits) / cutoff, 0])


@given(
    seed=st.integers(0, 10_000), computable=st.booleans(), head=st.sampled_from([None, 0.1, 0.3])
)
def test_a_sample_of_everything_gives_the_value_itself(
    seed: int, computable: bool, head: float | None
) -> None:
    fold = random_fold(seed)
    scores = random_scores(seed, fold, computable=computable)
    both = [Protocol(kind, "TI", 40, THRESHOLD, head_removed=head) for kind in ("1R", "AR")]
    whole = replace(EVERYTHING, head_removed=head)
    one, many, everything = lists_of(fold, scores, *both, whole)
    odds = SamplingOdds.of(fold, everything, whole)
    metric = parse("nDCG@7")
    assert expected_under_one_relevant(odds, metric, 40) == pytest.approx(
        evaluate([metric], one)[0]
    )
    assert expected_precision_among_samples(odds, 5, 40) == pytest.approx(
        evaluate([parse("P@5")], many)[0]
    )


def test_ties_are_broken_as_in_the_samples() -> None:
    fold = random_fold(5)
    scores = np.zeros(fold.train.shape)
    protocol = Protocol("1R", "TI", 40, THRESHOLD)
    one, everything = lists_of(fold, scores, protocol, EVERYTHING)
    odds = SamplingOdds.of(fold, everything, EVERYTHING)
    metric = parse("RR")
    assert expected_under_one_relevant(odds, metric, 40) == pytest.approx(
        evaluate([metric], one)[0]
    )


def test_a_metric_of_the_length_of_lists_is_refused_where_that_is_random() -> None:
    odds = replace(odds_of(FOLD, SCORES), all_computable=False)
    assert len(expected_under_one_relevant(odds, parse("nDCG"), 3)) == 4
    with pytest.raises(ValueError, match="depends on the length of lists"):
        expected_under_one_relevant(odds, parse("P"), 3)


def test_metrics_that_need_other_judgments_are_refused() -> None:
    with pytest.raises(ValueError, match="Measure it under AR"):
        expected_under_one_relevant(odds_of(FOLD, SCORES), parse("P(condensed=true)@5"), 3)


@pytest.mark.each(
    ("protocol", "message"),
    [
        (Protocol("AR", "TI", 3, THRESHOLD), "Give those of AR with sampled=None"),
        (Protocol("1R", "TI", None, THRESHOLD), "Give those of AR with sampled=None"),
        (Protocol("AR", "AI", ties="librec"), "depends on the whole list"),
    ],
)
def test_ranks_that_do_not_tell_the_order_of_all_are_refused(
    protocol: Protocol, message: str
) -> None:
    (lists,) = lists_of(FOLD, SCORES, EVERYTHING)
    with pytest.raises(ValueError, match=message):
        SamplingOdds.of(FOLD, lists, protocol)


def test_lists_of_another_fold_are_refused() -> None:
    (lists,) = lists_of(FOLD, SCORES, Protocol("AR", "AI"))
    trained = fold_of([(0, i) for i in (0, 2, 3, 5, 7)], [], (2, 8)).train
    # One test rating fewer, which is the last.
    fewer = fold_of([(0, 7)], [(0, 1, 5), (0, 4, 4), *((1, i, 1) for i in range(8))], (2, 8))
    last = fold_of([(0, 7)], [(1, 7, 5)], (2, 8))
    (of_last,) = lists_of(last, SCORES, Protocol("AR", "AI"))
    nothing = fold_of([(0, 7)], [], (2, 8))
    for fold, own in ((replace(FOLD, train=trained), lists), (fewer, lists), (nothing, of_last)):
        with pytest.raises(ValueError, match="the lists are not those of this fold"):
            SamplingOdds.of(fold, own, Protocol("AR", "AI"))


def test_a_fold_without_test_ratings_has_no_odds() -> None:
    odds = odds_of(fold_of([(0, 7)], [], (2, 8)), SCORES)
    assert (len(odds.users), len(odds.above)) == (0, 0)
    assert len(expected_under_one_relevant(odds, parse("RR"), 3)) == 0
    assert expected_precision_among_samples(odds, 2, 3).tolist() == [0, 0]


@pytest.mark.costly
@tries(12)
@given(st.lists(st.tuples(st.integers(0, 10_000), st.booleans()), min_size=1, max_size=3))
def test_folds_together_have_what_each_has_alone(drawn: list[tuple[int, bool]]) -> None:
    parts = []
    for number, (seed, computable) in enumerate(drawn):
        fold = random_fold(seed, n_users=4 + number)
        parts.append(odds_of(fold, random_scores(seed, fold, computable=computable)))
    together = SamplingOdds.of_all_folds(parts)
    assert together.all_computable == all(part.all_computable for part in parts)
    assert (together.threshold, together.maximum_rating) == (THRESHOLD, parts[0].maximum_rating)
    for expected, found in (
        (
            [expected_under_one_relevant(part, parse("nDCG@4"), 6) for part in parts],
            expected_under_one_relevant(together, parse("nDCG@4"), 6),
        ),
        (
            [expected_precision_among_samples(part, 3, 6) for part in parts],
            expected_precision_among_samples(together, 3, 6),
        ),
    ):
        np.testing.assert_array_equal(found, np.concatenate(expected))


@tries(10)
@given(
    pools=st.lists(st.integers(1, 3000), min_size=1, max_size=4),
    sampled=st.integers(1, 1000),
    seed=st.integers(0, 10_000),
)
# What lies far from the likeliest number has chances below the smallest that a number can hold.
@pytest.mark.costly
@example(pools=[4000, 2000, 1], sampled=1000, seed=1)
def test_expectations_over_ranks_are_sums_over_hypergeometric_numbers(
    pools: list[int], sampled: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    # Of every user: nobody above, everybody, half of them, any number, and one who is not ranked.
    above = np.concatenate([[0, pool, pool // 2, rng.integers(0, pool + 1), -1] for pool in pools])
    users = np.repeat(np.arange(len(pools)), 5)
    odds = SamplingOdds(
        users, np.full(len(users), 5.0, np.float32), above, users, np.array(pools), False, 4.0, 5.0
    )
    tables = rng.random((min(sampled, max(pools)) + 2, 3))
    found = expected_of_ranks(odds, tables, sampled)
    for own, number, user in zip(found, above, users, strict=True):
        size = min(sampled, pools[user])
        expected = tables[0]
        if number >= 0:
            chances = hypergeom.pmf(np.arange(size + 1), pools[user], number, size)
            expected = chances @ tables[1 : size + 2]
        np.testing.assert_allclose(own, expected, rtol=1e-9)


@given(pool=st.integers(0, 250), share=st.floats(0, 1), sampled=st.integers(1, 250))
@example(pool=250, share=0.5, sampled=125)
@pytest.mark.costly
def test_every_rank_has_its_hypergeometric_chance(pool: int, share: float, sampled: int) -> None:
    above, size = int(share * pool), min(sampled, pool)
    one = np.zeros(1, dtype=np.int64)
    odds = SamplingOdds(
        one, np.ones(1, np.float32), one + above, one, np.array([pool]), True, 1.0, None
    )
    for options, rarest in (({}, 1e-20), ({"negligible": 1e-25}, 1e-25)):
        found = expected_of_ranks(odds, np.eye(size + 2), sampled, **options)
        assert_chances(found[0, 1:], hypergeometric(pool, above, size), rarest=rarest)


def test_nobody_has_no_expectation() -> None:
    none = np.empty(0, dtype=np.int64)
    odds = SamplingOdds(none, none.astype(np.float32), none, none, np.array([3]), True, 4.0, 5.0)
    assert expected_of_ranks(odds, np.ones((5, 2)), 3).shape == (0, 2)
