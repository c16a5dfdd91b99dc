"""What varies along the x axes of bellogin2017's figures 3 and 4, as their CSVs name it."""

from __future__ import annotations

KEPT = "test ratings"
"""The share of the test ratings that is kept."""

SIZE = "target set size"
"""The number of target items of a 1R list."""
