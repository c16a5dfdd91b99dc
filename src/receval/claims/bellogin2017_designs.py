"""Claims B-053 to B-061 of bellogin2017: designs that neutralise popularity, on figure 8."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from receval.claims.findings import Relation
from receval.statistics.pairs import LEVEL

PAPER_SYSTEMS = ("plsa", "mf", "knn-centred", "pop", "random")
"""The systems of the paper; others are left out."""


class MeansOfDesigns:
    """Means over folds by dataset, design, metric and system.

    Parameters
    ----------
    results : DataFrame
        The CSV of figure 8, and each row's metric as the figure labels it (``label``).
    designs : sequence of str
        The designs of the figure, in its order.

    Raises
    ------
    ValueError
        Two rows are of the same design, metric and system.
    """

    def __init__(self, results: pd.DataFrame, designs: Sequence[str]) -> None:
        self._designs = designs
        means = results[(results["fold"] == "mean") & results["system"].isin(PAPER_SYSTEMS)]
        keys = ["dataset", "label", "design", "system"]
        repeated = means[means.duplicated(keys)]
        if len(repeated):
            first = repeated.iloc[0]
            raise ValueError(
                f"Figure 8 has several rows of {first['system']} by {first['label']} under the "
                f"design {first['design']} on {first['dataset']}: give each design one protocol."
            )
        self._rows: dict[tuple[str, str, str, str], dict[Hashable, Any]] = {
            (row["dataset"], row["label"], row["design"], row["system"]): row
            for row in means.to_dict("records")
        }
        self.metrics: tuple[str, ...] = tuple(dict.fromkeys(means["label"]))

    def of(self, dataset: str, metric: str, design: str, system: str) -> float:
        """Return a mean; NaN for what is not there."""
        row = self._rows.get((dataset, metric, design, system))
        return float("nan") if row is None else float(row["value"])

    def p_value(self, dataset: str, metric: str, design: str, pair: tuple[str, str]) -> float:
        """Return the p-value of the difference of two systems; NaN for what is not there."""
        row = self._rows.get((dataset, metric, design, pair[0]))
        return float("nan") if row is None else float(row[f"p_against_{pair[1]}"])

    def sampled(self, dataset: str, design: str) -> str:
        """Return the number of sampled candidates of a design, written out."""
        found = [row["sampled"] for key, row in self._rows.items() if key[::2] == (dataset, design)]
        return f"{int(found[0]):,}" if found else "no"

    def designs(self, dataset: str) -> list[str]:
        """Return the designs of the figure that a dataset has, in its order."""
        there = {design for name, _, design, _ in self._rows if name == dataset}
        return [design for design in self._designs if design in there]


def claims_of_popularity(means: MeansOfDesigns, dataset: str, metric: str) -> Iterator[Relation]:
    """Check B-053 to B-055, B-057, B-058 and B-060, on where popularity stands."""

    def relation(
        claim: str,
        statement: str,
        paper: str,
        left: float,
        comparison: str,
        right: float,
        p_value: float = float("nan"),
    ) -> Relation:
        return Relation(claim, dataset, metric, statement, paper, left, comparison, right, p_value)

    def value(design: str, system: str = "pop") -> float:
        return means.of(dataset, metric, design, system)

    def over(design: str, system: str) -> float:
        return value(design) / value(design, system)

    for neutral, plain in (("P1R", "1R"), ("U1R", "1R"), ("UAR", "AR")):
        yield relation(
            "B-053",
            f"Pop/Random in {neutral} and in {plain}",
            f"{neutral} limits the popularity bias",
            over(neutral, "random"),
            "<",
            over(plain, "random"),
        )
    for design in ("P1R", "U1R"):
        says = f"{design} places popularity by the level of Random"
        random = value(design, "random")
        yield relation(
            "B-054",
            f"Distance of Pop from Random in {design}, and half of pLSA's",
            says,
            abs(value(design) - random),
            "<",
            (value(design, "plsa") - random) / 2,
        )
        yield relation(
            "B-054",
            f"Pop and Random in {design}: the same within 10 %",
            says,
            value(design),
            "~",
            random,
        )
    yield relation(
        "B-054",
        "Pop in P1R and in U1R",
        "P1R is even more effective than U1R",
        value("P1R"),
        "<=",
        value("U1R"),
    )
    yield relation(
        "B-054",
        "Pop and kNN in UAR",
        "popularity remains above kNN in UAR",
        value("UAR"),
        ">",
        value("UAR", "knn-centred"),
        means.p_value(dataset, metric, "UAR", ("pop", "knn-centred")),
    )
    yield relation(
        "B-055",
        "Pop - Random in U1R and in P1R",
        "the residual bias is higher in U1R",
        value("U1R") - value("U1R", "random"),
        ">",
        value("P1R") - value("P1R", "random"),
    )
    for system, title in (("knn-centred", "kNN"), ("mf", "MF")):
        yield relation(
            "B-057",
            f"Pop/{title} in AI-UAR and in UAR",
            "without the TI policy a higher bias remains",
            over("AI-UAR", system),
            ">",
            over("UAR", system),
        )
    yield relation(
        "B-058",
        "Pop without the 10 % head and in 1R",
        "removing the head lowers popularity",
        value("-10% head"),
        "<",
        value("1R"),
    )
    for design in ("P1R", "U1R"):
        yield relation(
            "B-058",
            f"Pop without the 10 % head and in {design}",
            f"removing the head is less effective than {design}",
            value("-10% head"),
            ">",
            value(design),
        )
    yield relation(
        "B-060",
        f"Random in AR, {means.sampled(dataset, 'AR')} sampled, and in UAR: the same within 10 %",
        "|N_u| = 1,700 levels the two",
        value("AR", "random"),
        "~",
        value("UAR", "random"),
    )


def claims_of_all_positive_items(
    means: MeansOfDesigns, dataset: str, metric: str
) -> Iterator[Relation]:
    """Check B-056, on data whose ratings are all positive."""
    yield Relation(
        "B-056",
        dataset,
        metric,
        "Pop and Random in U1R: the same within 10 %",
        "popularity drops to Random" + (" (0.01)" if metric == "P@10" else ""),
        means.of(dataset, metric, "U1R", "pop"),
        "~",
        means.of(dataset, metric, "U1R", "random"),
    )


def claims_of_order(means: MeansOfDesigns, dataset: str, metrics: list[str]) -> Iterator[Relation]:
    """Check B-059 and B-061: the best system, and the order by other metrics."""
    # A dataset that is not there has the designs of the paper's figure, without values.
    for design in means.designs(dataset) or ["1R", "U1R"]:
        for metric in metrics:
            others = {s: means.of(dataset, metric, design, s) for s in PAPER_SYSTEMS[1:]}
            best = max(others, key=lambda system: others[system])
            yield Relation(
                "B-059",
                dataset,
                metric,
                f"pLSA and the best of the others in {design}",
                "pLSA is the best algorithm in all configurations",
                means.of(dataset, metric, design, "plsa"),
                ">",
                others[best],
                means.p_value(dataset, metric, design, ("plsa", best)),
            )
        first, *rest = means.metrics or metrics
        for metric in rest:
            yield Relation(
                "B-061",
                dataset,
                f"{first}, {metric}",
                f"Pairs of systems that the two metrics order significantly otherwise in {design}",
                f"{metric.partition('@')[0]} shows the same patterns",
                _opposed(means, dataset, design, (first, metric)),
                "<=",
                0.0,
            )


def _opposed(means: MeansOfDesigns, dataset: str, design: str, metrics: tuple[str, str]) -> float:
    """Count the pairs of systems that two metrics order differently, both significantly."""
    if np.isnan(means.of(dataset, metrics[0], design, "plsa")):
        return float("nan")
    opposed = 0
    for pair in combinations(PAPER_SYSTEMS, 2):
        first_is_ahead = [
            means.of(dataset, metric, design, pair[0]) > means.of(dataset, metric, design, pair[1])
            for metric in metrics
            if means.p_value(dataset, metric, design, pair) < LEVEL
        ]
        opposed += first_is_ahead in ([True, False], [False, True])
    return float(opposed)
