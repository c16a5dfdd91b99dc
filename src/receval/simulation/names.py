"""Invented names of movies, beers and artists, and identifiers with gaps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_FIRST = (
    "Amber", "Ancient", "Bitter", "Blue", "Broken", "Burning", "Café", "Copper", "Crooked",
    "Crystal", "Dark", "Distant", "Double", "Électrique", "Empty", "Endless", "Fallen", "Fearless",
    "Foreign", "Forgotten", "Frozen", "Gentle", "Ghostly", "Golden", "Grand", "Grün", "Half",
    "Hidden", "Hollow", "Imperial", "Iron", "Last", "Little", "Lonely", "Lost", "Loud", "Lucky",
    "Midnight", "Modern", "Naïve", "Northern", "Old", "Paper", "Quiet", "Rapid", "Red", "Rising",
    "Royal", "Secret", "Seven", "Silent", "Silver", "Slow", "Southern", "Sweet", "Twin", "Velvet",
    "Wandering", "Wild", "Winter",
)  # fmt: skip
_SECOND = (
    "Anchors", "Angels", "Avenue", "Bears", "Bridge", "Brothers", "Canyon", "Castle", "Chapel",
    "Circus", "Cousins", "Crows", "Dancers", "Desert", "Dragon", "Engines", "Falls", "Farmers",
    "Fever", "Foxes", "Gardens", "Giants", "Harbor", "Harvest", "Horizon", "Hunters", "Island",
    "Jungle", "Kings", "Lanterns", "Letters", "Lions", "Machine", "Meadow", "Mirror", "Monkeys",
    "Mountain", "Orchestra", "Owls", "Parade", "Pilots", "Planet", "Rangers", "River", "Riders",
    "Roses", "Sailors", "Señor", "Shadows", "Sisters", "Station", "Storm", "Strangers", "Thieves",
    "Tigers", "Travelers", "Valley", "Wolves", "Wörld", "Zebra",
)  # fmt: skip


def invent_names(n_names: int, rng: np.random.Generator) -> list[str]:
    """Return distinct names of two words, all within ISO-8859-1, some with accents.

    Raises
    ------
    ValueError
        If there are not as many combinations.
    """
    if n_names > len(_FIRST) * len(_SECOND):
        raise ValueError(
            f"{n_names} names were asked for, but there are only {len(_FIRST) * len(_SECOND)} "
            "combinations of words: lower the number of items."
        )
    chosen = rng.permutation(len(_FIRST) * len(_SECOND))[:n_names]
    return [f"{_FIRST[i // len(_SECOND)]} {_SECOND[i % len(_SECOND)]}" for i in chosen]


def numbers_with_gaps(n_numbers: int, largest: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return distinct numbers from 1 to `largest` in ascending order.

    Originals number users and items with gaps; `largest` is raised where it would leave none.

    Examples
    --------
    >>> numbers = numbers_with_gaps(3, largest=10, rng=np.random.default_rng(1))
    >>> len(numbers), bool((np.diff(numbers) > 0).all()), set(numbers) <= set(range(1, 11))
    (3, True, True)
    """
    bound = max(largest, 2 * n_numbers)
    return np.sort(rng.choice(bound, n_numbers, replace=False)) + 1
