"""How often Python looks for garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


def collect_rarely() -> None:
    """Look for cyclic garbage less often than Python does by itself.

    A plan of several hundred jobs makes millions of objects, nearly all of which stay; looking
    through them again and again takes a fifth of the time of a dry run. What is garbage is still
    found, after some megabytes more of it.
    """
    gc.set_threshold(100_000, 20, 10)


@contextmanager
def collection_put_off() -> Iterator[None]:
    """Look for no cyclic garbage inside a ``with`` block.

    For work of a second or two that makes many objects, such as drawing a figure, which is a
    quarter faster so. After the block all is as it was before.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
