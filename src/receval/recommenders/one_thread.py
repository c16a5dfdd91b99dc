# SPDX-License-Identifier: MIT
"""Train on one thread, so that the results do not depend on the number of threads."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from threadpoolctl import ThreadpoolController


@contextmanager
def on_one_thread() -> Iterator[None]:
    """Limit linear algebra and OpenMP to one thread inside a ``with`` block."""
    with _controller(len(sys.modules)).limit(limits=1):
        yield


def find_threads() -> None:
    """Find the multi-threaded libraries before this process, or one forked from it, trains.

    The first search takes as long as training a small system.
    """
    _controller(len(sys.modules))


@lru_cache(maxsize=1)
def _controller(n_modules: int) -> ThreadpoolController:
    """Find the loaded multi-threaded libraries, again if more modules were imported.

    Such libraries are loaded only by modules.
    """
    return ThreadpoolController()
