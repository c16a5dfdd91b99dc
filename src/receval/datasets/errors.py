"""Errors about data; their messages are sentences for the person who can fix them."""

from __future__ import annotations

from pathlib import Path


class DatasetError(Exception):
    """Something is wrong with a dataset's files or contents."""


class UnavailableError(DatasetError):
    """A dataset is not there and cannot be downloaded."""


class ChecksumError(DatasetError):
    """A file is not the one whose checksum or size is known."""


class DownloadError(DatasetError):
    """No mirror gave a file."""


class CountError(DatasetError):
    """A parsed dataset has other counts than a correct parse gives."""


class RawDataError(DatasetError):
    """A raw file holds something that its format does not allow.

    Attributes
    ----------
    path : str
        The file; for a member of an archive, the archive's path followed by the member's.
    line : int or None
        Line number from 1; None where the problem is not in one line.
    reason : str
        What is wrong and what was expected.

    Examples
    --------
    >>> print(RawDataError("ratings.dat", 3, "the rating is 6, but 5 is the highest"))
    ratings.dat, line 3: the rating is 6, but 5 is the highest
    """

    def __init__(self, path: Path | str, line: int | None, reason: str) -> None:
        self.path = str(path)
        self.line = line
        self.reason = reason
        where = self.path if line is None else f"{self.path}, line {line}"
        super().__init__(f"{where}: {reason}")
