# SPDX-License-Identifier: MIT
"""Judged ranks bound to judgments: lists, their forms, and metrics computed together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from each_case import tries
from hypothesis import given
from hypothesis import strategies as st
from metrics.examples import (
    AR,
    METADATA,
    ONE,
    THRESHOLD,
    example,
    judgments_of,
    lists_of,
    random_cases,
    ranks,
    ranks_of,
)
from metrics.forms import ALL, cutoffs_of

from receval.metrics.evaluation import evaluate
from receval.metrics.lists import (
    NO_CUTOFF,
    DatasetMetadata,
    JudgedItems,
    JudgedLists,
    ListView,
    judgments_order,
)
from receval.metrics.registry import METRICS, parse
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.splits.split import Judgments


@pytest.mark.costly
def test_metrics_computed_together_equal_metrics_computed_alone() -> None:
    metrics = [
        replace(metric, cutoff=cutoff, condensed=condensed, depth=depth)
        for metric in ALL
        for condensed, depth in ((False, None), (True, None), (False, 3), (True, 6))
        for cutoff in cutoffs_of(metric.name, (5, 1, None, 3, 100))
    ]
    cases = random_cases(7)
    judgments = judgments_of(cases)
    found = ranks_of(cases, judgments)

    def lists() -> JudgedLists:
        return JudgedLists.of(judgments, found, THRESHOLD, AR, cases[0].metadata)

    together = evaluate(metrics, lists())
    assert len({row.tobytes() for row in together}) > len(ALL)
    alone = np.concatenate([evaluate([metric], lists()) for metric in metrics])
    # The order of additions differs by cut-off, so the last bit may.
    np.testing.assert_allclose(together, alone, rtol=1e-14, atol=1e-15)


@pytest.mark.costly
@tries(10)
@given(seed=st.integers(0, 100_000))
def test_a_list_scores_the_same_whoever_else_is_measured(seed: int) -> None:
    cases = random_cases(seed)
    metrics = [m.at(5) for m in ALL]
    together = evaluate(metrics, lists_of(cases))
    order = np.random.default_rng(seed).permutation(len(cases))
    shuffled = evaluate(metrics, lists_of([cases[user] for user in order]))
    np.testing.assert_allclose(shuffled, together[:, order], rtol=1e-14, atol=1e-15)


def test_judged_items_stand_by_rating_and_ranked_ones_by_rank() -> None:
    view = example().full
    assert view.judged.values.tolist() == [5, 4, 4, 2, 1, 5]
    assert view.judged.n_relevant.tolist() == [3, 1, 0]
    assert view.starts.tolist() == [0, 4, 4, 4]
    assert view.ranks.tolist() == [1, 2, 4, 7]
    assert view.judged.values[view.indices].tolist() == [5, 2, 4, 1]
    assert view.relevant.tolist() == [True, False, True, False]
    assert view.n_nonrelevant.tolist() == [2, 0, 0]
    signed = np.float32([-0.0, 0, 3, -2, -0.5])
    assert judgments_order(np.array([0, 5]), signed).tolist() == [2, 0, 1, 4, 3]


@pytest.mark.each(
    ("sizes", "highest"),
    [([0, 70_000, 2, 0], 2**27), ([5] * 9000, 5000), ([40, 0, 1], 20), ([1, 0, 1, 1], 9), ([], 9)],
)
def test_many_and_long_lists_are_sorted_by_rank(sizes: list[int], highest: int) -> None:
    lists = np.repeat(np.arange(len(sizes)), sizes)
    own = np.random.default_rng(1).integers(0, highest, len(lists), dtype=np.int32)
    one = np.ones(len(lists))
    judged = JudgedItems.of(Judgments.from_pairs(lists, np.arange(len(lists)), one, len(sizes)), 1)
    view = ListView.of(judged, own, np.full(len(sizes), highest))
    order = np.lexsort((own, lists))
    order = order[own[order] > 0]
    np.testing.assert_array_equal(view.indices, order)
    np.testing.assert_array_equal(view.ranks, own[order])
    np.testing.assert_array_equal(view.starts, np.searchsorted(lists[order], range(len(sizes) + 1)))


def test_counts_within_a_cutoff_include_its_rank() -> None:
    view = example().full
    cutoffs = (1, 2, 6, 7, NO_CUTOFF)
    assert view.judged_within(cutoffs)[:, 0].tolist() == [1, 2, 3, 4, 4]
    assert view.relevant_within(cutoffs)[:, 0].tolist() == [1, 1, 2, 2, 2]
    assert view.nonrelevant_within(cutoffs)[:, 0].tolist() == [0, 1, 1, 2, 2]
    weights = np.array([1.0, 10.0, 100.0, 1000.0])
    assert view.sums_within(cutoffs, weights)[:, 0].tolist() == [1, 11, 111, 1111, 1111]
    assert view.sums_within(cutoffs, weights)[:, 1:].tolist() == [[0, 0]] * 5
    # What is known down to a rank leaves lists as long as they are, unlike a cut.
    assert view.within(6).within(2).lengths[0] > view.cut(6).within(2).lengths[0] == 6


@given(seed=st.integers(0, 100_000), depth=st.none() | st.integers(1, 45), condensed=st.booleans())
def test_a_view_is_what_it_is_on_lists_that_were_so_from_the_start(
    seed: int, depth: int | None, condensed: bool
) -> None:
    cases = random_cases(seed)
    view = lists_of(cases).view(condensed, depth)
    other = lists_of([case.seen(condensed, depth) for case in cases]).full
    np.testing.assert_array_equal(view.starts, other.starts)
    np.testing.assert_array_equal(view.ranks, other.ranks)
    np.testing.assert_array_equal(view.lengths, other.lengths)
    np.testing.assert_array_equal(
        view.judged.values[view.indices], other.judged.values[other.indices]
    )


def test_ranks_of_another_fold_or_threshold_are_refused() -> None:
    judgments = Judgments.from_pairs([0, 1], [0, 1], [5, 3], 2)
    with pytest.raises(ValueError, match="different folds"):
        JudgedLists.of(judgments, ranks([1], [3, 3]), 4, AR)
    with pytest.raises(ValueError, match="threshold"):
        JudgedLists.of(judgments, ranks([1, 1], [3, 3]), 5, ONE)


def test_no_metric_is_an_error_that_says_so() -> None:
    with pytest.raises(ValueError, match="name at least one"):
        evaluate([], example())


def test_metrics_that_need_all_judgments_are_refused_under_1r() -> None:
    judgments = Judgments.from_pairs([0, 0], [0, 1], [5, 1], 1)
    lists = JudgedLists.of(judgments, ranks([3, 0], [99]), THRESHOLD, ONE, METADATA)
    needing = [name for name in METRICS if parse(name).refused_under_1r]
    for label in [f"{name}@10" for name in needing] + ["P(condensed=true)@10"]:
        with pytest.raises(ValueError, match="Measure it under AR"):
            evaluate([parse(label)], lists)
    allowed = set(METRICS) - set(needing)
    assert {"P", "Recall", "AP", "nDCG", "RR", "ERR", "FilledRanks"} <= allowed
    assert np.isfinite(evaluate([parse(f"{name}@10") for name in allowed], lists)).all()
    # The papers' form would count half of the unjudged ranks above as hits.
    with pytest.raises(ValueError, match="Measure it under AR"):
        evaluate([parse("infAP@10")], lists)
    bellogin, reciprocal = evaluate([parse("infAP(form=bellogin)"), parse("RR")], lists)
    np.testing.assert_allclose(bellogin, reciprocal)


@pytest.mark.each(
    ("lengths", "candidates", "share"),
    [
        ([3, 0], [4, 0], 0.75),
        ([1, 2], [2, 4], 0.5),
        ([0, 0], [0, 0], np.nan),
        ([0, 0], [0, 1], 0.0),
        ([2**31 - 1] * 2, [2**31 - 1] * 2, 1.0),
    ],
)
def test_the_share_of_computable_candidates_is_kept(
    lengths: list[int], candidates: list[int], share: float
) -> None:
    judgments = Judgments.from_pairs([0, 1], [0, 0], [5, 5], 2)
    columns = ([1, 1], lengths, candidates)
    outcome = JudgedRanks(*(np.array(column, dtype=np.int32) for column in columns))
    for protocol in (AR, ONE):
        lists = JudgedLists.of(judgments, outcome, 4, protocol)
        np.testing.assert_equal(lists.computable_share, share)


def test_items_of_a_removed_head_leave_the_test_and_items_that_are_not_ranked_stay() -> None:
    # Of three relevant items of each user one is ranked, one is not, and one was of the head; the
    # last user has nothing but the head.
    judgments = Judgments.from_pairs([0] * 4 + [2] * 4 + [3], [*range(4), *range(4), 1], [5] * 9, 4)
    found = ranks([0, -1, 2, 3, 1, -1, 0, 0, -1], [5, 0, 4, 4])
    for protocol in (AR, Protocol(head_removed=0.25)):
        lists = JudgedLists.of(judgments, found, THRESHOLD, protocol)
        assert lists.full.n_relevant.tolist() == [3, 0, 3, 0]
        recall, first = evaluate([parse("Recall"), parse("RR")], lists)
        np.testing.assert_allclose(recall, [2 / 3, 0, 1 / 3, 0])
        np.testing.assert_allclose(first, [1 / 2, 0, 1, 0])
    one = JudgedLists.of(judgments, found, THRESHOLD, Protocol("1R", threshold=THRESHOLD))
    assert one.users.tolist() == [0, 0, 0, 2, 2, 2]
    assert one.full.lengths.tolist() == [5, 6, 6, 5, 4, 4]
    np.testing.assert_allclose(evaluate([parse("RR")], one)[0], [0, 1 / 2, 1 / 3, 1, 0, 0])


@given(
    n_judged=st.lists(st.integers(0, 4), max_size=12), size=st.sampled_from([1, 2, 3, -1, 0, 1000])
)
def test_blocks_hold_as_many_rows_as_fit_and_at_least_one(n_judged: list[int], size: int) -> None:
    # One less than there are, as many, or so many.
    at_once = max(1, size if size > 0 else sum(n_judged) + size)
    users = np.repeat(np.arange(len(n_judged)), n_judged)
    items = [item for number in n_judged for item in range(number)]
    judgments = Judgments.from_pairs(users, items, [4 + i % 2 for i in items], len(n_judged))
    judged = JudgedItems.of(judgments, THRESHOLD + 1)
    expected: list[slice] = []
    for row in range(len(n_judged)):
        start = expected[-1].start if expected else 0
        if expected and sum(n_judged[start : row + 1]) <= at_once:
            expected[-1] = slice(start, row + 1)
        else:
            expected.append(slice(row, row + 1))
    weights = np.arange(1.0, len(items) + 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("receval.metrics.lists._BLOCK_ITEMS", at_once)
        assert list(judged.blocks_of_rows()) == expected
        sums = judged.sums(weights).tolist()
    assert sums == [weights[users == row].sum() for row in range(len(n_judged))]
    for rows in expected:
        own = judged.of_rows(rows)
        assert own.n_judged.tolist() == n_judged[rows]
        kept = slice(sum(n_judged[: rows.start]), sum(n_judged[: rows.stop]))
        for name in ("values", "relevant", "positions"):
            assert getattr(own, name).tolist() == getattr(judged, name)[kept].tolist()


@pytest.mark.costly
def test_values_are_the_same_bytes_however_many_judged_items_are_measured_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    metrics = [
        replace(metric, cutoff=cutoff, condensed=condensed, depth=depth)
        for metric in ALL
        for condensed, depth in ((False, None), (True, 6))
        for cutoff in cutoffs_of(metric.name, (3, None))
    ]
    whole = lists_of(random_cases(3))
    values = evaluate(metrics, whole)
    for size in (1, 2, 3, 10):
        monkeypatch.setattr("receval.metrics.lists._BLOCK_ITEMS", size)
        lists = lists_of(random_cases(3))
        assert len(list(lists.full.judged.blocks_of_rows())) > 1
        assert evaluate(metrics, lists).tobytes() == values.tobytes(), size
        assert lists.full.n_relevant.tolist() == whole.full.n_relevant.tolist()


def test_metrics_of_1r_are_the_same_bytes_however_many_lists_are_measured_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judgments = Judgments.from_pairs([0, 0, 0, 2], [1, 2, 3, 1], [5, 2, 4, 4], n_users=3)
    own = ranks([2, 0, 5, 1], [9, 0, 7])

    def values() -> bytes:
        lists = JudgedLists.of(judgments, own, THRESHOLD, ONE, METADATA)
        return evaluate([parse("RR"), parse("StratifiedRecall@3"), parse("ERR")], lists).tobytes()

    at_once = values()
    monkeypatch.setattr("receval.metrics.lists._BLOCK_ITEMS", 1)
    assert values() == at_once


def test_some_relevant_items_without_positive_ratings_are_no_error_in_a_block_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("receval.metrics.lists._BLOCK_ITEMS", 1)
    judgments = Judgments.from_pairs([0, 1], [0, 1], [5, 5], n_users=2)
    metadata = DatasetMetadata(maximum_rating=5.0, positive_ratings=np.array([0, 3]))
    lists = JudgedLists.of(judgments, ranks([1, 1], [5, 5]), THRESHOLD, AR, metadata)
    assert evaluate([parse("StratifiedRecall@3")], lists).tolist() == [[1.0, 1.0]]


def test_the_dataset_is_looked_through_when_a_metric_asks_and_once() -> None:
    asked = []

    def metadata() -> DatasetMetadata:
        asked.append(1)
        return METADATA

    judgments = Judgments.from_pairs([0, 0], [1, 2], [5, 2], n_users=1)
    lists = JudgedLists.of(judgments, ranks([1, 4], [9]), THRESHOLD, AR, metadata)
    evaluate([parse("P@5"), parse("nDCG@5")], lists)
    assert not asked
    evaluate([parse("ERR@5"), parse("StratifiedRecall@5")], lists)
    assert asked == [1]


@pytest.mark.each("n_items", [30, 200])  # Few are placed by counting, many are sorted.
def test_judged_items_stand_by_descending_rating_and_equal_ones_in_their_order(
    n_items: int,
) -> None:
    rng = np.random.default_rng(5)
    users, items = np.nonzero(rng.random((40, n_items)) < 0.5)
    values = rng.integers(-2, 4, len(users)) / 2
    judgments = Judgments.from_pairs(users, items, values, n_users=41)
    found = JudgedItems.of(judgments, THRESHOLD).positions
    assert found.tolist() == np.lexsort((-judgments.values, judgments.users)).tolist()
