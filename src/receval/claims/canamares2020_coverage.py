"""Claims C-028 to C-039 of canamares2020: items without a score, and users without a list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.claims.canamares2020_pairs import DEFAULT, ROLES, Roles, rises
from receval.claims.findings import Finding, Quantity
from receval.metrics.labels import metric_name
from receval.storage.files import real_values

EXACT = 1e-9
"""Numbers are the same if they differ by no more; those of a CSV have ten digits."""

POLICY_WORDS = {
    "none": "left out",
    "random": "random",
    "popularity": "popularity",
    "average": "average rating",
}
"""What is done with items without a score. The paper's "None" would be read as a missing value."""

Series = NDArray[np.float64]


def claims_of_policies(fig07: pd.DataFrame, dataset: str) -> Iterator[Finding]:
    """Check C-028 to C-033 on figure 7."""
    ndcg, precision, coverage = (
        _by_neighbours(fig07[fig07["dataset"] == dataset], name)
        for name in ("nDCG@10", "P@10", "Coverage@10")
    )
    statements = {
        "C-028": (
            "Left out (None): more neighbours give a better nDCG@10",
            "rises at every step of k",
        ),
        "C-029": ("Left out (None): Coverage@10 grows with k", "rises at every step of k"),
        "C-030": (
            "Random: the same shift, weaker",
            "rises with k, by less than None from end to end",
        ),
        "C-031": (
            "Popularity and Average rating: not monotone in k",
            "neither rises nor falls all along",
        ),
        "C-032": ("Average rating: best at k = 1", "largest at the smallest k"),
        "C-033": (
            "P@10 behaves as nDCG@10",
            "the same best k and the same monotonicity, each policy",
        ),
    }
    findings = {name: Finding(name, dataset, *texts) for name, texts in statements.items()}
    if not ndcg:
        yield from findings.values()
        return
    k = sorted(fig07["neighbours"].astype(int).unique())

    def shown(values: Mapping[str, Series], policy: str, metric: str = "nDCG@10") -> list[Quantity]:
        name = f"{metric}, {POLICY_WORDS[policy]}"
        pairs = zip(k, values[policy], strict=True)
        return [
            Quantity(name, float(value), position=f"at k = {number}") for number, value in pairs
        ]

    none, random = ndcg["none"], ndcg["random"]
    others = {name: ndcg[name] for name in ("popularity", "average")}
    yield findings["C-028"].checked(rises(none), shown(ndcg, "none"))
    yield findings["C-029"].checked(rises(coverage["none"]), shown(coverage, "none", "Coverage@10"))
    yield findings["C-030"].checked(
        rises(random) and random[-1] - random[0] < none[-1] - none[0], shown(ndcg, "random")
    )
    yield findings["C-031"].checked(
        not any(map(is_monotone, others.values())),
        [one for policy in others for one in shown(ndcg, policy)],
    )
    yield findings["C-032"].checked(int(np.argmax(others["average"])) == 0, shown(ndcg, "average"))
    yield findings["C-033"].checked(
        all(
            np.argmax(ndcg[policy]) == np.argmax(precision[policy])
            and is_monotone(ndcg[policy]) == is_monotone(precision[policy])
            for policy in ndcg
        ),
        [
            Quantity(
                f"best k by {name}", k[int(np.argmax(own[policy]))], position=POLICY_WORDS[policy]
            )
            for name, own in (("nDCG@10", ndcg), ("P@10", precision))
            for policy in own
        ],
    )


def is_monotone(series: Series) -> bool:
    """Whether a series rises at every step, or falls at every step."""
    return rises(series) or rises(-series)


def _by_neighbours(rows: pd.DataFrame, metric: str) -> Mapping[str, Series]:
    """Return the values of a metric by policy, in the order of the numbers of neighbours."""
    is_metric = rows["metric"].map(metric_name) == metric
    rows = rows[is_metric].sort_values("neighbours", kind="stable")
    return {
        str(policy): real_values(own["value"]) for policy, own in rows.groupby("policy", sort=False)
    }


def claims_of_shortfall(
    fig08: pd.DataFrame,
    movielens: str,
    netflix: str,
    limits: Mapping[str, int],
    roles: Roles = ROLES[DEFAULT],
) -> Iterator[Finding]:
    """Check C-034 to C-036, C-038 and C-039 on figure 8.

    Parameters
    ----------
    fig08 : DataFrame
    movielens, netflix : str
        Names of datasets.
    limits : mapping of str to int
        For each of them, the minimum overlap above which kNN seems better, according to the paper.
    roles : mapping of str to str
        Which system is MF.
    """
    for dataset in (movielens, netflix):
        rows = fig08[fig08["dataset"] == dataset]
        yield _diverging(dataset, rows)
        claim = "C-035" if dataset == movielens else "C-036"
        yield _deceptive(dataset, rows, limits[dataset], claim, roles)
        yield _identity(
            Finding("C-038", dataset, "User coverage is Coverage@1", "no difference"),
            rows[rows["metric"] == "UserCoverage"],
            rows[rows["metric"] == "Coverage@1"],
        )
        metrics = rows[~rows["metric"].str.contains("Coverage")]
        yield _equation(dataset, metrics)


def _by_overlap(rows: pd.DataFrame, metric: str, average: str) -> tuple[Series, Series]:
    chosen = rows[(rows["metric"] == metric) & (rows["average"] == average)]
    points = real_values(chosen[["minimum_overlap", "value"]]).reshape(-1, 2)
    points = points[~np.isnan(points[:, 0])]
    points = points[np.argsort(points[:, 0])]
    return points[:, 0], points[:, 1]


def _diverging(dataset: str, rows: pd.DataFrame) -> Finding:
    finding = Finding(
        "C-034",
        dataset,
        "A larger minimum overlap lowers coverage and the full average, raises the reduced one",
        "at every step, in P@10, while users are covered",
    )
    overlaps, coverage = _by_overlap(rows, "UserCoverage", "full")
    _, full = _by_overlap(rows, "P@10", "full")
    _, reduced = _by_overlap(rows, "P@10", "reduced")
    if not len(overlaps):
        return finding
    some = coverage > 0
    return finding.checked(
        rises(-coverage[some]) and rises(-full[some]) and rises(reduced[some]),
        [
            Quantity(name, float(value), position=f"at {overlap:g}")
            for name, series in (("user coverage", coverage), ("full", full), ("reduced", reduced))
            for overlap, value in zip(overlaps, series, strict=True)
        ],
    )


def _deceptive(dataset: str, rows: pd.DataFrame, limit: int, claim: str, roles: Roles) -> Finding:
    finding = Finding(
        claim,
        dataset,
        f"Above a minimum overlap of {limit} the reduced average makes kNN better than MF",
        "kNN's reduced P@10 above MF's just there, on full lists",
    )
    overlaps, reduced = _by_overlap(rows, "P@10", "reduced")
    if not len(overlaps):
        return finding
    known = ~np.isnan(reduced)
    ahead = reduced[known] > _of_mf(rows, "P@10", roles)
    quantities = []
    for metric, form in (("P@10", ""), ("P(condensed=true)@10", ", condensed lists")):
        _, series = _by_overlap(rows, metric, "reduced")
        quantities += [
            Quantity(f"MF{form}", _of_mf(rows, metric, roles)),
            *(
                Quantity(f"kNN, reduced{form}", float(value), position=f"at {overlap:g}")
                for overlap, value in zip(overlaps, series, strict=True)
            ),
        ]
    return finding.checked(bool((ahead == (overlaps[known] > limit)).all()), quantities)


def _of_mf(rows: pd.DataFrame, metric: str, roles: Roles) -> float:
    chosen = (rows["metric"] == metric) & (rows["average"] == "full")
    (value,) = real_values(rows.loc[chosen & (rows["system"].map(roles) == "MF"), "value"])
    return float(value)


def _identity(finding: Finding, one: pd.DataFrame, other: pd.DataFrame) -> Finding:
    if one.empty:
        return finding
    pair = one.merge(other, on=["system", "average"])
    gap = float(np.abs(real_values(pair["value_x"]) - real_values(pair["value_y"])).max())
    return finding.checked(gap <= EXACT, [Quantity("largest difference", gap)])


def _equation(dataset: str, rows: pd.DataFrame) -> Finding:
    finding = Finding(
        "C-039",
        dataset,
        "User coverage links full and reduced averages (the paper's equation is inverted)",
        "full = coverage x reduced",
    )
    if rows.empty:
        return finding
    by_average = {
        str(average): real_values(own.sort_values(["metric", "system"])["value"])
        for average, own in rows.groupby("average")
    }
    ours = np.abs(by_average["full"] - by_average["coverage x reduced"])
    printed = np.abs(by_average["reduced"] - by_average["coverage x full"])
    return finding.checked(
        np.nanmax(ours) <= EXACT,
        [
            Quantity("largest difference", float(np.nanmax(ours))),
            Quantity("as the paper prints it", float(np.nanmax(printed))),
        ],
    )
