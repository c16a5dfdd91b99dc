# SPDX-License-Identifier: MIT
"""Tables of columns: parquet files whose checksums are verified before anything is parsed.

Parquet pages have checksums, but their descriptions have none, and one changed bit of these can
change the numbers. So the metadata of a file holds a checksum of all its bytes, with zeros in place
of the checksum itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from receval.storage.files import DamagedFileError, refusing_damage, write_atomically

_NAME = "checksum"

# Marks the checksum, so that it is found without parsing the file.
_MARK = "receval sha256 "
_LENGTH = hashlib.sha256().digest_size * 2
_NONE = b"0" * _LENGTH

# More bytes than the metadata at the end of any table.
_TAIL_BYTES = 2**20


def write_columns(
    path: Path,
    columns: Mapping[str, NDArray | pa.Array],
    metadata: Mapping[str, str] | None = None,
    types: Mapping[str, tuple[Any, ...]] | None = None,
) -> str:
    """Write columns of equal length as parquet, in one step, and return the file's checksum.

    With types, as for :func:`read_columns`, a column of another type is converted to the first one.
    """
    table = pa.table(dict(columns))
    for at, column in enumerate(table.schema):
        allowed = types[column.name] if types is not None else (column.type,)
        if column.type not in allowed:
            table = table.set_column(at, column.name, table.column(at).cast(allowed[0]))
    sink = pa.BufferOutputStream()
    # Arrow's own schema adds nothing to parquet's types.
    with pq.ParquetWriter(
        sink, table.schema, compression="zstd", write_page_checksum=True, store_schema=False
    ) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({**(metadata or {}), _NAME: f"{_MARK}{_NONE.decode()}"})
    content = bytearray(sink.getvalue())
    start = _place(content)
    checksum = hashlib.sha256(content).hexdigest()
    content[start : start + _LENGTH] = checksum.encode()
    write_atomically(path, content)
    return checksum


def read_columns(
    path: Path, types: Mapping[str, tuple[Any, ...]]
) -> tuple[pa.Table, dict[str, str]]:
    """Read a table that :func:`write_columns` wrote, and its metadata with the ``checksum``.

    ``types`` has the types that each column may have; they include None if it may be absent. A file
    that is not as it was written, or has other columns, is refused as damaged.
    """
    with refusing_damage(path):
        content = _verified(path)
        file = pq.ParquetFile(content, page_checksum_verification=True)
        # Column by column: combining all at once would hold everything twice in memory.
        names = file.schema_arrow.names
        table = pa.table(
            {name: _in_one_piece(file.read([name], use_threads=False).column(0)) for name in names}
        )
        metadata = {
            key.decode(): value.decode().removeprefix(_MARK)
            for key, value in file.metadata.metadata.items()
        }
    absent = [name for name, allowed in types.items() if name not in table.column_names]
    for name in absent:
        if None not in types[name]:
            raise DamagedFileError(path, f"it has no column {name}")
    for column in table.schema:
        if column.type not in types.get(column.name, ()):
            raise DamagedFileError(path, f"it has a column {column.name} of type {column.type}")
        if table.column(column.name).null_count:
            raise DamagedFileError(path, f"its column {column.name} has gaps")
    return table, metadata


def count_rows(path: Path) -> int:
    """Return the number of rows of a table without reading them."""
    with refusing_damage(path):
        return int(pq.read_metadata(_verified(path)).num_rows)


def values_of(column: pa.ChunkedArray) -> NDArray:
    """Return a column of numbers or booleans as an array.

    Arrow's own conversion imports pandas, which takes longer than most jobs of the demo and which
    jobs that train or rank do not need.
    """
    array = _in_one_piece(column)
    if pa.types.is_boolean(array.type):
        return np.from_dlpack(array.cast(pa.uint8())).astype(np.bool_)
    return np.from_dlpack(array)


def _in_one_piece(column: pa.ChunkedArray) -> pa.Array:
    # Arrow would copy even a single chunk.
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _verified(path: Path) -> pa.BufferReader:
    """Verify the checksum of a file, and open its bytes without copying them."""
    buffer = pa.memory_map(str(path)).read_buffer()
    content = memoryview(buffer)
    start = _place(content)
    digest = hashlib.sha256(content[:start])
    digest.update(_NONE)
    digest.update(content[start + _LENGTH :])
    if content[start : start + _LENGTH] != digest.hexdigest().encode():
        raise ValueError("its bytes do not match the checksum that was written with them")
    return pa.BufferReader(buffer)


def _place(content: bytearray | memoryview) -> int:
    """Return where the checksum begins: in the metadata at the end of the file."""
    tail = max(0, len(content) - _TAIL_BYTES)
    found = bytes(content[tail:]).rfind(_MARK.encode())
    if found < 0:
        raise ValueError("it has no checksum, unlike files that receval has written")
    return tail + found + len(_MARK)
