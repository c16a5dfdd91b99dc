# SPDX-License-Identifier: MIT
"""A server that sends any bytes as an answer: in pieces, slowly, without end, or none at all."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import repeat

Piece = bytes | float
"""Bytes to send, or seconds to wait."""

Answer = bytes | Callable[[], Iterable[Piece]]


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

    def answer(self, connection: socket.socket) -> None:
        """Read one request and answer it."""
        with connection, suppress(OSError):
            connection.settimeout(10)
            request = b""
            while b"\r\n\r\n" not in request and (block := connection.recv(1 << 16)):
                request += block
            self.asked.append(request.decode("latin-1"))
            path = self.asked[-1].split(" ")[1] if request.startswith(b"GET ") else ""
            answers = self.answers.get(path) or [answer(status="404 Not Found")]
            chosen = answers.pop(0) if len(answers) > 1 else answers[0]
            for piece in [chosen] if isinstance(chosen, bytes) else chosen():
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


def without_end(head: bytes, again: bytes) -> Callable[[], Iterable[Piece]]:
    """Return an answer that never ends."""

    def pieces() -> Iterable[Piece]:
        yield head
        yield from repeat(again)

    return pieces


def slowly(head: bytes, again: bytes, seconds: float = 0.05) -> Callable[[], Iterable[Piece]]:
    """Return an answer whose bytes come one after the other, always in time."""

    def pieces() -> Iterable[Piece]:
        yield head
        while True:
            yield again
            yield seconds

    return pieces


def silence(head: bytes = b"", seconds: float = 5.0) -> Callable[[], Iterable[Piece]]:
    """Return an answer that stops, with the connection left open."""

    def pieces() -> Iterable[Piece]:
        yield head
        yield seconds

    return pieces
