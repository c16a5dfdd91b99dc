# SPDX-License-Identifier: MIT
"""How the Python processes of a run are started, and how they use memory."""

from __future__ import annotations

import atexit
import ctypes
import gc
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SAFE_PYTHON = (sys.executable, "-P")
"""The beginning of a command that starts Python without the current folder on its path.

A run may be in a folder with a file such as ``random.py`` or ``pyarrow.py``, which would be
imported instead of the library.
"""


@contextmanager
def safe_path() -> Iterator[None]:
    """Do the same inside the block for commands that other code builds."""
    variable = "PYTHONSAFEPATH"
    before = os.environ.get(variable)
    os.environ[variable] = "1"
    try:
        yield
    finally:
        del os.environ[variable]
        if before is not None:
            os.environ[variable] = before


def collect_rarely() -> None:
    """Collect cyclic garbage less often than by default, and not at all at exit.

    A plan of several hundred jobs makes millions of objects, nearly all of which stay. Scanning
    them repeatedly takes a fifth of the time of a dry run. Garbage is still found, only after some
    more megabytes of it. The scans at exit take another fifth and are not needed, because the
    system takes the memory back at once.
    """
    gc.set_threshold(100_000, 20, 10)
    # Register it only once, whoever else has done so.
    atexit.unregister(gc.freeze)
    atexit.register(gc.freeze)


# The cost of memory in forked jobs. Forking copies an entry for each page of memory, and the end of
# a process frees each one. The libraries in the fork server take sixty thousand pages of 4 KiB,
# which cost each job twenty milliseconds, but only a hundred pages of 2 MiB. A job that writes to a
# large page still copies only 4 KiB of it.

KEPT = {"MALLOC_MMAP_THRESHOLD_": str(32 * 2**20), "MALLOC_TRIM_THRESHOLD_": str(64 * 2**20)}
"""glibc's thresholds, in bytes, below which a job keeps freed memory for the next array.

glibc itself reaches these values in long processes, starting from 128 KiB. Most jobs are too short
for that, and would allocate and free the same pages repeatedly.
"""

WITHOUT_THREADS = {"JE_ARROW_MALLOC_CONF": "background_thread:false"}
"""Keeps pyarrow's allocator from starting a thread, which would not run in jobs anyway.

From 3.12 on, Python warns whenever a process with threads forks.
"""

_MADV_COLLAPSE = 25
_SIZE = Path("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size")
_OWN = re.compile(rb"(?P<start>[0-9a-f]+)-(?P<end>[0-9a-f]+) rw-p \S+ 00:00 0 *(?:\[heap\])?")


def use_large_pages() -> None:
    """Move the memory of this process to large pages, where Linux supports it (from 6.1 on)."""
    if not _SIZE.exists():
        return
    size = int(_SIZE.read_text(encoding="ascii"))
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    for line in Path("/proc/self/maps").read_bytes().splitlines():
        if own := _OWN.fullmatch(line):
            first = -(-int(own["start"], 16) // size) * size
            for address in range(first, int(own["end"], 16) - size + 1, size):
                # Memory that cannot be moved to a large page stays as it is.
                madvise(address, size, _MADV_COLLAPSE)
