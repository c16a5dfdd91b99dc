# SPDX-License-Identifier: MIT
"""The callback with which long computations report progress."""

from __future__ import annotations

from collections.abc import Callable

ProgressSteps = Callable[[str, int, int], None]
"""Called with what is being done, how much is done, and how much there is."""
