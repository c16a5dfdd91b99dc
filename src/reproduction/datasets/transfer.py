# SPDX-License-Identifier: MIT
"""One HTTP transfer into a partial file that a later transfer can continue."""

from __future__ import annotations

import os
from collections.abc import Callable
from http import HTTPStatus
from http.client import HTTPResponse

from reproduction.datasets.answers import (
    BEGINNING,
    Extent,
    refusal,
    refuse_headers,
    refuse_page,
    refuse_size,
    size_of_unsatisfied,
    too_long,
)
from reproduction.datasets.connection import Deadline, TransferError, open_address, read_some
from reproduction.datasets.partial_file import PartialFile, Version
from reproduction.datasets.spec import FileSpec

Progress = Callable[[int, int | None], None]

# Bytes received before they are written and told of: some hundred blocks a second of a fast line.
_BLOCK = 1 << 18
_OF_A_PART = (HTTPStatus.PARTIAL_CONTENT, HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE)
_HEADERS = {"User-Agent": "receval", "Accept-Encoding": "identity"}


def transfer(
    url: str,
    part: PartialFile,
    spec: FileSpec,
    timeout: float,
    deadline: Deadline,
    progress: Progress,
) -> None:
    """Transfer one file, continuing where an earlier transfer stopped if the server can.

    Parameters
    ----------
    part : PartialFile
        Where the bytes go; what it already holds is continued, or replaced if the server sends
        the whole file.
    spec : FileSpec
        What is known of the file. Without a checksum, only a version that the server itself
        confirms to be unchanged is continued.
    progress : callable
        Called with the bytes there are and the bytes there will be (None if unknown).

    Raises
    ------
    TransferError
        If the server cannot be reached, refuses, sends something else than the file or more than
        it may have, or stops early. The bytes received so far stay in the partial file.
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
                # Of another version, or of another file: what had arrived is of no use.
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
    """Append what is still missing; return False if the whole file is to be asked for."""
    now = Version.read(response.headers.get)
    same = not version.contradicts(now)
    if response.status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
        # If all bytes had arrived before the transfer was interrupted, there is none to ask for.
        return same and size_of_unsatisfied(response.headers) == offset
    if response.status != HTTPStatus.PARTIAL_CONTENT:
        refused = refusal(response)
        if refused.passing:
            raise refused
        # Of the part alone, perhaps: one that is there must not be in the way for ever.
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
        raise TransferError("the file that came is empty", True)
    refuse_page(beginning, spec)
    # Emptied before the note: what is there never has the name of another version.
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
