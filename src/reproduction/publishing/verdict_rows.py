# SPDX-License-Identifier: MIT
"""Rows of the ledger in the form in which pages show them."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from math import isfinite
from pathlib import Path

from receval.figures.display import printed_name
from receval.storage.files import refusing_damage
from reproduction.claims.verdicts import ClaimVerdict, verdict_in_words

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

UNDECIDABLE = "undecidable here"
"""The verdict on claims that nothing here decides."""

_OF_SPLITS = (
    re.compile(r"^Holds on (?P<holding>\d+) of (?P<tried>\d+) splits"),
    re.compile(r"; on (?P<tried>\d+) others .*, and (?P<holding>\d+) of them holds?\."),
    re.compile(r"; (?P<holding>\d+) of (?P<tried>\d+) come within its tolerance\."),
)

LONGEST = 240
"""Maximum number of characters in a cell of a table."""


@dataclass(frozen=True)
class VerdictRow:
    """One claim on one dataset: a row of ``claims.csv``, all of it text.

    Attributes
    ----------
    claim, paper, where, kind, statement, dataset, expected : str
        What the paper says, and where.
    form : str
        Another form of the claim, whose verdict is shown beside the claim's and not counted.
    in_paper, printed : str
        What the paper's own values say about it, in a word and in a sentence.
    published, value, low, high, ours : str
        The paper's number, ours and its interval, and a sentence on ours.
    rule, because, verdict, detail, reason, needs : str
        How and why it was decided in this way, and the result.
    one_split, splits : str
        The verdict of the single split, and a sentence on other splits.
    artifact, cells : str
        What decided it.
    """

    claim: str
    paper: str
    where: str
    kind: str
    statement: str
    dataset: str
    form: str
    expected: str
    in_paper: str
    printed: str
    published: str
    value: str
    low: str
    high: str
    ours: str
    rule: str
    because: str
    verdict: str
    one_split: str
    splits: str
    detail: str
    reason: str
    needs: str
    artifact: str
    cells: str

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
        """In short, on how many splits it holds.

        This would be misleading for a number that holds because it lies in the interval of all
        splits.
        """
        is_inside = self.has_numbers and self.verdict == ClaimVerdict.HOLDS
        return "" if is_inside else splits_in_short(self.splits)

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
    >>> splits_in_short("On this split .91; on 20 others .94 on average, and 17 of them hold. ...")
    '17 of 20 splits'
    """
    for pattern in _OF_SPLITS:
        if found := pattern.search(splits):
            return f"{found['holding']} of {found['tried']} splits"
    return ""


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
    names = [field.name for field in fields(VerdictRow)]
    with refusing_damage(path), path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        if missing := set(names) - set(reader.fieldnames or ()):
            raise ValueError(f"it has no column {', '.join(sorted(missing))}")
        rows = [VerdictRow(**{name: row[name] or "" for name in names}) for row in reader]
        for number, row in enumerate(rows, 2):
            if row.verdict not in VERDICTS:
                raise ValueError(
                    f"line {number}: {row.verdict!r} is no verdict; there are {', '.join(VERDICTS)}"
                )
    return rows


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False


def rows_by_artifact(rows: Iterable[VerdictRow]) -> Mapping[tuple[str, str], Sequence[VerdictRow]]:
    """Return the rows that depend on each artifact, by study and name."""
    by_artifact: dict[tuple[str, str], list[VerdictRow]] = {}
    for row in rows:
        for artifact in row.artifacts:
            by_artifact.setdefault(artifact, []).append(row)
    return by_artifact


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
    return name if study == paper else f"{name} ({study})"
