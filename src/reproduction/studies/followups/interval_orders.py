# SPDX-License-Identifier: MIT
"""Orders of systems by means on interval scales, compared with those by the metrics' own."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.heat_map import two_decimals
from receval.figures.tables import Table, printed
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b, pair_signs
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups.interval_decisions import (
    OWN,
    SCALES,
    metrics_with_gain,
    values_on_scales,
)

SHORT_TITLES = {"equal-steps": "Steps", "mean-ranks": "Ranks"}
"""Headings of the scales in the table."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the means of all systems on all scales, and the agreement with the own scale.

    Parameters of the artifact: those of :mod:`.interval_decisions`.

    Columns: dataset; metric; scale (``own``, ``equal-steps`` or ``mean-ranks``); system; value
    (mean over users); tau (Kendall's tau-b of the order of all systems with that on the own scale);
    swapped (share of swapped pairs of systems); pairs; lists (how many users are averaged).
    """
    (experiment,) = inputs.experiments.values()
    metrics = metrics_with_gain(inputs)
    values = values_on_scales(experiment, metrics)
    tables = []
    for index, metric in enumerate(metrics):
        own = values[OWN][index].mean(axis=1)
        for scale in (OWN, *SCALES):
            means = values[scale][index].mean(axis=1)
            signs = [pair_signs(each, TOLERANCE_OF_MEANS) for each in (own, means)]
            tables.append(
                pd.DataFrame(
                    {
                        "dataset": experiment.dataset,
                        "metric": metric,
                        "scale": scale,
                        "system": experiment.all_systems,
                        "value": means,
                        "tau": kendall_tau_b(own, means, TOLERANCE_OF_MEANS).item(),
                        "swapped": float(np.mean(signs[0] * signs[1] < 0)),
                        "pairs": len(signs[0]),
                        "lists": values[scale].shape[2],
                    }
                )
            )
    return pd.concat(tables, ignore_index=True)


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print tau and the number of swapped pairs, by metric and scale."""
    found = results.drop_duplicates(["metric", "scale"]).set_index(["metric", "scale"])
    rows = []
    for metric in dict.fromkeys(results["metric"]):
        cells = []
        for scale in SCALES:
            row = found.loc[(metric, scale)]
            cells += [two_decimals(float(row["tau"])), str(round(row["swapped"] * row["pairs"]))]
        rows.append((str(metric), *cells))
    heads = [f"{SHORT_TITLES[s]}, {head}" for s in SCALES for head in ("$`\\tau`$", "pairs")]
    return printed(display, ["Metric"], heads, rows)
