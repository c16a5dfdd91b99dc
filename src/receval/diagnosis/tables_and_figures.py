# SPDX-License-Identifier: MIT
"""The printed tables and the figures of a diagnosis."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from receval.diagnosis.metric_sensitivity import POPULAR_PERCENT, SAMPLES, TOLD_PERCENT
from receval.evaluation.formatting import with_direction
from receval.figures.finish import beside, legend_below, settle_layout
from receval.figures.point_labels import PointLabel, label_points
from receval.figures.printed_numbers import NOTHING, fixed, significant
from receval.figures.style import COLOURS, DOUBLE_COLUMN, INK, SeriesStyle, new_figure, short_number
from receval.figures.tables import Table, table_of
from receval.metrics.registry import parse

_HIDDEN = ("ratings_per_user_q10", "ratings_per_user_q90", "ratings_per_item_q10")
_COUNT = "{:,}".format
_WHOLE = ("users", "items", "ratings", "different_values")


def per_cent(share: float, decimals: int = 1) -> str:
    """Format a share as per cent; a dash if there is none.

    Examples
    --------
    >>> per_cent(0.0447), per_cent(0.5, 0), per_cent(0)
    ('4.5 %', '50 %', '0 %')
    """
    if share == 0:
        return "0 %"
    return NOTHING if math.isnan(share) else f"{fixed(100 * share, decimals)} %"


def size_table(size: pd.DataFrame, time: pd.DataFrame) -> Table:
    """Format the size, skew and timestamps of ratings."""
    shown = pd.concat([size, time])
    shown = shown[~shown["quantity"].isin(_HIDDEN)]
    values = [_value(*own) for own in zip(shown["quantity"], shown["value"], strict=True)]
    return table_of(
        shown.assign(value=values, meaning=shown["meaning"].map(_sentence)),
        {"Value": ("value", format), "What": ("meaning", str)},
        "Size and skew",
        "How many ratings there are, of what values, and how they are spread.",
    )


def splits_table(cold: pd.DataFrame, future: pd.DataFrame | None) -> Table:
    """Format cold users and items under each split, and leakage from the future."""
    columns: dict[str, tuple[str, Callable[[Any], str]]] = {
        "Split": ("split", str),
        "Train": ("train_ratings", _COUNT),
        "Test": ("test_ratings", _COUNT),
        "Cold users": ("cold_users", _COUNT),
        "Test of these": ("cold_user_share", partial(per_cent, decimals=2)),
        "Cold items": ("cold_items", _COUNT),
        "Test of those": ("cold_item_share", partial(per_cent, decimals=2)),
    }
    caption = "Users and items that test without having trained."
    notes = [
        "Cold: with test ratings but no training ratings. Test of these, of those: the share of "
        "the test ratings that they have."
    ]
    table = cold
    if future is not None:
        columns |= {
            "User's future": ("own_future", per_cent),
            "Item's future": ("item_future", per_cent),
            "Any user's": ("any_future", per_cent),
            "Later training ratings": ("later_training", per_cent),
        }
        caption = f"{caption[:-1]}, and the future in the training ratings."
        notes.append(
            "User's, item's and any user's future: the share of test ratings that have a later "
            "training rating of the same user, of the same item, or of any user. Later training "
            "ratings: the share of training ratings that are later than a test rating (median)."
        )
        table = cold.merge(future, on="split")
    return table_of(table, columns, "Splits", caption, notes)


def designs_table(designs: pd.DataFrame) -> Table:
    """Format the precision of Random and Pop under each design."""
    return table_of(
        designs,
        {
            "Design": ("design", str),
            "Candidates t": ("t", partial(fixed, decimals=0)),
            "Density rho": ("rho", significant),
            "Random expected": ("random_expected", significant),
            "Random": ("random", significant),
            "Pop": ("pop", significant),
            "Pop / Random": ("ratio", significant),
        },
        "Random and Pop by protocol",
        "P@10 that random recommendation gets by theory and in one draw, and that of the most "
        "popular items; t is the harmonic mean size of the lists, rho the share of relevant items.",
        (
            "AR: all relevant test items in one list; 1R: one list for each; P1R: within "
            "popularity percentiles; U: on a uniform test, where all target items have as many "
            "test ratings. "
            "AI: all items, TI: items with test ratings; AN: all others, NN: a sample of them.",
        ),
    )


def lead_table(shares: pd.DataFrame) -> Table:
    """Format how much of Pop's lead is due to sparsity and how much to popularity."""
    return table_of(
        shares,
        {
            "Design": ("design", str),
            "Levelled by": ("levelled", str),
            "Pop \N{MINUS SIGN} Random": ("lead", significant),
            "Sparsity": ("sparsity_share", partial(per_cent, decimals=0)),
            "Pop / Random": ("ratio", significant),
            "Levelled": ("levelled_ratio", significant),
            "Popularity": ("popularity_share", partial(per_cent, decimals=0)),
        },
        "Sparsity or popularity",
        "Pop's lead over Random in P@10, taken apart (Bellogín et al. 2017).",
        (
            "Sparsity: how far the difference is proportional to the density of the test, measured "
            "by removing half of the test ratings. Popularity: how much of the factor, on a "
            "logarithmic scale, goes when popularity is levelled.",
        ),
    )


def metrics_table(metrics: pd.DataFrame, systems: int) -> Table:
    """Format the discriminative power and the robustness of metrics, the best first."""
    total = metrics["power_rank"] + metrics["robustness_rank"]
    order = metrics.assign(total=total).sort_values(["total", "p_value_sum"], kind="stable")
    tau = partial(fixed, decimals=3)
    return table_of(
        order,
        {
            "Metric": ("metric", str),
            "Sum of p": ("p_value_sum", significant),
            f"p < .05 of {metrics['pairs'].iloc[0]}": ("significant_pairs", format),
            f"tau, {TOLD_PERCENT:g} % of ratings": ("tau", tau),
            f"tau, {POPULAR_PERCENT:g} % of items": ("tau_popular", tau),
        },
        "Metrics",
        f"How well metrics tell {systems} systems apart (sum of p-values, less is better), and "
        "how well they keep their order when judgments are missing (Kendall's tau); the best "
        "by both first (Valcarce et al. 2020).",
        (
            f"Test ratings are removed at random ({SAMPLES} samples), or those of the "
            f"{100 - POPULAR_PERCENT:g} % of the items that have most of them.",
        ),
    )


def judgments_table(agreement: pd.DataFrame, opposed: float | None) -> Table:
    """Format the agreement of orders of systems by liked, disliked and unbiased judgments."""
    names = {*agreement["metric"], *agreement["other"]}
    less = {name for name in names if parse(name).less_is_better}
    both = [
        " and ".join(with_direction(name, less) for name in dict.fromkeys(pair))
        for pair in zip(agreement["metric"], agreement["other"], strict=True)
    ]
    notes = [
        "1: the same order; \N{MINUS SIGN}1: the opposite one, so that one of the two misleads. "
        "\N{DOWNWARDS ARROW}: less is better."
    ]
    if opposed is not None and not math.isnan(opposed):
        notes.append(
            f"Of all pairs of items {per_cent(opposed, 0)} are in opposite orders in the two "
            "rankings that are optimal for observed precision and for observed anti-precision."
        )
    return table_of(
        agreement.assign(both=both, comparison=agreement["comparison"].map(_sentence)),
        {
            "Orders of systems": ("comparison", str),
            "Metrics": ("both", str),
            "Kendall's tau": ("tau", partial(fixed, decimals=2)),
        },
        "Liked, disliked, unbiased",
        "Whether metrics of liked and of disliked items agree on which system is better "
        "(Mena-Maldonado et al. 2021).",
        notes,
    )


def _value(quantity: str, value: float) -> str:
    if quantity in _WHOLE or quantity.startswith("ratings_per_"):
        return fixed(value, 0 if value == int(value) else 1)
    if quantity.endswith("_share") or quantity.startswith("top_"):
        return per_cent(value)
    if quantity == "timestamps":
        return "yes" if value else "no"
    if quantity in ("most_frequent_value", "relevant_from"):
        return f"{value:g}"
    if quantity.endswith("gini"):
        return fixed(value, 3)
    return significant(value)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


_MARKER = 5.0
_TWO_DECADES = 100.0


def draw_popularity(curve: pd.DataFrame) -> Figure:
    """Draw the number of ratings of items by popularity rank, on logarithmic scales."""
    figure = new_figure(DOUBLE_COLUMN * 0.72, 2.7)
    axes = figure.subplots()
    axes.plot(curve["rank"], curve["ratings"], color=COLOURS[0])
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(0.9, curve["rank"].max() * 1.1)
    axes.set_xlabel("Rank of the item by its number of ratings (log scale)")
    axes.set_ylabel("Ratings of the item (log scale)")
    _plain_logarithms(axes)
    for share in (0.5, 0.9):
        row = curve.iloc[int(np.searchsorted(curve["cumulative_share"], share))]
        axes.plot(row["rank"], row["ratings"], "o", color=COLOURS[3], markersize=4)
        text = f"{share:.0%} of the ratings: {row['rank']:,.0f} items".replace("%", " %")
        style = {"ha": "right", "va": "top", "color": INK, "fontsize": 7}
        beside(axes, text, (row["rank"], row["ratings"]), (-6, -3), **style)
    return figure


def draw_designs(designs: pd.DataFrame) -> Figure:
    """Draw the precision of Random and Pop under each design, on a logarithmic scale."""
    figure = new_figure(DOUBLE_COLUMN, 2.9)
    axes = figure.subplots()
    styles = {
        "Random (expected)": SeriesStyle(colour="#9A9A9A", marker="s"),
        "Pop": SeriesStyle(colour=COLOURS[0], marker="o"),
    }
    places = np.arange(len(designs))
    for column, (label, style) in zip(("random_expected", "pop"), styles.items(), strict=True):
        values = designs[column].where(designs[column] > 0)
        axes.plot(
            places, values, linestyle="none", marker=style.marker, color=style.colour,
            markersize=6, label=label,
        )  # fmt: skip
    for place, row in zip(places, designs.itertuples(), strict=True):
        if row.random_expected > 0 and row.pop > 0:
            both = [row.random_expected, row.pop]
            axes.plot([place, place], both, color="#B8B8B8", linewidth=1.0, zorder=1)
            text = short_number(f"{row.ratio:.2g}" if row.ratio < 10 else f"{row.ratio:.0f}")
            middle = (float(place), float(np.sqrt(row.random_expected * row.pop)))
            beside(axes, f"{text} ×", middle, (5, 0), va="center", fontsize=7)
    axes.set_yscale("log")
    axes.set_xticks(places, [name.replace(" ", "\n", 1) for name in designs["design"]])
    axes.set_xlim(-0.5, len(designs) - 0.3)
    axes.set_xlabel("Design: which items are ranked (protocol), U: as many test ratings per item")
    axes.set_ylabel("P@10 (log scale)")
    _plain_logarithms(axes, x=False)
    axes.grid(axis="x", visible=False)
    legend_below(figure)
    return figure


def draw_metrics(metrics: pd.DataFrame, percent: float) -> Figure:
    """Draw the robustness of metrics against their discriminative power."""
    figure = new_figure(DOUBLE_COLUMN * 0.72, 3.3)
    axes = figure.subplots()
    shown = metrics[metrics["tau"].notna()]
    pairs = int(metrics["pairs"].iloc[0])
    axes.plot(
        shown["p_value_sum"], shown["tau"], "o", color=COLOURS[0], markersize=_MARKER,
    )  # fmt: skip
    axes.set_xscale("log")
    low, high = shown["p_value_sum"].min(), shown["p_value_sum"].max()
    axes.set_xlim(low / 1.6, high * 1.6)
    bottom, top = shown["tau"].min(), shown["tau"].max()
    margin = max(0.02, 0.12 * (top - bottom))
    axes.set_ylim(bottom - margin, min(1.02, top + margin) if top + margin < 1 else 1.02)
    axes.set_xlabel(f"Sum of p-values over {pairs} pairs of systems (log scale; less is better)")
    axes.set_ylabel(f"Kendall's τ with {percent:g} % of the test ratings")
    _plain_logarithms(axes, y=False)
    settle_layout(figure)
    label_points(
        axes,
        [PointLabel(row.p_value_sum, row.tau, str(row.metric)) for row in shown.itertuples()],
        _MARKER,
    )
    return figure


def _plain_logarithms(axes: Axes, *, x: bool = True, y: bool = True) -> None:
    for axis, is_wanted in ((axes.xaxis, x), (axes.yaxis, y)):
        if is_wanted:
            low, high = axis.get_view_interval()
            if high / low < _TWO_DECADES:
                axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            axis.set_major_formatter(FuncFormatter(lambda value, _: _printed(value)))
            axis.set_minor_locator(NullLocator())


def _printed(value: float) -> str:
    return f"{value:,.0f}" if value >= 1 else short_number(f"{value:.6f}".rstrip("0"))
