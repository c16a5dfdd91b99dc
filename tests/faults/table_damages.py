# SPDX-License-Identifier: MIT
"""Small files of ratings, judgments and runs, what damages them, and what must hold then."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import re
import resource
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.sparse

from receval.data.layouts import WORDS
from receval.data.ratings_table import read_ratings
from receval.data.reading import ReadingReport, TableError
from receval.data.run import read_run
from receval.data.text_lines import QUOTED

LONGEST = 500
"""Characters of a message."""

SLOWEST = 20.0
"""Seconds for a megabyte, read or refused; the files here are far smaller."""

LARGEST = 1 << 20
"""Kibibytes by which a file, read or refused, may raise the most that the process ever had."""

ROWS = [(f"u{n % 7}", f"i{n}", 1 + n % 5, 1_620_000_000 + 7 * n) for n in range(40)]


def _in_parquet() -> bytes:
    users, items, ratings, _ = zip(*ROWS, strict=True)
    file = io.BytesIO()
    pq.write_table(pa.table({"user": users, "item": items, "rating": ratings}), file)
    return file.getvalue()


def _in_npz() -> bytes:
    file = io.BytesIO()
    numbers = np.arange(len(ROWS))
    ratings = (1 + numbers % 5, (numbers % 7, numbers))
    # Not compressed, so that damage reaches the numbers.
    scipy.sparse.save_npz(file, scipy.sparse.csr_array(ratings), compressed=False)
    return file.getvalue()


SAMPLES: dict[str, bytes] = {
    "a.csv": "".join(
        [f"{u},{i},{r},{t}\n" for u, i, r, t in [("user", "item", "rating", "timestamp"), *ROWS]]
    ).encode(),
    "quoted.csv": "".join(
        [
            "user,title,item,rating\n",
            *(f'{u},"a, ""b"" {n}",{i},{r}\n' for n, (u, i, r, _) in enumerate(ROWS)),
        ]
    ).encode(),
    "lines.csv": "".join(
        ["user,review,item,rating\n", *(f'{u},"fine\nreally",{i},{r}\n' for u, i, r, _ in ROWS)]
    ).encode(),
    "a.dat": "".join(f"{u}::{i}::{r}::{t}\n" for u, i, r, t in ROWS).encode(),
    "spaces.txt": "".join(f"{u} {i}  {r} {t}\r\n" for u, i, r, t in ROWS).encode(),
    "decimal.txt": "".join(f"{n};{n + 1};{r},5\n" for n, (_, _, r, _) in enumerate(ROWS)).encode(),
    "dates.csv": "".join(
        [
            "user,item,date\n",
            *(
                f"{u},{i},2021-05-{1 + n % 28:02}T10:00:00Z\n"
                for n, (u, i, _, _) in enumerate(ROWS)
            ),
        ]
    ).encode(),
    "a.jsonl": "".join(
        f'{{"user": "{u}", "item": "{i}", "rating": {r}}}\n' for u, i, r, _ in ROWS
    ).encode(),
    "rows.json": json.dumps(
        [{"user": u, "item": i, "rating": r, "tags": ["x", "y"]} for u, i, r, _ in ROWS]
    ).encode(),
    "a.parquet": _in_parquet(),
    "a.npz": _in_npz(),
    "a.qrels": "".join(f"{u} 0 {i} {r % 3}\n" for u, i, r, _ in ROWS).encode(),
    "utf-16.csv": "user,item,rating\nzoë,größe,5\nann,book,4\n".encode("utf-16"),
    "netflix.txt": b"1:\n5,3,2005-09-06\n6,4,2005-09-07\n2:\n5,1,2005-09-08\n",
    "a.run": "".join(
        f"{u} Q0 {i} {n} {40 - n} me\n" for n, (u, i, _, _) in enumerate(ROWS)
    ).encode(),
    "a.json": b'{"u1": {"a": 1.5, "b": 2}, "u2": {"a": 3}}',
    "lists.jsonl": b'{"user": "a", "items": ["x", "y"], "scores": [2, 1]}\n'
    b'{"user": "b", "items": ["x"], "scores": [1]}\n',
}
"""Files by name; the last three are runs."""

RUNS = ("a.run", "a.json", "lists.jsonl")

_TOKENS = (
    b'"', b"'", b",", b";", b"::", b"\t", b" ", b"\n", b"\r", b"\r\n", b"\x00", b"\xff",
    b"\xef\xbb\xbf", b"nan", b"inf", b"-1", b"1e400", b"0x1", b"1_000", b"NA", b"{", b"}", b"[",
    b"]", b":", b"null", b"user", b"0,1,2\n", b"Unnamed: 0,", b"\\", b"1:\n",
    b"99999999999999999999", b"x" * 3000,
)  # fmt: skip


def damaged(content: bytes, draw: random.Random) -> bytes:
    """Return a content with one to three changes."""
    for _ in range(draw.randint(1, 3)):
        content = draw.choice(_CHANGES)(content, draw)
    return content


def one_fault(name: str, seed: int, folder: Path) -> str | None:
    """Damage a sample as a seed says, read it, and say what is wrong with that, if anything is."""
    draw = random.Random(f"{name} {seed}")
    content = damaged(SAMPLES[name], draw)
    path = folder / name
    packed = draw.random() < 0.1
    whole = gzip.compress(content, 1) if packed else content
    if packed and draw.random() < 0.3:
        whole = whole[: draw.randint(0, len(whole))]
        packed = False
        content = b""
    path.write_bytes(whole)
    read: Callable[[Path], Any] = read_run if name in RUNS else read_ratings
    begun, most = time.monotonic(), _largest_so_far()
    found, problem = None, None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = read(path)
    except TableError as error:
        told = str(error).replace(str(folder), "")
        if len(told) > LONGEST:
            problem = f"{len(told)} characters: {told}"
        elif "cannot be read: " in told:
            problem = f"words of Arrow: {told}"
    except Exception as error:  # what this looks for
        problem = f"{type(error).__name__}: {str(error)[:300]}"
    if problem is not None:
        return problem
    if (taken := time.monotonic() - begun) > SLOWEST:
        return f"{taken:.0f} s"
    if (grown := _largest_so_far() - most) > LARGEST:
        return f"{grown / 2**20:.1f} GiB"
    return None if found is None or not content else _lost(content, found.reading)


def _largest_so_far() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _lost(content: bytes, reading: ReadingReport) -> str | None:
    """Say how many rows were lost or are too many."""
    rows = rows_in(content, reading)
    return None if rows == reading.rows else f"{rows} rows, {reading.rows} read ({reading.form})"


def rows_in(content: bytes, reading: ReadingReport) -> int:
    """Count the rows of a content of a known form by other means than the library does."""
    form = reading.form
    if form.startswith("Parquet"):
        # Other columns may be damaged without harm.
        columns = list(reading.columns.values())
        return int(pq.read_table(io.BytesIO(content), columns=columns).num_rows)
    if form.startswith("a sparse matrix"):
        return int(scipy.sparse.load_npz(io.BytesIO(content)).data.size)
    encoding = re.search(r" in (utf-[0-9][-a-z0-9]*)$", form)
    text = content.decode(encoding[1] if encoding else "utf-8", "replace").removeprefix("\ufeff")
    if form.startswith(("JSON", "lists of users")):
        return _rows_in_json(text, form, reading.columns.get("item", ""))
    lines = re.split("\r\n|\r|\n", text)
    if form.startswith("TREC's"):
        return sum(bool(line.strip()) for line in lines)
    if form.startswith("Netflix"):
        return sum(not re.fullmatch(r"\s*([0-9]+:)?\s*", line) for line in lines)
    assert form.startswith("text"), form
    delimiter = next((sign for sign in QUOTED if WORDS[sign] in form), None)
    if '"' in text and delimiter is not None:
        own = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        rows = sum(bool(row) for row in own)
    else:
        rows = sum(bool(line.strip() if WORDS[" "] in form else line) for line in lines)
    return rows - ("a header" in form)


class _Pairs(list[tuple[str, Any]]):
    """The names and values of a JSON object, also those that are there twice."""


def _rows_in_json(text: str, form: str, item: str) -> int:
    values = list(_values_of_json(text))
    if form.startswith("lists of users"):
        return sum(len(own) for value in values for _, own in value)
    if len(values) == 1 and isinstance(values[0], list) and not isinstance(values[0], _Pairs):
        values = values[0]
    if len(values) == 1 and all(isinstance(own, _Pairs) for _, own in values[0]):
        values = [own for _, own in values[0]]  # objects by name
    columns = [dict(value) for value in values]
    if any(isinstance(own.get(item), list) for own in columns):
        # A row for each item; a note tells of objects without one.
        return sum(len(own.get(item) or []) for own in columns)
    return len(columns)


def _values_of_json(text: str) -> Iterator[Any]:
    """Yield the values of a text, of which several may be in a line."""
    decoder = json.JSONDecoder(object_pairs_hook=_Pairs)
    place = 0
    while rest := text[place:].lstrip():
        place = len(text) - len(rest)
        value, place = decoder.raw_decode(text, place)
        yield value


def _cut(content: bytes, draw: random.Random) -> bytes:
    return content[: draw.randint(0, len(content))]


def _removed(content: bytes, draw: random.Random) -> bytes:
    at = draw.randint(0, len(content))
    return content[:at] + content[at + draw.choice([1, 1, 1, 2, 10, 100]) :]


def _inserted(content: bytes, draw: random.Random) -> bytes:
    at = draw.randint(0, len(content))
    return content[:at] + draw.choice(_TOKENS) + content[at:]


def _replaced(content: bytes, draw: random.Random) -> bytes:
    at = draw.randint(0, len(content))
    return content[:at] + draw.choice(_TOKENS) + content[at + 1 :]


def _changed_everywhere(content: bytes, draw: random.Random) -> bytes:
    return content.replace(draw.choice([b"\n", b",", b" ", b'"', b"5"]), draw.choice(_TOKENS))


def _again(content: bytes, draw: random.Random) -> bytes:
    begin, end = sorted(draw.randint(0, len(content)) for _ in range(2))
    return content[:end] + content[begin:end] + content[end:]


def _bit_turned(content: bytes, draw: random.Random) -> bytes:
    if not content:
        return content
    at = draw.randrange(len(content))
    return content[:at] + bytes([content[at] ^ (1 << draw.randrange(8))]) + content[at + 1 :]


_CHANGES: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    *(_cut, _removed, _inserted, _replaced, _changed_everywhere, _again, _bit_turned),
)
