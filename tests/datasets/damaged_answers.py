# SPDX-License-Identifier: MIT
"""Seeded damages of a server's answers, and what a download may make of them."""

from __future__ import annotations

import hashlib
import random
import re
import time
from pathlib import Path

from datasets.downloads import fetch
from datasets.hostile_server import HostileServer, answer, chunked, cut, part_of

from reproduction.datasets.reports import DatasetError
from reproduction.datasets.spec import FileSpec

CONTENT = b"".join(b"%d::%d\n" % (row % 97, row % 5 + 1) for row in range(900))
HERE = 2_000
PIECES = (
    *(
        b"\r\n",
        b"\r\n\r\n",
        b"\n",
        b"\r",
        b"\0",
        b" ",
        b"\t",
        b":",
        b";",
        b",",
        b"-",
        b"/",
        b"*",
        b'"',
    ),
    *(b"\xff", b"\x1b[2J", b"9" * 5_000, b"x" * 70_000, b"-1", b"0x10", b"1e3", b"206", b"302"),
    *(b"\xc2\xb2", b"identity", b"chunked", b"gzip", b"Transfer-Encoding: chunked\r\n"),
    *(b"Location: ftp://a/\r\n", b"Location: http://[\r\n", b"Content-Length: 7\r\n"),
    *(b"<html>", b"{", b"Content-Type: text/html\r\n", b"Content-Encoding: br\r\n", b"W/"),
)


def damaged(content: bytes, draw: random.Random) -> bytes:
    """Flip, drop, double or add bytes, once or a few times."""
    for _ in range(draw.choice((1, 1, 1, 2, 5))):
        start = draw.randrange(len(content) + 1)
        end = min(len(content), start + draw.choice((1, 1, 2, 10, 100)))
        kind = draw.randrange(5)
        if kind == 0 and start < end:
            flipped = content[start] ^ (1 << draw.randrange(8))
            content = content[:start] + bytes([flipped]) + content[start + 1 :]
        elif kind == 1:
            content = content[:start] + content[end:]
        elif kind == 2:
            content = content[:end] + content[start:]
        else:
            content = content[:start] + draw.choice(PIECES) + content[start:]
    return content


def one_damage(server: HostileServer, folder: Path, seed: int) -> str:
    """Download from damaged answers; return what is wrong with the outcome, if anything."""
    draw = random.Random(seed)
    known, continued, head_only = draw.random() < 0.5, draw.random() < 0.5, draw.random() < 0.7
    etag = '"one"'
    good = part_of(CONTENT, HERE, ETag=etag) if continued else answer(CONTENT, ETag=etag)
    if not continued and draw.random() < 0.3:
        good = chunked(CONTENT[:HERE], CONTENT[HERE:])
    head, end, body = good.partition(b"\r\n\r\n")
    bad_head = damaged(head, draw)
    bad = bad_head + end + body if head_only else damaged(good, draw)
    # An empty line ends the head: what was damaged behind it belongs to the body.
    head_only = head_only and not re.search(rb"\n\r?\n", bad_head + b"\r\n")
    first = [cut(CONTENT, HERE, ETag=etag)] if continued else []
    url = server.at("/a", *first, bad)
    checks = {"sha256": hashlib.sha256(CONTENT).hexdigest()} if known else {}
    spec = FileSpec(name="a", urls=(url,), size_limit=1 << 17, **checks)
    target = folder / "a"
    began = time.monotonic()
    try:
        fetch(spec, target, retries=1, timeout=2.0)
    except DatasetError as error:
        wrong = "" if re.fullmatch("[ -~]{1,500}", str(error)) else f"it says {error}"
        wrong += " and keeps the file" if target.exists() else ""
    else:
        content = target.read_bytes()
        # Without a checksum nobody can tell a damaged body, nor a length that was made smaller.
        exact = known or (continued and head_only)
        wrong = "the file is another one" if exact and content != CONTENT else ""
        wrong += "the file is empty" if not content else ""
    for path in folder.iterdir():
        wrong += f"it leaves {path.name}" if path.stat().st_size > spec.most_bytes else ""
        path.unlink()
    took = time.monotonic() - began
    return wrong or ("" if took < 5 else f"it took {took:.1f} seconds")
