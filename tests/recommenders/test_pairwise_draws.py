# SPDX-License-Identifier: MIT
"""BPRMF, WBPR and GBPR: which users, items and groups are drawn, and how often."""

from __future__ import annotations

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

from receval.recommenders import pairwise
from receval.recommenders.pairwise import PairSampler

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


@pytest.mark.costly
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


@pytest.mark.parametrize("positives", ["users", "ratings"])
@pytest.mark.parametrize("negatives", ["uniform", "popularity"])
def test_blocks_of_three_pairs_are_drawn_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch, positives: str, negatives: str
) -> None:
    monkeypatch.setattr(pairwise, "BLOCK", 3)
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
