# SPDX-License-Identifier: MIT
"""Files of fitted recommenders: named arrays, equal bytes for equal models."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from receval.storage.archives import Archive, write_archive
from receval.storage.files import refusing_damage

_PARTS = ("data", "indices", "indptr")
"""Of a sparse array in CSR form, beside its shape."""


def model_file(folder: Path, number: int) -> Path:
    """Return the file of the model of a fold, in the folder of a system's models."""
    return folder / f"fold{number}.npz"


def write_model(
    path: Path, recommender: str, parameters: Mapping[str, Any], fitted: Mapping[str, Any]
) -> None:
    """Write what a recommender is and has learnt as ``.npz``.

    The file holds no pickle and no date, and appears under its name only when complete.

    Parameters
    ----------
    path : Path
        The file to write; its folder must exist.
    recommender : str
        ``module:class``.
    parameters : mapping
        Arguments of the class.
    fitted : mapping
        Arrays, sparse arrays in CSR form, numbers and strings by name.
    """
    entries: dict[str, Any] = {
        "recommender": np.array(recommender),
        "parameters": np.array(json.dumps(parameters, sort_keys=True)),
    }
    for name, value in sorted(fitted.items()):
        if isinstance(value, csr_array):
            for part in _PARTS:
                entries[f"{name}.{part}"] = getattr(value, part)
            entries[f"{name}.shape"] = np.array(value.shape, dtype=np.int64)
        else:
            entries[name] = np.asarray(value)
    # Numbers without a pattern: to compress them would take long, and save little.
    write_archive(Path(path), entries, compressed=False)


def read_model(path: Path) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Read what :func:`write_model` wrote: recommender, parameters and what was fitted.

    Raises
    ------
    DamagedFileError
        The file is not as it was written.
    """
    path = Path(path)
    with Archive(path) as archive:
        recommender = str(archive.array("recommender", str, ()))
        encoded = str(archive.array("parameters", str, ()))
        entries = {
            name: archive.array(name)
            for name in archive.names
            if name not in ("recommender", "parameters")
        }
    with refusing_damage(path):
        parameters = json.loads(encoded)
        names = {entry.partition(".")[0] for entry in entries}
        return recommender, parameters, {name: _fitted(name, entries) for name in names}


def _fitted(name: str, entries: dict[str, Any]) -> Any:
    """Return a fitted attribute: a sparse array of its parts, a number, a string or an array."""
    if name in entries:
        return entries[name] if entries[name].ndim else entries[name].item()
    data, indices, indptr = (entries[f"{name}.{part}"] for part in _PARTS)
    return csr_array((data, indices, indptr), shape=tuple(entries[f"{name}.shape"].tolist()))
