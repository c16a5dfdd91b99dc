"""The colours of what a comparison of two systems says, the same in all figures."""

from __future__ import annotations

from receval.figures.style import COLOURS

FIRST_WINS = COLOURS[0]
SECOND_WINS = COLOURS[3]

NO_WINNER = "#C4C4C4"
"""Lighter than both others: print in greys tells it from them, and their places tell these."""
