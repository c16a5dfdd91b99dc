# SPDX-License-Identifier: MIT
"""What splits do with time: which ratings test, by the names of the splits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

RANDOM = "random"
NEWEST = "newest"
LAST_OF_USERS = "last_of_users"

SPLIT_TITLES = {
    RANDOM: "Random",
    "newest_of_users": "Newest of\neach user",
    LAST_OF_USERS: "Last of\neach user",
    NEWEST: "Newest\nof all",
}
"""What tests, from what knows nothing of time to what divides past and future."""


def tested_by(split: str, parameters: Mapping[str, Any]) -> str:
    """Return which ratings a split tests, one of :data:`SPLIT_TITLES`."""
    for kind in SPLIT_TITLES:
        if split in parameters[kind]:
            return kind
    raise ValueError(
        f"Nothing says which ratings the split {split} tests: name it under one of the parameters "
        f"{', '.join(SPLIT_TITLES)}."
    )


def in_order(tested: Iterable[str]) -> list[str]:
    """Return what tests, each once, in the order of :data:`SPLIT_TITLES`."""
    found = set(tested)
    return [kind for kind in SPLIT_TITLES if kind in found]


def percentage(value: float, *, at_least: bool = False) -> str:
    """Return a percentage, with as many decimals as it needs not to be 0 or 100 by rounding.

    Examples
    --------
    >>> [percentage(value) for value in (24.7, 99.95, 0.3, 100, 0)]
    ['25', '99.95', '.3', '100', '0']
    >>> percentage(24.7, at_least=True)
    '24'
    """
    if at_least and value >= 1:
        return f"{int(value)}"
    for decimals in range(4):
        text = f"{value:.{decimals}f}"
        if float(text) not in (0.0, 100.0) or value in (0, 100):
            break
    return text.removeprefix("0") if text.startswith("0.") else text
