"""The relations that the paper reads from its figure 8, each beside our values and an outcome."""

from __future__ import annotations

import pandas as pd

from receval.claims.findings import HOLDS, NO_DATA
from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import NOTHING, in_text, significant
from receval.figures.tables import Column, Table, printed
from receval.storage.files import read_results
from receval.studies._shared.inputs import ArtifactInputs

COLUMNS = ("claim", "dataset", "metric", "statement", "paper", "left", "comparison", "right")


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
    """Print one row a relation."""
    signs = {"<": "<", "<=": "≤", ">": ">", "~": "≈"}
    columns = [
        Column("Outcome", width=0.1),
        Column("Claim"),
        Column("Dataset", width=0.1),
        Column("Metric", width=0.12),
        Column("Compared", width=0.23),
        Column("The paper", width=0.18),
        Column("Ours"),
    ]
    rows = []
    for row in results.to_dict("records"):
        ours = NOTHING
        if row["outcome"] != NO_DATA:
            sign = signs[row["comparison"]] if row["outcome"] == HOLDS else "vs."
            ours = f"{significant(float(row['left']))} {sign} {significant(float(row['right']))}"
        texts = (in_text(row["statement"]), in_text(row["paper"]))
        dataset = display.datasets.get(row["dataset"], row["dataset"])
        rows.append((row["outcome"], row["claim"], dataset, row["metric"], *texts, ours))
    return printed(display, columns, rows)
