# SPDX-License-Identifier: MIT
from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from receval.data.ratings import summed_matrix
from receval.sampled_metrics import weighted_candidates as module
from receval.sampled_metrics.weighted_candidates import refuse_without_weight, scored_candidates
from receval.splits.split import Fold, Judgments

N_USERS, N_ITEMS = 9, 8


class ByUser:
    """A system whose scores tell user and item."""

    def score(self, users: NDArray[np.int64]) -> NDArray[np.float32]:
        return (100 * users[:, np.newaxis] + np.arange(N_ITEMS)).astype(np.float32)


@pytest.mark.each("at_a_time", [1, 2, 512])
@pytest.mark.each("seed", range(5))
def test_each_rating_that_is_asked_for_comes_once_with_its_users_candidates(
    monkeypatch: pytest.MonkeyPatch, at_a_time: int, seed: int
) -> None:
    monkeypatch.setattr(module, "_USERS", at_a_time)
    rng = np.random.default_rng(seed)
    codes = rng.choice(3, (N_USERS, N_ITEMS), p=[0.4, 0.3, 0.3])
    train, test = np.argwhere(codes == 1), np.argwhere(codes == 2)
    fold = Fold(
        summed_matrix(*train.T, np.ones(len(train)), shape=(N_USERS, N_ITEMS)),
        Judgments.from_pairs(*test.T, rng.integers(1, 6, len(test)), n_users=N_USERS),
    )
    relevant = fold.test.values >= 4
    rows = np.flatnonzero(rng.random(len(test)) < 0.6)
    found = []
    for users in scored_candidates(ByUser(), fold, rows, relevant):
        for place, owner, item in zip(users.asked, users.owners, users.items, strict=True):
            user = int(fold.test.users[rows[place]])
            assert item == fold.test.items[rows[place]]
            assert users.scores[owner].tolist() == [100 * user + i for i in range(N_ITEMS)]
            own = fold.test.items[relevant & (fold.test.users == user)]
            barred = set(np.flatnonzero(codes[user] == 1)) | set(own.tolist())
            assert np.flatnonzero(~users.candidates[owner]).tolist() == sorted(barred)
            found.append(int(place))
    assert found == list(range(len(rows)))


def only_user(items: list[int]) -> Fold:
    return Fold(
        summed_matrix([0], [0], [1], (1, N_ITEMS)),
        Judgments.from_pairs([0] * len(items), items, [5] * len(items), 1),
    )


def test_nothing_is_scored_where_nothing_is_asked_for() -> None:
    none = np.zeros(0, dtype=np.int64)
    assert list(scored_candidates(ByUser(), only_user([2]), none, np.array([True]))) == []


@pytest.mark.each("rows", [[1, 0], [0, 2, 1], [2, 0, 1]])
def test_ratings_out_of_order_are_refused(rows: list[int]) -> None:
    with pytest.raises(ValueError, match="in ascending order"):
        next(scored_candidates(ByUser(), only_user([2, 3, 4]), np.array(rows), np.ones(3, bool)))


def test_a_rating_may_be_asked_for_twice() -> None:
    rows = np.array([0, 1, 1])
    (users,) = scored_candidates(ByUser(), only_user([2, 3]), rows, np.ones(2, bool))
    assert users.items.tolist() == [2, 3, 3]


@pytest.mark.parametrize("items", [[2], list(range(1, N_ITEMS))])
def test_users_without_a_candidate_to_draw_are_refused(items: list[int]) -> None:
    rows, relevant = np.arange(len(items)), np.ones(len(items), dtype=bool)
    (users,) = scored_candidates(ByUser(), only_user(items), rows, relevant)
    weights = np.zeros(N_ITEMS)
    weights[[0, 2]] = 1
    names = np.zeros(len(items), dtype=np.int64)
    with pytest.raises(ValueError, match="No candidate of the user 0 has a weight above 0"):
        refuse_without_weight(users, weights, names)
    refuse_without_weight(users._replace(scores=np.full_like(users.scores, np.nan)), weights, names)


def test_the_first_user_without_a_weight_is_named_and_small_weights_do() -> None:
    train = summed_matrix([0, 5], [0, 0], [1, 1], (6, N_ITEMS))
    fold = Fold(train, Judgments.from_pairs([0, 2, 5], [6, 6, 6], [5, 5, 5], 6))
    (users,) = scored_candidates(ByUser(), fold, np.arange(3), np.ones(3, dtype=bool))
    weights = np.zeros(N_ITEMS)
    weights[[0, 6]] = 1e-9
    with pytest.raises(ValueError, match="No candidate of the user 10 has"):
        refuse_without_weight(users, weights, np.array([10, 12, 15]))
    weights[1] = 1e-9
    refuse_without_weight(users, weights, np.array([10, 12, 15]))
