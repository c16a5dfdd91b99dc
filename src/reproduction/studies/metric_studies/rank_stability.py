# SPDX-License-Identifier: MIT
"""Rank stability: how much metrics change their order of systems with fewer judgments."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Annotation
from matplotlib.ticker import MultipleLocator
from matplotlib.transforms import ScaledTranslation
from numpy.typing import ArrayLike, NDArray

from receval.figures.curves import line, mute, plain_ticks
from receval.figures.display import DisplayStyle, panel_title
from receval.figures.finish import (
    NOTE_COLOUR,
    beside,
    figure_of,
    letter_panels,
    print_heading,
    settle_layout,
)
from receval.figures.line_labels import label_lines, readable
from receval.figures.printed_numbers import fixed
from receval.figures.style import DOUBLE_COLUMN, SINGLE_COLUMN, SeriesStyle, new_figure
from receval.figures.tables import Table, printed
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from receval.storage.archives import Archive
from receval.storage.files import real_values
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from receval.metrics.metric import Metric

_PARTS = ("dataset", "systems", "complete", "values", "evaluated_users")
"""Names of an experiment's arrays in an archive."""

SPREAD = (5.0, 95.0)
"""Percentiles of samples, or of draws of a test, that bound bands and lines."""


@dataclass(frozen=True)
class SampledValues:
    """Values of one experiment under sampled judgments, averaged over folds.

    ``percents`` are the kept shares, in per cent. Aggregated metrics are labels of average and
    metric. ``complete``, with all judgments, has the shape (n_aggregated_metrics, n_systems), and
    ``values`` (n_levels, n_samples, n_aggregated_metrics, n_systems). ``evaluated_users``, of shape
    (n_levels, n_samples), is the number of users still averaged, over all folds.
    """

    dataset: str
    percents: NDArray[np.float64]
    aggregated_metrics: tuple[tuple[str, str], ...]
    systems: tuple[str, ...]
    complete: NDArray[np.float64]
    values: NDArray[np.float64]
    evaluated_users: NDArray[np.int64]

    def of(self, average: str, metric: str) -> int:
        """Return the index of an aggregated metric."""
        if (average, metric) not in self.aggregated_metrics:
            there = ", ".join(f"{one} {label}" for one, label in self.aggregated_metrics)
            raise KeyError(f"{average} {metric} was not measured on {self.dataset}; {there} were.")
        return self.aggregated_metrics.index((average, metric))


def read_samplings(path: Path) -> list[SampledValues]:
    """Read what :func:`reproduction.workflow.jobs.measurements.sample_judgments` wrote."""
    with Archive(path) as archive:
        pairs = archive.array("aggregated_metrics", str, (None, 2))
        percents = archive.array("percents", np.float64, (None,))
        ends = "/dataset"
        names = [name.removesuffix(ends) for name in archive.names if name.endswith(ends)]
        of_experiments = [f"{name}/{part}" for name in names for part in _PARTS]
        archive.check_names(("aggregated_metrics", "percents", *of_experiments))
        return [_sampled(archive, name, pairs, percents) for name in names]


def _sampled(
    archive: Archive, name: str, pairs: NDArray[np.str_], percents: NDArray[np.float64]
) -> SampledValues:
    systems = tuple(map(str, archive.array(f"{name}/systems", str, (None,))))
    measured = (len(pairs), len(systems))
    users = archive.array(f"{name}/evaluated_users", np.int64, (len(percents), None))
    return SampledValues(
        dataset=str(archive.array(f"{name}/dataset", str, ())),
        percents=percents,
        aggregated_metrics=tuple((str(average), str(metric)) for average, metric in pairs),
        systems=systems,
        complete=archive.array(f"{name}/complete", np.float64, measured),
        values=archive.array(f"{name}/values", np.float64, (*users.shape, *measured)),
        evaluated_users=users,
    )


def rank_stability(
    judgment_samplings: Iterable[SampledValues],
    metrics: Mapping[str, Metric],
    average: str,
    released: str | None = None,
) -> pd.DataFrame:
    """Correlate the order of systems at every level with that under all judgments.

    Columns: dataset; average (its label); metric (name); kept_percent; tau (Kendall's tau-b,
    averaged over samples); tau_low, tau_high (5th and 95th percentile of the samples);
    computable_samples (number of samples in which not all systems are tied); evaluated_lists (users
    in all folds together, mean over samples). The label of another average, ``released``, adds rows
    for the metrics that were measured so.
    """
    tables = []
    for values in judgment_samplings:
        for name, metric in metrics.items():
            tau = _tau(values, values.of(average, metric.label))
            tables.append(summary_rows(values, average, name, tau, "tau"))
        for name, metric in metrics.items():
            if released is not None and (released, metric.label) in values.aggregated_metrics:
                tau = _tau(values, values.of(released, metric.label))
                tables.append(summary_rows(values, released, name, tau, "tau"))
    return pd.concat(tables, ignore_index=True)


def mean_values(
    judgment_samplings: Iterable[SampledValues], metrics: Mapping[str, Metric], average: str
) -> pd.DataFrame:
    """Return the value of every metric, averaged over systems, at every level.

    Columns: as of :func:`rank_stability`, with ``value`` instead of ``tau``.
    """
    tables = []
    for values in judgment_samplings:
        for name, metric in metrics.items():
            of_metric = values.values[:, :, values.of(average, metric.label)].mean(axis=-1)
            tables.append(summary_rows(values, average, name, of_metric, "value"))
    return pd.concat(tables, ignore_index=True)


def _tau(values: SampledValues, aggregated_metric: int) -> NDArray[np.float64]:
    """Return tau with all judgments by level and sample, shape (n_levels, n_samples)."""
    of_metric = values.values[:, :, aggregated_metric]
    flat = of_metric.reshape(-1, of_metric.shape[-1])
    tau = kendall_tau_b(values.complete[aggregated_metric], flat, TOLERANCE_OF_MEANS)
    return tau.reshape(of_metric.shape[:2])


def summary_rows(
    values: SampledValues, average: str, metric: str, samples: NDArray[np.float64], column: str
) -> pd.DataFrame:
    """Return the rows of one metric: means and spreads over the samples at each level."""
    computable = ~np.isnan(samples)
    some = computable.any(axis=1)
    summary = np.full((3, len(samples)), np.nan)
    summary[0, some] = np.nanmean(samples[some], axis=1)
    summary[1:, some] = np.nanpercentile(samples[some], SPREAD, axis=1)
    return pd.DataFrame(
        {
            "dataset": values.dataset,
            "average": average,
            "metric": metric,
            "kept_percent": values.percents,
            column: summary[0],
            f"{column}_low": summary[1],
            f"{column}_high": summary[2],
            "computable_samples": computable.sum(axis=1),
            "evaluated_lists": values.evaluated_users.mean(axis=1),
        }
    )


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the rank stability, or the mean value, of every metric at every level.

    Parameters of the artifact: ``names`` and ``metrics``; ``average`` (label of the average over
    users, arithmetic by default); ``released_average`` (label of the released tool's average, which
    adds rows for the metrics that were measured so); ``statistic``, ``tau`` or ``value`` (averaged
    over the systems).

    The columns are those of :func:`rank_stability` or :func:`mean_values`.
    """
    parameters = inputs.parameters
    metrics = inputs.named_metrics()
    average = str(parameters.get("average", "arithmetic"))
    found = [
        values for path in inputs.judgment_samplings.values() for values in read_samplings(path)
    ]
    found.sort(key=lambda values: inputs.datasets.index(values.dataset))
    if parameters.get("statistic") == "value":
        return mean_values(found, metrics, average)
    return rank_stability(found, metrics, average, parameters.get("released_average"))


YLABELS = {"tau": "Kendall's $\\tau$", "value": "Value (mean over the systems)"}
NEAR_ONE = "Kendall's $\\tau$ (log scale of 1 \N{MINUS SIGN} $\\tau$)"
FORMS = ("Users without a hit: .00001", "Users without a hit: 1 (*)")
"""Titles of the panels of geometric means, in our form and in the released tool's."""

PAPER = "#7f7f7f"
"""Colour of the paper's values, the same in all figures of the family."""

HEADING = 0.17
"""Height in inches of a line above all panels."""

NEAR = 1.0
"""Mean distance in points up to which two lines share a name, less than their width."""


_FIRST_INTERVAL = 9.0  # points from the panel to the first interval
_NEXT_INTERVAL = 8.5  # points from an interval to the next, enough for upright names
_GAP = 2.5  # points between an interval and its name


_Curves = dict[str, NDArray[np.float64]]
"""Curves by name: levels in ascending order, means, and the ends of their spreads."""


@dataclass(frozen=True)
class _Form:
    """A row of panels: its title, curves and y axis."""

    title: str
    rows: pd.DataFrame
    near_one: bool


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the curves of all metrics by the share that is kept, in descending order.

    Geometric means have a G before the metric's name. A star after it marks those where users
    without a hit count as 1, which have their own panels. The least and most stable metrics of a
    panel, by their means over the levels, have a band for the spread over samples. To the right of
    the panel, each has its name and an interval at the last level.

    Parameters of the artifact: ``kept`` and ``removed`` name what is kept and removed; ``near_one``
    and ``released_near_one`` enlarge the y axis near 1, in our and in the released form; ``lowest``
    is the lower end of an enlarged axis, unless a curve or its band goes below;
    ``named`` lists the metrics with names and colours (all others are thin grey lines; by default
    all are named);
    ``published_above``, the coefficient that all metrics exceed in the paper at
    ``published_level``.
    """
    parameters = display.parameters
    column = "value" if parameters.get("statistic") == "value" else "tau"
    results = results.assign(shown=_shown(results))
    datasets = list(dict.fromkeys(results["dataset"]))
    styles = display.metric_styles(list(dict.fromkeys(results["shown"])))
    forms = _forms(results, display)
    height = 2.8 if len(forms) == 1 else 4.6
    # Dataset and condition are named once: in the title of a single column, else above all.
    single = len(datasets) == 1
    figure = new_figure(*(SINGLE_COLUMN, height) if single else (DOUBLE_COLUMN, height + HEADING))
    heading = None if single else print_heading(figure, parameters["removed"])
    grid = figure.subplots(
        len(forms),
        len(datasets),
        sharex="col",
        sharey="row",
        squeeze=False,
        height_ratios=(1.5, 1)[: len(forms)],
    )
    curves: dict[Axes, _Curves] = {}
    with_intervals: list[Axes] = []
    for form, panels in zip(forms, grid, strict=True):
        for axes, dataset in zip(panels, datasets, strict=True):
            own = form.rows[form.rows["dataset"] == dataset]
            # Values hardly differ between samples, and the text above is not repeated.
            intervals = column == "tau" and form is forms[0]
            curves[axes] = _draw_panel(axes, own, styles, column, parameters.get("named"))
            if intervals and _banded(curves[axes]):
                with_intervals.append(axes)
            named = panel_title(display.datasets[dataset], parameters["removed"], alone=single)
            axes.set_title("\n".join(filter(None, (named * (form is forms[0]), form.title))))
        _set_scale(panels[0], form, column, float(parameters.get("lowest", 1)))
    for axes, dataset in zip(grid[-1], datasets, strict=True):
        axes.set_xlabel(f"{parameters['kept']} (%)")
        levels = results.loc[results["dataset"] == dataset, "kept_percent"]
        most, least = levels.max(), levels.min()
        axes.set_xlim(most, min(least, most - 1))
        axes.xaxis.set_major_locator(MultipleLocator(5 if most - least <= 25 else 20))
    if "published_above" in parameters:
        for axes, dataset in zip(grid[0], datasets, strict=True):
            if display.is_real(dataset):
                _mark_published(
                    axes, float(parameters["published_level"]), float(parameters["published_above"])
                )
    letter_panels(grid.flat)
    names = {axes: _print_names(axes, curves[axes], styles) for axes in with_intervals}
    label_lines((axes for axes in grid.flat if axes not in names), near=NEAR)
    settle_layout(figure)
    for axes, own_names in names.items():
        _draw_intervals(axes, curves[axes], styles, own_names)
    if heading is not None:
        heading.set_x(round(grid[0, 0].get_position().x0, 6))
    return figure


def _shown(results: pd.DataFrame) -> pd.Series[str]:
    geometric = results["average"].str.startswith("geometric").map({True: "G", False: ""})
    star = results["average"].str.contains("zeros=one").map({True: "*", False: ""})
    return geometric + results["metric"] + star


def _forms(results: pd.DataFrame, display: DisplayStyle) -> list[_Form]:
    parameters = display.parameters
    near_one = bool(parameters.get("near_one", False))
    released = results["average"].str.contains("zeros=one")
    if not released.any():
        return [_Form("", results, near_one)]
    # The released form of a metric is shown beside its own, which the other panel enlarges.
    affected = results["metric"].isin(set(results.loc[released, "metric"]))
    return [
        _Form(FORMS[0], results[~released], near_one),
        _Form(FORMS[1], results[affected], bool(parameters.get("released_near_one", False))),
    ]


def _draw_panel(
    axes: Axes,
    rows: pd.DataFrame,
    styles: Mapping[str, SeriesStyle],
    column: str,
    named: Collection[str] | None,
) -> _Curves:
    """Draw the curves of a panel and bands of some; return the numbers of the named curves."""
    curves = {
        str(name): real_values(
            own.sort_values("kept_percent")[
                ["kept_percent", column, f"{column}_low", f"{column}_high"]
            ]
        ).T
        for name, own in rows.groupby("shown", sort=False)
        if real_values(own[column]).size and not np.isnan(real_values(own[column])).all()
    }
    with_names = {name: own for name, own in curves.items() if named is None or name in named}
    banded = _banded(with_names) if column == "tau" else set()
    for name, (kept, mean, low, high) in curves.items():
        band = (low, high) if name in banded else None
        label = name if name in with_names else "_"
        line(axes, kept, mean, styles[name], label, band=band, markers=False)
        if name not in with_names:
            mute(axes.lines[-1])
    return with_names


def _banded(curves: _Curves) -> set[str]:
    """Return the names of the curves with a band, among those whose samples differ.

    They are the two released forms, or the least and most stable curves.
    """
    means = {
        name: round(float(np.nanmean(mean)), 9)
        for name, (_, mean, low, high) in curves.items()
        if np.nanmax(high - low) > 0
    }
    starred = {name for name in means if name.endswith("*")}
    if starred or not means:
        return starred
    return {min(means, key=means.__getitem__), max(means, key=means.__getitem__)}


def _print_names(
    axes: Axes, curves: _Curves, styles: Mapping[str, SeriesStyle]
) -> dict[str, Annotation]:
    """Print the names of all curves upright to the right of a panel, in the order of their ends."""
    order = sorted(curves, key=lambda name: -round(float(_last(curves[name])[0]), 9))
    return {
        name: beside(
            axes,
            name,
            (1, float(np.mean(axes.get_ylim()))),
            (_FIRST_INTERVAL + rank * _NEXT_INTERVAL, 0),
            xycoords=axes.get_yaxis_transform(),
            rotation=90,
            color=readable(styles[name].colour),
            ha="center",
            va="center",
            annotation_clip=False,
        )
        for rank, name in enumerate(order)
    }


def _last(curve: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return mean and spread of a curve at the last level with a value."""
    return np.asarray(curve[1:, ~np.isnan(curve[1])][:, 0])


def _draw_intervals(
    axes: Axes, curves: _Curves, styles: Mapping[str, SeriesStyle], names: Mapping[str, Annotation]
) -> None:
    """Draw the mean and spread of every curve at the last level, and put its name beside it.

    The layout is final. A curve without a value at the last level only has a name.
    """
    top = axes.get_window_extent().y1
    for name, text in names.items():
        across, _ = text.get_position()
        _draw_interval(axes, curves[name][1:, 0], styles[name].colour, across)
        _, low, high = _last(curves[name])
        text.xy = (1, high)
        text.set(position=(across, _GAP), verticalalignment="bottom")
        if text.get_window_extent().y1 > top:
            text.xy = (1, low)
            text.set(position=(across, -_GAP), verticalalignment="top")


def _draw_interval(axes: Axes, ends: np.ndarray, colour: str, points: float) -> None:
    """Draw mean and spread at the last level, some points to the right of the panel."""
    shift = ScaledTranslation(points / 72, 0, figure_of(axes).dpi_scale_trans)
    place = axes.get_yaxis_transform() + shift
    mean, low, high = ends
    for values, marker in (((low, high), ""), ((mean,), ".")):
        interval = Line2D(
            [1] * len(values),
            values,
            color=colour,
            linewidth=1,
            marker=marker,
            markersize=5,
            transform=place,
            clip_on=False,
            label="_interval",
        )
        axes.add_artist(interval)


# An axis for coefficients near 1, with a logarithmic scale of the distance to 1.

LINEAR_BELOW = 0.003
"""Distance to 1 up to which the scale is about linear, so that it includes 1 itself."""

MARKED = (1, 0.99, 0.97, 0.9, 0.7, 0)
"""Ticks of the axis that lie within it."""


def scale_near_one(axes: Axes, lowest: float) -> None:
    """Set a logarithmic scale of 1 - y for the y axis of a panel and those that share it.

    It is the inverse hyperbolic sine of 1 - y in units of ``LINEAR_BELOW``: linear near 1,
    logarithmic from there on, without a kink.
    """
    if not lowest < 1:
        raise ValueError(f"The axis would end at {lowest:g}: give a number below 1.")
    axes.set_yscale("function", functions=(_forward, _inverse))
    axes.set_ylim(lowest, 1 + LINEAR_BELOW / 10)
    plain_ticks(axes.yaxis, [mark for mark in MARKED if mark >= lowest])


def _forward(values: ArrayLike) -> NDArray[np.float64]:
    missing = 1 - np.asarray(values, dtype=np.float64)
    return np.asarray(-np.arcsinh(missing / LINEAR_BELOW))


def _inverse(values: ArrayLike) -> NDArray[np.float64]:
    return np.asarray(1 - LINEAR_BELOW * np.sinh(-np.asarray(values, dtype=np.float64)))


def _set_scale(axes: Axes, form: _Form, column: str, lowest: float) -> None:
    axes.set_ylabel(NEAR_ONE if form.near_one else YLABELS[column])
    if column == "value":
        axes.set_ylim(bottom=0)
        return
    # Neither a curve nor the end of a band may be cut off, nor space wasted far below all.
    least = float(np.nanmin(real_values(form.rows[[column, f"{column}_low"]]), initial=1.0))
    if form.near_one:
        scale_near_one(axes, lowest if least >= lowest else least - 0.02)
    else:
        step = 0.1 if least > 0 else 0.2
        axes.set_ylim(step * np.floor((least - 0.02) / step), 1.02)


def _mark_published(axes: Axes, percent: float, tau: float) -> None:
    """Mark the coefficient that all metrics exceed in the paper at a level."""
    mark = Line2D(
        [percent], [tau], marker="o", markersize=4, fillstyle="none", color=PAPER, label="_paper"
    )
    axes.add_artist(mark)
    style = {"ha": "center", "va": "top", "color": NOTE_COLOUR}
    beside(axes, "paper: all above", (percent, tau), (0, -4), **style)


def data_by_cutoff(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the rank stability of each metric at each cut-off, at every level.

    Parameters of the artifact: ``names`` and ``metrics``; a name is that of the metric and its
    cut-off, such as ``P@5``.

    The columns are those of
    :func:`reproduction.studies.metric_studies.rank_stability.rank_stability`, with
    ``judgment_sampling`` (its name in the study's configuration) and ``cutoff`` besides.
    """

    metrics = inputs.named_metrics()
    tables = [
        rank_stability(read_samplings(path), metrics, "arithmetic").assign(judgment_sampling=name)
        for name, path in inputs.judgment_samplings.items()
    ]
    table = pd.concat(tables, ignore_index=True)
    parts = table["metric"].str.split("@")
    named = table.assign(metric=parts.str[0], cutoff=parts.str[1].astype(int))
    first = ["dataset", "judgment_sampling", "metric", "cutoff"]
    return named[[*first, *(name for name in table if name not in first)]]


def tabulate_by_cutoff(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print tau by metric and cut-off, averaged over the levels with fewer judgments.

    The parameter ``removed`` of the artifact names what the judgment samplings remove.
    """
    samplings = dict.fromkeys(results["judgment_sampling"])
    removed = dict(zip(samplings, display.parameters["removed"], strict=True))
    fewer = results[results["kept_percent"] < 100]
    keys = ["dataset", "judgment_sampling", "metric"]
    tau = fewer.pivot_table("tau", keys, "cutoff", sort=False)
    rows = [
        (display.datasets[dataset], removed[sampling], metric, *(fixed(one, 3) for one in values))
        for (dataset, sampling, metric), values in zip(tau.index, tau.to_numpy(), strict=True)
    ]
    texts = ("Dataset", "Removed", "Metric")
    return printed(display, texts, [f"@{cutoff}" for cutoff in tau.columns], rows)
