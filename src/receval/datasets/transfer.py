"""One HTTP transfer into a partial file that a later transfer can continue."""

from __future__ import annotations

import http.client
import json
import os
import re
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from typing import BinaryIO
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from receval.storage.files import write_atomically

Progress = Callable[[int, int | None], None]

_BEGINNING = 512
_BLOCK = 1 << 18
_HEADERS = {"User-Agent": "receval", "Accept-Encoding": "identity"}
_MAGIC = {".zip": b"PK", ".gz": b"\x1f\x8b", ".tgz": b"\x1f\x8b"}
# Timeouts, "too early" and "too many requests" go by; other refusals by the server do not.
_PASSING_REFUSALS = {408, 425, 429}


class TransferError(Exception):
    """A transfer that did not finish; ``passing`` tells whether trying again may help."""

    def __init__(self, reason: str, passing: bool) -> None:
        self.passing = passing
        super().__init__(reason)


@dataclass(frozen=True)
class PartialFile:
    """A file under transfer: ``<target>.part``, and beside it where its bytes came from."""

    path: Path

    @classmethod
    def of(cls, target: Path) -> PartialFile:
        """Return the partial file that belongs to a target."""
        return cls(target.with_name(target.name + ".part"))

    @property
    def size(self) -> int:
        """Bytes transferred so far."""
        return self.path.stat().st_size if self.path.is_file() else 0

    @property
    def _origin(self) -> Path:
        return self.path.with_name(self.path.name + ".json")

    def validator(self, url: str) -> str | None:
        """Return the server's name (ETag or date) of the version begun, if it came from ``url``."""
        try:
            origin = json.loads(self._origin.read_text(encoding="utf-8"))
            return origin["validator"] if origin["url"] == url else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def note_origin(self, url: str, headers: Message) -> None:
        """Record where the bytes come from, so that another process can continue."""
        tag = headers.get("ETag")
        # A weak tag does not promise equal bytes, and a Range must not be conditional on it.
        validator = tag if tag and not tag.startswith("W/") else headers.get("Last-Modified")
        write_atomically(self._origin, json.dumps({"url": url, "validator": validator}))

    def delete(self) -> None:
        """Remove the partial file and its origin."""
        self.path.unlink(missing_ok=True)
        self._origin.unlink(missing_ok=True)

    def finish(self, target: Path) -> None:
        """Give the finished file its final name, in one step."""
        self.path.replace(target)
        self._origin.unlink(missing_ok=True)


def transfer(
    url: str,
    part: PartialFile,
    name: str,
    verifiable: bool,
    timeout: float,
    progress: Progress,
) -> None:
    """Transfer one file, continuing where an earlier transfer stopped if the server can.

    Parameters
    ----------
    url : str
        Address.
    part : PartialFile
        Where the bytes go; what it already holds is continued, or replaced if the server sends
        the whole file.
    name : str
        Final name of the file; tells which first bytes a zip or gzip file must have.
    verifiable : bool
        Whether size and checksum are known. If not, only a version that the server itself
        confirms to be unchanged is continued.
    timeout : float
        Seconds without an answer or without a byte after which the transfer fails.
    progress : callable
        Called with the bytes there are and the bytes there will be (None if unknown).

    Raises
    ------
    TransferError
        If the server cannot be reached, refuses, sends a page instead of the file, or stops
        early. The bytes received so far stay in the partial file.
    """
    validator = part.validator(url)
    offset = part.size if verifiable or validator is not None else 0
    headers = dict(_HEADERS)
    if offset:
        headers["Range"] = f"bytes={offset}-"
        if validator is not None:
            headers["If-Range"] = validator
    try:
        response = urlopen(Request(url, headers=headers), timeout=timeout)
    except HTTPError as error:
        if error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE and offset:
            if _total_size(error.headers) == offset:
                return  # all bytes had arrived before the transfer was interrupted
            part.delete()
            raise TransferError("the partial file did not fit the file served", True) from error
        passing = error.code >= 500 or error.code in _PASSING_REFUSALS
        raise TransferError(f"the server answered {error.code} {error.reason}", passing) from error
    except URLError as error:
        # A bad certificate stays bad; every other failure to connect may go by.
        passing = not isinstance(error.reason, ssl.SSLCertVerificationError)
        raise TransferError(f"no connection ({error.reason})", passing) from error
    except (OSError, http.client.HTTPException) as error:
        raise _broken(error) from error
    with response:
        _receive(response, url, part, name, offset, progress)


def _receive(
    response: http.client.HTTPResponse,
    url: str,
    part: PartialFile,
    name: str,
    offset: int,
    progress: Progress,
) -> None:
    if response.headers.get_content_type() in {"text/html", "application/xhtml+xml"}:
        raise TransferError("an HTML page came instead of the file", False)
    continued = offset > 0 and response.status == http.HTTPStatus.PARTIAL_CONTENT
    if continued and _range_start(response.headers) != offset:
        part.delete()
        raise TransferError("the server continued at another byte than asked", True)
    start = offset if continued else 0
    length = response.headers.get("Content-Length")
    end = start + int(length) if length is not None and length.isdigit() else None
    beginning = _read(response, _BEGINNING)
    if not continued:
        _refuse_page(beginning, name)
        part.path.parent.mkdir(parents=True, exist_ok=True)
    with part.path.open("ab" if continued else "wb") as file:
        if not continued:
            part.note_origin(url, response.headers)
        size = _copy(response, beginning, file, start, end, progress)
        file.flush()
        os.fsync(file.fileno())
    if end is not None and size < end:
        raise TransferError(f"the transfer stopped after {size:,} of {end:,} bytes", True)


def _copy(
    response: http.client.HTTPResponse,
    block: bytes,
    file: BinaryIO,
    start: int,
    end: int | None,
    progress: Progress,
) -> int:
    size = start
    while block:
        file.write(block)
        size += len(block)
        progress(size, end)
        block = _read(response, _BLOCK)
    return size


def _read(response: http.client.HTTPResponse, size: int) -> bytes:
    try:
        # The beginning is needed whole; later on, bytes are kept as soon as they arrive.
        return response.read(size) if size == _BEGINNING else response.read1(size)
    except (OSError, http.client.HTTPException) as error:
        raise _broken(error) from error


def _broken(error: Exception) -> TransferError:
    return TransferError(f"the connection broke ({str(error) or type(error).__name__})", True)


def _refuse_page(first_bytes: bytes, name: str) -> None:
    """Tell a proxy's error page from a file before it replaces anything."""
    if first_bytes.lstrip().lower().startswith((b"<!doctype html", b"<html")):
        raise TransferError("an HTML page came instead of the file", False)
    magic = _MAGIC.get(Path(name).suffix)
    if magic is not None and first_bytes and not first_bytes.startswith(magic):
        raise TransferError(f"what came is not a {Path(name).suffix} file", False)


def _range_start(headers: Message) -> int | None:
    match = re.match(r"bytes (\d+)-", headers.get("Content-Range", ""))
    return int(match[1]) if match else None


def _total_size(headers: Message) -> int | None:
    match = re.search(r"/(\d+)$", headers.get("Content-Range", ""))
    return int(match[1]) if match else None
