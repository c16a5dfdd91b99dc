"""Figure 5: the more skewed the popularity of items, the better popularity seems to recommend."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator, PercentFormatter
from numpy.typing import NDArray

from receval.figures.curves import line
from receval.figures.display import DisplayStyle
from receval.figures.style import (
    DOUBLE_COLUMN,
    INK,
    SeriesStyle,
    new_figure,
    ordered_styles,
    series_styles,
)
from receval.storage.files import read_results, real_values
from receval.studies._shared.inputs import ArtifactInputs

POINTS = 100
"""Points of a curve of cumulated popularity at most."""

LEGEND_PAD = 0.6
"""Room between a legend and the frame of its panel, in font sizes."""

TEXTS = ["panel", "dataset", "skewness", "system", "protocol", "sampled", "metric"]
NUMERIC = ["rank", "item_share", "rating_share", "value", "lists"]

KEYS = ["dataset", "skewness", "system", "protocol", "sampled", "metric"]
"""What tells the values on simulated ratings apart, but for the repetition."""

SIMULATED, MEASURED, POSITIVE = "simulated", "measured", "positive"
CUMULATED = "cumulative share"
SOURCE = "source"
"""Instead of a skewness: the dataset that the simulated ones have their size from."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the results of the three panels, and what the paper's text says of them.

    Columns: panel; dataset; skewness (of simulated ratings, empty for others); system; protocol;
    sampled (number of sampled candidates, empty if all are ranked); metric; rank,
    item_share and rating_share (of a point of a curve: the number of items, their share, and the
    share of the ratings that they have); value; lists (that the value averages). Panels:

    ``simulated``
        Cumulative share of ratings of every skewness, and of the dataset that the law of
        popularity is fitted to; alpha, c1 and c2 of that fit.
    ``measured``
        Metrics of the systems on simulated ratings, means over repetitions.
    ``positive``
        Cumulative share of positive ratings; positive ratings, the items that have some, and the
        share of the users who like the most liked item.
    """
    tables = [_simulated(inputs), _measured(inputs), _positive(inputs)]
    results = pd.concat(tables, ignore_index=True).reindex(columns=[*TEXTS, *NUMERIC])
    results[TEXTS] = results[TEXTS].fillna("")
    return results.astype(
        {
            "rank": "Int64",
            "lists": "Int64",
            "item_share": float,
            "rating_share": float,
            "value": float,
        }
    )


def _simulated_values(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the values of all systems on simulated ratings."""
    tables = [
        read_results(path).assign(system=system)
        for files in inputs.simulations.values()
        for system, path in files.items()
    ]
    return pd.concat([pd.DataFrame(columns=[*KEYS, "value", "lists"]), *tables], ignore_index=True)


def _simulated(inputs: ArtifactInputs) -> pd.DataFrame:
    from receval.simulation.skewed_popularity import ShiftedPowerLaw

    tables = [pd.DataFrame()]
    for dataset, rows in _simulated_values(inputs).groupby("dataset", sort=False):
        ratings = inputs.ratings(str(dataset))
        n_items, n_ratings = ratings.n_items, len(ratings)
        counts = np.bincount(ratings.items, minlength=n_items)
        law = ShiftedPowerLaw.fit(counts)
        for skewness in sorted(set(rows["skewness"])):
            simulated = law.with_skewness(skewness, n_items, n_ratings)
            shown = simulated.counts(n_items, ratings.n_users, n_ratings)
            tables.append(_curve(shown).assign(dataset=dataset, skewness=f"{skewness:g}"))
        metadata = {"alpha": law.alpha, "c1": law.c1, "c2": law.c2}
        own = pd.concat([_curve(counts), _metadata(metadata)])
        tables.append(own.assign(dataset=dataset, skewness=SOURCE))
    return pd.concat(tables, ignore_index=True).assign(panel=SIMULATED)


def _measured(inputs: ArtifactInputs) -> pd.DataFrame:
    means = (
        _simulated_values(inputs)
        .groupby(KEYS, sort=False, as_index=False)
        .agg(value=("value", "mean"), lists=("lists", "sum"))
    )
    means["skewness"] = means["skewness"].map("{:g}".format)
    return means.assign(panel=MEASURED)


def _positive(inputs: ArtifactInputs) -> pd.DataFrame:
    from receval.metrics.judged_items import DatasetMetadata

    names, thresholds = (inputs.parameters[name] for name in ("curves", "thresholds"))
    tables = [pd.DataFrame()]
    for dataset, threshold in zip(names, thresholds, strict=True):
        if dataset not in inputs.datasets:
            continue
        ratings = inputs.ratings(dataset)
        counts = DatasetMetadata.of(ratings, threshold).positive_ratings
        metadata = {
            "positive ratings": counts.sum(),
            "items with positive ratings": (counts > 0).sum(),
            "share of users who like the most liked item": counts.max() / ratings.n_users,
        }
        tables += [
            _curve(counts).assign(dataset=dataset),
            _metadata(metadata).assign(dataset=dataset),
        ]
    return pd.concat(tables, ignore_index=True).assign(panel=POSITIVE)


def _curve(counts: NDArray[np.int64]) -> pd.DataFrame:
    from receval.statistics.concentration import cumulative_shares

    ranks, shares = cumulative_shares(counts, POINTS)
    item_share = ranks / ranks[-1]
    return pd.DataFrame(
        {"metric": CUMULATED, "rank": ranks, "item_share": item_share, "rating_share": shares}
    )


def _metadata(metadata: Mapping[str, float]) -> pd.DataFrame:
    return pd.DataFrame({"metric": list(metadata), "value": list(metadata.values())})


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the panels that have results: simulated popularity, precision, positive ratings."""
    drawn = {SIMULATED: _draw_simulated, MEASURED: _draw_measured, POSITIVE: _draw_positive}
    there = [panel for panel in drawn if panel in set(results["panel"])]
    figure = new_figure(DOUBLE_COLUMN, 2.7)
    for axes, panel in zip(figure.subplots(1, len(there), squeeze=False)[0], there, strict=True):
        drawn[panel](axes, results[results["panel"] == panel], display)
    return figure


def _draw_simulated(axes: Axes, rows: pd.DataFrame, display: DisplayStyle) -> None:
    rows = rows[rows["metric"] == CUMULATED]
    names = [name for name in dict.fromkeys(rows["skewness"]) if name != SOURCE]
    # Every second of many: nine curves side by side would be read off by nobody.
    names = names[:: max(1, len(names) // 4)]
    styles = ordered_styles(names)
    for name in names:
        _draw_curve(axes, rows[rows["skewness"] == name], styles[name], f"$\\alpha$ = {name}")
    own = rows[rows["skewness"] == SOURCE]
    title = display.datasets[own["dataset"].iloc[0]]
    _draw_curve(axes, own, SeriesStyle(INK, line=":"), title, markers=False)
    axes.set_title("Simulated popularity")
    axes.set_ylabel("Cumulative share of ratings")
    axes.legend(loc="lower right", borderaxespad=LEGEND_PAD)


def _draw_measured(axes: Axes, rows: pd.DataFrame, display: DisplayStyle) -> None:
    rows = rows[
        (rows["metric"] == display.parameters["metric"])
        & (rows["protocol"] == display.parameters["protocol"])
    ]
    systems = list(dict.fromkeys(rows["system"]))
    styles = display.styles(systems)
    for name in systems:
        curve = rows[rows["system"] == name]
        skewness = curve["skewness"].astype(float)
        line(axes, skewness, curve["value"].astype(float), styles[name], display.titles[name])
    axes.set_title("Effect on precision")
    axes.set_xlabel("Skewness $\\alpha$")
    axes.set_ylabel(f"{display.parameters['metric']} ({rows['protocol'].iloc[0]})")
    axes.set_ylim(bottom=0)
    sampled = rows["sampled"].iloc[0]
    if sampled != "":
        axes.axhline(1 / (int(sampled) + 1), color=INK, linestyle=":", linewidth=0.8, label="$1/t$")
    axes.legend(loc="upper left", borderaxespad=LEGEND_PAD)


def _draw_positive(axes: Axes, rows: pd.DataFrame, display: DisplayStyle) -> None:
    rows = rows[rows["metric"] == CUMULATED]
    datasets = list(dict.fromkeys(rows["dataset"]))
    styles = series_styles(list(display.parameters["curves"]))
    for name in datasets:
        _draw_curve(axes, rows[rows["dataset"] == name], styles[name], display.datasets[name])
    axes.set_title("Positive ratings")
    axes.set_ylabel("Cumulative share of positive ratings")
    axes.legend(loc="lower right", borderaxespad=LEGEND_PAD)


def _draw_curve(
    axes: Axes, rows: pd.DataFrame, style: SeriesStyle, label: str, *, markers: bool = True
) -> None:
    items, shares = (real_values(rows[name]) for name in ("item_share", "rating_share"))
    # All curves begin where no item has no share.
    line(axes, [0.0, *items], [0.0, *shares], style, label, markers=markers)
    axes.set_xlabel("Share of items, by popularity")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1.02)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MultipleLocator(0.25))
        axis.set_major_formatter(PercentFormatter(xmax=1, decimals=0, symbol=" %"))
