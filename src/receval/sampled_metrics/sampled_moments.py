# SPDX-License-Identifier: MIT
r"""Exact means and variances, over all samples, of what depends on a rank among samples."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from receval.metrics.evaluation import evaluate_views
from receval.metrics.judged_items import JudgedItems
from receval.metrics.list_view import ListView
from receval.metrics.lists import view_of
from receval.metrics.metric import Metric
from receval.sampled_metrics.sampled_candidates import SamplingOdds
from receval.storage.kernel_cache import njit


def values_by_rank(metric: Metric, deepest: int, odds: SamplingOdds) -> NDArray[np.float64]:
    """Return what a metric gives a list whose one relevant item has each rank.

    Returns
    -------
    ndarray of float64, shape (deepest + 1,)
        At index 0 the value where the relevant item is not ranked.

    Raises
    ------
    ValueError
        The value depends on more than the rank: on other judgments, on the length of the list, or
        on how high the relevant item is rated.

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
            f"{metric.label} needs all judgments of a list, but a relevant item among sampled ones "
            "is the only one of its list: choose P, Recall, nDCG, RR or AP."
        )
    ranks = np.arange(deepest + 1)
    of_ratings = [
        _of_lists(metric, ranks, np.full_like(ranks, length) if length else ranks, rating, odds)
        for rating in (float(odds.values.min()), float(odds.values.max()))
        for length in (0, deepest + 1)
    ]
    for other in of_ratings[1:]:
        if not np.array_equal(of_ratings[0], other):
            raise ValueError(
                f"{metric.label} depends on the length of a list or on the rating of its relevant "
                "item, not on the rank alone: choose a metric such as Recall@10, nDCG@10 or RR."
            )
    return of_ratings[0]


def _of_lists(
    metric: Metric,
    ranks: NDArray[np.int64],
    lengths: NDArray[np.int64],
    rating: float,
    odds: SamplingOdds,
) -> NDArray[np.float64]:
    judged = JudgedItems(
        starts=np.arange(len(ranks) + 1, dtype=np.int64),
        values=np.full(len(ranks), rating, dtype=np.float32),
        relevant=np.ones(len(ranks), dtype=bool),
        positions=np.arange(len(ranks)),
        threshold=odds.threshold,
        metadata=odds.metadata_of_one_item,
        items=np.zeros(len(ranks), dtype=np.int32),
    )
    full = ListView.of(judged, ranks, lengths)
    (values,) = evaluate_views([metric], lambda condensed, depth: view_of(full, condensed, depth))
    return values


def expected_of_ranks(
    odds: SamplingOdds, tables: NDArray[np.float64], sampled: int
) -> NDArray[np.float64]:
    r"""Return the expectation of functions of the rank among samples, for every relevant item.

    .. math:: E[g(1 + H)] = \sum_h \Pr[H = h]\, g(1 + h), \qquad
        H \sim \mathrm{Hypergeometric}(M, K, s)

    with K of the M non-relevant candidates above the item, and a sample of size s.

    Parameters
    ----------
    tables : ndarray of float64, shape (n_ranks, n_functions)
        Values by rank, at index 0 those of an item that is not ranked; at least
        ``min(sampled, largest pool) + 2`` rows.
    sampled : int
        s; a user with fewer candidates gets all of them.

    Notes
    -----
    Krichene and Rendle (2020), section 4, whose samples are drawn with replacement; here, as
    evaluations do, without.
    """
    pools = odds.pools[odds.users]
    return _expected_rows(odds.above, pools, np.minimum(sampled, pools), tables)


@njit(cache=True)
def _expected_rows(
    above: NDArray[np.int64],
    pools: NDArray[np.int64],
    sizes: NDArray[np.int64],
    tables: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Walk through the probabilities from the mode outwards, by the ratio of neighbours."""
    n_functions = tables.shape[1]
    expected = np.zeros((len(above), n_functions))
    for item in range(len(above)):
        good = above[item]
        if good < 0:
            expected[item] = tables[0]
            continue
        bad = pools[item] - good
        size = sizes[item]
        low, high = max(0, size - bad), min(good, size)
        mode = min(max((size + 1) * (good + 1) // (pools[item] + 2), low), high)
        total = 1.0
        for column in range(n_functions):
            expected[item, column] = tables[mode + 1, column]
        weight = 1.0
        for hits in range(mode, high):
            weight *= (good - hits) * (size - hits) / ((hits + 1.0) * (bad - size + hits + 1))
            if weight < 1e-20:
                break
            total += weight
            for column in range(n_functions):
                expected[item, column] += weight * tables[hits + 2, column]
        weight = 1.0
        for hits in range(mode, low, -1):
            weight *= hits * (bad - size + hits) / ((good - hits + 1.0) * (size - hits + 1))
            if weight < 1e-20:
                break
            total += weight
            for column in range(n_functions):
                expected[item, column] += weight * tables[hits, column]
        for column in range(n_functions):
            expected[item, column] /= total
    return expected
