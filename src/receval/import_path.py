# SPDX-License-Identifier: MIT
"""Libraries of Python and of the environment are found before what ``PYTHONPATH`` brings.

To be imported before anything else by whatever is started as a program.
"""

from __future__ import annotations

import os
import sys


def _environment_first() -> None:
    """Move what ``PYTHONPATH`` names behind the libraries of the environment.

    A ``random.py`` there, or a numpy of another Python, would be loaded in their place. What the
    environment lacks, such as a plugin, is still found, and so is this package where it is.
    """
    folders = os.environ.get("PYTHONPATH")
    if not folders or sys.flags.ignore_environment:
        return
    # No pathlib: it imports modules that may be anybody's as yet.
    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
    named = {os.path.abspath(folder) for folder in folders.split(os.pathsep)}  # noqa: PTH100
    sys.path.sort(key=(named - {own}).__contains__)


_environment_first()
