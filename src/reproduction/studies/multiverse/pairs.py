# SPDX-License-Identifier: MIT
"""All pairs of some systems: in how many universes each wins, and what decides it."""

from __future__ import annotations

from itertools import combinations
from textwrap import fill

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from receval.figures.display import DisplayStyle
from receval.figures.finish import legend_below, letter_panels
from receval.figures.style import DOUBLE_COLUMN, NO_WINNER, new_figure
from receval.multiverse.decisions import DECISIONS
from receval.multiverse.description import NO_DIFFERENCE, decision_title
from receval.multiverse.verdicts import explained, verdict_shares
from reproduction.studies._shared.bars import stacked_shares
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.multiverse.explained import share_rows


def data(inputs: ArtifactInputs) -> pd.DataFrame:
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


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
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
