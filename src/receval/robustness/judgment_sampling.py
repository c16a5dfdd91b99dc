"""In which order judgments are removed from a test set: the kinds of incompleteness."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from receval.splits.split import Judgments

SamplingUnit = Literal["ratings", "items", "users", "popular-items", "largest-users"]

RANDOM: frozenset[str] = frozenset({"ratings", "items", "users"})
"""Kinds that draw samples; the others are the same at every draw but for ties."""


def sampling_order(
    judgments: Judgments, unit: SamplingUnit, generator: np.random.Generator
) -> tuple[NDArray[np.int64], int]:
    """Give each test rating its turn to leave: those that stay longest have the lowest.

    Parameters
    ----------
    judgments : Judgments
        The test ratings of a fold.
    unit : {"ratings", "items", "users", "popular-items", "largest-users"}
        What leaves: single ratings, items, or users in random order; items from the one with most
        test ratings on; users from the one with most test ratings on. With an item or a user go
        all of its test ratings.
    generator : Generator
        Draws the order, or the order among equals.

    Returns
    -------
    order : ndarray of int64, shape (n_judgments,)
        Ratings with a turn below k are those left when k ratings, items or users are kept: the
        samples of one order are nested.
    n_units : int
        Number of ratings, of items with test ratings, or of users with test ratings.

    Raises
    ------
    ValueError
        There is no such kind, or there are no test ratings.
    """
    if unit not in get_args(SamplingUnit):
        raise ValueError(
            f"There is no removal of {unit!r}; there are {', '.join(get_args(SamplingUnit))}."
        )
    if not len(judgments):
        raise ValueError("There are no test ratings, so none can be removed.")
    if unit == "ratings":
        return generator.permutation(len(judgments)).astype(np.int64), len(judgments)
    owners = judgments.items if unit in ("items", "popular-items") else judgments.users
    _, owner_ranks, sizes = np.unique(owners, return_inverse=True, return_counts=True)
    drawn = generator.permutation(len(sizes))
    if unit in RANDOM:
        return drawn[owner_ranks].astype(np.int64), len(sizes)
    smallest_first = np.lexsort((drawn, sizes))
    order = np.empty(len(sizes), dtype=np.int64)
    order[smallest_first] = np.arange(len(sizes))
    return order[owner_ranks], len(sizes)


def kept_units(n_units: int, percents: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return how many units are kept at each level: the percentage, rounded, but at least one.

    Raises
    ------
    ValueError
        The percentages do not fall from at most 100 to above 0.
    """
    levels = np.asarray(percents, dtype=np.float64)
    if not len(levels) or levels[0] > 100 or levels[-1] <= 0 or np.any(np.diff(levels) >= 0):
        raise ValueError(
            f"The levels {levels.tolist()} must fall from at most 100 per cent to above 0."
        )
    return np.maximum(1, np.floor(n_units * levels / 100 + 0.5).astype(np.int64))
