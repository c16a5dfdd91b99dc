# SPDX-License-Identifier: MIT
"""Figure 8: precision and nDCG under designs that neutralise popularity and under plain ones."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from receval.figures.display import DisplayStyle
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.bellogin2017.configuration_bars import (
    CONFIGURATION,
    cutoff_texts,
    draw_bar_grid,
    draw_configurations,
    means_with_intervals,
    sampled_text,
)


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    r"""Return all metrics by dataset, design, system and fold, and their means over folds.

    Columns: design (1R, -10% head, U1R, P1R, AR, UAR, AI-UAR, or a protocol AR TI-AN, which is not
    drawn but gives the expectations over samples), those of
    :func:`reproduction.experiments.values.values_by_fold`, and of uniform tests
    target_items (:math:`|T|`) and eta (:math:`\eta`, test ratings of each target item).
    """
    from reproduction.experiments.values import values_by_fold

    metrics = inputs.metrics()
    tables = []
    for experiment in inputs.experiments.values():
        table = values_by_fold(experiment, metrics)
        metadata = experiment.split_metadata
        design = table["protocol"].map(lambda name, u="eta" in metadata: design_of(name, u))
        table.insert(0, "design", design)
        table["target_items"] = metadata.get("target_items", np.nan)
        table["eta"] = metadata.get("eta", np.nan)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


# The designs of figure 8, for its drawing and for the paper's relations between them.

ONE_RELEVANT = ("1R", "-10% head", "U1R", "P1R")
"""Designs with one relevant item per list, in the order of the figure."""

ALL_RELEVANT = ("AR", "UAR", "AI-UAR")
"""Designs with all relevant items of a user in one list."""


def design_of(protocol: str, uniform: bool) -> str:
    """Return the paper's name for a protocol on a uniform test or on another split.

    Protocols with all candidates (AR AN) on other splits are not in the figure and keep their own
    names.
    """
    relevant, candidates, *head = protocol.split(maxsplit=2)
    if not uniform and (relevant, candidates[-2:]) == ("AR", "AN"):
        return protocol
    design = head[0] if head else relevant
    if uniform:
        design = f"AI-U{relevant}" if candidates.startswith("AI") else f"U{relevant}"
    if design not in (*ONE_RELEVANT, *ALL_RELEVANT) or (uniform and head):
        where = "a uniform test" if uniform else "a split at random"
        raise ValueError(
            f"{protocol} on {where} is no design of figure 8, which has "
            f"{', '.join((*ONE_RELEVANT, *ALL_RELEVANT))}: leave it out of the experiment."
        )
    return design


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw one row of panels per drawn metric: 1R designs by dataset, then AR designs."""
    bars = means_with_intervals(results, ["design", *CONFIGURATION])
    bars["configuration"] = _labels(bars)
    bars["label"] = bars["metric"].str.partition("(")[0] + cutoff_texts(bars)
    datasets = list(dict.fromkeys(bars["dataset"]))
    columns: list[tuple[str, pd.DataFrame]] = []
    for relevant, designs in (("1R", ONE_RELEVANT), ("AR", ALL_RELEVANT)):
        for dataset in datasets:
            own = bars[(bars["dataset"] == dataset) & bars["design"].isin(designs)]
            if own.empty:
                continue
            order = own["design"].map(designs.index).sort_values(kind="stable")
            columns.append((f"{display.datasets[dataset]}, {relevant}", own.loc[order.index]))
    metrics = {str(label): str(label) for label in display.parameters["drawn"]}
    return draw_bar_grid(
        metrics, columns, 1.9, lambda axes, shown: draw_configurations(axes, shown, display)
    )


def _labels(bars: pd.DataFrame) -> pd.Series[str]:
    """Return the labels of the designs on the axis, with the candidates that each ranks."""
    names = bars["design"].replace("-10% head", "\N{MINUS SIGN}10 % head")
    base = bars["protocol"].str.partition(" ")[2].str[:2]
    return (
        names
        + "\n"
        + bars["sampled"].map(sampled_text).where(bars["sampled"] != "", "all of " + base)
    )
