"""Files that appear whole or not at all: text, archives of arrays, and tidy CSV."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

# Plans know this module, and jobs that train: what writes and reads arrays and tables is imported
# where it is used.

VALUE_OF_SYSTEM = "value_"
"""What the columns of a CSV begin with that hold one system's values each."""

# The oldest date a zip entry can hold: a real one would change the bytes at every run.
_ENTRY_DATE = (1980, 1, 1, 0, 0, 0)


def write_atomically(path: Path, content: bytes | str) -> None:
    """Replace a file in one step; its folder is made when missing.

    Parameters
    ----------
    path : Path
        Target. A reader sees the old content or the new, never a part of either.
    content : bytes or str
        Text is written as UTF-8 with the line ends it has.

    Examples
    --------
    >>> write_atomically(Path("new folder/notes.txt"), "one line")
    >>> Path("new folder/notes.txt").read_text()
    'one line'
    """
    with _replacing(path) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)


def write_archive(path: Path, arrays: Mapping[str, NDArray]) -> None:
    """Write arrays as a compressed ``.npz`` whose bytes depend on the arrays alone.

    Parameters
    ----------
    path : Path
        Target; replaced in one step, so that no half-written file ever has this name.
    arrays : mapping of str to ndarray
        Any shapes and any dtypes but objects.
    """
    import numpy as np

    with (
        _replacing(path) as temporary,
        zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
    ):
        for name in sorted(arrays):
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.asarray(arrays[name]), allow_pickle=False)
            entry = zipfile.ZipInfo(f"{name}.npy", _ENTRY_DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, buffer.getbuffer(), compresslevel=1)


def write_results(results: pd.DataFrame, path: Path) -> None:
    """Write one row an observation, real numbers with ten significant digits, in one step."""
    text = results.to_csv(index=False, float_format="%.10g", lineterminator="\n")
    write_atomically(path, text)


def read_results(path: Path) -> pd.DataFrame:
    """Read an artifact's CSV; empty cells stay empty text."""
    import pandas as pd

    return pd.read_csv(path, keep_default_na=False, na_values=["nan"])


def real_values(columns: pd.DataFrame | pd.Series) -> NDArray[np.float64]:
    """Return columns as real results: an empty cell, as which NaN is written, is NaN again."""
    import numpy as np

    cells = columns.to_numpy(dtype=object)
    return np.where(cells == "", np.nan, cells).astype(np.float64)


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """Give a temporary file, which takes the place of a file once it is written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Renaming is atomic only within one file system, hence a temporary file beside the target.
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
