# SPDX-License-Identifier: MIT
"""Compute exact moments of sampled metrics, and how likely sampling swaps two systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr

from receval.evaluation.fitted_systems import ProgressSteps
from receval.metrics.metric import Metric
from receval.sampled_metrics.sampled_candidates import (
    SamplingOdds,
    expected_of_ranks,
    refuse_weights_of_items,
    values_of_one_item,
)
from receval.statistics.paired_tests import t_test


def values_by_rank(metric: Metric, deepest: int, odds: SamplingOdds) -> NDArray[np.float64]:
    """Return the value of a metric for each rank of a list's one relevant item, up to the deepest.

    Index 0 holds the value if the item is not ranked. Metrics whose value depends on more than the
    rank are refused: on other judgments, on the length of the list, on the item or on its rating.

    Examples
    --------
    >>> from receval.metrics.registry import parse
    >>> none = np.empty(0, dtype=np.int64)
    >>> odds = SamplingOdds(none, np.array([4, 5]), none, none, none, True, 4.0, 5.0)
    >>> values_by_rank(parse("RR"), 4, odds).round(3).tolist()
    [0.0, 1.0, 0.5, 0.333, 0.25]
    """
    if metric.refused_under_1r:
        raise ValueError(
            f"{metric.label} needs all judgments of a list, but a relevant item among sampled "
            "candidates is the only relevant one in its list. Choose P, Recall, nDCG, RR or AP."
        )
    refuse_weights_of_items(odds, metric)
    of_ratings = [
        values_of_one_item(odds, metric, rating, np.full(deepest + 1, length))
        for rating in (float(odds.values.min()), float(odds.values.max()))
        for length in (0, deepest + 1)
    ]
    for other in of_ratings[1:]:
        # Gains of large ratings are divided by themselves with rounding errors.
        if not np.allclose(of_ratings[0], other, rtol=1e-9, atol=0):
            others = [name for name in ("Recall@10", "nDCG@10", "RR") if name != metric.label]
            raise ValueError(
                f"{metric.label} depends on the length of a list or on the rating of its relevant "
                "item, and not only on the rank. Choose another metric, for example "
                f"{' or '.join(others[:2])}."
            )
    return of_ratings[0]


# Means and variances of the metrics of several systems over samples of any size.


class AuditedMoments:
    """Cached means and variances of all metrics and systems over samples of each size.

    Codes of users in the odds that differ by a multiple of ``n_users`` are of the same user;
    `owners` are these codes below ``n_users``, by relevant item. `tables`, of shape (n_ranks,
    n_metrics), have the metrics by rank; the first row is for an item that is not ranked.
    `full_items`, of shape (n_items, n_metrics), are the values under full ranking, by system.
    """

    def __init__(
        self,
        odds: Mapping[str, SamplingOdds],
        metrics: Mapping[str, Metric],
        n_users: int,
        told: ProgressSteps | None,
    ) -> None:
        self.odds = odds
        self.metrics = metrics
        self.told = told
        self._known: dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
        first = next(iter(odds.values()))
        self.owners = first.users % n_users
        deepest = int(first.pools.max()) + 1
        self.tables = np.stack(
            [values_by_rank(metric, deepest, first) for metric in metrics.values()], axis=1
        )
        self.full_items = {name: self.tables[own.above + 1] for name, own in odds.items()}

    @property
    def full(self) -> NDArray[np.float64]:
        """Averages under full ranking, shape (n_metrics, n_systems)."""
        return np.stack([items.mean(axis=0) for items in self.full_items.values()], axis=1)

    def p_of_full(self, metric: int, first: str, second: str) -> float:
        """Return the p-value of the paired t-test over users under full ranking."""
        counts = np.bincount(self.owners)
        tested = counts > 0
        both = np.stack(
            [
                np.bincount(self.owners, weights=self.full_items[name][:, metric])[tested]
                / counts[tested]
                for name in (first, second)
            ]
        )
        if both.shape[1] < 2:
            return float("nan")
        return float(t_test(both[None])[0, 0])

    def items(self, system: str, size: int) -> NDArray[np.float64]:
        """Return the expected metrics, then the expected squares, for each relevant item."""
        both = np.concatenate([self.tables, self.tables**2], axis=1)
        return expected_of_ranks(self.odds[system], both, size)

    def at(self, size: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return means and variances of the averages, each of shape (n_metrics, n_systems)."""
        if size not in self._known:
            found = [moments_of_average(self.items(name, size)) for name in self.odds]
            self._known[size] = (
                np.stack([mean for mean, _ in found], axis=1),
                np.stack([variance for _, variance in found], axis=1),
            )
        return self._known[size]


def moments_of_average(
    items: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean and variance of the average over independent items, for each function."""
    half = items.shape[1] // 2
    variances = np.maximum(items[:, half:] - items[:, :half] ** 2, 0.0)
    return items[:, :half].mean(axis=0), variances.sum(axis=0) / len(items) ** 2


# Cut-offs under full ranking that correspond to a cut-off among samples.


def full_cutoffs(moments: AuditedMoments, sampled: int) -> pd.DataFrame:
    r"""Return the cut-offs at which systems' full Recall reaches their expected sampled Recall.

    A relevant item among the first k of its sampled candidates is among the first K of all
    candidates for some larger K. For Recall (hit rate) and P, which are step functions of the rank
    under 1R, that cut-off is

    .. math:: K = \min \{K : \mathrm{Recall}@K \ge E[\mathrm{Recall}@k \text{ among samples}]\}

    If K were the same for all systems, sampled Recall@k would measure Recall@K and order systems
    correctly. Columns: ``metric`` (step functions only) and ``system``; ``negatives``; the
    ``cutoff`` k among samples; the ``full_cutoff`` K, 0 if the expected value is 0; and its
    ``share`` of the mean number of candidates of relevant items.

    Li, Jin, Gao and Liu (2020), "On sampling top-K recommendation evaluation", KDD, look for one
    function :math:`K = f(k)` for all systems with :math:`SHR@k \approx HR@f(k)`. Here K is measured
    for each system, which shows how well one function can fit.
    """
    rows = []
    for column, metric in enumerate(moments.metrics):
        steps = moments.tables[1:, column]
        cutoff = int((steps > 0).sum())
        if moments.tables[0, column] or not np.array_equal(
            steps, steps[0] * (np.arange(len(steps)) < cutoff)
        ):
            continue
        expected = moments.at(sampled)[0][column]
        for system, value in zip(moments.odds, expected, strict=True):
            odds = moments.odds[system]
            ranks = np.sort(odds.above[odds.above >= 0] + 1)
            # At least as many items must be found, up to the rounding error of the sum.
            needed = int(np.ceil(value / steps[0] * len(odds.above) - 1e-9))
            full = int(ranks[needed - 1]) if needed else 0
            pool = float(odds.pools[odds.users].mean())
            rows.append((metric, system, sampled, cutoff, full, full / (pool + 1)))
    columns = ["metric", "system", "negatives", "cutoff", "full_cutoff", "share"]
    return pd.DataFrame(rows, columns=columns)


RARE = 0.05
"""A swap of two systems counts as rare below this probability."""


def swap_probability(
    full: NDArray[np.float64], expected: NDArray[np.float64], variance: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the probability that a sampled difference has the opposite sign of the full one.

    Given are the differences under full ranking, and means and variances of the sampled
    differences. It is NaN if the systems are equal under full ranking, and one half if they are
    equal in every sample.

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

    ``sizes`` are the numbers of negatives, in which the number that is audited, ``sampled``, need
    not be; the last is that of all candidates, ``largest``.
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
    columns = None if wanted else ["metric", "first", "second"]
    return pd.DataFrame(pairs, columns=columns), pd.DataFrame(swaps, columns=columns)


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
