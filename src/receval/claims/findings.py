"""What our numbers say of a paper's claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from receval.statistics.pairs import LEVEL

HOLDS, FAILS = "holds", "does not hold"
UNDECIDED = "not decided: data absent"
CONFIGURED = "as configured"
NOT_APART = "not apart"
"""The difference has the right sign, but is not significant."""

NO_DATA = "no data"
"""The word for ``UNDECIDED`` in the table of relations, as it was accepted."""

SAME = 0.1
"""Two values count as the same if they differ by at most this share of the larger one."""


@dataclass(frozen=True)
class Quantity:
    """One of our numbers: what it is, where it was taken, and the p-value of a difference."""

    name: str
    number: float = float("nan")
    p_value: float = float("nan")
    position: str = ""


@dataclass(frozen=True)
class Finding:
    """A claim, what it was checked by, and whether it holds.

    Attributes
    ----------
    claim : str
        Number in the project's list of the paper's claims.
    dataset : str
        Name of the dataset; of both, joined by " and ".
    statement, expected : str
        The claim in brief, and the rule by which it is checked.
    outcome : str
        One of the module's constants.
    quantities : tuple of Quantity
    mf : str
        In canamares2020 the MF by which it was checked: ``default`` (for claims without MF, too) or
        ``text``.
    """

    claim: str
    dataset: str
    statement: str
    expected: str
    outcome: str = UNDECIDED
    quantities: tuple[Quantity, ...] = field(default=(Quantity(""),))
    mf: str = "default"

    def checked(self, holds: bool | np.bool_, quantities: Sequence[Quantity]) -> Finding:
        """Return the same claim, decided by our numbers."""
        outcome = HOLDS if holds else FAILS
        return replace(self, outcome=outcome, quantities=tuple(quantities))


def table_of(findings: Sequence[Finding]) -> pd.DataFrame:
    """Return a row for each quantity: claim, dataset, mf, statement, expected, quantity, ..."""
    return pd.DataFrame(
        [
            {
                "claim": finding.claim,
                "dataset": finding.dataset,
                "mf": finding.mf,
                "statement": finding.statement,
                "expected": finding.expected,
                "quantity": quantity.name,
                "position": quantity.position,
                "ours": quantity.number,
                "p_value": quantity.p_value,
                "outcome": finding.outcome,
            }
            for finding in sorted(findings, key=lambda finding: finding.claim)
            for quantity in finding.quantities
        ]
    )


@dataclass(frozen=True)
class Relation:
    """One relation: a statement of the paper, two numbers of ours and how they should compare.

    Attributes
    ----------
    claim : str
        Number in the project's list of the paper's claims.
    dataset, metric, statement, paper : str
        What is compared, in words, and what the paper says of it.
    left : float
        Our number; NaN where the dataset is not there.
    comparison : {"<", "<=", ">", "~"}
        How it should compare with the right one; ``~`` is :data:`SAME`.
    right : float
    p_value : float
        Of the difference, where two systems are compared under one design.
    """

    claim: str
    dataset: str
    metric: str
    statement: str
    paper: str
    left: float
    comparison: str
    right: float
    p_value: float = float("nan")

    @property
    def outcome(self) -> str:
        """``HOLDS``, ``FAILS``, ``NOT_APART`` or ``NO_DATA``."""
        if np.isnan(self.left) or np.isnan(self.right):
            return NO_DATA
        larger = max(abs(self.left), abs(self.right))
        holds = {
            "<": self.left < self.right,
            "<=": self.left <= self.right,
            ">": self.left > self.right,
            "~": abs(self.left - self.right) <= SAME * larger,
        }[self.comparison]
        if self.comparison in "<>" and holds and self.p_value >= LEVEL:
            return NOT_APART
        return HOLDS if holds else FAILS
