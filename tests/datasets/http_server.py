# SPDX-License-Identifier: MIT
"""A real HTTP server on this machine that can do all that servers and proxies do wrong."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Served:
    """One file of the server and how it is served.

    ``cuts`` and ``statuses`` are used up by successive requests: the number of bytes after which
    the connection is cut, and the error to answer with instead of the file.
    """

    content: bytes
    content_type: str = "application/octet-stream"
    etag: str | None = None
    ranges: bool = True
    says_length: bool = True
    cuts: list[int] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    stalls_after: int | None = None


class FileServer:
    """Files by path, and the requests that came: (path, Range header or None)."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.files: dict[str, Served] = {}
        self.requests: list[tuple[str, str | None]] = []
        self.resume = threading.Event()

    def serve(self, path: str, content: bytes, **options: object) -> str:
        """Serve a file and return its address."""
        self.files[path] = Served(content, **options)  # type: ignore[arg-type]
        return f"http://127.0.0.1:{self.port}{path}"

    @property
    def ranges(self) -> list[str | None]:
        return [asked for _, asked in self.requests]


@contextmanager
def running_server() -> Iterator[FileServer]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            asked = self.headers.get("Range")
            server.requests.append((self.path, asked))
            self.close_connection = True
            served = server.files.get(self.path)
            if served is None:
                self.send_error(404)
                return
            if served.statuses:
                self.send_error(served.statuses.pop(0))
                return
            content = served.content
            unchanged = self.headers.get("If-Range") in (None, served.etag)
            start = 0
            if asked and served.ranges and unchanged:
                start = int(re.fullmatch(r"bytes=(\d+)-", asked)[1])  # type: ignore[index]
                if start >= len(content):
                    self.send_response(416)
                    self.send_header("Content-Range", f"bytes */{len(content)}")
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                self.send_response(206)
                last = len(content) - 1
                self.send_header("Content-Range", f"bytes {start}-{last}/{len(content)}")
            else:
                self.send_response(200)
            self.send_header("Content-Type", served.content_type)
            if served.says_length:
                self.send_header("Content-Length", str(len(content) - start))
            if served.etag:
                self.send_header("ETag", served.etag)
            self.end_headers()
            body = content[start:]
            if served.cuts:
                body = body[: served.cuts.pop(0)]
            if served.stalls_after is not None:
                self.wfile.write(body[: served.stalls_after])
                self.wfile.flush()
                server.resume.wait(timeout=20)
                return
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    server = FileServer(http.server_address[1])
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.resume.set()
        http.shutdown()
        thread.join()
        http.server_close()
