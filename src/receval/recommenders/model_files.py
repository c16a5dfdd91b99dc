"""Files of fitted recommenders: named arrays, equal bytes for equal models."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array


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
            for part in ("data", "indices", "indptr"):
                entries[f"{name}.{part}"] = getattr(value, part)
            entries[f"{name}.shape"] = np.array(value.shape, dtype=np.int64)
        else:
            entries[name] = np.asarray(value)
    path = Path(path)
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        with partial.open("wb") as file:
            np.savez(file, allow_pickle=False, **entries)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def read_model(path: Path) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Read what :func:`write_model` wrote: recommender, parameters and what was fitted.

    Raises
    ------
    ValueError
        If the file is damaged.
    """
    try:
        with Path(path).open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            entries = {name: file[name] for name in file.files}
        recommender = str(entries.pop("recommender"))
        parameters = json.loads(str(entries.pop("parameters")))
    except (zipfile.BadZipFile, ValueError, KeyError, EOFError) as error:
        raise ValueError(
            f"{path} is not a complete model file ({error}): delete it and fit again."
        ) from error
    fitted: dict[str, Any] = {}
    for name in {entry.split(".")[0] for entry in entries}:
        if f"{name}.indptr" in entries:
            parts = [entries[f"{name}.{part}"] for part in ("data", "indices", "indptr")]
            fitted[name] = csr_array(tuple(parts), shape=tuple(entries[f"{name}.shape"].tolist()))
        else:
            fitted[name] = entries[name] if entries[name].ndim else entries[name].item()
    return recommender, parameters, fitted
