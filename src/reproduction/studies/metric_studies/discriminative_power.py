# SPDX-License-Identifier: MIT
"""Discriminative power of metrics: the sum of the p-values of all pairs of systems."""

from __future__ import annotations

import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import fixed
from receval.figures.tables import Table, printed
from receval.statistics.multiple_comparisons import discriminative_power
from reproduction.studies._shared.inputs import ArtifactInputs


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the discriminative power of every metric on every dataset.

    Columns: dataset; metric; dp (sum over unordered pairs); dp_ordered (over ordered pairs, as
    released with Valcarce et al. 2018); dp_released (over ordered pairs, of the released form of
    the metric); pairs; permutations; users.
    """
    from reproduction.experiments.values import p_values

    def tested(labels_in: str) -> pd.DataFrame:
        metrics = inputs.named_metrics(labels_in)
        permutations = int(inputs.parameters["permutations"])
        return p_values(inputs.experiments.values(), metrics, inputs.seed, permutations)

    keys = ["dataset", "metric"]
    table = (
        tested("metrics")
        .groupby(keys, sort=False)
        .agg(
            dp=("p_value", discriminative_power),
            pairs=("p_value", "size"),
            permutations=("permutations", "first"),
            users=("users", "first"),
        )
    )
    released = tested("released").groupby(keys, sort=False)["p_value"]
    table.insert(1, "dp_ordered", 2 * table["dp"])
    table.insert(2, "dp_released", released.agg(lambda p: discriminative_power(p, "ordered")))
    return table.reset_index()


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print discriminative power over ordered pairs, by dataset and metric.

    Parameters of the artifact: ``down`` says what the rows are, ``metrics`` or ``datasets``;
    ``published_<dataset>`` has the paper's printed values, which are shown beside ours if datasets
    are the rows and are not twins; ``note`` is a remark below the table.
    """
    metrics = list(dict.fromkeys(results["metric"]))
    found = results.set_index(["dataset", "metric"])["dp_ordered"]
    cells = {
        str(dataset): [fixed(found[dataset, metric], 2) for metric in metrics]
        for dataset in dict.fromkeys(results["dataset"])
    }
    notes = [str(display.parameters[name]) for name in ("note",) if name in display.parameters]
    if display.parameters["down"] == "metrics":
        by_metric = list(zip(metrics, *cells.values(), strict=True))
        return printed(display, ["Metric"], [display.datasets[n] for n in cells], by_metric, notes)
    rows = []
    for dataset, own in cells.items():
        rows.append((display.datasets[dataset], "ours", *own))
        published = display.parameters.get(f"published_{dataset}")
        if published and display.is_real(dataset):
            rows.append((display.datasets[dataset], "paper", *published))
    return printed(display, ("Dataset", "From"), metrics, rows, notes)
