# SPDX-License-Identifier: MIT
"""Rule: our number equals the published one within a tolerance."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from receval.figures.printed_numbers import as_written, fixed, significant
from reproduction.claims.cells import ClaimContext
from reproduction.claims.quantities import Quantity, evaluated
from reproduction.claims.rules.base import Rule, off_by
from reproduction.claims.sources import ClaimSources
from reproduction.claims.verdicts import ClaimVerdict, Finding

_ROUNDING = 1e-9


class NumberRule(Rule):
    r"""Our number differs from the published one by no more than a tolerance.

    .. math:: |x - p| \le \max(t, r\,|p|)

    Attributes
    ----------
    ours : Quantity
        :math:`x`: one number.
    published : float
        :math:`p`.
    within : float
        :math:`t`; half a unit of the published number's last digit where it was rounded.
    share : float
        :math:`r`.
    nearly : float
        The multiple of the tolerance within which the claim holds in part; 1 for never.
    """

    rule: Literal["number"]
    ours: Quantity
    published: float
    within: Annotated[float, Field(ge=0)] = 0.0
    share: Annotated[float, Field(ge=0)] = 0.0
    nearly: Annotated[float, Field(ge=1)] = 1.0

    @model_validator(mode="after")
    def _tolerance_is_told(self) -> Self:
        if (self.within or self.share) and not self.because:
            raise ValueError("a tolerance needs the reason why it is that wide: say because")
        return self

    def judge(self, sources: ClaimSources, context: ClaimContext) -> Finding:
        """Judge whether our number equals the published one."""
        numbers = evaluated(self.ours, sources, context)
        value = numbers.number()
        tolerance = self._tolerance()
        difference = value - self.published
        distance = abs(difference)
        # A difference of exactly the tolerance in decimal may be slightly larger in binary.
        slack = _ROUNDING * max(1.0, abs(self.published))
        verdict = ClaimVerdict.DOES_NOT_HOLD
        if distance <= tolerance + slack:
            verdict = ClaimVerdict.HOLDS
        elif distance <= self.nearly * tolerance + slack:
            verdict = ClaimVerdict.HOLDS_IN_PART
        return Finding(
            verdict,
            fixed(value, 0) if value.is_integer() else significant(value, 4),
            self.in_words(),
            "" if verdict is ClaimVerdict.HOLDS else off_by(difference),
            self.published,
            value,
            float(numbers.low[0]),
            float(numbers.high[0]),
        )

    def in_words(self) -> str:
        """Return how close our number must be."""
        tolerance = self._tolerance()
        return f"within {as_written(tolerance)}" if tolerance else "exactly"

    def published_number(self) -> float:
        """Return the published number."""
        return self.published

    def _tolerance(self) -> float:
        return max(self.within, self.share * abs(self.published))
