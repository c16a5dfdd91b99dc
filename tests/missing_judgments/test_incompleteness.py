# SPDX-License-Identifier: MIT
"""Values under removed judgments, against metrics of test sets that never had them."""

from __future__ import annotations

import numpy as np
import pytest
from each_case import tries
from hypothesis import given
from hypothesis import strategies as st

from receval.metrics.averages import AdjustedGeometric, Arithmetic, Geometric
from receval.metrics.evaluation import evaluate
from receval.metrics.lists import DatasetMetadata, JudgedItems, JudgedLists
from receval.metrics.registry import parse
from receval.missing_judgments import incompleteness
from receval.missing_judgments.incompleteness import (
    NAMES,
    AggregatedMetric,
    IncompleteFold,
    shared_cutoff,
)
from receval.missing_judgments.judgment_sampling import kept_units, sampling_order
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.splits.split import Judgments

N_USERS, N_ITEMS = 14, 40
NINE = tuple(f"{name}@7" for name in NAMES)
OTHERS = (
    *("P", "nDCG(gain=exp,ideal=all)@5", "nDCG@3", "nDCG@7", "P(condensed=true)@4", "RBO"),
    *("StratifiedRecall(depth=9)", "infAP(form=bellogin)", "ERR(maximum=user)@10", "Unjudged@6"),
    *("bpref(condensed=true,depth=20)", "nDCL@8", "RBPresidual", "tau(condensed=true)@6"),
)
METADATA = DatasetMetadata(5.0, np.arange(1, N_ITEMS + 1))


def fold(seed: int) -> tuple[Judgments, list[JudgedRanks]]:
    rng = np.random.default_rng(seed)
    users, items = np.nonzero(rng.random((N_USERS, N_ITEMS)) < 0.35)
    users, items = users[users != 3], items[users != 3]
    test = Judgments.from_pairs(users, items, rng.integers(1, 6, len(users)), N_USERS)
    outcomes = []
    for _ in range(3):
        lengths = rng.integers(0, N_ITEMS + 1, N_USERS).astype(np.int32)
        ranks = np.zeros(len(test), dtype=np.int32)
        for user in range(N_USERS):
            rows = slice(test.indptr[user], test.indptr[user + 1])
            drawn = rng.permutation(N_ITEMS)[: ranks[rows].size] + 1
            ranks[rows] = np.where(drawn <= lengths[user], drawn, 0)
        outcomes.append(JudgedRanks(ranks, lengths, lengths))
    return test, outcomes


def lists_of(test: Judgments, outcomes: list[JudgedRanks]) -> list[JudgedLists]:
    judged = JudgedItems.of(test, 4.0, METADATA)
    return [JudgedLists.measured_by(judged, outcome, Protocol()) for outcome in outcomes]


def recomputed(
    test: Judgments,
    outcomes: list[JudgedRanks],
    aggregated_metrics: list[AggregatedMetric],
    left: np.ndarray,
) -> tuple[np.ndarray, int]:
    """Measure the systems on a test set that holds the judgments left, from the beginning."""
    owners = test.users[left]
    indptr = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=N_USERS))])
    smaller = Judgments(indptr, test.items[left], test.values[left])
    cut = [JudgedRanks(o.ranks[left], o.lengths, o.candidates) for o in outcomes]
    averages = np.empty((len(aggregated_metrics), len(cut)))
    for system, lists in enumerate(lists_of(smaller, cut)):
        tested = lists.full.n_judged > 0
        for index, aggregated_metric in enumerate(aggregated_metrics):
            values = evaluate([aggregated_metric.metric], lists)[:, tested]
            averages[index, system] = aggregated_metric.average.of(
                values, lists.full.n_judged[tested], lists.full.n_relevant[tested]
            )[0]
    return averages, int(tested.sum())


@pytest.mark.costly
@pytest.mark.parametrize("labels", [NINE, NINE[3:7], OTHERS, ("P@100", "nDCG@7")])
@tries(6)
@given(
    unit=st.sampled_from(["ratings", "items", "popular-items", "largest-users"]),
    seed=st.integers(0, 10_000),
)
def test_values_equal_those_of_a_test_set_that_never_had_the_removed_judgments(
    labels: tuple[str, ...], unit: str, seed: int
) -> None:
    averages = (Arithmetic(), Geometric(), Geometric(zeros="one"), AdjustedGeometric(epsilon=0.1))
    aggregated_metrics = [
        AggregatedMetric(parse(label), average)
        for label in labels
        # Values below 0, which tau has, have no geometric mean.
        for average in averages[: 1 if label.startswith("tau") else None]
    ]
    assert_as_recomputed(aggregated_metrics, unit, seed)


@pytest.mark.each("at_a_time", [1, 2, 3, N_USERS - 2])  # One of all users has no judgments.
@pytest.mark.parametrize("labels", [NINE, OTHERS])
@pytest.mark.costly
def test_values_are_those_of_all_users_however_many_are_measured_at_a_time(
    labels: tuple[str, ...], at_a_time: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(incompleteness, "_USERS_AT_A_TIME", at_a_time)
    assert_as_recomputed([AggregatedMetric(parse(label), Arithmetic()) for label in labels])


def assert_as_recomputed(
    aggregated_metrics: list[AggregatedMetric], unit: str = "ratings", seed: int = 1
) -> None:
    test, outcomes = fold(seed)
    order, n_units = sampling_order(test, unit, np.random.default_rng(seed))
    kept = kept_units(n_units, np.array([100.0, 81.0, 80.0, 43.0, 2.0]))
    values, n_evaluated = IncompleteFold(lists_of(test, outcomes), aggregated_metrics).values(
        order, kept
    )
    for level, owner_ranks in enumerate(kept):
        expected, users = recomputed(test, outcomes, aggregated_metrics, order < owner_ranks)
        np.testing.assert_allclose(values[level], expected, atol=1e-8)
        assert n_evaluated[level] == users


def test_a_fold_is_measured_any_number_of_times_with_the_same_result() -> None:
    test, outcomes = fold(1)
    reduced = IncompleteFold(
        lists_of(test, outcomes), [AggregatedMetric(parse("nDCG@7"), Arithmetic())]
    )
    orders = [sampling_order(test, "ratings", np.random.default_rng(seed)) for seed in (1, 2)]
    kept = kept_units(len(test), np.array([60.0, 30.0]))
    first = [reduced.values(order, kept)[0] for order, _ in orders]
    again = [reduced.values(order, kept)[0] for order, _ in orders[::-1]][::-1]
    np.testing.assert_array_equal(first, again)
    assert (first[0] != first[1]).any()


def test_systems_that_are_equal_stay_tied_at_every_level() -> None:
    test, outcomes = fold(2)
    aggregated_metrics = [AggregatedMetric(parse(label), Geometric()) for label in NINE]
    lists = lists_of(test, [outcomes[0], outcomes[0]])
    order, n_units = sampling_order(test, "items", np.random.default_rng(0))
    values, _ = IncompleteFold(lists, aggregated_metrics).values(
        order, kept_units(n_units, np.arange(100, 0, -1))
    )
    np.testing.assert_array_equal(values[..., 0], values[..., 1])


def test_equal_means_of_different_users_are_ties() -> None:
    # Both systems hit once in ten users, at other ones: sums in another order must not part them.
    test = Judgments.from_pairs(np.arange(10), np.arange(10), np.full(10, 5), 10)
    hits = [
        JudgedRanks(
            np.roll([3, 0, 0, 7, 0, 0, 0, 9, 0, 0], shift).astype(np.int32),
            *[np.full(10, 40, dtype=np.int32)] * 2,
        )
        for shift in (0, 4)
    ]
    reduced = IncompleteFold(lists_of(test, hits), [AggregatedMetric(parse("P@10"), Arithmetic())])
    values, _ = reduced.values(np.arange(10), np.array([10]))
    assert values[0, 0, 0] == values[0, 0, 1] == pytest.approx(0.03)


@pytest.mark.each(
    ("labels", "cutoff"),
    [
        (("P@10", "infAP@10"), 10),
        (("P@10", "RR@5"), None),
        (("P", "RR"), None),
        (("nDCG(gain=exp)@10",), None),
        (("P(depth=10)@10",), None),
    ],
)
def test_one_pass_computes_the_text_s_metrics_at_one_cutoff(
    labels: tuple[str, ...], cutoff: int | None
) -> None:
    assert shared_cutoff([parse(label) for label in labels]) == cutoff


def test_lists_under_1r_or_of_other_judgments_are_refused() -> None:
    test, outcomes = fold(3)
    aggregated_metrics = [AggregatedMetric(parse("P@5"), Arithmetic())]
    judged = JudgedItems.of(test, 4.0)
    one = Protocol("1R", "TI", 9, 4.0)
    with pytest.raises(ValueError, match="under AR"):
        IncompleteFold([JudgedLists.measured_by(judged, outcomes[0], one)], aggregated_metrics)
    separate = [*lists_of(test, outcomes[:1]), *lists_of(test, outcomes[1:])]
    with pytest.raises(ValueError, match="same JudgedItems"):
        IncompleteFold(separate, aggregated_metrics)
