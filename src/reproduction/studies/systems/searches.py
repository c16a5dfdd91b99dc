# SPDX-License-Identifier: MIT
"""Recovered settings of the systems, and how close each comes to the published values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import as_written, fixed, significant
from receval.figures.tables import Column, Table, continued, printed
from receval.metrics.labels import metric_name
from reproduction.studies._shared.inputs import ArtifactInputs


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the traces of all searches.

    The columns are those of :func:`reproduction.workflow.jobs.measurements.search_settings`.
    """
    traces = [pd.read_csv(path, keep_default_na=False) for path in inputs.searches.values()]
    return pd.concat(traces, ignore_index=True)


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print the chosen setting of each system; a long setting takes further rows."""
    metrics = list(dict.fromkeys(results["metric"]))
    tried = results.groupby("system")["setting"].nunique().to_dict()
    rows = []
    for (system, setting), group in results[results["chosen"] == "yes"].groupby(
        ["system", "setting"], sort=False
    ):
        values = group.set_index("metric")
        rows += continued(
            [
                display.titles.get(str(system), str(system)),
                _printed(str(system), json.loads(str(setting))),
                str(tried[system]),
                *(
                    text
                    for metric in metrics
                    for text in (
                        significant(float(values.loc[metric, "ours"]), 4),
                        fixed(float(values.loc[metric, "published"]), 4),
                    )
                ),
                fixed(100 * float(values["distance"].iloc[0]), 2),
            ]
        )
    names = map(metric_name, metrics)
    heads = [text for name in names for text in (f"{name}, ours", f"{name}, published")]
    texts = ("System", Column("Setting", width=0.22))
    return printed(display, texts, ["Tried", *heads, "Distance (%)"], rows)


def _printed(system: str, setting: Mapping[str, Any]) -> str:
    """Return a setting in words and numbers, without what the name of the system says."""
    parts = (
        f"{name.replace('_', ' ')} = {_value(value)}"
        for name, value in setting.items()
        if value != system
    )
    return ", ".join(parts) or "defaults"


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return as_written(value) if isinstance(value, int | float) else str(value)
