# SPDX-License-Identifier: MIT
"""LibRec's order of ties, against Java's priority queue done by the book."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from protocols.brute_force import Scores
from scipy.sparse import csr_array

from receval.protocols.evaluation import rank_judged
from receval.protocols.protocol import Protocol
from receval.splits.split import Fold, Judgments

LIBREC = Protocol(candidates="train", ties="librec")


def no_generator(*names: str | int) -> np.random.Generator:
    raise AssertionError("LibRec's order of ties is not random.")


def java_order(items: list[int], scores: np.ndarray) -> list[int]:
    """PriorityQueue.add of every item, then a stable sort of the queue's array."""
    queue: list[int] = []
    for item in items:
        queue.append(item)
        child = len(queue) - 1
        while child > 0 and scores[queue[child]] < scores[queue[(child - 1) // 2]]:
            parent = (child - 1) // 2
            queue[child], queue[parent] = queue[parent], queue[child]
            child = parent
    return sorted(queue, key=lambda item: -scores[item])


@given(seed=st.integers(0, 100_000))
def test_ranks_are_positions_after_java_s_heap_and_stable_sort(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_users, n_items = 5, int(rng.integers(4, 40))
    use = rng.choice(3, size=(n_users, n_items), p=[0.4, 0.3, 0.3])
    use[0][use[0] == 1] = 0
    users, items = np.nonzero(use == 1)
    train = csr_array((np.ones(len(users), dtype=np.float32), (users, items)), shape=use.shape)
    users, items = np.nonzero(use == 2)
    judgments = Judgments.from_pairs(users, items, np.full(len(users), 4), n_users)
    order = rng.permutation(n_items).astype(np.int32)
    fold = Fold(train, judgments, items_by_appearance=order)
    scores = rng.choice(np.array([-2, -1, 0, 1, np.nan], dtype=np.float32), size=use.shape)
    (outcome,) = rank_judged(Scores(scores), fold, [LIBREC], no_generator)
    in_train = (use == 1).any(axis=0)
    for user in range(n_users):
        listed = [
            item
            for item in order.tolist()
            if in_train[item] and use[user, item] != 1 and not np.isnan(scores[user, item])
        ]
        expected = java_order(listed, scores[user]) if (use[user] == 1).any() else []
        rows = slice(judgments.indptr[user], judgments.indptr[user + 1])
        ranks = [
            expected.index(item) + 1 if item in expected else 0
            for item in judgments.items[rows].tolist()
        ]
        assert outcome.ranks[rows].tolist() == ranks
        assert outcome.lengths[user] == (len(expected) if rows.stop > rows.start else 0)


def test_users_without_training_ratings_have_no_candidates_among_train_items() -> None:
    train = csr_array(np.array([[1, 1, 0], [0, 0, 0]], dtype=np.float32))
    judgments = Judgments.from_pairs([0, 1, 1], [2, 0, 1], [5, 5, 5], 2)
    scores = np.arange(6, dtype=np.float32).reshape(2, 3)
    for protocol, lengths in ((Protocol(candidates="train"), [0, 0]), (Protocol(), [1, 3])):
        (outcome,) = rank_judged(
            Scores(scores),
            Fold(train, judgments),
            [protocol],
            lambda *names: np.random.default_rng(1),
        )
        assert outcome.lengths.tolist() == lengths
        assert outcome.candidates.tolist() == lengths


@pytest.mark.parametrize("change", [{"relevant": "1R"}, {"sampled": 10}])
def test_librec_ties_are_refused_where_librec_has_no_such_lists(change: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="cannot have LibRec's order of ties"):
        Protocol(ties="librec", threshold=4.0, **change)  # type: ignore[arg-type]


def test_librec_ties_need_the_order_of_the_train_file() -> None:
    train = csr_array(np.eye(3, dtype=np.float32))
    judgments = Judgments.from_pairs([0], [1], [5], 3)
    with pytest.raises(ValueError, match="items_by_appearance"):
        rank_judged(
            Scores(np.ones((3, 3), dtype=np.float32)),
            Fold(train, judgments),
            [LIBREC],
            no_generator,
        )
