# SPDX-License-Identifier: MIT
"""A bar that shows how far long work is, where somebody looks."""

from __future__ import annotations

import sys
from typing import TextIO

_WIDTH = 30


class ProgressBar:
    """One line that is written over, to a terminal alone: logs and pipes stay clean.

    Parameters
    ----------
    stream : text file, optional
        By default the process's errors.

    Examples
    --------
    >>> from io import StringIO
    >>> class Terminal(StringIO):
    ...     def isatty(self):
    ...         return True
    >>> shown = Terminal()
    >>> ProgressBar(shown)("splits", 1, 2)
    >>> shown.getvalue().partition("[K")[2]
    'splits [###############...............] 1/2'
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = sys.stderr if stream is None else stream

    def __call__(self, what: str, done: int, of: int) -> None:
        """Show how much is done; a full bar goes away."""
        if not self.stream.isatty():
            return
        filled = _WIDTH * done // max(of, 1)
        bar = f"{what} [{'#' * filled}{'.' * (_WIDTH - filled)}] {done}/{of}"
        self.stream.write(f"\r\033[K{bar}" if done < of else "\r\033[K")
        self.stream.flush()
