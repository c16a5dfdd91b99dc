"""What is said of a stored file that is not as it was written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from receval.messages import shortened


class DamagedFileError(ValueError):
    """A stored file cannot be used; the message names it, and what makes it again.

    Parameters
    ----------
    path : Path
    reason : str, optional
        A clause; none where the file is missing.
    """

    def __init__(self, path: Path, reason: str | None = None) -> None:
        problem = "missing" if reason is None else f"damaged: {reason}"
        super().__init__(f"{path} is {problem}. {how_to_make_again(path)}")


def how_to_make_again(path: Path) -> str:
    """Return the sentence that says how a stored file comes back.

    Examples
    --------
    >>> how_to_make_again(Path("work/demo/ml-1m/ratings.parquet"))
    'Make it again: snakemake --cores all --force work/demo/ml-1m/ratings.parquet'
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
    return f"Make it again: snakemake --cores all --force {target.as_posix()}"


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
    except Exception as error:
        words = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        raise DamagedFileError(path, shortened(words, 120)) from error
