"""Text files built from columns, without a loop over rows."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Column: TypeAlias = NDArray | pa.Array | str
"""One entry per line, or one text for all lines. Whole floats are written without a point."""


def join_columns(columns: list[Column], separator: str = "") -> pa.Array:
    """Join columns to an array of lines, without line ends."""
    return pc.binary_join_element_wise(*[_as_text(column) for column in columns], separator)


def to_bytes(lines: pa.Array, encoding: str = "utf-8") -> bytes:
    r"""Return the content of a file: every line followed by ``\n``."""
    text = "\n".join(lines.to_pylist())
    return f"{text}\n".encode(encoding) if len(lines) else b""


def group_to_bytes(lines: pa.Array, groups: NDArray[np.integer], n_groups: int) -> list[bytes]:
    r"""Return one file content per group, every line followed by ``\n``.

    Parameters
    ----------
    lines : Array of str, shape (n_lines,)
        Lines, without line ends.
    groups : ndarray of int, shape (n_lines,)
        Group of each line; within a group lines keep their order.
    n_groups : int
        Number of groups; one without lines gets empty content.
    """
    order = np.argsort(groups, kind="stable")
    ends = np.cumsum(np.bincount(groups, minlength=n_groups))
    offsets = pa.array(np.r_[0, ends].astype(np.int32))
    ended = pc.binary_join_element_wise(lines.take(pa.array(order)), "\n", "")
    texts = pc.binary_join(pa.ListArray.from_arrays(offsets, ended), "")
    return [text.encode() for text in texts.to_pylist()]


def _as_text(column: Column) -> pa.Array | pa.Scalar:
    if isinstance(column, str):
        return pa.scalar(column)
    array = column if isinstance(column, pa.Array) else pa.array(column)
    return array if pa.types.is_string(array.type) else pc.cast(array, pa.string())
