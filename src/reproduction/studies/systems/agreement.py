# SPDX-License-Identifier: MIT
"""Agreement of the systems as a set with the published values."""

from __future__ import annotations

import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import fixed
from receval.figures.tables import Table, printed
from receval.statistics.correlation import kendall_tau_b
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies._shared.published import published_and_ours
from reproduction.studies.systems.fidelity import printed_metric


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the agreement with each set of published values, by metric.

    Optimal rankings are not systems and are left out. Columns: study; dataset; judgments; metric;
    searched (``yes`` if the searches for settings used the metric); systems (how many); tau
    (Kendall's tau-b between the published order and ours); median_difference and largest_difference
    (absolute relative differences); lists (the fewest that a value averages).
    """
    table = published_and_ours(inputs)
    table = table[~table["system"].str.startswith("optimal-")]
    rows = []
    for names, group in table.groupby(["study", "dataset", "judgments", "metric"], sort=False):
        differences = group["relative_difference"].abs()
        rows.append(
            {
                **dict(zip(["study", "dataset", "judgments", "metric"], names, strict=True)),
                "searched": "yes" if (group["searched"] == "yes").any() else "",
                "systems": len(group),
                "tau": float(kendall_tau_b(group["published"], group["ours"])[0, 0]),
                "median_difference": float(differences.median()),
                "largest_difference": float(differences.max()),
                "lists": int(group["lists"].min()),
            }
        )
    return pd.DataFrame(rows)


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per study, dataset, kind of judgments and metric."""
    texts = ("Values of", "Dataset", "Metric", "Seen by the search")
    numbers = ("Systems", "Kendall's tau", "Median (%)", "Largest (%)")
    rows = [
        (
            str(display.parameters[row["study"]]),
            display.datasets[row["dataset"]] + (", unbiased" * (row["judgments"] == "unbiased")),
            printed_metric(row["metric"]),
            row["searched"] or "no",
            str(row["systems"]),
            fixed(row["tau"], 3),
            fixed(100 * row["median_difference"], 2),
            fixed(100 * row["largest_difference"], 2),
        )
        for row in results.to_dict("records")
    ]
    return printed(display, texts, numbers, rows)
