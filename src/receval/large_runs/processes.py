# SPDX-License-Identifier: MIT
"""Run functions in several processes at a time, each on one thread."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

Found = TypeVar("Found")

# Options of the function mallopt of glibc.
_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1
_MOST_KEPT = 1 << 30


def keep_freed_memory() -> None:
    """Let this process and its child processes keep the memory of a row group for the next one.

    Otherwise Arrow and the C library return it to the system, which clears it each time. It has to
    be called before anything imports pyarrow; a value of the variable that is already set is kept.
    """
    os.environ.setdefault("MIMALLOC_PURGE_DELAY", "-1")
    set_option = getattr(ctypes.CDLL(None), "mallopt", None) if os.name == "posix" else None
    if set_option is not None:
        for option in (_MMAP_THRESHOLD, _TRIM_THRESHOLD):
            set_option(option, _MOST_KEPT)


def in_processes(
    tasks: Sequence[Callable[[], Found]],
    jobs: int,
    finish: Callable[[int], object] | None = None,
) -> list[Found]:
    """Return what tasks return, in their order; ``finish`` is called with the number done.

    With one job or one task, all run in this process. If one fails, its error is raised, and those
    that have not begun are left out. A process that is ended from outside raises a RuntimeError.
    """
    told = finish or (lambda _: None)
    if jobs == 1 or len(tasks) <= 1:
        found = []
        for number, task in enumerate(tasks):
            found.append(task())
            told(number + 1)
        return found
    context = multiprocessing.get_context("fork")
    pool = ProcessPoolExecutor(min(jobs, len(tasks)), mp_context=context)
    try:
        futures = [pool.submit(task) for task in tasks]
        for number, future in enumerate(as_completed(futures)):
            future.result()
            told(number + 1)
        return [future.result() for future in futures]
    except BrokenProcessPool:
        raise RuntimeError(
            "A process was ended from outside, perhaps for lack of memory. What was finished is "
            "kept: repeat the call, with fewer jobs or smaller blocks."
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)
