# SPDX-License-Identifier: MIT
"""The best value to expect from a number of trials, estimated from the trials that were made."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from receval.checked_arguments import checked_arguments


@checked_arguments
def expected_maximum(
    values: ArrayLike, *, replacement: bool = True
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    r"""Return the mean and the standard deviation of the best of 1, 2, ..., B trials.

    With the values :math:`v_{(1)} \le \dots \le v_{(B)}` of B trials, the best of n trials is
    :math:`v_{(i)}` with the probability :math:`F_n(i) - F_n(i - 1)`, so that

    .. math:: E[V_n] = \sum_{i=1}^B v_{(i)} \big(F_n(i) - F_n(i - 1)\big), \qquad
        F_n(i) = (i / B)^n \;\text{ or }\; F_n(i) = \binom{i}{n} \Big/ \binom{B}{n}

    The first :math:`F_n` is of n draws from the trials with replacement, as in the source. It is
    biased downwards, and its variance is low. The second is of draws without replacement, which is
    unbiased for trials drawn at random; with n = B it is the best value.

    Parameters
    ----------
    values : array_like of float, shape (B,)
        The value of each trial; higher is better. For a metric of which less is better, give the
        negative values. The order does not matter.
    replacement : bool
        Whether the n trials are drawn with replacement.

    Returns
    -------
    means, deviations : ndarray of float, shape (B,)
        For n = 1 to B, in the unit of the values.

    Raises
    ------
    ValueError
        There is no value, or one is not finite.

    Notes
    -----
    Dodge, Gururangan, Card, Schwartz and Smith (2019), "Show your work: Improved reporting of
    experimental results", EMNLP, equation 8; without replacement: Tang, Lee, Xin, Liu, Yu and Lin
    (2020), "Showing your work doesn't always work", ACL.

    Examples
    --------
    The best of two draws from 1 and 3 is 3 with the probability 3/4:

    >>> expected_maximum([3.0, 1.0])[0].tolist()
    [2.0, 2.5]
    >>> expected_maximum([3.0, 1.0], replacement=False)[0].tolist()
    [2.0, 3.0]
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64).ravel())
    if not len(ordered) or not np.isfinite(ordered).all():
        raise ValueError(
            f"The expected maximum needs the finite values of one trial or more, but of "
            f"{len(ordered):,} values {int(np.isfinite(ordered).sum()):,} are finite. Leave out "
            "failed trials."
        )
    n_trials = len(ordered)
    ranks = np.arange(n_trials + 1, dtype=np.float64)
    means, deviations = np.empty(n_trials), np.empty(n_trials)
    at_most = np.ones(n_trials + 1)
    for drawn in range(n_trials):
        if replacement:
            at_most = at_most * (ranks / n_trials)
        else:
            at_most = at_most * (np.maximum(ranks - drawn, 0.0) / (n_trials - drawn))
        weights = np.diff(at_most, prepend=0.0)[1:]
        means[drawn] = (weights * ordered).sum()
        deviations[drawn] = np.sqrt((weights * (ordered - means[drawn]) ** 2).sum())
    return means, deviations
