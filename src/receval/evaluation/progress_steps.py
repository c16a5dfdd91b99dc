# SPDX-License-Identifier: MIT
"""How long work tells how far it is."""

from __future__ import annotations

from collections.abc import Callable

ProgressSteps = Callable[[str, int, int], None]
"""Is told what is done, how much of it is done, and how much there is."""
