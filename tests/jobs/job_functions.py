# SPDX-License-Identifier: MIT
"""What the jobs of the tests do; their processes import this module by its name."""

from __future__ import annotations

import ctypes
import errno
import logging
import os
import sys
import threading
from pathlib import Path

_calls: list[str] = []


def write(*, text: str, target: Path) -> None:
    """Write a text, and say so in every way that a job may."""
    logging.getLogger("receval").info("writing %s", text)
    print("printed")
    os.write(2, b"written by compiled code\n")
    target.write_text(text, encoding="utf-8")


def count(*, target: Path) -> None:
    """Write how often this process has called this function."""
    _calls.append("called")
    print("counted")
    target.write_text(str(len(_calls)), encoding="utf-8")


def grow() -> None:
    """Keep more memory than a process may that does another job."""
    _calls.append("x" * 48 * 2**20)


def leave_a_thread() -> None:
    """Start a thread that outlives the job."""
    threading.Thread(target=threading.Event().wait, daemon=True).start()


def kept_memory(*, target: Path) -> None:
    """Write how much of its memory the C library keeps."""
    names = ("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_")
    target.write_text(" ".join(os.environ.get(name, "-") for name in names), encoding="utf-8")


def fail(*, message: str) -> None:
    raise ValueError(message)


def fail_strangely() -> None:
    raise KeyError("fold9")


def fill_the_disk(*, target: Path) -> None:
    try:
        raise OSError(errno.ENOSPC, "No space left on device", str(target))
    except OSError as error:
        raise RuntimeError("The archive could not be written") from error


def say_more_than_the_disk_takes(*, target: Path) -> None:
    """Leave words in the buffer of standard output, which can never be written."""
    sys.stdout = Path("/dev/full").open("w", encoding="utf-8")  # noqa: SIM115 - flushed at the end
    print("lost")
    target.touch()


def die(*, number: int) -> None:
    """Be killed from outside, so to say."""
    os.kill(os.getpid(), number)


def crash() -> None:
    """Read memory that is not there."""
    ctypes.string_at(0)


def leave() -> None:
    sys.exit(3)


def sleep(*, started: Path, seconds: float = 60.0) -> None:
    """Say that it has started, with its number, and sleep without releasing Python's lock."""
    started.write_text(str(os.getpid()), encoding="utf-8")
    ctypes.PyDLL(None).usleep(ctypes.c_uint(int(seconds * 1e6)))
