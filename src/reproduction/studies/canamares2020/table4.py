# SPDX-License-Identifier: MIT
"""Table 4: effect of how the values of users are averaged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import as_written, fixed
from receval.figures.tables import Table, printed
from receval.metrics.averages import AdjustedGeometric
from receval.metrics.labels import metric_name
from receval.statistics.correlation import pearson_r
from receval.storage.files import real_values
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.canamares2020.table3 import system_cells, system_heads

if TYPE_CHECKING:
    from reproduction.experiments.experiment import Experiment
    from reproduction.experiments.universes import MeasuredSystems

AGGREGATIONS = {
    "mean": "Mean",
    "test-weighted": "Weighted by test ratings",
    "positive-weighted": "Weighted by positive ratings",
    "geometric": "Geometric mean",
}
CORRELATION = "Pearson's r of the numbers of ratings and of positive ratings"
BY_SIDE = f"{CORRELATION}, by "


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return both metrics under all averages, and correlations of ratings and positive ratings.

    Columns: dataset; statement; aggregation; epsilon (of the geometric mean); metric; system;
    lists; value; p_value; verdict, the last five as in :meth:`.MeasuredSystems.compared`;
    coefficient (Pearson's r, in the rows with a statement, whose ``lists`` are the users or the
    items). The geometric mean is tested by the t-test of logarithms. The parameter ``epsilons``
    lists further values of epsilon.
    """
    tables = []
    for experiment in inputs.experiments.values():
        rows = [*_aggregated(experiment, inputs), *_correlations(experiment)]
        table = pd.concat(rows, ignore_index=True)
        table.insert(0, "dataset", experiment.dataset)
        tables.append(table)
    columns = ["dataset", "statement", "aggregation", "epsilon", "metric", "system", "lists"]
    results = pd.concat(tables, ignore_index=True)
    results = results[[*columns, "value", "p_value", "verdict", "coefficient"]]
    text = ["statement", "aggregation", "epsilon", "metric", "system", "verdict"]
    return results.assign(**{name: results[name].fillna("") for name in text})


def _aggregated(experiment: Experiment, inputs: ArtifactInputs) -> Iterator[pd.DataFrame]:
    from reproduction.experiments.universes import (
        MeasuredSystems,
        starting_configuration,
    )

    start = starting_configuration(experiment)
    labels = [str(label) for label in inputs.parameters["metrics"]]
    measured = MeasuredSystems(experiment, start, labels)
    for aggregation in AGGREGATIONS:
        test = "t-log" if aggregation == "geometric" else "t"
        table = measured.compared(start.replace(aggregation=aggregation, test=test))
        epsilon = f"{AdjustedGeometric().epsilon:g}" if aggregation == "geometric" else ""
        yield table.assign(aggregation=aggregation, epsilon=epsilon)
    for text in inputs.parameters["epsilons"]:
        geometric = AdjustedGeometric(epsilon=float(text))
        table = _logarithms(measured, geometric).compared(start)
        table["value"] = geometric.restored(table["value"].to_numpy())
        yield table.assign(aggregation="geometric", epsilon=f"{geometric.epsilon:g}")


def _logarithms(measured: MeasuredSystems, geometric: AdjustedGeometric) -> MeasuredSystems:
    """Return the systems with the logarithms of their values, for the t-test of their mean."""
    from copy import copy

    transformed = copy(measured)
    transformed.users = {
        system: replace(own, values=geometric.transformed(own.values))
        for system, own in measured.users.items()
    }
    return transformed


def _correlations(experiment: Experiment) -> Iterator[pd.DataFrame]:
    ratings = experiment.ratings
    positive = ratings.values >= experiment.threshold
    for side, codes in (("user", ratings.users), ("item", ratings.items)):
        counts = np.bincount(codes)
        positives = np.bincount(codes[positive], minlength=len(counts))
        rated = counts > 0
        yield pd.DataFrame(
            {
                "statement": [f"{BY_SIDE}{side}"],
                "lists": int(rated.sum()),
                "coefficient": pearson_r(counts[rated], positives[rated]),
            }
        )


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per metric and aggregation, with the correlations in a note."""
    values = results[results["statement"] == ""]
    systems = list(dict.fromkeys(values["system"]))
    rows = []
    for metric in dict.fromkeys(values["metric"]):
        own = values[values["metric"] == metric]
        for (aggregation, epsilon), group in own.groupby(["aggregation", "epsilon"], sort=False):
            constant = f", $`\\epsilon`$ = {as_written(float(epsilon))}" if epsilon != "" else ""
            name = AGGREGATIONS[str(aggregation)] + constant
            rows.append([metric_name(str(metric)), name, *system_cells(group, systems)])
    notes = _note(results[results["statement"] != ""])
    return printed(display, ("Metric", "Aggregation"), system_heads(display, systems), rows, notes)


def _note(correlations: pd.DataFrame) -> list[str]:
    """Return a note on the correlations of ratings and positive ratings, if they are known."""
    coefficients = zip(
        correlations["statement"], real_values(correlations["coefficient"]), strict=True
    )
    by_side = [f"{fixed(r, 3)} by {text.removeprefix(BY_SIDE)}" for text, r in coefficients]
    return [f"{CORRELATION}: {', '.join(by_side)}."] if by_side else []
