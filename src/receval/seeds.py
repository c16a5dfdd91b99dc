# SPDX-License-Identifier: MIT
"""Derive random seeds from names, so that no random choice depends on the order of others."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

GeneratorFor = Callable[..., np.random.Generator]
"""Returns the generator for one random choice of a split or ranking, by its names, as in
``generator_for("ties")``, or by the number of a fold."""


def seed_sequence(root: int, *names: str | int) -> np.random.SeedSequence:
    """Return the seed sequence of a named random choice, under the edition's root seed.

    Names go from general to specific: dataset, split, fold, system. The names of a split never
    contain a system, so splits do not depend on the systems compared.
    """
    words: list[int] = []
    for name in names:
        digest = hashlib.sha256(f"{type(name).__name__}:{name}".encode()).digest()
        words.extend(int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4))
    return np.random.SeedSequence([root, *words])


def generator(root: int, *names: str | int) -> np.random.Generator:
    """Return a PCG64 generator for a named random choice (see :func:`seed_sequence`).

    Examples
    --------
    The same names give the same numbers, and other names give others:

    >>> draws = [generator(1, "ml-1m", "k-fold", fold).random() for fold in (0, 0, 1)]
    >>> draws[0] == draws[1], draws[0] == draws[2]
    (True, False)
    """
    return np.random.Generator(np.random.PCG64(seed_sequence(root, *names)))


def integer_seed(root: int, *names: str | int) -> int:
    """Return a seed in ``0..2**31-1`` for libraries that need a plain integer."""
    return int(seed_sequence(root, *names).generate_state(1)[0] >> 1)


def block_seed(seed: np.random.SeedSequence, number: int) -> np.random.SeedSequence:
    """Return the seed of a block of random samples, by its number.

    Results then do not depend on which thread draws a block, or on how many are drawn.
    ``seed.spawn`` is not used: it counts its calls, so a second call would give other seeds.
    """
    return np.random.SeedSequence(
        seed.entropy, spawn_key=(*seed.spawn_key, number), pool_size=seed.pool_size
    )


def gumbel_noise(shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.float64]:
    """Return independent standard Gumbel noise, ``-log(E)`` with E standard exponential."""
    return -np.log(rng.standard_exponential(shape))
