# SPDX-License-Identifier: MIT
"""An axis for coefficients near 1, on which what is missing to 1 has a logarithmic scale."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
from numpy.typing import ArrayLike, NDArray

from receval.figures.style import short_number

LINEAR_BELOW = 0.003
"""What is missing to 1 up to which the scale is about linear, so that 1 itself has a place."""

MARKED = (1, 0.99, 0.97, 0.9, 0.7, 0)
"""Coefficients that the axis marks, where they lie on it."""


def scale_near_one(axes: Axes, lowest: float) -> None:
    """Give the y axis of a panel, and of those that share it, a logarithmic scale of 1 - y.

    Notes
    -----
    The scale is the inverse hyperbolic sine of 1 - y in units of ``LINEAR_BELOW``: linear near 1,
    logarithmic from there on, without a kink.
    """
    if not lowest < 1:
        raise ValueError(f"The axis would end at {lowest:g}: give a number below 1.")
    axes.set_yscale("function", functions=(_forward, _inverse))
    axes.set_ylim(lowest, 1 + LINEAR_BELOW / 10)
    axes.yaxis.set_major_locator(FixedLocator([mark for mark in MARKED if mark >= lowest]))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: _printed(value)))


def _forward(values: ArrayLike) -> NDArray[np.float64]:
    missing = 1 - np.asarray(values, dtype=np.float64)
    return np.asarray(-np.arcsinh(missing / LINEAR_BELOW))


def _inverse(values: ArrayLike) -> NDArray[np.float64]:
    return np.asarray(1 - LINEAR_BELOW * np.sinh(-np.asarray(values, dtype=np.float64)))


def _printed(value: float) -> str:
    return short_number(str(Decimal(f"{value:.6g}")))
