"""All pairs of a set of systems: who wins in how many universes, and what decides it."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.figure import Figure

from receval.figures.bars import stacked_shares
from receval.figures.display import DisplayStyle
from receval.figures.finish import legend_below
from receval.figures.heat_map import COLOUR_MAP
from receval.figures.style import DOUBLE_COLUMN, ink_on, new_figure
from receval.multiverse.decisions import DECISIONS
from receval.multiverse.verdicts import explained, verdict_shares
from receval.studies._shared.inputs import ArtifactInputs


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Compare all pairs of the systems in every universe.

    Columns: first, second (systems); universes (their number); wins, ties, losses (shares of the
    universes, significant ones for the first system); ahead (share in which the first system has
    the higher value); ``explained_<decision>``, the share of the variance of the standardised
    difference that the decision explains alone.
    """
    from receval.multiverse.exploration import explore_experiments

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
    """Draw one bar of verdicts a pair, and beside it what explains its difference."""
    names = display.short_titles
    figure = new_figure(DOUBLE_COLUMN, 0.32 * len(results) + 1.0)
    bars, shades = figure.subplots(1, 2, width_ratios=(3, 2))
    stacked_shares(
        bars,
        results[["wins", "ties", "losses"]],
        [names[system] for system in results["first"]],
        [names[system] for system in results["second"]],
        ("left system wins", "neither", "right system wins"),
    )
    bars.set_xlabel("Share of the worlds")
    decisions = [name for name in DECISIONS if f"explained_{name}" in results]
    shares = results[[f"explained_{name}" for name in decisions]].to_numpy(dtype=float)
    shades.imshow(shares, cmap=COLOUR_MAP, vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    colours = colormaps[COLOUR_MAP]
    for (row, column), share in np.ndenumerate(shares):
        shades.text(
            column,
            row,
            f"{100 * share:.0f}",
            ha="center",
            va="center",
            fontsize=6,
            color=ink_on(colours(float(share))),
        )
    shades.set_xticks(range(len(decisions)), [DECISIONS[name] for name in decisions])
    shades.set_yticks([])
    shades.tick_params(length=0)
    shades.grid(visible=False)
    shades.spines[:].set_visible(False)
    shades.set_xlabel("Variance explained alone (%)")
    legend_below(figure)
    return figure
