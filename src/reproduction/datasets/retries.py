# SPDX-License-Identifier: MIT
"""Transfers from one address, tried again for as long as that may help."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from reproduction.datasets.checksums import mismatch
from reproduction.datasets.connection import Deadline, TransferError
from reproduction.datasets.partial_file import PartialFile
from reproduction.datasets.spec import FileSpec
from reproduction.datasets.transfer import transfer

_MEBIBYTE = 1 << 20
_SHORTEST = 600.0
_SLOWEST = 1 << 15
"""Bytes a second."""


@dataclass(frozen=True)
class Patience:
    """How long a download is waited for, and how often it is tried.

    Attributes
    ----------
    retries : int
        How often in a row a broken transfer is tried again at one address; after one that
        brought at least a mebibyte, the count starts anew.
    backoff : float
        Seconds before the first of them; each further one waits twice as long.
    timeout : float
        Seconds of silence after which a transfer counts as broken.
    time_limit : float or None
        Seconds after which an address is left, however steadily its bytes come; None gives ten
        minutes, and a second for each 32 KiB that the file may have. What had come is kept.
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
        # Timers take no longer ones.
        return min(_SHORTEST + spec.most_bytes / _SLOWEST, threading.TIMEOUT_MAX)


def fetch_from(
    url: str, spec: FileSpec, part: PartialFile, recorded: str | None, patience: Patience
) -> None:
    """Fill a partial file from one address until it is complete and right."""
    progress = _Progress(spec.name)
    failed = 0
    with Deadline(patience.seconds_for(spec)) as deadline:
        while True:
            before = part.size
            try:
                transfer(url, part, spec, patience.timeout, deadline, progress)
            except TransferError as error:
                # A slow line that breaks now and then still gets the file, piece by piece.
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
                raise TransferError(f"the file that came is not the known one: {problem}", False)
            # The bytes continued may have been those of an older version: once more, from nothing.


class _Progress:
    """Reports a long transfer on standard error, a line every few seconds."""

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
