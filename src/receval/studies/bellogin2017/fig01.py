"""Figure 1: target sets on a toy example, enumerated by the protocols' own code."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle

from receval.figures.display import DisplayStyle
from receval.figures.finish import note
from receval.figures.style import DOUBLE_COLUMN, new_figure
from receval.protocols.protocol import BaseCandidates, Protocol, RelevantSelection
from receval.seeds import generator
from receval.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from receval.splits.split import Fold

ITEMS = "abcdefg"
TOY = {
    # One row a user: + relevant, - not relevant; R for a training rating, T for a test rating.
    "u": {"b": "-T", "d": "+T", "e": "+T", "f": "+R", "g": "-R"},
    "v": {"a": "+R", "b": "+R", "c": "-T", "e": "+T", "g": "+T"},
    "w": {"b": "+T", "c": "+R", "d": "-R", "f": "-T"},
}
"""Nobody has a test rating of item a, so AI and TI differ in it; u judged b, not c."""

USER = 0
RELEVANT = 5.0
RELEVANT_ITEMS: tuple[RelevantSelection, ...] = ("AR", "1R")
CANDIDATES: tuple[BaseCandidates, ...] = ("AI", "TI")
SETS = ("C", "N_u", "T_u", "T_u^1", "T_u^2")


def toy_fold() -> Fold:
    """Return the toy rating matrix with its split."""
    from receval.ratings import Ratings
    from receval.splits.split import TEST, TRAIN, Split, fold

    entries = [(u, i, mark) for u, row in enumerate(TOY.values()) for i, mark in row.items()]
    ratings = Ratings(
        users=np.array([u for u, _, _ in entries], dtype=np.int32),
        items=np.array([ITEMS.index(i) for _, i, _ in entries], dtype=np.int32),
        values=np.array([5 if mark[0] == "+" else 2 for *_, mark in entries], dtype=np.float32),
        user_ids=np.array(list(TOY)),
        item_ids=np.array(list(ITEMS)),
    )
    codes = np.array([TRAIN if mark[1] == "R" else TEST for *_, mark in entries], dtype=np.uint8)
    return fold(ratings, Split((codes,)), 0)


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return which item of the toy is in which set of the user u under every option.

    Columns: protocol; set (C, N_u, then T_u under AR or T_u^1 and T_u^2 under 1R); item; member
    (1 or 0).
    """
    from receval.protocols.candidates import target_sets

    toy = toy_fold()
    rows = []
    for relevant, candidates, sampled in product(RELEVANT_ITEMS, CANDIDATES, (None, 1)):
        decides = relevant == "1R" or sampled is not None
        protocol = Protocol(relevant, candidates, sampled, RELEVANT if decides else None)
        found = target_sets(toy, protocol, USER, RELEVANT, partial(generator, 0, "toy"))
        names = ("T_u",) if relevant == "AR" else SETS[3 : 3 + len(found.lists)]
        members = {"C": found.base, "N_u": found.non_relevant}
        members |= dict(zip(names, found.lists, strict=True))
        rows += [
            {
                "protocol": protocol.name,
                "set": name,
                "item": item,
                "member": int(index in members[name]),
            }
            for name in members
            for index, item in enumerate(ITEMS)
        ]
    return pd.DataFrame(rows)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw one panel an option: the toy matrix, and below it the sets of the user u."""
    protocols = list(dict.fromkeys(results["protocol"]))
    columns = 4
    figure = new_figure(DOUBLE_COLUMN, 4.1)
    grid = figure.subplots(-(-len(protocols) // columns), columns)
    for axes, protocol in zip(grid.flat, protocols, strict=True):
        _draw_panel(axes, protocol, results[results["protocol"] == protocol])
    note(
        figure,
        "Rows u, v, w: ratings of three users, + relevant, − not relevant; circled ones are test "
        "ratings, the others train. Below: filled squares are the items of user u's sets.",
    )
    return figure


def _draw_panel(axes: Axes, protocol: str, sets: pd.DataFrame) -> None:
    users = list(TOY)
    names = list(dict.fromkeys(sets["set"]))
    for row, user in enumerate(users):
        for column, item in enumerate(ITEMS):
            shade = "#dce9f5" if row == USER else "white"
            axes.add_patch(Rectangle((column, row), 1, 1, facecolor=shade, edgecolor="#999999"))
            mark = TOY[user].get(item)
            if mark is None:
                continue
            centre = (column + 0.5, row + 0.5)
            axes.text(*centre, "+" if mark[0] == "+" else "−", ha="center", va="center")
            if mark[1] == "T":
                axes.add_patch(Circle(centre, 0.36, fill=False, edgecolor="#d55e00"))
    first = len(users) + 0.5
    for row, name in enumerate(names):
        members = sets[sets["set"] == name].set_index("item")["member"]
        for column, item in enumerate(ITEMS):
            if members[item]:
                axes.add_patch(
                    Rectangle((column + 0.1, first + row + 0.1), 0.8, 0.8, facecolor="#0072b2")
                )
    axes.set_xlim(-0.05, len(ITEMS) + 0.05)
    axes.set_ylim(first + len(names), -0.05)
    axes.set_xticks(np.arange(len(ITEMS)) + 0.5, list(ITEMS))
    axes.xaxis.tick_top()
    labels = [f"${name}$" for name in (*users, *names)]
    positions = [*(np.arange(len(users)) + 0.5), *(first + np.arange(len(names)) + 0.5)]
    axes.set_yticks(positions, labels)
    axes.tick_params(length=0)
    axes.set_aspect("equal")
    axes.grid(False)
    axes.spines[:].set_visible(False)
    axes.set_title(protocol)
