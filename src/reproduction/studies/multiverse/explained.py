# SPDX-License-Identifier: MIT
"""How much each decision, and each pair of decisions, explains of who wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from textwrap import fill
from typing import Literal

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from receval.figures.display import DisplayStyle
from receval.figures.finish import legend_below, letter_panels
from receval.figures.style import DOUBLE_COLUMN, INK, NO_WINNER, ink_on, new_figure, short_number
from receval.multiverse.decisions import DECISIONS
from receval.multiverse.description import NO_DIFFERENCE, decision_title
from receval.multiverse.verdicts import RESPONSES, explained, verdict_shares, with_verdicts
from receval.storage.files import read_results, real_values
from reproduction.studies._shared.bars import stacked_shares
from reproduction.studies._shared.heat_map import COLOUR_MAP
from reproduction.studies._shared.inputs import ArtifactInputs


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Explain the variance of the difference and of the winner over all universes.

    Columns: response (effect or verdict); decision; other (the second decision of a pair, empty for
    a decision alone; ``shared`` and ``rest`` stand for what no single term explains); explained
    (share of the variance).
    """
    universes = with_verdicts(read_results(inputs.results["universes"]))
    rows: list[tuple[str, str, str, float]] = []
    for response in RESPONSES:
        found = explained(universes, response)
        rows += [
            (response, name, "", share)
            for name, share in zip(found.names, found.alone[0], strict=True)
        ]
        rows += [
            (response, *pair, share)
            for pair, share in zip(found.pairs, found.together[0], strict=True)
        ]
        rows += [
            (response, "shared", "", found.shared[0]),
            (response, "rest", "", found.rest[0]),
        ]
    return pd.DataFrame(rows, columns=["response", "decision", "other", "explained"])


# Drawings of explained variance, in percent on coloured cells: rows and triangles.

SHARE_SIZE = 6.5
"""Font size of shares of variance in points."""

SHARES_UP_TO = 0.6
"""Share of variance from which on cells have the darkest colour, the same in all figures."""


def share_rows(axes: Axes, shares: ArrayLike, columns: Sequence[str]) -> None:
    """Draw shares of variance in percent, one row per response; blank if they round to 0."""
    cells = np.asarray(shares, dtype=np.float64)
    axes.imshow(
        cells, cmap=COLOUR_MAP, vmin=0, vmax=SHARES_UP_TO, aspect="auto", interpolation="nearest"
    )
    for (row, column), share in np.ndenumerate(cells):
        _print_share(axes, column, row, float(share))
    _name_cells(axes, columns, ())


def triangle(
    axes: Axes,
    names: Sequence[str],
    alone: ArrayLike,
    together: ArrayLike,
    remainders: Mapping[str, float] | None = None,
) -> PolyCollection:
    """Draw shares of variance in percent: single decisions in frames, and their pairs below.

    Shares that round to 0 are blank; colours are those of :func:`share_rows`.
    """
    pairs = list(combinations(range(len(names)), 2))
    shares = np.concatenate([np.ravel(alone), np.ravel(together)]).astype(np.float64)
    if not names or np.shape(alone) != (len(names),) or np.shape(together) != (len(pairs),):
        raise ValueError(
            f"There are {len(names)} decisions, but shares of the shapes {np.shape(alone)} and "
            f"{np.shape(together)}: give one share for each decision, of which there must be one "
            "or more, and one for each pair."
        )
    known = shares[~np.isnan(shares)]
    if known.size and known.min() < 0:
        raise ValueError(f"The shares reach down to {known.min():g}: none can be negative.")
    cells = [(index, index) for index in range(len(names))]
    cells += [(second, first) for first, second in pairs]
    corners = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
    drawn = ~np.isnan(shares)
    squares = PolyCollection(
        [corners + cell[::-1] for cell in np.array(cells)[drawn]],
        array=100 * shares[drawn],
        cmap=COLOUR_MAP,
        norm=Normalize(0, 100 * SHARES_UP_TO),
        edgecolor="white",
        linewidth=0.8,
    )
    axes.add_collection(squares)
    for (row, column), share in zip(cells, shares.tolist(), strict=True):
        _print_share(axes, column, row, share, "bold" if row == column else "normal")
    for index in range(len(names)):
        axes.add_patch(
            Rectangle((index - 0.46, index - 0.46), 0.92, 0.92, fill=False, edgecolor=INK, lw=0.8)
        )
    _name_cells(axes, names, names)
    axes.set_xlim(-0.5, len(names) - 0.5)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_aspect("equal")
    if remainders:
        axes.text(
            1,
            1,
            "\n".join(f"{what}: {_percent(share)} %" for what, share in remainders.items()),
            transform=axes.transAxes,
            ha="right",
            va="top",
            fontsize=SHARE_SIZE,
            linespacing=1.3,
        )
    return squares


def _name_cells(axes: Axes, across: Sequence[str], down: Sequence[str]) -> None:
    """Name the columns and rows of cells, which need no frame."""
    axes.set_xticks(range(len(across)), across, rotation=90)
    axes.set_yticks(range(len(down)), down)
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)


def _print_share(
    axes: Axes, column: int, row: int, share: float, weight: Literal["normal", "bold"] = "normal"
) -> None:
    """Print a share in percent on its cell; blank if it rounds to 0."""
    text = _percent(share)
    colour = "black"
    if not np.isnan(share):
        colour = ink_on(colormaps[COLOUR_MAP](min(share / SHARES_UP_TO, 1.0)))
    axes.text(
        column,
        row,
        "" if text == "0" else text,
        ha="center",
        va="center",
        fontsize=SHARE_SIZE,
        fontweight=weight,
        color=colour,
    )


def _percent(share: float) -> str:
    """Return a share in percent, such as 41, 4.1 and .4."""
    if np.isnan(share):
        return "\N{EN DASH}"
    percent = 100 * share
    text = f"{percent:.1f}" if abs(percent) < 9.95 else f"{percent:.0f}"
    return short_number(text.replace("-", "\N{MINUS SIGN}"))


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw one triangle per response: decisions on its diagonal, pairs below it."""
    dataset = " and ".join(display.datasets.values())
    titles = {
        "effect": f"Variance of the difference (%), {dataset}",
        "verdict": "Variance of who wins (%)",
    }
    figure = new_figure(DOUBLE_COLUMN, 3.7)
    results = results.assign(explained=real_values(results["explained"]))
    terms = results[~results["decision"].isin(("shared", "rest"))]
    panels = figure.subplots(1, len(titles))
    for axes, (response, title) in zip(panels, titles.items(), strict=True):
        own = terms[terms["response"] == response]
        alone, pairs = own[own["other"] == ""], own[own["other"] != ""]
        whole = results[results["response"] == response].set_index("decision")["explained"]
        triangle(
            axes,
            [decision_title(name) for name in alone["decision"]],
            alone["explained"],
            pairs["explained"],
            remainders={
                "three or more decisions": float(whole["rest"]),
                "overlap of the cells": float(whole["shared"]),
            },
        )
        axes.set_title(title)
    letter_panels(panels)
    return figure


def data_pairs(inputs: ArtifactInputs) -> pd.DataFrame:
    """Compare all pairs of systems in every universe.

    Columns: first, second (systems); universes (their number); wins, ties, losses (shares of
    universes with significant wins, neither, or significant losses of the first system); ahead
    (share in which the first system has the higher value); ``explained_<decision>``, the share of
    the variance of the standardised difference that the decision explains alone.
    """
    from reproduction.experiments.universes import explore_experiments

    systems = inputs.parameters["systems"]
    pairs = list(combinations(systems, 2))
    universes = explore_experiments(inputs.decisions, inputs.experiments, pairs, inputs.seed)
    rows = []
    for (first, second), of_pair in universes.groupby(["first", "second"], sort=False):
        shares = verdict_shares(of_pair)
        found = explained(of_pair, "effect")
        rows.append(
            {
                "first": first,
                "second": second,
                "universes": len(of_pair),
                "wins": shares["first"],
                "ties": shares["tie"],
                "losses": shares["second"],
                "ahead": float((of_pair["difference"] > 0).mean()),
                **{
                    f"explained_{name}": share
                    for name, share in zip(found.names, found.alone[0], strict=True)
                },
            }
        )
    return pd.DataFrame(rows)


def draw_pairs(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw one bar of verdicts per pair, and beside it what explains the difference."""
    names = display.short_titles
    pairs = list(zip(results["first"], results["second"], strict=True))
    figure = new_figure(DOUBLE_COLUMN, 0.24 * len(results) + 1.7)
    bars, shades = figure.subplots(1, 2, width_ratios=(3, 2))
    styles = display.styles(dict.fromkeys(name for pair in pairs for name in pair))
    stacked_shares(
        bars,
        results[["wins", "ties", "losses"]],
        [names[first] for first, _ in pairs],
        [names[second] for _, second in pairs],
        colours=[(styles[first].colour, styles[second].colour) for first, second in pairs],
    )
    bars.set_xlabel("Share of the universes (%)")
    bars.set_title(f"Who wins, {' and '.join(display.datasets.values())}")
    decisions = [name for name in DECISIONS if f"explained_{name}" in results]
    shares = results[[f"explained_{name}" for name in decisions]].to_numpy(dtype=float)
    share_rows(shades, shares, [fill(decision_title(name), 14) for name in decisions])
    shades.set_title("Variance explained alone (%)")
    letter_panels((bars, shades))
    winners = {f"{names[name]} wins": style.colour for name, style in styles.items()}
    for label, colour in {**winners, NO_DIFFERENCE: NO_WINNER}.items():
        bars.add_patch(Rectangle((0, 0), 0, 0, facecolor=colour, label=label))
    legend_below(figure)
    return figure
