# SPDX-License-Identifier: MIT
"""Start Python without the current folder on its path.

A run may be in a folder with a file such as ``random.py`` or ``pyarrow.py``, which would be
imported instead of the library.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

SAFE_PYTHON = (sys.executable, "-P")
"""The beginning of a command that starts Python in this way."""


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
