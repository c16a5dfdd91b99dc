# SPDX-License-Identifier: MIT
"""Claims of the ledger for readers: each once, in three lists, and by figure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reproduction.claims.verdicts import (
    IN_PAPER,
    ClaimVerdict,
    is_rebuilt,
    overall_in_paper,
    overall_verdict,
    verdict_in_words,
)
from reproduction.publishing.verdict_rows import VERDICTS, VerdictRow, beginning_of

NOT_SAID = "not yet said"
"""Stands for what a paper's own values say if nobody has checked it."""

LINE = 80
"""Length in characters of the texts in a list of claims without a known reason."""

_FAILING = (ClaimVerdict.DOES_NOT_HOLD, ClaimVerdict.HOLDS_IN_PART)

_NUMBERS = r"(\d+(?:(?:, | and | to )\d+)*)"
_PARTS = {
    "Figure": re.compile(rf"\b[Ff]ig(?:\.|ures?) {_NUMBERS}"),
    "Table": re.compile(rf"\b[Tt]ables? {_NUMBERS}"),
    "Section": re.compile(r"^Sections? ([\d.]+(?: and [\d.]+)*)"),
}


@dataclass(frozen=True)
class LedgerClaim:
    """A claim with its verdicts on all datasets.

    Attributes
    ----------
    rows : tuple of VerdictRow
        All of the ledger's rows on the claim, including other forms.
    """

    rows: tuple[VerdictRow, ...]

    @property
    def number(self) -> str:
        """The number of the claim in the ledger."""
        return self.rows[0].claim

    @property
    def first(self) -> VerdictRow:
        """The first row, for what all rows share: the statement and its place."""
        return self.rows[0]

    @property
    def own(self) -> tuple[VerdictRow, ...]:
        """The rows that count, without those of other forms."""
        return tuple(row for row in self.rows if row.is_counted)

    @property
    def verdict(self) -> str:
        """The verdict over all datasets."""
        return overall_verdict([row.verdict for row in self.own])

    @property
    def words(self) -> str:
        """That verdict in words."""
        return verdict_in_words(self.first.paper, self.verdict)

    @property
    def in_paper(self) -> str:
        """What the paper's own values say; empty if nobody has checked."""
        return overall_in_paper([row.in_paper for row in self.own])

    @property
    def printed(self) -> str:
        """The sentences on the paper's own values."""
        return " ".join(dict.fromkeys(row.printed for row in self.own if row.printed))

    @property
    def expected(self) -> str:
        """The paper's values."""
        return "; ".join(dict.fromkeys(row.expected for row in self.own if row.expected))

    @property
    def is_slip(self) -> bool:
        """Whether the paper's own values contradict it."""
        return self.in_paper == "inconsistent" or self.verdict == ClaimVerdict.CONTRADICTS_ITSELF

    @property
    def part(self) -> str:
        """The figure, table or section that it is about."""
        return figure_or_section(self.first.where)


def figure_or_section(where: str) -> str:
    """Return the figure, table or section of a claim, from its place in the paper.

    Examples
    --------
    >>> figure_or_section("Section 4.2 and Fig. 4"), figure_or_section("Section 7.2, Fig. 10 to 14")
    ('Figure 4', 'Figures 10 to 14')
    >>> figure_or_section("Lemma 1, Table 3"), figure_or_section("Conclusion 1")
    ('Table 3', 'Conclusion 1')
    """
    for name, pattern in _PARTS.items():
        if found := pattern.search(where):
            return f"{name}{'s' * bool(re.search('[, ]', found[1]))} {found[1]}"
    return where


def claims_in(rows: Iterable[VerdictRow]) -> list[LedgerClaim]:
    """Return the claims of some rows, in their order."""
    found: dict[str, list[VerdictRow]] = {}
    for row in rows:
        found.setdefault(row.claim, []).append(row)
    return [LedgerClaim(tuple(own)) for own in found.values()]


def by_words(rows: Iterable[VerdictRow]) -> dict[str, list[VerdictRow]]:
    """Group rows by their verdicts in words."""
    found: dict[str, list[VerdictRow]] = {}
    for row in rows:
        found.setdefault(row.words, []).append(row)
    return found


def reasons_of(rows: Sequence[VerdictRow]) -> str:
    """Return the known reasons why rows do not hold, or else by how much they fail."""
    reasons = dict.fromkeys(row.reason for row in rows if row.reason)
    details = dict.fromkeys(row.detail for row in rows if row.detail)
    return " ".join(reasons) or beginning_of(" ".join(details), LINE)


@dataclass(frozen=True)
class PaperLedger:
    """The claims of one paper, and the most important of them.

    Attributes
    ----------
    paper : str
        The study.
    claims : tuple of LedgerClaim
        In the paper's order.
    """

    paper: str
    claims: tuple[LedgerClaim, ...]

    @property
    def slips(self) -> list[LedgerClaim]:
        """Claims that the paper's own values contradict."""
        return [claim for claim in self.claims if claim.is_slip]

    @property
    def not_rebuilt(self) -> list[tuple[LedgerClaim, tuple[VerdictRow, ...]]]:
        """Claims that do not hold here, or only in part, with the rows concerned; without slips."""
        return self._with(*_FAILING)

    @property
    def of_splits(self) -> list[tuple[LedgerClaim, tuple[VerdictRow, ...]]]:
        """Claims that depend on the split, with the rows concerned; without slips."""
        return self._with(ClaimVerdict.DEPENDS_ON_SPLIT)

    @property
    def parts(self) -> dict[str, list[LedgerClaim]]:
        """All claims by figure, table or section, in the order of the paper."""
        found: dict[str, list[LedgerClaim]] = {}
        for claim in self.claims:
            found.setdefault(claim.part, []).append(claim)
        return found

    def _with(self, *verdicts: str) -> list[tuple[LedgerClaim, tuple[VerdictRow, ...]]]:
        found = [
            (claim, tuple(row for row in claim.own if row.verdict in verdicts))
            for claim in self.claims
            if not claim.is_slip
        ]
        return [(claim, rows) for claim, rows in found if rows]


def papers_in(rows: Iterable[VerdictRow]) -> list[PaperLedger]:
    """Return the papers of some rows, in their order."""
    found: dict[str, list[LedgerClaim]] = {}
    for claim in claims_in(rows):
        found.setdefault(claim.first.paper, []).append(claim)
    return [PaperLedger(paper, tuple(claims)) for paper, claims in found.items()]


def in_paper_counts(claims: Iterable[LedgerClaim]) -> dict[str, int]:
    """Count the claims by what the paper's own values say; unchecked ones come last."""
    counts = Counter(claim.in_paper or NOT_SAID for claim in claims)
    return {
        word: counts[word] for word in (*IN_PAPER, NOT_SAID) if counts[word] or word in IN_PAPER
    }


def here_counts(claims: Iterable[LedgerClaim]) -> dict[str, int]:
    """Count the claims by verdict, in the order in which verdicts are shown."""
    counts = Counter(claim.verdict for claim in claims)
    return {verdict: counts[verdict] for verdict in VERDICTS}


def headline(claims: Sequence[LedgerClaim]) -> str:
    """Return both counts as sentences in Markdown."""
    paper = claims[0].first.paper
    printed = ", ".join(f"{word} {n}" for word, n in in_paper_counts(claims).items())
    here = ", ".join(
        f"{verdict_in_words(paper, verdict)} {n}" for verdict, n in here_counts(claims).items() if n
    )
    statements = f"{len(claims)} statement{'s' * (len(claims) > 1)}"
    rebuilt = "Rebuilt here" if is_rebuilt(paper) else "Here"
    return f"{statements}. **In the paper:** {printed}. **{rebuilt}:** {here}."
