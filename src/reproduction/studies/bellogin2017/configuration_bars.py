# SPDX-License-Identifier: MIT
"""Bar charts of metrics: one group per evaluation configuration, one bar per system."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from receval.figures.display import DisplayStyle
from receval.figures.style import short_number
from reproduction.studies._shared.figures.bars import GROUP_WIDTH
from reproduction.studies._shared.figures.published_marks import published_line
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.bellogin2017._shared.system_bars import (
    cutoff_texts,
    draw_bar_grid,
    draw_configurations,
    mark_published,
    means_with_intervals,
    sampled_text,
    say_not_defined,
)


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return all metrics by dataset, protocol, system and fold, and their means over folds.

    Parameters of the artifact: ``metrics``. Those missing in ``drawn`` are other forms of the
    metrics in the figure. There is no bpref under 1R, because it needs items judged non-relevant.

    The columns are those of :func:`reproduction.experiments.values_by_fold.values_by_fold`.
    """
    from reproduction.experiments.values_by_fold import values_by_fold

    metrics = inputs.metrics()
    tables = [values_by_fold(experiment, metrics) for experiment in inputs.experiments.values()]
    return pd.concat(tables, ignore_index=True)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw one row of panels per drawn metric, with one panel per dataset.

    Parameters of the artifact: ``drawn`` and, aligned with it, ``titles``; ``row_height`` (inches);
    ``order`` of the bars; ``own_axis_of_1r``, whether 1R has its own panel and axis because its
    values are of another size; ``paper``, values that the paper prints; ``bound_of_1r``, the
    largest possible value under 1R, or 0.
    """
    parameters = display.parameters
    bars = means_with_intervals(results)
    bars["configuration"] = bars["protocol"] + "\n" + bars["sampled"].map(sampled_text)
    bars["label"] = bars["metric"] + cutoff_texts(bars)
    drawn = dict(zip(parameters["drawn"], parameters["titles"], strict=True))

    def draw_panel(axes: Axes, shown: pd.DataFrame) -> None:
        if shown["value"].isna().all():
            say_not_defined(axes, f"not defined\nunder {shown['protocol'].iloc[0][:2]}")
            return
        draw_configurations(axes, shown, display)
        mark_published(axes, shown, display)
        if parameters["bound_of_1r"]:
            _draw_bound(axes, shown, parameters["bound_of_1r"])

    columns = _columns(_with_gaps(bars, list(drawn)), display)
    return draw_bar_grid(drawn, columns, parameters["row_height"], draw_panel)


def _columns(bars: pd.DataFrame, display: DisplayStyle) -> list[tuple[str, pd.DataFrame]]:
    """Return the titles of the columns of panels (the dataset, once, and protocols) and bars."""
    columns = []
    for dataset, own in bars.groupby("dataset", sort=False):
        relevant = own["protocol"].str[:2]
        kinds = relevant.unique() if display.parameters["own_axis_of_1r"] else [""]
        for kind in kinds:
            named = display.datasets[str(dataset)] if kind == kinds[0] else ""
            title = ", ".join(filter(None, (named, kind)))
            columns.append((title, own[relevant.str.startswith(kind)]))
    return columns


def _draw_bound(axes: Axes, bars: pd.DataFrame, bound: float) -> None:
    """Draw a line at the largest possible value over the groups of 1R."""
    for place, configuration in enumerate(dict.fromkeys(bars["configuration"])):
        if str(configuration).startswith("1R"):
            ends = (place - GROUP_WIDTH / 2, place + GROUP_WIDTH / 2)
            axes.set_ylim(top=max(axes.get_ylim()[1], 1.08 * bound))
            name = f"bound: {short_number(f'{bound:.2f}')}"
            published_line(axes, ends, (bound, bound), name)


def _with_gaps(bars: pd.DataFrame, labels: list[str]) -> pd.DataFrame:
    """Return the bars of some metrics, with NaN where a metric has no value."""
    keys = ["dataset", "protocol", "configuration", "system"]
    groups = bars[keys].drop_duplicates()
    wanted = pd.concat([groups.assign(label=label) for label in labels], ignore_index=True)
    return wanted.merge(bars, on=[*keys, "label"], how="left")
