# SPDX-License-Identifier: MIT
"""Estimators of metrics: the folds that they read, their names, tables and dot plots."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval.figures.display import DisplayStyle
from receval.storage.files import real_values

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from receval.evaluation.ranked_systems import RankedFold
    from receval.figures.style import SeriesStyle
    from receval.figures.tables import Table
    from reproduction.experiments.experiment import Experiment

MAR = "MAR"
"""The estimator that uses only judgments of randomly drawn items."""

TITLES = {
    ("naive", ""): "Naive",
    ("IPS", "known"): "IPS, known",
    ("SNIPS", "known"): "SNIPS, known",
    ("IPS", "popularity"): "IPS, popularity",
    ("SNIPS", "popularity"): "SNIPS, popularity",
    ("IPS", "10 strata"): "IPS, ten strata",
    ("SNIPS", "10 strata"): "SNIPS, ten strata",
    ("IPS", "MAR sample"): "IPS, rating values",
    ("SNIPS", "MAR sample"): "SNIPS, rating values",
    ("SKEW", ""): "SKEW",
    ("WTD_H", ""): "WTD_H",
    ("WTD", ""): "WTD",
}
"""Titles in the order of figures, from the unweighted test to intervened tests."""

SPREAD = (5.0, 95.0)
"""The percentiles of the draws of a test that figures show."""


def ranked_folds_of(experiment: Experiment) -> Iterator[RankedFold]:
    """Yield the folds of an experiment that has one protocol and unbiased judgments."""
    from receval.evaluation.ranked_systems import RankedFold

    protocol = experiment.only_protocol
    for number in experiment.folds:
        test, unbiased = (
            {
                name: experiment.judged_ranks(name, protocol, number, part)
                for name in experiment.all_systems
            }
            for part in ("test", "unbiased")
        )
        yield RankedFold(number, experiment.fold(number), test, unbiased)


def title_of(estimator: str, propensities: str) -> str:
    """Return the title of an estimator: that of :data:`TITLES`, or ``MAR, 10 a user``."""
    if estimator == MAR and propensities:
        return f"{MAR}, {propensities}"
    return TITLES.get((estimator, propensities), estimator)


def with_titles(results: pd.DataFrame) -> pd.DataFrame:
    """Return results with the column ``title``, in the order of the titles."""
    texts = results.assign(propensities=results["propensities"].fillna("").astype(str))
    names = zip(texts["estimator"].astype(str), texts["propensities"], strict=True)
    places = {title: place for place, title in enumerate(TITLES.values())}
    return texts.assign(title=[title_of(*name) for name in names]).sort_values(
        "title",
        key=lambda titles: titles.map(places).fillna(len(places)),
        kind="stable",
        ignore_index=True,
    )


def printed_by_metric(
    results: pd.DataFrame,
    display: DisplayStyle,
    keys: Mapping[str, str],
    numbers: Mapping[str, tuple[str, Callable[[float], str]]],
) -> Table:
    """Print one row for each combination of keys, with the numbers of all metrics side by side.

    `keys` has the columns of names by their headings. `numbers` has a column and how its numbers
    are written, by their heading below each metric. A metric without a row has dashes.
    """
    from receval.figures.tables import Column, printed

    named = [*keys.values(), "metric"]
    values = {column: real_values(results[column]) for column, _ in numbers.values()}
    cells = results.assign(**values).set_index(named)[list(values)].to_dict("index")
    metrics = dict.fromkeys(results["metric"])
    rows = [
        (
            *name,
            *(
                write(cells[*name, metric][column]) if (*name, metric) in cells else "–"
                for metric in metrics
                for column, write in numbers.values()
            ),
        )
        for name in dict.fromkeys(results[list(keys.values())].itertuples(index=False, name=None))
    ]
    columns = [
        *map(Column, keys),
        *(Column(f"{metric}, {heading}", "right") for metric in metrics for heading in numbers),
    ]
    return printed(display, columns, rows)


# Dot plots of estimators: how well they order systems, and their errors.

Columns = tuple[str, str, str]
"""Columns of a dot and of the ends of its line."""

_ROW, _AROUND, _APART = 0.17, 1.0, 0.16


def draw_rows(
    panels: Sequence[tuple[str, pd.DataFrame]],
    display: DisplayStyle,
    *,
    left: Columns,
    right: Columns,
    labels: tuple[str, str],
    unity: bool,
) -> Figure:
    """Draw two panels for each part of the results, with one row per estimator.

    The left one shows only the first metric, because all have the same values there; the right one
    has a logarithmic scale.
    """
    from matplotlib.ticker import NullFormatter

    from receval.figures.curves import plain_numbers
    from receval.figures.finish import NOTE_COLOUR, legend_below, letter_panels
    from receval.figures.style import DOUBLE_COLUMN, new_figure

    metrics = list(dict.fromkeys(metric for _, rows in panels for metric in rows["metric"]))
    styles = display.metric_styles(metrics)
    heights = [rows["title"].nunique() for _, rows in panels]
    figure = new_figure(DOUBLE_COLUMN, _ROW * sum(heights) + _AROUND * len(panels))
    grid = figure.subplots(
        len(panels), 2, sharey="row", squeeze=False, gridspec_kw={"height_ratios": heights}
    )
    for axes_of_row, (title, rows) in zip(grid, panels, strict=True):
        names = list(dict.fromkeys(rows["title"]))
        first = {metrics[0]: styles[metrics[0]]}
        for axes, columns, label, shown in zip(
            axes_of_row, (left, right), labels, (first, styles), strict=True
        ):
            _dots(axes, rows, names, columns, shown)
            axes.set_xlabel(label)
            axes.set_title(title)
            axes.grid(visible=False, axis="y")
        axes_of_row[1].set_xscale("log")
        plain_numbers(axes_of_row[1].xaxis)
        axes_of_row[1].xaxis.set_minor_formatter(NullFormatter())
        if unity:
            axes_of_row[1].axvline(1, color=NOTE_COLOUR, linewidth=0.7)
        axes_of_row[0].set_yticks(range(len(names)), names)
        axes_of_row[0].set_ylim(len(names) - 0.5, -0.5)
    letter_panels(grid.flat)
    legend_below(figure)
    return figure


def _dots(
    axes: Axes,
    rows: pd.DataFrame,
    names: Sequence[str],
    columns: Columns,
    styles: dict[str, SeriesStyle],
) -> None:
    middle, low, high = columns
    for number, (metric, style) in enumerate(styles.items()):
        own = rows[rows["metric"] == metric].set_index("title").reindex(names)
        shift = _APART * (number - (len(styles) - 1) / 2)
        places = np.arange(len(names)) + 2 * shift
        axes.hlines(places, own[low], own[high], color=style.colour, linewidth=1.0)
        axes.plot(
            own[middle],
            places,
            linestyle="none",
            marker=style.marker,
            color=style.colour,
            markeredgecolor="white",
            markeredgewidth=0.4,
            markersize=4.5,
            label=metric,
        )
