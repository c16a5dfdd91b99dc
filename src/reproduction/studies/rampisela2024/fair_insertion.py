# SPDX-License-Identifier: MIT
"""Measures of generated lists that become fair and relevant, item by item."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from receval.figures.curves import line
from receval.figures.display import DisplayStyle
from receval.figures.finish import letter_panels
from receval.figures.line_labels import label_lines
from receval.figures.style import DOUBLE_COLUMN, MARKERS, ORDERED, SeriesStyle, new_figure, shaded
from receval.storage.files import real_values
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.rampisela2024.measured_lists import (
    FAIRNESS,
    RELEVANCE,
    measured,
    measures_of,
)

if TYPE_CHECKING:
    from receval.metrics.whole_lists.list_metric import RecommendedLists

PANELS = {
    "Relevance": RELEVANCE,
    "Fairness": FAIRNESS,
    "Joint, on a scale to 1": ("IBO", "IWO", "HD"),
    "Joint, near 0 (scale: sixth root)": ("IAA", "IFD÷", "IFD×", "MME", "II-F", "AI-F"),
}
"""The measures of each panel; the last one has a scale of its own, on which 0 has a place."""

IN_PRINT = {"R": "Recall"}
"""Names under which other figures have these measures."""

GREY, DARK = "#8c8c8c", "#404040"
COLOURS = {
    **{"IFD÷": shaded(ORDERED, 0.35), "IFD×": shaded(ORDERED, -0.35)},
    **dict.fromkeys(("Jain", "Gini", "IBO", "HD", "MME", "AI-F"), DARK),
}
"""Both IFD, which the text speaks of, have a hue; dark lines end beside others, which are grey."""

MARKS = {0.0: "0", 1e-5: ".00001", 1e-4: ".0001", 1e-3: ".001", 1e-2: ".01", 1e-1: ".1"}


def inserted_lists(n_users: int, k: int, inserted: int) -> RecommendedLists:
    """Return lists of k items in which the last ranks hold items of the user's own.

    There are k items for each user, which are relevant to this user alone. At first all users have
    the k items of the first one, so that only the first user has relevant items, and all attention
    goes to k of the items. At last each user has the own items, and all items have equal attention
    in the sense of how often they are listed.
    """
    from receval.data.ratings import summed_matrix
    from receval.metrics.whole_lists.list_metric import RecommendedLists
    from receval.splits.split import Fold, Judgments
    from receval.top_lists import TopLists

    n_items = n_users * k
    own = np.arange(n_items, dtype=np.int32).reshape(n_users, k)
    items = np.tile(own[0], (n_users, 1))
    items[:, k - inserted :] = own[:, k - inserted :]
    empty = np.zeros(0, dtype=np.int64)
    fold = Fold(
        summed_matrix(empty, empty, np.zeros(0), (n_users, n_items)),
        Judgments.from_pairs(
            np.repeat(np.arange(n_users), k), own.ravel(), np.ones(n_items), n_users=n_users
        ),
    )
    scores = np.tile(np.arange(k, 0, -1.0), (n_users, 1))
    lists = TopLists(np.arange(n_users), items, scores)
    return RecommendedLists(lists, fold, 1.0, np.ones(n_items, dtype=bool))


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Measure the lists of :func:`inserted_lists` from none to all ranks.

    Parameters of the artifact: ``names`` and ``metrics``; ``users``; ``depth``, k.

    Columns: inserted (the number of ranks with items of the user's own); then a column for each
    measure.
    """
    metrics = measures_of(inputs.parameters)
    n_users, k = int(inputs.parameters["users"]), int(inputs.parameters["depth"])
    return pd.DataFrame(
        [
            {"inserted": n, **measured(inserted_lists(n_users, k, n), metrics, k)}
            for n in range(k + 1)
        ]
    )


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw each measure by the share of ranks with inserted items, small values enlarged."""
    figure = new_figure(DOUBLE_COLUMN, 5.2)
    panels = figure.subplots(2, 2, sharex=True)
    share = 100 * real_values(results["inserted"]) / float(results["inserted"].max())
    for axes, (title, names) in zip(panels.flat, PANELS.items(), strict=True):
        known = {name: IN_PRINT.get(name, name) for name in names}
        known = {name: metric for name, metric in known.items() if metric in display.metrics}
        printed = display.metric_styles(list(known.values()))
        styles = {
            name: SeriesStyle(COLOURS.get(name, GREY), MARKERS[at]) for at, name in enumerate(names)
        }
        styles |= {name: printed[known[name]] for name in known}
        for name in names:
            line(axes, share, real_values(results[name]), styles[name], name)
        axes.set_title(title)
        axes.set_ylim(-0.03, 1.03)
    small = panels[1, 1]
    small.set_yscale("function", functions=(_sixth_root, _sixth_power))
    small.set_ylim(0, 0.15)
    small.set_yticks(list(MARKS), list(MARKS.values()))
    for axes in panels[:, 0]:
        axes.set_ylabel("Value")
    for axes in panels[1]:
        axes.set_xlabel("Ranks with inserted items (%)")
    letter_panels(panels.flat)
    label_lines(panels.flat, near=1)
    return figure


def _sixth_root(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.abs(values) ** (1 / 6))


def _sixth_power(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.abs(values) ** 6)
