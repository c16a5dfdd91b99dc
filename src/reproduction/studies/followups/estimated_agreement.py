# SPDX-License-Identifier: MIT
"""Table of the agreement of estimates with judgments of randomly drawn items."""

from __future__ import annotations

import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.heat_map import two_decimals
from receval.figures.printed_numbers import fixed, significant
from receval.figures.tables import Column, Table, printed
from receval.storage.files import read_results, real_values
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups._shared.estimator_names import MAR
from reproduction.studies.followups._shared.mar_ratios import ratios_to_mar


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Summarise the artifact ``estimated_values`` over systems.

    The columns are those of :func:`.ratios_to_mar`, without the rows of the reference.
    """
    found = ratios_to_mar(read_results(inputs.results["estimated_values"]))
    return found[found["estimator"] != MAR].reset_index(drop=True)


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per dataset and estimator."""
    numbers = {name: real_values(results[name]) for name in ("ratio", "error", "tau")}
    results = results.assign(**numbers)
    metrics = list(dict.fromkeys(results["metric"]))
    rows = []
    for dataset, title in results[["dataset", "title"]].drop_duplicates().itertuples(index=False):
        cells = []
        for metric in metrics:
            own = results[
                (results["dataset"] == dataset)
                & (results["title"] == title)
                & (results["metric"] == metric)
            ]
            if own.empty:
                cells += ["–"] * 3
                continue
            one = own.iloc[0]
            cells += [significant(float(one["ratio"]), 2), fixed(float(one["error"]), 0)]
            cells += [two_decimals(float(one["tau"]))]
        rows.append((display.datasets[str(dataset)], str(title), *cells))
    columns = [
        Column("Dataset"),
        Column("Estimator"),
        *(
            Column(f"{metric}, {name}", "right")
            for metric in metrics
            for name in ("ratio", "error", "tau")
        ),
    ]
    return printed(display, columns, rows)
