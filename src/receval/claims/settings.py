"""Claims C-001 to C-004 and C-037 of canamares2020: the data, and what is only configured."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from receval.claims.findings import CONFIGURED, Finding, Quantity
from receval.storage.files import real_values

FEW_RATINGS = 100
ABOUT = 0.05
"""A share is about another if it differs by no more."""


def claims_of_users_and_items(fig01: pd.DataFrame, dataset: str) -> Iterator[Finding]:
    """Check C-001 and C-002 on figure 1."""
    for claim, side, published in (("C-001", "user", 0.5), ("C-002", "item", 0.45)):
        finding = Finding(
            claim,
            dataset,
            f"About {published:.0%} of the {side}s have 100 ratings or less",
            f"within {ABOUT:g} of {published:g}",
        )
        rows = fig01[(fig01["dataset"] == dataset) & (fig01["side"] == side)]
        # A curve that ends before has reached 1.
        below = rows[rows["ratings"] <= FEW_RATINGS]
        if below.empty:
            yield finding
            continue
        share = float(real_values(below.sort_values("ratings")["share"])[-1])
        yield finding.checked(abs(share - published) <= ABOUT, [Quantity("share", share)])


def claims_of_settings(movielens: str, netflix: str) -> Iterator[Finding]:
    """Return C-003, C-004 and C-037, which no number decides."""
    yield Finding(
        "C-003",
        movielens,
        "kNN: k = 100; MF: 50 factors, lambda 1, alpha .1, 20 iterations",
        "MF (text) has these; MF has lambda .1 and alpha 1, as RankSys' example file",
        CONFIGURED,
    )
    yield Finding("C-004", netflix, "kNN: k = 1,000", "as configured", CONFIGURED)
    for dataset in (movielens, netflix):
        yield Finding(
            "C-037",
            dataset,
            "MF is a horizontal line",
            "as configured: MF has no minimum overlap, so it is measured once",
            CONFIGURED,
        )
