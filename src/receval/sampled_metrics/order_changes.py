# SPDX-License-Identifier: MIT
"""Compute how likely sampling swaps two systems, and how many negatives make that unlikely."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr

from receval.sampled_metrics.sampled_moments import AuditedMoments

RARE = 0.05
"""A swap of two systems counts as rare below this probability."""


def swap_probability(
    full: NDArray[np.float64], expected: NDArray[np.float64], variance: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the probability that a sampled difference has the opposite sign of the full one.

    Parameters
    ----------
    full, expected, variance : ndarray of float64, shape (n,)
        The difference under full ranking, and the mean and variance of the sampled difference.

    Returns
    -------
    ndarray of float64, shape (n,)
        NaN if the systems are equal under full ranking; one half if they are equal in every sample.

    Examples
    --------
    >>> swap_probability(np.array([0.1]), np.array([0.0]), np.array([1.0])).tolist()
    [0.5]
    """
    towards = np.sign(full) * expected
    towards = np.where(np.abs(towards) < 1e-12, 0.0, towards)
    deviation = np.sqrt(variance)
    # Without variance the order is certain, except that it is open if the difference is 0, too.
    sure = np.select([towards > 0, towards < 0], [np.inf, -np.inf], default=0.0)
    z = np.divide(towards, deviation, out=sure, where=deviation > 1e-12)
    return np.where(np.abs(full) < 1e-12, np.nan, ndtr(-z))


def order_changes(
    moments: AuditedMoments, sizes: Sequence[int], sampled: int, largest: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the pairs of systems with one number of negatives, and their swaps with all numbers.

    Parameters
    ----------
    sizes : sequence of int
        Numbers of negatives; the last one is the number of all candidates.
    sampled, largest : int
        The number of negatives that is audited, and the number of all candidates.
    """
    names, labels = list(moments.odds), list(moments.metrics)
    pairs, swaps = [], []

    def chance(size: int, row: int, one: int, other: int) -> float:
        mean, variance = moments.at(size)
        return float(
            swap_probability(
                moments.full[row, [one]] - moments.full[row, [other]],
                mean[row, [one]] - mean[row, [other]],
                variance[row, [one]] + variance[row, [other]],
            )[0]
        )

    wanted = [(r, *pair) for r in range(len(labels)) for pair in combinations(range(len(names)), 2)]
    for number, (row, one, other) in enumerate(wanted):
        if moments.told is not None:
            moments.told("pairs of systems", number, len(wanted))
        key = {"metric": labels[row], "first": names[one], "second": names[other]}
        chances = [chance(size, row, one, other) for size in sizes]
        swaps += [
            {**key, "negatives": size, "swap_probability": own}
            for size, own in zip(sizes, chances, strict=True)
        ]
        mean, variance = moments.at(sampled)
        pairs.append(
            {
                **key,
                "full_difference": moments.full[row, one] - moments.full[row, other],
                "full_p": moments.p_of_full(row, names[one], names[other]),
                "negatives": sampled,
                "expected_difference": mean[row, one] - mean[row, other],
                "sd": np.sqrt(variance[row, one] + variance[row, other]),
                "swap_probability": chance(sampled, row, one, other),
                "enough": _enough(sizes, chances, partial(chance, row=row, one=one, other=other)),
                "share": np.nan,
            }
        )
        pairs[-1]["share"] = pairs[-1]["enough"] / largest
    if moments.told is not None and wanted:
        moments.told("pairs of systems", len(wanted), len(wanted))
    columns: list[str] = ["metric", "first", "second"]
    return (
        pd.DataFrame(pairs) if pairs else pd.DataFrame(columns=columns),
        pd.DataFrame(swaps) if swaps else pd.DataFrame(columns=columns),
    )


def _enough(
    sizes: Sequence[int], chances: Sequence[float], chance: Callable[[int], float]
) -> float:
    """Return the smallest number of negatives with rare swaps, to within 2 %, or NaN."""
    often = np.flatnonzero(~(np.array(chances) < RARE))
    if not len(often):
        high, low = sizes[0], 0
    elif often[-1] == len(sizes) - 1:
        return np.nan
    else:
        low, high = sizes[often[-1]], sizes[often[-1] + 1]
    while high - low > max(1, low // 50):
        middle = (low + high) // 2
        if chance(middle) < RARE:
            high = middle
        else:
            low = middle
    return float(high)
