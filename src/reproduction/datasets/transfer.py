# SPDX-License-Identifier: MIT
"""Download a file over HTTP into a partial file that a later transfer can continue."""

from __future__ import annotations

import json
import os
import re
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.message import Message
from http import HTTPStatus
from http.client import HTTPResponse
from pathlib import Path
from typing import BinaryIO

from receval.storage.files import write_atomically
from receval.storage.messages import escaped
from reproduction.datasets.connection import Deadline, TransferError, open_address, read_some
from reproduction.datasets.raw import mismatch
from reproduction.datasets.spec import FileSpec

Progress = Callable[[int, int | None], None]

# Bytes received before they are written and reported: a fast line has hundreds of blocks a second.
_BLOCK = 1 << 18
_OF_A_PART = (HTTPStatus.PARTIAL_CONTENT, HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE)
_HEADERS = {"User-Agent": "receval", "Accept-Encoding": "identity"}


# Interpret a server's headers, and distinguish web pages from files.

BEGINNING = 512
"""First bytes by which a web page is recognised."""

_MAGIC = {".zip": b"PK", ".gz": b"\x1f\x8b", ".tgz": b"\x1f\x8b"}
# Suffixes of files that may contain what is otherwise an error page or message.
_MARKUP = {".html", ".xml"}
_JSON = {".json", ".jsonl"}
_NUMBER = re.compile("[0-9]{1,18}")
_RANGE = re.compile(r"bytes ([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18}|\*)")
_UNSATISFIED = re.compile(r"bytes \*/([0-9]{1,18})")
# Timeouts, "too early" and "too many requests" are temporary; other refusals are not.
_PASSING_REFUSALS = {408, 425, 429}


@dataclass(frozen=True)
class Extent:
    """Which bytes of a file an answer has: the first one, and the size of the whole file."""

    start: int
    total: int | None

    @classmethod
    def of_whole(cls, headers: Message, spec: FileSpec) -> Extent:
        """Read the headers of an answer with the whole file."""
        total = _announced_length(headers)
        if total is None and not (spec.verifiable or spec.size or _is_chunked(headers)):
            raise TransferError(
                "the server does not send the file's length, and config/datasets.yaml has "
                "neither its size nor a checksum, so nothing shows whether it is complete",
                False,
            )
        return cls(0, total)

    @classmethod
    def of_part(cls, headers: Message) -> Extent | None:
        """Read the headers of an answer with a part; None if they do not tell which."""
        match = _RANGE.fullmatch(headers.get("Content-Range", ""))
        if match is None or match[3] == "*" or not int(match[1]) <= int(match[2]) < int(match[3]):
            return None
        return cls(int(match[1]), int(match[3]))


def size_of_unsatisfied(headers: Message) -> int | None:
    """Return the file's size from an answer that cannot satisfy the requested range."""
    match = _UNSATISFIED.fullmatch(headers.get("Content-Range", ""))
    return int(match[1]) if match else None


def refusal(response: HTTPResponse) -> TransferError:
    """Return the error for an answer without a file."""
    said = f"{response.status} {escaped(response.reason)}".rstrip()
    if response.status == 206:
        said += ", a part of the file, but the whole file was requested"
    passing = response.status >= 500 or response.status in _PASSING_REFUSALS
    return TransferError(f"the server answered {said}", passing)


def refuse_size(total: int | None, spec: FileSpec) -> None:
    """Refuse an answer whose announced size is wrong, before any byte is kept.

    Raises
    ------
    TransferError
        If the size differs from the expected one or, if none is expected, exceeds the limit.
    """
    if total is None:
        return
    if spec.size is not None and total != spec.size:
        raise TransferError(
            f"the server announces {total:,} bytes, but {spec.size:,} are expected", False
        )
    if total > spec.most_bytes:
        raise TransferError(
            f"the server announces {total:,} bytes, which is more than {_most(spec)}", False
        )


def too_long(total: int | None, spec: FileSpec) -> TransferError:
    """Return the error for more bytes than were announced or are allowed."""
    most = f"the announced {total:,} bytes" if total is not None else _most(spec)
    return TransferError(f"the server sends more than {most}", False)


def refuse_headers(headers: Message, spec: FileSpec) -> None:
    """Refuse an error page, or a file that was changed in transfer, by its headers.

    Raises
    ------
    TransferError
        If the answer cannot be the file. With a known checksum, only certain cases are refused.
    """
    kind, suffix = headers.get_content_type(), Path(spec.name).suffix
    if kind in {"text/html", "application/xhtml+xml"} and suffix not in _MARKUP:
        raise TransferError("the server sent an HTML page instead of the file", False)
    transfer = ", ".join(headers.get_all("Transfer-Encoding", ["identity"])).lower()
    if transfer not in {"chunked", "identity"}:
        raise TransferError(
            f"the server used the Transfer-Encoding {escaped(transfer)}, which was not requested",
            False,
        )
    if spec.verifiable:
        return
    if kind.endswith(("/json", "+json")) and suffix not in _JSON:
        raise TransferError("the server sent a JSON message instead of the file", False)
    coding = ", ".join(headers.get_all("Content-Encoding", []))
    if not {name.strip().lower() for name in coding.split(",")} <= {"", "identity"}:
        raise TransferError(
            f"the server used the Content-Encoding {escaped(coding)}, which was not requested",
            False,
        )


def refuse_page(first_bytes: bytes, spec: FileSpec) -> None:
    """Refuse a page or message by its first bytes, before it replaces anything."""
    suffix = Path(spec.name).suffix
    # Without zeros, UTF-16 is recognised like UTF-8.
    text = first_bytes.replace(b"\0", b"")
    for mark in (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"):
        text = text.removeprefix(mark)
    text = text.lstrip()
    # Raw data never begins like markup; a page may begin with a comment or a declaration.
    if text.startswith(b"<") and suffix not in _MARKUP:
        raise TransferError(
            "the server sent an HTML page or other markup instead of the file", False
        )
    magic = _MAGIC.get(suffix)
    if magic is not None and not first_bytes.startswith(magic):
        raise TransferError(f"the server sent something that is not a {suffix} file", False)
    if text.startswith((b"{", b"[")) and suffix not in _JSON and not spec.verifiable:
        raise TransferError("the server sent a JSON message instead of the file", False)
    if not text and len(first_bytes) == BEGINNING and not spec.verifiable:
        raise TransferError(
            "the received data begin with white space only, and an HTML page may follow", False
        )


def _announced_length(headers: Message) -> int | None:
    if _is_chunked(headers):
        return None  # If there are both, the chunks count.
    lengths = {length.strip() for length in headers.get_all("Content-Length", [])}
    if not lengths:
        return None
    if len(lengths) > 1:
        raise TransferError("the server announces several different lengths", False)
    (length,) = lengths
    if not _NUMBER.fullmatch(length):
        said = f"the Content-Length '{escaped(length)}'"
        raise TransferError(f"{said} is not a number of bytes", False)
    return int(length)


def _is_chunked(headers: Message) -> bool:
    return headers.get("Transfer-Encoding", "").lower() == "chunked"


def _most(spec: FileSpec) -> str:
    if spec.size is not None:
        return f"the expected {spec.size:,} bytes"
    return f"the {spec.size_limit:,} bytes that size_limit in config/datasets.yaml allows"


# A file in transfer, which another process can continue.

# Longer notes are not ours, nor are those that cannot be sent in a header.
_LONGEST_ORIGIN = 1 << 16
_SENDABLE = re.compile("[ -~]*")


@dataclass(frozen=True)
class Version:
    """A server's version of a file: its ETag and its time of last modification."""

    etag: str | None = None
    modified: str | None = None

    @classmethod
    def read(cls, get: Callable[[str], object]) -> Version:
        """Return the version from headers or from a note of them."""
        found = [get("ETag"), get("Last-Modified")]
        return cls(*(v if isinstance(v, str) and _SENDABLE.fullmatch(v) else None for v in found))

    @property
    def condition(self) -> str | None:
        """The condition of a Range request; not a weak ETag, which does not promise equal bytes."""
        return self.etag if self.etag and not self.etag.startswith("W/") else self.modified

    def contradicts(self, other: Version) -> bool:
        """Return whether the two versions cannot have the same bytes."""
        pairs = ((self.etag, other.etag), (self.modified, other.modified))
        return any(mine and its and mine != its for mine, its in pairs)

    def is_confirmed_by(self, other: Version) -> bool:
        """Return whether the other version has the condition of the Range request."""
        return (
            self.condition is not None
            and self.condition in (other.etag, other.modified)
            and not self.contradicts(other)
        )


@dataclass(frozen=True)
class PartialFile:
    """A file in transfer: ``<target>.part``, with a note of its origin beside it."""

    path: Path

    @classmethod
    def of(cls, target: Path) -> PartialFile:
        """Return the partial file that belongs to a target."""
        return cls(target.with_name(target.name + ".part"))

    @property
    def size(self) -> int:
        """Bytes transferred so far."""
        return 0 if self.path.is_symlink() or not self.path.is_file() else self.path.stat().st_size

    def opened(self, *, anew: bool) -> BinaryIO:
        """Open it to write at its end.

        Parameters
        ----------
        anew : bool
            Whether to begin with an empty file. A symbolic link there is removed and not followed.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if anew:
            self.path.unlink(missing_ok=True)
        return open(self.path, "ab", opener=_without_following)

    @property
    def origin(self) -> Path:
        """The file with the note of the origin."""
        return self.path.with_name(self.path.name + ".json")

    def version(self, url: str) -> Version:
        """Return the version of the bytes; empty if they are not from ``url`` or it is unknown."""
        try:
            with self.origin.open("rb") as file:
                origin = json.loads(file.read(_LONGEST_ORIGIN).decode("utf-8"))
            return Version.read(origin.get) if origin["url"] == url else Version()
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            # With a damaged note the transfer starts again.
            return Version()

    def note_origin(self, url: str, headers: Message) -> None:
        """Record the origin of the bytes, so that another process can continue."""
        version = Version.read(headers.get)
        origin = {"url": url, "ETag": version.etag, "Last-Modified": version.modified}
        write_atomically(self.origin, json.dumps(origin))

    def delete(self) -> None:
        """Remove the partial file and its origin."""
        self.path.unlink(missing_ok=True)
        self.origin.unlink(missing_ok=True)

    def finish(self, target: Path) -> None:
        """Give the finished file its final name, in one step."""
        self.path.replace(target)
        self.origin.unlink(missing_ok=True)


def _without_following(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)


def transfer(
    url: str,
    part: PartialFile,
    spec: FileSpec,
    timeout: float,
    deadline: Deadline,
    progress: Progress,
) -> None:
    """Transfer one file, continuing an earlier transfer if the server supports it.

    Parameters
    ----------
    part : PartialFile
        The file to write. Its bytes are continued, or replaced if the server sends the whole file.
    spec : FileSpec
        The description of the file. Without a checksum, a transfer is continued only if the server
        confirms the same version.
    progress : callable
        Called with the bytes so far and the total bytes (None if unknown).

    Raises
    ------
    TransferError
        If the server cannot be reached, refuses, sends something else or too many bytes, or stops
        early. The bytes received so far stay in the partial file.
    """
    version = part.version(url)
    offset = part.size if spec.verifiable or version.condition is not None else 0
    if 0 < offset <= spec.most_bytes:
        headers = {**_HEADERS, "Range": f"bytes={offset}-"}
        if version.condition is not None:
            headers["If-Range"] = version.condition
        with open_address(url, headers, timeout, deadline) as response:
            if response.status == HTTPStatus.OK:
                _receive_whole(response, url, part, spec, deadline, progress)
                return
            if _continued(response, version, offset, part, spec, deadline, progress):
                return
            if response.status in _OF_A_PART:
                # The bytes are of another version or file, so they are of no use.
                part.delete()
    with open_address(url, _HEADERS, timeout, deadline) as response:
        if response.status != HTTPStatus.OK:
            raise refusal(response)
        _receive_whole(response, url, part, spec, deadline, progress)


def _continued(
    response: HTTPResponse,
    version: Version,
    offset: int,
    part: PartialFile,
    spec: FileSpec,
    deadline: Deadline,
    progress: Progress,
) -> bool:
    """Append the missing bytes; return False if the whole file must be requested."""
    now = Version.read(response.headers.get)
    same = not version.contradicts(now)
    if response.status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
        # If all bytes had arrived before the interruption, none are left to request.
        return same and size_of_unsatisfied(response.headers) == offset
    if response.status != HTTPStatus.PARTIAL_CONTENT:
        refused = refusal(response)
        if refused.passing:
            raise refused
        # The refusal may concern only the part, which must not block the download for ever.
        return False
    refuse_headers(response.headers, spec)
    extent = Extent.of_part(response.headers)
    if extent is None or extent.start != offset:
        return False
    if not (same and (spec.verifiable or version.is_confirmed_by(now))):
        return False
    refuse_size(extent.total, spec)
    _receive(response, b"", part, extent, spec, deadline, progress)
    return True


def _receive_whole(
    response: HTTPResponse,
    url: str,
    part: PartialFile,
    spec: FileSpec,
    deadline: Deadline,
    progress: Progress,
) -> None:
    refuse_headers(response.headers, spec)
    extent = Extent.of_whole(response.headers, spec)
    refuse_size(extent.total, spec)
    beginning = b""
    while len(beginning) < BEGINNING and (
        block := read_some(response, BEGINNING - len(beginning), deadline)
    ):
        beginning += block
    if not beginning:
        raise TransferError("the received file is empty", True)
    refuse_page(beginning, spec)
    # Empty the file before the note, so that its bytes never have the note of another version.
    part.opened(anew=True).close()
    part.note_origin(url, response.headers)
    _receive(response, beginning, part, extent, spec, deadline, progress)


def _receive(
    response: HTTPResponse,
    beginning: bytes,
    part: PartialFile,
    extent: Extent,
    spec: FileSpec,
    deadline: Deadline,
    progress: Progress,
) -> None:
    size, total = extent.start, extent.total
    most = spec.most_bytes if total is None else total
    with part.opened(anew=False) as file:
        block = beginning or read_some(response, _BLOCK, deadline)
        while block and size + len(block) <= most:
            file.write(block)
            size += len(block)
            progress(size, total)
            block = read_some(response, _BLOCK, deadline)
        file.flush()
        os.fsync(file.fileno())
    if block:
        part.delete()
        raise too_long(total, spec)
    if total is not None and size < total:
        raise TransferError(f"the transfer stopped after {size:,} of {total:,} bytes", True)


# Transfers from one address, with retries as long as they may help.

_MEBIBYTE = 1 << 20
_SHORTEST = 600.0
_SLOWEST = 1 << 15
"""Bytes per second."""


@dataclass(frozen=True)
class RetryPolicy:
    """Time limits and numbers of retries of a download.

    Attributes
    ----------
    retries : int
        Number of successive retries of a broken transfer at one address. The count restarts after a
        transfer of at least a mebibyte.
    backoff : float
        Seconds before the first retry; the time doubles with each further one.
    timeout : float
        Seconds of silence after which a transfer counts as broken.
    time_limit : float or None
        Seconds after which an address is given up, even if bytes still arrive; None gives ten
        minutes plus a second per 32 KiB of the file's maximum size. Received bytes are kept.
    sleep : callable
        Waits for a number of seconds.
    """

    retries: int = 4
    backoff: float = 1.0
    timeout: float = 60.0
    time_limit: float | None = None
    sleep: Callable[[float], None] = time.sleep

    def seconds_for(self, spec: FileSpec) -> float:
        """Return the time limit of a file."""
        if self.time_limit is not None:
            return self.time_limit
        # Timers do not accept longer times.
        return min(_SHORTEST + spec.most_bytes / _SLOWEST, threading.TIMEOUT_MAX)


def fetch_from(
    url: str, spec: FileSpec, part: PartialFile, recorded: str | None, patience: RetryPolicy
) -> None:
    """Transfer a file from one address until it is complete and correct."""
    progress = _Progress(spec.name)
    failed = 0
    with Deadline(patience.seconds_for(spec)) as deadline:
        while True:
            before = part.size
            try:
                transfer(url, part, spec, patience.timeout, deadline, progress)
            except TransferError as error:
                # So a slow line that breaks now and then still gets the file, piece by piece.
                failed = 1 if part.size - before >= _MEBIBYTE else failed + 1
                if not error.passing or failed > patience.retries:
                    raise
                patience.sleep(patience.backoff * 2 ** (failed - 1))
                continue
            problem = mismatch(part.path, spec, recorded)
            if problem is None:
                return
            part.delete()
            failed += 1
            if before == 0 or failed > patience.retries:
                raise TransferError(f"the received file is not the known one: {problem}", False)
            # The earlier bytes may have been of an older version, so start again.


class _Progress:
    """Reports a long transfer on standard error, with a line every few seconds."""

    def __init__(self, name: str, every: float = 5.0) -> None:
        self._name = name
        self._every = every
        self._last = time.monotonic()

    def __call__(self, size: int, end: int | None) -> None:
        now = time.monotonic()
        if now - self._last < self._every:
            return
        self._last = now
        done = f"{size / _MEBIBYTE:.1f} MiB"
        if end:
            done = f"{size / _MEBIBYTE:.1f} of {end / _MEBIBYTE:.1f} MiB ({size / end:.0%})"
        print(f"{self._name}: {done}", file=sys.stderr, flush=True)
