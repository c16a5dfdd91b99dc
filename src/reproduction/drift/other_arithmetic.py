# SPDX-License-Identifier: MIT
"""With what the two sides of a comparison were made, and whether last digits may differ for it.

Each study has a record of provenance beside its artifacts. It names the arithmetic of the process
that wrote it (kernels of linear algebra, the processor that numba compiled for, numpy's loops, the
C library) and the versions of the libraries. Where both sides were made with the same, their
numbers are the same to the last digit unless code or data have changed. Where not, some may move.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

RECORD = "provenance.json"

RUN = "run.json"
"""Beside the fresh artifacts: it speaks for a study of which a run has made a part alone."""

_ARITHMETIC = {
    "blas": "Linear algebra",
    "numba": "Code compiled by numba",
    "numpy": "Loops of numpy",
    "libc": "C library",
    "given": "Set by the user or the host",
}

_WITHOUT_NUMBERS = frozenset({"snakemake", "matplotlib"})
"""Libraries that run jobs, or draw what others have computed."""


class OtherArithmetic:
    """What studies were not made with on both sides."""

    def __init__(self, accepted: Path, fresh: Path) -> None:
        self._accepted = accepted
        self._fresh = fresh
        self.of_study = cache(self._of_study)

    def _of_study(self, study: str) -> tuple[str, ...]:
        """Return a sentence for each thing in which the two sides of a study differ.

        There is none if both records name the same. A side whose record is missing, or names no
        arithmetic, may have been made with any: that is a sentence, too.
        """
        before = _named_by(self._accepted / study / RECORD)
        after = _named_by(self._fresh / study / RECORD) or _named_by(self._fresh.parent / RUN)
        if not before or not after:
            side = "fresh" if before else "accepted"
            return (f"{study}: nothing says with which arithmetic the {side} results were made.",)
        return tuple(
            f"{name}: {before.get(name) or 'nothing'} for the accepted results, "
            f"{after.get(name) or 'nothing'} here."
            for name in dict.fromkeys((*before, *after))
            if before.get(name) != after.get(name)
        )


def _named_by(path: Path) -> dict[str, str]:
    """Return what a record names; nothing where it is missing, or names no arithmetic."""
    if not path.is_file():
        return {}
    try:
        record = dict[str, Any](json.loads(path.read_text(encoding="utf-8")))
        if "arithmetic" not in record:
            return {}
        arithmetic = {
            name: _in_words(record["arithmetic"].get(key)) for key, name in _ARITHMETIC.items()
        }
        versions = {
            f"Version of {library}": str(version)
            for library, version in sorted(record["versions"].items())
            if library not in _WITHOUT_NUMBERS
        }
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(
            f"{path} is no record of what results were made with: make the study again, or get the "
            "file back from git."
        ) from error
    return {**arithmetic, **versions}


def _in_words(value: Any) -> str:
    if isinstance(value, Mapping):
        value = [f"{variable}={setting or '(empty)'}" for variable, setting in value.items()]
    return value if isinstance(value, str) else " and ".join(map(str, value or ()))
