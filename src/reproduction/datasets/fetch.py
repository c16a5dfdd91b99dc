# SPDX-License-Identifier: MIT
"""Check a dataset's raw files, and download missing ones."""

from __future__ import annotations

import errno
import json
import os
import re
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from email.message import Message
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from typing import Any, BinaryIO, Self
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import (
    AbstractHTTPHandler,
    HTTPHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

from receval.storage.files import sha256_of, write_atomically
from receval.storage.messages import LONGEST, escaped, shortened
from reproduction.datasets.raw import (
    Availability,
    RawFile,
    RawFiles,
    Source,
    checksum_in_words,
    mismatch,
)
from reproduction.datasets.reports import (
    ChecksumError,
    DownloadError,
    FileAccessError,
    UnavailableError,
)
from reproduction.datasets.spec import DatasetSpec, FileSpec, VariantSpec, redirected

# The checksum that is recorded at the first download of a file without a published one.

# Longer files are not our records and are not read.
_LONGEST = 1 << 12


def record_of(path: Path) -> Path:
    """Return the path of a file's recorded checksum: its name followed by ``.sha256``."""
    return path.with_name(path.name + ".sha256")


def recorded_sha256(path: Path) -> str | None:
    """Return the SHA-256 recorded beside a file; None if there is no record."""
    record = record_of(path)
    if not record.exists():
        return None
    with record.open("rb") as file:
        content = file.read(_LONGEST)
    match = re.match(rb"([0-9a-f]{64})(\s|$)", content)
    if match is None:
        held = escaped(content.decode("latin-1"))
        raise ChecksumError(
            f"{record.as_posix()} begins with '{held}' instead of a SHA-256 of 64 hexadecimal "
            "digits. Delete it, and the next run records the checksum again."
        )
    return match[1].decode("ascii")


def fetch_file(spec: FileSpec, target: Path, patience: RetryPolicy | None = None) -> RawFile:
    """Download a file, or check an existing one.

    Bytes are written to ``<target>.part``, which a later call continues. The file gets its final
    name only when size and checksum are right. If a file has no published checksum,
    ``<target>.sha256`` records it at the first download for all later checks.
    A wrong file with the final name, or one with a damaged record, is refused and kept.
    """
    part = PartialFile.of(target)
    with access_reported(target):
        for path in (target, part.path, part.origin, record_of(target)):
            if path.is_dir():
                raise FileAccessError(
                    f"{path.as_posix()} is a folder, but a file must be there. Move the folder "
                    "away."
                )
        if target.is_file():
            return check_file(spec, target)
        recorded = None if spec.verifiable else recorded_sha256(target)
        reasons = []
        for url in spec.urls:
            try:
                fetch_from(url, spec, part, recorded, patience or RetryPolicy())
            except TransferError as error:
                reasons.append(f"{urlsplit(url).netloc}: {error}")
                continue
            sha256 = sha256_of(part.path)
            if not spec.verifiable:
                # Recorded as by sha256sum, before the file gets its name: no file lacks a record.
                write_atomically(record_of(target), f"{sha256}  {target.name}\n")
            part.finish(target)
            return RawFile(target, sha256)
    raise _not_downloaded(spec, target, reasons or ["it has no known address"], recorded)


def check_file(spec: FileSpec, path: Path) -> RawFile:
    """Check the size and checksums of an existing file."""
    with access_reported(path):
        recorded = None if spec.verifiable else recorded_sha256(path)
        problem = mismatch(path, spec, recorded)
        if problem is None:
            return RawFile.of(path)
    remedy = "Move it away or replace it with the right file"
    if recorded is not None:
        remedy += f", or, if the change is intended, delete {record_of(path).name} beside it"
    raise ChecksumError(f"{path.as_posix()} is not the known {spec.name}: {problem}. {remedy}.")


def obtain(
    dataset_id: str,
    spec: DatasetSpec,
    availability: Availability,
    raw_folder: Path,
    patience: RetryPolicy | None = None,
) -> RawFiles:
    """Find or download a dataset's raw files, and check them.

    They are of the chosen variant or, if it cannot be downloaded, of the next one that can.
    """
    if availability.status == "absent" or availability.variant is None:
        raise UnavailableError(
            f"The dataset {dataset_id} is not available: {availability.reason}. "
            f"{availability.instructions}"
        )
    known = {Path(file.name).name: file for file in spec.auxiliary_files}
    auxiliary_files = tuple(
        check_file(FileSpec(name=known[path.name].name, sha256=known[path.name].sha256), path)
        for path in availability.auxiliary_files
    )

    def described(variant: VariantSpec, files: tuple[RawFile, ...], source: Source) -> RawFiles:
        return RawFiles(
            dataset_id, variant.name, variant.parser, files, auxiliary_files, source, spec.expected
        )

    if availability.status == "local":
        variant = availability.variant
        return described(variant, _check_variant(variant, availability.files), "local")
    failures = {}
    first = spec.variants.index(availability.variant)
    for variant in (e for e in spec.variants[first:] if e.downloadable):
        try:
            files = tuple(
                fetch_file(file, raw_folder / file.name, patience) for file in variant.files
            )
        except DownloadError as error:
            failures[variant] = error
            continue
        return described(variant, files, "download")
    if len(failures) == 1:
        raise next(iter(failures.values()))
    raise _no_variant_downloaded(dataset_id, failures, raw_folder)


def _check_variant(variant: VariantSpec, paths: tuple[Path, ...]) -> tuple[RawFile, ...]:
    if variant.pattern is None:
        pairs = zip(variant.files, paths, strict=True)
        return tuple(check_file(file, path) for file, path in pairs)
    files = []
    for path in paths:
        with access_reported(path):
            files.append(RawFile.of(path))
    return tuple(files)


@contextmanager
def access_reported(path: Path) -> Iterator[None]:
    """Turn errors of the system into messages that name the file and say what to do."""
    try:
        yield
    except OSError as error:
        met = Path(error.filename).as_posix() if isinstance(error.filename, str) else path
        remedy = "Allow this user to read and write the file and its folder"
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            remedy = (
                "Free some space and run again. The bytes received so far are kept, and the "
                "next run continues from there"
            )
        raise FileAccessError(
            f"{met} could not be read or written ({error.strerror or error}). {remedy}."
        ) from error


def _not_downloaded(
    spec: FileSpec, target: Path, reasons: Sequence[str], recorded: str | None
) -> DownloadError:
    addresses = list(spec.urls[:3]) or ["its owners"]
    size = f", {spec.size:,} bytes" if spec.size is not None else ""
    remedy = (
        f"Download it by hand from {' or '.join(addresses)} ({checksum_in_words(spec)}{size}) "
        f"and put it at {target.as_posix()}."
    )
    if recorded is not None and any(recorded in reason for reason in reasons):
        # A copy got by hand would be refused as well.
        remedy = (
            "The expected checksum is that of the first download. If the file has changed "
            f"permanently, delete the record {record_of(target).as_posix()} and run again."
        )
    return _download_error(f"{spec.name} could not be downloaded", reasons, remedy)


def _no_variant_downloaded(
    dataset_id: str, failures: dict[VariantSpec, DownloadError], raw_folder: Path
) -> DownloadError:
    by_hand = [
        " and ".join(f"{file.urls[0]} as {(raw_folder / file.name).as_posix()}" for file in v.files)
        for v in failures
    ]
    return _download_error(
        f"No variant of {dataset_id} could be downloaded",
        [f"{variant.name}: {error.reasons}" for variant, error in failures.items()],
        f"Download one by hand: {', or '.join(by_hand)}.",
    )


def _download_error(what: str, reasons: Sequence[str], remedy: str) -> DownloadError:
    """Return an error whose message shortens long reasons to keep the remedy."""
    room = LONGEST - len(f"{what} (). {remedy}") - 2 * len(reasons)
    shown = "; ".join(
        shortened(reason, max(40, room // len(reasons)), middle=True) for reason in reasons
    )
    message = shortened(f"{what} ({shown}). {remedy}", LONGEST, middle=True)
    return DownloadError(message, "; ".join(reasons))


# Download a file over HTTP into a partial file that a later transfer can continue.

# Requests to a server, with redirects, time limits and one type of exception.

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

    def __exit__(self, *_: object) -> None:
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
    """Request a file from a server, following redirects."""
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


class _Watched(AbstractHTTPHandler):
    """Lets a deadline end the connections of a handler."""

    def __init__(self, deadline: Deadline) -> None:
        super().__init__()
        self._deadline = deadline

    def do_open(self, http_class: Any, req: Request, **options: Any) -> HTTPResponse:
        def watched(host: str, **more: Any) -> HTTPConnection:
            connection: HTTPConnection = http_class(host, **more)
            connect = connection.connect

            def connect_and_watch() -> None:
                connect()
                self._deadline.watch(connection.sock)

            connection.connect = connect_and_watch  # type: ignore[method-assign]
            return connection

        return super().do_open(watched, req, **options)


class _WatchedHTTP(_Watched, HTTPHandler):
    pass


class _WatchedHTTPS(_Watched, HTTPSHandler):
    pass


# What answers hold.

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
_RANGE = re.compile(r"bytes ([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18})")
_UNSATISFIED = re.compile(r"bytes \*/([0-9]{1,18})")
# Timeouts, "too early" and "too many requests" are temporary; other refusals are not.
_PASSING_REFUSALS = {408, 425, 429}


def refusal(response: HTTPResponse) -> TransferError:
    """Return the error for an answer without a file."""
    said = f"{response.status} {escaped(response.reason)}".rstrip()
    if response.status == 206:
        said += ", a part of the file, but the whole file was requested"
    passing = response.status >= 500 or response.status in _PASSING_REFUSALS
    return TransferError(f"the server answered {said}", passing)


def refuse_size(total: int | None, spec: FileSpec) -> None:
    """Refuse an answer whose announced size is not the expected one, or exceeds the limit."""
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


def refuse_headers(headers: Message, spec: FileSpec) -> None:
    """Refuse an error page, or a file that was changed in transfer, by its headers.

    With a known checksum, only certain cases are refused.
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


def announced_length(headers: Message, spec: FileSpec) -> int | None:
    """Return the size of the whole file by its headers; None if it is not known."""
    # If there are both a length and chunks, the chunks count.
    if headers.get("Transfer-Encoding", "").lower() == "chunked":
        return None
    lengths = {length.strip() for length in headers.get_all("Content-Length", [])}
    if not lengths:
        if spec.verifiable or spec.size:
            return None
        raise TransferError(
            "the server does not send the file's length, and config/datasets.yaml has neither its "
            "size nor a checksum, so nothing shows whether it is complete",
            False,
        )
    if len(lengths) > 1:
        raise TransferError("the server announces several different lengths", False)
    (length,) = lengths
    if not _NUMBER.fullmatch(length):
        said = f"the Content-Length '{escaped(length)}'"
        raise TransferError(f"{said} is not a number of bytes", False)
    return int(length)


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
        """Open it to write at its end, or anew; a symbolic link there is removed, not followed."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if anew:
            self.path.unlink(missing_ok=True)
        return open(
            self.path,
            "ab",
            opener=lambda path, flags: os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666),
        )

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


@dataclass(frozen=True)
class Transfer:
    """One transfer of a file, which continues an earlier one if the server supports it.

    If the server cannot be reached, refuses, sends something else or too many bytes, or stops
    early, the bytes received so far stay in the partial file. Progress is told the bytes so far and
    the total bytes (None if unknown).
    """

    url: str
    part: PartialFile
    spec: FileSpec
    timeout: float
    deadline: Deadline
    progress: Progress

    def run(self) -> None:
        """Continue the partial file if it is of the same version, or replace it by a whole one."""
        version = self.part.version(self.url)
        has_known_bytes = self.spec.verifiable or version.condition is not None
        offset = self.part.size if has_known_bytes else 0
        if 0 < offset <= self.spec.most_bytes:
            headers = {**_HEADERS, "Range": f"bytes={offset}-"}
            if version.condition is not None:
                headers["If-Range"] = version.condition
            with self._open(headers) as response:
                if response.status == HTTPStatus.OK:
                    self._receive_whole(response)
                    return
                if self._continued(response, version, offset):
                    return
                if response.status in _OF_A_PART:
                    # The bytes are of another version or file, so they are of no use.
                    self.part.delete()
        with self._open(_HEADERS) as response:
            if response.status != HTTPStatus.OK:
                raise refusal(response)
            self._receive_whole(response)

    def _open(self, headers: Mapping[str, str]) -> HTTPResponse:
        return open_address(self.url, headers, self.timeout, self.deadline)

    def _continued(self, response: HTTPResponse, version: Version, offset: int) -> bool:
        """Append the missing bytes; return False if the whole file must be requested."""
        now = Version.read(response.headers.get)
        same = not version.contradicts(now)
        extent = response.headers.get("Content-Range", "")
        if response.status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            # If all bytes had arrived before the interruption, none are left to request.
            whole = _UNSATISFIED.fullmatch(extent)
            return same and whole is not None and int(whole[1]) == offset
        if response.status != HTTPStatus.PARTIAL_CONTENT:
            refused = refusal(response)
            if refused.passing:
                raise refused
            # The refusal may concern only the part, which must not block the download for ever.
            return False
        refuse_headers(response.headers, self.spec)
        told = _RANGE.fullmatch(extent)
        if told is None:
            return False
        start, end, total = map(int, told.groups())
        is_confirmed = version.condition is not None and version.condition in (
            now.etag,
            now.modified,
        )
        if not (start == offset <= end < total and same and (self.spec.verifiable or is_confirmed)):
            return False
        refuse_size(total, self.spec)
        self._receive(response, b"", start, total)
        return True

    def _receive_whole(self, response: HTTPResponse) -> None:
        refuse_headers(response.headers, self.spec)
        total = announced_length(response.headers, self.spec)
        refuse_size(total, self.spec)
        beginning = b""
        while len(beginning) < BEGINNING and (
            block := read_some(response, BEGINNING - len(beginning), self.deadline)
        ):
            beginning += block
        if not beginning:
            raise TransferError("the received file is empty", True)
        refuse_page(beginning, self.spec)
        # Empty the file before the note, so that its bytes never have the note of another version.
        self.part.opened(anew=True).close()
        self.part.note_origin(self.url, response.headers)
        self._receive(response, beginning, 0, total)

    def _receive(
        self, response: HTTPResponse, beginning: bytes, size: int, total: int | None
    ) -> None:
        most = self.spec.most_bytes if total is None else total
        with self.part.opened(anew=False) as file:
            block = beginning or read_some(response, _BLOCK, self.deadline)
            while block and size + len(block) <= most:
                file.write(block)
                size += len(block)
                self.progress(size, total)
                block = read_some(response, _BLOCK, self.deadline)
            file.flush()
            os.fsync(file.fileno())
        if block:
            self.part.delete()
            said = f"the announced {total:,} bytes" if total is not None else _most(self.spec)
            raise TransferError(f"the server sends more than {said}", False)
        if total is not None and size < total:
            raise TransferError(f"the transfer stopped after {size:,} of {total:,} bytes", True)


# Transfers from one address, with retries as long as they may help.

_MEBIBYTE = 1 << 20
_BETWEEN_REPORTS = 5.0
_SHORTEST = 600.0
_SLOWEST = 1 << 15
"""Bytes per second."""


@dataclass(frozen=True)
class RetryPolicy:
    """Time limits, in seconds, and numbers of retries of a download.

    A broken transfer is retried at one address so many times in succession; the count restarts
    after a transfer of at least a mebibyte. The time before a retry doubles from ``backoff``. A
    transfer is broken after a silence of ``timeout``. An address is given up after ``time_limit``,
    even if bytes still arrive; by default after ten minutes plus a second per 32 KiB of the file's
    maximum size. Received bytes are kept.
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
    progress = _reporting(spec.name)
    failed = 0
    with Deadline(patience.seconds_for(spec)) as deadline:
        while True:
            before = part.size
            try:
                Transfer(url, part, spec, patience.timeout, deadline, progress).run()
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


def _reporting(name: str) -> Progress:
    """Return a function that reports a long transfer on standard error, every few seconds."""
    last = time.monotonic()

    def report(size: int, end: int | None) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < _BETWEEN_REPORTS:
            return
        last = now
        done = f"{size / _MEBIBYTE:.1f} MiB"
        if end:
            done = f"{size / _MEBIBYTE:.1f} of {end / _MEBIBYTE:.1f} MiB ({size / end:.0%})"
        print(f"{name}: {done}", file=sys.stderr, flush=True)

    return report
