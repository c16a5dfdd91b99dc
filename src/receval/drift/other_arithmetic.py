# SPDX-License-Identifier: MIT
"""With what two folders of artifacts were made, and whether last digits may differ for it.

Each study has a record of provenance beside its artifacts. It names the arithmetic of the process
that wrote it (kernels of linear algebra, the processor that numba compiled for, numpy's loops, the
C library) and the versions of the libraries. Where both folders were made with the same, their
numbers are the same to the last digit unless code or data have changed. Where not, some may move.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

RECORD = "provenance.json"

_ARITHMETIC = {
    "blas": "Linear algebra",
    "numba": "Code compiled by numba",
    "numpy": "Loops of numpy for",
    "libc": "C library",
    "given": "Set by the person or the host",
}

_WITHOUT_NUMBERS = frozenset({"snakemake", "matplotlib"})
"""Libraries that run jobs, or draw what others have computed."""


def differences_of_arithmetic(accepted: Path, fresh: Path) -> tuple[str, ...]:
    """Return a sentence for each thing that two folders of artifacts were not both made with.

    Parameters
    ----------
    accepted, fresh : Path
        ``results/<edition>`` and ``work/<edition>/artifacts``, or folders like these.

    Returns
    -------
    tuple of str
        None, if all records on both sides name the same. A folder without a record that names an
        arithmetic may have been made with any: that is a sentence, too.

    Raises
    ------
    ValueError
        A record cannot be read.
    """
    before, after = _named_by_records(accepted), _named_by_records(fresh)
    if not before or not after:
        unknown = [side for side, known in (("accepted", before), ("fresh", after)) if not known]
        return (f"Nothing says with which arithmetic the {unknown[0]} results were made.",)
    return tuple(
        f"{name}: {_in_words(before, name)} when results were accepted, {_in_words(after, name)} "
        "here."
        for name in [*_ARITHMETIC.values(), *sorted({*before, *after} - {*_ARITHMETIC.values()})]
        if before.get(name) != after.get(name)
    )


def _named_by_records(folder: Path) -> Mapping[str, set[str]]:
    """Return what the records of a folder name, by what it is; nothing where one names nothing."""
    found = defaultdict[str, set[str]](set)
    for path in sorted(folder.glob(f"*/{RECORD}")):
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            versions = dict[str, str](record["versions"])
            arithmetic = dict[str, Any](record.get("arithmetic", {}))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise ValueError(
                f"{path} is no record of provenance: make the study again, or get the file back "
                "from git."
            ) from error
        if not arithmetic:
            return {}
        for key, name in _ARITHMETIC.items():
            value = arithmetic.get(key) or []
            if isinstance(value, Mapping):
                value = [f"{variable}={setting}" for variable, setting in value.items()]
            found[name].update([value] if isinstance(value, str) else value)
        for library in versions.keys() - _WITHOUT_NUMBERS:
            found[f"Version of {library}"].add(versions[library])
    return found


def _in_words(found: Mapping[str, set[str]], name: str) -> str:
    return " and ".join(sorted(found.get(name, ()))) or "nothing"
