# SPDX-License-Identifier: MIT
"""One sentence of a recommended experimental section, and its reason."""

from __future__ import annotations

from dataclasses import dataclass

from receval.figures.printed_numbers import fixed


@dataclass(frozen=True)
class Advice:
    """One sentence of an experimental section and its reason.

    Attributes
    ----------
    subject : str
        What it is about.
    sentence : str
        As it may stand in a paper.
    reason : str
        What was measured here that speaks for it.
    """

    subject: str
    sentence: str
    reason: str


def as_percent(share: float) -> str:
    """Return a share as per cent with as many digits as a sentence needs.

    Examples
    --------
    >>> as_percent(0.5), as_percent(0.0447), as_percent(0.0001)
    ('50 %', '4.5 %', 'less than .1 %')
    """
    percent = 100 * share
    if 0 < percent < 0.1:
        return "less than .1 %"
    return f"{fixed(percent, 0 if percent >= 10 or percent == 0 else 1)} %"
