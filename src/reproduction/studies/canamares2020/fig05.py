# SPDX-License-Identifier: MIT
"""Figure 5: the ranks in the full list of the items of the condensed list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator
from numpy.typing import NDArray

from receval.figures.display import DisplayStyle
from receval.figures.finish import beside
from receval.figures.style import INK
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies._shared.published import (
    PUBLISHED_GREY,
    published_mark,
)
from reproduction.studies.canamares2020.train_ratios import draw_system_curves, paper_says

if TYPE_CHECKING:
    from receval.metrics.lists import ListView

TOP = 10
"""The line in the figure; items above it are not in the top ten of the full list."""

ARROW = 14.0
"""Length in points of the arrow from a lower limit of the paper's value."""

COMPLETE, ANY = "complete", "any"
"""Users whose condensed lists reach the last rank under all systems, or all with an item."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the mean full-list rank of the first, second, ... item of the condensed list.

    Columns: dataset; evaluated_users (``complete``: users whose condensed lists reach the last rank
    under all systems, the same at all ranks; ``any``: all users with an item at this rank); depth
    (rank in the condensed list); system; lists (number of these users); value (the mean rank; empty
    without such users).
    """
    from reproduction.experiments.universes import ExperimentUniverses, starting_configuration

    deepest = int(inputs.parameters["depth"])
    rows = []
    for experiment in inputs.experiments.values():
        configuration = starting_configuration(experiment)
        universes = ExperimentUniverses({experiment.split: experiment})
        has_train = universes.has_train(configuration)
        # The lists of all systems may not fit in memory.
        ranks = {
            system: first_ranks(universes.lists(configuration, system).full, deepest)
            for system in experiment.all_systems
        }
        reaches_last = np.all([own[:, -1] > 0 for own in ranks.values()], axis=0)
        for users in (COMPLETE, ANY):
            for system, own in ranks.items():
                for depth, at_depth in enumerate(own.T, start=1):
                    chosen = reaches_last if users == COMPLETE else at_depth > 0
                    evaluated_users = at_depth[chosen & has_train]
                    rows.append(
                        {
                            "dataset": experiment.dataset,
                            "evaluated_users": users,
                            "depth": depth,
                            "system": system,
                            "lists": len(evaluated_users),
                            "value": float(evaluated_users.mean())
                            if len(evaluated_users)
                            else np.nan,
                        }
                    )
    return pd.DataFrame(rows)


def first_ranks(lists: ListView, depth: int) -> NDArray[np.int32]:
    """Return the full-list ranks of the first items of the condensed lists."""
    indices = lists.starts[:-1, np.newaxis] + np.arange(depth)
    there = indices < lists.starts[1:, np.newaxis]
    ranks = np.zeros(indices.shape, dtype=np.int32)
    ranks[there] = lists.ranks[indices[there]]
    return ranks


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the top ten for complete users: one panel per dataset, one line per system.

    Parameters of the artifact: ``paper`` (:func:`.paper_says`): a rank in the condensed list, one
    in the full list, and words if the paper gives only a lower limit.
    """
    complete = results[results["evaluated_users"] == COMPLETE]
    ends = complete["depth"].min(), complete["depth"].max()

    def finish(axes: Axes, dataset: str) -> None:
        axes.plot(ends, [TOP, TOP], color=INK, linestyle=":", linewidth=0.8, label="full top 10")
        for condensed, full, *words in paper_says(display).get(dataset, ()):
            if words:
                _draw_above(axes, float(condensed), float(full), f"paper: {' '.join(words)}")
            else:
                published_mark(axes, float(condensed), float(full), side="above")
        axes.set_xlabel("Rank in the condensed list")
        axes.set_ylabel("Mean rank in the full list")
        axes.xaxis.set_major_locator(MultipleLocator(1))
        axes.set_ylim(bottom=0)

    return draw_system_curves(
        complete,
        display,
        display.datasets,
        shown="Ranks in both lists",
        across="depth",
        finish=finish,
        markers=False,
    )


def _draw_above(axes: Axes, x: float, y: float, words: str) -> None:
    """Draw a grey arrow up from a lower limit of the paper's value, with words beside it."""
    arrow = {
        "arrowstyle": "<|-,head_width=0.15,head_length=0.3",
        "color": PUBLISHED_GREY,
        "linewidth": 0.8,
        "shrinkA": 0,
        "shrinkB": 0,
    }
    # The size of the head of an arrow follows the font.
    beside(axes, "", (x, y), (0, ARROW), arrowprops=arrow, annotation_clip=False, fontsize=None)
    axes.plot([x], [y], marker="_", markersize=5, color=PUBLISHED_GREY, clip_on=False)
    beside(axes, words, (x, y), (4.5, 0), ha="left", va="center", color=PUBLISHED_GREY)
