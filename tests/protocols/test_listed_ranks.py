# SPDX-License-Identifier: MIT
"""Lists that are given rank judged items as the scores behind them would."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from each_case import tries
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from receval.data.ratings import summed_matrix
from receval.protocols.evaluation import rank_judged
from receval.protocols.listed_ranks import ListedItems, first_listed, rank_listed
from receval.protocols.protocol import Protocol
from receval.seeds import generator
from receval.splits.split import Fold, Judgments

GENERATOR = partial(generator, 1, "lists")
SIZES = st.tuples(st.integers(1, 6), st.integers(1, 7))


class Listed:
    """The same lists as a system: no score for what is not listed."""

    def __init__(self, scores: NDArray[np.float32]) -> None:
        self.scores = scores

    def score(self, users: NDArray[np.int64]) -> NDArray[np.float32]:
        return self.scores[users]


@st.composite
def folds_with_scores(draw: st.DrawFn) -> tuple[Fold, NDArray[np.float32]]:
    shape = draw(SIZES)
    # How many train, test and are listed at all; often nothing.
    trains, tests, unlisted = draw(st.tuples(*[st.integers(0, 9)] * 3))
    cells = st.lists(st.integers(0, 9), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1])
    uses, values, scores = (np.array(draw(cells)).reshape(shape) for _ in range(3))
    users, items = np.nonzero(uses < trains)
    train = summed_matrix(users, items, 1 + values[users, items] % 5, shape)
    users, items = np.nonzero((uses >= trains) & (uses < trains + tests))
    test = Judgments.from_pairs(users, items, 1 + values[users, items] % 5, shape[0])
    # Few different scores, so that many are equal.
    listed = np.where(scores < unlisted, np.float32(np.nan), scores.astype(np.float32) // 3)
    return Fold(train, test), listed


def assert_ranked_as_scores_are(
    fold: Fold, scores: NDArray[np.float32], protocol: Protocol, order: NDArray[np.int64]
) -> None:
    users, items = np.nonzero(~np.isnan(scores))
    listed = ListedItems(
        users[order].astype(np.int32),
        items[order].astype(np.int32),
        scores[users, items][order].astype(np.float64),
    )
    found = rank_listed(listed, fold, protocol, GENERATOR)
    (wanted,) = rank_judged(Listed(scores), fold, [protocol], GENERATOR)
    for name in ("ranks", "lengths", "candidates"):
        assert getattr(found, name).tolist() == getattr(wanted, name).tolist()
        assert getattr(found, name).dtype == getattr(wanted, name).dtype


@pytest.mark.parametrize("candidates", ["AI", "TI", "train", "rated"])
@given(
    case=folds_with_scores(),
    relevant=st.sampled_from(["AR", "1R"]),
    ties=st.sampled_from(["random", "index"]),
    shuffled=st.randoms(use_true_random=False),
)
@pytest.mark.costly
def test_lists_rank_as_scores_do(case, relevant, candidates, ties, shuffled) -> None:  # type: ignore[no-untyped-def]
    fold, scores = case
    protocol = Protocol(relevant, candidates, ties=ties, threshold=4.0)
    n_listed = int(np.count_nonzero(~np.isnan(scores)))
    order = np.array(shuffled.sample(range(n_listed), n_listed), dtype=np.int64)
    assert_ranked_as_scores_are(fold, scores, protocol, order)


@given(case=folds_with_scores(), relevant=st.sampled_from(["AR", "1R"]), seed=st.integers(0, 99))
def test_lists_that_stand_best_first_but_for_two_rank_as_scores_do(case, relevant, seed) -> None:  # type: ignore[no-untyped-def]
    fold, scores = case
    protocol = Protocol(relevant, ties="index", threshold=4.0)
    users, items = np.nonzero(~np.isnan(scores))
    order = np.lexsort((items, -scores[users, items], users))
    assert_ranked_as_scores_are(fold, scores, protocol, order)
    if len(order) > 1:
        place = np.random.default_rng(seed).integers(len(order) - 1)
        order[[place, place + 1]] = order[[place + 1, place]]
        assert_ranked_as_scores_are(fold, scores, protocol, order)


@tries(10)  # with 70,000 users
@given(case=folds_with_scores(), candidates=st.sampled_from(["TI", "train", "rated"]))
@pytest.mark.costly
def test_ranks_are_the_same_behind_millions_of_other_pairs(case, candidates) -> None:  # type: ignore[no-untyped-def]
    fold, scores = case
    n_users, n_items = scores.shape
    users, items = np.nonzero(~np.isnan(scores))
    far_users, far_items = 70_000, 40_000
    own = np.repeat(np.arange(n_users), np.diff(fold.train.indptr))
    shape = (far_users + n_users, far_items + n_items)
    train = summed_matrix(far_users + own, far_items + fold.train.indices, fold.train.data, shape)
    test = Judgments.from_pairs(
        far_users + fold.test.users, far_items + fold.test.items, fold.test.values, shape[0]
    )
    protocol = Protocol("1R", candidates, ties="index", threshold=4.0)
    near, far = (
        rank_listed(
            ListedItems(
                (users + first_user).astype(np.int32),
                (items + first_item).astype(np.int32),
                scores[users, items].astype(np.float64),
            ),
            data,
            protocol,
            GENERATOR,
        )
        for data, first_user, first_item in (
            (fold, 0, 0),
            (Fold(train, test), far_users, far_items),
        )
    )
    assert far.ranks.tolist() == near.ranks.tolist()
    assert far.lengths[far_users:].tolist() == near.lengths.tolist()
    assert far.candidates[far_users:].tolist() == near.candidates.tolist()
    assert not far.lengths[:far_users].any()


@pytest.mark.each("length", [255, 256, 257])
def test_short_and_long_lists_rank_as_scores_do(length: int) -> None:
    scores = np.random.default_rng(length).integers(0, 40, (2, length)).astype(np.float32)
    test = Judgments.from_pairs([0] * length + [1], [*range(length), 1], [1] * (length + 1), 2)
    fold = Fold(summed_matrix(*np.zeros((2, 0), dtype=np.int64), np.zeros(0), scores.shape), test)
    # The second user's list stands first.
    order = np.roll(np.arange(2 * length), length)
    assert_ranked_as_scores_are(fold, scores, Protocol(), order)


def test_the_same_list_gives_the_same_ranks_to_users_far_apart() -> None:
    n_users = 70_000
    users = np.arange(0, n_users, 7_000)
    test = Judgments.from_pairs(users, np.full(10, 2), np.full(10, 5.0), n_users=n_users)
    listed = ListedItems(
        np.repeat(users, 3).astype(np.int32),
        np.tile(np.arange(3, dtype=np.int32), 10),
        np.tile([3.0, 2.0, 1.0], 10),
    )
    train = summed_matrix(np.array([0]), np.array([3]), np.ones(1), (n_users, 4))
    judged = rank_listed(listed, Fold(train, test), Protocol(), GENERATOR)
    assert judged.ranks.tolist() == [3] * 10


def test_users_with_one_training_rating_have_first_items_if_training_makes_candidates() -> None:
    fold = Fold(
        summed_matrix(np.array([0, 2, 2]), np.array([0, 0, 1]), np.ones(3), (3, 3)),
        Judgments.from_pairs([0, 1, 2], [1, 1, 2], [5, 5, 5], 3),
    )
    users, items = (own.ravel().astype(np.int32) for own in np.indices((3, 3)))
    listed = ListedItems(users, items, np.tile([3.0, 2.0, 1.0], 3))
    # The item 2 has no training rating, and the user 1 has none.
    first = first_listed(listed, fold, Protocol(candidates="train", threshold=4.0), GENERATOR, 2)
    assert first.users.tolist() == [0, 2]
    assert first.items.tolist() == [[1, -1], [-1, -1]]


def test_a_threshold_may_be_given_when_ranking() -> None:
    fold = Fold(
        summed_matrix([0], [0], [1], (1, 4)), Judgments.from_pairs([0, 0], [2, 3], [5, 1], 1)
    )
    listed = ListedItems(
        np.zeros(3, dtype=np.int32), np.array([3, 1, 2], dtype=np.int32), np.array([9.0, 8.0, 7.0])
    )
    for protocol, threshold in ((Protocol("1R", threshold=4.0), 1.0), (Protocol("1R"), 4.0)):
        assert rank_listed(listed, fold, protocol, GENERATOR, threshold).ranks.tolist() == [3, 0]


@pytest.mark.each(
    "protocol",
    [
        Protocol("1R", "TI", sampled=5, threshold=4.0),
        Protocol("1R", "TI", percentiles=2, threshold=4.0),
        Protocol("AR", "AI", head_removed=0.1),
        Protocol("AR", "AI", non_computable="popularity"),
        Protocol("AR", "AI", ties="librec"),
    ],
    ids=lambda protocol: protocol.key,
)
def test_protocols_that_need_other_scores_are_refused(protocol: Protocol) -> None:
    fold = Fold(
        summed_matrix(np.array([0]), np.array([0]), np.ones(1), shape=(1, 3)),
        Judgments.from_pairs([0], [1], [5], n_users=1),
    )
    listed = ListedItems(
        np.array([0], dtype=np.int32), np.array([1], dtype=np.int32), np.array([1.0])
    )
    with pytest.raises(ValueError, match="needs the scores of items that are not in the lists"):
        rank_listed(listed, fold, protocol, GENERATOR)
