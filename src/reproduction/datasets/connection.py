# SPDX-License-Identifier: MIT
"""Request a file from a server, with redirects, time limits and one type of exception."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from types import TracebackType
from typing import Any, Self
from urllib.error import URLError
from urllib.request import HTTPHandler, HTTPSHandler, OpenerDirector, ProxyHandler, Request

from receval.storage.messages import escaped
from reproduction.datasets.spec import redirected

_REDIRECTS = {301, 302, 303, 307, 308}
_MOST_REDIRECTS = 10


class TransferError(Exception):
    """A transfer that did not finish; ``passing`` tells whether a retry may help."""

    def __init__(self, reason: str, passing: bool) -> None:
        self.passing = passing
        super().__init__(reason)


class Deadline:
    """Ends a connection when the time is up, even if bytes still arrive.

    A timeout only counts seconds of silence. A server that sends a byte now and then, even of a
    header, could keep a download running for ever.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self.expired = False

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._timer.cancel()

    def watch(self, connected: socket.socket) -> None:
        """Set the connection to end when the time is up."""
        with self._lock:
            self._socket = connected
        self.check()

    def check(self) -> None:
        """Raise :class:`TransferError` if the time is up."""
        if self.expired:
            raise TransferError(
                f"the file was not complete after {self._seconds:,.0f} seconds", False
            )

    def _end(self) -> None:
        with self._lock:
            self.expired = True
            if self._socket is not None:
                # Call the method of the plain socket. That of an encrypted socket ends the
                # encryption first, and another thread would read the remaining encrypted bytes.
                with suppress(OSError):
                    socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


def open_address(
    url: str, headers: Mapping[str, str], timeout: float, deadline: Deadline
) -> HTTPResponse:
    """Request a file from a server, following redirects.

    Raises
    ------
    TransferError
        If there is no answer, it is not HTTP, or a redirect cannot be followed.
    """
    for _ in range(_MOST_REDIRECTS + 1):
        response = _ask(url, headers, timeout, deadline)
        if response.status not in _REDIRECTS:
            return response
        # Close it without reading, because the page of a redirect may be endless.
        with response:
            location = response.headers.get("Location")
        if location is None:
            raise TransferError("the server sent a redirect without an address", False)
        try:
            url = redirected(url, location)
        except ValueError as error:
            raise TransferError(f"a redirect was not followed: {error}", False) from error
    raise TransferError(f"the server redirected more than {_MOST_REDIRECTS} times", False)


def read_some(response: HTTPResponse, most: int, deadline: Deadline) -> bytes:
    """Return the bytes that have arrived, at least one unless there are no more."""
    try:
        block = response.read1(most)
    except (OSError, HTTPException, ValueError) as error:
        deadline.check()
        raise _broken(error) from error
    # A connection that was ended looks like the end of the file.
    deadline.check()
    return block


def _ask(url: str, headers: Mapping[str, str], timeout: float, deadline: Deadline) -> HTTPResponse:
    # No handlers of ftp:, file: and data:, and none that follow redirects or read whole error
    # pages.
    opener = OpenerDirector()
    for handler in (ProxyHandler(), _WatchedHTTP(deadline), _WatchedHTTPS(deadline)):
        opener.add_handler(handler)
    try:
        deadline.check()
        response = opener.open(Request(url, headers=dict(headers)), timeout=timeout)
    except URLError as error:
        deadline.check()
        # A bad certificate stays bad; every other failure to connect may be temporary.
        passing = not isinstance(error.reason, ssl.SSLCertVerificationError)
        raise TransferError(
            f"the connection failed ({escaped(str(error.reason))})", passing
        ) from error
    except (OSError, HTTPException) as error:
        deadline.check()
        raise _broken(error) from error
    except ValueError as error:
        raise TransferError(f"the request cannot be sent ({escaped(str(error))})", False) from error
    if response is None:
        raise TransferError("the request cannot be sent (no handler)", False)
    if deadline.expired:
        # Headers that were cut off look like complete headers.
        response.close()
        deadline.check()
    return response


def _broken(error: Exception) -> TransferError:
    reason = escaped(str(error)) or type(error).__name__
    return TransferError(f"the connection was interrupted ({reason})", True)


class _Connection(HTTPConnection):
    deadline: Deadline

    def connect(self) -> None:
        super().connect()
        self.deadline.watch(self.sock)


class _EncryptedConnection(HTTPSConnection):
    deadline: Deadline

    def connect(self) -> None:
        super().connect()
        self.deadline.watch(self.sock)


class _WatchedHTTP(HTTPHandler):
    def __init__(self, deadline: Deadline) -> None:
        super().__init__()
        self._deadline = deadline

    def http_open(self, req: Request) -> HTTPResponse:
        return self.do_open(self._connection, req)

    def _connection(self, host: str, **options: Any) -> HTTPConnection:
        connection = _Connection(host, **options)
        connection.deadline = self._deadline
        return connection


class _WatchedHTTPS(HTTPSHandler):
    def __init__(self, deadline: Deadline) -> None:
        super().__init__()
        self._deadline = deadline

    def https_open(self, req: Request) -> HTTPResponse:
        return self.do_open(self._connection, req)

    def _connection(self, host: str, **options: Any) -> HTTPConnection:
        connection = _EncryptedConnection(host, **options)
        connection.deadline = self._deadline
        return connection
