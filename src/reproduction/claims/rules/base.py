# SPDX-License-Identifier: MIT
"""Base class of the rules, and how they write numbers in words."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from receval.figures.printed_numbers import significant
from receval.spec_types import Model
from reproduction.claims.cells import ClaimContext
from reproduction.claims.sources import ClaimSources
from reproduction.claims.verdicts import Finding

SMALLEST = 1e-4
"""Smaller numbers are printed with a power of ten, because p-values may be very small."""

PositiveShare = Annotated[float, Field(gt=0, le=1)]
"""A share of parts, more than none of them."""


class Rule(Model):
    """A way to decide a claim.

    Attributes
    ----------
    because : str
        The reason for the rule and for the width of its tolerance.
    """

    because: str = ""

    @abstractmethod
    def judge(self, sources: ClaimSources, context: ClaimContext) -> Finding:
        """Judge the claim by the results."""

    @abstractmethod
    def in_words(self) -> str:
        """Return in a few words how the rule decides, without results."""

    def published_number(self) -> float:
        """Return the paper's number, if the rule compares with one; NaN otherwise."""
        return float("nan")

    def why(self) -> str:
        """Return the reason for the rule and its tolerance."""
        return self.because


def in_words(values: NDArray[np.float64] | Sequence[float]) -> str:
    """Return numbers as text: all of them if they are few, else the lowest and the highest.

    Examples
    --------
    >>> in_words([0.25]), in_words([0.2, 0.1, 0.3, 0.4]), in_words([3.36e-75])
    ('.250', '.100 to .400', '3.36e-75')
    """
    numbers = np.asarray(values, dtype=np.float64)
    known = numbers[~np.isnan(numbers)]
    if not len(known):
        return "no value"
    if len(known) > 3:
        return f"{_in_word(float(known.min()))} to {_in_word(float(known.max()))}"
    return ", ".join(_in_word(float(number)) for number in known)


def off_by(difference: float) -> str:
    """Return by how much a number is off, as a sentence.

    Examples
    --------
    >>> off_by(0.0307), off_by(float("nan"))
    ('Off by +.0307.', 'There is no value.')
    """
    if np.isnan(difference):
        return "There is no value."
    return f"Off by {significant(difference, signed=True)}."


def _in_word(number: float) -> str:
    is_small = 0 < abs(number) < SMALLEST
    return f"{number:.2e}" if is_small else significant(number)
