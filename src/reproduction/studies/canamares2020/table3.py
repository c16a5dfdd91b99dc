# SPDX-License-Identifier: MIT
"""Table 3: effect of the metric and of the mapping of ratings to gains."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import NOTHING, p_value, significant
from receval.figures.tables import Table, printed
from receval.metrics.labels import metric_name
from receval.metrics.registry import parse
from receval.storage.files import real_values
from reproduction.studies._shared.inputs import ArtifactInputs


def data(inputs: ArtifactInputs) -> pd.DataFrame:
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


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
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
