"""Claims C-020 to C-027 of canamares2020: gains, metrics of order, and aggregations."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from receval.claims.canamares2020_pairs import DEFAULT, ROLES, PairedComparison, Roles
from receval.claims.findings import Finding, Quantity
from receval.metrics.labels import metric_name
from receval.statistics.pairs import LEVEL
from receval.storage.files import real_values

PUBLISHED_R = 0.962
PUBLISHED_P = (1.769e-6, 1.653e-4)
"""Of the t-test of logarithms of P@10 and nDCG@10."""

MAGNITUDE = 10.0
"""P-values agree if one is at most so many times the other."""

WEIGHTED_MEANS = ("test-weighted", "positive-weighted")


def claims_of_metrics(
    table3: pd.DataFrame, dataset: str, roles: Roles = ROLES[DEFAULT]
) -> Iterator[Finding]:
    """Check C-020 to C-022 on table 3."""
    rows = table3[table3["dataset"] == dataset]
    names = [metric_name(label) for label in rows["metric"]]
    rows = rows.assign(name=names, only=0)

    def comparison(form: str, name: str, gain: str) -> PairedComparison | None:
        chosen = (rows["list_form"] == form) & (rows["name"] == name) & (rows["gain"] == gain)
        return PairedComparison.of(rows[chosen], "only", roles)

    by_gain = [
        (f"{name}, {gain}", gain, comparison("full", name, gain))
        for name in ("nDCG@10", "RBP")
        for gain in ("g1", "g2")
    ]
    finding = Finding(
        "C-020",
        dataset,
        "MF is better with the binary gain g1, kNN with the exponential gain g2",
        "MF ahead with g1 and kNN with g2, in nDCG@10 and RBP on full lists",
    )
    yield _by_rule(
        finding,
        [(name, one) for name, _, one in by_gain],
        [1 if gain == "g2" else -1 for _, gain, _ in by_gain],
    )
    of_order = [(name, comparison("condensed", name, "none")) for name in ("RBO", "Kendall's tau")]
    finding = Finding(
        "C-021",
        dataset,
        "Condensed lists of kNN are more similar to the order of test ratings",
        "kNN ahead in RBO and in Kendall's tau",
    )
    yield _by_rule(finding, of_order, [1, 1])
    finding = Finding(
        "C-022",
        dataset,
        "No significant difference in nDCG@10 and in RBP with g1",
        f"p >= {LEVEL:g} in both, on full lists",
    )
    yield _insignificant(
        finding, [(f"{name}, g1", comparison("full", name, "g1")) for name in ("nDCG@10", "RBP")]
    )


def claims_of_aggregation(
    table4: pd.DataFrame, dataset: str, roles: Roles = ROLES[DEFAULT]
) -> Iterator[Finding]:
    """Check C-023 to C-027 on table 4."""
    rows = table4[table4["dataset"] == dataset]
    values = rows[rows["statement"] == ""].assign(only=0)
    metrics = list(dict.fromkeys(values["metric"]))

    def comparison(metric: str, aggregation: str) -> PairedComparison | None:
        chosen = (values["metric"] == metric) & (values["aggregation"] == aggregation)
        # The default epsilon comes first.
        return PairedComparison.of(values[chosen].drop_duplicates("system"), "only", roles)

    compared = [
        (f"{metric_name(metric)}, {aggregation}", aggregation, comparison(metric, aggregation))
        for metric in metrics
        for aggregation in ("mean", *WEIGHTED_MEANS)
    ]
    finding = Finding(
        "C-023",
        dataset,
        "Weighting by test or positive ratings reverses the comparison of means",
        "MF ahead by the mean, kNN under both weights, in both metrics",
    )
    yield _by_rule(
        finding,
        [(name, one) for name, _, one in compared],
        [-1 if aggregation == "mean" else 1 for _, aggregation, _ in compared],
    )
    yield _higher(dataset, compared)
    yield _correlation(dataset, rows[rows["statement"] != ""])
    finding = Finding(
        "C-026",
        dataset,
        "P-values of the t-test of logarithms: 1.769e-6 (P@10) and 1.653e-4 (nDCG@10)",
        f"ours within a factor of {MAGNITUDE:g}, epsilon = 1e-5",
    )
    yield _logarithms(finding, [(metric_name(m), comparison(m, "geometric")) for m in metrics])
    finding = Finding(
        "C-027",
        dataset,
        "No significant difference in P@10 weighted by test ratings",
        f"p >= {LEVEL:g}",
    )
    yield _insignificant(
        finding,
        [(metric_name(m), comparison(m, WEIGHTED_MEANS[0])) for m in metrics if m == "P@10"],
    )


def _by_rule(
    finding: Finding, comparisons: list[tuple[str, PairedComparison | None]], signs: list[int]
) -> Finding:
    """Decide that the sign of each difference of kNN and MF is as expected."""
    found = [(name, comparison) for name, comparison in comparisons if comparison is not None]
    if not found or len(found) < len(signs):
        return finding
    holds = all(
        np.sign(comparison.difference[0]) == sign
        for (_, comparison), sign in zip(found, signs, strict=True)
    )
    return finding.checked(holds, _differences(found))


def _differences(comparisons: list[tuple[str, PairedComparison]]) -> list[Quantity]:
    return [
        Quantity(
            "kNN - MF", float(comparison.difference[0]), float(comparison.p_values[0]), f"in {name}"
        )
        for name, comparison in comparisons
    ]


def _insignificant(
    finding: Finding, comparisons: list[tuple[str, PairedComparison | None]]
) -> Finding:
    found = [(name, comparison) for name, comparison in comparisons if comparison is not None]
    if not found:
        return finding
    return finding.checked(
        all(comparison.p_values[0] >= LEVEL for _, comparison in found), _differences(found)
    )


def _higher(dataset: str, compared: list[tuple[str, str, PairedComparison | None]]) -> Finding:
    finding = Finding(
        "C-024",
        dataset,
        "Absolute values rise when users are weighted by their ratings",
        "both weighted means above the mean, both metrics and systems",
    )
    higher, quantities = [], []
    mean: PairedComparison | None = None
    for name, aggregation, comparison in compared:
        if comparison is None:
            return finding
        if aggregation == "mean":
            mean = comparison
        elif mean is not None:
            higher += [comparison.knn[0] > mean.knn[0], comparison.mf[0] > mean.mf[0]]
        quantities += [
            Quantity("kNN", float(comparison.knn[0]), position=f"in {name}"),
            Quantity("MF", float(comparison.mf[0]), position=f"in {name}"),
        ]
    return finding.checked(all(higher), quantities) if higher else finding


def _correlation(dataset: str, statements: pd.DataFrame) -> Finding:
    finding = Finding(
        "C-025",
        dataset,
        "Pearson's r of a user's numbers of ratings and of positive ratings is .962",
        ".962 by user",
    )
    if statements.empty:
        return finding
    coefficients = dict(
        zip(statements["statement"], real_values(statements["coefficient"]), strict=True)
    )
    by_user = next(r for name, r in coefficients.items() if name.endswith("by user"))
    return finding.checked(
        round(by_user, 3) == PUBLISHED_R,
        [Quantity(name.rpartition(", ")[2], float(r)) for name, r in coefficients.items()],
    )


def _logarithms(
    finding: Finding, comparisons: list[tuple[str, PairedComparison | None]]
) -> Finding:
    found = [(name, comparison) for name, comparison in comparisons if comparison is not None]
    if not found:
        return finding
    ratios = [
        max(comparison.p_values[0] / published, published / comparison.p_values[0])
        if comparison.p_values[0] > 0
        else np.inf
        for (_, comparison), published in zip(found, PUBLISHED_P, strict=True)
    ]
    return finding.checked(max(ratios) <= MAGNITUDE, _differences(found))
