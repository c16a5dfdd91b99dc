# SPDX-License-Identifier: MIT
"""Users in several blocks, the first and the last user, a single judged one, and long samples."""

from __future__ import annotations

import numpy as np
import pytest
from protocols.brute_force import Scores, rank_by_sorting
from protocols.test_ranking import (
    N_ITEMS,
    N_USERS,
    priority_of,
    random_fold,
    samples_of,
    seeded,
)

from receval.protocols import evaluation
from receval.protocols.evaluation import rank_judged, rank_judged_together
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.protocols.ranking import PADDED
from receval.splits.split import Fold, Judgments

PROTOCOLS = [
    Protocol("AR", "AI", None, 4.0),
    Protocol("AR", "TI", 4, 4.0),
    Protocol("1R", "AI", None, 4.0),
    Protocol("1R", "TI", 3, 4.0),
]
JUDGED = [0, 2, 3, 5, N_USERS - 1]


class Systems:
    """Systems whose scores are given matrices, and which users were asked for together."""

    def __init__(self, *matrices: np.ndarray) -> None:
        self.matrices = np.stack(matrices)
        self.asked: list[list[int]] = []

    def __len__(self) -> int:
        return len(self.matrices)

    def score(self, users: np.ndarray) -> np.ndarray:
        self.asked.append(users.tolist())
        return np.take(self.matrices, users, axis=1)


def judged_by(users: list[int], seed: int = 4, liked: int = 3) -> tuple[Fold, np.ndarray]:
    """Return a fold in which these users and no others have judgments, some of them relevant."""
    fold, scores = random_fold(seed)
    rng = np.random.default_rng(seed)
    rows = [(user, item) for user in users for item in rng.choice(N_ITEMS, 2 * liked, False)]
    values = np.tile([5] * liked + [2] * liked, len(users))
    return Fold(fold.train, Judgments.from_pairs(*zip(*rows, strict=True), values, N_USERS)), scores


def assert_as_by_sorting(
    found: list[JudgedRanks], fold: Fold, scores: np.ndarray, protocols: list[Protocol]
) -> None:
    for protocol, outcome in zip(protocols, found, strict=True):
        ranks, lengths = rank_by_sorting(
            scores,
            fold,
            fold.test,
            protocol,
            priority_of(protocol, fold.train.shape[1]),
            samples_of(fold, protocol, protocol.sampled) if protocol.sampled else None,
        )
        np.testing.assert_array_equal(outcome.ranks, ranks)
        np.testing.assert_array_equal(outcome.lengths, lengths)


def test_blocks_of_three_users_are_ranked_as_by_sorting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "_BLOCK_ENTRIES", 3 * N_ITEMS)
    fold, scores = judged_by(JUDGED)
    one = Systems(scores)
    (found,) = rank_judged_together(one, fold, PROTOCOLS, seeded)
    assert one.asked == [[0, 2, 3], [5, 6]]
    assert_as_by_sorting(found, fold, scores, PROTOCOLS)


def test_ranks_do_not_depend_on_how_many_users_are_scored_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    protocols = [
        Protocol("AR", "train", None, 4.0, non_computable="random"),
        Protocol("1R", "TI", 3, 4.0, non_computable="average"),
        Protocol("1R", "TI", 3, 4.0, percentiles=3),
    ]
    fold, scores = judged_by(JUDGED)
    together = rank_judged(Scores(scores), fold, protocols, seeded)
    for users in (1, 2, 3):
        monkeypatch.setattr(evaluation, "_BLOCK_ENTRIES", users * N_ITEMS)
        apart = rank_judged(Scores(scores), fold, protocols, seeded)
        for one, other in zip(together, apart, strict=True):
            np.testing.assert_array_equal(one.ranks, other.ranks)
            np.testing.assert_array_equal(one.lengths, other.lengths)
            np.testing.assert_array_equal(one.candidates, other.candidates)


@pytest.mark.parametrize(
    ("group", "block", "asked"),
    [
        (256, 3, [[0, 2, 3], [5, 6]]),
        (3, 3, [[0, 2, 3], [5, 6]]),
        (2, 3, [[0, 2], [3, 5], [6]]),
        (3, 4, [[0, 2, 3], [5, 6]]),
    ],
)
def test_systems_that_are_scored_together_are_asked_for_whole_groups_of_users(
    monkeypatch: pytest.MonkeyPatch, group: int, block: int, asked: list[list[int]]
) -> None:
    monkeypatch.setattr(evaluation, "_GROUP_USERS", group)
    monkeypatch.setattr(evaluation, "_JOINT_ENTRIES", 2 * block * N_ITEMS)
    fold, scores = judged_by(JUDGED)
    two = Systems(scores, scores[:, ::-1])
    found = rank_judged_together(two, fold, PROTOCOLS, seeded)
    assert two.asked == asked
    for own, matrix in zip(found, two.matrices, strict=True):
        assert_as_by_sorting(own, fold, matrix, PROTOCOLS)


@pytest.mark.parametrize("liked", [1, 3])
@pytest.mark.parametrize("user", [0, 3, N_USERS - 1])
def test_a_single_judged_user_is_ranked_wherever_it_stands(user: int, liked: int) -> None:
    fold, scores = judged_by([user], seed=user, liked=liked)
    found = rank_judged(Scores(scores), fold, PROTOCOLS, seeded)
    assert_as_by_sorting(found, fold, scores, PROTOCOLS)
    assert max(outcome.ranks.max() for outcome in found) > 0
    for outcome in found:
        assert np.flatnonzero(outcome.candidates).tolist() == [user]


@pytest.mark.costly
@pytest.mark.parametrize("relevant", ["AR", "1R"])
@pytest.mark.parametrize("seed", [0, 1])
def test_parts_of_long_samples_are_ranked_as_by_sorting(relevant: str, seed: int) -> None:
    fold, scores = random_fold(seed, 8 * PADDED)
    # Each size adds a part: shorter than a stretch of PADDED places, as long, longer, many.
    sizes = (3, PADDED + 3, 2 * PADDED + 10, 4 * PADDED)
    protocols = [Protocol(relevant, "AI", size, 4.0) for size in sizes]
    found = rank_judged(Scores(scores), fold, protocols, seeded)
    assert found[-1].candidates.max() >= sizes[-1] > found[-2].candidates.max()
    assert_as_by_sorting(found, fold, scores, protocols)
