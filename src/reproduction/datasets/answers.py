# SPDX-License-Identifier: MIT
"""What a server says of the bytes it is about to send, and telling pages from files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPResponse
from pathlib import Path

from receval.storage.messages import escaped
from reproduction.datasets.connection import TransferError
from reproduction.datasets.spec import FileSpec

BEGINNING = 512
"""First bytes of a file by which a page is known."""

_MAGIC = {".zip": b"PK", ".gz": b"\x1f\x8b", ".tgz": b"\x1f\x8b"}
# Names of files that may hold what otherwise is a page or a message of an error.
_MARKUP = {".html", ".xml"}
_JSON = {".json", ".jsonl"}
_NUMBER = re.compile("[0-9]{1,18}")
_RANGE = re.compile(r"bytes ([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18}|\*)")
_UNSATISFIED = re.compile(r"bytes \*/([0-9]{1,18})")
# Timeouts, "too early" and "too many requests" go by; other refusals by the server do not.
_PASSING_REFUSALS = {408, 425, 429}


@dataclass(frozen=True)
class Extent:
    """Which bytes of a file an answer has: from the first, of so many in the whole file."""

    start: int
    total: int | None

    @classmethod
    def of_whole(cls, headers: Message, spec: FileSpec) -> Extent:
        """Read the headers of an answer that has the whole file."""
        total = _announced_length(headers)
        if total is None and not (spec.verifiable or spec.size or _is_chunked(headers)):
            raise TransferError(
                "the server does not tell the file's length, and without a size or checksum in "
                "config/datasets.yaml nobody can tell whether it is whole",
                False,
            )
        return cls(0, total)

    @classmethod
    def of_part(cls, headers: Message) -> Extent | None:
        """Read the headers of an answer that has a part; None if they do not tell which."""
        match = _RANGE.fullmatch(headers.get("Content-Range", ""))
        if match is None or match[3] == "*" or not int(match[1]) <= int(match[2]) < int(match[3]):
            return None
        return cls(int(match[1]), int(match[3]))


def size_of_unsatisfied(headers: Message) -> int | None:
    """Return the file's size as an answer tells it that has no byte of the range asked for."""
    match = _UNSATISFIED.fullmatch(headers.get("Content-Range", ""))
    return int(match[1]) if match else None


def refusal(response: HTTPResponse) -> TransferError:
    """Return what an answer means that brings no file."""
    said = f"{response.status} {escaped(response.reason)}".rstrip()
    if response.status == 206:
        said += ", a part of the file where the whole was asked for"
    passing = response.status >= 500 or response.status in _PASSING_REFUSALS
    return TransferError(f"the server answered {said}", passing)


def refuse_size(total: int | None, spec: FileSpec) -> None:
    """Refuse an answer whose announced size is not the file's, before a byte is kept.

    Raises
    ------
    TransferError
        If it is another size than expected or, where none is, more than is allowed.
    """
    if total is None:
        return
    if spec.size is not None and total != spec.size:
        raise TransferError(
            f"the server announces {total:,} bytes where {spec.size:,} are expected", False
        )
    if total > spec.most_bytes:
        raise TransferError(f"the server announces {total:,} bytes, more than {_most(spec)}", False)


def too_long(total: int | None, spec: FileSpec) -> TransferError:
    """Return what is said when more bytes came than were announced, or than are allowed."""
    most = f"the {total:,} bytes announced" if total is not None else _most(spec)
    return TransferError(f"the server sends more than {most}", False)


def refuse_headers(headers: Message, spec: FileSpec) -> None:
    """Tell an error page, or a file that was changed on the way, by its headers.

    Raises
    ------
    TransferError
        If the answer cannot be the file. Where a checksum decides, only what is certain is refused.
    """
    kind, suffix = headers.get_content_type(), Path(spec.name).suffix
    if kind in {"text/html", "application/xhtml+xml"} and suffix not in _MARKUP:
        raise TransferError("an HTML page came instead of the file", False)
    transfer = ", ".join(headers.get_all("Transfer-Encoding", ["identity"])).lower()
    if transfer not in {"chunked", "identity"}:
        raise TransferError(f"the Transfer-Encoding {escaped(transfer)} was not asked for", False)
    if spec.verifiable:
        return
    if kind.endswith(("/json", "+json")) and suffix not in _JSON:
        raise TransferError("a message in JSON came instead of the file", False)
    coding = ", ".join(headers.get_all("Content-Encoding", []))
    if not {name.strip().lower() for name in coding.split(",")} <= {"", "identity"}:
        raise TransferError(f"the Content-Encoding {escaped(coding)} was not asked for", False)


def refuse_page(first_bytes: bytes, spec: FileSpec) -> None:
    """Tell a page or message from a file by its first bytes, before it replaces anything."""
    suffix = Path(spec.name).suffix
    # Without its zeros, text in UTF-16 is known as text in UTF-8 is.
    text = first_bytes.replace(b"\0", b"")
    for mark in (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"):
        text = text.removeprefix(mark)
    text = text.lstrip()
    # No raw data begins like markup; a page may begin with a comment or a declaration.
    if text.startswith(b"<") and suffix not in _MARKUP:
        raise TransferError("an HTML page or other markup came instead of the file", False)
    magic = _MAGIC.get(suffix)
    if magic is not None and not first_bytes.startswith(magic):
        raise TransferError(f"what came is not a {suffix} file", False)
    if text.startswith((b"{", b"[")) and suffix not in _JSON and not spec.verifiable:
        raise TransferError("a message in JSON came instead of the file", False)
    if not text and len(first_bytes) == BEGINNING and not spec.verifiable:
        raise TransferError("what came begins with blanks alone, behind which may be a page", False)


def _announced_length(headers: Message) -> int | None:
    if _is_chunked(headers):
        return None  # Where there are both, the chunks count.
    lengths = {length.strip() for length in headers.get_all("Content-Length", [])}
    if not lengths:
        return None
    if len(lengths) > 1:
        raise TransferError("the server announces several lengths", False)
    (length,) = lengths
    if not _NUMBER.fullmatch(length):
        said = f"the Content-Length '{escaped(length)}'"
        raise TransferError(f"{said} is not a number of bytes", False)
    return int(length)


def _is_chunked(headers: Message) -> bool:
    return headers.get("Transfer-Encoding", "").lower() == "chunked"


def _most(spec: FileSpec) -> str:
    if spec.size is not None:
        return f"the {spec.size:,} bytes expected"
    return f"the {spec.size_limit:,} bytes that size_limit in config/datasets.yaml allows"
