"""Figure 5: where the items of the condensed list stand in the full one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator
from numpy.typing import NDArray

from receval.figures.style import INK
from receval.studies.inputs import ArtifactInputs
from receval.studies.look import Look
from receval.studies.system_curves import draw_system_curves

if TYPE_CHECKING:
    from receval.metrics.list_view import ListView

TOP = 10
"""The line in the figure: what stands above it is not among the first ten of the full list."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the mean rank in the full list of the first, second, ... item of the condensed one.

    Columns: dataset; depth (place in the condensed list); system; lists (number of users whose
    condensed list is as long, whom the mean is over); value (the mean rank; none without such
    users).
    """
    from receval.studies.measured_systems import starting_configuration
    from receval.studies.worlds import ExperimentWorlds

    deepest = int(inputs.parameters["depth"])
    rows = []
    for experiment in inputs.experiments.values():
        configuration = starting_configuration(experiment)
        worlds = ExperimentWorlds({experiment.split: experiment})
        has_train = worlds.has_train(configuration)
        for system in experiment.all_systems:
            lists = worlds.lists(configuration, system).full
            for depth in range(1, deepest + 1):
                ranks = ranks_at(lists, depth, has_train)
                rows.append(
                    {
                        "dataset": experiment.dataset,
                        "depth": depth,
                        "system": system,
                        "lists": len(ranks),
                        "value": float(ranks.mean()) if len(ranks) else np.nan,
                    }
                )
    return pd.DataFrame(rows)


def ranks_at(
    lists: ListView, depth: int, averaged: NDArray[np.bool_] | None = None
) -> NDArray[np.int32]:
    """Return the ranks in full lists of the items at a place of the condensed ones.

    Parameters
    ----------
    lists : ListView
        Full lists, one a user.
    depth : int
        The place in the condensed list, from 1.
    averaged : ndarray of bool, shape (n_users,), optional
        The users who are looked at; all by default.

    Returns
    -------
    ndarray of int32, shape (n,)
        One for each of these users whose condensed list is as long.
    """
    as_long = np.diff(lists.starts) >= depth
    if averaged is not None:
        as_long &= averaged
    return lists.ranks[lists.starts[:-1][as_long] + depth - 1]


def draw(numbers: pd.DataFrame, look: Look) -> Figure:
    """Draw a panel for each dataset, a line for each system, and where the top ten end."""

    def finish(axes: Axes) -> None:
        axes.axhline(TOP, color=INK, linestyle=":", linewidth=0.8, label="End of the full top 10")
        axes.set_xlabel("Place in the condensed list")
        axes.set_ylabel("Mean rank in the full list")
        axes.xaxis.set_major_locator(MultipleLocator(1))
        axes.set_ylim(bottom=0)

    return draw_system_curves(
        numbers, look, look.datasets, panel="dataset", across="depth", finish=finish
    )
