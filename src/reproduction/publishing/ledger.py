# SPDX-License-Identifier: MIT
"""The ledger for readers: its claims, each once and in three lists, and the ledger as Markdown.

Claims have their rows and counts. The Markdown has the most important claims first, then one page
per paper.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import TypeVar

from receval.figures.display import printed_name
from receval.figures.printed_numbers import in_text, significant
from receval.figures.tables import escape_markdown
from receval.storage.files import refusing_damage
from reproduction.claims.ledger import COLUMNS, OF_INTERVAL, LedgerRow
from reproduction.claims.verdicts import (
    IN_PAPER,
    ClaimVerdict,
    in_prose,
    is_newer,
    is_rebuilt,
    overall_in_paper,
    overall_verdict,
    told_needs,
    verdict_in_words,
    without_ranges_of_one,
)

VERDICTS = {
    "holds": "holds",
    "holds in part": "part",
    "depends on the split": "depends",
    "does not hold": "fails",
    "undecidable here": "open",
    "as defined": "defined",
    "contradicts itself": "contradicts",
}
"""The verdicts in the order in which they are shown, with their classes in the style sheet."""

_OF_SPLITS = re.compile(r"^Holds on (\d+ of \d+ splits)")

Thing = TypeVar("Thing")

LONGEST = 240
"""Maximum number of characters in a cell of a table."""


class VerdictRow(LedgerRow):
    """A row of the ledger in the form in which pages show it."""

    @property
    def style(self) -> str:
        """Class of the verdict in the style sheet."""
        return VERDICTS[self.verdict]

    @property
    def words(self) -> str:
        """The verdict in words."""
        return verdict_in_words(self.paper, self.verdict)

    @property
    def on_splits(self) -> str:
        """In short, on how many splits it holds; not of numbers, which an interval decides."""
        return splits_in_short(self.splits)

    @property
    def ours_in_short(self) -> str:
        """Our result; of a number that an interval decides, the interval, too."""
        ends = " to ".join(significant(float(end)) for end in (self.low, self.high) if end)
        between = f" (on one more split {ends})" if self.rule == OF_INTERVAL else ""
        return self.ours.removesuffix(".") + without_ranges_of_one(between)

    @property
    def lacks_dataset(self) -> bool:
        """Whether only its dataset is missing."""
        return bool(self.dataset) and self.needs == f"the dataset {self.dataset}"

    @property
    def is_counted(self) -> bool:
        """Whether it is the paper's own form of the claim."""
        return not self.form

    @property
    def has_numbers(self) -> bool:
        """Whether both the paper and we have a number."""
        return _is_number(self.published) and _is_number(self.value)

    @property
    def artifacts(self) -> tuple[tuple[str, str], ...]:
        """Study and name of each deciding artifact."""
        named = (part.strip().partition("/") for part in self.artifact.split(";") if part.strip())
        return tuple((study, name) for study, _, name in named)


def splits_in_short(splits: str) -> str:
    """Return on how many splits a claim holds, from the ledger's sentence on splits.

    Examples
    --------
    >>> splits_in_short("Holds on 17 of 20 splits, and in part on 2.")
    '17 of 20 splits'
    >>> splits_in_short("On this split .91; on 20 others .94 on average. ...")
    ''
    """
    found = _OF_SPLITS.match(splits)
    return found[1] if found else ""


def beginning_of(text: str, most: int = LONGEST) -> str:
    """Shorten a text that is too long to its beginning, up to the end of a word.

    Examples
    --------
    >>> beginning_of("short"), beginning_of("word " * 50)[-11:]
    ('short', 'word word …')
    """
    if len(text) <= most:
        return text
    return f"{text[:most].rpartition(' ')[0].rstrip(' ,;:')} …"


def read_verdict_rows(path: Path) -> list[VerdictRow]:
    """Read the rows of a ledger in their order."""
    with refusing_damage(path), path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        if missing := set(COLUMNS) - set(reader.fieldnames or ()):
            raise ValueError(f"it has no column {', '.join(sorted(missing))}")
        rows = [VerdictRow(**{name: row[name] or "" for name in COLUMNS}) for row in reader]
        for number, row in enumerate(rows, 2):
            if row.verdict not in VERDICTS:
                raise ValueError(
                    f"line {number}: {row.verdict!r} is not a verdict. The verdicts are "
                    f"{', '.join(VERDICTS)}"
                )
    return rows


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False


def in_groups(things: Iterable[Thing], key: Callable[[Thing], str]) -> dict[str, list[Thing]]:
    """Return things by their keys, in their order."""
    found: dict[str, list[Thing]] = {}
    for thing in things:
        found.setdefault(key(thing), []).append(thing)
    return found


def artifact_label(study: str, artifact: str, paper: str) -> str:
    """Return the text of a link to an artifact, from a claim of a paper.

    Examples
    --------
    >>> artifact_label("valcarce2018", "fig01", "valcarce2018")
    'Figure 1'
    >>> artifact_label("systems", "fidelity", "valcarce2018")
    'fidelity (systems)'
    """
    name = printed_name(artifact) or artifact.replace("_", " ")
    return name if study == paper else f"{name} ({in_prose(study)})"


# Claims, each once.

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
    """A claim with its verdicts on all datasets, including those on other forms."""

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
    def contrary(self) -> tuple[VerdictRow, ...]:
        """The rows of other forms whose verdict is another one than that on the same dataset.

        A form that is of no dataset is compared with the verdict over all of them.
        """
        counted = {row.dataset: row.verdict for row in self.own}
        return tuple(
            row
            for row in self.rows
            if not row.is_counted
            and row.verdict != ClaimVerdict.UNDECIDABLE
            and row.verdict != counted.get(row.dataset, self.verdict)
        )

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
    return [LedgerClaim(tuple(own)) for own in in_groups(rows, lambda row: row.claim).values()]


def by_words(rows: Iterable[VerdictRow]) -> dict[str, list[VerdictRow]]:
    """Group rows by their verdicts in words."""
    return in_groups(rows, lambda row: row.words)


def reasons_of(rows: Sequence[VerdictRow]) -> str:
    """Return the known reasons why rows do not hold, or else by how much they fail."""
    reasons = dict.fromkeys(row.reason for row in rows if row.reason)
    details = dict.fromkeys(row.detail for row in rows if row.detail)
    return " ".join(reasons) or beginning_of(" ".join(details), LINE)


@dataclass(frozen=True)
class PaperLedger:
    """The claims of one paper, in its order, and the most important of them."""

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
        return in_groups(self.claims, lambda claim: claim.part)

    def _with(self, *verdicts: str) -> list[tuple[LedgerClaim, tuple[VerdictRow, ...]]]:
        found = [
            (claim, tuple(row for row in claim.own if row.verdict in verdicts))
            for claim in self.claims
            if not claim.is_slip
        ]
        return [(claim, rows) for claim, rows in found if rows]


def papers_in(rows: Iterable[VerdictRow]) -> list[PaperLedger]:
    """Return the papers of some rows, in their order."""
    found = in_groups(claims_in(rows), lambda claim: claim.first.paper)
    return [PaperLedger(paper, tuple(claims)) for paper, claims in found.items()]


THE_FIVE, NEWER, OTHERS = "five", "newer", "followups"
"""The groups of papers that are counted apart."""


def grouped_papers(papers: Iterable[PaperLedger]) -> dict[str, list[PaperLedger]]:
    """Return the five papers, newer ones that are rebuilt, and those that are not, if any."""

    def group(paper: PaperLedger) -> str:
        if not is_newer(paper.paper):
            return THE_FIVE
        return NEWER if is_rebuilt(paper.paper) else OTHERS

    found = in_groups(papers, group)
    return {name: found[name] for name in (THE_FIVE, NEWER, OTHERS) if name in found}


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


OF_TWINS = (
    "**The data of this edition are synthetic twins: the verdicts say nothing about the real "
    "datasets, only that each claim can be judged.**"
)

OF_NEWER = (
    "Statements of newer papers on questions that the rebuilt ones opened, by what is rebuilt "
    "here. Those papers are not rebuilt, and most were read by their abstracts alone; their "
    "statements are not counted among the claims of the rebuilt papers."
)

OF_REBUILT_LATER = (
    "Newer papers that are rebuilt, too. Their statements are not counted among the claims above, "
    "and stand on pages of their own."
)

_INTRODUCTION = (
    "Every checkable statement of the papers, judged twice: **in the paper**, by the values that "
    "it prints or its authors released, and **here**, by the results of receval. A statement on "
    "several datasets has a verdict on each, and counts once: where these differ, it holds in part "
    "or depends on the split. "
    "docs/claims.md in the repository says how verdicts are reached, and claims.csv has what "
    "decided each one."
)


def ledger_page(rows: Sequence[VerdictRow], datasets: Mapping[str, str], *, synthetic: bool) -> str:
    """Return the counts, and the most important claims of each paper."""
    papers = papers_in(_titled(rows, datasets))
    groups = grouped_papers(papers)
    parts = ["# The papers' claims, and what became of them", _INTRODUCTION]
    if synthetic:
        parts.append(OF_TWINS)
    for name, own in groups.items():
        if name == THE_FIVE or len(own) > 1:
            parts += [OF_REBUILT_LATER] if name == NEWER else []
            parts += [headline([c for p in own for c in p.claims]), _table_of_counts(own)]
    for paper in [paper for own in groups.values() for paper in own]:
        title = in_prose(paper.paper)
        parts.append(f"## {title[0].upper()}{title[1:]}")
        parts.append(f"[All claims of {title}](claims_{paper.paper}.md).")
        parts += [] if is_rebuilt(paper.paper) else [OF_NEWER]
        parts += [headline(paper.claims), *(() if _has_own_lists(paper) else _lists(paper))]
    return "\n\n".join(parts) + "\n"


def paper_page(
    rows: Sequence[VerdictRow],
    datasets: Mapping[str, str],
    elsewhere: Mapping[str, str],
    *,
    synthetic: bool,
) -> str:
    """Return the page of all claims of a paper, in the paper's order."""
    (paper,) = papers_in(_titled(rows, datasets))
    parts = [f"# All claims of {in_prose(paper.paper)}", headline(paper.claims)]
    if synthetic:
        parts.append(OF_TWINS)
    if _has_own_lists(paper):
        parts += _lists(paper)
    else:
        parts[1] += " [claims.md](claims.md) has what is to be read first."
    lacking = dict.fromkeys(row.dataset for row in rows if row.lacks_dataset)
    told = (
        f"- Undecidable on {datasets[name]}: {elsewhere.get(name, 'not here')}." for name in lacking
    )
    parts += ["\n".join(told)] if lacking else []
    for part, claims in paper.parts.items():
        lines = [_row(["Claim", "What the paper says", "In the paper", "Here"]), _RULE]
        lines += [_line(claim, part, elsewhere) for claim in claims]
        parts += [f"## {escape_markdown(part)}", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


def _has_own_lists(paper: PaperLedger) -> bool:
    """Whether a paper's own page begins with its most important claims, for lack of room here."""
    return is_newer(paper.paper) and is_rebuilt(paper.paper)


def _titled(rows: Iterable[VerdictRow], datasets: Mapping[str, str]) -> Iterator[VerdictRow]:
    """Yield rows with the titles of their datasets, which say of which the data are twins."""
    for row in rows:
        title = datasets[row.dataset] if row.dataset else ""
        # What is needed names the dataset, too, and the two are compared.
        needs = f"the dataset {title}" if row.lacks_dataset else row.needs
        yield replace(row, dataset=title, needs=needs)


_RULE = "| --- | --- | --- | --- |"


def _table_of_counts(papers: Sequence[PaperLedger]) -> str:
    printed = list(in_paper_counts([claim for paper in papers for claim in paper.claims]))
    heads = ["Paper", "Statements", *(f"{word} in the paper" for word in printed), *VERDICTS]
    lines = [_row(heads), f"| --- |{' ---: |' * (len(heads) - 1)}"]
    for paper in [*papers, PaperLedger("all", tuple(c for p in papers for c in p.claims))]:
        counts = [in_paper_counts(paper.claims).get(word, 0) for word in printed]
        counts += here_counts(paper.claims).values()
        lines.append(_row([in_prose(paper.paper), *map(str, [len(paper.claims), *counts])]))
    return "\n".join(lines)


def _lists(paper: PaperLedger) -> Iterator[str]:
    """Yield the non-empty lists of a paper with their headings."""
    slips = [_entry(claim, claim.printed, claim.own) for claim in paper.slips]
    failing = [_entry(claim, why, rows) for claim, rows, why in reasons_once(paper.not_rebuilt)]
    unsure = []
    for claim, rows in paper.of_splits:
        splits = ", ".join(dict.fromkeys(row.on_splits for row in rows if row.on_splits))
        unsure.append(_entry(claim, f"Holds on {splits}.", rows))
    headings = list_headings(paper.paper)
    for heading, entries in zip(headings, (slips, failing, unsure), strict=True):
        if entries:
            yield f"### {heading} ({len(entries)})"
            yield "\n".join(entries)


def reasons_once(
    found: Iterable[tuple[LedgerClaim, tuple[VerdictRow, ...]]],
) -> Iterator[tuple[LedgerClaim, tuple[VerdictRow, ...], str]]:
    """Yield claims with their rows and why they fail; a reason that was given names its claim."""
    first: dict[str, str] = {}
    for claim, rows in found:
        why = reasons_of(rows)
        number = first.setdefault(why, claim.number)
        yield claim, rows, f"As {number}." if why and number != claim.number else why


def list_headings(paper: str) -> tuple[str, str, str]:
    """Return the headings of the three lists of a paper."""
    failing = (
        "Could not be rebuilt, or in part"
        if is_rebuilt(paper)
        else "Not seen on our data, or in part"
    )
    return "Slips in the paper", failing, "Depends on the split"


def _entry(claim: LedgerClaim, why: str, rows: Sequence[VerdictRow]) -> str:
    verdicts = [
        f"{', '.join(dict.fromkeys(filter(None, (row.dataset for row in own))))}: {words}".strip(
            ": "
        )
        for words, own in by_words(rows).items()
    ]
    text = f"{claim.number} ({claim.first.where}): {claim.first.statement}"
    return f"- {_printed(text)} *{_printed('; '.join(verdicts))}.* {_printed(why)}".rstrip()


def _line(claim: LedgerClaim, part: str, elsewhere: Mapping[str, str]) -> str:
    where = claim.first.where
    said = "" if where.replace("Fig.", "Figure") == part else f" ({where})"
    here = _by_verdict(claim.own, elsewhere)
    for form, own in in_groups(claim.contrary, lambda row: row.form).items():
        here += f". Another form, {form}: {_by_verdict(own, elsewhere)}"
    cells = _row([claim.number, f"{claim.first.statement}{said}", claim.in_paper, here])
    # Pages of studies link to this anchor.
    return cells.replace("| ", f'| <a id="{claim.number}"></a>', 1)


def _by_verdict(rows: Sequence[VerdictRow], elsewhere: Mapping[str, str]) -> str:
    return "; ".join(_here(words, own, elsewhere) for words, own in by_words(rows).items())


def _here(words: str, rows: Sequence[VerdictRow], elsewhere: Mapping[str, str]) -> str:
    """Return a verdict with its datasets and our value on each."""
    told = []
    for row in rows:
        on = ", ".join(filter(None, (row.dataset, row.on_splits)))
        text = ("" if row.lacks_dataset else told_needs(row.needs, elsewhere)) or row.ours_in_short
        told.append(f" ({on})" * bool(on) + f": {text}" * bool(text))
    return words + ",".join(told)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_printed(cell, in_cell=True) for cell in cells)} |"


def _printed(text: str, *, in_cell: bool = False) -> str:
    return escape_markdown(in_text(text), in_cell=in_cell)
