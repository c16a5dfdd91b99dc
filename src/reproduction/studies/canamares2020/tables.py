# SPDX-License-Identifier: MIT
"""Tables 2 to 4: kNN and MF as they start, and effects of metrics, gains and averages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import NOTHING, as_written, fixed, p_value, significant
from receval.figures.tables import Table, printed
from receval.metrics.averages import AdjustedGeometric
from receval.metrics.labels import metric_name
from receval.metrics.registry import parse
from receval.statistics.correlation import pearson_r
from receval.storage.files import real_values
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from reproduction.experiments.experiment import Experiment
    from reproduction.experiments.universes import MeasuredSystems


def data_table2(inputs: ArtifactInputs) -> pd.DataFrame:
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


def tabulate_table2(results: pd.DataFrame, display: DisplayStyle) -> Table:
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


def data_table3(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return all metrics with each gain, on full and condensed lists.

    Columns: dataset; list_form (full or condensed); gain (g1, g2, or none if the metric has no
    gain); metric; system; lists; value; p_value; verdict, the last five as in
    :meth:`reproduction.experiments.universes.MeasuredSystems.compared`.
    """
    from reproduction.experiments.universes import (
        MeasuredSystems,
        starting_configuration,
    )

    metrics = inputs.metrics()
    tables = []
    for experiment in inputs.experiments.values():
        start = starting_configuration(experiment)
        for form in ("full", "condensed"):
            labels = [m.label for m in metrics if m.condensed == (form == "condensed")]
            configuration = start.replace(lists=form)
            measured = MeasuredSystems(experiment, configuration, labels)
            table = measured.compared(configuration, dataset=experiment.dataset, list_form=form)
            table.insert(2, "gain", table["metric"].map(_gain))
            tables.append(table)
    return pd.concat(tables, ignore_index=True)


def _gain(label: str) -> str:
    from receval.multiverse.decisions import GAINS

    metric = parse(label)
    if metric.name == "P":
        return "g1"
    mapping = getattr(metric, "gain", None)
    return next((name for name, own in GAINS.items() if own == mapping), "none")


# Columns and cells of tables that compare the values of systems, with p-values.


def system_heads(display: DisplayStyle, systems: Sequence[str]) -> list[str]:
    """Return one heading for the first system, and two for each other: value and p-value."""
    first, *others = (display.short_titles[system] for system in systems)
    return [first, *(name for other in others for name in (other, f"p, {other}"))]


def system_cells(rows: pd.DataFrame, systems: Sequence[str]) -> list[str]:
    """Return the cells of :func:`system_heads`; dashes where there are no rows."""
    values, p_values = (
        dict(zip(rows["system"], real_values(rows[name]), strict=True))
        for name in ("value", "p_value")
    )
    first, *others = systems
    cells = [significant(values.get(first, np.nan))]
    for other in others:
        cells += [significant(values.get(other, np.nan)), p_value(p_values.get(other, np.nan))]
    return cells


def tabulate_table3(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per metric and gain."""
    systems = list(dict.fromkeys(results["system"]))
    shown = results.assign(name=[metric_name(label) for label in results["metric"]])
    rows = [
        [
            str(form),
            str(name),
            NOTHING if gain == "none" else str(gain),
            *system_cells(own, systems),
        ]
        for (form, name, gain), own in shown.groupby(["list_form", "name", "gain"], sort=False)
    ]
    return printed(display, ("Lists", "Metric", "Gain"), system_heads(display, systems), rows)


AGGREGATIONS = {
    "mean": "Mean",
    "test-weighted": "Weighted by test ratings",
    "positive-weighted": "Weighted by positive ratings",
    "geometric": "Geometric mean",
}
CORRELATION = "Pearson's r of the numbers of ratings and of positive ratings"
BY_SIDE = f"{CORRELATION}, by "


def data_table4(inputs: ArtifactInputs) -> pd.DataFrame:
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


def tabulate_table4(results: pd.DataFrame, display: DisplayStyle) -> Table:
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
