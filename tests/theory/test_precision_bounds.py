# SPDX-License-Identifier: MIT
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from protocols.brute_force import Scores
from theory.worlds import THRESHOLD, fold_of, lists_of, random_fold, random_scores

from receval.metrics.evaluation import evaluate
from receval.metrics.lists import JudgedLists
from receval.metrics.precision_and_recall import Precision
from receval.protocols.candidates import target_sets
from receval.protocols.evaluation import rank_judged
from receval.protocols.protocol import BaseCandidates, Protocol
from receval.seeds import generator
from receval.splits.split import Fold
from receval.theory.precision import precision_bounds


def one_relevant_precision(lists: JudgedLists, cutoff: int, kept: np.ndarray) -> float:
    (values,) = evaluate([Precision(cutoff=cutoff)], lists)
    return float(values[kept[lists.full.judged.positions]].mean())


def kept_of(seed: int, share: float, fold: Fold) -> np.ndarray:
    """Return a random mask that keeps at least one relevant test rating."""
    rng = np.random.default_rng([seed, 2])
    kept = rng.random(len(fold.test)) < share
    kept[np.argmax(fold.test.values)] = True
    return kept


# Ranks of six items for one user: relevant a, b and c stand at 1, 3 and 4 of N_u + PR_test(u).
HAND = fold_of([], [(0, 0, 5), (0, 1, 5), (0, 2, 5)], (1, 6))
SCORES = np.array([[6.0, 4.0, 3.0, 5.0, 2.0, 1.0]])


def test_the_bounds_by_hand() -> None:
    both = (Protocol(kind, "AI", 3, THRESHOLD) for kind in ("AR", "1R"))
    many, one = lists_of(HAND, SCORES, *both)
    # P@2 of the whole list has one hit of three; all are within m_u = 2 + 3 - 1.
    assert precision_bounds(many, 2) == pytest.approx((1 / 6, 3 / 6))
    assert evaluate([Precision(cutoff=2)], one).mean() == pytest.approx(3 / 6)
    # Without b, c moves up to 3, and m_u = 3.
    kept = np.array([True, False, True])
    assert precision_bounds(many, 2, kept) == pytest.approx((1 / 4, 2 / 4))
    # c alone stands second, and m_u = n.
    kept = np.array([False, False, True])
    assert precision_bounds(many, 2, kept) == pytest.approx((1 / 2, 1 / 2))


@given(
    seed=st.integers(0, 100_000),
    cutoff=st.integers(1, 12),
    candidates=st.sampled_from(["AI", "TI", "train"]),
    sampled=st.integers(1, 25),
    share=st.floats(0, 1),
    computable=st.booleans(),
)
@pytest.mark.costly
def test_one_relevant_precision_lies_between_its_bounds(
    seed: int, cutoff: int, candidates: BaseCandidates, sampled: int, share: float, computable: bool
) -> None:
    fold = random_fold(seed)
    scores = random_scores(seed, fold, computable=computable)
    both = (Protocol(kind, candidates, sampled, THRESHOLD) for kind in ("AR", "1R"))
    many, one = lists_of(fold, scores, *both)
    kept = kept_of(seed, share, fold)
    if not (fold.test.values[kept] >= THRESHOLD).any():
        return
    lower, upper = precision_bounds(many, cutoff, kept)
    value = one_relevant_precision(one, cutoff, kept)
    assert lower <= value + 1e-12
    assert value <= upper + 1e-12


@given(seed=st.integers(0, 100_000), cutoff=st.integers(1, 8), share=st.floats(0, 1))
@pytest.mark.costly
def test_bounds_are_those_of_target_sets_formed_with_the_ratings_kept(
    seed: int, cutoff: int, share: float
) -> None:
    fold = random_fold(seed)
    scores = random_scores(seed, fold)
    protocol = Protocol("AR", "AI", 6, THRESHOLD)

    def seeded(*names: str | int) -> np.random.Generator:
        return generator(5, "dataset", *names)

    (outcome,) = rank_judged(Scores(scores), fold, [protocol], seeded)
    lists = JudgedLists.of(fold.test, outcome, THRESHOLD, protocol)
    kept = kept_of(seed, share, fold)
    relevant = kept & (fold.test.values >= THRESHOLD)
    if not relevant.any():
        return
    lower = upper = 0
    for user in range(fold.test.n_users):
        others = target_sets(fold, protocol, user, THRESHOLD, seeded).non_relevant
        own = fold.test.items[relevant & (fold.test.users == user)].tolist()
        reach = cutoff + len(own) - 1
        train = fold.train.indices[fold.train.indptr[user] : fold.train.indptr[user + 1]]
        liked = set(own) - set(train.tolist())
        ranked = sorted(others | liked, key=lambda item: -scores[user, item])
        lower += len(liked & set(ranked[:cutoff]))
        upper += len(liked & set(ranked[:reach]))
    scale = cutoff * relevant.sum()
    assert precision_bounds(lists, cutoff, kept) == pytest.approx((lower / scale, upper / scale))


def test_lists_of_one_relevant_item_are_refused() -> None:
    (one,) = lists_of(HAND, SCORES, Protocol("1R", "AI", 3, THRESHOLD))
    with pytest.raises(ValueError, match="Give the AR lists"):
        precision_bounds(one, 2)


def test_nothing_left_to_bound_is_refused() -> None:
    (many,) = lists_of(HAND, SCORES, Protocol("AR", "AI", 3, THRESHOLD))
    with pytest.raises(ValueError, match="No relevant test rating is left"):
        precision_bounds(many, 2, np.zeros(3, dtype=bool))
