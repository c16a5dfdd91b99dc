# SPDX-License-Identifier: MIT
"""Tell claims of the rebuilt papers from statements of newer papers.

A study that rebuilds a paper is named after author and year. The study of what came after judges
statements of many newer papers, which nobody rebuilds: they are counted by themselves, and what a
person reads of them is whether they are seen on our data.
"""

from __future__ import annotations

import pandas as pd

from reproduction.claims.verdicts import ClaimVerdict

_SEEN = {
    str(ClaimVerdict.HOLDS): "seen on our data",
    str(ClaimVerdict.HOLDS_IN_PART): "seen in part",
    str(ClaimVerdict.DOES_NOT_HOLD): "not seen on our data",
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
    """Return what a person reads of a verdict: of a newer paper, whether our data show it.

    Examples
    --------
    >>> verdict_in_words("valcarce2018", "holds"), verdict_in_words("followups", "holds")
    ('holds', 'seen on our data')
    """
    return verdict if is_rebuilt(paper) else _SEEN.get(verdict, verdict)


def of_rebuilt(ledger: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a ledger on the papers that are rebuilt."""
    return ledger[ledger["paper"].map(is_rebuilt).astype(bool)].reset_index(drop=True)


def of_newer(ledger: pd.DataFrame) -> pd.DataFrame:
    """Return the other rows: statements of newer papers; see :func:`of_rebuilt`."""
    return ledger[~ledger["paper"].map(is_rebuilt).astype(bool)].reset_index(drop=True)
