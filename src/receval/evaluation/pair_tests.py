# SPDX-License-Identifier: MIT
"""Permutation tests of all pairs of systems, and letters for systems that do not differ."""

from __future__ import annotations

from collections.abc import Sequence
from math import erfc, exp, log1p, pi, sinh, sqrt
from string import ascii_lowercase

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from receval.evaluation.by_user import ValuesByUser
from receval.statistics.pairs import over_pairs, system_pairs
from receval.statistics.permutation import permutation_test
from receval.storage.kernel_cache import njit

FEWEST_EXCEEDING = 10
"""With fewer exceeding samples, their share is too coarse a p-value for many pairs."""

MOST_ENUMERATED = 24
"""The most nonzero differences whose signs are all enumerated, for any number of pairs."""

MOST_ENUMERATED_OF_FEW = 36
"""The same if samples are too coarse, and metrics times pairs are at most :data:`FEW_PAIRS`."""

FEW_PAIRS = 200

DECIMALS_OF_RANKS = 12
"""Differences are rounded to this many decimals before they are ranked or their signs counted, so
that those that are equal but for rounding errors are equal."""

METHODS = ("samples", "exact", "saddlepoint")
"""Methods for p-values: a share of samples, all signs, or an approximation of the tail."""

_SAMPLES, _EXACT, _SADDLEPOINT = range(len(METHODS))
_ROUNDING = 1e-12
_INTEGRAL = 1e-6
_LARGEST_MULTIPLE = 60
_MOST_STEPS = 200
_LOG_2 = float(np.log(2.0))
_LEAST_P = float(np.finfo(np.float64).tiny)


def permutation_p_values(
    contributions: NDArray[np.float64], seed: np.random.SeedSequence, samples: int
) -> tuple[NDArray[np.float64], NDArray[np.object_]]:
    r"""Return the p-values of the permutation test for all pairs of systems, and their methods.

    The contributions of users have the shape (n_metrics, n_systems, n_users); p-values and methods
    (:data:`METHODS`) have the shape (n_metrics, n_pairs).

    Notes
    -----
    A share of 10,000 samples is at least 1 / 10,001, which times 528 pairs is above .05. So samples
    (:func:`receval.statistics.permutation.permutation_test`) are used only if at least
    :data:`FEWEST_EXCEEDING` of them are as far from 0 as the observed sum of differences :math:`x =
    |\sum_u d_u|`. All signs are enumerated for up to :data:`MOST_ENUMERATED` differences.
    Otherwise, the tail of the sum :math:`S` with random signs is approximated as by Lugannani and
    Rice,

    .. math:: K(t) = \sum_u \log\cosh(t d_u), \quad K'(t) = x, \quad
        w = \sqrt{2 (t x - K(t))}, \quad v = t \sqrt{K''(t)}, \quad
        p \approx 2 \big[1 - \Phi(w) + \varphi(w) (1/v - 1/w)\big]

    which may be as low as half of the exact value with fewer than 50 differences of few sizes. If
    all differences are multiples of one number, :math:`S` moves in steps of h; then x is replaced
    by x - h/2, and v by :math:`(2/h) \sinh(t h/2) \sqrt{K''(t)}`.

    Source: Lugannani and Rice (1980), "Saddle point approximation for the distribution of the sum
    of independent random variables", Advances in Applied Probability 12(2); the steps: Daniels
    (1987), "Tail probability approximations", International Statistical Review 55(1), his second
    correction for continuity.
    """
    first, second = system_pairs(contributions.shape[1])
    test = permutation_test(contributions, seed, samples)
    p_values, methods = test.p_values, np.full(test.exceeded.shape, _SAMPLES, dtype=np.int8)
    most = MOST_ENUMERATED_OF_FEW if p_values.size <= FEW_PAIRS else MOST_ENUMERATED
    is_coarse = test.exceeded < FEWEST_EXCEEDING
    for metric, values in enumerate(contributions):
        # In one layout, for which the kernel is compiled once.
        own = np.ascontiguousarray(values)
        is_own = is_coarse[metric], most, p_values[metric], methods[metric]
        _replace_p_values(own, first, second, *is_own)
    for metric, pair in np.argwhere(np.isnan(p_values)):
        p_values[metric, pair] = _enumerated(*contributions[metric, [first[pair], second[pair]]])
    return p_values, np.array(METHODS, dtype=object)[methods]


def tested_in_words(pairs: pd.DataFrame, samples: int) -> str:
    """Describe how the p-values of pairs were computed.

    Examples
    --------
    >>> tested_in_words(pd.DataFrame({"method": ["samples", "saddlepoint"]}), 10_000)
    'permutation test, p-values of 10,000 samples, or by saddlepoint approximation where fewer \
    than 10 samples exceed (1 of 2)'
    """
    counts = pairs["method"].value_counts()
    total = len(pairs)
    told = []
    if n_sampled := counts.get("samples", 0):
        told.append(f"p-values of {samples:,} samples")
    if n_exact := counts.get("exact", 0):
        told.append(
            f"exact with few differences or all of one sign ({n_exact:,} of {total:,})"
            if n_sampled or n_exact < total
            else "exact"
        )
    if n_tails := counts.get("saddlepoint", 0):
        told.append(
            f"by saddlepoint approximation where fewer than {FEWEST_EXCEEDING} samples exceed "
            f"({n_tails:,} of {total:,})"
        )
    return f"permutation test, {', or '.join(told)}"


def unequal_users(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """Count the users with different values."""
    rounded = np.round(differences, DECIMALS_OF_RANKS)
    return np.asarray((rounded != 0).sum(axis=-1), dtype=np.float64)


def smallest_p_values(values: ValuesByUser) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    r"""Return the smallest corrected p-value that any pair can have, and its users, per metric.

    If k users have different values under two systems, all differences have the same sign with
    probability :math:`2 \cdot 2^{-k}`. No p-value of a permutation test is lower. Holm's correction
    multiplies the smallest one by the number of pairs.

    Examples
    --------
    The values of five users are higher under the second system:

    >>> users = np.arange(5)
    >>> five = ValuesByUser(np.array([[users, users + 1.0]]), np.ones(5), users)
    >>> smallest_p_values(five)
    (array([0.0625]), array([5]))
    """
    counts = over_pairs(values.contributions, unequal_users, exact=True)
    for metric in values.weighted_means:
        own = values.of_counting_users(metric)
        counts[metric] = over_pairs(own.contributions, unequal_users, exact=True)[0]
    users = counts.max(axis=-1)
    p_values = np.minimum(1.0, 2.0 ** (1.0 - users)) * counts.shape[-1]
    return p_values, users.astype(np.int64)


# Letters that systems share if no test finds a difference.

DAGGER = "\N{DAGGER}"
"""The mark of a system that differs significantly from the reference."""

MOST_GROUPS = len(ascii_lowercase)
"""The most groups that can have letters."""

_MOST_ON_THE_WAY = 500
"""The most intermediate groups, whose number may grow exponentially."""


def shared_letters(goodness: ArrayLike, differ: ArrayLike) -> list[str] | None:
    """Return letters such that two systems share one if and only if they do not differ.

    The result is None if there are more groups than letters. It is by the insert-and-absorb
    algorithm: Piepho (2004), "An algorithm for a letter-based representation of all-pairwise
    comparisons", Journal of Computational and Graphical Statistics 13(2).

    Examples
    --------
    The best and the worst differ, and the one between differs from neither:

    >>> differ = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool)
    >>> shared_letters([0.1, 0.2, 0.3], differ)
    ['b', 'ab', 'a']
    """
    table = np.asarray(differ, dtype=bool)
    # A group is a bit set in an integer, since there may be hundreds of systems.
    groups = [(1 << len(table)) - 1]
    for one, other in zip(*map(np.ndarray.tolist, np.nonzero(np.triu(table))), strict=True):
        both = (1 << one) | (1 << other)
        kept = [group for group in groups if group & both != both]
        parts = [
            group & ~(1 << own) for group in groups if group & both == both for own in (one, other)
        ]
        parts = list(dict.fromkeys(parts))
        # Unsplit groups contain no split group, and absorb the parts that they contain.
        groups = kept + [
            part
            for part in parts
            if not any(part & group == part for group in kept)
            and not any(part & group == part for group in parts if group != part)
        ]
        if len(groups) > _MOST_ON_THE_WAY:
            return None
    if len(groups) > MOST_GROUPS:
        return None
    order = np.argsort(-np.asarray(goodness, dtype=np.float64), kind="stable").tolist()
    groups.sort(key=lambda group: [place for place, own in enumerate(order) if group >> own & 1])
    return [
        "".join(
            ascii_lowercase[number] for number, group in enumerate(groups) if group >> system & 1
        )
        for system in range(len(table))
    ]


def letters_of_systems(
    pairs: pd.DataFrame,
    goodness: NDArray[np.float64],
    systems: Sequence[str],
    *,
    reference: str | None = None,
) -> tuple[list[str], NDArray[np.int64], NDArray[np.int64]]:
    """Return the letters of systems for the pairs of one metric, and how many are ahead of each.

    The goodness of averages is that of :func:`receval.metrics.metric.goodness`.
    With more groups than letters, they are the numbers of systems ahead, in brackets. With a
    reference, they are a dagger where a system differs from it. Third come the numbers of systems
    with other averages from which the test cannot tell each; they share no letter with it.
    """
    codes = {name: number for number, name in enumerate(systems)}
    first, second = (pairs[name].map(codes).to_numpy() for name in ("first", "second"))
    differ, untested = np.zeros((2, len(systems), len(systems)), dtype=bool)
    differ[first, second] = pairs["significant"].to_numpy(dtype=bool)
    untested[first, second] = (pairs["p"].isna() & (pairs["difference"] != 0)).to_numpy()
    differ, untested = differ | differ.T, untested | untested.T
    ahead = (differ & (goodness[None, :] > goodness[:, None])).sum(axis=1)
    if reference is not None:
        letters: list[str] | None = [DAGGER * int(own) for own in differ[codes[reference]]]
    else:
        letters = shared_letters(goodness, differ | untested)
    return (letters or [f" ({number})" for number in ahead]), ahead, untested.sum(axis=1)


@njit(cache=True, nogil=True)
def _replace_p_values(
    values: NDArray[np.float64],
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    is_coarse: NDArray[np.bool_],
    most_enumerated: int,
    p_values: NDArray[np.float64],
    methods: NDArray[np.int8],
) -> None:
    """Replace p-values of few differences and those that are too coarse, and record the method.

    They are of one metric, of which each system has a row of values.
    """
    n_users = values.shape[1]
    sizes = np.empty(n_users)
    for pair in range(len(first)):
        one, other = values[first[pair]], values[second[pair]]
        n, total, largest = 0, 0.0, 0.0
        for user in range(n_users):
            difference = one[user] - other[user]
            if abs(difference) > _ROUNDING * max(abs(one[user]), abs(other[user])):
                sizes[n] = abs(difference)
                largest += sizes[n]
                total += difference
                n += 1
        observed = abs(total)
        if n == 0 or observed <= _ROUNDING * largest:
            p_values[pair] = 1.0
            methods[pair] = _EXACT
        elif observed >= largest * (1.0 - _ROUNDING):
            p_values[pair] = max(2.0 ** (1.0 - n), _LEAST_P)
            methods[pair] = _EXACT
        elif n <= (most_enumerated if is_coarse[pair] else MOST_ENUMERATED):
            # Signs are enumerated by the caller, so that less code has to be compiled.
            p_values[pair] = np.nan
            methods[pair] = _EXACT
        elif is_coarse[pair]:
            tail = _saddlepoint(sizes[:n], observed)
            # Near the middle the formula divides zero by zero, and samples are precise enough.
            if tail < 0.5:
                p_values[pair] = max(tail, 2.0 ** (1.0 - n), _LEAST_P)
                methods[pair] = _SADDLEPOINT


def _enumerated(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Return the share of sign vectors whose sum is as far from 0, from the sums of two halves."""
    differences = one - other
    sizes = np.abs(differences)
    is_kept = sizes > _ROUNDING * np.maximum(np.abs(one), np.abs(other))
    sizes, observed = sizes[is_kept], abs(differences[is_kept].sum())
    half = len(sizes) // 2
    low, high = _signed_sums(sizes[:half]), np.sort(_signed_sums(sizes[half:]))
    limit = observed - _ROUNDING * len(sizes) * sizes.sum()
    below = np.searchsorted(high, limit - low, side="left")
    return float(min(1.0, 2.0 * (len(high) - below).sum() / 2.0 ** len(sizes)))


def _signed_sums(sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sums for all combinations of signs."""
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums - size, sums + size])
    return sums


@njit(cache=True, nogil=True)
def _saddlepoint(sizes: NDArray[np.float64], observed: float) -> float:
    """Return the approximate probability of a sum at least as far from 0 with random signs."""
    squares = 0.0
    for size in sizes:
        squares += size * size
    unit = sqrt(squares)
    step = _step(sizes)
    x = (observed - step / 2.0) / unit
    # In these units the curvature of K is 1 at 0, so that its slope there is t.
    t = x
    for _ in range(_MOST_STEPS):
        # The slope of K is concave, so Newton's steps from the left never pass the solution.
        slope, curvature, value = 0.0, 0.0, 0.0
        for size in sizes:
            own = size / unit
            decay = exp(-2.0 * t * own)
            slope += own * (1.0 - decay) / (1.0 + decay)
            curvature += own * own * 4.0 * decay / (1.0 + decay) ** 2
            value += t * own + log1p(decay) - _LOG_2
        missing = x - slope
        if abs(missing) <= 1e-10 * x or curvature <= 0.0:
            break
        t += missing / curvature
    w = sqrt(max(2.0 * (t * x - value), 0.0))
    if w < 1e-3:
        return 1.0
    width = step / unit
    factor = t if width == 0.0 else 2.0 / width * sinh(t * width / 2.0)
    density = exp(-w * w / 2.0) / sqrt(2.0 * pi)
    tail = erfc(w / sqrt(2.0)) / 2.0 + density * (1.0 / (factor * sqrt(curvature)) - 1.0 / w)
    return min(1.0, max(0.0, 2.0 * tail))


@njit(cache=True, nogil=True)
def _step(sizes: NDArray[np.float64]) -> float:
    """Return the smallest step of the sum if sizes have a common measure, otherwise 0."""
    least = sizes[0]
    for size in sizes:
        least = min(least, size)
    for multiple in range(1, _LARGEST_MULTIPLE + 1):
        is_common = True
        for size in sizes:
            ratio = size / least * multiple
            if abs(ratio - round(ratio)) > _INTEGRAL:
                is_common = False
                break
        if is_common:
            return float(2.0 * least / multiple)
    return 0.0
