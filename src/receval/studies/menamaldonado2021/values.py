"""The values of all systems: what figures 1, 12 to 14 and 16 to 18 draw."""

from __future__ import annotations

import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.tables import Column, Table, printed
from receval.studies._shared.inputs import ArtifactInputs


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the values of every system in every evaluation of every experiment.

    The columns are those of :func:`.observed_and_real`.
    """
    from receval.studies.menamaldonado2021._shared.observed_and_real import observed_and_real

    return observed_and_real(inputs)


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print the means over folds of the metrics of the table, a row for each system."""
    shown = display.parameters["printed"]
    if unknown := set(shown) - set(display.parameters["metrics"]):
        raise ValueError(f"The table prints {', '.join(sorted(unknown))}, which is not measured.")
    means = results[
        (results["fold"] == "mean") & (results["form"] == "text") & results["metric"].isin(shown)
    ]
    cells = means.set_index(["system", "experiment", "evaluation", "metric"])["value"]
    parts = means[["experiment", "dataset", "evaluation"]].drop_duplicates()
    columns = [Column("System")]
    keys = []
    for experiment, dataset, evaluation in parts.itertuples(index=False):
        for metric in shown:
            kind = display.experiments[experiment]
            heading = ", ".join(filter(None, [display.datasets[dataset], kind, evaluation]))
            heading += f" {metric}"
            columns.append(Column(heading, "right"))
            keys.append((experiment, evaluation, metric))
    rows = [
        (
            display.titles[system],
            *(f"{cells[(system, *key)]:.4f}" if (system, *key) in cells else "" for key in keys),
        )
        for system in dict.fromkeys(means["system"])
    ]
    return printed(display, columns, rows)
