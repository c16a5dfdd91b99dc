"""The designs of bellogin2017's figure 8 by their names in the paper."""

from __future__ import annotations

ONE_RELEVANT = ("1R", "-10% head", "U1R", "P1R")
"""Designs with one relevant item a list, in the order of the figure."""

ALL_RELEVANT = ("AR", "UAR", "AI-UAR")
"""Designs with all relevant items of a user in one list."""


def design_of(protocol: str, uniform: bool) -> str:
    """Return the paper's name of a protocol, on a uniform test or on another split."""
    relevant, candidates = protocol.split()[:2]
    if protocol.endswith("head"):
        return protocol.split(maxsplit=2)[2]
    if not uniform:
        # AR with all candidates is no design of the figure.
        return protocol if (relevant, candidates[-2:]) == ("AR", "AN") else relevant
    return f"AI-U{relevant}" if candidates.startswith("AI") else f"U{relevant}"
