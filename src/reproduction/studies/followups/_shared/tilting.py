# SPDX-License-Identifier: MIT
"""Populations of users with a wanted effect: exponential tilting of real paired differences.

Shifting differences by a constant gives users who did equally well under both systems a difference,
the same for all of them. Drawing the users with other probabilities keeps every difference as it
is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

_LARGEST_TILT = 1e3  # of differences in units of their standard deviation


def tilted_to_effect(differences: ArrayLike, effect: float) -> NDArray[np.float64]:
    r"""Return probabilities of the users under which the standardised difference is the wanted one.

    .. math:: p_u \propto e^{\lambda d_u}, \qquad
              \frac{\sum_u p_u d_u}{\sqrt{\sum_u p_u d_u^2 - (\sum_u p_u d_u)^2}} = \delta

    Among all probabilities with the same mean these are the nearest to equal ones, by the
    Kullback-Leibler divergence from them.

    Parameters
    ----------
    effect : float
        The wanted mean difference in standard deviations (population Cohen's d_z), :math:`\delta`.
        With 0 both systems have the same mean, and the differences need not be symmetric.

    Notes
    -----
    Source: Efron (1981), "Nonparametric standard errors and confidence intervals", Canadian Journal
    of Statistics 9(2), where tilting makes a resampled population obey a hypothesis.

    Examples
    --------
    Of four users one is served better by 3 and the others worse by 1: their mean is 0 as it is.

    >>> tilted_to_effect([3, -1, -1, -1], 0.0).round(3).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    values = np.asarray(differences, dtype=np.float64)
    if not (values.max() > 0 > values.min()):
        raise ValueError(
            "Tilting needs users with differences above 0 and users with differences below; these "
            f"go from {values.min():g} to {values.max():g}. Leave out pairs of systems of which "
            "one is nowhere better."
        )
    scaled = values / values.std()

    def probabilities(tilt: float) -> NDArray[np.float64]:
        weights = np.exp(tilt * scaled - (tilt * scaled).max())
        found: NDArray[np.float64] = weights / weights.sum()
        return found

    def excess(tilt: float) -> float:
        weights = probabilities(tilt)
        mean = float(weights @ scaled)
        variance = float(weights @ np.square(scaled - mean))
        return mean - effect * float(np.sqrt(variance))

    # Far below the mean is the least difference, far above the largest, and the spread is none.
    low = high = 0.0
    step = 0.125
    while excess(low) > 0 and low > -_LARGEST_TILT:
        low -= step
        step *= 2
    step = 0.125
    while excess(high) < 0 and high < _LARGEST_TILT:
        high += step
        step *= 2
    if low == high:
        return probabilities(0.0)
    return probabilities(float(brentq(excess, low, high, xtol=1e-13, rtol=1e-13)))
