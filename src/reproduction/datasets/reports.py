# SPDX-License-Identifier: MIT
"""Errors of datasets, and the report of what a parser left out or merged."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from receval.spec_types import Duplicates
from receval.storage.messages import LONGEST, shortened
from reproduction.datasets.spec import PartCounts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Lengths in the longest message: 190 characters of a path and 250 of a reason.
_LONGEST_PATH = 190
_LONGEST_REASON = 250
_LONGEST_VALUE = 60


def shown(value: bytes | str) -> str:
    """Return a value of a raw file in quotes, escaped and of bounded length, for a message.

    Examples
    --------
    >>> shown(b"4.5 stars"), len(shown(b"4" * 9_999))
    ("'4.5 stars'", 62)
    """
    start = value[: _LONGEST_VALUE + 1]
    text = start if isinstance(start, str) else start.decode("utf-8", errors="backslashreplace")
    # Escapes of characters that cannot be printed make the text longer.
    return shortened(repr(text), _LONGEST_VALUE + 2, middle=True)


class DatasetError(Exception):
    """Something is wrong with a dataset's files or contents.

    The middle of messages of more than 500 characters is left out, so that the problem and the
    remedy can still be read.
    """

    def __init__(self, message: str) -> None:
        if len(message) > LONGEST:
            message = shortened(message, LONGEST, middle=True)
        super().__init__(message)


class UnavailableError(DatasetError):
    """A dataset is not available and cannot be downloaded."""


class ChecksumError(DatasetError):
    """A file does not have the known checksum or size."""


class DownloadError(DatasetError):
    """No mirror delivered a file; ``reasons`` says why."""

    def __init__(self, message: str, reasons: str = "") -> None:
        self.reasons = reasons
        super().__init__(message)


class FileAccessError(DatasetError):
    """A file cannot be read or written, for example because the disk is full."""


class CountError(DatasetError):
    """A parsed dataset does not have the counts of a correct parse."""


class RawDataError(DatasetError):
    """A raw file holds something that its format does not allow.

    - ``path``: The file; for a member of an archive, the archive's path followed by the member's.
    - ``line``: Line number from 1; None if the problem is not in one line.
    - ``reason``: What is wrong and what was expected.

    Examples
    --------
    >>> print(RawDataError("ratings.dat", 3, "the rating is 6, but 5 is the highest"))
    ratings.dat, line 3: the rating is 6, but 5 is the highest
    """

    def __init__(self, path: Path | str, line: int | None, reason: str) -> None:
        self.path = str(path)
        self.line = line
        self.reason = shortened(reason, _LONGEST_REASON, middle=True)
        where = shortened(self.path, _LONGEST_PATH, middle=True)
        super().__init__(f"{where if line is None else f'{where}, line {line}'}: {self.reason}")


@dataclass
class ParseReport:
    """The report of one parse, with everything that the parser left out or merged.

    - ``expected_ratings``: Set by the caller: the expected number of ratings. Parsers use it only
      if a format's description leaves open what counts as one rating.
    - ``duplicates``: Set by the caller: how to treat pairs that are rated more than once
      (:func:`receval.data.repeats.merge_repeats`); None for the parser's default.
    - ``unpacked_limit``: Set by the caller: maximum bytes of an unpacked archive
      (:class:`reproduction.datasets.spec.FileSpec`).
    - ``ratings_in_print``: The number of ratings as the format's description counts them, if it is
      not the number of rows in the table.
    - ``rows``: Rows of the raw files.
    - ``repeats_collapsed``: Rows that were replaced by another row of the same pair.
    - ``repeat_rule``: Which row of a repeated pair is kept; empty for formats without repeats.
    - ``dropped``: Rows left out, by reason.
    - ``notes``: Other counts worth knowing, by what they count.
    - ``files``: Counts of single raw files, by the part of the dataset they hold.

    Examples
    --------
    >>> report = ParseReport(rows=5)
    >>> report.drop("no rating", 2)
    >>> report.drop("no rating", 1)
    >>> report.dropped
    {'no rating': 3}
    """

    expected_ratings: int | None = None
    duplicates: Duplicates | None = None
    unpacked_limit: int | None = None
    ratings_in_print: int | None = None
    rows: int = 0
    repeats_collapsed: int = 0
    repeat_rule: str = ""
    dropped: dict[str, int] = field(default_factory=dict)
    notes: dict[str, int] = field(default_factory=dict)
    files: dict[str, PartCounts] = field(default_factory=dict)

    def refuse_to_merge(self, source: Path | str) -> None:
        """Raise an error if pairs are to be merged in a format that has each pair once."""
        if self.duplicates not in ("error", None):
            raise DatasetError(
                f"The format of {source} has each pair once, but the registry has duplicates: "
                f"{self.duplicates}. Remove this key from the registry."
            )

    def drop(self, reason: str, rows: int) -> None:
        """Count rows that were left out, if there are any."""
        if rows:
            self.dropped[reason] = self.dropped.get(reason, 0) + rows

    def note(self, what: str, count: int) -> None:
        """Keep a count that is not zero."""
        if count:
            self.notes[what] = self.notes.get(what, 0) + count

    def add_file(
        self,
        part: str,
        users: NDArray[np.integer],
        items: NDArray[np.integer],
        values: NDArray[np.integer] | NDArray[np.floating],
    ) -> None:
        """Count the users, items and values of one raw file."""
        import numpy as np

        found, counts = np.unique(values, return_counts=True)
        self.files[part] = PartCounts(
            ratings=len(users),
            users=len(np.unique(users)),
            items=len(np.unique(items)),
            values=dict(zip(found.tolist(), counts.tolist(), strict=True)),
        )
