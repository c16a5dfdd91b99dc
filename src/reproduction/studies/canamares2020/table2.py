# SPDX-License-Identifier: MIT
"""Table 2: kNN and MF under the starting configuration."""

from __future__ import annotations

import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import p_value, significant
from receval.figures.tables import Table, printed
from receval.metrics.labels import metric_name
from receval.storage.files import real_values
from reproduction.studies._shared.inputs import ArtifactInputs


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the metrics of every system on every dataset.

    Columns: dataset; metric; system; lists; value; p_value; verdict, the last five as in
    :meth:`reproduction.experiments.universes.MeasuredSystems.compared`.
    """
    from reproduction.experiments.universes import (
        MeasuredSystems,
        starting_configuration,
    )

    labels = [str(label) for label in inputs.parameters["metrics"]]
    tables = []
    for experiment in inputs.experiments.values():
        configuration = starting_configuration(experiment)
        measured = MeasuredSystems(experiment, configuration, labels)
        tables.append(measured.compared(configuration, dataset=experiment.dataset))
    return pd.concat(tables, ignore_index=True)


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per dataset and system, with the p-value against the first system."""
    metrics = list(dict.fromkeys(results["metric"]))
    heads = [text for name in map(metric_name, metrics) for text in (name, f"p, {name}")]
    rows = []
    for (dataset, system), own in results.groupby(["dataset", "system"], sort=False):
        cells = [display.datasets[str(dataset)], display.short_titles[str(system)]]
        for value, p in real_values(own[["value", "p_value"]]):
            cells += [significant(value), p_value(p)]
        rows.append(cells)
    return printed(display, ("Dataset", "System"), heads, rows)
