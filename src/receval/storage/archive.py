"""Deterministic archives of named arrays, written atomically."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

# The oldest date a zip entry can hold: a real one would change the bytes at every run.
_ENTRY_DATE = (1980, 1, 1, 0, 0, 0)


def write_archive(path: Path, arrays: Mapping[str, NDArray]) -> None:
    """Write arrays as a compressed ``.npz`` whose bytes depend on the arrays alone.

    Parameters
    ----------
    path : Path
        Target; replaced in one step, so that no half-written file ever has this name.
    arrays : mapping of str to ndarray
        Any shapes and any dtypes but objects.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name in sorted(arrays):
                buffer = io.BytesIO()
                np.lib.format.write_array(buffer, np.asarray(arrays[name]), allow_pickle=False)
                entry = zipfile.ZipInfo(f"{name}.npy", _ENTRY_DATE)
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, buffer.getbuffer(), compresslevel=1)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
