# SPDX-License-Identifier: MIT
"""Rule: two lines cross, or do not cross."""

from __future__ import annotations

from typing import Literal

import numpy as np

from receval.figures.printed_numbers import significant
from receval.storage.messages import enumerated
from reproduction.claims.cells import ClaimContext
from reproduction.claims.quantities import Quantity, evaluated
from reproduction.claims.rules.base import Rule
from reproduction.claims.sources import ClaimSources, aligned
from reproduction.claims.verdicts import ClaimVerdict, Finding


class CrossingRule(Rule):
    """Two lines cross where their difference changes its sign.

    Attributes
    ----------
    left, right : Quantity
        Labelled by one column of numbers.
    leads : {"left", "right", "none"}
        Which line is higher before the crossing; ``none`` says that the lines do not cross.
    between : tuple of two float, optional
        Where the crossing lies; anywhere by default. The range must overlap with the interval from
        the last place where one line leads to the first where the other does.
    """

    rule: Literal["crossing"]
    left: Quantity
    right: Quantity
    leads: Literal["left", "right", "none"]
    between: tuple[float, float] | None = None

    def judge(self, sources: ClaimSources, context: ClaimContext) -> Finding:
        """Judge whether the lines cross in the range; elsewhere the claim holds in part."""
        left, right = aligned(
            evaluated(self.left, sources, context), evaluated(self.right, sources, context)
        )
        if any(len(label) != 1 for label in left.labels):
            raise ValueError("A crossing needs one column to go along: name it under each.")
        x = np.array([float(label[0]) for label in left.labels])
        order = np.argsort(x)
        x, lead = x[order], np.sign(left.values - right)[order]
        x, lead = x[lead != 0], lead[lead != 0]
        if len(x) < 2:
            raise ValueError("A crossing needs two points or more where the lines differ.")
        changes = np.flatnonzero(lead[1:] != lead[:-1])
        places = [(float(x[change]), float(x[change + 1])) for change in changes]
        said = [f"{significant(a)} and {significant(b)}" for a, b in places]
        ours = f"crossing between {enumerated(said)}" if said else "no crossing"
        rule = self.in_words()
        if self.leads == "none":
            if places:
                return Finding(ClaimVerdict.DOES_NOT_HOLD, ours, rule, "The lines cross.")
            return Finding(ClaimVerdict.HOLDS, ours, rule)
        first = 1.0 if self.leads == "left" else -1.0
        if lead[0] != first or lead[-1] == first:
            words = "the other way round" if places else "nowhere"
            return Finding(ClaimVerdict.DOES_NOT_HOLD, ours, rule, f"The lines cross {words}.")
        if self.between is not None:
            inside = [a <= self.between[1] and b >= self.between[0] for a, b in places]
            if not any(inside):
                return Finding(
                    ClaimVerdict.HOLDS_IN_PART, ours, rule, "The crossing lies elsewhere."
                )
        if len(places) > 1:
            return Finding(ClaimVerdict.HOLDS_IN_PART, ours, rule, "The lines cross several times.")
        return Finding(ClaimVerdict.HOLDS, ours, rule)

    def in_words(self) -> str:
        """Return which crossing is required."""
        if self.leads == "none":
            return "no crossing"
        words = f"one crossing, {self.leads} leads before"
        if self.between is not None:
            words += f", between {self.between[0]:g} and {self.between[1]:g}"
        return words
