# SPDX-License-Identifier: MIT
"""Put Python's own libraries and the environment's before ``PYTHONPATH`` on the import path.

Every program must import this module before anything else.
"""

from __future__ import annotations

import os
import sys


def _environment_first() -> None:
    """Move the entries of ``PYTHONPATH`` after the libraries of the environment.

    Otherwise a ``random.py`` there, or a numpy of another Python, would be loaded instead. What the
    environment lacks, such as a plugin, is still found, and so is this package.
    """
    folders = os.environ.get("PYTHONPATH")
    if not folders or sys.flags.ignore_environment:
        return
    # pathlib imports modules that ``PYTHONPATH`` may still replace, so it is not used.
    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
    named = {os.path.abspath(folder) for folder in folders.split(os.pathsep)}  # noqa: PTH100
    sys.path.sort(key=(named - {own}).__contains__)


_environment_first()
