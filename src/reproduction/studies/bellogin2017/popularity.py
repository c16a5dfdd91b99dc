# SPDX-License-Identifier: MIT
"""Figures 5 to 7: how skewed popularity is, in training and in test ratings, and what follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, MaxNLocator, MultipleLocator
from matplotlib.transforms import Bbox
from numpy.typing import ArrayLike, NDArray

from receval.figures.curves import line, plain_numbers
from receval.figures.display import DisplayStyle
from receval.figures.finish import NOTE_SIZE, letter_panels, settle_layout
from receval.figures.line_labels import label_lines, readable
from receval.figures.style import (
    DOUBLE_COLUMN,
    INK,
    LINE_STYLES,
    SINGLE_COLUMN,
    SeriesStyle,
    new_figure,
    ordered_styles,
    short_number,
)
from receval.statistics.inequality import cumulative_shares, popularity_segments
from receval.storage.files import read_results, real_values
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies._shared.published import published_mark

POINTS = 100
"""Largest number of points of a curve of cumulative popularity."""

DATASET_LINES = ("-", ":", "--", "-.")
"""Dash patterns of the datasets, in the order of the configuration."""

LEGEND_PAD = 0.6
"""Space between a legend and the frame of its panel, in font sizes."""

TEXTS = ["panel", "dataset", "skewness", "system", "protocol", "sampled", "metric"]
NUMERIC = ["rank", "item_share", "rating_share", "value", "lists"]

KEYS = ["dataset", "skewness", "system", "protocol", "sampled", "metric"]
"""Columns that identify the values on simulated ratings, without the repetition."""

SIMULATED, MEASURED, POSITIVE = "simulated", "measured", "positive"
CUMULATED = "cumulative share"
SOURCE = "source"
"""Stands instead of a skewness for the dataset whose size the simulated ones have."""


def data_fig05(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the results of the three panels, and the numbers in the paper's text.

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
    values = _simulated_values(inputs)
    tables = [_simulated(inputs, values), _measured(values), _positive(inputs)]
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


def _simulated(inputs: ArtifactInputs, values: pd.DataFrame) -> pd.DataFrame:
    from reproduction.simulation.skewed_popularity import ShiftedPowerLaw

    tables = [pd.DataFrame()]
    for dataset, rows in values.groupby("dataset", sort=False):
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


def _measured(values: pd.DataFrame) -> pd.DataFrame:
    by_key = values.groupby(KEYS, sort=False, as_index=False)
    means = by_key.agg(value=("value", "mean"), lists=("lists", "sum"))
    means["skewness"] = means["skewness"].map("{:g}".format)
    return means.assign(panel=MEASURED)


def _positive(inputs: ArtifactInputs) -> pd.DataFrame:
    from receval.metrics.lists import DatasetMetadata

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
    ranks, shares = cumulative_shares(counts, POINTS)
    item_share = ranks / ranks[-1]
    return pd.DataFrame(
        {"metric": CUMULATED, "rank": ranks, "item_share": item_share, "rating_share": shares}
    )


def _metadata(metadata: Mapping[str, float]) -> pd.DataFrame:
    return pd.DataFrame({"metric": list(metadata), "value": list(metadata.values())})


def draw_fig05(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the panels that have results: simulated popularity, precision, positive ratings."""
    drawn = {SIMULATED: _draw_simulated, MEASURED: _draw_measured, POSITIVE: _draw_positive}
    there = [panel for panel in drawn if panel in set(results["panel"])]
    figure = new_figure(DOUBLE_COLUMN, 2.5)
    panels = figure.subplots(1, len(there), squeeze=False)[0]
    for axes, panel in zip(panels, there, strict=True):
        drawn[panel](axes, results[results["panel"] == panel], display)
    letter_panels(panels)
    with_ends = [axes for axes, panel in zip(panels, there, strict=True) if panel == MEASURED]
    label_lines(with_ends)
    settle_layout(figure)
    for axes, panel in zip(panels, there, strict=True):
        if panel == SIMULATED:
            # All curves except the last show simulated ratings.
            _name_on_curves(axes, axes.lines[:-1])
    return figure


def _draw_simulated(axes: Axes, rows: pd.DataFrame, display: DisplayStyle) -> None:
    fitted = rows[rows["metric"] == "alpha"]
    rows = rows[rows["metric"] == CUMULATED]
    names = [name for name in dict.fromkeys(rows["skewness"]) if name != SOURCE]
    # Draw every second of many curves: nine side by side would be unreadable.
    names = names[:: max(1, len(names) // 4)]
    styles = ordered_styles(names)
    for name in names:
        curve = rows[rows["skewness"] == name]
        shown = f"$\\alpha$ = {name}" if name == names[0] else short_number(name)
        _draw_curve(axes, curve, styles[name], shown)
    own = rows[rows["skewness"] == SOURCE]
    dataset = str(own["dataset"].iloc[0])
    title = f"{display.datasets[dataset]},\n$\\alpha$ = {real_values(fitted['value'])[0]:.2f}"
    if display.is_real(dataset):
        title += f" (paper: {display.parameters['paper_skewness']:g})"
    curve = _draw_curve(axes, own, dataset_style(dataset, display), title)
    axes.set_title("Simulated popularity")
    axes.set_ylabel("Cumulative ratings (%)")
    axes.legend(handles=[curve], loc="lower right", borderaxespad=LEGEND_PAD)


def _name_on_curves(axes: Axes, curves: Sequence[Line2D]) -> None:
    """Print names on curves where they cross the falling diagonal, since all end in one point.

    A name that does not fit is left out; the order of the shades identifies its curve.
    """
    taken: list[Bbox] = []
    for curve in (curves[0], *reversed(curves[1:])):
        items, shares = np.asarray(curve.get_data(), dtype=np.float64)
        across = float(np.interp(100, items + shares, items))
        name = axes.text(
            across,
            100 - across,
            str(curve.get_label()),
            fontsize=NOTE_SIZE,
            color=readable(str(curve.get_color())),
            ha="center",
            va="center",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
        )
        box = name.get_window_extent()
        if any(box.overlaps(other) for other in taken):
            name.remove()
        else:
            taken.append(box)


def _draw_measured(axes: Axes, rows: pd.DataFrame, display: DisplayStyle) -> None:
    protocol = display.parameters["protocol"]
    metric = display.parameters["metric"]
    rows = rows[(rows["metric"] == metric) & (rows["protocol"] == protocol)]
    systems = list(dict.fromkeys(rows["system"]))
    styles = display.styles(systems)
    for name in systems:
        curve = rows[rows["system"] == name]
        skewness = curve["skewness"].astype(float)
        values = curve["value"].astype(float)
        line(axes, skewness, values, styles[name], display.titles[name], markers=False)
    axes.set_xlabel("Skewness $\\alpha$")
    axes.set_ylabel(str(metric))
    axes.set_ylim(bottom=0)
    sampled = rows["sampled"].iloc[0]
    title = f"{display.datasets[rows['dataset'].iloc[0]]}, {protocol}"
    if sampled != "":
        title += f",\n$|N_u|$ = {int(sampled):,}"
        across = np.unique(rows["skewness"].astype(float))
        theory = np.full(len(across), 1 / (int(sampled) + 1))
        axes.plot(across, theory, color=INK, linestyle=":", linewidth=0.8, label="$1/t$")
    axes.set_title(title)
    if display.is_real(rows["dataset"].iloc[0]):
        precision = float(display.parameters["paper_precision"])
        published_mark(axes, 0, precision, side="below right")


def _draw_positive(axes: Axes, rows: pd.DataFrame, display: DisplayStyle) -> None:
    rows = rows[rows["metric"] == CUMULATED]
    for name in dict.fromkeys(rows["dataset"]):
        style = dataset_style(str(name), display)
        _draw_curve(axes, rows[rows["dataset"] == name], style, display.datasets[name])
    axes.set_title("Positive ratings")
    axes.set_ylabel("Cumulative positive ratings (%)")
    axes.legend(loc="lower right", borderaxespad=LEGEND_PAD)


def dataset_style(dataset: str, display: DisplayStyle) -> SeriesStyle:
    """Return the style of a dataset's curve: ink, with a dash by its place in the configuration."""
    place = list(display.parameters["curves"]).index(dataset)
    return SeriesStyle(INK, line=DATASET_LINES[place % len(DATASET_LINES)])


def _draw_curve(axes: Axes, rows: pd.DataFrame, style: SeriesStyle, label: str) -> Line2D:
    items, shares = (100 * real_values(rows[name]) for name in ("item_share", "rating_share"))
    # All curves begin at 0 items with a share of 0.
    line(axes, [0.0, *items], [0.0, *shares], style, label, markers=False)
    axes.set_xlabel("Items, by popularity (%)")
    axes.set_xlim(0, 100)
    axes.set_ylim(0, 102)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MultipleLocator(25))
    return axes.lines[-1]


def data_fig06(inputs: ArtifactInputs) -> pd.DataFrame:
    r"""Return the mean numbers of ratings and test ratings of items, by popularity.

    Columns: dataset; split; segment (from 1, the most popular items); first_rank, last_rank
    (popularity ranks of the items in it); items; mean_ratings (:math:`|R(i)|`); mean_test_ratings
    (:math:`|R_{test}(i)|`, mean over items and folds); percentile (:math:`\mathcal{I}_k` of the
    segment's items, from 1, empty where the split is a uniform test); and of a uniform test
    target_items (:math:`|T|`) and eta (:math:`\eta`).

    Each popularity percentile has the same number of segments.
    """
    from receval.protocols.candidates import popularity_percentiles
    from receval.splits.split import TEST, fold

    percentiles = int(inputs.parameters["percentiles"])
    segments = percentiles * int(inputs.parameters["segments_per_percentile"])
    tables = []
    for dataset, name in inputs.splits:
        ratings = inputs.ratings(dataset)
        split = inputs.split(dataset, name)
        counts = np.bincount(ratings.items, minlength=ratings.n_items)
        order = np.argsort(-counts, kind="stable")
        tests = np.zeros(ratings.n_items)
        for codes in split.codes:
            tests += np.bincount(ratings.items[codes & TEST > 0], minlength=ratings.n_items)
        table = popularity_segments(
            order, segments, mean_ratings=counts, mean_test_ratings=tests / split.n_folds
        )
        table["percentile"] = ""
        if "eta" not in split.metadata:
            percentile_of = popularity_percentiles(fold(ratings, split, 0), percentiles)
            first = percentile_of[order[table["first_rank"] - 1]] + 1
            table["percentile"] = first.astype(str)
        table["target_items"] = split.metadata.get("target_items", np.nan)
        table["eta"] = split.metadata.get("eta", np.nan)
        table.insert(0, "split", name)
        table.insert(0, "dataset", dataset)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


MANY_RATINGS = (0, 100, 500, 1000, 2000, 3000)
FEW_RATINGS = (0, 10, 50, 100, 200, 300, 400, 500)
"""Tick numbers of the axis, by the number of ratings of the most popular items."""

NAMED_AT = 0.15
"""Position of the names of the areas, as a share of the items: mid-percentile."""

TRAIN_COLOUR, TEST_COLOUR = "#d5dbe0", "#5a6872"
"""Colours of the areas of training and test ratings: greys, which no system or metric has."""


def draw_fig06(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw one panel per split: ratings of items by popularity, with test ratings shaded."""
    splits = list(dict.fromkeys(results["split"]))
    figure = new_figure(DOUBLE_COLUMN, 2.4)
    panels = figure.subplots(1, len(splits), sharey=True, squeeze=False)[0]
    for axes, split in zip(panels, splits, strict=True):
        _draw_split(axes, results[results["split"] == split], display)
    titles = ", ".join(display.datasets[name] for name in dict.fromkeys(results["dataset"]))
    panels[0].set_title(f"{titles}, {panels[0].get_title(loc='left')}")
    panels[0].set_ylabel("Ratings $|R(i)|$ (square-root axis)")
    letter_panels(panels)
    return figure


def _signed_root(values: ArrayLike) -> NDArray[np.float64]:
    signed = np.asarray(values, dtype=np.float64)
    return np.sign(signed) * np.sqrt(np.abs(signed))


def _signed_square(values: ArrayLike) -> NDArray[np.float64]:
    signed = np.asarray(values, dtype=np.float64)
    return np.sign(signed) * signed**2


def _draw_split(axes: Axes, rows: pd.DataFrame, display: DisplayStyle) -> None:
    ranks = ((rows["first_rank"] + rows["last_rank"]) / 2).to_numpy(dtype=np.float64)
    ratings, tests = (
        rows[name].to_numpy(dtype=np.float64) for name in ("mean_ratings", "mean_test_ratings")
    )
    axes.fill_between(ranks, tests, ratings, color=TRAIN_COLOUR, linewidth=0)
    axes.fill_between(ranks, 0, tests, color=TEST_COLOUR, linewidth=0)
    axes.plot(ranks, ratings, color=INK, linewidth=0.8)
    last = int(rows["last_rank"].max())
    axes.set_xlim(0, last)
    # A linear axis would hide the tail, and a logarithmic one has no zero to fill from.
    axes.set_yscale("function", functions=(_signed_root, _signed_square))
    numbers = MANY_RATINGS if ratings.max() > MANY_RATINGS[2] else FEW_RATINGS
    axes.yaxis.set_major_locator(FixedLocator(numbers))
    plain_numbers(axes.yaxis)
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    plain_numbers(axes.xaxis)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("Popularity rank of the item (1 = most ratings)")
    _name_grounds(axes, ranks, ratings, tests)
    percentile = rows["percentile"].astype(str)
    if (percentile != "").all():
        ends = rows.groupby(percentile.astype(float))["last_rank"].max()
        for end in ends[:-1]:
            axes.axvline(end, color=INK, linewidth=0.5, linestyle=":")
        axes.set_title(f"coin flips, {len(ends)} popularity percentiles")
        return
    targets, eta = int(rows["target_items"].iloc[0]), float(rows["eta"].iloc[0])
    axes.axvline(targets, color=INK, linewidth=0.5, linestyle=":")
    axes.set_title(f"Uniform test, $|T|$ = {targets:,}, $\\eta$ = {eta:.1f}")
    if display.is_real(rows["dataset"].iloc[0]):
        published = [display.parameters[f"paper_{name}"] for name in ("targets", "test_ratings")]
        published_mark(axes, *published, side="above right")


def _name_grounds(
    axes: Axes,
    ranks: NDArray[np.float64],
    ratings: NDArray[np.float64],
    tests: NDArray[np.float64],
) -> None:
    """Label the areas where there is space, instead of a legend."""
    for name, colour, lower, upper in (
        ("train", INK, tests, ratings),
        ("test", "white", np.zeros_like(tests), tests),
    ):
        across = NAMED_AT * float(ranks[-1])
        middle = np.mean([np.sqrt(np.interp(across, ranks, edge)) for edge in (lower, upper)])
        axes.text(
            across, middle**2, name, color=colour, fontsize=NOTE_SIZE, ha="center", va="center"
        )


def data_fig07(inputs: ArtifactInputs) -> pd.DataFrame:
    r"""Return the mean positive ratio :math:`|PR(i)| / |R(i)|` of segments of the popularity order.

    Columns: dataset; segment (from 1, the most popular); first_rank, last_rank (popularity ranks
    of the items in it); items; mean_ratings (per item); positive_ratio (mean over the items).
    Items of equal popularity are in the order of their codes.
    """
    segments = int(inputs.parameters["segments"])
    threshold = float(inputs.parameters["relevance_threshold"])
    tables = []
    for dataset in inputs.datasets:
        ratings = inputs.ratings(dataset)
        counts = np.bincount(ratings.items, minlength=ratings.n_items)
        positive = np.bincount(
            ratings.items[ratings.values >= threshold], minlength=ratings.n_items
        )
        order = np.argsort(-counts, kind="stable")
        order = order[counts[order] > 0]
        # Items without ratings are left out of the order.
        ratio = positive / np.maximum(counts, 1)
        table = popularity_segments(order, segments, mean_ratings=counts, positive_ratio=ratio)
        table.insert(0, "dataset", dataset)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def draw_fig07(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the positive ratio of each segment against its popularity rank.

    The parameter ``positive`` describes in words which ratings reach the threshold.
    """
    figure = new_figure(SINGLE_COLUMN, 2.3)
    axes = figure.subplots()
    datasets = list(dict.fromkeys(results["dataset"]))
    for dataset, dash in zip(datasets, LINE_STYLES, strict=False):
        segments = results[results["dataset"] == dataset]
        middle = (segments["first_rank"] + segments["last_rank"]) / 2
        style = SeriesStyle(INK, line=dash)
        title = display.datasets[dataset]
        line(axes, middle, segments["positive_ratio"], style, title, markers=False)
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    plain_numbers(axes.xaxis)
    axes.set_xlabel("Popularity rank of the item (1 = most ratings)")
    axes.set_ylabel("Positive ratio $|PR(i)|\\,/\\,|R(i)|$")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.set_title(f"Share of positive ratings ({display.parameters['positive']})")
    label_lines([axes])
    return figure
