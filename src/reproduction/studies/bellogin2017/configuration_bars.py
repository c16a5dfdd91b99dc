# SPDX-License-Identifier: MIT
"""Bar charts of metrics: one group per evaluation configuration, one bar per system."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from receval.figures.display import DisplayStyle
from receval.figures.finish import legend_below, letter_panels
from receval.figures.style import DOUBLE_COLUMN, new_figure, short_number
from receval.storage.files import real_values
from reproduction.studies._shared.figures.bars import GROUP_WIDTH
from reproduction.studies._shared.figures.published_marks import published_line
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.bellogin2017._shared.system_bars import (
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
    bars = means_with_intervals(results)
    bars["configuration"] = _configurations(bars)
    bars["label"] = bars["metric"] + cutoff_texts(bars)
    drawn = dict(zip(display.parameters["drawn"], display.parameters["titles"], strict=True))
    columns = _columns(bars, bool(display.parameters["own_axis_of_1r"]))
    bars = _with_gaps(bars, list(drawn))
    bound, last = display.parameters["bound_of_1r"], list(drawn)[-1]
    widths = [bars.loc[column.chosen(bars), "configuration"].nunique() for column in columns]
    figure = new_figure(DOUBLE_COLUMN, display.parameters["row_height"] * len(drawn) + 0.5)
    grid = figure.subplots(len(drawn), len(columns), width_ratios=widths, squeeze=False)
    for (label, title), panels in zip(drawn.items(), grid, strict=True):
        for axes, column in zip(panels, columns, strict=True):
            shown = bars[column.chosen(bars) & (bars["label"] == label)]
            if shown["value"].isna().all():
                say_not_defined(axes, f"not defined\nunder {column.relevant}")
                continue
            draw_configurations(axes, shown, display)
            mark_published(axes, shown, display)
            if bound:
                _draw_bound(axes, shown, bound)
            if label != last:
                axes.set_xticklabels([])
        panels[0].set_ylabel(title)
    for axes, column in zip(grid[0], columns, strict=True):
        axes.set_title(column.title(display.datasets))
    letter_panels(grid.flat)
    legend_below(figure)
    return figure


class _Column(NamedTuple):
    """A column of panels: a dataset, and its protocols if not all."""

    dataset: str
    relevant: str
    first: bool

    def chosen(self, bars: pd.DataFrame) -> pd.Series[bool]:
        """Return which rows the column shows."""
        protocols = bars["protocol"].str.startswith(self.relevant)
        return (bars["dataset"] == self.dataset) & protocols

    def title(self, datasets: Mapping[str, str]) -> str:
        """Return the title: the dataset, only once, and the protocols."""
        return ", ".join(filter(None, (datasets[self.dataset] * self.first, self.relevant)))


def _columns(bars: pd.DataFrame, own_axis_of_1r: bool) -> list[_Column]:
    columns = []
    for dataset in dict.fromkeys(bars["dataset"]):
        protocols = bars.loc[bars["dataset"] == dataset, "protocol"]
        kinds = list(dict.fromkeys(protocols.str[:2])) if own_axis_of_1r else [""]
        columns += [_Column(str(dataset), kind, kind == kinds[0]) for kind in kinds]
    return columns


def _draw_bound(axes: Axes, bars: pd.DataFrame, bound: float) -> None:
    """Draw a line at the largest possible value over the groups of 1R."""
    for place, configuration in enumerate(dict.fromkeys(bars["configuration"])):
        if str(configuration).startswith("1R"):
            ends = (place - GROUP_WIDTH / 2, place + GROUP_WIDTH / 2)
            axes.set_ylim(top=max(axes.get_ylim()[1], 1.08 * bound))
            name = f"bound: {short_number(f'{bound:.2f}')}"
            published_line(axes, ends, (bound, bound), name)


def cutoff_texts(rows: pd.DataFrame) -> pd.Series[str]:
    """Return each row's cut-off as in labels: ``@10``, or an empty text."""
    texts = [f"@{n:g}" if n == n else "" for n in real_values(rows["cutoff"])]
    return pd.Series(texts, index=rows.index, dtype=str)


def _configurations(bars: pd.DataFrame) -> pd.Series[str]:
    """Return a label per row: the protocol, and below it the number of sampled candidates."""
    return bars["protocol"] + "\n" + bars["sampled"].map(sampled_text)


def _with_gaps(bars: pd.DataFrame, labels: list[str]) -> pd.DataFrame:
    """Return the bars of some metrics, with NaN where a metric has no value."""
    keys = ["dataset", "protocol", "configuration", "system"]
    groups = bars[keys].drop_duplicates()
    wanted = pd.concat([groups.assign(label=label) for label in labels], ignore_index=True)
    return wanted.merge(bars, on=[*keys, "label"], how="left")
