# SPDX-License-Identifier: MIT
"""Starting Python without the current folder on its path.

A run may be in a folder with anybody's files, and one named ``random.py`` or ``pyarrow.py`` would
be executed in place of the library.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

SAFE_PYTHON = (sys.executable, "-P")
"""The first words of a command that starts it."""


@contextmanager
def safe_path() -> Iterator[None]:
    """Start Python so inside the block, where others choose the words of the command."""
    variable = "PYTHONSAFEPATH"
    before = os.environ.get(variable)
    os.environ[variable] = "1"
    try:
        yield
    finally:
        del os.environ[variable]
        if before is not None:
            os.environ[variable] = before
