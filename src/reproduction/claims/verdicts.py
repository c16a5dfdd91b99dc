# SPDX-License-Identifier: MIT
"""Verdicts on a claim, and how the verdicts on its parts are combined."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

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


DECIDED = (
    ClaimVerdict.HOLDS,
    ClaimVerdict.HOLDS_IN_PART,
    ClaimVerdict.DEPENDS_ON_SPLIT,
    ClaimVerdict.DOES_NOT_HOLD,
    ClaimVerdict.AS_DEFINED,
    ClaimVerdict.CONTRADICTS_ITSELF,
)

IN_PAPER = ("consistent", "inconsistent", "not given")
"""What a paper's own values say of a claim (:class:`reproduction.claims.spec.ValuesOfPaper`)."""


@dataclass(frozen=True)
class Finding:
    """The result of a rule.

    Attributes
    ----------
    verdict : ClaimVerdict
    ours : str
        What our results have, in a few words.
    rule : str
        How it was decided, in a few words.
    detail : str
        Which parts fail, or by how much; for undecidable claims, what would decide them.
    published, value, low, high : float
        The paper's number, ours and its interval; NaN where there are none.
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

    Parameters
    ----------
    enough : float
        The share of parts with which the claim holds; with half of it, it holds in part.

    Examples
    --------
    >>> verdict_of([True, True, False]), verdict_of([True, False, False])
    (<ClaimVerdict.HOLDS_IN_PART: 'holds in part'>, <ClaimVerdict.DOES_NOT_HOLD: 'does not hold'>)
    """
    if not shown:
        raise ValueError("A claim without parts cannot be judged: select something to compare.")
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
    if not names:
        return ""
    if len(parts) == 1:
        return ""
    named = [name for name in names[:MOST_NAMED] if name]
    more = len(names) - len(named)
    if more:
        named.append(f"{more} more" if named else f"{more} parts")
    *most, last = named
    words = f"{', '.join(most)} and {last}" if most else last
    return f"Not shown by {words} ({len(names)} of {len(parts)})."
