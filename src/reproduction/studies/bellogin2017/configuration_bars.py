# SPDX-License-Identifier: MIT
"""Bar charts of metrics: one group per evaluation configuration, one bar per system."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from textwrap import fill

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.special import stdtrit

from receval.figures.display import DisplayStyle, panel_title
from receval.figures.finish import with_legend
from receval.figures.style import DOUBLE_COLUMN, new_figure, short_number
from receval.statistics.effect_sizes import CONFIDENCE
from receval.storage.files import real_values
from reproduction.studies._shared.bars import GROUP_WIDTH, bar_offsets, grouped_bars
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies._shared.published import published_line, published_mark

CONFIGURATION = ("dataset", "split", "protocol", "sampled", "system", "metric", "cutoff")
"""The columns that identify a bar."""


def means_with_intervals(
    results: pd.DataFrame, keys: Sequence[str] = CONFIGURATION
) -> pd.DataFrame:
    r"""Return the means over folds, with half the widths of their confidence intervals.

    .. math:: h = t_{n-1}(0.975)\, s / \sqrt{n}

    with :math:`s` the standard deviation over the :math:`n` folds; NaN with a single fold. The
    results have one row per fold, and one for the mean, with ``mean`` as its fold.
    """
    by = list(keys)
    folds = results[results["fold"] != "mean"]
    spread = folds.groupby(by, sort=False, dropna=False)["value"].agg(["std", "size"])
    with np.errstate(invalid="ignore"):
        factor = stdtrit(spread["size"] - 1, (1 + CONFIDENCE) / 2) / np.sqrt(spread["size"])
    spread["half_interval"] = factor * spread["std"]
    means = results[results["fold"] == "mean"]
    return means.merge(spread["half_interval"].reset_index(), on=by, how="left")


TITLES_WIDTH = 86
"""How many characters the titles of a row of panels have side by side, their letters included."""

BarPanel = tuple[str, str, pd.DataFrame]
"""The metric of a panel, its title and its bars."""


def draw_bar_grid(
    metrics: Mapping[str, str],
    columns: Sequence[tuple[str, pd.DataFrame]],
    row_height: float,
    draw_panel: Callable[[Axes, pd.DataFrame], None],
) -> Figure:
    """Draw one row of panels per metric.

    The metrics are labels of bars with the titles of their y axes, the columns have titles and
    bars. Metrics that are not defined in some columns have no panels there, and share rows, which
    come first. Only the lowest of equal rows names the configurations.
    """
    rows = _rows_of_panels(metrics, columns)
    blocks = [(widths, list(own)) for widths, own in groupby(rows, _widths)]
    figure = new_figure(DOUBLE_COLUMN, row_height * len(rows) + 0.5)
    grid = figure.add_gridspec(len(blocks), 1, height_ratios=[len(own) for _, own in blocks])
    for place, (widths, own) in enumerate(blocks):
        cells = grid[place].subgridspec(len(own), len(widths), width_ratios=widths)
        for number, row in enumerate(own):
            for column, (label, title, bars) in enumerate(row):
                axes = figure.add_subplot(cells[number, column])
                draw_panel(axes, bars)
                metric = " ".join(metrics[label].split())
                # Rows of panels differ by the metric alone.
                title = f"{title}: {metric}" if len(rows) > 1 else title
                alone = len(rows) == len(columns) == 1
                title = panel_title(title, f"{metric} by target sets", alone=alone)
                axes.set_title(
                    fill(
                        title, TITLES_WIDTH * widths[column] // sum(widths), initial_indent="(a) "
                    )[4:]
                )
                if label not in [panel[0] for panel in row[:column]]:
                    axes.set_ylabel(metrics[label])
                if row is not own[-1]:
                    axes.set_xticklabels([])
    return with_legend(figure.axes)


def _widths(row: list[BarPanel]) -> list[int]:
    """Return the numbers of configurations in a row of panels."""
    return [bars["configuration"].nunique() for *_, bars in row]


def _rows_of_panels(
    metrics: Iterable[str], columns: Sequence[tuple[str, pd.DataFrame]]
) -> list[list[BarPanel]]:
    full: list[list[BarPanel]] = []
    partial: list[list[BarPanel]] = []
    for label in metrics:
        panels = [(label, title, bars[bars["label"] == label]) for title, bars in columns]
        defined = [panel for panel in panels if not panel[-1]["value"].isna().all()]
        if len(defined) in (0, len(panels)):
            full.append(panels)
        elif partial and len(partial[-1]) + len(defined) <= len(columns):
            partial[-1] += defined
        else:
            partial.append(defined)
    return [*partial, *full]


def draw_configurations(axes: Axes, bars: pd.DataFrame, display: DisplayStyle) -> None:
    """Draw the bars of one metric on one dataset."""
    order = bar_order(bars["system"].unique(), display)
    gaps = _gaps(order, display)
    grouped_bars(
        axes,
        bars,
        group="configuration",
        series="system",
        value="value",
        error="half_interval",
        styles=display.styles(order),
        series_labels=display.titles,
        gaps=gaps,
    )
    lowest = (bars["value"] - bars["half_interval"].fillna(0)).min()
    if lowest < 0:
        axes.set_ylim(bottom=1.05 * lowest)
        axes.axhline(0, color="black", linewidth=0.6)


def bar_order(systems: Iterable[str], display: DisplayStyle) -> list[str]:
    """Return systems in the artifact's ``order``, followed by those that the paper lacks."""
    order = [str(name) for name in display.parameters["order"]]
    return sorted(
        systems,
        key=lambda name: (
            name in display.extra_systems,
            order.index(name) if name in order else len(order),
        ),
    )


def _gaps(order: Sequence[str], display: DisplayStyle) -> list[str]:
    """Return the system before whose bar there is a gap: the first that the paper lacks."""
    return [name for name in order if name in display.extra_systems][:1]


def mark_published(axes: Axes, bars: pd.DataFrame, display: DisplayStyle) -> None:
    """Mark the values that the paper prints, on real data only.

    Parameters of the artifact: ``paper``, texts "dataset | protocol | system | metric | value".
    """
    order = bar_order(bars["system"].unique(), display)
    places, _ = bar_offsets(order, _gaps(order, display))
    groups = list(dict.fromkeys(bars["configuration"]))
    for entry in display.parameters["paper"]:
        *bar, value = str(entry).split(" | ")
        found = bars[(bars[["dataset", "protocol", "system", "label"]] == bar).all(axis=1)]
        if len(found) and display.is_real(bar[0]):
            group = groups.index(found["configuration"].iloc[0])
            axes.set_ylim(top=max(axes.get_ylim()[1], 1.1 * float(value)))
            published_mark(axes, group + places[bar[2]], float(value), side="legend")


def sampled_text(sampled: object) -> str:
    """Return the number of sampled candidates as a tick label; empty if all are ranked.

    Examples
    --------
    >>> sampled_text("1700"), sampled_text("")
    ('$|N_u|$ = 1,700', '')
    """
    return f"$|N_u|$ = {int(str(sampled)):,}" if str(sampled) else ""


def cutoff_texts(rows: pd.DataFrame) -> pd.Series[str]:
    """Return each row's cut-off as in labels: ``@10``, or an empty text."""
    texts = [f"@{n:g}" if n == n else "" for n in real_values(rows["cutoff"])]
    return pd.Series(texts, index=rows.index, dtype=str)


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return all metrics by dataset, protocol, system and fold, and their means over folds.

    Parameters of the artifact: ``metrics``. Those missing in ``drawn`` are other forms of the
    metrics in the figure. There is no bpref under 1R, because it needs items judged non-relevant.

    The columns are those of :func:`reproduction.experiments.values.values_by_fold`.
    """
    from reproduction.experiments.values import values_by_fold

    metrics = inputs.metrics()
    tables = [values_by_fold(experiment, metrics) for experiment in inputs.experiments.values()]
    return pd.concat(tables, ignore_index=True)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw one row of panels per drawn metric, with one panel per dataset, where it is defined.

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
        draw_configurations(axes, shown, display)
        mark_published(axes, shown, display)
        if parameters["bound_of_1r"]:
            _draw_bound(axes, shown, parameters["bound_of_1r"])

    columns = _columns(_with_gaps(bars, list(drawn)), display)
    return draw_bar_grid(drawn, columns, parameters["row_height"], draw_panel)


def _columns(bars: pd.DataFrame, display: DisplayStyle) -> list[tuple[str, pd.DataFrame]]:
    """Return the titles of the columns of panels (dataset and protocols) and bars."""
    columns = []
    for dataset, own in bars.groupby("dataset", sort=False):
        relevant = own["protocol"].str[:2]
        kinds = relevant.unique() if display.parameters["own_axis_of_1r"] else [""]
        for kind in kinds:
            title = ", ".join(filter(None, (display.datasets[str(dataset)], kind)))
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


def data_fig08(inputs: ArtifactInputs) -> pd.DataFrame:
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


def draw_fig08(results: pd.DataFrame, display: DisplayStyle) -> Figure:
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
