# SPDX-License-Identifier: MIT
"""Numbers by their order: the rank of each, and all of them sorted."""

from __future__ import annotations

from typing import Literal

import numpy as np

from reproduction.claims.sources import LabelledValues

Ahead = Literal["higher", "lower"]


def ranks_of(numbers: LabelledValues, ahead: Ahead) -> LabelledValues:
    """Return the rank of each number among those whose labels differ in the last place alone.

    Examples
    --------
    >>> values = LabelledValues.of([("Pop",), ("Avg",), ("Random",)], np.array([0.3, 0.1, 0.3]))
    >>> ranks_of(values, "higher").values.tolist()
    [1.0, 3.0, 1.0]
    """
    groups: dict[tuple[str, ...], list[int]] = {}
    for position, label in enumerate(numbers.labels):
        if not label:
            raise ValueError("A rank needs several things to rank: name a column under each.")
        groups.setdefault(label[:-1], []).append(position)
    ranks = np.full(len(numbers.values), np.nan)
    for positions in groups.values():
        values = numbers.values[positions]
        leading = values[None, :] > values[:, None]
        if ahead == "lower":
            leading = values[None, :] < values[:, None]
        ranks[positions] = np.where(np.isnan(values), np.nan, 1 + leading.sum(axis=1))
    return LabelledValues.of(numbers.labels, ranks)


def from_the_highest(numbers: LabelledValues) -> LabelledValues:
    """Return the numbers from the highest to the lowest, labelled by rank.

    Those that are NaN are left out.
    """
    known = numbers.values[~np.isnan(numbers.values)]
    labels = [(str(rank),) for rank in range(1, len(known) + 1)]
    return LabelledValues.of(labels, np.sort(known)[::-1])
