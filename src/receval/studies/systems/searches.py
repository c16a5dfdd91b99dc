"""The settings that were recovered, and how close each comes."""

from __future__ import annotations

import json

import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.tables import Column, Table, printed
from receval.studies._shared.inputs import ArtifactInputs


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the traces of all searches, one after the other.

    The columns are those of :func:`receval.workflow.tuning.search_settings`.
    """
    traces = [pd.read_csv(path, keep_default_na=False) for path in inputs.searches.values()]
    return pd.concat(traces, ignore_index=True)


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print the chosen setting of each system."""
    metrics = list(dict.fromkeys(results["metric"]))
    tried = results.groupby("system")["setting"].nunique().to_dict()
    rows = []
    for (system, setting), group in results[results["chosen"] == "yes"].groupby(
        ["system", "setting"], sort=False
    ):
        values = group.set_index("metric")
        shown = json.loads(str(setting))
        rows.append(
            (
                str(system),
                ", ".join(f"{name} = {value}" for name, value in shown.items()) or "defaults",
                str(tried[system]),
                *(
                    f"{values.loc[m, 'ours']:.4f} ({values.loc[m, 'published']:.4f})"
                    for m in metrics
                ),
                f"{values['distance'].iloc[0]:.2%}",
            )
        )
    columns = [
        Column("System"),
        Column("Setting", width=0.4),
        Column("Tried", "right"),
        *(Column(f"{metric}: ours (published)", "right") for metric in metrics),
        Column("Distance", "right"),
    ]
    return printed(display, columns, rows)
