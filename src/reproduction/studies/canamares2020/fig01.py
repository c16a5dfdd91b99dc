# SPDX-License-Identifier: MIT
"""Figure 1: cumulative distribution of ratings per user and item."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from receval.figures.curves import cumulative_curve
from receval.figures.display import DisplayStyle
from receval.figures.finish import beside, letter_panels
from receval.figures.style import DOUBLE_COLUMN, INK, LINE_STYLES, MARKERS, SeriesStyle, new_figure
from receval.statistics.inequality import share_at_most
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies._shared.published import published_mark
from reproduction.studies.canamares2020.system_curves import paper_says

LEAST_ROOM = 0.3
"""Share of the panel's width that a name needs to the left of a curve."""

POINTS = 150
LOW, HIGH = 0.25, 0.7
"""Shares at which curves are named: the last to rise on its right, the others on their left."""

ROUND_NUMBERS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
"""Numbers of ratings that are always shown; the paper's text quotes the shares at 100."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the shares of users and items with at most a given number of ratings.

    Columns: dataset; side (user or item); ratings; share.
    """
    tables = []
    for dataset in inputs.datasets:
        ratings = inputs.ratings(dataset)
        for side, codes, size in (
            ("user", ratings.users, ratings.n_users),
            ("item", ratings.items, ratings.n_items),
        ):
            counts = np.bincount(codes, minlength=size)
            limits = _limits(int(counts.max()))
            tables.append(
                pd.DataFrame(
                    {
                        "dataset": dataset,
                        "side": side,
                        "ratings": limits,
                        "share": share_at_most(counts, limits),
                    }
                )
            )
    return pd.concat(tables, ignore_index=True)


def _limits(most: int) -> NDArray[np.int64]:
    spread = np.geomspace(1, most, POINTS).round().astype(np.int64)
    return np.unique([*spread, *(number for number in ROUND_NUMBERS if number <= most)])


# Styles of datasets: ink with different dashes and markers, because colours mean systems.


def dataset_styles(names: Sequence[str]) -> dict[str, SeriesStyle]:
    """Return the styles of a figure's datasets, in their order.

    Examples
    --------
    >>> [style.line for style in dataset_styles(["ml-1m", "netflix"]).values()]
    ['-', '--']
    """
    if len(set(names)) != len(names) or len(names) > len(LINE_STYLES):
        raise ValueError(
            f"The datasets {', '.join(names)} need each its own dash: name each once, and at most "
            f"{len(LINE_STYLES)}."
        )
    return {
        name: SeriesStyle(INK, marker, dash)
        for name, marker, dash in zip(names, MARKERS, LINE_STYLES, strict=False)
    }


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw two panels, users and items, with one curve per dataset and the paper's shares.

    Parameters of the artifact: ``paper`` (:func:`.paper_says`): ``user`` or ``item``, a number of
    ratings, and the share with at most this number.
    """
    figure = new_figure(DOUBLE_COLUMN, 2.4)
    datasets = list(dict.fromkeys(results["dataset"]))
    styles = dataset_styles(datasets)
    panels = figure.subplots(1, 2)
    for axes, side in zip(panels, ("user", "item"), strict=True):
        own = {
            dataset: results[(results["dataset"] == dataset) & (results["side"] == side)]
            for dataset in datasets
        }
        for dataset, curve in own.items():
            cumulative_curve(axes, curve["ratings"], curve["share"], styles[dataset])
        # A single dataset is named only once.
        if len(datasets) > 1 or side == "user":
            _name_curves(axes, own, display)
        for dataset in own:
            for of_side, ratings, share in paper_says(display).get(dataset, ()):
                if of_side == side:
                    about = f"paper: about {100 * float(share):g} %"
                    published_mark(axes, float(ratings), float(share), about)
        axes.set_title(f"Ratings per {side}")
        axes.set_xlabel(f"Number of ratings of the {side} (log scale)")
        axes.set_ylabel(f"Cumulative share of {side}s (%)")
    letter_panels(panels)
    return figure


def _name_curves(axes: Axes, curves: dict[str, pd.DataFrame], display: DisplayStyle) -> None:
    """Print the datasets' names where there is space beside the curves; all end at 100 %."""
    order = sorted(curves, key=lambda dataset: _reaches(curves[dataset], 0.5))
    for dataset in order:
        # A curve that rises at once has no space on its left.
        high = _reaches(curves[dataset], HIGH)
        at = axes.transAxes.inverted().transform(axes.transData.transform((high, HIGH)))[0]
        last = dataset == order[-1] or at < LEAST_ROOM
        share = LOW if last else HIGH
        place = (_reaches(curves[dataset], share), share)
        shift, ha, va = ((5, -1), "left", "top") if last else ((-5, 1), "right", "bottom")
        beside(axes, display.datasets[dataset], place, shift, ha=ha, va=va)


def _reaches(curve: pd.DataFrame, share: float) -> float:
    """Return the smallest number of ratings at which a curve reaches a share."""
    return float(curve.loc[curve["share"] >= share, "ratings"].iloc[0])
