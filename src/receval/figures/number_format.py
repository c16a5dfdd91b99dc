"""Printing coefficients of correlation and p-values as papers do."""

from __future__ import annotations

import numpy as np


def coefficient_text(symbol: str, value: float) -> str:
    """Print a coefficient with three digits, such as r = .929; a dash where it has no value."""
    if np.isnan(value):
        return f"{symbol} = \N{EN DASH}"
    digits = f"{abs(value):.3f}".removeprefix("0")
    minus = "\N{MINUS SIGN}" if value < 0 and float(digits) else ""
    return f"{symbol} = {minus}{digits}"


def p_value_text(value: float) -> str:
    """Print a p-value with three digits, such as p = .064 or p < .001; a dash without a value."""
    if np.isnan(value):
        return "p = \N{EN DASH}"
    if value < 0.001:
        return "p < .001"
    return f"p = {f'{value:.3f}'.removeprefix('0')}"
