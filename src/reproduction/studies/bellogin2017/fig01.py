# SPDX-License-Identifier: MIT
"""Figure 1: target sets of a toy example, enumerated by the code of the protocols."""

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
from receval.figures.finish import letter_panels, note
from receval.figures.style import DOUBLE_COLUMN, INK, new_figure
from receval.protocols.protocol import BaseCandidates, Protocol, RelevantSelection
from receval.seeds import generator
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from receval.splits.split import Fold

ITEMS = "abcdefg"
TOY = {
    # One row per user: + relevant, - not relevant; R is a training rating, T a test rating.
    "u": {"b": "-T", "d": "+T", "e": "+T", "f": "+R", "g": "-R"},
    "v": {"a": "+R", "b": "+R", "c": "-T", "e": "+T", "g": "+T"},
    "w": {"b": "+T", "c": "+R", "d": "-R", "f": "-T"},
}
"""Item a has no test rating, so AI and TI differ in it; u judged b but not c."""

USER = 0
RELEVANT = 5.0
RELEVANT_ITEMS: tuple[RelevantSelection, ...] = ("AR", "1R")
CANDIDATES: tuple[BaseCandidates, ...] = ("AI", "TI")
SETS = ("C", "N_u", "T_u", "T_u^1", "T_u^2")

GROUND_OF_USER = "#f0f0f0"
GROUNDS = {"C": "#d9d9d9", "N_u": "#9a9a9a", "relevant": "#262626"}
"""Fill colours of items in a set: candidates, non-relevant targets, relevant targets."""

EDGE_IN_SETS = "#f0f0f0"
"""Edge colour of the cells of sets: light, to separate filled neighbours."""

KEY_SIZE = 6.5
KEY_STEP = 1.25
"""Font size of the key, and the distance between its lines in cells."""


def toy_fold() -> Fold:
    """Return the toy rating matrix with its split."""
    from receval.data.ratings import Ratings
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
    """Return which items of the toy example are in which sets of user u under each option.

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
    """Draw the toy ratings once, and one panel per option with the sets of user u."""
    figure = new_figure(DOUBLE_COLUMN, 3.2)
    protocols = list(dict.fromkeys(results["protocol"]))
    columns = len(CANDIDATES) * 2
    rows = -(-len(protocols) // columns)
    layout = [["toy", *protocols[row * columns : (row + 1) * columns]] for row in range(rows)]
    panels = figure.subplot_mosaic(layout, width_ratios=[1.25, *[1] * columns])
    _draw_toy(panels["toy"])
    for protocol in protocols:
        _draw_sets(panels[protocol], results[results["protocol"] == protocol])
        panels[protocol].set_title(protocol)
    letter_panels([panels["toy"], *(panels[protocol] for protocol in protocols)])
    note(
        figure,
        "AI: all items are candidates; TI: those with a test rating, all but item a. AN: all "
        "candidates that u has not rated in train and that are not relevant; NN: a sample of them, "
        "here one. AR: all relevant test items of u in one list; 1R: a list for each, here two.",
    )
    return figure


def _draw_toy(axes: Axes) -> None:
    """Draw the rating matrix, and below it a key to its marks and the colours of the sets."""
    for row, user in enumerate(TOY):
        for column, item in enumerate(ITEMS):
            axes.add_patch(_cell(column, row, GROUND_OF_USER if row == USER else "white"))
            _draw_rating(axes, column, row, TOY[user].get(item))
    first = len(TOY) + 1
    keys = (
        ("+T", "white", "relevant, test"),
        ("-T", "white", "not relevant, test"),
        ("+R", "white", "relevant, train"),
        ("-R", "white", "not relevant, train"),
        (None, GROUNDS["C"], "$C$: candidate items"),
        (None, GROUNDS["N_u"], "$N_u$: non-relevant targets"),
        (None, GROUNDS["relevant"], "relevant targets of $u$"),
    )
    for row, (mark, ground, text) in enumerate(keys):
        axes.add_patch(_cell(0, first + row * KEY_STEP, ground))
        _draw_rating(axes, 0, first + row * KEY_STEP, mark)
        axes.text(1.4, first + row * KEY_STEP + 0.5, text, va="center", fontsize=KEY_SIZE)
    bottom = first + len(keys) * KEY_STEP
    _finish(axes, bottom, list(TOY), [float(row) for row in range(len(TOY))])
    axes.set_anchor("NW")
    axes.set_title("Toy ratings")


def _draw_sets(axes: Axes, sets: pd.DataFrame) -> None:
    """Draw the user's ratings, and below them one row per set with its members filled."""
    user = list(TOY)[USER]
    for column, item in enumerate(ITEMS):
        axes.add_patch(_cell(column, 0, GROUND_OF_USER))
        _draw_rating(axes, column, 0, TOY[user].get(item))
    names = list(dict.fromkeys(sets["set"]))
    members = {
        name: set(sets.loc[(sets["set"] == name) & (sets["member"] == 1), "item"]) for name in names
    }
    places = [row + 1.3 for row in range(len(names))]
    for place, name in zip(places, names, strict=True):
        for column, item in enumerate(ITEMS):
            ground = "none"
            if item in members[name]:
                kind = "N_u" if item in members["N_u"] else "relevant"
                ground = GROUNDS["C" if name == "C" else kind]
            axes.add_patch(_cell(column, place, ground, edge=EDGE_IN_SETS))
    # All panels leave space for the sets of 1R, so that all cells have the same size.
    _finish(axes, len(SETS) + 0.4, [user, *names], [0.0, *places])
    axes.set_anchor("NW")


def _cell(column: float, row: float, ground: str, *, edge: str = "#8c8c8c") -> Rectangle:
    return Rectangle((column, row), 1, 1, facecolor=ground, edgecolor=edge, linewidth=0.6)


def _draw_rating(axes: Axes, column: float, row: float, mark: str | None) -> None:
    if mark is None:
        return
    centre = (column + 0.5, row + 0.5)
    sign = "+" if mark[0] == "+" else "\N{MINUS SIGN}"
    axes.text(*centre, sign, ha="center", va="center_baseline", fontsize=KEY_SIZE)
    if mark[1] == "T":
        axes.add_patch(Circle(centre, 0.38, fill=False, edgecolor=INK, linewidth=0.8))


def _finish(axes: Axes, bottom: float, rows: list[str], places: list[float]) -> None:
    """Print the names of items above and of rows on the left, and hide everything else."""
    axes.set_xlim(-0.05, len(ITEMS) + 0.05)
    axes.set_ylim(bottom, -0.05)
    axes.set_xticks(np.arange(len(ITEMS)) + 0.5, list(ITEMS))
    axes.xaxis.tick_top()
    axes.set_yticks([place + 0.5 for place in places], [f"${name}$" for name in rows])
    axes.tick_params(length=0, pad=2)
    axes.set_aspect("equal")
    axes.grid(False)
    axes.spines[:].set_visible(False)
