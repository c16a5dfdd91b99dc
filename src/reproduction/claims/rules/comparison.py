# SPDX-License-Identifier: MIT
"""Rule: two quantities compare as the claim says, once or for each label."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from receval.figures.printed_numbers import as_written
from receval.statistics.pairs import LEVEL
from reproduction.claims.cells import ClaimContext
from reproduction.claims.quantities import Quantity, evaluated
from reproduction.claims.rules.base import MOST_LISTED, Rule, in_words, labelled, off_by
from reproduction.claims.sources import ClaimSources, LabelledValues, aligned
from reproduction.claims.verdicts import Finding, failing, verdict_of

Sign = Literal["<", "<=", ">", ">=", "=", "~"]

SAME = 0.1
"""Two numbers are about the same if they differ by at most this share of the larger one."""

_ROUNDING = 1e-9


class ComparisonRule(Rule):
    r"""The left quantity compares with the right one as the sign says.

    ``~`` is :math:`|l - r| \le \max(t, s \max(|l|, |r|))`.

    Attributes
    ----------
    left, right : Quantity
        With the same labels on both sides, or one number on one of them.
    sign : {"<", "<=", ">", ">=", "=", "~"}
    alike : float
        :math:`s`, the share of the larger number by which two about equal numbers may differ.
    within : float
        :math:`t`, the absolute difference that is always allowed.
    margin : float
        The least difference for ``<`` and ``>``.
    p_value : Quantity, optional
        P-values of the differences. Differences that are not significant at .05 do not count as
        shown. For a claim of no difference (``~``), significant differences do not.
    enough : float
        The share of comparisons that must hold for the claim to hold; with half of that it holds in
        part.
    """

    rule: Literal["comparison"]
    left: Quantity
    sign: Sign
    right: Quantity
    alike: Annotated[float, Field(gt=0)] = SAME
    within: Annotated[float, Field(ge=0)] = 0.0
    margin: Annotated[float, Field(ge=0)] = 0.0
    p_value: Quantity | None = None
    enough: Annotated[float, Field(gt=0, le=1)] = 1.0

    def judge(self, sources: ClaimSources, context: ClaimContext) -> Finding:
        """Count the comparisons in which the sign is right."""
        left, right = aligned(
            evaluated(self.left, sources, context), evaluated(self.right, sources, context)
        )
        shown = stands = self._compare(left.values, right)
        chances = np.full(len(right), np.nan)
        if self.p_value is not None:
            _, chances = aligned(left, evaluated(self.p_value, sources, context))
            shown = stands & ((chances >= LEVEL) if self.sign in "~=" else (chances < LEVEL))
        names = [", ".join(label) for label in left.labels]
        verdict = verdict_of(shown.tolist(), self.enough)
        single = len(left.values) == 1
        detail = failing(list(zip(shown.tolist(), names, strict=True)))
        if single and not stands[0]:
            detail = off_by(float(left.values[0] - right[0]))
        elif single and not shown[0]:
            said = "Not significant" if chances[0] >= LEVEL else "Significant"
            detail = f"{said}: p = {in_words(chances)}."
        return Finding(
            verdict,
            self._numbers(left, right, shown),
            self.in_words(),
            detail,
            value=float(left.values[0]) if single else float("nan"),
            low=float(left.low[0]) if single else float("nan"),
            high=float(left.high[0]) if single else float("nan"),
        )

    def _numbers(
        self, left: LabelledValues, right: NDArray[np.float64], shown: NDArray[np.bool_]
    ) -> str:
        """Return the numbers in pairs; if they are many, how many comply and their range."""
        sign = "and" if self.sign in "~=" else "against"
        limit = in_words(right[:1])
        same_limit = len(np.unique(right)) == 1
        if len(right) == 1:
            return f"{in_words(left.values)} {sign} {limit}"
        if len(right) <= MOST_LISTED:
            if same_limit:
                alone = labelled(left.labels, [in_words([one]) for one in left.values])
                return f"{alone}; {sign} {limit}"
            pairs = zip(left.values.tolist(), right.tolist(), strict=True)
            texts = [f"{in_words([one])} {sign} {in_words([other])}" for one, other in pairs]
            return labelled(left.labels, texts)
        known = f"{in_words(left.values)} {sign} {limit if same_limit else in_words(right)}"
        return f"so in {int(shown.sum())} of {len(shown)}: {known}"

    def _compare(self, left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.bool_]:
        slack = _ROUNDING * np.maximum(1.0, np.abs(right))
        with np.errstate(invalid="ignore"):
            if self.sign == "~":
                larger = np.maximum(np.abs(left), np.abs(right))
                return np.abs(left - right) <= np.maximum(self.within, self.alike * larger)
            if self.sign == "=":
                return np.abs(left - right) <= self.within + slack
            if self.sign == "<":
                return left < right - self.margin
            if self.sign == ">":
                return left > right + self.margin
            return left <= right + slack if self.sign == "<=" else left >= right - slack

    def in_words(self) -> str:
        """Return how the left number must compare with the right one."""
        words = {
            "<": "less",
            "<=": "at most",
            ">": "more",
            ">=": "at least",
            "=": "equal",
            "~": f"the same within {as_written(100 * self.alike)} %",
        }[self.sign]
        if self.within:
            words += (
                f" or {as_written(self.within)}"
                if self.sign == "~"
                else (f" within {as_written(self.within)}")
            )
        if self.margin:
            words += f" by {as_written(self.margin)}"
        if self.enough < 1:
            words += f", in {as_written(100 * self.enough)} %"
        if self.p_value is not None:
            words += ", not significantly different" if self.sign in "~=" else ", significantly"
        return words
