# SPDX-License-Identifier: MIT
"""Rules that compare numbers: with a published one, with each other, and of the paper alone.

The base class of all rules is here, too, and how rules write numbers in words.
"""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from string import Formatter
from typing import Annotated, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from receval.figures.printed_numbers import as_written, fixed, significant
from receval.spec_types import Model, NonEmptyText
from receval.statistics.pairs import LEVEL
from receval.storage.messages import enumerated
from reproduction.claims.quantities import Quantity, evaluated
from reproduction.claims.sources import (
    ClaimContext,
    ClaimSources,
    LabelledValues,
    MissingCellsError,
    NotMeasuredError,
    aligned,
    part_names,
)
from reproduction.claims.verdicts import (
    RARE,
    ClaimVerdict,
    Finding,
    failing,
    of_splits,
    verdict_of,
    verdict_of_splits,
    without_ranges_of_one,
)

SMALLEST = 1e-4
"""Smaller numbers are printed with a power of ten, because p-values may be very small."""

PositiveShare = Annotated[float, Field(gt=0, le=1)]
"""A share of parts, more than none of them."""


class Rule(Model):
    """A way to decide a claim.

    - ``because``: The reason for the rule and for the width of its tolerance.
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

    def why(self, sources: ClaimSources, context: ClaimContext) -> str:
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
        ends = f"{_in_word(float(known.min()))} to {_in_word(float(known.max()))}"
        return without_ranges_of_one(ends)
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


# Sentences that contain numbers of results, in the YAML of errata and claims.


def names_in(text: str) -> set[str]:
    """Return the names in braces in a text.

    Examples
    --------
    >>> sorted(names_in("{ours:.3f} against {theirs:.0%}"))
    ['ours', 'theirs']
    """
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def told(text: str, numbers: Mapping[str, float]) -> str:
    """Fill numbers into a text as in print, without a zero before the decimal point.

    A range whose ends print alike is told as one number (:func:`without_ranges_of_one`).

    Examples
    --------
    >>> told("{ours:.3f} of {share:.1%}", {"ours": 0.25, "share": 0.5})
    '.250 of 50.0 %'
    """
    printed = {name: _Printed(value) for name, value in numbers.items()}
    return without_ranges_of_one(text.format_map(printed))


class _Printed(float):
    """A number that is formatted as in print."""

    def __format__(self, form: str) -> str:
        shown = re.sub(r"^(-?)0\.", r"\1.", float(self).__format__(form))
        return re.sub(r"^-", "−", shown).replace("%", " %")


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

    - ``ours``: :math:`x`: one number.
    - ``published``: :math:`p`.
    - ``within``: :math:`t`; half a unit of the published number's last digit where it was rounded.
    - ``share``: :math:`r`.
    - ``nearly``: The multiple of the tolerance within which the claim holds in part; 1 for never.
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
            parts="",
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

    - ``left``, ``right``: With the same labels on both sides, or one number on one of them.
    - ``alike``: :math:`s`, the share of the larger number by which two about equal numbers may
      differ.
    - ``within``: :math:`t`, the absolute difference that is always allowed.
    - ``margin``: The least difference for ``<`` and ``>``.
    - ``p_value``: P-values of the differences. Differences that are not significant at .05 do not
      count as shown. For a claim of no difference (``~``), significant differences do not.
    - ``enough``: The share of comparisons that must hold for the claim to hold; with half of that
      it holds in part.
    - ``over_splits``: Whether each comparison is of a split, so that these decide as for all claims
      (:func:`reproduction.claims.verdicts.verdict_of_splits`).
    - ``because``: In it ``{flip}`` is the limit at which the verdict would change: the number on
      the right, or ``alike`` or ``within`` of two quantities that are compared by it alone. Clauses
      with it are left out where no number decides.
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
    over_splits: bool = False

    @model_validator(mode="after")
    def _flips_at_a_number(self) -> Self:
        is_limit = self.sign[0] in "<>" and isinstance(self.right, float) and not self.margin
        is_limit |= self.sign == "=" or (self.sign == "~" and not self.within)
        if "flip" in names_in(self.because) and not (is_limit and self.p_value is None):
            raise ValueError(
                "a verdict flips at a number on the right of <, <=, > or >= if there is no margin. "
                "With = it flips at within, and with ~ at alike, if it has no within. With a "
                "p-value it flips at no number. Leave {flip} out of because, or compare a "
                "difference or quotient"
            )
        return self

    def why(self, sources: ClaimSources, context: ClaimContext) -> str:
        """Return the reason, with the number at which the verdict would change."""
        if not names_in(self.because):
            return self.because
        try:
            left, right = (evaluated(side, sources, context) for side in (self.left, self.right))
            flip = self._flip(*self._against_a_limit(left, right))
        except (NotMeasuredError, MissingCellsError):
            flip = float("nan")
        known = [one for one in self.because.split("; ") if flip == flip or not names_in(one)]
        return told("; ".join(known), {"flip": flip})

    def _against_a_limit(
        self, left: LabelledValues, right: LabelledValues
    ) -> tuple[NDArray[np.float64], float]:
        """Return the numbers that are compared with a limit, and the limit."""
        if self.sign[0] in "<>":
            return left.values, right.number()
        left, others = aligned(left, right)
        apart = np.abs(left.values - others)
        if self.sign == "=":
            return apart, self.within
        with np.errstate(invalid="ignore"):
            return apart / np.maximum(np.abs(left.values), np.abs(others)), self.alike

    def _flip(self, left: NDArray[np.float64], limit: float) -> float:
        """Return the nearest limit at which just enough comparisons hold for another verdict."""
        # Missing numbers are last on both sides, as they comply with no limit.
        ordered = -np.sort(-left) if self.sign[0] == ">" else np.sort(left)
        needed = [math.ceil(self.enough * len(left) / by - _ROUNDING) for by in (1, 2)]
        if self.over_splits:
            rare = math.floor(RARE * len(left))
            needed = [len(left) - rare, 1 + rare]
        return min((float(ordered[n - 1]) for n in needed), key=lambda end: abs(end - limit))

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
        found = Finding(
            verdict_of(shown.tolist(), self.enough),
            self._numbers(names, left.values, right, shown),
            self.in_words(),
            detail,
            self.published_number(),
        )
        if self.over_splits:
            by_split = tuple(verdict_of([one]) for one in shown.tolist())
            verdict = verdict_of_splits(found.verdict, of_splits(by_split))
            return replace(found, verdict=verdict, detail="", by_split=by_split)
        if not single:
            return found
        value, low, high = (float(number[0]) for number in (left.values, left.low, left.high))
        parts = found.parts if stands[0] else ""
        return replace(found, value=value, low=low, high=high, parts=parts)

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
        if self.over_splits:
            words += ", on each split"
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

    - ``mentions``: Each number, by its place in the paper.
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


# Rules on orders of systems or metrics, and on numbers along a column.

OTHERS = "others"
"""Stands in a tier for everything that no tier names."""

MOST_SHOWN = 5

_NOTHING_TO_ORDER = "An order needs several things. Name a column under each."

_Groups = dict[tuple[str, ...], dict[str, float]]
_Chances = dict[tuple[str, ...], float]


class OrderRule(Rule):
    """Everything in a tier is ahead of everything in the tiers after it.

    - ``values``: Its labels end with what is ordered; the labels before distinguish repetitions.
    - ``tiers``: The leading tier first; ``others`` stands for all that no tier names.
    - ``ahead``: Which values lead.
    - ``ties``: Whether equal values count as in order.
    - ``enough``: The share of pairs that must be in order for the claim to hold; with half of that
      it holds in part.
    """

    rule: Literal["order"]
    values: Quantity
    tiers: Annotated[tuple[tuple[str, ...], ...], Field(min_length=2)]
    ahead: Literal["higher", "lower"] = "higher"
    ties: bool = False
    enough: PositiveShare = 1.0

    def judge(self, sources: ClaimSources, context: ClaimContext) -> Finding:
        numbers = evaluated(self.values, sources, context)
        groups = numbers.by_last_label(_NOTHING_TO_ORDER)
        parts: list[tuple[bool, str]] = []
        orders = []
        for group, values in groups.items():
            if missing := sorted(self._named() - set(values)):
                raise sources.missing(context.study, enumerated(missing), enumerated(list(values)))
            parts += self._pairs(values, ", ".join(group))
            sign = -1 if self.ahead == "higher" else 1
            known = {name: value for name, value in values.items() if not np.isnan(value)}
            ranked = sorted(known, key=lambda name: sign * known[name])
            shown = ", ".join(ranked[:MOST_SHOWN]) + (" ..." if len(ranked) > MOST_SHOWN else "")
            orders.append(f"{', '.join(group)}: {shown}" if group else shown)
        more = f" and {len(orders) - 2} more" if len(orders) > 2 else ""
        return Finding(
            verdict_of([is_shown for is_shown, _ in parts], self.enough),
            "; ".join(orders[:2]) + more,
            self.in_words(),
            failing(parts) or self._only_pair(groups, parts),
        )

    def in_words(self) -> str:
        rule = "every pair in order" if self.enough == 1 else f"{100 * self.enough:g} % of pairs"
        return f"{rule}, {'highest' if self.ahead == 'higher' else 'lowest'} first"

    def _only_pair(self, groups: _Groups, parts: list[tuple[bool, str]]) -> str:
        """Return the two numbers if there is a single pair and it is not in order."""
        if len(parts) != 1 or parts[0][0]:
            return ""
        values = next(values for values in groups.values() if self._pairs(values, ""))
        leading, following = (name for tier in self._tiers(values) for name in tier)
        return (
            f"{leading} has {in_words([values[leading]])}, {following} "
            f"{in_words([values[following]])}."
        )

    def _pairs(self, values: dict[str, float], group: str) -> list[tuple[bool, str]]:
        where = f" ({group})" if group else ""
        sign = 1 if self.ahead == "higher" else -1
        pairs = []
        for leading, following in combinations(self._tiers(values), 2):
            for one, other in product(leading, following):
                by = sign * (values[one] - values[other])
                in_order = by >= 0 if self.ties else by > 0
                pairs.append((in_order, f"{one} before {other}{where}"))
        return pairs

    def _named(self) -> set[str]:
        return {name for tier in self.tiers for name in tier} - {OTHERS}

    def _tiers(self, values: dict[str, float]) -> list[list[str]]:
        named = self._named()
        rest = [name for name in values if name not in named]
        return [
            [own for name in tier for own in (rest if name == OTHERS else [name])]
            for tier in self.tiers
        ]


class SameOrderRule(Rule):
    """Two quantities order all things, such as systems, in the same way.

    - ``values``: Its labels end with what is ordered; the labels before distinguish orders.
    - ``reference``: The quantity that each order is compared with, by the same labels. A reference
      for several orders lacks the first labels.
    - ``p_values``, ``p_reference``: P-values of the difference of two things, which the last two
      labels name; the labels before are those of the quantity. A change of order does not count if
      a difference is not significant at .05.
    - ``enough``: The share of orders that must be the same; with half of that the claim holds in
      part.
    """

    rule: Literal["same-order"]
    values: Quantity
    reference: Quantity
    p_values: Quantity | None = None
    p_reference: Quantity | None = None
    enough: PositiveShare = 1.0

    def judge(self, sources: ClaimSources, context: ClaimContext) -> Finding:
        found, reference = (
            evaluated(quantity, sources, context).by_last_label(_NOTHING_TO_ORDER)
            for quantity in (self.values, self.reference)
        )
        chances, of_reference = (
            None if quantity is None else evaluated(quantity, sources, context).by_label()
            for quantity in (self.p_values, self.p_reference)
        )
        parts = []
        changed = compared = 0
        for group, values in found.items():
            own = _counterpart(group, reference)
            others = reference[own]
            if set(values) != set(others):
                raise ValueError(
                    f"One order is of {enumerated(sorted(values))}, but the other is of "
                    f"{enumerated(sorted(others))}. Select the same things on both sides."
                )
            moved = [
                f"{one} and {other}"
                for one, other in combinations(values, 2)
                if (values[one] - values[other]) * (others[one] - others[other]) < 0
                and _is_apart(chances, group, one, other)
                and _is_apart(of_reference, own, one, other)
            ]
            known = not np.isnan([*values.values(), *others.values()]).any()
            name = ": ".join(filter(None, [", ".join(group), ", ".join(moved)]))
            parts.append((known and not moved, name or "missing values"))
            changed += len(moved)
            compared += len(values) * (len(values) - 1) // 2
        detail = failing(parts)
        if len(parts) == 1 and not parts[0][0]:
            detail = f"In another order: {parts[0][1]}."
        return Finding(
            verdict_of([is_same for is_same, _ in parts], self.enough),
            f"{changed} of {compared} pairs change places",
            self.in_words(),
            detail,
        )

    def in_words(self) -> str:
        rule = "the same order"
        if self.p_values is not None or self.p_reference is not None:
            rule += " but for differences that are not significant"
        return rule if self.enough == 1 else f"{rule}, in {100 * self.enough:g} %"


def _counterpart(group: tuple[str, ...], reference: _Groups) -> tuple[str, ...]:
    for start in range(len(group) + 1):
        if group[start:] in reference:
            return group[start:]
    raise ValueError(
        f"There is no order to compare with the order of {', '.join(group)}. There are orders of "
        f"{enumerated([', '.join(name) for name in reference])}."
    )


def _is_apart(chances: _Chances | None, group: tuple[str, ...], one: str, other: str) -> bool:
    """Return whether a difference is significant; always true without p-values."""
    if chances is None:
        return True
    label = next((g for g in ((*group, one, other), (*group, other, one)) if g in chances), None)
    if label is None:
        raise ValueError(
            f"The difference of {one} and {other} has no p-value. Select the p-values of all pairs."
        )
    return chances[label] < LEVEL


FLAT = 0.1
"""Numbers are flat if their range is at most this share of their mean."""


class TrendRule(Rule):
    """The trend of numbers along a column, which is their last label.

    - ``values``: Its labels end with a number, the position on the axis. The labels before
      distinguish series.
    - ``direction``: ``both ways``: some step goes up and some goes down. ``peak`` and ``dip``: the
      highest or lowest value lies between the bounds, and both ends are beyond it. ``linear``: a
      straight line explains ``steps`` of the variance. ``flat``: the range is at most ``flat``
      times the mean.
    - ``steps``: For ``rising`` and ``falling``, the share of steps that must go that way; for
      ``linear``, the share of variance explained.
    - ``between``: Bounds of a peak or dip.
    - ``enough``: The share of series that must follow the trend.
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
        numbers = evaluated(self.values, sources, context)
        series = numbers.by_last_label("A trend needs a column to follow. Name it under each.")
        parts = []
        said = []
        names = part_names(series, numbers.columns)
        for name, points in zip(names, series.values(), strict=True):
            x, y = np.array(sorted((float(at), value) for at, value in points.items())).T
            parts.append((self._goes(x, y), name))
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

    - ``left``, ``right``: Labelled by one column of numbers.
    - ``leads``: Which line is higher before the crossing; ``none`` says that the lines do not
      cross.
    - ``between``: Where the crossing lies; anywhere by default. The range must overlap with the
      interval from the last place where one line leads to the first where the other does.
    """

    rule: Literal["crossing"]
    left: Quantity
    right: Quantity
    leads: Literal["left", "right", "none"]
    between: tuple[float, float] | None = None

    def judge(self, sources: ClaimSources, context: ClaimContext) -> Finding:
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
        if self.leads == "none":
            return "no crossing"
        first, last = map(as_written, self.between or (0.0, 0.0))
        where = f" at {first}" if first == last else f" between {first} and {last}"
        line = "first" if self.leads == "left" else "second"
        return f"one crossing{where if self.between else ''}, before which the {line} line leads"
