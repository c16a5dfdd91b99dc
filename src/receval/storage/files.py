# SPDX-License-Identifier: MIT
"""Files that appear whole or not at all, and what is said of those that are not as written."""

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
        Text is written as UTF-8 with the line ends it has. What has no UTF-8, such as the bytes of
        a file's name in another encoding, is written as escapes.

    Examples
    --------
    >>> write_atomically(Path("new folder/notes.txt"), "one line")
    >>> Path("new folder/notes.txt").read_text()
    'one line'
    """
    with replacing(path) as temporary:
        temporary.write_bytes(encoded(content) if isinstance(content, str) else content)


def encoded(text: str) -> bytes:
    """Return a text in UTF-8, with escapes for what has none."""
    return text.encode(errors="backslashreplace")


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_results(results: pd.DataFrame, path: Path) -> None:
    """Write the text of results in one step."""
    write_atomically(path, results_text(results))


def results_text(results: pd.DataFrame) -> str:
    """Return results as CSV: one row an observation, real numbers with ten significant digits."""
    return results.to_csv(index=False, float_format="%.10g", lineterminator="\n")


def read_results(path: Path) -> pd.DataFrame:
    """Read an artifact's CSV; empty cells stay empty text."""
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
    temporary = being_written(path.parent, f".{path.name}")
    # Made here and now, as "x" says: a link that is there already would be followed elsewhere.
    try:
        temporary.open("xb").close()
    except OSError as error:
        # Of the folder, and of no use to a person who never sees the temporary name.
        error.filename = os.fspath(path)
        raise
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def being_written(folder: Path, name: str = "") -> Path:
    """Return where something is written until it is whole, which nobody can foretell.

    Examples
    --------
    >>> len(being_written(Path("work"), "models").name)
    20
    """
    return folder / f"{name}.{secrets.token_hex(4)}.part"


class DamagedFileError(ValueError):
    """A stored file cannot be used; the message names it, and what makes it again."""

    def __init__(self, path: Path, reason: str | None = None) -> None:
        problem = "missing" if reason is None else f"damaged: {reason}"
        said = f"{shortened(str(path), 150, middle=True)} is {problem}. {how_to_make_again(path)}"
        super().__init__(shortened(said, LONGEST, middle=True))


def how_to_make_again(path: Path) -> str:
    """Return the sentence that says how a stored file comes back.

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
    # Of a path in full, what the workflow calls the file begins with the last folder "work".
    target = Path(*parts[len(parts) - 1 - parts[::-1].index("work") :])
    if target.parent.name == "models":
        # Rules make the models of all folds at once, as one folder.
        target = target.parent
    elif "raw" in target.parts[:-1]:
        # Likewise the raw files of a synthetic twin.
        target = Path(*target.parts[: target.parts.index("raw") + 1])
    named = shortened(target.as_posix(), 150, middle=True)
    return f"Make it again, configured as before: snakemake --cores all --force {named}"


@contextmanager
def refusing_damage(path: Path) -> Iterator[None]:
    """Raise a :class:`DamagedFileError` for whatever goes wrong while a file is read.

    Damaged bytes lead libraries to exceptions of any kind, so that no list of them would be whole;
    the block must hold nothing but reading the file. Want of memory says nothing of the file.
    """
    try:
        yield
    except (DamagedFileError, MemoryError):
        raise
    except FileNotFoundError as error:
        raise DamagedFileError(path) from error
    except OSError as error:
        if error.errno in REFUSED:
            # What is wrong is no damage, and goes on when the file is made again.
            raise ValueError(about_files(error)) from error
        raise DamagedFileError(path, shortened(str(error), 120)) from error
    except Exception as error:
        words = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        raise DamagedFileError(path, shortened(words, 120)) from error
