"""Claims C-001 to C-013 and C-037 of canamares2020: the data, the start, other train ratios."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.claims.canamares2020_pairs import DEFAULT, ROLES, PairedComparison, Roles, rises
from receval.claims.findings import CONFIGURED, Finding, Quantity
from receval.metrics.labels import metric_name
from receval.storage.files import real_values

FEW_RATINGS_OF_A_USER = 100
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
        below = rows[rows["ratings"] <= FEW_RATINGS_OF_A_USER]
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


START = 0.5
"""The train ratio of the starting configuration."""

SLIGHTLY = 0.05
"""A system is slightly better if its value is at most this share above the other's."""

AROUND = 0.1
"""A ratio is around .5 if it is no farther away."""

_ROUNDING = 1e-9


def claims_of_the_start(
    table2: pd.DataFrame, movielens: str, netflix: str, roles: Roles = ROLES[DEFAULT]
) -> Iterator[Finding]:
    """Check C-005 and C-006 on table 2."""
    margins: dict[str, dict[str, Quantity]] = {}
    for dataset in (movielens, netflix):
        finding = Finding(
            "C-005",
            dataset,
            "MF is slightly better than kNN in P@10 and nDCG@10",
            f"MF ahead in both, by at most {SLIGHTLY:.0%} of kNN",
        )
        margins[dataset] = relative_margins(table2[table2["dataset"] == dataset], roles)
        quantities = list(margins[dataset].values())
        if not quantities:
            yield finding
            continue
        slight = all(0 < quantity.number <= SLIGHTLY for quantity in quantities)
        yield finding.checked(slight, quantities)
    finding = Finding(
        "C-006",
        f"{movielens} and {netflix}",
        "The margin of MF is slightly higher on Netflix",
        "larger relative margin on Netflix in both metrics",
    )
    if not all(margins.values()):
        yield finding
        return
    pairs = [(margins[movielens][m], margins[netflix][m]) for m in margins[movielens]]
    yield finding.checked(
        all(larger.number > smaller.number for smaller, larger in pairs),
        [
            Quantity(quantity.name, quantity.number, quantity.p_value, f"on {name}")
            for pair in pairs
            for name, quantity in zip(("MovieLens", "Netflix"), pair, strict=True)
        ],
    )


def relative_margins(rows: pd.DataFrame, roles: Roles) -> dict[str, Quantity]:
    """Return by how much MF is ahead of kNN, as a share of kNN's value, by metric."""
    margins = {}
    for label in dict.fromkeys(rows["metric"]):
        comparison = PairedComparison.of(
            rows[rows["metric"] == label].assign(only=0), "only", roles
        )
        if comparison is not None:
            margin = float(-comparison.difference[0] / comparison.knn[0])
            name = f"(MF - kNN)/kNN in {metric_name(label)}"
            margins[label] = Quantity(name, margin, float(comparison.p_values[0]))
    return margins


def claims_of_ratios(
    figures: Mapping[str, pd.DataFrame],
    movielens: str,
    netflix: str,
    roles: Roles = ROLES[DEFAULT],
) -> Iterator[Finding]:
    """Check C-007 to C-013 on figures 2 to 4, by their names."""
    for dataset in (movielens, netflix):

        def comparison(
            name: str, users: str = "tested", dataset: str = dataset
        ) -> PairedComparison | None:
            results = figures[name]
            chosen = (results["dataset"] == dataset) & (results["evaluated_users"] == users)
            return PairedComparison.of(results[chosen], "train_ratio", roles)

        full, unrated, condensed = (comparison(name) for name in ("fig02", "fig03", "fig04"))
        yield reversal(
            Finding(
                "C-007",
                dataset,
                "kNN outperforms MF at small train ratios, MF kNN above .5",
                "kNN ahead at all ratios below .5, MF at all above",
            ),
            full,
        )
        yield _peak(dataset, full)
        yield _never_below_half(dataset, unrated)
        yield _u_shape(dataset, unrated)
        yield _steady_rise(dataset, condensed, comparison("fig04", "relevant"))
        if dataset == netflix:
            yield no_crossover(
                Finding(
                    "C-012",
                    dataset,
                    "Condensed: the comparison is not sensitive to the train ratio",
                    "the same system ahead at all ratios",
                ),
                condensed,
            )
        else:
            yield reversal(
                Finding(
                    "C-013",
                    dataset,
                    "Condensed: kNN is better where there are more test than training ratings",
                    "kNN ahead at all ratios below .5, MF at all above",
                ),
                condensed,
            )


def reversal(finding: Finding, comparison: PairedComparison | None) -> Finding:
    """Decide that kNN is ahead wherever the axis is below .5, and MF wherever it is above."""
    if comparison is None:
        return finding
    below, above = comparison.x < START - _ROUNDING, comparison.x > START + _ROUNDING
    holds = (comparison.difference[below] > 0).all() and (comparison.difference[above] < 0).all()
    return finding.checked(holds, comparison.ahead())


def no_crossover(finding: Finding, comparison: PairedComparison | None) -> Finding:
    """Decide that the same system is ahead everywhere."""
    if comparison is None:
        return finding
    return finding.checked(comparison.changes == 0, comparison.ahead())


def _peak(dataset: str, comparison: PairedComparison | None) -> Finding:
    finding = Finding(
        "C-008", dataset, "nDCG@10 peaks around .5", "largest at .4, .5 or .6, both systems"
    )
    if comparison is None:
        return finding
    peaks = [float(comparison.x[np.argmax(values)]) for values in (comparison.knn, comparison.mf)]
    return finding.checked(
        all(abs(peak - START) <= AROUND + _ROUNDING for peak in peaks),
        [
            Quantity(f"ratio of the peak, {name}", peak)
            for name, peak in zip(("kNN", "MF"), peaks, strict=True)
        ],
    )


def _never_below_half(dataset: str, comparison: PairedComparison | None) -> Finding:
    finding = Finding(
        "C-009",
        dataset,
        "The unrated share of the top 10 is never below 50%",
        "smallest share at least .5, both systems",
    )
    if comparison is None:
        return finding
    lowest = [
        Quantity("lowest, kNN", float(comparison.knn.min())),
        Quantity("lowest, MF", float(comparison.mf.min())),
    ]
    return finding.checked(
        all(quantity.number >= START for quantity in lowest), [*lowest, *comparison.values()]
    )


def u_shaped(series: NDArray[np.float64]) -> bool:
    """Whether a series falls at every step up to an inner point, and rises from it on."""
    lowest = int(np.argmin(series))
    inside = 0 < lowest < len(series) - 1
    return inside and rises(series[: lowest + 1][::-1]) and rises(series[lowest:])


def _u_shape(dataset: str, comparison: PairedComparison | None) -> Finding:
    finding = Finding(
        "C-010",
        dataset,
        "The unrated share is larger at small and at large ratios",
        "falls, then rises, both systems",
    )
    if comparison is None:
        return finding
    points = (float(comparison.x[0]), START, float(comparison.x[-1]))
    return finding.checked(
        u_shaped(comparison.knn) and u_shaped(comparison.mf), comparison.values(points)
    )


def _steady_rise(
    dataset: str, comparison: PairedComparison | None, of_relevant: PairedComparison | None
) -> Finding:
    finding = Finding(
        "C-011",
        dataset,
        "Condensed: nDCG@10 rises steadily with the train ratio",
        "rises at every step, both systems, over all users with test ratings",
    )
    if comparison is None or of_relevant is None:
        return finding
    # Users without a relevant test rating count 0 in the paper's mean; our numbers of the others
    # tell how much of a fall is theirs.
    others = [
        replace(quantity, name=f"{quantity.name}, users with relevant test ratings alone")
        for quantity in of_relevant.values()
    ]
    return finding.checked(
        rises(comparison.knn) and rises(comparison.mf), [*comparison.values(), *others]
    )
