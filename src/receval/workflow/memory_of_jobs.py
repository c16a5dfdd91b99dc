# SPDX-License-Identifier: MIT
"""The memory that jobs share with the process that they are forked from: in pages that are few.

Forking copies an entry for each page of memory, and the end of a process gives each one back. Of
the libraries that the fork server has loaded, there are sixty thousand pages of 4 KiB, and so a job
would begin and end with twenty milliseconds of the kernel's work. As pages of 2 MiB they are a
hundred. A job that writes to such a page copies 4 KiB of it, as ever.
"""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

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
