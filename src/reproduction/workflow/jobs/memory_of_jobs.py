# SPDX-License-Identifier: MIT
"""The memory of jobs: what they share with the process they are forked from, and what they take.

Forking copies an entry for each page of memory, and the end of a process gives each one back. Of
the libraries that the fork server has loaded, there are sixty thousand pages of 4 KiB, and so a job
would begin and end with twenty milliseconds of the kernel's work. As pages of 2 MiB they are a
hundred. A job that writes to such a page copies 4 KiB of it, as ever.
"""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

KEPT = {
    "MALLOC_MMAP_THRESHOLD_": str(32 * 2**20),
    "MALLOC_TRIM_THRESHOLD_": str(64 * 2**20),
}
"""What a job takes for an array and gives back, it keeps for the next array, up to these bytes.

They are the values that glibc comes to by itself, from 128 KiB on, in a process that works for
long. Most jobs are too short for that, and would take and give back the same pages again and again.
"""

WITHOUT_THREADS = {"JE_ARROW_MALLOC_CONF": "background_thread:false"}
"""Keeps an allocator that pyarrow has from starting a thread, which does not go on in jobs anyway.

From 3.12 on, Python warns whenever a process forks that has threads.
"""

_MADV_COLLAPSE = 25
_SIZE = Path("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size")
_OWN = re.compile(rb"(?P<start>[0-9a-f]+)-(?P<end>[0-9a-f]+) rw-p \S+ 00:00 0 *(?:\[heap\])?")


def use_large_pages() -> None:
    """Put what this process has loaded into large pages, where Linux knows them (from 6.1 on)."""
    if not _SIZE.exists():
        return
    size = int(_SIZE.read_text(encoding="ascii"))
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    for line in Path("/proc/self/maps").read_bytes().splitlines():
        if own := _OWN.fullmatch(line):
            first = -(-int(own["start"], 16) // size) * size
            for address in range(first, int(own["end"], 16) - size + 1, size):
                # What has no page yet, or no room for a large one, stays as it is.
                madvise(address, size, _MADV_COLLAPSE)
