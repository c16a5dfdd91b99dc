# SPDX-License-Identifier: MIT
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from receval.seeds import gumbel_noise
from reproduction.simulation.spec import RandomSample
from reproduction.simulation.world import draw_random_sample, sample_items


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_every_user_gets_as_many_distinct_items_as_there_are(seed: int, cover: bool) -> None:
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=(5, 8))
    weights[rng.random((5, 8)) < 0.3] = -np.inf
    counts = rng.integers(0, 9, 5)
    users, items = sample_items(weights, counts, gumbel_noise((5, 8), rng), cover_items=cover)
    drawn = np.zeros((5, 8), dtype=int)
    np.add.at(drawn, (users, items), 1)
    assert drawn.max() <= 1
    assert not drawn[np.isinf(weights)].any()
    assert drawn.sum(axis=1).tolist() == np.minimum(counts, np.isfinite(weights).sum(1)).tolist()


def test_items_are_drawn_one_after_the_other_in_proportion_to_weight() -> None:
    weights = np.array([5.0, 3.0, 2.0])
    n_users = 40_000
    noise = gumbel_noise((n_users, 3), np.random.default_rng(7))
    users, items = sample_items(
        np.broadcast_to(np.log(weights), (n_users, 3)), np.full(n_users, 2), noise
    )
    ordered = items.reshape(n_users, 2)
    share = weights / weights.sum()
    for first in range(3):
        for second in {0, 1, 2} - {first}:
            expected = share[first] * share[second] / (1 - share[first])
            found = ((ordered[:, 0] == first) & (ordered[:, 1] == second)).mean()
            assert found == pytest.approx(expected, abs=4 * np.sqrt(0.25 / n_users))
    assert users.tolist() == np.repeat(np.arange(n_users), 2).tolist()


def test_covering_gives_even_a_hopeless_item_one_user() -> None:
    rng = np.random.default_rng(3)
    weights = np.zeros((30, 12))
    weights[:, 4] = -60
    counts = np.full(30, 3)
    noise = gumbel_noise((30, 12), rng)
    assert 4 not in sample_items(weights, counts, noise)[1]
    covered = sample_items(weights, counts, noise, cover_items=True)[1]
    assert np.bincount(covered, minlength=12)[4] == 1
    assert set(covered.tolist()) == set(range(12))


def test_only_the_first_users_get_a_random_sample_and_all_items_are_as_likely() -> None:
    sample = RandomSample(users=4_000, minimum=2, maximum=4, holds_choices=False)
    drawn = draw_random_sample(sample, (5_000, 20), np.random.default_rng(0))
    sizes = drawn.sum(axis=1)
    assert set(sizes[:4_000].tolist()) == {2, 3, 4}
    assert not sizes[4_000:].any()
    by_item = drawn.sum(axis=0)
    assert by_item == pytest.approx(np.full(20, 4_000 * 3 / 20), abs=5 * np.sqrt(600))


def test_without_a_specification_nothing_is_drawn() -> None:
    assert not draw_random_sample(None, (3, 4), np.random.default_rng(0)).any()
