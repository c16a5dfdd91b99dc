# SPDX-License-Identifier: MIT
"""Sampled metrics of given lists against full ranking, over all samples that could be drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr

from receval.comparison.named import named_metrics
from receval.metrics.metric import Metric
from receval.sampling_audit.audit_result import SamplingAudit
from receval.sampling_audit.rank_corrections import (
    BIAS_VARIANCE,
    ESTIMATORS,
    chances_of_sampled_ranks,
    estimated_by_least_squares,
    estimated_by_rank,
    most_likely_ranks,
)
from receval.sampling_audit.sampled_moments import expected_of_ranks, values_by_rank
from receval.sampling_audit.whole_lists import odds_of_runs
from receval.statistics.paired_tests import t_test
from receval.theory.sampled_candidates import SamplingOdds

RARE = 0.05
"""Two systems seldom change places if they do with less than this probability."""

_SIZES = [size * 10**power for power in range(1, 9) for size in (1, 2, 5)]

Told = Callable[[str, int, int], None]
"""Is told what is done, how much of it is done, and how much there is."""


def audit_samples(
    test: object,
    runs: Mapping[str, object],
    *,
    sampled: int = 100,
    train: object = None,
    metrics: str | Metric | Sequence[str | Metric] = ("Recall@10", "nDCG@10", "RR"),
    relevant: float | Literal["auto"] = "auto",
    told: Told | None = None,
) -> SamplingAudit:
    r"""Compare metrics on sampled candidates with those on all, over all samples.

    Every relevant test rating is ranked among non-relevant items: all of them (1R AN), or a sample
    of s (1R NN), drawn without replacement for each rating and system by itself. With K of M
    candidates above it, a sample has :math:`H \sim Hypergeometric(M, K, s)` above it, so that mean
    and variance of a sampled metric are sums, not simulations. The probability that two systems
    change places takes the difference of two averages of many lists as normal,

    .. math:: \Pr[\text{other order}] = \Phi\left(-\mathrm{sign}(d)\,
        \frac{E_1 - E_2}{\sqrt{V_1 + V_2}}\right)

    with d their difference under full ranking, E and V mean and variance over samples.

    Parameters
    ----------
    test : path, data frame, mapping or Ratings
        Judgments or held-out ratings.
    runs : mapping of str to run, path, data frame or mapping
        Of all candidates of each user.
    sampled : int
        s, at least 1.
    train : path, data frame, mapping or Ratings, optional
        What is no candidate of its user.
    metrics : str, Metric or sequence
        That depend on the rank of the one relevant item alone.
    relevant : float or "auto"
    told : callable, optional
        Is told how far the work is: a word, how many steps of it are done, and of how many.

    Returns
    -------
    SamplingAudit

    Raises
    ------
    ValueError
        A list is not whole, a metric is none of these, nothing is relevant, or ``sampled`` is below
        1.
    TableError
        A file cannot be used.

    Notes
    -----
    Krichene and Rendle (2020), "On sampled metrics for item recommendation", KDD; Li, Jin, Gao and
    Liu (2020), "On sampling top-K recommendation evaluation", KDD.

    Examples
    --------
    The relevant item is second of three: in every other sample of one it is first.

    >>> test = {"user": ["ann"], "item": ["y"], "rating": [5]}
    >>> runs = {"mine": {"ann": {"x": 3.0, "y": 2.0, "z": 1.0}}}
    >>> audit = audit_samples(test, runs, sampled=1, metrics="P@1")
    >>> audit.values[["full", "expected", "sd"]].to_numpy().tolist()
    [[0.0, 0.5, 0.5]]
    """
    if sampled < 1:
        raise ValueError(f"{sampled} candidates cannot be sampled: say 1 or more, such as 100.")
    chosen = named_metrics(metrics)
    odds, user_ids, threshold = odds_of_runs(test, runs, train, relevant)
    moments = _Moments(odds, chosen, told)
    full = moments.full
    largest = int(max(own.pools[own.users].max() for own in odds.values()))
    sizes = sorted({*(size for size in _SIZES if size < largest), min(sampled, largest), largest})
    for number, size in enumerate(sizes):
        if told is not None:
            told("numbers of negatives", number, len(sizes))
        moments.at(size)
    if told is not None:
        told("numbers of negatives", len(sizes), len(sizes))
    pairs, swaps = _pairs(moments, sizes, min(sampled, largest), largest)
    names = pd.MultiIndex.from_product([chosen, odds], names=["metric", "system"])
    first = next(iter(odds.values()))
    at = moments.at(min(sampled, largest))
    values = pd.DataFrame({"full": full.ravel()}, index=names).reset_index()
    values = values.assign(negatives=sampled, expected=at[0].ravel(), sd=np.sqrt(at[1]).ravel())
    curve = pd.concat(
        pd.DataFrame({"expected": at[0].ravel(), "sd": np.sqrt(at[1]).ravel()}, index=names)
        .reset_index()
        .assign(negatives=size)
        for size, at in ((size, moments.at(size)) for size in sizes)
    )
    return SamplingAudit(
        values=values.assign(relevant_items=len(first.users)),
        corrections=_corrections(moments, sampled),
        curve=curve[["metric", "system", "negatives", "expected", "sd"]].reset_index(drop=True),
        pairs=pairs,
        swaps=swaps,
        by_user=_by_user(moments, sampled, user_ids),
        settings={
            "sampled": sampled,
            "metrics": list(chosen),
            "relevant": threshold,
            "relevant_items": len(first.users),
            "largest_number_of_negatives": largest,
        },
    )


class _Moments:
    """Means and variances of all metrics and systems over samples of each size, kept."""

    def __init__(
        self, odds: Mapping[str, SamplingOdds], metrics: Mapping[str, Metric], told: Told | None
    ) -> None:
        self.odds = odds
        self.metrics = metrics
        self.told = told
        self._known: dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
        first = next(iter(odds.values()))
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
        users = self.odds[first].users
        counts = np.bincount(users)
        tested = counts > 0
        both = np.stack(
            [
                np.bincount(users, weights=self.full_items[name][:, metric])[tested]
                / counts[tested]
                for name in (first, second)
            ]
        )
        if both.shape[1] < 2:
            return float("nan")
        return float(t_test(both[None])[0, 0])

    def items(self, system: str, size: int) -> NDArray[np.float64]:
        """Return expectations of the metrics, then of their squares, by relevant item."""
        both = np.concatenate([self.tables, self.tables**2], axis=1)
        return expected_of_ranks(self.odds[system], both, size)

    def at(self, size: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return means and variances of the averages, each of shape (n_metrics, n_systems)."""
        if size not in self._known:
            found = [_of_average(self.items(name, size)) for name in self.odds]
            self._known[size] = (
                np.stack([mean for mean, _ in found], axis=1),
                np.stack([variance for _, variance in found], axis=1),
            )
        return self._known[size]


def _of_average(
    items: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean and variance of the average of independent items, function by function."""
    half = items.shape[1] // 2
    variances = np.maximum(items[:, half:] - items[:, :half] ** 2, 0.0)
    return items[:, :half].mean(axis=0), variances.sum(axis=0) / len(items) ** 2


def swap_probability(
    full: NDArray[np.float64], expected: NDArray[np.float64], variance: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the probability that a sampled difference has the other sign than the full one.

    Parameters
    ----------
    full, expected, variance : ndarray of float64, shape (n,)
        The difference under full ranking, and mean and variance of the sampled one.

    Returns
    -------
    ndarray of float64, shape (n,)
        NaN where the systems are equal under full ranking; one half where they are equal in every
        sample.

    Examples
    --------
    >>> swap_probability(np.array([0.1]), np.array([0.0]), np.array([1.0])).tolist()
    [0.5]
    """
    towards = np.sign(full) * expected
    towards = np.where(np.abs(towards) < 1e-12, 0.0, towards)
    deviation = np.sqrt(variance)
    # Without variance the order is sure, and without a difference, too, it is anybody's.
    sure = np.select([towards > 0, towards < 0], [np.inf, -np.inf], default=0.0)
    z = np.divide(towards, deviation, out=sure, where=deviation > 1e-12)
    return np.where(np.abs(full) < 1e-12, np.nan, ndtr(-z))


def _pairs(
    moments: _Moments, sizes: Sequence[int], sampled: int, largest: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
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
    columns: list[Any] = ["metric", "first", "second"]
    return (
        pd.DataFrame(pairs) if pairs else pd.DataFrame(columns=columns),
        pd.DataFrame(swaps) if swaps else pd.DataFrame(columns=columns),
    )


def _enough(
    sizes: Sequence[int], chances: Sequence[float], chance: Callable[[int], float]
) -> float:
    """Return the smallest number from which on places seldom change, to within 2 %; else NaN."""
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


def _corrections(moments: _Moments, sampled: int) -> pd.DataFrame:
    first = next(iter(moments.odds.values()))
    pool = max(1, round(float(first.pools[first.users].mean())))
    size = min(sampled, pool)
    chances = chances_of_sampled_ranks(pool, size)
    rows = []
    curves = []
    for column in range(len(moments.metrics)):
        values = moments.tables[1 : pool + 2, column]
        curves += [
            estimated_by_rank(values, pool, size),
            estimated_by_least_squares(values, chances),
            estimated_by_least_squares(values, chances, BIAS_VARIANCE),
        ]
    by_hits = np.stack(curves, axis=1)
    # Lists of more candidates than the average may have more of a large sample above.
    rest = np.maximum(0, sampled - size)
    by_hits = np.pad(by_hits, ((0, rest), (0, 0)), mode="edge")
    nothing = np.repeat(moments.tables[:1], len(ESTIMATORS) - 1, axis=1)
    by_rank = np.concatenate([nothing, by_hits])
    counted = np.eye(size + rest + 2)
    for system, own in moments.odds.items():
        items = expected_of_ranks(own, np.concatenate([by_rank, by_rank**2], axis=1), sampled)
        mean, variance = _of_average(items)
        shares = expected_of_ranks(own, counted, sampled).mean(axis=0)
        ranked = shares[1 : size + 2].copy()
        ranked[-1] += shares[size + 2 :].sum()
        likely = most_likely_ranks(ranked / ranked.sum(), chances) * ranked.sum()
        for column, metric in enumerate(moments.metrics):
            full = float(moments.full_items[system][:, column].mean())
            for number, estimator in enumerate(ESTIMATORS):
                place = column * (len(ESTIMATORS) - 1) + number
                by_likelihood = estimator == "MLE"
                value = (
                    float(likely @ moments.tables[1 : pool + 2, column])
                    + float(shares[0] * moments.tables[0, column])
                    if by_likelihood
                    else float(mean[place])
                )
                rows.append(
                    {
                        "metric": metric,
                        "system": system,
                        "estimator": estimator,
                        "negatives": sampled,
                        "full": full,
                        "expected": value,
                        "bias": value - full,
                        "sd": np.nan if by_likelihood else float(np.sqrt(variance[place])),
                    }
                )
    ordered = sorted(rows, key=lambda row: list(moments.metrics).index(str(row["metric"])))
    return pd.DataFrame(ordered)


def _by_user(moments: _Moments, sampled: int, user_ids: NDArray[np.str_]) -> pd.DataFrame:
    frames = []
    for system, own in moments.odds.items():
        expected = moments.items(system, sampled)
        counts = np.bincount(own.users, minlength=len(user_ids))
        users = np.flatnonzero(counts)
        for column, metric in enumerate(moments.metrics):
            sums = [
                np.bincount(own.users, weights=values[:, column], minlength=len(user_ids))
                for values in (moments.full_items[system], expected)
            ]
            full, mean = (total[users] / counts[users] for total in sums)
            frames.append(
                pd.DataFrame(
                    {
                        "metric": metric,
                        "system": system,
                        "user": user_ids[users],
                        "relevant_items": counts[users],
                        "full": full,
                        "expected": mean,
                    }
                )
            )
    return pd.concat(frames, ignore_index=True)
