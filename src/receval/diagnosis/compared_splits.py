# SPDX-License-Identifier: MIT
"""The splits that a diagnosis compares, each made once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from receval.data.ratings import Ratings
from receval.splits.split import TEST, TRAIN
from receval.splits.split_ratings import SplitRatings, split

COMPARED_SPLITS: Mapping[str, tuple[str, Mapping[str, Any]]] = MappingProxyType(
    {
        "random-ratio": ("random-ratio", {"train_ratio": 0.8}),
        "user-ratio": ("user-ratio", {"train_ratio": 0.8}),
        "leave-out": ("leave-out", {"held_out": 1, "short_profiles": "train"}),
        "leave-last-out": ("leave-last-out", {"held_out": 1, "short_profiles": "train"}),
        "temporal": ("temporal", {"scope": "all", "test_share": 0.2}),
        "temporal, by user": ("temporal", {"scope": "user", "test_share": 0.2}),
    }
)
"""Kind and parameters of splits by the name that tables give them; temporal ones need times."""


@dataclass(frozen=True)
class ComparedSplits:
    """Splits of the same ratings by name, and why others could not be made.

    Attributes
    ----------
    made : mapping of str to SplitRatings
    refused : mapping of str to str
        A sentence by the name of the split.
    """

    made: Mapping[str, SplitRatings]
    refused: Mapping[str, str]


def compared_splits(ratings: Ratings, seed: int) -> ComparedSplits:
    """Make all of :data:`COMPARED_SPLITS` that these ratings allow.

    Examples
    --------
    Without timestamps nothing is split by time, and that is said:

    >>> from receval.data.ratings_table import read_ratings
    >>> table = {"user": list("aaaaabbbbb"), "item": list("vwxyzvwxyz")}
    >>> splits = compared_splits(read_ratings(table), seed=1)
    >>> list(splits.made), list(splits.refused)
    (['random-ratio', 'user-ratio', 'leave-out'],
     ['leave-last-out', 'temporal', 'temporal, by user'])
    """
    made: dict[str, SplitRatings] = {}
    refused: dict[str, str] = {}
    for name, (kind, parameters) in COMPARED_SPLITS.items():
        try:
            own = split(ratings, kind, seed=seed, **parameters)
        except ValueError as error:
            refused[name] = str(error)
            continue
        if not (own.parts.codes[0] & TEST).any():
            refused[name] = "No rating tests: profiles are too short for this split."
        elif not (own.parts.codes[0] & TRAIN).any():
            refused[name] = "No rating trains: there are too few of them for this split."
        else:
            made[name] = own
    return ComparedSplits(made, refused)


def rows_in_part(data: SplitRatings, part: int) -> np.ndarray:
    """Return the rows of the ratings that are in a part of the first fold."""
    return np.flatnonzero(data.parts.codes[0] & part)
