# SPDX-License-Identifier: MIT
"""Figure 6: popularity of the test ratings in a percentile partition and in a uniform test."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, MaxNLocator
from numpy.typing import ArrayLike, NDArray

from receval.figures.curves import plain_numbers
from receval.figures.display import DisplayStyle
from receval.figures.finish import NOTE_SIZE, letter_panels
from receval.figures.style import DOUBLE_COLUMN, INK, new_figure
from receval.statistics.inequality import popularity_segments
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies._shared.published import published_mark


def data(inputs: ArtifactInputs) -> pd.DataFrame:
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


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
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
