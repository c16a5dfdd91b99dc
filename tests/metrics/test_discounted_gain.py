# SPDX-License-Identifier: MIT
"""DCG by hand, and against nDCG, which divides it by that of the best list."""

from __future__ import annotations

import numpy as np
import pytest

from receval.metrics.evaluation import evaluate
from receval.metrics.lists import JudgedLists
from receval.metrics.ndcg import NDCG, DiscountedGain
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.splits.split import Judgments

LENGTHS = np.array([20, 20], dtype=np.int32)


def lists_of(*ranks: int) -> JudgedLists:
    """Return the lists of two users: the first rated three items 5, 4 and 1, the second one 4."""
    judgments = Judgments.from_pairs([0, 0, 0, 1], [1, 2, 3, 1], [5, 4, 1, 4], n_users=2)
    judged = JudgedRanks(np.array(ranks, dtype=np.int32), LENGTHS, LENGTHS)
    return JudgedLists.of(judgments, judged, 4, Protocol())


def test_gains_are_divided_by_the_logarithm_of_their_ranks() -> None:
    metrics = [
        DiscountedGain(gain=gain, cutoff=cutoff)
        for gain in ("rating", "binary")
        for cutoff in (2, 7, None)
    ]
    values = evaluate(metrics, lists_of(1, 7, 3, 15))
    all_of_first = 5 + 4 / 3 + 1 / 2
    by_ratings = [[5, 0], [all_of_first, 0], [all_of_first, 1]]
    by_relevance = [[1, 0], [4 / 3, 0], [4 / 3, 1 / 4]]
    assert values == pytest.approx(np.array(by_ratings + by_relevance))


@pytest.mark.parametrize("gain", ["rating", "binary", "exp"])
@pytest.mark.parametrize("cutoff", [1, 2, 5, None])
def test_it_is_ndcg_times_that_of_the_best_list(gain: str, cutoff: int | None) -> None:
    metrics = [
        DiscountedGain(gain=gain, cutoff=cutoff),  # type: ignore[arg-type]
        NDCG(gain=gain, cutoff=cutoff),  # type: ignore[arg-type]
    ]
    plain, normalised = evaluate(metrics, lists_of(4, 2, 9, 3))
    best = evaluate(metrics[:1], lists_of(1, 2, 3, 1))[0]
    assert plain == pytest.approx(normalised * best)


def test_its_label_says_cut_off_and_gain() -> None:
    assert DiscountedGain(gain="binary", cutoff=10).label == "DCG(gain=binary)@10"
    assert DiscountedGain().label == "DCG"
