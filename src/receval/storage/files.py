"""Files that appear whole or not at all: text, and tidy CSV."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from receval.storage.damage import refusing_damage

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

# Plans know this module, and jobs that train: what writes and reads arrays and tables is imported
# where it is used.

VALUE_OF_SYSTEM = "value_"
"""What the columns of a CSV begin with that hold one system's values each."""


def write_atomically(path: Path, content: bytes | bytearray | str) -> None:
    """Replace a file in one step; its folder is made when missing.

    Parameters
    ----------
    path : Path
        Target. A reader sees the old content or the new, never a part of either.
    content : bytes, bytearray or str
        Text is written as UTF-8 with the line ends it has.

    Examples
    --------
    >>> write_atomically(Path("new folder/notes.txt"), "one line")
    >>> Path("new folder/notes.txt").read_text()
    'one line'
    """
    with replacing(path) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)


def write_results(results: pd.DataFrame, path: Path) -> None:
    """Write one row an observation, real numbers with ten significant digits, in one step."""
    text = results.to_csv(index=False, float_format="%.10g", lineterminator="\n")
    write_atomically(path, text)


def read_results(path: Path) -> pd.DataFrame:
    """Read an artifact's CSV; empty cells stay empty text.

    Raises
    ------
    DamagedFileError
        It is no CSV.
    """
    import pandas as pd

    with refusing_damage(path):
        return pd.read_csv(path, keep_default_na=False, na_values=["nan"])


def real_values(columns: pd.DataFrame | pd.Series) -> NDArray[np.float64]:
    """Return columns as real results: an empty cell, as which NaN is written, is NaN again."""
    import numpy as np

    cells = columns.to_numpy(dtype=object)
    return np.where(cells == "", np.nan, cells).astype(np.float64)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary file, which takes the place of a file once the ``with`` block has ended."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Renaming is atomic only within one file system, hence a temporary file beside the target.
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
