# SPDX-License-Identifier: MIT
"""Correct sampled metrics: estimate full-ranking values from ranks among samples."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import gammaln
from scipy.stats import hypergeom

from receval.sampled_metrics.sampled_candidates import expected_of_ranks
from receval.sampled_metrics.sampled_moments import AuditedMoments, moments_of_average

BIAS_VARIANCE = 0.1
"""Weight of the variance in the bias-variance estimator, as in the paper's experiments."""

ESTIMATORS = ("rank", "CLS", "BV", "MLE")
"""Names of the corrections in tables."""

_EXACT = 2_000
"""Up to this many candidates, probabilities are exact to the last digits; beyond, to ten digits."""

_STEPS = 2_000
_SMALLEST_STEP = 1e-7


def chances_of_sampled_ranks(pool: int, sampled: int) -> NDArray[np.float64]:
    """Return the probability of each rank among samples, given each rank among all candidates.

    Row K of the result, shape (M + 1, s + 1), is the hypergeometric distribution of the number of
    sampled candidates above the item, if K of all candidates are above it.

    Examples
    --------
    >>> chances_of_sampled_ranks(2, 1).round(2).tolist()
    [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]
    """
    above, hits = np.arange(pool + 1)[:, None], np.arange(sampled + 1)[None]
    if pool <= _EXACT:
        return hypergeom.pmf(hits, pool, above, sampled)
    # scipy factorises the factorials, which takes ever longer with more candidates.
    factorials = gammaln(np.arange(pool + 1) + 1.0)
    below, others = pool - above, sampled - hits
    is_possible = (hits <= above) & (others <= below)
    logarithms = factorials[above] + factorials[below]
    logarithms = logarithms - factorials[hits] - factorials[others]
    for left in (above - hits, below - others):
        logarithms -= factorials[np.maximum(left, 0)]
    chances = np.where(is_possible, np.exp(logarithms - _logarithm_of_choices(pool, sampled)), 0.0)
    return chances / chances.sum(axis=1, keepdims=True)


def _logarithm_of_choices(pool: int, sampled: int) -> float:
    return float(gammaln(pool + 1) - gammaln(sampled + 1) - gammaln(pool - sampled + 1))


def estimated_by_rank(values: NDArray[np.float64], pool: int, sampled: int) -> NDArray[np.float64]:
    r"""Return a metric's value at the unbiased estimate of the rank among all candidates.

    .. math:: \hat f(h) = f(1 + h M / s)

    The values are those at the ranks 1 to M + 1, interpolated linearly between ranks. (Krichene and
    Rendle (2020), "On sampled metrics for item recommendation", KDD, section 5.1)

    Examples
    --------
    >>> estimated_by_rank(np.array([1.0, 0.5, 0.25]), 2, 1).tolist()
    [1.0, 0.25]
    """
    ranks = np.arange(sampled + 1) * pool / sampled
    return np.interp(ranks, np.arange(pool + 1), values)


def estimated_by_least_squares(
    values: NDArray[np.float64], chances: NDArray[np.float64], variance_weight: float = 0.0
) -> NDArray[np.float64]:
    r"""Return the function of the sampled rank that best estimates a metric by least squares.

    If all ranks K are equally likely, it minimises

    .. math:: \sum_K (E[\hat f(H) | K] - f(K))^2 + \gamma \sum_K Var[\hat f(H) | K]

    which is CLS (constrained least squares) for a variance weight :math:`\gamma = 0`, and BV (the
    trade-off of bias and variance) for larger ones: :math:`\hat f = ((1 - \gamma) A^T A + \gamma\,
    diag(c))^{-1} A^T f`, c the sums of columns of A. The values f are those at the ranks 1 to M +
    1, and A the probabilities of :func:`chances_of_sampled_ranks`. (Krichene and Rendle 2020,
    sections 5.2 and 5.3)

    Examples
    --------
    A sample of all candidates needs no correction:

    >>> every = chances_of_sampled_ranks(2, 2)
    >>> estimated_by_least_squares(np.array([1.0, 0.5, 0.25]), every).round(6).tolist()
    [1.0, 0.5, 0.25]
    """
    if not variance_weight:
        return np.linalg.lstsq(chances, values, rcond=1e-10)[0].astype(np.float64)
    normal = (1 - variance_weight) * chances.T @ chances
    normal[np.diag_indices_from(normal)] += variance_weight * chances.sum(axis=0)
    return np.linalg.solve(normal, chances.T @ values).astype(np.float64)


def most_likely_ranks(
    shares: NDArray[np.float64], chances: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Estimate the distribution of full ranks by maximum likelihood from that of sampled ranks.

    The shares are those of relevant items with 0, 1, ... sampled candidates above them. The EM
    algorithm starts from equal shares, and ends after 2,000 steps, or when a step changes no share
    by 1e-7. (Jin, Li, Mudrak, Gao and Liu (2021), "On estimating recommendation evaluation metrics
    under sampling", AAAI)

    Examples
    --------
    >>> most_likely_ranks(np.array([0.5, 0.3, 0.2]), chances_of_sampled_ranks(2, 2)).tolist()
    [0.5, 0.3, 0.2]
    """
    found = np.full(len(chances), 1 / len(chances))
    for _ in range(_STEPS):
        explained = found @ chances
        ratios = np.divide(shares, explained, out=np.zeros_like(shares), where=explained > 0)
        after = found * (chances @ ratios)
        after /= after.sum()
        moved = float(np.abs(after - found).max())
        found = after
        if moved < _SMALLEST_STEP:
            break
    return found


# Corrected sampled metrics of several systems: their means and standard deviations.


def corrected_values(moments: AuditedMoments, sampled: int) -> pd.DataFrame:
    """Return the corrected metrics of all systems by estimator."""
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
    # Lists with more candidates than average may have more of a large sample above the item.
    rest = min(sampled, int(first.pools.max())) - size
    by_hits = np.pad(by_hits, ((0, rest), (0, 0)), mode="edge")
    nothing = np.repeat(moments.tables[:1], len(ESTIMATORS) - 1, axis=1)
    by_rank = np.concatenate([nothing, by_hits])
    counted = np.eye(size + rest + 2)
    for system, own in moments.odds.items():
        items = expected_of_ranks(own, np.concatenate([by_rank, by_rank**2], axis=1), sampled)
        mean, variance = moments_of_average(items)
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
