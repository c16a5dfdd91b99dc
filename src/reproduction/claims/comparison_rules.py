# SPDX-License-Identifier: MIT
"""Rules that compare numbers: with a published one, with each other, and of the paper alone.

The base class of all rules is here, too, and how rules write numbers in words.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Annotated, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from receval.figures.printed_numbers import as_written, fixed, significant
from receval.spec_types import Model, NonEmptyText
from receval.statistics.pairs import LEVEL
from receval.storage.messages import enumerated
from reproduction.claims.quantities import Quantity, evaluated
from reproduction.claims.sources import ClaimContext, ClaimSources, aligned, part_names
from reproduction.claims.verdicts import ClaimVerdict, Finding, failing, verdict_of

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


Sign = Literal["<", "<=", ">", ">=", "=", "~"]

SAME = 0.1
"""Two numbers are about the same if they differ by at most this share of the larger one."""

MOST_LISTED = 4
"""How many numbers a sentence lists one by one."""

_ROUNDING = 1e-9
"""A difference of exactly the tolerance in decimal may be slightly larger in binary."""


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
            raise ValueError("a tolerance needs a reason for its width. Set because")
        return self

    def judge(self, sources: ClaimSources, context: ClaimContext) -> Finding:
        numbers = evaluated(self.ours, sources, context)
        value = numbers.number()
        tolerance = self._tolerance()
        difference = value - self.published
        distance = abs(difference)
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
        tolerance = self._tolerance()
        return f"within {as_written(tolerance)}" if tolerance else "exactly"

    def published_number(self) -> float:
        return self.published

    def _tolerance(self) -> float:
        return max(self.within, self.share * abs(self.published))


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
    enough: PositiveShare = 1.0

    def judge(self, sources: ClaimSources, context: ClaimContext) -> Finding:
        left, right = aligned(
            evaluated(self.left, sources, context), evaluated(self.right, sources, context)
        )
        shown = stands = self._compare(left.values, right)
        chances = np.full(len(right), np.nan)
        if self.p_value is not None:
            _, chances = aligned(left, evaluated(self.p_value, sources, context))
            shown = stands & ((chances >= LEVEL) if self.sign in "~=" else (chances < LEVEL))
        names = part_names(left.labels, left.columns)
        single = len(left.values) == 1
        detail = failing(list(zip(shown.tolist(), names, strict=True)))
        if single and not stands[0]:
            detail = f"{in_words(left.values)} is not {self._words(in_words(right))}."
            if np.isnan(left.values[0] - right[0]):
                detail = "There is no value."
        elif single and not shown[0]:
            said = "Not significant" if chances[0] >= LEVEL else "Significant"
            detail = f"{said}: p = {in_words(chances)}."
        numbers = (left.values, left.low, left.high) if single else ()
        return Finding(
            verdict_of(shown.tolist(), self.enough),
            self._numbers(names, left.values, right, shown),
            self.in_words(),
            detail,
            self.published_number(),
            *(float(number[0]) for number in numbers),
        )

    def _numbers(
        self,
        names: Sequence[str],
        left: NDArray[np.float64],
        right: NDArray[np.float64],
        shown: NDArray[np.bool_],
    ) -> str:
        """Return the numbers in pairs; if they are many, how many comply and their range."""
        sign = "and" if self.sign in "~=" else "against"
        limit = in_words(right[:1])
        same_limit = len(np.unique(right)) == 1
        if len(right) == 1:
            return f"{in_words(left)} {sign} {limit}"
        if len(right) <= MOST_LISTED:
            if same_limit:
                alone = _named(names, [in_words([one]) for one in left])
                return f"{alone}; {sign} {limit}"
            pairs = zip(left.tolist(), right.tolist(), strict=True)
            texts = [f"{in_words([one])} {sign} {in_words([other])}" for one, other in pairs]
            return _named(names, texts)
        known = f"{in_words(left)} {sign} {limit if same_limit else in_words(right)}"
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

    def _words(self, limit: str) -> str:
        apart = f" or {as_written(self.within)}" if self.within else ""
        words = {
            "<": "less than",
            "<=": "at most",
            ">": "more than",
            ">=": "at least",
            "=": "equal to",
            "~": f"within {as_written(100 * self.alike)} %{apart} of",
        }[self.sign]
        words += f" {as_written(self.right) if isinstance(self.right, float) else limit}"
        if apart and self.sign != "~":
            words += f" within {as_written(self.within)}"
        return words + (f", by {as_written(self.margin)}" if self.margin else "")

    def in_words(self) -> str:
        words = self._words("the other")
        if self.enough < 1:
            words += f", in {as_written(100 * self.enough)} % of cases"
        if self.p_value is not None:
            words += ", not significantly different" if self.sign in "~=" else ", significantly"
        return words


def _named(names: Sequence[str], texts: Sequence[str]) -> str:
    """Return numbers, each after its name.

    Examples
    --------
    >>> _named(["AR", "1R"], [".0559 against .0431", ".0545 against .0470"])
    'AR .0559 against .0431, 1R .0545 against .0470'
    """
    named = zip(names, texts, strict=True)
    return ", ".join(" ".join(filter(None, one)) for one in named)


class ContradictionRule(Rule):
    """The paper gives different numbers for the same thing, which no data can all match.

    The text alone decides it: it needs neither results nor a dataset.

    Attributes
    ----------
    mentions : dict of str to float
        Each number, by its place in the paper.
    """

    rule: Literal["contradiction"]
    mentions: Annotated[dict[NonEmptyText, float], Field(min_length=2)]

    def judge(self, sources: ClaimSources, context: ClaimContext) -> Finding:
        said = enumerated([f"{as_written(n)} ({where})" for where, n in self.mentions.items()])
        differ = len(set(self.mentions.values())) > 1
        verdict = ClaimVerdict.CONTRADICTS_ITSELF if differ else ClaimVerdict.HOLDS
        return Finding(verdict, f"The paper gives {said}.", self.in_words())

    def in_words(self) -> str:
        return "the paper's own numbers of the same thing"
