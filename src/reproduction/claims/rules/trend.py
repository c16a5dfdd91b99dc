# SPDX-License-Identifier: MIT
"""Rules on numbers along a column: their trend, and where two lines cross."""

from __future__ import annotations

from typing import Annotated, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from receval.figures.printed_numbers import significant
from receval.storage.messages import enumerated
from reproduction.claims.cells import ClaimContext
from reproduction.claims.quantities import Quantity, evaluated
from reproduction.claims.rules.base import PositiveShare, Rule, in_words
from reproduction.claims.sources import ClaimSources, aligned
from reproduction.claims.verdicts import ClaimVerdict, Finding, failing, verdict_of

FLAT = 0.1
"""Numbers are flat if their range is at most this share of their mean."""


class TrendRule(Rule):
    """The trend of numbers along a column, which is their last label.

    Attributes
    ----------
    values : Quantity
        Its labels end with a number, the position on the axis. The labels before distinguish
        series.
    direction : {"rising", "falling", "both ways", "flat", "peak", "dip", "linear"}
        ``both ways``: some step goes up and some goes down. ``peak`` and ``dip``: the highest or
        lowest value lies between the bounds, and both ends are beyond it. ``linear``: a straight
        line explains ``steps`` of the variance. ``flat``: the range is at most ``flat`` times the
        mean.
    steps : float
        For ``rising`` and ``falling``, the share of steps that must go that way; for ``linear``,
        the share of variance explained.
    between : tuple of two float, optional
        Bounds of a peak or dip.
    flat : float
    enough : float
        The share of series that must follow the trend.
    """

    rule: Literal["trend"]
    values: Quantity
    direction: Literal["rising", "falling", "both ways", "flat", "peak", "dip", "linear"]
    steps: PositiveShare = 1.0
    between: tuple[float, float] | None = None
    flat: Annotated[float, Field(gt=0)] = FLAT
    enough: PositiveShare = 1.0

    @model_validator(mode="after")
    def _peaks_have_bounds(self) -> Self:
        if (self.between is None) == (self.direction in ("peak", "dip")):
            raise ValueError(
                "between is required for a peak or a dip, and is not allowed for other trends"
            )
        return self

    def judge(self, sources: ClaimSources, context: ClaimContext) -> Finding:
        """Count the series that follow the trend."""
        numbers = evaluated(self.values, sources, context)
        series = numbers.by_last_label("A trend needs a column to follow. Name it under each.")
        parts = []
        said = []
        for name, points in series.items():
            x, y = np.array(sorted((float(at), value) for at, value in points.items())).T
            parts.append((self._goes(x, y), ", ".join(name)))
            said.append(f"{in_words([y[0]])} to {in_words([y[-1]])}")
            steps = ", ".join(in_words([value]) for value in y)
        others = f", and {len(said) - 1} more series" if len(said) > 1 else ""
        alone = "" if len(parts) > 1 or parts[0][0] else f"It goes {steps}."
        return Finding(
            verdict_of([goes for goes, _ in parts], self.enough),
            said[0] + others,
            self.in_words(),
            alone or failing(parts),
        )

    def _goes(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> bool:
        if len(x) < 2:
            raise ValueError("A trend needs at least two points. Select more.")
        if np.isnan(y).any():
            return False
        if self.direction in ("rising", "falling"):
            steps = np.diff(y) if self.direction == "rising" else -np.diff(y)
            return bool((steps > 0).mean() >= self.steps and steps.sum() > 0)
        if self.direction == "both ways":
            steps = np.diff(y)
            return bool((steps > 0).any() and (steps < 0).any())
        if self.direction == "flat":
            return bool(np.ptp(y) <= self.flat * np.abs(y).mean())
        if self.direction == "linear":
            line = np.polyval(np.polyfit(x, y, 1), x)
            rest, whole = ((y - line) ** 2).sum(), ((y - y.mean()) ** 2).sum()
            return bool(whole > 0 and 1 - rest / whole >= self.steps)
        heights = y if self.direction == "peak" else -y
        assert self.between is not None
        top = int(heights.argmax())
        inside = self.between[0] <= x[top] <= self.between[1]
        return bool(inside and heights[top] > max(heights[0], heights[-1]))

    def in_words(self) -> str:
        """Return which trend is required."""
        if self.direction in ("rising", "falling"):
            every = "every step" if self.steps == 1 else f"{100 * self.steps:g} % of the steps"
            return f"{self.direction} at {every}"
        if self.direction == "both ways":
            return "some steps up and some down"
        if self.direction == "flat":
            return f"a range of at most {100 * self.flat:g} % of the mean"
        if self.direction == "linear":
            return f"a line explains {100 * self.steps:g} % of the variance"
        assert self.between is not None
        return f"{self.direction} between {self.between[0]:g} and {self.between[1]:g}"


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
            raise ValueError("A crossing needs one column to follow. Name it under each.")
        x = np.array([float(label[0]) for label in left.labels])
        order = np.argsort(x)
        x, lead = x[order], np.sign(left.values - right)[order]
        x, lead = x[lead != 0], lead[lead != 0]
        if len(x) < 2:
            raise ValueError("A crossing needs at least two points where the lines differ.")
        changes = np.flatnonzero(lead[1:] != lead[:-1])
        places = [(float(x[change]), float(x[change + 1])) for change in changes]
        said = [f"{significant(a)} and {significant(b)}" for a, b in places]
        ours = f"crossing between {enumerated(said)}" if said else "no crossing"
        verdict, detail = self._verdict(lead, places)
        return Finding(verdict, ours, self.in_words(), detail)

    def _verdict(
        self, lead: NDArray[np.float64], places: list[tuple[float, float]]
    ) -> tuple[ClaimVerdict, str]:
        if self.leads == "none":
            if places:
                return ClaimVerdict.DOES_NOT_HOLD, "The lines cross."
            return ClaimVerdict.HOLDS, ""
        first = 1.0 if self.leads == "left" else -1.0
        if lead[0] != first or lead[-1] == first:
            words = "the other way round" if places else "nowhere"
            return ClaimVerdict.DOES_NOT_HOLD, f"The lines cross {words}."
        low, high = self.between or (-np.inf, np.inf)
        if not any(a <= high and b >= low for a, b in places):
            return ClaimVerdict.HOLDS_IN_PART, "The crossing lies elsewhere."
        if len(places) > 1:
            return ClaimVerdict.HOLDS_IN_PART, "The lines cross several times."
        return ClaimVerdict.HOLDS, ""

    def in_words(self) -> str:
        """Return which crossing is required."""
        if self.leads == "none":
            return "no crossing"
        words = f"one crossing, {self.leads} leads before"
        if self.between is not None:
            words += f", between {self.between[0]:g} and {self.between[1]:g}"
        return words
