# SPDX-License-Identifier: MIT
"""Format the tables of a diagnosis for printing."""

from __future__ import annotations

import math

import pandas as pd

from receval.diagnosis.metric_sensitivity import POPULAR_PERCENT, SAMPLES, TOLD_PERCENT
from receval.evaluation.formatting import with_direction
from receval.figures.printed_numbers import NOTHING, fixed, significant
from receval.figures.tables import Column, Table
from receval.metrics.registry import parse

_HIDDEN = ("ratings_per_user_q10", "ratings_per_user_q90", "ratings_per_item_q10")
_WHOLE = ("users", "items", "ratings", "different_values")


def per_cent(share: float, decimals: int = 1) -> str:
    """Format a share as per cent.

    Examples
    --------
    >>> per_cent(0.0447), per_cent(0.5, 0)
    ('4.5 %', '50 %')
    """
    if share == 0:
        return "0 %"
    return NOTHING if math.isnan(share) else f"{fixed(100 * share, decimals)} %"


def size_table(size: pd.DataFrame, time: pd.DataFrame) -> Table:
    """Format the size, skew and timestamps of ratings."""
    rows = []
    for row in [*size.itertuples(), *time.itertuples()]:
        if row.quantity in _HIDDEN:
            continue
        rows.append((_value(str(row.quantity), float(row.value)), _sentence(str(row.meaning))))
    return Table(
        "Size and skew",
        (Column("Value", "right"), Column("What")),
        tuple(rows),
        "How many ratings there are, of what values, and how they are spread.",
    )


def splits_table(cold: pd.DataFrame, future: pd.DataFrame | None) -> Table:
    """Format cold users and items under each split, and leakage from the future."""
    heads = ["Train", "Test", "Cold users", "Test of these", "Cold items", "Test of those"]
    if future is not None:
        heads += ["User's future", "Item's future", "Anybody's", "Younger training"]
    rows = []
    for number, row in enumerate(cold.itertuples()):
        cells = [
            str(row.split),
            f"{row.train_ratings:,}",
            f"{row.test_ratings:,}",
            f"{row.cold_users:,}",
            per_cent(float(row.cold_user_share), 2),
            f"{row.cold_items:,}",
            per_cent(float(row.cold_item_share), 2),
        ]
        if future is not None:
            own = future.iloc[number]
            names = ("own_future", "item_future", "any_future", "later_training")
            cells += [per_cent(float(own[name])) for name in names]
        rows.append(tuple(cells))
    notes = [
        "Cold: with test ratings and without training ratings. Test of these, of those: the share "
        "of the test ratings that is theirs."
    ]
    if future is not None:
        notes.append(
            "User's, item's, anybody's future: test ratings for which a training rating of the "
            "same user, of the same item, of anybody is younger. Younger training: the share of "
            "the training ratings that are younger than a test rating, median."
        )
    return Table(
        "Splits",
        (Column("Split"), *(Column(head, "right") for head in heads)),
        tuple(rows),
        "Users and items that test without having trained"
        + (", and the future in the training ratings." if future is not None else "."),
        tuple(notes),
    )


def designs_table(designs: pd.DataFrame) -> Table:
    """Format the precision of Random and Pop under each design."""
    heads = ("Candidates t", "Density rho", "Random expected", "Random", "Pop", "Pop / Random")
    rows = tuple(
        (
            str(row.design),
            fixed(float(row.t), 0),
            significant(float(row.rho)),
            significant(float(row.random_expected)),
            significant(float(row.random)),
            significant(float(row.pop)),
            significant(float(row.ratio)),
        )
        for row in designs.itertuples()
    )
    return Table(
        "Random and Pop by protocol",
        (Column("Design"), *(Column(head, "right") for head in heads)),
        rows,
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
    heads = ("Pop \N{MINUS SIGN} Random", "Sparsity", "Pop / Random", "Levelled", "Popularity")
    rows = tuple(
        (
            str(row.design),
            str(row.levelled),
            significant(float(row.lead)),
            per_cent(float(row.sparsity_share), 0),
            significant(float(row.ratio)),
            significant(float(row.levelled_ratio)),
            per_cent(float(row.popularity_share), 0),
        )
        for row in shares.itertuples()
    )
    return Table(
        "Sparsity or popularity",
        (Column("Design"), Column("Levelled by"), *(Column(head, "right") for head in heads)),
        rows,
        "Pop's lead over Random in P@10, taken apart (bellogin2017).",
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
    pairs = int(metrics["pairs"].iloc[0])
    kept = f"tau, {TOLD_PERCENT:g} % of ratings"
    heads = ("Sum of p", f"p < .05 of {pairs}", kept, f"tau, {POPULAR_PERCENT:g} % of items")
    rows = tuple(
        (
            str(row.metric),
            significant(float(row.p_value_sum)),
            f"{row.significant_pairs}",
            fixed(float(row.tau), 3),
            fixed(float(row.tau_popular), 3),
        )
        for row in order.itertuples()
    )
    return Table(
        "Metrics",
        (Column("Metric"), *(Column(head, "right") for head in heads)),
        rows,
        f"How well metrics tell {systems} systems apart (sum of p-values, less is better), and "
        "how well they keep their order when judgments are missing (Kendall's tau); the best "
        "by both first (valcarce2020).",
        (
            f"Test ratings are removed at random ({SAMPLES} samples), or those of the "
            f"{100 - POPULAR_PERCENT:g} % of the items that have most of them.",
        ),
    )


def judgments_table(agreement: pd.DataFrame, opposed: float | None) -> Table:
    """Format the agreement of orders of systems by liked, disliked and unbiased judgments."""
    less = {
        name
        for name in (*agreement["metric"], *agreement["other"])
        if parse(str(name)).less_is_better
    }
    rows = tuple(
        (
            _sentence(str(row.comparison)),
            " and ".join(
                with_direction(name, less) for name in dict.fromkeys((row.metric, row.other))
            ),
            fixed(float(row.tau), 2),
        )
        for row in agreement.itertuples()
    )
    notes = [
        "1: the same order; \N{MINUS SIGN}1: the opposite one, so that one of the two misleads. "
        "\N{DOWNWARDS ARROW}: less is better."
    ]
    if opposed is not None and not math.isnan(opposed):
        notes.append(
            f"Of all pairs of items {per_cent(opposed, 0)} are in opposite orders in the two "
            "rankings that are optimal for observed precision and for observed anti-precision."
        )
    return Table(
        "Liked, disliked, unbiased",
        (Column("Orders of systems"), Column("Metrics"), Column("Kendall's tau", "right")),
        rows,
        "Whether metrics of liked and of disliked items agree on which system is better "
        "(menamaldonado2021).",
        tuple(notes),
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
