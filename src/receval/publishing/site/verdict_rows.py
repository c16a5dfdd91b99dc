# SPDX-License-Identifier: MIT
"""The ledger's rows as the site shows them, and how many of them have each verdict."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from math import isfinite
from pathlib import Path

from receval.figures.display import printed_name
from receval.publishing.claim_counts import overall_verdict
from receval.storage.files import refusing_damage

VERDICTS = {
    "holds": "holds",
    "holds in part": "part",
    "depends on the split": "depends",
    "does not hold": "fails",
    "undecidable here": "open",
    "as defined": "defined",
}
"""The verdicts in the order in which they are shown, and what the style sheet calls them."""

UNDECIDABLE = "undecidable here"
"""The verdict on what nothing here decides."""


@dataclass(frozen=True)
class VerdictRow:
    """One claim on one dataset: a row of ``claims.csv``, all of it text.

    Attributes
    ----------
    claim, paper, where, kind, statement, dataset, expected : str
        What the paper says, and where.
    form : str
        Another form of the claim, whose verdict stands beside the claim's and is not counted.
    published, value, low, high, ours : str
        The paper's number, ours and its interval, and ours in a phrase.
    rule, because, verdict, detail, reason, needs : str
        How it was decided and why so, and what came of it.
    one_split, splits : str
        The verdict of the one split, and what others say.
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
        """What the style sheet calls the verdict."""
        return VERDICTS[self.verdict]

    @property
    def is_counted(self) -> bool:
        """Whether it is the claim as the paper has it, and no other form of it."""
        return not self.form

    @property
    def has_numbers(self) -> bool:
        """Whether the paper has a number, and we have one beside it."""
        return _is_number(self.published) and _is_number(self.value)

    @property
    def artifacts(self) -> tuple[tuple[str, str], ...]:
        """Study and name of each artifact that decides it."""
        named = (part.strip().partition("/") for part in self.artifact.split(";") if part.strip())
        return tuple((study, name) for study, _, name in named)


def read_verdict_rows(path: Path) -> list[VerdictRow]:
    """Read the rows of a ledger in their order.

    Raises
    ------
    DamagedFileError
        A column is missing, or a verdict is unknown.
    """
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


def count_verdicts(rows: Iterable[VerdictRow]) -> dict[str, int]:
    """Return the number of counted rows with each verdict, in the order of :data:`VERDICTS`."""
    counted = Counter(row.verdict for row in rows if row.is_counted)
    return {verdict: counted[verdict] for verdict in VERDICTS}


def overall_verdicts(rows: Iterable[VerdictRow]) -> dict[str, str]:
    """Return the verdict on each claim over all datasets on which it is decided.

    As in the paper on the results (:func:`receval.publishing.claim_counts.overall_verdict`).
    """
    found: dict[str, set[str]] = {}
    for row in rows:
        if row.is_counted:
            found.setdefault(row.claim, set()).add(row.verdict)
    overall = {}
    for claim, verdicts in found.items():
        decided = verdicts - {UNDECIDABLE} or verdicts
        overall[claim] = overall_verdict(decided)
    return overall


def rows_by_artifact(rows: Iterable[VerdictRow]) -> Mapping[tuple[str, str], Sequence[VerdictRow]]:
    """Return the rows that hang on each artifact, by study and name."""
    by_artifact: dict[tuple[str, str], list[VerdictRow]] = {}
    for row in rows:
        for artifact in row.artifacts:
            by_artifact.setdefault(artifact, []).append(row)
    return by_artifact


def artifact_label(study: str, artifact: str, paper: str) -> str:
    """Return what a link to an artifact says, from a claim of a paper.

    Examples
    --------
    >>> artifact_label("valcarce2018", "fig01", "valcarce2018")
    'Figure 1'
    >>> artifact_label("systems", "fidelity", "valcarce2018")
    'fidelity (systems)'
    """
    name = printed_name(artifact) or artifact.replace("_", " ")
    return name if study == paper else f"{name} ({study})"
