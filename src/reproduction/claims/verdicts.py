# SPDX-License-Identifier: MIT
"""Verdicts on a claim: how those on its parts are combined, and their words.

A study that rebuilds a paper is named after author and year. The follow-up study judges statements
of many newer papers that are not rebuilt. These are counted separately, and reported as seen or not
seen on our data.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from reproduction.datasets.spec import DatasetSpec

MOST_NAMED = 6
"""How many parts a text names; the others are counted."""


class ClaimVerdict(StrEnum):
    """What our results say about a claim."""

    HOLDS = "holds"
    HOLDS_IN_PART = "holds in part"
    DEPENDS_ON_SPLIT = "depends on the split"
    DOES_NOT_HOLD = "does not hold"
    UNDECIDABLE = "undecidable here"
    AS_DEFINED = "as defined"
    CONTRADICTS_ITSELF = "contradicts itself"


IN_PAPER = ("consistent", "inconsistent", "not given")
"""What a paper's own values say of a claim (:class:`reproduction.claims.spec.ValuesOfPaper`)."""


@dataclass(frozen=True)
class Finding:
    """The result of a rule: what our results have and how it was decided, both in a few words.

    ``detail`` says which parts fail, or by how much; for undecidable claims, what would decide
    them. The paper's number, ours and its interval are NaN where there are none.
    """

    verdict: ClaimVerdict
    ours: str
    rule: str
    detail: str = ""
    published: float = float("nan")
    value: float = float("nan")
    low: float = float("nan")
    high: float = float("nan")


def verdict_of(shown: Sequence[bool], enough: float = 1.0) -> ClaimVerdict:
    """Return the verdict on a claim from which of its parts are shown.

    ``enough`` is the share of parts with which the claim holds; with half of it, it holds in part.

    Examples
    --------
    >>> verdict_of([True, True, False]), verdict_of([True, False, False])
    (<ClaimVerdict.HOLDS_IN_PART: 'holds in part'>, <ClaimVerdict.DOES_NOT_HOLD: 'does not hold'>)
    """
    if not shown:
        raise ValueError("A claim without parts cannot be judged. Select something to compare.")
    share = sum(shown) / len(shown)
    if share >= enough:
        return ClaimVerdict.HOLDS
    return ClaimVerdict.HOLDS_IN_PART if share >= enough / 2 else ClaimVerdict.DOES_NOT_HOLD


def overall_verdict(verdicts: Collection[str]) -> str:
    """Return the verdict on a claim from the verdicts on all of its datasets.

    Examples
    --------
    >>> overall_verdict(["holds", "does not hold"]), overall_verdict(["holds", "holds"])
    ('holds in part', 'holds')
    >>> overall_verdict(["holds", "depends on the split", "undecidable here"])
    'depends on the split'
    """
    different = set(verdicts) - {ClaimVerdict.UNDECIDABLE} or set(verdicts)
    if len(different) == 1:
        return different.pop()
    if ClaimVerdict.CONTRADICTS_ITSELF in different:
        return str(ClaimVerdict.CONTRADICTS_ITSELF)
    if different <= {ClaimVerdict.HOLDS, ClaimVerdict.DEPENDS_ON_SPLIT}:
        return str(ClaimVerdict.DEPENDS_ON_SPLIT)
    return str(ClaimVerdict.HOLDS_IN_PART)


def overall_in_paper(found: Collection[str]) -> str:
    """Combine what a paper says on all datasets about a claim; one contradiction is enough.

    Examples
    --------
    >>> overall_in_paper(["consistent", "inconsistent"]), overall_in_paper(["", "not given"])
    ('inconsistent', 'not given')
    """
    return next((word for word in ("inconsistent", "consistent") if word in found), max(found))


def failing(parts: Sequence[tuple[bool, str]]) -> str:
    """Return a sentence on the parts that are not shown; empty if all are.

    Examples
    --------
    >>> failing([(True, "P"), (False, "MAP"), (False, "MRR")])
    'Not shown by MAP and MRR (2 of 3).'
    """
    names = [name for is_shown, name in parts if not is_shown]
    if not names or len(parts) == 1:
        return ""
    named = [name for name in names[:MOST_NAMED] if name]
    more = len(names) - len(named)
    if more:
        named.append(f"{more} more" if named else f"{more} parts")
    *most, last = named
    words = f"{', '.join(most)} and {last}" if most else last
    return f"Not shown by {words} ({len(names)} of {len(parts)})."


_SEEN: dict[str, str] = {
    ClaimVerdict.HOLDS: "seen on our data",
    ClaimVerdict.HOLDS_IN_PART: "seen in part",
    ClaimVerdict.DOES_NOT_HOLD: "not seen on our data",
}


def is_rebuilt(paper: str) -> bool:
    """Return whether a study rebuilds a paper.

    Examples
    --------
    >>> is_rebuilt("valcarce2018"), is_rebuilt("followups")
    (True, False)
    """
    return paper[-1:].isdigit()


def verdict_in_words(paper: str, verdict: str) -> str:
    """Return a verdict in words; for newer papers, whether our data show the statement.

    Examples
    --------
    >>> verdict_in_words("valcarce2018", "holds"), verdict_in_words("followups", "holds")
    ('holds', 'seen on our data')
    """
    return verdict if is_rebuilt(paper) else _SEEN.get(verdict, verdict)


def of_rebuilt(ledger: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a ledger on the rebuilt papers."""
    return ledger[ledger["paper"].map(is_rebuilt).astype(bool)].reset_index(drop=True)


def of_newer(ledger: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a ledger on newer papers; see :func:`of_rebuilt`."""
    return ledger[~ledger["paper"].map(is_rebuilt).astype(bool)].reset_index(drop=True)


# How claims can be decided whose dataset is missing here.

_LACKS = re.compile(r"the dataset ([\w-]+)")


def datasets_elsewhere(datasets: Mapping[str, DatasetSpec]) -> dict[str, str]:
    """Return for each dataset how claims on it can be decided if it is missing."""
    return {name: _elsewhere(spec) for name, spec in datasets.items()}


def _elsewhere(spec: DatasetSpec) -> str:
    if spec.access == "manual":
        return f"decided by `make reproduce` with {spec.short_title}, which must be asked for"
    if spec.access == "generated":
        return f"decided by `make reproduce`, which writes {spec.short_title}"
    return f"decided by `make reproduce` where {spec.short_title} can be downloaded"


def told_needs(needs: str, elsewhere: Mapping[str, str]) -> str:
    """Return what an undecidable claim needs, as a clause.

    Examples
    --------
    >>> told_needs("the dataset a", {"a": "decided by `make reproduce` where A can be downloaded"})
    'decided by `make reproduce` where A can be downloaded'
    >>> told_needs("outcomes of systems with users online", {})
    'needs outcomes of systems with users online'
    """
    if not needs:
        return ""
    dataset = _LACKS.fullmatch(needs)
    return elsewhere.get(dataset[1] if dataset else "", f"needs {needs}")
