"""The relations that the paper reads from its figure 8, each beside our values and a verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from receval.figures.tables import Column, Table
from receval.studies.inputs import ArtifactInputs
from receval.studies.look import Look
from receval.studies.numbers import read_numbers
from receval.studies.popularity_designs import ALL_RELEVANT, ONE_RELEVANT
from receval.studies.text_tables import printed

PAPER_SYSTEMS = ("plsa", "mf", "knn-centred", "pop", "random")

NEARER_TO_RANDOM = 0.5
"""Below this share of the way from Random to pLSA, popularity is nearer to Random."""

SAME = 0.1
"""Two values count as the same if they differ by at most this share of the larger one."""


@dataclass(frozen=True)
class Relation:
    """One relation: a statement of the paper, two numbers of ours and how they should compare.

    Attributes
    ----------
    claim : str
        Number in the project's list of the paper's claims.
    dataset, metric, statement, paper : str
        What is compared, in words, and what the paper says of it.
    left, right : float
        Our numbers; NaN where the dataset is not there.
    comparison : {"<", "<=", ">", "~"}
        How the left one should compare with the right one; ``~`` is :data:`SAME`.
    """

    claim: str
    dataset: str
    metric: str
    statement: str
    paper: str
    left: float
    comparison: str
    right: float

    @property
    def verdict(self) -> str:
        """``holds``, ``does not hold``, or ``no data``."""
        if np.isnan(self.left) or np.isnan(self.right):
            return "no data"
        larger = max(abs(self.left), abs(self.right))
        holds = {
            "<": self.left < self.right,
            "<=": self.left <= self.right,
            ">": self.left > self.right,
            "~": abs(self.left - self.right) <= SAME * larger,
        }[self.comparison]
        return "holds" if holds else "does not hold"


class Means:
    """Means over folds by dataset, design, metric and system; NaN for what is not there."""

    def __init__(self, numbers: pd.DataFrame) -> None:
        means = numbers[(numbers["fold"] == "mean") & numbers["system"].isin(PAPER_SYSTEMS)]
        labels = means["metric"].str.partition("(")[0] + "@" + means["cutoff"].astype(str)
        columns = (means["dataset"], labels, means["design"], means["system"], means["value"])
        self._values: dict[tuple[str, str, str, str], float] = {
            (dataset, metric, design, system): value
            for dataset, metric, design, system, value in zip(*columns, strict=True)
        }
        self.metrics = tuple(dict.fromkeys(labels))

    def of(self, dataset: str, metric: str, design: str, system: str) -> float:
        """Return one value."""
        return float(self._values.get((dataset, metric, design, system), np.nan))

    def lift(self, dataset: str, metric: str, design: str) -> float:
        """Return popularity's value over Random's."""
        return self.of(dataset, metric, design, "pop") / self.of(dataset, metric, design, "random")

    def excess(self, dataset: str, metric: str, design: str) -> float:
        """Return how far popularity is on the way from Random to pLSA."""
        plsa, popular, random = (
            self.of(dataset, metric, design, system) for system in ("plsa", "pop", "random")
        )
        return (popular - random) / (plsa - random)

    def designs(self, dataset: str) -> list[str]:
        """Return the designs that a dataset has."""
        there = {design for name, _, design, _ in self._values if name == dataset}
        return [design for design in (*ONE_RELEVANT, *ALL_RELEVANT) if design in there]


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Evaluate the claims B-053 to B-061 on the numbers of figure 8.

    Columns: claim; dataset; metric; statement (what is compared with what); paper (what it says);
    left, comparison, right (our two numbers); verdict (``holds``, ``does not hold`` or
    ``no data``).
    """
    means = Means(read_numbers(inputs.numbers["fig08"]))
    movielens, lastfm = (str(inputs.parameters[name]) for name in ("movielens", "lastfm"))
    relations = [
        *(r for metric in means.metrics for r in _on_popularity(means, movielens, metric)),
        *(r for metric in means.metrics for r in _on_all_positive(means, lastfm, metric)),
        *_on_order(means, (movielens, lastfm)),
    ]
    relations.sort(key=lambda relation: relation.claim)
    columns = ["claim", "dataset", "metric", "statement", "paper", "left", "comparison", "right"]
    rows = [{name: getattr(r, name) for name in columns} for r in relations]
    return pd.DataFrame(rows).assign(verdict=[relation.verdict for relation in relations])


def _on_popularity(means: Means, dataset: str, metric: str) -> Iterator[Relation]:
    def relation(
        claim: str, statement: str, paper: str, left: float, comparison: str, right: float
    ) -> Relation:
        return Relation(claim, dataset, metric, statement, paper, left, comparison, right)

    def lift(design: str) -> float:
        return means.lift(dataset, metric, design)

    def value(design: str, system: str = "pop") -> float:
        return means.of(dataset, metric, design, system)

    for neutral, plain in (("P1R", "1R"), ("U1R", "1R"), ("UAR", "AR")):
        yield relation(
            "B-053",
            f"Pop/Random in {neutral} and in {plain}",
            f"{neutral} limits the popularity bias",
            lift(neutral),
            "<",
            lift(plain),
        )
    for design in ("P1R", "U1R"):
        yield relation(
            "B-054",
            f"(Pop - Random)/(pLSA - Random) in {design}: Pop is nearer to Random",
            f"{design} places popularity by the level of Random",
            means.excess(dataset, metric, design),
            "<",
            NEARER_TO_RANDOM,
        )
        yield relation(
            "B-054",
            f"Pop and Random in {design}: the same within 10 %",
            f"{design} places popularity by the level of Random",
            value(design),
            "~",
            value(design, "random"),
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
    )
    yield relation(
        "B-055",
        "Pop - Random in U1R and in P1R",
        "the residual bias is higher in U1R",
        value("U1R") - value("U1R", "random"),
        ">",
        value("P1R") - value("P1R", "random"),
    )
    yield relation(
        "B-057",
        "Pop/Random in AI-UAR and in UAR",
        "without the TI policy a higher bias remains",
        lift("AI-UAR"),
        ">",
        lift("UAR"),
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
        "Random in AR, |N_u| = 1,700, and in UAR: the same within 10 %",
        "|N_u| = 1,700 levels the two",
        value("AR", "random"),
        "~",
        value("UAR", "random"),
    )


def _on_all_positive(means: Means, dataset: str, metric: str) -> Iterator[Relation]:
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


def _on_order(means: Means, datasets: tuple[str, ...]) -> Iterator[Relation]:
    from receval.statistics.kendall import kendall_tau_b

    for dataset in datasets:
        # A dataset that is not there has the design of the paper's figure, without values.
        for design in means.designs(dataset) or ["1R", "U1R"]:
            by_metric = {
                metric: np.array([means.of(dataset, metric, design, s) for s in PAPER_SYSTEMS])
                for metric in means.metrics
            }
            for metric, values in by_metric.items():
                yield Relation(
                    "B-059",
                    dataset,
                    metric,
                    f"pLSA and the best of the others in {design}",
                    "pLSA is the best algorithm in all configurations",
                    float(values[0]),
                    ">",
                    float(values[1:].max()),
                )
            first, *others = by_metric.values()
            for metric, values in zip(means.metrics[1:], others, strict=True):
                there = not np.isnan(first).any()
                tau = float(kendall_tau_b(first[None], values[None])[0, 0]) if there else np.nan
                yield Relation(
                    "B-061",
                    dataset,
                    f"{means.metrics[0]}, {metric}",
                    f"Kendall's tau of the systems by the two metrics in {design}, and 1",
                    f"{metric.partition('@')[0]} shows the same patterns",
                    tau,
                    "~",
                    1.0,
                )


def tabulate(numbers: pd.DataFrame, look: Look) -> Table:
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
    for row in numbers.to_dict("records"):
        ours = "–"
        if row["verdict"] != "no data":
            ours = f"{float(row['left']):.4g} {signs[row['comparison']]} {float(row['right']):.4g}"
            if row["verdict"] != "holds":
                ours = ours.replace(signs[row["comparison"]], "vs.")
        names = (row["statement"], row["paper"])
        dataset = look.datasets.get(row["dataset"], row["dataset"])
        rows.append((row["claim"], dataset, row["metric"], *names, ours, row["verdict"]))
    return printed(look, columns, rows)
