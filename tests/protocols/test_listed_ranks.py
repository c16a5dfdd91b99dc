# SPDX-License-Identifier: MIT
"""Lists that are given rank judged items as the scores behind them would."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from receval.protocols.evaluation import rank_judged
from receval.protocols.listed_ranks import ListedItems, rank_listed
from receval.protocols.protocol import Protocol
from receval.ratings import summed_matrix
from receval.seeds import generator
from receval.splits.split import Fold, Judgments

N_USERS, N_ITEMS = 4, 7
GENERATOR = partial(generator, 1, "lists")


class Listed:
    """The same lists as a system: no score for what is not listed."""

    def __init__(self, scores: NDArray[np.float32]) -> None:
        self.scores = scores

    def score(self, users: NDArray[np.int64]) -> NDArray[np.float32]:
        return self.scores[users]


@st.composite
def folds_with_scores(draw: st.DrawFn) -> tuple[Fold, NDArray[np.float32]]:
    cells = st.lists(st.integers(0, 9), min_size=N_USERS * N_ITEMS, max_size=N_USERS * N_ITEMS)
    uses = np.array(draw(cells)).reshape(N_USERS, N_ITEMS)
    values = 1 + np.array(draw(cells)).reshape(N_USERS, N_ITEMS) % 5
    scores = np.array(draw(cells), dtype=np.float32).reshape(N_USERS, N_ITEMS)
    users, items = np.nonzero(uses < 2)
    train = summed_matrix(users, items, values[users, items], (N_USERS, N_ITEMS))
    users, items = np.nonzero((uses >= 2) & (uses < 6))
    test = Judgments.from_pairs(users, items, values[users, items], N_USERS)
    # Few different scores, so that many are equal.
    return Fold(train, test), np.where(scores < 3, np.float32(np.nan), scores // 3)


@given(
    case=folds_with_scores(),
    relevant=st.sampled_from(["AR", "1R"]),
    candidates=st.sampled_from(["AI", "TI", "train", "rated"]),
    ties=st.sampled_from(["random", "index"]),
    shuffled=st.randoms(use_true_random=False),
)
def test_lists_rank_as_scores_do(case, relevant, candidates, ties, shuffled) -> None:  # type: ignore[no-untyped-def]
    fold, scores = case
    protocol = Protocol(relevant, candidates, ties=ties, threshold=4.0)
    users, items = np.nonzero(~np.isnan(scores))
    order = np.array(shuffled.sample(range(len(users)), len(users)), dtype=np.int64)
    listed = ListedItems(
        users[order].astype(np.int32),
        items[order].astype(np.int32),
        scores[users, items][order].astype(np.float64),
    )
    found = rank_listed(listed, fold, protocol, GENERATOR)
    (wanted,) = rank_judged(Listed(scores), fold, [protocol], GENERATOR)
    assert found.ranks.tolist() == wanted.ranks.tolist()
    assert found.lengths.tolist() == wanted.lengths.tolist()
    assert found.candidates.tolist() == wanted.candidates.tolist()


@pytest.mark.parametrize(
    "protocol",
    [
        Protocol("1R", "TI", sampled=5, threshold=4.0),
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
    with pytest.raises(ValueError, match="needs the scores of items that they do not have"):
        rank_listed(listed, fold, protocol, GENERATOR)
