"""Every system against the values published for it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from receval.evaluation.experiment import Experiment
from receval.evaluation.tidy_values import Measurement, means_over_folds, measure_experiment, tidy
from receval.figures.display import DisplayStyle
from receval.figures.legend import legend_below, note
from receval.figures.style import COLOURS, DOUBLE_COLUMN, INK, MARKERS, new_figure
from receval.metrics.registry import parse
from receval.studies._shared.inputs import ArtifactInputs
from receval.studies._shared.published import read_published

KEYS = ["dataset", "split", "judgments", "system", "metric"]


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the published and our own value of every system and metric of the experiments.

    Columns: study (whose values); dataset; split; judgments (``test``, or ``unbiased`` for
    randomly drawn items); protocol; system; metric; searched (``yes`` where the searches for
    settings looked at the metric, so that agreement is no evidence); published; ours (mean
    over folds); relative_difference (ours / published - 1; NaN where published is 0); lists (how
    many lists our value averages, over all folds).

    Raises
    ------
    ValueError
        If a published value belongs to a system that the experiments do not have.
    """
    if inputs.published is None:
        raise ValueError("The artifact needs the key published: the table to compare with.")
    published = read_published(inputs.published)
    metrics = inputs.parameters["metrics"]
    ours = pd.concat([_own_values(e, metrics) for e in inputs.experiments.values()])
    ours = ours.rename(columns={"value": "ours"})
    known = published.merge(ours[["dataset", "split"]].drop_duplicates(), on=["dataset", "split"])
    known = known[known["metric"].isin(metrics)]
    table = known.merge(ours, on=KEYS, how="left", validate="one_to_one")
    without = table[table["ours"].isna()]
    if len(without):
        first = without.iloc[0]
        raise ValueError(
            f"{inputs.published} has a value of {first['system']} on {first['dataset']}, split "
            f"{first['split']}, judgments {first['judgments']}, which no experiment has."
        )
    table["searched"] = np.where(
        table["metric"].isin(inputs.parameters["searched_metrics"])
        & (table["study"] == inputs.parameters["searched_study"]),
        "yes",
        "",
    )
    relative = table["ours"] / table["published"].where(table["published"] != 0) - 1
    table["relative_difference"] = relative
    columns = ["study", "dataset", "split", "judgments", "protocol", "system", "metric"]
    return table[[*columns, "searched", "published", "ours", "relative_difference", "lists"]]


def _own_values(experiment: Experiment, labels: Sequence[str]) -> pd.DataFrame:
    has_unbiased = experiment.fold(0).unbiased is not None
    measurements = [
        Measurement(
            tuple(map(parse, labels)),
            experiment.evaluated_users,
            names=tuple(labels),
            judgments=part,
        )
        for part in (("test", "unbiased") if has_unbiased else ("test",))
    ]
    folds = tidy(measure_experiment(experiment, measurements))
    return means_over_folds(folds, [*KEYS, "protocol"])


LINEAR_UP_TO = 1.0
"""Percent: the axis of differences is linear up to it and logarithmic beyond."""

FARTHEST = 200.0
"""Percent: larger differences are drawn at the edge."""

TICKS = (-100, -5, 0, 5, 100)

ROW_HEIGHT = 0.15
"""Inches of a system."""

PANEL = ["study", "dataset", "judgments"]


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the relative differences, a panel for each set of published values.

    The panels of a study share the systems, from the best to the worst by the first metric as
    published for the first of the panels.
    """
    # An empty cell is text: there is no relative difference from a published 0.
    relative = pd.to_numeric(results["relative_difference"], errors="coerce")
    results = results.assign(relative_difference=relative)
    metrics = list(dict.fromkeys(results["metric"]))
    orders = {
        str(study): _best_first(rows, metrics[0])
        for study, rows in results.groupby("study", sort=False)
    }
    most = max(map(len, orders.values()))
    panels = [(str(names[0]), names, rows) for names, rows in results.groupby(PANEL, sort=False)]
    figure = new_figure(DOUBLE_COLUMN, 1.3 + ROW_HEIGHT * most)
    all_axes = figure.subplots(1, len(panels), squeeze=False)[0]
    labelled: set[str] = set()
    for axes, (study, (_, dataset, judgments), rows) in zip(all_axes, panels, strict=True):
        heights = {system: -rank for rank, system in enumerate(orders[study])}
        _panel(axes, rows, metrics, heights)
        titles = [display.titles[system] for system in heights] if study not in labelled else []
        axes.set_yticks(list(heights.values()), titles or [""] * len(heights))
        axes.set_ylabel("" if study in labelled else study)
        axes.set_title(display.datasets[str(dataset)] + "\nunbiased" * (judgments == "unbiased"))
        labelled.add(study)
    if (results["searched"] == "yes").any():
        all_axes[-1].plot([], [], "o", color=INK, mfc="white", label="hollow: seen by the search")
    legend_below(figure)
    if display.absence:
        note(figure, display.absence)
    return figure


def _best_first(rows: pd.DataFrame, metric: str) -> list[str]:
    first = rows[rows["metric"] == metric].drop_duplicates("system")
    ordered = first.sort_values("published", ascending=False, kind="stable")
    return list(dict.fromkeys([*ordered["system"], *rows["system"]]))


def _panel(axes: Axes, rows: pd.DataFrame, metrics: list[str], heights: dict[str, int]) -> None:
    axes.axvspan(-5, 5, color="#EEEEEE", linewidth=0, zorder=0)
    axes.axvline(0, color="#999999", linewidth=0.6, zorder=1)
    for index, metric in enumerate(metrics):
        own = rows[(rows["metric"] == metric) & rows["relative_difference"].notna()]
        percent = np.clip(own["relative_difference"] * 100, -100, FARTHEST)
        at = own["system"].map(heights)
        seen = own["searched"] == "yes"
        colour, marker = COLOURS[index], MARKERS[index]
        if len(own):
            axes.plot([], [], linestyle="none", marker=marker, color=colour, label=metric)
        for chosen, face in ((seen, "white"), (~seen, colour)):
            axes.plot(
                percent[chosen],
                at[chosen],
                linestyle="none",
                marker=marker,
                markersize=3,
                color=colour,
                markerfacecolor=face,
                zorder=3,
            )
    axes.set_xscale("symlog", linthresh=LINEAR_UP_TO, linscale=0.5)
    axes.set_xlabel("difference (%)")
    # Room for the marks at the edge, which would be cut in half.
    axes.set_xlim(-150, 1.3 * FARTHEST)
    axes.xaxis.set_major_locator(FixedLocator(TICKS))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_ylim(1 - len(heights) - 0.6, 0.6)
