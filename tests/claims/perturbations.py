# SPDX-License-Identifier: MIT
"""Other numbers in the place of those that decide a claim."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
from claims.deciding_cells import CellRule, Numbers

from reproduction.claims.comparison_rules import NumberRule
from reproduction.claims.sources import NotMeasuredError
from reproduction.claims.verdicts import ClaimVerdict, Finding

Change = Callable[[Numbers], Numbers]

TRIES = 300
"""Random changes, after the named ones."""

NAMED: dict[str, Change] = {
    "the other sign": np.negative,
    "the other order": lambda values: values[::-1],
    "none of them": np.zeros_like,
    "all one": np.ones_like,
    "ten times as large": lambda values: 10 * values,
    "next to nothing": lambda values: 1e-20 * values,
    "one more": lambda values: values + 1,
    "one less": lambda values: values - 1,
    "all the same": lambda values: np.full_like(values, _mean(values)),
    "a rising line": lambda values: np.linspace(0, 1, len(values)),
    "a falling line": lambda values: np.linspace(1, 0, len(values)),
    "a hill": lambda values: 1 - np.abs(np.linspace(-1, 1, len(values))),
    "a valley": lambda values: np.abs(np.linspace(-1, 1, len(values))),
}
"""That there is no number is none of them: without numbers nearly any rule fails."""

SWAPS = 20
"""Pairs of readings whose numbers change places."""


def _mean(values: Numbers) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else 0.0


def changes(part: CellRule, before: Numbers) -> Iterator[tuple[str, Numbers]]:
    """Yield other numbers in the place of those before, the likeliest to matter first."""
    known = {**NAMED, **_around_the_published_number(part)}
    for name, change in known.items():
        yield f"{name} everywhere", _changed(part, before, change)
    readings = part.readings
    for one, other in list(combinations(range(len(readings)), 2))[:SWAPS]:
        if len(readings[one]) == len(readings[other]):
            values = before.copy()
            values[readings[one]] = before[readings[other]]
            values[readings[other]] = before[readings[one]]
            yield f"{one} and {other} in each other's place", values
    # Of claims with many readings few random changes are needed, of one alone none may be enough.
    for number in range(TRIES):
        yield f"random numbers {number}", _random(part, before, number)
    for name, change in known.items():
        for number in range(len(readings)):
            yield f"{name} in {number}", _changed(part, before, change, number)


def _around_the_published_number(part: CellRule) -> dict[str, Change]:
    if not isinstance(part.rule, NumberRule):
        return {}
    published = part.rule.published
    tolerance = max(part.rule.within, part.rule.share * abs(published)) * part.rule.nearly
    beyond = 2 * tolerance or 1
    return {
        "the published number": lambda values: np.full_like(values, published),
        "more than the published number": lambda values: np.full_like(values, published + beyond),
        "less than the published number": lambda values: np.full_like(values, published - beyond),
        "more by twice the tolerance": lambda values: values + beyond,
        "less by twice the tolerance": lambda values: values - beyond,
    }


def _changed(part: CellRule, before: Numbers, change: Change, only: int | None = None) -> Numbers:
    values = before.copy()
    for number, places in enumerate(part.readings):
        if only in (None, number):
            values[places] = change(before[places])
    return values


def _random(part: CellRule, before: Numbers, seed: int) -> Numbers:
    values = before.copy()
    for number, places in enumerate(part.readings):
        own = np.random.default_rng([seed, number])
        values[places] = _drawn(before[places], own)
    return values


def _drawn(values: Numbers, own: np.random.Generator) -> Numbers:
    level, spread = own.normal(), own.exponential()
    if own.random() < 0.5:
        return own.permutation(values)
    if own.random() < 0.5:
        return np.sort(own.normal(level, spread, len(values)))[:: own.choice([-1, 1])]
    return own.normal(level, spread, len(values))


def telling_change(part: CellRule, finding: Finding) -> str | None:
    """Return a change of the deciding numbers that gives another verdict; None if none does.

    The finding is what the rule says without a change.
    """
    before = part.cells.values
    try:
        for name, numbers in changes(part, before):
            part.cells.values = numbers
            if _verdict(part) not in (None, finding.verdict):
                return name
        for wanted in (ClaimVerdict.HOLDS, ClaimVerdict.DOES_NOT_HOLD):
            part.cells.values = before
            if wanted is not finding.verdict and _part_by_part(part, wanted) is wanted:
                return f"each part {wanted}"
    finally:
        part.cells.values = before
    return None


def _verdict(part: CellRule) -> ClaimVerdict | None:
    """Return what the rule says of the numbers in the cells; None of such as cannot be judged."""
    try:
        return part.judge().verdict
    except NotMeasuredError:
        # What is not measured could now change what the other parts say.
        return ClaimVerdict.UNDECIDABLE
    except ValueError:
        return None


def _part_by_part(whole: CellRule, wanted: ClaimVerdict) -> ClaimVerdict | None:
    """Return the verdict once parts, one after the other, have got the wanted one, if they can.

    Where parts read the same cells, numbers that are drawn for all at once seldom suit all.
    """
    parts = list(whole.parts())
    # What a part did to others is mended when it is their turn again.
    for part in [*parts, *parts]:
        at_first = whole.cells.values
        if _verdict(part) is wanted:
            continue
        reached = _count(parts, wanted)
        for _, numbers in changes(part, at_first):
            whole.cells.values = numbers
            if _verdict(part) is wanted and _count(parts, wanted) > reached:
                break
        else:
            whole.cells.values = at_first
    return _verdict(whole)


def _count(parts: list[CellRule], wanted: ClaimVerdict) -> int:
    return sum(_verdict(part) is wanted for part in parts)
