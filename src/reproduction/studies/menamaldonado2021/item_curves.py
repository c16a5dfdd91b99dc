# SPDX-License-Identifier: MIT
"""Figures 6, 7, 10 and 15: items by their popularity and what goes along with it."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from receval.figures.curves import plain_numbers
from receval.figures.display import DisplayStyle, coefficient_text
from receval.figures.finish import beside, letter_panels, settle_layout
from receval.figures.line_labels import with_named_lines
from receval.figures.style import DOUBLE_COLUMN, INK, SINGLE_COLUMN, new_figure, percent
from receval.statistics.correlation import kendall_tau_b, pearson_r
from receval.storage.files import real_values
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from receval.data.ratings import Ratings


def items_of_optima(inputs: ArtifactInputs, dataset: str) -> pd.DataFrame:
    """Return the items of a dataset with their probabilities and optimal ranking functions.

    Columns: popularity_rank; popularity, p(train | i); average_rating, p(rel | train, i);
    precision, anti_precision: the functions whose orders are optimal for the observed values of
    these metrics.

    All ratings are in train. Items that no user or every user rated are left out, as in counts of
    pairs. Rows are sorted by falling popularity, then by average rating. They do not identify
    items, since ratings must not be redistributed.
    """
    from receval.theory.rating_probabilities import (
        RatingProbabilities,
        observed_anti_precision_ranking,
        observed_precision_ranking,
    )

    threshold = float(inputs.parameters["relevance_threshold"])
    counts = RatingProbabilities.of_ratings(inputs.ratings(dataset), threshold)
    counts = counts.select(counts.with_odds)
    return in_falling_order(
        {
            "popularity": counts.p_train,
            "average_rating": counts.p_relevant_given_train,
            "precision": observed_precision_ranking(counts),
            "anti_precision": observed_anti_precision_ranking(counts),
        }
    )


def in_falling_order(columns: Mapping[str, NDArray[np.float64]]) -> pd.DataFrame:
    """Return a table sorted in falling order of its columns.

    Its first column, popularity_rank, is the rank in this order, from 1, and identifies rows.
    """
    table = pd.DataFrame(columns).sort_values(list(columns), ascending=False, ignore_index=True)
    table.insert(0, "popularity_rank", np.arange(1, len(table) + 1))
    return table


def with_statements(
    dataset: str, statements: Mapping[str, float], column: str, items: pd.DataFrame
) -> pd.DataFrame:
    """Put numbers on all items together above the rows of the items."""
    above = pd.DataFrame({"statement": list(statements), column: list(statements.values())})
    together = pd.concat([above, items.assign(statement="")], ignore_index=True)
    together.insert(0, "dataset", dataset)
    return together.astype({"popularity_rank": "Int64"})


def rows_of_items(results: pd.DataFrame, dataset: str) -> pd.DataFrame:
    """Return the rows of a dataset's items, without the statements."""
    return results[(results["dataset"] == dataset) & (results["statement"] == "")]


def stated(results: pd.DataFrame, dataset: str, statement: str, column: str) -> float:
    """Return the number of a statement on a dataset; NaN if its cell is empty."""
    chosen = (results["dataset"] == dataset) & (results["statement"] == statement)
    (cell,) = results.loc[chosen, column]
    return float("nan") if cell == "" else float(cell)


RESOLUTION = 300
"""Dots per inch of raster parts."""


def dots(axes: Axes, x: ArrayLike, y: ArrayLike, colour: str, size: float = 1.6) -> None:
    """Draw one dot per point; overlaps are darker than single dots.

    The dots are a raster image within the vector figure, because thousands of vector dots make a
    file large and slow to open.
    """
    axes.figure.set_dpi(RESOLUTION)
    axes.plot(
        x,
        y,
        linestyle="none",
        marker="o",
        markersize=size,
        markeredgewidth=0,
        color=colour,
        alpha=0.5,
        rasterized=True,
    )


TAU_OF_OPTIMA = "Kendall's tau of the optimal rankings for precision and anti-precision"
CURVES = {
    "popularity": ("popularity $p(\\mathrm{train}|i)$", "--", 0.07),
    "average_rating": ("average rating $p(\\mathrm{rel}|\\mathrm{train},i)$", "-", 0.48),
}
"""Name and dash of each curve, and the position of its name as a share of the items."""


def data_fig06(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return popularity, average rating and ranks in the optimal rankings, one row per item.

    Columns: dataset; statement; coefficient (its value: Kendall's tau-b of the optimal rankings for
    observed precision and anti-precision); popularity_rank (from 1, the row's rank in the falling
    order of popularity); popularity; average_rating; precision_rank, anti_precision_rank (ranks in
    the two rankings, the mean of their positions for items of equal value).

    A row has either a statement or an item. Items are not named; those without ratings or rated by
    all users are left out.
    """
    tables = []
    for dataset in inputs.datasets:
        items = items_of_optima(inputs, dataset)
        one, other = items["precision"], items["anti_precision"]
        ranked = pd.DataFrame(
            {
                "popularity_rank": items["popularity_rank"],
                "popularity": items["popularity"],
                "average_rating": items["average_rating"],
                "precision_rank": one.rank(ascending=False),
                "anti_precision_rank": other.rank(ascending=False),
            }
        )
        tau = float(kendall_tau_b(one, other)[0, 0]) if len(items) else float("nan")
        tables.append(with_statements(dataset, {TAU_OF_OPTIMA: tau}, "coefficient", ranked))
    return pd.concat(tables, ignore_index=True)


def draw_fig06(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the two distributions, each in its own order, and the items by their two ranks."""
    datasets = list(dict.fromkeys(results["dataset"]))
    figure = new_figure(DOUBLE_COLUMN, 2.6 * len(datasets))
    panels = figure.subplots(len(datasets), 2, squeeze=False)
    for (curves, ranks), dataset in zip(panels, datasets, strict=True):
        items = rows_of_items(results, dataset)
        _draw_curves(curves, items)
        curves.set_title(f"Probabilities of items, {display.datasets[dataset]}")
        dots(
            ranks,
            real_values(items["precision_rank"]),
            real_values(items["anti_precision_rank"]),
            INK,
        )
        margin = 1 + 0.02 * len(items)
        ranks.set_xlim(-margin, len(items) + margin)
        ranks.set_ylim(-margin, len(items) + margin)
        tau = stated(results, dataset, TAU_OF_OPTIMA, "coefficient")
        ranks.set_title("Optimal rankings, " + coefficient_text("$\\tau$", tau))
        ranks.set_xlabel("Rank in the optimum of precision")
        ranks.set_ylabel("Rank in the optimum of anti-precision")
        for axis in (curves.xaxis, ranks.xaxis, ranks.yaxis):
            plain_numbers(axis)
    letter_panels(panels.ravel())
    settle_layout(figure)
    return figure


def _draw_curves(axes: Axes, items: pd.DataFrame) -> None:
    """Draw each probability in falling order, with its name above the curve."""
    for name, (label, line, share) in CURVES.items():
        values = np.sort(real_values(items[name]))[::-1]
        axes.plot(np.arange(1, len(values) + 1), values, color=INK, linestyle=line)
        if len(values):
            at = share * len(values)
            beside(axes, label, (at, float(values[int(at)])), (6, 5), fontsize=7, va="bottom")
    axes.set_xlim(left=0)
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("Rank of the item, by each probability")
    axes.set_ylabel("Probability")


FUNCTIONS = {
    "precision": "Precision optimum $\\varphi_{\\hat{P}}$",
    "anti_precision": "Anti-precision optimum $\\varphi_{\\mathrm{anti}\\hat{P}}$",
}
COMPONENTS = {
    "popularity": "Popularity $p(\\mathrm{train}|i)$",
    "average_rating": "Average rating $p(\\mathrm{rel}|\\mathrm{train},i)$",
}


def data_fig07(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the optimal ranking functions and their components, one row per item.

    Columns: dataset; statement; coefficient (its value: Pearson's r of two columns);
    popularity_rank (from 1, the row's rank); popularity; average_rating; precision, anti_precision
    (functions whose orders are optimal for observed values).

    A row has either a statement or an item. Items are not named; those without ratings or rated by
    all users are left out.
    """
    tables = []
    for dataset in inputs.datasets:
        items = items_of_optima(inputs, dataset)
        pairs = [(one, other) for one in FUNCTIONS for other in COMPONENTS]
        pairs.append(("popularity", "average_rating"))
        correlations = {
            _statement(one, other): pearson_r(items[one], items[other]) for one, other in pairs
        }
        tables.append(with_statements(dataset, correlations, "coefficient", items))
    return pd.concat(tables, ignore_index=True)


def _statement(one: str, other: str) -> str:
    return f"Pearson's r of {one} and {other}"


def draw_fig07(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw one panel per function (down) and component (across), with their correlation."""
    datasets = list(dict.fromkeys(results["dataset"]))
    figure = new_figure(DOUBLE_COLUMN, 4.4 * len(datasets))
    panels = figure.subplots(2 * len(datasets), 2, sharex="col", sharey="row", squeeze=False)
    for row, (dataset, function) in zip(
        panels, ((dataset, function) for dataset in datasets for function in FUNCTIONS), strict=True
    ):
        items = rows_of_items(results, dataset)
        for axes, component in zip(row, COMPONENTS, strict=True):
            x, y = real_values(items[component]), real_values(items[function])
            dots(axes, x, y, INK)
            r = stated(results, dataset, _statement(function, component), "coefficient")
            axes.set_title(coefficient_text("Pearson's $r$", r))
        if function == next(iter(FUNCTIONS)):
            row[0].set_title(f"{display.datasets[dataset]}, {row[0].get_title(loc='left')}")
        row[0].set_ylabel(FUNCTIONS[function])
    for axes, component in zip(panels[-1], COMPONENTS, strict=True):
        axes.set_xlabel(COMPONENTS[component])
        # Items of popularity 0 have whole dots.
        axes.set_xlim(left=-0.01)
    letter_panels(panels.ravel())
    return figure


CONSTANT = "p(train | rel)"
ABOVE = "items with p(train | rel, i) > p(train | i)"

DOTS = "#7A7A7A"
"""Colour of the items, lighter than the lines."""


def data_fig10(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return p(train | i) and p(train | rel, i), one row per item, and the nearer line.

    Columns: dataset; statement; probability (p(train | rel), or the share of items);
    popularity_rank (from 1, the row's rank); popularity, p(train | i); popularity_among_relevant,
    p(train | rel, i). A row has either a statement or an item. Items are not named; those that are
    relevant to no user are left out.

    The two lines are those of relevance-independent rating, p(train | rel, i) = p(train | i), and
    of item-independent rating, p(train | rel, i) = p(train | rel). The nearer line is found by
    distance, or by the difference in p(train | rel, i) alone.
    """
    from receval.theory.rating_probabilities import RatingProbabilities

    threshold = float(inputs.parameters["relevance_threshold"])
    tables = []
    for dataset in inputs.datasets:
        counts = RatingProbabilities.of_judgments(inputs.ratings(dataset), threshold)
        constant = float(counts.total.p_train_given_relevant)
        counts = counts.select(counts.known_relevant > 0)
        x, y = counts.p_train, counts.p_train_given_relevant
        to_diagonal, to_constant = np.abs(y - x), np.abs(y - constant)
        statements = {
            CONSTANT: constant,
            ABOVE: _share(y > x),
            "items with p(train | rel, i) = p(train | i)": _share(y == x),
            "items nearer to the line p(train | i)": _share(to_diagonal / np.sqrt(2) < to_constant),
            "items nearer to the line p(train | i), by the difference alone": _share(
                to_diagonal < to_constant
            ),
        }
        items = in_falling_order({"popularity": x, "popularity_among_relevant": y})
        tables.append(with_statements(dataset, statements, "probability", items))
    return pd.concat(tables, ignore_index=True)


def _share(which: np.ndarray) -> float:
    return float(which.mean()) if len(which) else float("nan")


def draw_fig10(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw one dot per item, and the two lines."""
    datasets = list(dict.fromkeys(results["dataset"]))
    figure = new_figure(SINGLE_COLUMN, 2.5 * len(datasets))
    panels = figure.subplots(len(datasets), 1, squeeze=False)[:, 0]
    for axes, dataset in zip(panels, datasets, strict=True):
        items = rows_of_items(results, dataset)
        x = real_values(items["popularity"])
        y = real_values(items["popularity_among_relevant"])
        dots(axes, x, y, DOTS, size=2.5)
        axes.plot([0, 1], [0, 1], color=INK, label="$= p(\\mathrm{train}|i)$")
        constant = stated(results, dataset, CONSTANT, "probability")
        if not isnan(constant):
            label = "$= p(\\mathrm{train}|\\mathrm{rel})$"
            axes.plot([0, 1], [constant, constant], color=INK, linestyle="--", label=label)
        axes.set_xlim(-0.02, 1.02)
        axes.set_ylim(-0.02, 1.02)
        above = stated(results, dataset, ABOVE, "probability")
        share = "" if isnan(above) else f": {percent(above)} above the diagonal"
        axes.set_title(f"{display.datasets[dataset]}{share}")
        axes.set_xlabel("Popularity $p(\\mathrm{train}|i)$")
        axes.set_ylabel("Popularity if relevant $p(\\mathrm{train}|\\mathrm{rel},i)$")
    return with_named_lines(panels)


PEARSON = "Pearson's r of popularity and relevance"
PRINTED = "Pearson's $r$"


def data_fig15(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return p(train | i) and p(rel | i), one row per item and relevance threshold.

    Columns: dataset; relevance_threshold; statement; coefficient (its value: Pearson's r);
    popularity_rank (from 1, the row's rank); popularity, p(train | i); relevance, p(rel | i). A
    row has either a statement or an item. Items are not named; those without random judgments are
    left out.

    p(rel | i) is the share of relevant ones among the random judgments of an item. If users said
    which items they knew (the parameter ``sample_holds_choices``: CM100k), p(train | i) is the
    share of these users who knew the item; else (Yahoo! R3) it is the share of all users who chose
    to rate it.
    """
    tables = []
    names, thresholds = inputs.parameters["curves"], inputs.parameters["thresholds"]
    for dataset, threshold in zip(names, thresholds, strict=True):
        if dataset not in (*inputs.datasets, *inputs.absent):
            raise ValueError(
                f"The parameter curves names {dataset}, which is not among the artifact's datasets."
            )
        if dataset in inputs.absent:
            continue
        holds_choices = dataset in inputs.parameters["sample_holds_choices"]
        popularity, relevance = _probabilities(
            inputs.ratings(dataset), float(threshold), holds_choices
        )
        judged = ~np.isnan(popularity) & ~np.isnan(relevance)
        columns = {"popularity": popularity[judged], "relevance": relevance[judged]}
        correlation = {PEARSON: pearson_r(*columns.values())}
        table = with_statements(dataset, correlation, "coefficient", in_falling_order(columns))
        table.insert(1, "relevance_threshold", int(threshold))
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def _probabilities(
    ratings: Ratings, threshold: float, holds_choices: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    from receval.theory.rating_probabilities import RatingProbabilities

    if holds_choices:
        judged = RatingProbabilities.of_judgments(ratings, threshold)
        return judged.p_train, judged.p_relevant
    if ratings.known is None:
        raise ValueError(
            "The ratings do not say which of them their users chose, so there is no random sample "
            "to estimate relevance from: draw this figure of other datasets."
        )
    chosen = RatingProbabilities.of_ratings(ratings, threshold, ratings.known)
    drawn = ratings.select(~ratings.known)
    nothing = np.zeros(len(drawn), dtype=bool)
    judged = RatingProbabilities.of_judgments(drawn, threshold, nothing)
    return chosen.p_train, judged.p_relevant


def draw_fig15(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw one panel per dataset, at its first threshold, with the correlation."""
    first = results.drop_duplicates("dataset").set_index("dataset")["relevance_threshold"]
    datasets = list(dict.fromkeys(results["dataset"]))
    figure = new_figure(DOUBLE_COLUMN if len(datasets) > 1 else SINGLE_COLUMN, 2.8)
    panels = figure.subplots(1, len(datasets), squeeze=False)[0]
    for axes, dataset in zip(panels, datasets, strict=True):
        chosen = results["dataset"] == dataset
        chosen &= results["relevance_threshold"] == first[dataset]
        items = results[chosen & (results["statement"] == "")]
        (r,) = real_values(results.loc[chosen & (results["statement"] == PEARSON), "coefficient"])
        dots(axes, real_values(items["popularity"]), real_values(items["relevance"]), INK, size=2.5)
        # Items of popularity 0 have whole dots.
        axes.set_xlim(left=-0.01)
        axes.set_ylim(bottom=-0.01)
        axes.set_title(f"{display.datasets[dataset]}, {coefficient_text(PRINTED, r)}")
        axes.set_xlabel("Popularity $p(\\mathrm{train}|i)$")
        axes.set_ylabel("Relevance $p(\\mathrm{rel}|i)$")
    letter_panels(panels)
    return figure
