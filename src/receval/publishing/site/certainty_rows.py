# SPDX-License-Identifier: MIT
"""How sure the verdicts of the ledger are, as the site says it: from ``certainty.csv``."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from receval.figures.printed_numbers import fixed, significant
from receval.publishing.site.verdict_rows import VerdictRow
from receval.storage.files import refusing_damage

OUTCOMES = ("all", "most", "some", "none")
"""Of how many replications a claim holds in: most are half of them or more."""

_KEYS = ("paper", "claim", "dataset", "form")
_COUNTS = ("replications", "holding", "in_part")
_TEXTS = ("share_low", "share_high", "low", "high", "location")


@dataclass(frozen=True)
class RowCertainty:
    """In how many replications a claim holds on a dataset, and where the published number lies.

    Attributes
    ----------
    replications, holding, in_part : int
        Those that decide the claim, those in which it holds, and those in which it does in part.
    share_low, share_high : str
        Wilson's interval of the share that holds.
    low, high : str
        Our interval of prediction; empty where the claim is no number.
    location : str
        ``inside`` or ``outside`` of it, where the published number lies; or nothing.
    """

    replications: int
    holding: int
    in_part: int
    share_low: str
    share_high: str
    low: str
    high: str
    location: str

    @property
    def outcome(self) -> str:
        """One of :data:`OUTCOMES`.

        Examples
        --------
        >>> [RowCertainty(20, n, 0, "", "", "", "", "").outcome for n in (20, 10, 9, 0)]
        ['all', 'most', 'some', 'none']
        """
        if self.holding == self.replications:
            return "all"
        if not self.holding:
            return "none"
        return "most" if 2 * self.holding >= self.replications else "some"

    @property
    def brief(self) -> str:
        """What stands below a verdict.

        Examples
        --------
        >>> RowCertainty(20, 18, 2, "0.7", "0.97", "", "", "").brief
        'holds on 18 of 20 splits'
        """
        return f"holds on {self.holding} of {self.replications} splits"

    @property
    def in_full(self) -> str:
        """What stands among the details of a row.

        Examples
        --------
        >>> print(RowCertainty(20, 18, 2, "0.6990", "0.9721", ".8", ".9", "inside").in_full)
        Holds in 18 of 20, and in part in 2 more; the share lies between .70 and .97. \
The published number is inside the interval from .8000 to .9000, in which one more of ours \
is expected.
        """
        more = f", and in part in {self.in_part} more" if self.in_part else ""
        low, high = (fixed(float(end), 2) for end in (self.share_low, self.share_high))
        told = (
            f"Holds in {self.holding} of {self.replications}{more}; "
            f"the share lies between {low} and {high}."
        )
        if not self.location:
            return told
        ends = f"from {significant(float(self.low), 4)} to {significant(float(self.high), 4)}"
        return (
            f"{told} The published number is {self.location} the interval {ends}, "
            "in which one more of ours is expected."
        )


CertaintyOfRows = Mapping[tuple[str, ...], RowCertainty]
"""By paper, claim, dataset and form."""


def read_certainty(path: Path) -> CertaintyOfRows:
    """Read how sure the verdicts are; claims that no replication decides are left out.

    Raises
    ------
    DamagedFileError
        A column is missing, or a count is no whole number.
    """
    with refusing_damage(path), path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        if missing := {*_KEYS, *_COUNTS, *_TEXTS} - set(reader.fieldnames or ()):
            raise ValueError(f"it has no column {', '.join(sorted(missing))}")
        return {
            tuple(row[name] or "" for name in _KEYS): RowCertainty(
                replications=replications,
                holding=int(row["holding"]),
                in_part=int(row["in_part"]),
                share_low=row["share_low"],
                share_high=row["share_high"],
                low=row["low"],
                high=row["high"],
                location=row["location"],
            )
            for row in reader
            if (replications := int(row["replications"]))
        }


def certainty_of(row: VerdictRow, known: CertaintyOfRows) -> RowCertainty | None:
    """Return how sure a row's verdict is, if it was repeated."""
    return known.get((row.paper, row.claim, row.dataset, row.form))


def counts_of_certainty(
    rows: Sequence[VerdictRow], known: CertaintyOfRows
) -> dict[str, Counter[str]]:
    """Return how many repeated rows hold in all, most, some and none of the replications.

    Parameters
    ----------
    rows : sequence of VerdictRow
        Other forms of a claim are left out.
    known : CertaintyOfRows

    Returns
    -------
    dict of str to Counter
        By the verdict of the one run, in the order of first appearance.
    """
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        found = certainty_of(row, known)
        if found is not None and not row.form:
            counts.setdefault(row.verdict, Counter())[found.outcome] += 1
    return counts
