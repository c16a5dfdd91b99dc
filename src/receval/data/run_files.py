# SPDX-License-Identifier: MIT
"""Read and write run files: TREC's six columns, tables, JSON and sparse matrices."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from receval.checked_arguments import checked_arguments
from receval.data.reading import TableError
from receval.data.run import Run, run_of_table
from receval.storage.files import replacing
from receval.storage.messages import quoted

RunFormat = Literal["trec", "table", "json", "jsonl", "parquet", "npz"]

WRITTEN = {".run": "trec", ".trec": "trec", ".res": "trec", ".json": "json"}
"""The format to write for each file extension; for any other, a table."""

_ROWS = 1 << 16
"""The number of rows that are converted to text at once."""

_TREC = ("user", "Q0", "item", "rank", "score", "tag")


@checked_arguments
def read_run(
    source: object,
    format: RunFormat | None = None,  # noqa: A002, the word that users expect
    **options: Any,
) -> Run:
    """Read the recommendations of a system.

    Parameters
    ----------
    source : path, data frame, mapping or Run
        See Notes; or scores of items by user, as ``ranx.Run.to_dict()`` returns. A run is returned
        unchanged.
    format : {"trec", "table", "json", "jsonl", "parquet", "npz"}, optional
        Found from the file's name and its first thousand lines by default.
    **options
        ``user``, ``item``, ``score``, ``rank``, ``order``, ``delimiter`` and others of
        :func:`receval.data.run.run_of_table`.

    Raises
    ------
    TableError
        The file is not in that format, or cannot be used; the message says where and why.

    Notes
    -----
    ===========  ==============================================================================
    ``trec``     ``user Q0 item rank score tag`` between white space; the order is that of the
                 scores, as in trec_eval, unless ``order="rank"`` is said
    ``table``    text, Parquet or a data frame with columns for user, item and score or rank, in any
                 order; without a header in this order; also LensKit's collections of lists, as
                 they are or in Parquet
    ``json``     an object of users, each an object of items with scores or a list of items, the
                 best first; or an array of objects, a row each
    ``jsonl``    such an object in each line, also ``{"user": "ann", "items": ["book"], "scores":
                 [1.5]}``
    ``npz``      a sparse matrix of scores by scipy, users by items; identifiers are row and column
                 numbers from 0, and what it does not store is not recommended
    ===========  ==============================================================================

    Examples
    --------
    >>> run = read_run({"user": ["ann", "ann"], "item": ["x", "y"], "score": [1.5, 2.5]})
    >>> len(run), run.item_ids.tolist()
    (2, ['x', 'y'])
    """
    if isinstance(source, Run):
        return source
    if format is not None:
        options["format"] = format
    return run_of_table(source, **options)


@checked_arguments
def write_run(
    run: Run,
    path: str | Path,
    format: RunFormat | None = None,  # noqa: A002
    tag: str = "receval",
) -> None:
    """Write a run, with the items of each user from best to worst; ties keep their order.

    Parameters
    ----------
    run : Run
    path : path
        Its extension determines the format: ``.run``, ``.trec``, ``.tsv``, ``.csv``, ``.parquet``
        or ``.json``.
    format : {"trec", "table", "json"}, optional
    tag : str
        Name of the run in TREC's last column.

    Raises
    ------
    TableError
        The format cannot be written, or an identifier has white space, which TREC does not allow.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> run = read_run({"user": ["ann", "ann"], "item": ["x", "y"], "score": [1.5, 2.5]})
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "mine.run")
    ...     write_run(run, file, tag="mine")
    ...     print(file.read_text(), end="")
    ann Q0 y 1 2.5 mine
    ann Q0 x 2 1.5 mine
    """
    path = Path(path)
    chosen = format or WRITTEN.get(path.suffix.lower(), "table")
    users, items, scores = _in_order(run)
    starts = np.searchsorted(users, np.arange(len(run.user_ids)))
    columns = {
        "user": pa.DictionaryArray.from_arrays(users, pa.array(run.user_ids.tolist(), pa.string())),
        "item": pa.DictionaryArray.from_arrays(items, pa.array(run.item_ids.tolist(), pa.string())),
        "rank": pa.array(np.arange(len(users)) - starts[users] + 1),
        "score": pa.array(scores),
    }
    with replacing(path) as unfinished:
        if chosen == "json":
            _write_json(run, users, items, scores, unfinished)
        elif chosen == "trec":
            _refuse_white_space(run)
            same = np.zeros(len(users), dtype=np.int8)
            constant = {"Q0": "Q0", "tag": tag}
            columns |= {
                name: pa.DictionaryArray.from_arrays(same, pa.array([value]))
                for name, value in constant.items()
            }
            table = pa.table({name: columns[name] for name in _TREC})
            _write_text(table, unfinished, " ", with_header=False)
        elif chosen != "table":
            raise TableError(
                f"Runs are not written as {quoted(chosen)}: choose trec, table or json."
            )
        elif path.suffix.lower() in (".parquet", ".pq"):
            pq.write_table(pa.table(columns), unfinished)
        else:
            delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
            _write_text(pa.table(columns), unfinished, delimiter, with_header=True)


def _in_order(run: Run) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    """Return users, items and scores, user by user, with the best item first."""
    users, items, scores = run.users, run.items, run.scores
    ahead = (users[1:] > users[:-1]) | ((users[1:] == users[:-1]) & (scores[1:] <= scores[:-1]))
    if ahead.all():
        return users, items, scores
    order = np.lexsort((-scores, users))
    return users[order], items[order], scores[order]


def _refuse_white_space(run: Run) -> None:
    for what, ids in (("user", run.user_ids), ("item", run.item_ids)):
        split = next((own for own in ids.tolist() if len(own.split()) != 1), None)
        if split is not None:
            raise TableError(
                f"The {what} {quoted(split)} has white space, which stands between TREC's columns: "
                "write .tsv, .csv, .parquet or .json."
            )


def _write_text(table: pa.Table, path: Path, delimiter: str, *, with_header: bool) -> None:
    try:
        _write_rows(table, path, _options(delimiter, with_header, "none"))
    except pa.ArrowInvalid:
        # An identifier contains a delimiter or a quote.
        _write_rows(table, path, _options(delimiter, with_header, "needed"))


def _write_rows(table: pa.Table, path: Path, options: pa.csv.WriteOptions) -> None:
    kinds = [
        field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in table.schema
    ]
    plain = pa.schema(kinds)
    with pa.csv.CSVWriter(path, plain, write_options=options) as writer:
        for start in range(0, table.num_rows, _ROWS):
            # Converted to text part by part, since text takes many times the memory of codes.
            writer.write_table(table.slice(start, _ROWS).cast(plain))


def _options(delimiter: str, with_header: bool, quotes: str) -> pa.csv.WriteOptions:
    return pa.csv.WriteOptions(
        include_header=with_header, delimiter=delimiter, quoting_style=quotes
    )


def _write_json(
    run: Run,
    users: NDArray[np.int32],
    items: NDArray[np.int32],
    scores: NDArray[np.float64],
    path: Path,
) -> None:
    """Write an object of users, user by user."""
    names = run.item_ids.tolist()
    starts = np.flatnonzero(np.diff(users, prepend=-1))
    ends = np.r_[starts[1:], len(users)]
    with path.open("w", encoding="utf-8") as file:
        file.write("{")
        for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
            listed = map(names.__getitem__, items[start:end].tolist())
            own = dict(zip(listed, scores[start:end].tolist(), strict=True))
            user = json.dumps(str(run.user_ids[users[start]]), ensure_ascii=False)
            file.write(f"{', ' if number else ''}{user}: {json.dumps(own, ensure_ascii=False)}")
        file.write("}")
