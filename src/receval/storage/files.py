# SPDX-License-Identifier: MIT
"""Write files atomically, read and write results, and report damaged files."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from receval.storage.messages import LONGEST, REFUSED, about_files, shortened

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

# Plans and training jobs import this module, so the slow libraries for arrays and tables are
# imported where they are used.

VALUE_OF_SYSTEM = "value_"
"""Prefix of CSV columns that hold the values of one system."""


def write_atomically(path: Path, content: bytes | bytearray | str) -> None:
    """Replace a file in one step, and make its folder if it is missing.

    A reader sees the old content or the new, never a part of either. Text is written as UTF-8 with
    unchanged line ends. Characters without UTF-8, such as bytes of a file name in another encoding,
    are escaped.

    Examples
    --------
    >>> write_atomically(Path("new folder/notes.txt"), "one line")
    >>> Path("new folder/notes.txt").read_text()
    'one line'
    """
    with replacing(path) as temporary:
        temporary.write_bytes(encoded(content) if isinstance(content, str) else content)


def encoded(text: str) -> bytes:
    """Return a text in UTF-8, escaping characters that have no UTF-8."""
    return text.encode(errors="backslashreplace")


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_results(results: pd.DataFrame, path: Path) -> None:
    """Write results as CSV, in one step."""
    write_atomically(path, results_text(results))


def results_text(results: pd.DataFrame) -> str:
    """Return results as CSV: one row per observation, real numbers with ten significant digits."""
    return results.to_csv(index=False, float_format="%.10g", lineterminator="\n")


def read_results(path: Path) -> pd.DataFrame:
    """Read the CSV of an artifact; empty cells become empty strings."""
    import pandas as pd

    with refusing_damage(path):
        return pd.read_csv(path, keep_default_na=False, na_values=["nan"])


def real_values(columns: pd.DataFrame | pd.Series) -> NDArray[np.float64]:
    """Return columns as floats; empty cells, which stand for NaN, become NaN."""
    import numpy as np

    cells = columns.to_numpy(dtype=object)
    return np.where(cells == "", np.nan, cells).astype(np.float64)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary file that replaces the target when the ``with`` block ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Renaming is atomic only within one file system, so the temporary file is beside the target.
    temporary = being_written(path.parent, f".{path.name}")
    # Mode "x" requires a new file: an existing link would lead elsewhere.
    try:
        temporary.open("xb").close()
    except OSError as error:
        # The error is about the folder; users never see the temporary name.
        error.filename = os.fspath(path)
        raise
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def being_written(folder: Path, name: str = "") -> Path:
    """Return an unpredictable temporary path for something that is being written.

    Examples
    --------
    >>> len(being_written(Path("work"), "models").name)
    20
    """
    return folder / f"{name}.{secrets.token_hex(4)}.part"


class DamagedFileError(ValueError):
    """A stored file cannot be used; the message names it and says how to make it again."""

    def __init__(self, path: Path, reason: str | None = None) -> None:
        problem = "missing" if reason is None else f"damaged: {reason}"
        said = f"{shortened(str(path), 150, middle=True)} is {problem}. {how_to_make_again(path)}"
        super().__init__(shortened(said, LONGEST, middle=True))


def how_to_make_again(path: Path) -> str:
    """Return a sentence that says how to make a stored file again.

    Examples
    --------
    >>> how_to_make_again(Path("work/demo/lda/models/fold0.npz"))
    'Make it again, configured as before: snakemake --cores all --force work/demo/lda/models'
    >>> how_to_make_again(Path("split.npz"))
    'Make it again.'
    """
    parts = path.parts
    if "work" not in parts:
        return "Make it again."
    # The workflow's name of a file begins at the last folder "work" of its full path.
    target = Path(*parts[len(parts) - 1 - parts[::-1].index("work") :])
    if target.parent.name == "models":
        # Rules make the models of all folds at once, in one folder.
        target = target.parent
    elif "raw" in target.parts[:-1]:
        # The same holds for the raw files of a synthetic twin.
        target = Path(*target.parts[: target.parts.index("raw") + 1])
    named = shortened(target.as_posix(), 150, middle=True)
    return f"Make it again, configured as before: snakemake --cores all --force {named}"


@contextmanager
def refusing_damage(path: Path) -> Iterator[None]:
    """Raise a :class:`DamagedFileError` for any error while a file is read.

    Damaged bytes make libraries raise exceptions of any kind, so no list of them would be complete.
    The block must only read the file. A lack of memory is not the file's fault.
    """
    try:
        yield
    except (DamagedFileError, MemoryError):
        raise
    except FileNotFoundError as error:
        raise DamagedFileError(path) from error
    except OSError as error:
        if error.errno in REFUSED:
            # This error is not damage: making the file again would not help.
            raise ValueError(about_files(error)) from error
        raise DamagedFileError(path, shortened(str(error), 120)) from error
    except Exception as error:
        words = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        raise DamagedFileError(path, shortened(words, 120)) from error
