"""BPRMF, WBPR and GBPR: which users, items and groups are drawn, and how often."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
import pytest
from numpy.typing import NDArray
from recommenders.matrices import (
    COLD_ITEM,
    ONE_RATING_USER,
    generated,
    to_matrix,
)
from recommenders.objectives import drawn_group
from recommenders.systems import pcg

from receval.recommenders import pairwise_sampling
from receval.recommenders.pairwise_sampling import PairSampler
from receval.recommenders.wbpr import CACHED_USERS, REFRESH, DriftingPopularitySampler

Dense = NDArray[np.float64]
Ints = NDArray[np.int32]


def all_drawn(sampler: PairSampler, n_pairs: int) -> tuple[Ints, Ints, Ints]:
    parts = [np.concatenate(part) for part in zip(*sampler.blocks(n_pairs), strict=True)]
    return parts[0], parts[1], parts[2]


def assert_frequencies(codes: Ints, expected: Dense) -> None:
    """Check counts against their expectations, given up to a factor: within 5 deviations."""
    expected = len(codes) * expected / expected.sum()
    counts = np.bincount(codes, minlength=len(expected))
    assert (counts[expected == 0] == 0).all()
    assert (np.abs(counts - expected) <= 5 * np.sqrt(expected)).all()


def ratings_with_a_user_of_all_items() -> NDArray[np.bool_]:
    _, rated = generated()
    rated[0] = True
    rated[0, COLD_ITEM] = False
    return rated


@pytest.mark.parametrize("positives", ["users", "ratings"])
@pytest.mark.parametrize("negatives", ["uniform", "popularity"])
def test_pairs_are_drawn_with_the_documented_probabilities(positives: str, negatives: str) -> None:
    rated = ratings_with_a_user_of_all_items()
    sampler = PairSampler(to_matrix(rated * 2.0, rated), pcg(5), positives, negatives)
    users, above, below = all_drawn(sampler, 300_000)
    assert len(users) == 300_000
    assert rated[users, above].all()
    assert not rated[users, below].any()
    lengths = rated.sum(axis=1).astype(float)
    can_be_drawn = (lengths > 0) & (lengths < 44)
    np.testing.assert_array_equal(sampler.eligible, np.flatnonzero(can_be_drawn))
    user_weights = can_be_drawn * (lengths if positives == "ratings" else 1.0)
    assert_frequencies(users, user_weights)
    popularity = rated.sum(axis=0)
    item_weights = popularity if negatives == "popularity" else popularity > 0
    for user in (ONE_RATING_USER, 9):
        assert_frequencies(above[users == user], rated[user].astype(float))
        assert_frequencies(below[users == user], (item_weights * ~rated[user]).astype(float))


def test_groups_are_the_user_and_other_raters_drawn_uniformly() -> None:
    # GBPR's fits equal those with these groups (test_pairwise_fits.py).
    raters = np.array([2, 5, 7, 11, 12])
    generator = pcg(2)
    groups = np.array([drawn_group(generator, raters, 7, 3) for _ in range(40_000)])
    assert (groups[:, 0] == 7).all()
    assert (groups[:, 1] != groups[:, 2]).all()
    others = np.bincount(raters[raters != 7]).astype(float)
    assert_frequencies(groups[:, 1], others)
    assert_frequencies(groups[:, 2], others)
    assert drawn_group(generator, raters, 7, 6) == [7, 2, 5, 11, 12]


class ListsOfLibRec:
    """LibRec's lists of weights, as its WBPR builds them: one entry an item, shared by all."""

    def __init__(self, rated: NDArray[np.bool_]) -> None:
        popularity = rated.sum(axis=0)
        order = sorted(np.flatnonzero(popularity), key=lambda item: -popularity[item])
        self.weights = {int(item): float(popularity[item]) for item in order}
        self.rated, self.lists = rated, OrderedDict[int, list[int]]()

    def probabilities(self, user: int) -> Dense:
        """Return the chance of each item to be drawn for the user, who is drawn now."""
        if user in self.lists:
            self.lists.move_to_end(user)
        else:
            if len(self.lists) == CACHED_USERS:
                self.lists.popitem(last=False)
            listed = [item for item in self.weights if not self.rated[user, item]]
            total = sum(self.weights[item] for item in listed)
            for item in listed:
                self.weights[item] /= total
            self.lists[user] = listed
        chances, reached = np.zeros(self.rated.shape[1]), 0.0
        for item in self.lists[user]:
            chances[item] = min(self.weights[item], 1 - reached)
            reached += chances[item]
        chances[0] += 1 - reached
        return chances


def test_drifting_weights_are_those_of_the_lists_of_librec() -> None:
    _, rated = generated(n_users=CACHED_USERS + 150, n_items=40)
    sampler = DriftingPopularitySampler(to_matrix(rated * 1.0, rated), pcg(1))
    lists = ListsOfLibRec(rated)
    generator = pcg(7)
    found, expected = np.zeros(40), np.zeros(40)
    ways_out = 0.0
    for _ in range(30):
        users = generator.choice(sampler.eligible, 500).astype(np.int32)
        negatives = sampler.negatives(users)
        for user, item in zip(users, negatives, strict=True):
            chances = lists.probabilities(user)
            # Far below the 5 deviations of the sums beneath: no draw is ever impossible.
            assert chances[item] > 0
            found[item] += 1
            expected += chances
            ways_out += chances[0] if rated[user, 0] else 0
        weights = np.array(list(lists.weights.values()))
        ratios = sampler.weights / weights
        np.testing.assert_allclose(ratios, ratios[0], rtol=1e-6)
    assert ways_out > 20
    assert (np.abs(found - expected) <= 5 * np.sqrt(expected + 1)).all()


def drawn_by_librec(lists: ListsOfLibRec, user: int, generator: np.random.Generator) -> int:
    """Draw an item for a user, who is drawn now; of a new list by leaving out the rated items."""
    has_list = user in lists.lists
    lists.probabilities(user)
    items = lists.lists[user] if has_list else list(lists.weights)
    reached = np.cumsum([lists.weights[item] for item in items])
    if has_list:
        place = int(np.searchsorted(reached, generator.random()))
        return items[place] if place < len(items) else 0
    while True:
        bound = generator.random() * reached[-1]
        item = items[int(np.searchsorted(reached, bound, side="right"))]
        if not lists.rated[user, item]:
            return item


def test_a_long_call_draws_what_lists_of_librec_do_one_by_one() -> None:
    # More items than the 64 of one sum, and sums from scratch twice within the call. Calls of one
    # draw come first: weights that fall from 1e23 would leave sums of 1,024 draws inexact.
    _, rated = generated(n_users=CACHED_USERS + 150, n_items=150)
    sampler = DriftingPopularitySampler(to_matrix(rated * 1.0, rated), pcg(1))
    users = pcg(7).choice(sampler.eligible, 3 * REFRESH + 500).astype(np.int32)
    lists, generator = ListsOfLibRec(rated), pcg(1)
    expected = [drawn_by_librec(lists, user, generator) for user in users.tolist()]
    first = [int(sampler.negatives(users[n : n + 1])[0]) for n in range(REFRESH)]
    assert first + sampler.negatives(users[REFRESH:]).tolist() == expected


@pytest.mark.parametrize("positives", ["users", "ratings"])
@pytest.mark.parametrize("negatives", ["uniform", "popularity"])
def test_blocks_of_three_pairs_are_drawn_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch, positives: str, negatives: str
) -> None:
    monkeypatch.setattr(pairwise_sampling, "BLOCK", 3)
    rated = ratings_with_a_user_of_all_items()
    train, generator = to_matrix(rated * 2.0, rated), pcg(5)
    blocks = list(PairSampler(train, pcg(5), positives, negatives).blocks(8))
    assert [len(users) for users, _, _ in blocks] == [3, 3, 2]

    def one_of(codes: Ints) -> int:
        return int(codes[int(generator.random() * len(codes))])

    lengths = rated.sum(axis=1)
    eligible = np.flatnonzero((lengths > 0) & (lengths < 44))
    owners, items = np.nonzero(rated)
    rows = np.flatnonzero(np.isin(owners, eligible))
    pool = items if negatives == "popularity" else np.unique(items)
    for users, above, below in blocks:
        for user, item in zip(users, above, strict=True):
            if positives == "ratings":
                row = one_of(rows)
                assert (user, item) == (owners[row], items[row])
            else:
                assert user == one_of(eligible)
                assert item == one_of(np.flatnonzero(rated[user]))
        for user, item in zip(users, below, strict=True):
            drawn = one_of(pool)
            while rated[user, drawn]:
                drawn = one_of(pool)
            assert item == drawn


def test_drifting_weights_leave_the_popularities_behind() -> None:
    _, rated = generated(n_users=CACHED_USERS + 150, n_items=40)
    sampler = DriftingPopularitySampler(to_matrix(rated * 1.0, rated), pcg(1))
    popularity = np.sort(rated.sum(axis=0))[::-1][: len(sampler.weights)]
    np.testing.assert_array_equal(sampler.weights, popularity)
    sampler.negatives(pcg(7).choice(sampler.eligible, 20_000).astype(np.int32))
    relative = sampler.weights / popularity
    assert relative.max() > 1e3 * relative.min()
