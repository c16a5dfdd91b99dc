# SPDX-License-Identifier: MIT
"""Small files of ratings, judgments and runs, what damages them, and what must hold then."""

from __future__ import annotations

import csv
import gzip
import io
import random
import re
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from receval.data.layouts import WORDS
from receval.data.ratings_table import ReadRatings, read_ratings
from receval.data.reading import TableError
from receval.data.run import read_run
from receval.data.text_lines import QUOTED

LONGEST = 500
"""Characters of a message."""

SLOWEST = 20.0
"""Seconds for a megabyte; the files here are far smaller."""

ROWS = [(f"u{n % 7}", f"i{n}", 1 + n % 5, 1_620_000_000 + 7 * n) for n in range(40)]

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
    read: Callable[[Path], object] = read_run if name in RUNS else read_ratings
    begun = time.monotonic()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = read(path)
    except TableError as error:
        told = str(error).replace(str(folder), "")
        if len(told) > LONGEST:
            return f"{len(told)} characters: {told}"
        return f"words of Arrow: {told}" if "cannot be read: " in told else None
    except Exception as error:  # what this looks for
        return f"{type(error).__name__}: {str(error)[:300]}"
    if time.monotonic() - begun > SLOWEST:
        return "too slow"
    if content and isinstance(found, ReadRatings):
        return _lost(content, found)
    return None


def _lost(content: bytes, read: ReadRatings) -> str | None:
    """Say how many rows were lost, where a text shows how many there are."""
    form = read.reading.form
    if not form.startswith("text") or " in " in form:
        return None
    text = content.decode("utf-8", "replace").removeprefix("\ufeff")
    delimiter = next((sign for sign in QUOTED if WORDS[sign] in form), None)
    if '"' in text and delimiter is not None:
        lines = io.StringIO(text, newline="")
        rows = sum(bool(row) for row in csv.reader(lines, delimiter=delimiter))
    else:
        lines_of_text = re.split("\r\n|\r|\n", text)
        rows = sum(bool(line.strip() if WORDS[" "] in form else line) for line in lines_of_text)
    rows -= "a header" in form
    return None if rows == read.reading.rows else f"{rows} rows, {read.reading.rows} read ({form})"


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
