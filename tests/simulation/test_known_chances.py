# SPDX-License-Identifier: MIT
"""Worlds with known chances: pairs are observed as often as they say."""

from __future__ import annotations

import numpy as np

from reproduction.simulation.complete_judgments import DISLIKED, LIKED, KnownChances


def test_pairs_are_observed_as_often_as_their_chance_says() -> None:
    world = KnownChances.drawn(40, 30, np.random.default_rng(1))
    rng = np.random.default_rng(2)
    seen = np.mean([world.observed(0.5, rng) for _ in range(400)], axis=0)
    deviations = np.sqrt(0.5 * world.chances / 400)
    assert (np.abs(seen - 0.5 * world.chances) < 5 * deviations + 1e-3).all()


def test_chances_are_probabilities_and_ratings_say_what_is_liked() -> None:
    world = KnownChances.drawn(200, 100, np.random.default_rng(3))
    assert world.chances.min() > 0
    assert world.chances.max() <= 0.9
    assert ((world.ratings == LIKED) == world.liked).all()
    assert set(np.unique(world.ratings)) == {DISLIKED, LIKED}
    assert 0.05 < world.liked.mean() < 0.6


def test_the_same_generator_draws_the_same_world() -> None:
    one, other = (KnownChances.drawn(20, 10, np.random.default_rng(4)) for _ in range(2))
    assert (one.liked == other.liked).all()
    assert (one.chances == other.chances).all()
