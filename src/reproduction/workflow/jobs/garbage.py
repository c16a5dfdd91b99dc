# SPDX-License-Identifier: MIT
"""How often a run looks for garbage."""

from __future__ import annotations

import atexit
import gc


def collect_rarely() -> None:
    """Look for cyclic garbage less often than Python does by itself, and not at all at the end.

    A plan of several hundred jobs makes millions of objects, nearly all of which stay, and so do
    the modules that are imported for it; looking through them again and again takes a fifth of the
    time of a dry run. What is garbage is still found, after some megabytes more of it. When it
    ends, Python looks through everything several times, which takes another fifth: the system
    takes the memory back at once.
    """
    gc.set_threshold(100_000, 20, 10)
    # Once, whoever else has asked for it.
    atexit.unregister(gc.freeze)
    atexit.register(gc.freeze)
