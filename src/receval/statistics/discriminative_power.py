"""How well a metric tells systems apart: p-value curves and the area under them."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Pairs = Literal["unordered", "ordered"]


def p_value_curve(p_values: ArrayLike, largest: int | None = None) -> NDArray[np.float64]:
    """Return the p-values of all pairs of systems by descending size.

    Parameters
    ----------
    p_values : array_like of float, shape (..., n_pairs)
    largest : int, optional
        Number of values to keep from the largest on; all by default.

    Returns
    -------
    ndarray of float64, shape (..., n_pairs or largest)
        The nearer to zero, the more differences are significant (Sakai 2006).
    """
    curve = -np.sort(-_checked(p_values), axis=-1)
    return curve if largest is None else curve[..., :largest]


def discriminative_power(p_values: ArrayLike, pairs: Pairs = "unordered") -> NDArray[np.float64]:
    """Sum the p-values of all pairs of systems: the lower, the more discriminative the metric.

    Parameters
    ----------
    p_values : array_like of float, shape (..., n_pairs)
        Of unordered pairs.
    pairs : {"unordered", "ordered"}
        Over what to sum. The released values of valcarce2018 (its table 3) are sums over ordered
        pairs, every pair tested twice with other samples; here its p-value counts twice.

    Returns
    -------
    ndarray of float64, shape (...)

    Raises
    ------
    ValueError
        A value is no probability, or ``pairs`` is none of the two.
    """
    if pairs not in ("unordered", "ordered"):
        raise ValueError(f"pairs is {pairs!r}; it must be unordered or ordered.")
    power: NDArray[np.float64] = _checked(p_values).sum(axis=-1)
    return power if pairs == "unordered" else 2.0 * power


def _checked(p_values: ArrayLike) -> NDArray[np.float64]:
    values = np.asarray(p_values, dtype=np.float64)
    if values.size and not ((values >= 0) & (values <= 1)).all():
        raise ValueError("A p-value is NaN or lies outside 0..1, so it is no probability.")
    return values
