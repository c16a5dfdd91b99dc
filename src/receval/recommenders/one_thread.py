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
    """Hold linear algebra and OpenMP to one thread inside a ``with`` block."""
    with _controller(len(sys.modules)).limit(limits=1):
        yield


def find_threads() -> None:
    """Look for the libraries that have threads, before this process or one forked from it trains.

    The first search of all takes as long as training a small system.
    """
    _controller(len(sys.modules))


@lru_cache(maxsize=1)
def _controller(n_modules: int) -> ThreadpoolController:
    """Find the loaded libraries that have threads, again where more modules have come.

    Only modules load such libraries.
    """
    return ThreadpoolController()
