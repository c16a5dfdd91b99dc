# SPDX-License-Identifier: MIT
"""The raw files of one dataset, found or fetched: what preparation starts from."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from receval.storage.files import DamagedFileError, sha256_of, write_atomically
from receval.storage.messages import about_files, shortened
from reproduction.datasets.reports import RawDataError
from reproduction.datasets.spec import ExpectedCounts

Source = Literal["local", "download", "twin"]


@dataclass(frozen=True)
class RawFile:
    """One file and the SHA-256 of its bytes."""

    path: Path
    sha256: str

    @classmethod
    def of(cls, path: Path) -> RawFile:
        """Describe a file that is there."""
        return cls(path, sha256_of(path))

    def check(self) -> None:
        """Refuse a file that holds something else than when it was described."""
        try:
            now = sha256_of(self.path)
        except OSError as error:
            reason = f"the file cannot be read ({error.strerror})"
            raise RawDataError(self.path, None, reason) from error
        if now != self.sha256:
            raise RawDataError(
                self.path,
                None,
                f"the file has changed since it was found: its SHA-256 was {self.sha256[:12]}..., "
                f"and is {now[:12]}...; put the file back that it was, or look for raw files again "
                "(snakemake --forcerun fetch_raw generate_twin)",
            )


@dataclass(frozen=True)
class RawFiles:
    """The raw files of one dataset in one variant.

    Attributes
    ----------
    dataset, variant : str
        Names of the dataset and of the form its files have.
    parser : str
        ``module:function`` that reads the files.
    files : tuple of RawFile
        In the order in which the parser takes them.
    auxiliary_files : tuple of RawFile
        Files beside them that splits may use.
    source : {"local", "download", "twin"}
        Found, downloaded, or written by the simulation.
    expected : ExpectedCounts or None
        What a correct parse gives; None where that is not known.
    """

    dataset: str
    variant: str
    parser: str
    files: tuple[RawFile, ...]
    auxiliary_files: tuple[RawFile, ...] = ()
    source: Source = "local"
    expected: ExpectedCounts | None = None

    def auxiliary_file(self, name: str) -> Path:
        """Return the path of an auxiliary file by its base name."""
        for file in self.auxiliary_files:
            if file.path.name == name:
                return file.path
        there = ", ".join(file.path.name for file in self.auxiliary_files) or "none"
        raise LookupError(
            f"The dataset {self.dataset} has no file {name} beside it; it has {there}."
        )

    def write(self, path: Path) -> None:
        """Write the description as JSON; the same description gives the same bytes."""
        content = {
            "dataset": self.dataset,
            "variant": self.variant,
            "parser": self.parser,
            "source": self.source,
            "files": [_to_json(file) for file in self.files],
            "auxiliary_files": [_to_json(file) for file in self.auxiliary_files],
            "expected": None
            if self.expected is None
            else self.expected.model_dump(mode="json", exclude_defaults=True),
        }
        write_atomically(path, json.dumps(content, indent=2) + "\n")

    @classmethod
    def read(cls, path: Path) -> RawFiles:
        """Read what :meth:`write` wrote."""
        try:
            content = json.loads(path.read_bytes())
            if content["source"] not in get_args(Source):
                raise ValueError(f"the source is {content['source']!r}")
            expected = content["expected"]
            return cls(
                dataset=_text(content["dataset"]),
                variant=_text(content["variant"]),
                parser=_text(content["parser"]),
                source=content["source"],
                files=_from_json(content["files"]),
                auxiliary_files=_from_json(content["auxiliary_files"]),
                expected=None if expected is None else ExpectedCounts.model_validate(expected),
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            reason = shortened(f"it does not describe raw files ({error})", 120)
            raise DamagedFileError(path, reason) from error
        except FileNotFoundError as error:
            raise DamagedFileError(path) from error
        except OSError as error:
            raise ValueError(about_files(error)) from error


def _to_json(file: RawFile) -> dict[str, str]:
    return {"path": file.path.as_posix(), "sha256": file.sha256}


def _from_json(files: Iterable[dict[str, str]]) -> tuple[RawFile, ...]:
    return tuple(RawFile(Path(file["path"]), _text(file["sha256"])) for file in files)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not text")
    return value
