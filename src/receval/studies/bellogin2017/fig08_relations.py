"""The relations that the paper reads from its figure 8, each beside our values and an outcome."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.tables import Column, Table, printed
from receval.storage.files import read_results
from receval.studies._shared.inputs import ArtifactInputs
from receval.studies.bellogin2017._shared.popularity_designs import PAPER_SYSTEMS, MeansOfDesigns

SAME = 0.1
"""Two values count as the same if they differ by at most this share of the larger one."""

SIGNIFICANT = 0.05
"""P-value below which a difference between two systems counts."""

COLUMNS = ("claim", "dataset", "metric", "statement", "paper", "left", "comparison", "right")


@dataclass(frozen=True)
class Relation:
    """One relation: a statement of the paper, two numbers of ours and how they should compare.

    Attributes
    ----------
    claim : str
        Number in the project's list of the paper's claims.
    dataset, metric, statement, paper : str
        What is compared, in words, and what the paper says of it.
    left : float
        Our number; NaN where the dataset is not there.
    comparison : {"<", "<=", ">", "~"}
        How it should compare with the right one; ``~`` is :data:`SAME`.
    right : float
    p_value : float
        Of the difference, where two systems are compared under one design.
    """

    claim: str
    dataset: str
    metric: str
    statement: str
    paper: str
    left: float
    comparison: str
    right: float
    p_value: float = float("nan")

    @property
    def outcome(self) -> str:
        """``holds``, ``does not hold``, ``not apart`` or ``no data``."""
        if np.isnan(self.left) or np.isnan(self.right):
            return "no data"
        larger = max(abs(self.left), abs(self.right))
        holds = {
            "<": self.left < self.right,
            "<=": self.left <= self.right,
            ">": self.left > self.right,
            "~": abs(self.left - self.right) <= SAME * larger,
        }[self.comparison]
        if self.comparison in "<>" and holds and self.p_value >= SIGNIFICANT:
            return "not apart"
        return "holds" if holds else "does not hold"


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Evaluate the claims B-053 to B-061 on the results of figure 8.

    Columns: claim; dataset; metric; statement (what is compared with what); paper (what it says);
    left, comparison, right (our two numbers); p_value (of the difference, where two systems are
    compared); outcome (``holds``, ``does not hold``, ``not apart`` where the direction is right
    but p is not below :data:`SIGNIFICANT`, or ``no data``).
    """
    means = MeansOfDesigns(read_results(inputs.results["fig08"]))
    movielens, lastfm = (str(inputs.parameters[name]) for name in ("movielens", "lastfm"))
    metrics = [str(label) for label in inputs.parameters["drawn"]]
    relations = [
        *(r for metric in metrics for r in _on_popularity(means, movielens, metric)),
        *(r for metric in metrics for r in _on_all_positive(means, lastfm, metric)),
        *(r for dataset in (movielens, lastfm) for r in _on_order(means, dataset, metrics)),
    ]
    relations.sort(key=lambda relation: relation.claim)
    columns = (*COLUMNS, "p_value", "outcome")
    return pd.DataFrame([{name: getattr(r, name) for name in columns} for r in relations])


def _on_popularity(means: MeansOfDesigns, dataset: str, metric: str) -> Iterator[Relation]:
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


def _on_all_positive(means: MeansOfDesigns, dataset: str, metric: str) -> Iterator[Relation]:
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


def _on_order(means: MeansOfDesigns, dataset: str, metrics: list[str]) -> Iterator[Relation]:
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
            if means.p_value(dataset, metric, design, pair) < SIGNIFICANT
        ]
        opposed += first_is_ahead in ([True, False], [False, True])
    return float(opposed)


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row a relation."""
    signs = {"<": "<", "<=": "≤", ">": ">", "~": "≈"}
    columns = [
        Column("Claim"),
        Column("Dataset"),
        Column("Metric"),
        Column("Compared", width=0.28),
        Column("The paper", width=0.22),
        Column("Ours", "right"),
        Column("Verdict"),
    ]
    rows = []
    for row in results.to_dict("records"):
        ours = "–"
        if row["outcome"] != "no data":
            sign = signs[row["comparison"]] if row["outcome"] == "holds" else "vs."
            ours = f"{float(row['left']):.4g} {sign} {float(row['right']):.4g}"
        names = (row["statement"], row["paper"])
        dataset = display.datasets.get(row["dataset"], row["dataset"])
        rows.append((row["claim"], dataset, row["metric"], *names, ours, row["outcome"]))
    return printed(display, columns, rows)
