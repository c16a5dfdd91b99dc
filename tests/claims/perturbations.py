# SPDX-License-Identifier: MIT
"""Other numbers in the place of those that decide a claim."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from receval.claims.ledger import judge
from receval.claims.sources import ClaimSources, ReadingChange
from receval.claims.spec import CheckSpec, ClaimSpec
from receval.claims.verdicts import Finding

Numbers = NDArray[np.float64]

TRIES = 300
"""Random changes, after the named ones."""

NAMED: dict[str, Callable[[Numbers], Numbers]] = {
    "none of them": np.zeros_like,
    "all one": np.ones_like,
    "the other sign": np.negative,
    "the other order": lambda values: values[::-1].copy(),
    "ten times as large": lambda values: 10 * values,
    "one more": lambda values: values + 1,
    "all the same": lambda values: np.full_like(values, np.nanmean(values) if len(values) else 0),
    "a rising line": lambda values: np.linspace(0, 1, len(values)),
    "a falling line": lambda values: np.linspace(1, 0, len(values)),
    "a hill": lambda values: 1 - np.abs(np.linspace(-1, 1, len(values))),
    "a valley": lambda values: np.abs(np.linspace(-1, 1, len(values))),
    "no value": lambda values: np.full_like(values, np.nan),
}


def changes(finding: Finding, readings: int) -> Iterator[tuple[str, ReadingChange]]:
    """Yield changes of one reading or of all, the likeliest to matter first."""
    known = {**NAMED}
    if not np.isnan(finding.published):
        published = finding.published
        known["the published number"] = lambda values: np.full_like(values, published)
        known["far from the published number"] = lambda values: np.full_like(
            values, published + 10 * abs(published) + 10
        )
    for name, change in known.items():
        yield f"{name} everywhere", _of_one(change, None)
    # Of claims with many readings few random changes are needed, of one alone none may be enough.
    for number in range(TRIES):
        yield f"random numbers {number}", _random(number)
    for name, change in known.items():
        for number in range(readings):
            yield f"{name} in {number}", _of_one(change, number)


def _of_one(change: Callable[[Numbers], Numbers], chosen: int | None) -> ReadingChange:
    return lambda number, values: change(values) if chosen in (None, number) else values


def _random(seed: int) -> ReadingChange:
    def drawn(number: int, values: Numbers) -> Numbers:
        own = np.random.default_rng([seed, number])
        level, spread = own.normal(), own.exponential()
        if own.random() < 0.5:
            return own.permutation(values)
        if own.random() < 0.5:
            return np.sort(own.normal(level, spread, len(values)))[:: own.choice([-1, 1])]
        return own.normal(level, spread, len(values))

    return drawn


def telling_change(
    claim: ClaimSpec, check: CheckSpec, paper: str, sources: ClaimSources, finding: Finding
) -> str | None:
    """Return a change of the deciding numbers that gives another verdict; None if none does.

    The finding is what the sources say without a change, and has just been read from them.
    """
    readings = len(sources.readings)
    for name, change in changes(finding, readings):
        try:
            other = judge(check, claim, paper, sources.changed(change))
        except ValueError:
            # Such numbers cannot be judged at all, as of lines that never differ.
            continue
        if other.verdict is not finding.verdict:
            return name
    return None


def constant(check: CheckSpec) -> CheckSpec:
    """Return a check that no number can change."""
    decide = check.decide.model_copy(update={"left": 0.0, "sign": "<", "right": 1.0})
    return check.model_copy(update={"decide": decide})
