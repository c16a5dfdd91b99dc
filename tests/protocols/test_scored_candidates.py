# SPDX-License-Identifier: MIT
from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from receval.protocols import scored_candidates as module
from receval.protocols.scored_candidates import scored_candidates
from receval.ratings import summed_matrix
from receval.splits.split import Fold, Judgments

N_USERS, N_ITEMS = 9, 8


class ByUser:
    """A system whose scores tell user and item."""

    def score(self, users: NDArray[np.int64]) -> NDArray[np.float32]:
        return (100 * users[:, np.newaxis] + np.arange(N_ITEMS)).astype(np.float32)


@pytest.mark.parametrize("at_a_time", [1, 2, 512])
@pytest.mark.parametrize("seed", range(5))
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
