# SPDX-License-Identifier: MIT
"""A server that sends any bytes as an answer, or serves files as servers and proxies do."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import repeat

Piece = bytes | float
"""Bytes to send, or seconds to wait."""

Answer = bytes | Callable[[str], Iterable[Piece]]
"""What is sent for any request, or for the text of one."""


class HostileServer:
    """Answers by path, used up by successive requests but for the last; and what was asked."""

    def __init__(self, port: int) -> None:
        self.address = f"http://127.0.0.1:{port}"
        self.answers: dict[str, list[Answer]] = {}
        self.asked: list[str] = []
        self.stopped = threading.Event()

    def at(self, path: str, *answers: Answer) -> str:
        """Serve answers and return their address."""
        self.answers[path] = list(answers)
        return self.address + path

    def serve(self, path: str, content: bytes, **options: object) -> str:
        """Serve a file and return its address."""
        return self.at(path, Served(content, **options))  # type: ignore[arg-type]

    @property
    def ranges(self) -> list[str | None]:
        """The ranges that were asked for; None where the whole file was."""
        return [header_of(request, "Range") for request in self.asked]

    def answer(self, connection: socket.socket) -> None:
        """Read one request and answer it."""
        with connection, suppress(OSError):
            connection.settimeout(10)
            request = b""
            while b"\r\n\r\n" not in request and (block := connection.recv(1 << 16)):
                request += block
            self.asked.append(request.decode("latin-1"))
            # From Python 3.14 on, urljoin keeps an empty query.
            path = self.asked[-1].split(" ")[1].rstrip("?") if request.startswith(b"GET ") else ""
            answers = self.answers.get(path) or [answer(status="404 Not Found")]
            chosen = answers.pop(0) if len(answers) > 1 else answers[0]
            for piece in [chosen] if isinstance(chosen, bytes) else chosen(self.asked[-1]):
                if self.stopped.is_set():
                    return
                if isinstance(piece, float):
                    self.stopped.wait(piece)
                else:
                    connection.sendall(piece)


@contextmanager
def running_hostile_server() -> Iterator[HostileServer]:
    listening = socket.create_server(("127.0.0.1", 0))
    server = HostileServer(listening.getsockname()[1])
    threads: list[threading.Thread] = []

    def accept() -> None:
        with suppress(OSError):
            while not server.stopped.is_set():
                connection, _ = listening.accept()
                threads[:] = [thread for thread in threads if thread.is_alive()]
                threads.append(threading.Thread(target=server.answer, args=[connection]))
                threads[-1].start()

    accepting = threading.Thread(target=accept)
    accepting.start()
    try:
        yield server
    finally:
        server.stopped.set()
        # Wakes the thread that waits for a connection.
        listening.shutdown(socket.SHUT_RDWR)
        accepting.join()
        listening.close()
        for thread in threads:
            thread.join()


def answer(body: bytes = b"", status: str = "200 OK", **headers: str | bytes | None) -> bytes:
    """Return an answer's bytes; a header of None is left out."""
    said: dict[str, str | bytes | None] = {
        "Content_Type": "application/octet-stream",
        "Content_Length": str(len(body)),
        **headers,
    }
    lines = [b"HTTP/1.1 " + status.encode("latin-1")]
    for name, value in said.items():
        if value is not None:
            raw = value if isinstance(value, bytes) else value.encode("latin-1")
            lines.append(name.replace("_", "-").encode() + b": " + raw)
    return b"\r\n".join([*lines, b"", body])


def header_of(request: str, name: str) -> str | None:
    found = re.search(rf"^{name}: (.*)\r$", request, re.MULTILINE)
    return found[1] if found else None


@dataclass
class Served:
    """A file, and how it is served.

    ``cuts`` and ``statuses`` are used up by successive requests: the number of bytes after which
    the connection is cut, and the error to answer with instead of the file.
    """

    content: bytes
    etag: str | None = None
    content_type: str = "application/zip"
    ranges: bool = True
    says_length: bool = True
    cuts: list[int] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    stalls_after: int | None = None

    def __call__(self, request: str) -> Iterator[Piece]:
        if self.statuses:
            yield answer(status=f"{self.statuses.pop(0)} No")
            return
        asked, size = header_of(request, "Range"), len(self.content)
        start, status, extent = 0, "200 OK", None
        if asked and self.ranges and header_of(request, "If-Range") in (None, self.etag):
            start = int(asked.removeprefix("bytes=").removesuffix("-"))
            status, extent = "206 Partial Content", f"bytes {start}-{size - 1}/{size}"
            if start >= size:
                yield answer(status="416 Beyond", Content_Range=f"bytes */{size}")
                return
        body = self.content[start:]
        sent = body[: self.cuts.pop(0)] if self.cuts else body[: self.stalls_after]
        yield answer(
            sent,
            status,
            Content_Type=self.content_type,
            Content_Length=str(len(body)) if self.says_length else None,
            Content_Range=extent,
            ETag=self.etag,
        )
        if self.stalls_after is not None:
            yield 20.0


def part_of(content: bytes, start: int, **headers: str | bytes | None) -> bytes:
    """Return the answer that has the rest of a file."""
    extent = f"bytes {start}-{len(content) - 1}/{len(content)}"
    return answer(content[start:], "206 Partial Content", **{"Content_Range": extent, **headers})


def cut(content: bytes, after: int, **headers: str | bytes | None) -> bytes:
    """Return an answer that ends before the file does."""
    return answer(content[:after], Content_Length=str(len(content)), **headers)


def chunked(*chunks: bytes, size: bytes | None = None, end: bytes = b"0\r\n\r\n") -> bytes:
    """Return an answer in chunks; ``size`` stands where their sizes should."""
    head = answer(Content_Length=None, Transfer_Encoding="chunked")
    sizes = (size if size is not None else b"%x" % len(chunk) for chunk in chunks)
    body = b"".join(b"%s\r\n%s\r\n" % pair for pair in zip(sizes, chunks, strict=True))
    return head + body + end


def without_end(head: bytes, again: bytes) -> Answer:
    """Return an answer that never ends."""

    def pieces(_: str) -> Iterable[Piece]:
        yield head
        yield from repeat(again)

    return pieces


def slowly(head: bytes, again: bytes, seconds: float = 0.05) -> Answer:
    """Return an answer whose bytes come one after the other, always in time."""

    def pieces(_: str) -> Iterable[Piece]:
        yield head
        while True:
            yield again
            yield seconds

    return pieces


def silence(head: bytes = b"", seconds: float = 5.0) -> Answer:
    """Return an answer that stops, with the connection left open."""

    def pieces(_: str) -> Iterable[Piece]:
        yield head
        yield seconds

    return pieces
