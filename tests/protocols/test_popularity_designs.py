# SPDX-License-Identifier: MIT
"""P1R and the removed head, straight from their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from protocols.brute_force import Scores, sorted_list
from protocols.test_ranking import N_ITEMS, N_USERS, fallback_of, priority_of, random_fold, seeded
from scipy.sparse import csr_array

from receval.metrics.evaluation import evaluate, evaluated_lists, mean
from receval.metrics.lists import JudgedLists
from receval.metrics.registry import parse
from receval.protocols.candidates import popular_head, popularity_percentiles, target_sets
from receval.protocols.evaluation import rank_judged
from receval.protocols.judged_ranks import read_ranks, write_ranks
from receval.protocols.protocol import BaseCandidates, NonComputable, Protocol
from receval.splits.split import Fold, Judgments


def by_popularity(fold: Fold) -> list[int]:
    """Items by falling number of users who rated them, in train or in test."""
    train, test = fold.train, fold.test
    counts = [
        int((train.indices == item).sum()) + int((test.items == item).sum())
        for item in range(N_ITEMS)
    ]
    return sorted(range(N_ITEMS), key=lambda item: (-counts[item], item))


def open_items(fold: Fold, candidates: BaseCandidates, user: int) -> set[int]:
    every = set(range(N_ITEMS)) if candidates == "AI" else set(fold.test.items.tolist())
    return every - set(fold.train[[user]].indices.tolist())


def rows_of(fold: Fold, user: int) -> range:
    return range(fold.test.indptr[user], fold.test.indptr[user + 1])


def test_equally_popular_items_are_in_the_order_of_their_codes() -> None:
    rng = np.random.default_rng(4)
    n_items = 400
    users, items = np.nonzero(rng.random((5, n_items)) < 0.5)
    train = csr_array((np.ones(len(users), np.float32), (users, items)), shape=(5, n_items))
    judged = rng.choice(n_items, 60, replace=False)
    fold = Fold(train, Judgments.from_pairs(np.arange(60) % 5, judged, np.ones(60), 5))
    counts = np.bincount(items, minlength=n_items) + np.bincount(judged, minlength=n_items)
    order = sorted(range(n_items), key=lambda item: (-counts[item], item))
    assert np.flatnonzero(popular_head(fold, 0.3)).tolist() == sorted(order[:120])
    percentile_of = popularity_percentiles(fold, 7)
    assert percentile_of[order].tolist() == [place * 7 // n_items for place in range(n_items)]


def test_percentiles_are_two_or_more_and_no_more_than_sixteen_bits_hold() -> None:
    for percentiles in (2, 2**15 - 1):
        assert Protocol("1R", "AI", percentiles=percentiles).percentiles == percentiles
    for percentiles in (1, 2**15):
        with pytest.raises(ValueError, match=f"has {percentiles} popularity percentiles. .* 2 to"):
            Protocol("1R", "AI", percentiles=percentiles)


def test_more_percentiles_than_items_are_refused() -> None:
    fold, _ = random_fold(3)
    with pytest.raises(ValueError, match="23 items cannot be divided into 24"):
        popularity_percentiles(fold, N_ITEMS + 1)


@pytest.mark.costly
@given(
    seed=st.integers(0, 10_000),
    candidates=st.sampled_from(["AI", "TI"]),
    percentiles=st.sampled_from([2, 3, 7]),
    sampled=st.sampled_from([None, 1, 3, 40]),
    policy=st.sampled_from(["none", "random", "popularity"]),
)
def test_p1r_ranks_each_relevant_item_among_the_items_of_its_percentile(
    seed: int,
    candidates: BaseCandidates,
    percentiles: int,
    sampled: int | None,
    policy: NonComputable,
) -> None:
    fold, scores = random_fold(seed)
    protocol = Protocol(
        "1R", candidates, sampled, 4.0, percentiles=percentiles, non_computable=policy
    )
    (outcome,) = rank_judged(Scores(scores), fold, [protocol], seeded)
    order = by_popularity(fold)
    percentile = {item: index * percentiles // N_ITEMS for index, item in enumerate(order)}
    judgments = fold.test
    fallback = fallback_of("none" if policy == "random" else policy, fold)
    drawn = seeded("non-computable").random((N_USERS, N_ITEMS), dtype=np.float32)
    met: dict[int, set[int]] = {number: set() for number in range(percentiles)}
    for judge, item in zip(judgments.users.tolist(), judgments.items.tolist(), strict=True):
        met[percentile[item]].add(judge)
    assert outcome.percentiles is not None
    assert outcome.percentiles.tolist() == [percentile[int(item)] for item in judgments.items]
    for user in range(N_USERS):
        relevant = {int(judgments.items[r]) for r in rows_of(fold, user) if judgments.values[r] > 3}
        allowed = open_items(fold, candidates, user)
        sets = target_sets(fold, protocol, user, 4.0, seeded)
        lists = dict(zip(sorted(relevant & allowed), sets.lists, strict=True))
        for row in rows_of(fold, user):
            item = int(judgments.items[row])
            if item not in lists:
                assert outcome.ranks[row] == 0
                continue
            pool = {i for i in allowed - relevant if percentile[i] == percentile[item]}
            others = lists[item] - {item}
            assert others <= pool
            assert len(others) == min(len(pool), sampled or len(pool))
            if policy == "random":
                # Of the users with a judged item in the percentile each has the next row.
                behind = drawn[len({u for u in met[percentile[item]] if u < user})]
            else:
                behind = None if fallback is None else fallback[user]
            ranking = sorted_list(scores[user], lists[item], priority_of(protocol), behind)
            wanted = 1 + ranking.index(item) if item in ranking else 0
            assert outcome.ranks[row] == wanted
            assert outcome.lengths[row] == len(ranking) - (item in ranking)
            assert outcome.candidates[row] == len(others)


def test_p1r_averages_percentiles_and_not_lists() -> None:
    # Two popular items and two unpopular ones; three lists of popular items, one of the others.
    train = csr_array(np.array([[0, 0, 0, 0], [0, 0, 0, 0], [1, 1, 0, 0]], dtype=np.float32))
    test = Judgments.from_pairs([0, 0, 1, 1], [0, 1, 0, 2], [5, 5, 5, 5], 3)
    scores = np.array([[4, 3, 2, 1], [1, 2, 1, 2], [0, 0, 0, 0]], dtype=np.float32)
    protocol = Protocol("1R", "AI", None, 5.0, percentiles=2)
    (outcome,) = rank_judged(Scores(scores), Fold(train, test), [protocol], seeded)
    assert outcome.ranks.tolist() == [1, 1, 2, 2]
    lists = JudgedLists.of(test, outcome, 5.0, protocol)
    values = evaluate([parse("RR")], lists)
    # Popular items: (1 + 1 + 1/2) / 3; unpopular ones: 1/2.
    np.testing.assert_allclose(mean(values, lists), [(2.5 / 3 + 0.5) / 2])


@given(
    seed=st.integers(0, 10_000),
    relevant=st.sampled_from(["AR", "1R"]),
    candidates=st.sampled_from(["AI", "TI"]),
    share=st.sampled_from([0.1, 0.3]),
)
@pytest.mark.costly
def test_a_removed_head_leaves_the_candidates_and_the_test(
    seed: int, relevant: str, candidates: BaseCandidates, share: float
) -> None:
    fold, scores = random_fold(seed)
    protocol = Protocol(relevant, candidates, None, 4.0, head_removed=share)
    (outcome,) = rank_judged(Scores(scores), fold, [protocol], seeded)
    head = set(by_popularity(fold)[: round(share * N_ITEMS)])
    assert set(np.flatnonzero(popular_head(fold, share)).tolist()) == head
    lists = JudgedLists.of(fold.test, outcome, 4.0, protocol)
    counted = evaluated_lists(lists, "relevant" if relevant == "AR" else "all").sum()
    judged = list(zip(fold.test.users, fold.test.items, fold.test.values, strict=True))
    kept = [(user, item) for user, item, value in judged if value >= 4 and item not in head]
    assert counted == (len({user for user, _ in kept}) if relevant == "AR" else len(kept))
    for user in range(N_USERS):
        allowed = open_items(fold, candidates, user) - head
        liked = {int(fold.test.items[r]) for r in rows_of(fold, user) if fold.test.values[r] >= 4}
        for row in rows_of(fold, user):
            item = int(fold.test.items[row])
            if item in head:
                assert outcome.ranks[row] == -1
                continue
            shown = allowed if relevant == "AR" else allowed - liked | ({item} & liked & allowed)
            ranking = sorted_list(scores[user], shown, priority_of(protocol))
            is_ranked = item in ranking and (relevant == "AR" or item in liked)
            assert outcome.ranks[row] == (1 + ranking.index(item) if is_ranked else 0)


def test_percentiles_of_judged_items_are_stored_with_their_ranks(tmp_path) -> None:
    fold, scores = random_fold(2)
    protocols = [Protocol("1R", "AI", 3, 4.0, percentiles=2), Protocol("1R", "AI", 3, 4.0)]
    outcomes = rank_judged(Scores(scores), fold, protocols, seeded)
    file = tmp_path / "ranks.npz"
    write_ranks(file, {(p.key, 0, "test"): o for p, o in zip(protocols, outcomes, strict=True)})
    inside, plain = (read_ranks(file, protocol.key, 0) for protocol in protocols)
    np.testing.assert_array_equal(inside.percentiles, outcomes[0].percentiles)
    assert plain.percentiles is None
    with pytest.raises(ValueError, match="not those of P1R AI-NN"):
        JudgedLists.of(fold.test, plain, 4.0, protocols[0])
