# SPDX-License-Identifier: MIT
"""Write the lists of systems to Parquet while they are made, for data whose lists fill memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from receval.storage.files import replacing
from receval.top_lists import TopLists

_SCHEMA = pa.schema(
    [
        ("user", pa.string()),
        ("item", pa.string()),
        ("rank", pa.int32()),
        ("score", pa.float64()),
    ]
)

_ROWS = 2**19
"""Rows that are collected before they are written as one row group."""


@contextmanager
def written_lists(
    files: Mapping[str, Path], user_ids: NDArray[np.str_], item_ids: NDArray[np.str_]
) -> Iterator[Callable[[str, TopLists], None]]:
    """Yield a function that writes the lists of some users under a protocol.

    ``files`` are the Parquet files by protocol; they are in place when the block ends without an
    error. They have the columns ``user``, ``item``, ``rank`` and ``score``, a row per item, and
    users in the order in which they are written. Only some row groups are in memory.
    """
    users, items = (pa.array(ids.tolist(), pa.string()) for ids in (user_ids, item_ids))
    with ExitStack() as all_files:
        writers = {}
        for protocol, path in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            unfinished = all_files.enter_context(replacing(path))
            writers[protocol] = all_files.enter_context(pq.ParquetWriter(unfinished, _SCHEMA))
        waiting: dict[str, list[pa.Table]] = {protocol: [] for protocol in files}

        def flush(protocol: str) -> None:
            if waiting[protocol]:
                writers[protocol].write_table(pa.concat_tables(waiting[protocol]))
                waiting[protocol].clear()

        def write(protocol: str, lists: TopLists) -> None:
            rows, positions, own = lists.entries()
            columns = [
                users.take(pa.array(lists.users[rows])),
                items.take(pa.array(own)),
                pa.array((positions + 1).astype(np.int32)),
                pa.array(lists.scores[rows, positions].astype(np.float64)),
            ]
            waiting[protocol].append(pa.Table.from_arrays(columns, schema=_SCHEMA))
            if sum(len(part) for part in waiting[protocol]) >= _ROWS:
                flush(protocol)

        yield write
        for protocol in files:
            flush(protocol)
