# SPDX-License-Identifier: MIT
"""Samples of candidates, word by word of the generator that every user has."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from receval.protocols.candidates import sample_candidates, user_seeds

WORD = 2**64
STEP = 0x9E3779B97F4A7C15
FACTORS = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
NOTHING = np.zeros(0, dtype=np.int32)


def words_from(seed: int) -> Iterator[int]:
    """Yield what SplitMix64 draws, in Python's own integers."""
    state = seed
    while True:
        state = (state + STEP) % WORD
        mixed = (state ^ (state >> 30)) * FACTORS[0] % WORD
        mixed = (mixed ^ (mixed >> 27)) * FACTORS[1] % WORD
        yield mixed ^ (mixed >> 31)


def seed_whose_first_word_is(word: int) -> int:
    """Mix backwards."""

    def unshifted(mixed: int, bits: int) -> int:
        found = mixed
        for _ in range(64 // bits):
            found = mixed ^ (found >> bits)
        return found

    mixed = unshifted(word, 31) * pow(FACTORS[1], -1, WORD) % WORD
    mixed = unshifted(mixed, 27) * pow(FACTORS[0], -1, WORD) % WORD
    return (unshifted(mixed, 30) - STEP) % WORD


def uniform_sample(pool: list[int], size: int, seed: int) -> list[int]:
    """Return the first steps of a Fisher-Yates shuffle."""
    items = pool.copy()
    n_drawn = min(size, len(items))
    for drawn, word in zip(range(n_drawn), words_from(seed), strict=False):
        other = drawn + ((word >> 32) * (len(items) - drawn) >> 32)
        items[drawn], items[other] = items[other], items[drawn]
    return items[:n_drawn]


def noise_of(word: int) -> float:
    """Return the negative Gumbel noise of the middle of one of 2^53 parts."""
    return math.log(-math.log(((word >> 11) + 0.5) / 2**53))


def weighted_sample(
    base: list[int], pool: set[int], weights: NDArray[np.float64], size: int, seed: int
) -> list[int]:
    """Return the items of the smallest keys; those of weight 0 come behind all others."""
    keys = {}
    for item, word in zip(base, words_from(seed), strict=False):
        if item in pool:
            weight = weights[item]
            keys[item] = (weight == 0, noise_of(word) - (math.log(weight) if weight else 0.0))
    return sorted(keys, key=lambda item: keys[item])[:size]


@dataclass(frozen=True)
class Drawing:
    """Users to draw for, of whose items some are trained on, relevant, or no candidates."""

    is_candidate: NDArray[np.bool_]
    trained: NDArray[np.bool_]
    relevant: NDArray[np.bool_]
    seeds: NDArray[np.uint64]
    is_drawn_for: NDArray[np.bool_]

    @classmethod
    def of_seed(cls, seed: int) -> Drawing:
        rng = np.random.default_rng(seed)
        n_users, n_items = int(rng.integers(1, 7)), int(rng.integers(1, 13))
        shares = rng.choice([0.0, 0.3, 0.6, 1.0], (3, n_users, 1), p=[0.2, 0.5, 0.2, 0.1])
        trained, relevant = (rng.random((n_users, n_items)) < share for share in shares[:2])
        return cls(
            rng.random(n_items) < rng.choice([0.5, 1.0]),
            trained,
            relevant,
            user_seeds(rng, n_users),
            rng.random(n_users) < rng.choice([0.5, 1.0]),
        )

    @property
    def base(self) -> list[int]:
        return np.flatnonzero(self.is_candidate).tolist()

    def pool(self, user: int) -> list[int]:
        is_open = self.is_candidate & ~self.trained[user] & ~self.relevant[user]
        return np.flatnonzero(is_open).tolist() if self.is_drawn_for[user] else []

    def arguments(self, size: int, everybody: bool) -> tuple[object, ...]:
        rows = [
            (np.r_[0, np.cumsum(marks.sum(axis=1))], np.nonzero(marks)[1].astype(np.int32))
            for marks in (self.trained, self.relevant)
        ]
        drawn_for = () if everybody else (self.is_drawn_for,)
        return (self.is_candidate, *rows[0], *rows[1], size, self.seeds, *drawn_for)


def samples_in(drawn: tuple[NDArray[np.int64], NDArray[np.int32]]) -> list[list[int]]:
    indptr, items = drawn
    assert indptr[0] == 0
    assert indptr[-1] == len(items)
    return [items[start:end].tolist() for start, end in pairwise(indptr)]


@given(seed=st.integers(0, 10**6), size=st.integers(1, 14))
def test_uniform_samples_are_the_first_steps_of_a_shuffle_of_what_is_left(
    seed: int, size: int
) -> None:
    drawing = Drawing.of_seed(seed)
    found = sample_candidates(*drawing.arguments(size, everybody=False))  # type: ignore[arg-type]
    assert samples_in(found) == [
        uniform_sample(drawing.pool(user), size, int(own)) for user, own in enumerate(drawing.seeds)
    ]


@given(seed=st.integers(0, 10**6), size=st.integers(1, 14))
def test_weighted_samples_are_the_items_of_the_largest_noise_and_weight(
    seed: int, size: int
) -> None:
    drawing = Drawing.of_seed(seed)
    weights = np.random.default_rng(seed).integers(0, 4, len(drawing.is_candidate)).astype(float)
    found = sample_candidates(*drawing.arguments(size, everybody=False), weights=weights)  # type: ignore[arg-type]
    assert samples_in(found) == [
        weighted_sample(drawing.base, set(drawing.pool(user)), weights, size, int(own))
        for user, own in enumerate(drawing.seeds)
    ]


@given(seed=st.integers(0, 10**6))
def test_everybody_is_drawn_for_if_nobody_is_named(seed: int) -> None:
    drawing = Drawing.of_seed(seed)
    weights = np.ones(len(drawing.is_candidate))
    everybody = np.ones(len(drawing.seeds), dtype=bool)
    named = replace(drawing, is_drawn_for=everybody).arguments(5, everybody=False)
    nobody = drawing.arguments(5, everybody=True)
    for one, other in (
        (sample_candidates(*named), sample_candidates(*nobody)),  # type: ignore[arg-type]
        (sample_candidates(*named, weights=weights), sample_candidates(*nobody, weights=weights)),  # type: ignore[arg-type]
    ):
        assert samples_in(one) == samples_in(other)


def first_of_two(weights: list[float], word: int) -> int:
    """Draw one of two items, of which the first has a given word."""
    rows = np.zeros(2, dtype=np.int64), NOTHING
    seeds = np.array([seed_whose_first_word_is(word)], dtype=np.uint64)
    both = np.ones(2, dtype=bool)
    _, items = sample_candidates(both, *rows, *rows, 1, seeds, weights=np.array(weights))
    return int(items[0])


@pytest.mark.each("word", [0, 2**11 - 1, 2**11, 2**13, 2**62, 2**63, 2**64 - 2**12])
def test_the_noise_of_a_word_is_that_of_the_middle_of_its_part(word: int) -> None:
    first, second = islice(words_from(seed_whose_first_word_is(word)), 2)
    assert first == word
    for shift in (-1e-3, 1e-3):
        weight = math.exp(noise_of(second) - noise_of(first) - shift)
        assert first_of_two([1.0, weight], word) == (0 if shift > 0 else 1)


def test_the_largest_word_is_drawn_first_whatever_the_weights() -> None:
    assert first_of_two([1e-300, 1e300], 2**64 - 1) == 0


def test_seeds_are_the_words_of_the_generator() -> None:
    words = np.random.default_rng(3).bit_generator.random_raw(50)
    assert user_seeds(np.random.default_rng(3), 50).tolist() == words.tolist()
