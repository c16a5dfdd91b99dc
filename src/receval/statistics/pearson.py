"""Pearson's linear correlation."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def pearson_r(one: ArrayLike, other: ArrayLike) -> float:
    r"""Correlate two columns of numbers.

    .. math:: r = \frac{\sum_i (x_i - \bar x)(y_i - \bar y)}
                       {\sqrt{\sum_i (x_i - \bar x)^2 \sum_i (y_i - \bar y)^2}}

    Parameters
    ----------
    one, other : array_like of float, shape (n,)

    Returns
    -------
    float
        From -1 to 1; NaN where a column is constant, or has fewer than two numbers.

    Raises
    ------
    ValueError
        The shapes differ, or a value is not finite.
    """
    x, y = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(
            f"The columns have the shapes {x.shape} and {y.shape}: give one number of each for "
            "every observation."
        )
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError(
            "A value is NaN or infinite, so it has no correlation: leave the observation out."
        )
    # The mean of equal numbers may be off by a rounding error, and a constant would seem to vary.
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    x, y = x - x.mean(), y - y.mean()
    return float(np.clip(x @ y / np.sqrt((x @ x) * (y @ y)), -1, 1))
