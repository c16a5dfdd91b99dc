# SPDX-License-Identifier: MIT
"""Seeds from names: every random choice is a function of what it is for, never of its order."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

GeneratorFor = Callable[..., np.random.Generator]
"""Gives the generator of one choice among those of a split or a ranking, by the choice's names:
``generator_for("ties")``, or by the number of a fold."""


def seed_sequence(root: int, *names: str | int) -> np.random.SeedSequence:
    """Return the seed sequence of a named random choice.

    Parameters
    ----------
    root : int
        The edition's root seed.
    *names : str or int
        What the choice is for, from the general to the particular: dataset, split, fold, system.
        A split's names never contain a system, so splits do not depend on the systems compared.
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
    The same names give the same numbers, other names give others:

    >>> draws = [generator(1, "ml-1m", "k-fold", fold).random() for fold in (0, 0, 1)]
    >>> draws[0] == draws[1], draws[0] == draws[2]
    (True, False)
    """
    return np.random.Generator(np.random.PCG64(seed_sequence(root, *names)))


def integer_seed(root: int, *names: str | int) -> int:
    """Return a seed in ``0..2**31-1`` for libraries that take a plain integer."""
    return int(seed_sequence(root, *names).generate_state(1)[0] >> 1)


def block_seed(seed: np.random.SeedSequence, number: int) -> np.random.SeedSequence:
    """Return the seed of a block of random samples, by its number.

    Results then do not depend on which thread draws a block, nor on how many are drawn.
    Not ``seed.spawn``, which counts its calls and would give other children the next time.
    """
    return np.random.SeedSequence(
        seed.entropy, spawn_key=(*seed.spawn_key, number), pool_size=seed.pool_size
    )


def gumbel_noise(shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.float64]:
    """Return independent standard Gumbel noise, ``-log(E)`` with E standard exponential."""
    return -np.log(rng.standard_exponential(shape))
