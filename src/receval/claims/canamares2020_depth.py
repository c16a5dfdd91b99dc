"""Claims C-014 to C-019 of canamares2020: condensed lists within full ones, and depths."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from receval.claims.canamares2020_pairs import DEFAULT, ROLES, PairedComparison, Roles
from receval.claims.findings import Finding, Quantity

TOP = 10
"""The first ten items of the full list are its top."""

CONDENSED_RANKS = 3
"""So many items of the condensed list stand in it, according to the paper."""

SPAN = 50
"""More than so many ranks of the full list are covered, according to the paper."""


def claims_of_ranks(
    fig05: pd.DataFrame, movielens: str, roles: Roles = ROLES[DEFAULT]
) -> Iterator[Finding]:
    """Check C-014 to C-016 on figure 5, over the users who are the same at all ranks."""
    complete = fig05["evaluated_users"] == "complete"
    comparison = PairedComparison.of(
        fig05[complete & (fig05["dataset"] == movielens)], "depth", roles
    )
    findings = [
        Finding(
            "C-014",
            movielens,
            "The top three condensed items are on average in the top 10 of the full list",
            "mean rank at most 10 in just the first 3 places, both systems",
        ),
        Finding(
            "C-015",
            movielens,
            "A condensed list of 10 spans more than 50 places of the full one",
            "mean rank of the tenth above 50, both systems",
        ),
        Finding(
            "C-016",
            movielens,
            "The depth of the full list grows faster for MF",
            "larger growth from the first to the tenth place",
        ),
    ]
    if comparison is None or np.isnan([comparison.knn, comparison.mf]).any():
        yield from findings
        return
    sides = {"kNN": comparison.knn, "MF": comparison.mf}
    top, span, growth = findings
    counts = {name: int(np.count_nonzero(ranks <= TOP)) for name, ranks in sides.items()}
    third = min(CONDENSED_RANKS, len(comparison.x)) - 1
    yield top.checked(
        all(count == CONDENSED_RANKS for count in counts.values()),
        [
            *(Quantity(f"places within the top 10, {name}", n) for name, n in counts.items()),
            *(
                Quantity(f"mean rank of the third, {name}", float(r[third]))
                for name, r in sides.items()
            ),
        ],
    )
    yield span.checked(
        all(ranks[-1] > SPAN for ranks in sides.values()),
        [Quantity(f"mean rank of the last, {n}", float(r[-1])) for n, r in sides.items()],
    )
    grown = {name: float(ranks[-1] - ranks[0]) for name, ranks in sides.items()}
    yield growth.checked(
        grown["MF"] > grown["kNN"],
        [Quantity(f"growth, {name}", number) for name, number in grown.items()],
    )


def claims_of_depth(
    fig06: pd.DataFrame,
    movielens: str,
    netflix: str,
    fewer_neighbours: str,
    roles: Roles = ROLES[DEFAULT],
) -> Iterator[Finding]:
    """Check C-017 to C-019 on figure 6.

    Parameters
    ----------
    fig06 : DataFrame
    movielens, netflix : str
        Names of datasets.
    fewer_neighbours : str
        Name of the experiment on Netflix with fewer neighbours.
    roles : mapping of str to str
        Which systems are kNN and MF.
    """
    other = fig06["experiment"] == fewer_neighbours
    on_movielens = PairedComparison.of(fig06[fig06["dataset"] == movielens], "cutoff", roles)
    on_netflix = PairedComparison.of(fig06[(fig06["dataset"] == netflix) & ~other], "cutoff", roles)
    few = PairedComparison.of(fig06[other], "cutoff", roles)
    finding = Finding(
        "C-017",
        movielens,
        "nDCG@d: kNN is better at small depths, MF overtakes it",
        "kNN ahead at the smallest depth, MF at the largest, one change",
    )
    yield (
        finding
        if on_movielens is None
        else finding.checked(overtaken(on_movielens), changes_of(on_movielens))
    )
    finding = Finding(
        "C-018",
        netflix,
        "nDCG@d: the comparison is not sensitive to the depth",
        "the same system ahead at all depths",
    )
    yield (
        finding
        if on_netflix is None
        else finding.checked(on_netflix.changes == 0, changes_of(on_netflix))
    )
    finding = Finding(
        "C-019",
        netflix,
        "nDCG@d with k = 100 at ratio .8: a crossover",
        "another system ahead at other depths",
    )
    yield finding if few is None else finding.checked(few.changes > 0, changes_of(few))


def overtaken(comparison: PairedComparison) -> bool:
    """Whether kNN is ahead at first and MF from some point on."""
    return bool(
        comparison.difference[0] > 0 > comparison.difference[-1] and comparison.changes == 1
    )


def changes_of(comparison: PairedComparison) -> list[Quantity]:
    """Return how often the other system gets ahead, and the differences at the round depths."""
    first, last = float(comparison.x[0]), float(comparison.x[-1])
    behind = np.flatnonzero(np.sign(comparison.difference) != np.sign(comparison.difference[0]))
    crossing = (
        [Quantity("first depth after a change", float(comparison.x[behind[0]]))]
        if len(behind)
        else []
    )
    return [
        Quantity("changes of the leader", comparison.changes),
        *crossing,
        *comparison.ahead(at=sorted({first, 10.0, last})),
    ]
