"""The relations that the paper reads from its figure 8, each beside our values and an outcome."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

from receval.claims.findings import HOLDS, NO_DATA
from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import in_text, significant
from receval.figures.tables import Column, Table, printed
from receval.storage.files import read_results, real_values
from receval.studies._shared.inputs import ArtifactInputs

COLUMNS = ("claim", "dataset", "metric", "statement", "paper", "left", "comparison", "right")


MEANS = {"AP": "MAP", "RR": "MRR"}
"""Metrics of one list by the names that papers have for their means."""

SIGNS = {"<": "<", "<=": "≤", ">": ">", "~": "≈"}

OF_ORDERS = "B-061"
"""The claim that counts the pairs of systems that two metrics order otherwise, in each design."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Check the claims B-053 to B-061 on the results of figure 8.

    Columns: claim; dataset; metric; statement (what is compared with what); paper (what it says);
    left, comparison, right (our two numbers); p_value (of the difference, where two systems are
    compared); outcome (``holds``, ``does not hold``, ``not apart`` where the direction is right
    but p is not below ``statistics.pairs.LEVEL``, or ``no data``).
    """
    from receval.claims.bellogin2017_designs import (
        MeansOfDesigns,
        claims_of_all_positive_items,
        claims_of_order,
        claims_of_popularity,
    )
    from receval.studies.bellogin2017._shared.designs import (
        ALL_RELEVANT,
        ONE_RELEVANT,
        short_labels,
    )

    results = read_results(inputs.results["fig08"])
    results["label"] = short_labels(results)
    means = MeansOfDesigns(results, (*ONE_RELEVANT, *ALL_RELEVANT))
    movielens, lastfm = (str(inputs.parameters[name]) for name in ("movielens", "lastfm"))
    metrics = [str(label) for label in inputs.parameters["drawn"]]
    relations = [
        *(r for metric in metrics for r in claims_of_popularity(means, movielens, metric)),
        *(r for metric in metrics for r in claims_of_all_positive_items(means, lastfm, metric)),
        *(r for dataset in (movielens, lastfm) for r in claims_of_order(means, dataset, metrics)),
    ]
    relations.sort(key=lambda relation: relation.claim)
    columns = (*COLUMNS, "p_value", "outcome")
    return pd.DataFrame([{name: getattr(r, name) for name in columns} for r in relations])


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row a relation, but one a metric where orders by two metrics are compared.

    Relations without data are named in a note.
    """
    columns = [
        Column("Outcome", width=0.1),
        Column("Claim"),
        Column("Dataset", width=0.1),
        Column("Metric", width=0.12),
        Column("Compared", width=0.19),
        Column("The paper", width=0.155),
        Column("Ours"),
    ]
    there = results[results["outcome"] != NO_DATA]
    of_orders = there["claim"] == OF_ORDERS
    rows = [_row(row, display) for row in there[~of_orders].to_dict("records")]
    for _, designs in there[of_orders].groupby(["dataset", "metric"], sort=False):
        rows.append(_row_of_orders(designs, display))
    return printed(display, columns, rows, _note_on_absent(results, display))


def _row(row: Mapping[Hashable, Any], display: DisplayStyle) -> tuple[str, ...]:
    sign = SIGNS[row["comparison"]] if row["outcome"] == HOLDS else "vs."
    ours = f"{significant(float(row['left']))} {sign} {significant(float(row['right']))}"
    texts = (in_text(row["statement"]), in_text(row["paper"]))
    dataset = display.datasets.get(row["dataset"], row["dataset"])
    return (row["outcome"], row["claim"], dataset, _of_means(row["metric"]), *texts, ours)


def _row_of_orders(designs: pd.DataFrame, display: DisplayStyle) -> tuple[str, ...]:
    """Return the row of two metrics: in which designs they order systems otherwise."""
    counts = {
        in_text(str(statement).rpartition(" in ")[2]): int(count)
        for statement, count in zip(designs["statement"], real_values(designs["left"]), strict=True)
    }
    opposed = [f"{count} in {design}" for design, count in counts.items() if count]
    ours = ", ".join(opposed) or f"no pair in any of {len(counts)} designs"
    failing = designs[designs["outcome"] != HOLDS]
    row = (failing if len(failing) else designs).iloc[0]
    dataset = display.datasets.get(row["dataset"], row["dataset"])
    compared = "Pairs of systems that both order significantly, in opposite order"
    paper = _of_means(in_text(row["paper"]))
    return (row["outcome"], row["claim"], dataset, _of_means(row["metric"]), compared, paper, ours)


def _of_means(text: str) -> str:
    """Return a text with the names of means for those of metrics of one list."""
    return re.sub("|".join(rf"\b{name}\b" for name in MEANS), lambda name: MEANS[name[0]], text)


def _note_on_absent(results: pd.DataFrame, display: DisplayStyle) -> list[str]:
    """Return a sentence that names the claims without data on each dataset, if there are any."""
    absent = results[results["outcome"] == NO_DATA]
    parts = [
        f"on {display.datasets.get(dataset, dataset)} for {', '.join(dict.fromkeys(own['claim']))}"
        for dataset, own in absent.groupby("dataset", sort=False)
    ]
    return [f"No data {'; '.join(parts)}."] if parts else []
