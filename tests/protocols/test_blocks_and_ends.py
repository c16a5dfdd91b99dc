# SPDX-License-Identifier: MIT
"""Users in several blocks, the first and the last user, a single judged one, and long samples."""

from __future__ import annotations

import numpy as np
import pytest
from protocols.brute_force import Scores
from protocols.test_ranking import N_ITEMS, N_USERS, assert_as_by_sorting, random_fold, seeded
from scipy.sparse import csr_array

from receval.protocols import evaluation
from receval.protocols.evaluation import PADDED, rank_judged, rank_judged_together
from receval.protocols.protocol import Protocol
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


@pytest.mark.each(
    ("entries", "asked"),
    [
        (1, [[0], [2], [3], [5], [6]]),
        (2 * N_ITEMS - 1, [[0], [2], [3], [5], [6]]),
        (3 * N_ITEMS, [[0, 2, 3], [5, 6]]),
        (4 * N_ITEMS, [[0, 2, 3, 5], [6]]),
        (5 * N_ITEMS, [[0, 2, 3, 5, 6]]),
        (99 * N_ITEMS, [[0, 2, 3, 5, 6]]),
    ],
)
def test_blocks_of_users_are_ranked_as_by_sorting(
    monkeypatch: pytest.MonkeyPatch, entries: int, asked: list[list[int]]
) -> None:
    monkeypatch.setattr(evaluation, "_BLOCK_ENTRIES", entries)
    fold, scores = judged_by(JUDGED)
    one = Systems(scores)
    (found,) = rank_judged_together(one, fold, PROTOCOLS, seeded)
    assert one.asked == asked
    assert_as_by_sorting(found, fold, scores, PROTOCOLS)


def test_scores_of_more_systems_than_there_are_are_refused() -> None:
    class TwoOfOne(Systems):
        def __len__(self) -> int:
            return 1

    fold, scores = judged_by(JUDGED)
    with pytest.raises(ValueError, match="longer than"):
        rank_judged_together(TwoOfOne(scores, scores), fold, PROTOCOLS, seeded)


def test_ranks_do_not_depend_on_how_many_users_are_scored_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    protocols = [
        Protocol("AR", "train", None, 4.0, non_computable="random"),
        Protocol("1R", "TI", 3, 4.0, non_computable="average"),
        Protocol("1R", "TI", 3, 4.0, percentiles=3),
    ]
    fold, scores = judged_by(JUDGED)
    scores[:, ::3] = np.nan
    together = rank_judged(Scores(scores), fold, protocols, seeded)
    for entries in (1, *(users * N_ITEMS for users in (1, 2, 3, 4, 5, 6))):
        monkeypatch.setattr(evaluation, "_BLOCK_ENTRIES", entries)
        apart = rank_judged(Scores(scores), fold, protocols, seeded)
        for one, other in zip(together, apart, strict=True):
            np.testing.assert_array_equal(one.ranks, other.ranks)
            np.testing.assert_array_equal(one.lengths, other.lengths)
            np.testing.assert_array_equal(one.candidates, other.candidates)


@pytest.mark.each(
    ("group", "block", "asked"),
    [
        (256, 3, [[0, 2, 3], [5, 6]]),
        (3, 3, [[0, 2, 3], [5, 6]]),
        (2, 3, [[0, 2], [3, 5], [6]]),
        (3, 4, [[0, 2, 3], [5, 6]]),
        (2, 5, [[0, 2, 3, 5], [6]]),
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


@pytest.mark.parametrize("judged", [JUDGED, [1, 2, 4], range(N_USERS)])
@pytest.mark.parametrize("entries", [2 * N_ITEMS, 9 * N_ITEMS])
def test_parts_of_the_users_have_the_ranks_that_they_have_among_all(
    monkeypatch: pytest.MonkeyPatch, entries: int, judged: list[int]
) -> None:
    monkeypatch.setattr(evaluation, "_BLOCK_ENTRIES", entries)
    fold, scores = judged_by(list(judged))
    scores[:, ::3] = np.nan
    protocols = [*PROTOCOLS, Protocol("AR", "train", None, 4.0, non_computable="random")]
    whole = rank_judged(Scores(scores), fold, protocols, seeded)
    indptr = fold.test.indptr
    for cut in range(N_USERS + 1):
        parts = [range(cut), range(cut, N_USERS)]
        apart = [rank_judged(Scores(scores), fold, protocols, seeded, users=own) for own in parts]
        for together, *two in zip(whole, *apart, strict=True):
            for own, found in zip(parts, two, strict=True):
                for name in ("ranks", "lengths", "candidates"):
                    alone = getattr(found.of_users(own, indptr), name)
                    wanted = getattr(together.of_users(own, indptr), name)
                    np.testing.assert_array_equal(alone, wanted)
                    assert np.count_nonzero(alone) == np.count_nonzero(getattr(found, name))


def test_without_items_or_judgments_nothing_is_ranked() -> None:
    for shape in ((3, 0), (3, 2)):
        fold = Fold(csr_array(shape, dtype=np.float32), Judgments.from_pairs([], [], [], 3))
        for outcome in rank_judged(Scores(np.zeros(shape)), fold, PROTOCOLS, seeded):
            assert (len(outcome.ranks), outcome.lengths.tolist()) == (0, [0, 0, 0])
            assert outcome.candidates.tolist() == [0, 0, 0]


@pytest.mark.each("liked", [1, 3])
@pytest.mark.each("user", [0, 3, N_USERS - 1])
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
