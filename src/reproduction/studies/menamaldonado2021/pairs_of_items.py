# SPDX-License-Identifier: MIT
"""Figures 3, 5 and 9: pairs of items, and how often rankings agree on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from receval.figures.display import DisplayStyle
from receval.figures.finish import beside, legend_below, letter_panels
from receval.figures.line_labels import label_lines
from receval.figures.style import DOUBLE_COLUMN, INK, new_figure, percent, short_number
from receval.storage.files import real_values
from reproduction.studies._shared.bars import TABLE_ROW_HEIGHT, BarGroup, BarRow, bar_table
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from receval.theory.item_pairs import ItemPairs
    from receval.theory.rating_probabilities import RatingProbabilities

CASES = {
    # f and g over the items a and b, from the caption of the paper's figure. Cases 1 and 3 have the
    # same maximum and a larger difference of f; cases 2 and 4 have the same difference and a larger
    # maximum of g.
    1: ((3, 1), (3, 2)),
    2: ((2, 1), (3, 2)),
    3: ((3, 1), (2, 3)),
    4: ((2, 1), (2, 3)),
}
ITEMS = ("a", "b")
FUNCTION_STYLES = {"f": (INK, "o", "-"), "g": ("#7A7A7A", "s", "--")}
"""Colour, marker and dash of each function; neither is a system or a metric."""


def data_fig03(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the functions f and g in four cases, and how they compare.

    Columns: case; function (f, g); of_a, of_b (its values); decrement_rate (equation 11); steeper
    (yes for the steeper one of the two); agreement (whether f and g agree or disagree).
    """
    from receval.theory.item_pairs import agree, decrement_rate, is_steeper

    rows = []
    for case, (f, g) in CASES.items():
        for name, values, other in (("f", f, g), ("g", g, f)):
            rows.append(
                {
                    "case": f"({case})",
                    "function": name,
                    "of_a": values[0],
                    "of_b": values[1],
                    "decrement_rate": float(decrement_rate(*values)),
                    "steeper": "yes" if is_steeper(*values, *other) else "no",
                    "agreement": "agree" if agree(*f, *g) else "disagree",
                }
            )
    return pd.DataFrame(rows)


def draw_fig03(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw both functions over the two items, with one panel per case."""
    cases = list(dict.fromkeys(results["case"]))
    figure = new_figure(DOUBLE_COLUMN, 2.1)
    panels = figure.subplots(1, len(cases), sharey=True, squeeze=False)[0]
    for axes, case in zip(panels, cases, strict=True):
        _draw_case(axes, results[results["case"] == case].set_index("function"))
        verdict = results.loc[results["case"] == case, "agreement"].iloc[0]
        axes.set_title(f"{case} $f$ and $g$ {verdict}")
    panels[0].set_ylabel("Value of the function")
    panels[0].set_ylim(0, 3.4)
    panels[0].set_yticks([0, 1, 2, 3])
    label_lines(panels)
    return figure


def _draw_case(axes: Axes, functions: pd.DataFrame) -> None:
    rates = []
    for name, (colour, marker, line) in FUNCTION_STYLES.items():
        function = functions.loc[name]
        axes.plot(
            (0, 1),
            function[["of_a", "of_b"]].astype(float),
            color=colour,
            marker=marker,
            linestyle=line,
            label=f"${name}$",
            clip_on=False,
        )
        rate = short_number(f"{function['decrement_rate']:.2f}")
        rates.append(f"$\\mathrm{{dr}}_{{a,b}}\\,{name}$ = {rate}")
    axes.text(0.5, 0.06, "\n".join(rates), transform=axes.transAxes, ha="center", fontsize=7)
    axes.set_xlim(-0.25, 1.1)
    axes.set_xticks([0, 1], ITEMS)
    axes.set_xlabel("Item")


AGREE, DISAGREE, TIED = "agree", "disagree", "tied"


def orders_together(one: NDArray[np.int8], other: NDArray[np.int8]) -> NDArray[np.str_]:
    """Name how two orders of a pair of items compare; they are tied if one has no order."""
    together = one * other
    return np.select([together > 0, together < 0], [AGREE, DISAGREE], TIED)


def popularity_against(pairs: ItemPairs, relevance: str) -> NDArray[np.str_]:
    """Name how popularity and relevance compare, or which of them is flat."""
    flat_popularity, flat_relevance = pairs.popularity == 0, pairs.relevance == 0
    return np.select(
        [flat_popularity & flat_relevance, flat_popularity, flat_relevance],
        ["both flat", "flat popularity", f"flat {relevance}"],
        orders_together(pairs.popularity, pairs.relevance),
    )


def table_of_areas(pairs: ItemPairs, names: Mapping[str, NDArray[np.str_]]) -> pd.DataFrame:
    """Return the number and share of pairs for each combination of names that occurs."""
    columns = list(names)
    table = pd.DataFrame({**names, "pairs": pairs.pairs})
    areas = table.groupby(columns, as_index=False, sort=True).agg(pairs=("pairs", "sum"))
    areas["share_of_pairs"] = areas["pairs"] / pairs.n_pairs if pairs.n_pairs else np.nan
    return areas


def table_of_statements(
    pairs: ItemPairs, statements: Mapping[str, tuple[NDArray[np.bool_], float | None]]
) -> pd.DataFrame:
    """Return the number and share of pairs for which statements are true, and the paper's share.

    The statements have, by their text, the cases for which they are true and the paper's share.
    """
    return pd.DataFrame(
        [
            {
                "statement": text,
                "pairs": pairs.count(where),
                "share_of_pairs": pairs.share(where),
                "paper": np.nan if paper is None else paper,
            }
            for text, (where, paper) in statements.items()
        ]
    )


# Distinct in greyscale, and no hue of a system, since popularity itself is a subject here.
COLOURS = {AGREE: "#D9F0D3", DISAGREE: "#B497C8", TIED: "#7A7A7A"}
"""Colours by how two rankings compare."""

ABOVE, LINE_HEIGHT = 14, 9.5
"""Points between the rows and the lines above them, and between two of these."""

STEEPER_THAN = {
    "both": "odds steeper than average rating and complement",
    "complement": "odds steeper than complement alone",
    "average rating": "odds steeper than average rating alone",
    "neither": "odds steeper than neither of them",
}
"""What the odds of popularity are steeper than."""

STATEMENT_HEADS = ("disagree", "agree", "tied")
"""Heads of the columns of numbers, in the order of the styles of outcomes."""

STATEMENT_STYLES = {
    DISAGREE: (COLOURS[DISAGREE], "optimal rankings disagree"),
    AGREE: (COLOURS[AGREE], "optimal rankings agree"),
    TIED: (COLOURS[TIED], "one of them has a tie"),
}
RANKINGS_DISAGREE = "optimal rankings disagree"
STEEPER_THAN_BOTH = "odds are steeper than average rating and complement"


def data_fig05(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the pairs of items by agreement and steepness of popularity and average rating.

    Columns: dataset; ratings (all, or train: the training parts of a split); split (the first of
    the artifact's that can be made); fold (its number from 0, or mean); statement;
    popularity_and_rating (agree, disagree, or which is flat: equal for both items); steeper_than
    (what the odds of popularity are steeper than: both, only the average rating, only its
    complement, or neither); predicted (whether lemma 1 predicts that the optimal rankings
    disagree); rankings (agree, disagree, or tied: one of them has a tie); pairs (number; empty for
    means); share_of_pairs; paper (the share that the paper states).

    A row has either a statement or an area of the mosaic: the columns from popularity_and_rating to
    rankings. Items without ratings are left out.
    """
    from receval.splits.split import TRAIN
    from receval.theory.rating_probabilities import RatingProbabilities

    threshold = float(inputs.parameters["relevance_threshold"])
    tables = []
    for dataset in inputs.datasets:
        ratings = inputs.ratings(dataset)
        counts = RatingProbabilities.of_ratings(ratings, threshold)
        everything = {"dataset": dataset, "ratings": "all", "split": "", "fold": ""}
        tables.append(_pairs(counts).assign(**everything))
        splits = [name for of_dataset, name in inputs.splits if of_dataset == dataset]
        # The authors' folds if they are available, else seeded ones.
        for name in splits[:1]:
            folds = []
            for number, codes in enumerate(inputs.split(dataset, name).codes):
                in_train = codes & TRAIN > 0
                counts = RatingProbabilities.of_ratings(ratings, threshold, in_train)
                folds.append(_pairs(counts).assign(fold=str(number)))
            for table in (*folds, _mean(folds)):
                tables.append(table.assign(dataset=dataset, ratings="train", split=name))
    results = pd.concat(tables, ignore_index=True)
    columns = ["dataset", "ratings", "split", "fold", "statement", *_AREA]
    return results[[*columns, "pairs", "share_of_pairs", "paper"]]


_AREA = ["popularity_and_rating", "steeper_than", "predicted", "rankings"]


def _pairs(counts: RatingProbabilities) -> pd.DataFrame:
    from receval.theory.item_pairs import item_pairs
    from reproduction.studies.menamaldonado2021.lemma_cases import (
        lemma1_predicts_disagreement,
    )

    pairs = item_pairs(counts, "rated")
    steeper = pairs.steeper_than_relevance > 0, pairs.steeper_than_non_relevance > 0
    rankings = orders_together(pairs.observed_precision, pairs.observed_anti_precision)
    predicted = lemma1_predicts_disagreement(
        pairs.popularity,
        pairs.relevance,
        pairs.steeper_than_relevance,
        pairs.steeper_than_non_relevance,
    )
    popularity = popularity_against(pairs, "average rating")
    areas = table_of_areas(
        pairs,
        {
            "popularity_and_rating": popularity,
            "steeper_than": np.select(
                [steeper[0] & steeper[1], steeper[1], steeper[0]],
                ["both", "complement", "average rating"],
                "neither",
            ),
            "predicted": np.where(predicted, DISAGREE, "no disagreement"),
            "rankings": rankings,
        },
    )
    statements: dict[str, tuple[NDArray[np.bool_], float | None]] = {
        RANKINGS_DISAGREE: (rankings == DISAGREE, 0.824),
        "optimal rankings agree": (rankings == AGREE, None),
        "one of the optimal rankings has a tie": (rankings == TIED, None),
        STEEPER_THAN_BOTH: (steeper[0] & steeper[1], 0.633),
        "odds are steeper than average rating": (steeper[0], None),
        "odds are steeper than complement": (steeper[1], None),
        "popularity and average rating agree": (popularity == AGREE, None),
        "lemma 1 predicts what the optimal rankings do": (
            predicted == (rankings == DISAGREE),
            None,
        ),
    }
    tables = [table_of_statements(pairs, statements), _popularity_itself(counts), areas]
    together = pd.concat(tables, ignore_index=True)
    return together.fillna(dict.fromkeys(["statement", *_AREA], ""))


def _popularity_itself(counts: RatingProbabilities) -> pd.DataFrame:
    """Compare the steepness of popularity itself, a possible reading of the paper's 63.3 %."""
    from receval.theory.item_pairs import item_pairs

    pairs = item_pairs(counts, "rated", steepness="popularity")
    steeper = (pairs.steeper_than_relevance > 0) & (pairs.steeper_than_non_relevance > 0)
    text = "popularity itself is steeper than average rating and complement"
    return table_of_statements(pairs, {text: (steeper, 0.633)})


def _mean(folds: list[pd.DataFrame]) -> pd.DataFrame:
    """Return the means of the shares over the folds; missing kinds of pairs count as 0."""
    together = pd.concat(folds, ignore_index=True)
    keys = ["statement", *_AREA]
    grouped = together.groupby(keys, as_index=False, sort=False)
    mean = grouped.agg(share_of_pairs=("share_of_pairs", "sum"), paper=("paper", "first"))
    mean["share_of_pairs"] /= len(folds)
    return mean.assign(fold="mean", pairs=np.nan)


def draw_fig05(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the areas of all ratings as bars, coloured by how the optimal rankings compare."""
    datasets = list(dict.fromkeys(results["dataset"]))
    figure = new_figure(DOUBLE_COLUMN, (1.1 + 11 * TABLE_ROW_HEIGHT) * len(datasets))
    panels = figure.subplots(len(datasets), 1, squeeze=False)[:, 0]
    for axes, dataset in zip(panels, datasets, strict=True):
        rows = results[(results["dataset"] == dataset) & (results["ratings"] == "all")]
        areas = rows[rows["statement"] == ""]
        areas = areas.assign(area=areas["steeper_than"])
        popularity = areas["popularity_and_rating"]
        groups = [
            group_of_areas(areas[chosen], label, STEEPER_THAN, STATEMENT_STYLES)
            for label, chosen in (
                ("Popularity and average rating agree", popularity == AGREE),
                ("They disagree", popularity == DISAGREE),
                ("One of them is equal for both items", ~popularity.isin([AGREE, DISAGREE])),
            )
        ]
        draw_groups(axes, groups, STATEMENT_STYLES, STATEMENT_HEADS)
        disagree, steeper = (
            share_beside_paper(rows, statement, is_real=display.is_real(dataset))
            for statement in (RANKINGS_DISAGREE, STEEPER_THAN_BOTH)
        )
        axes.set_title(f"{display.datasets[dataset]}: optimal rankings disagree on {disagree}")
        print_totals(
            axes, [f"Odds of popularity steeper than average rating and complement: {steeper}"]
        )
    legend_below(figure)
    return figure


# Groups of rows and the lines above them, also of figure 9.


def group_of_areas(
    areas: pd.DataFrame,
    label: str,
    names: Mapping[str, str],
    styles: Mapping[str, tuple[str, str]],
    remark: str = "",
) -> BarGroup:
    """Return a group of the areas that have pairs, with a share by how rankings compare.

    The column ``area`` says in which area a row is.
    """
    shares = real_values(areas["share_of_pairs"])
    rows = []
    for area, name in names.items():
        of_area = areas["area"].eq(area)
        own = [float(shares[of_area & areas["rankings"].eq(kind)].sum()) for kind in styles]
        if sum(own) > 0:
            rows.append(BarRow(name, tuple(own)))
    return BarGroup(label, tuple(rows), remark)


def draw_groups(
    axes: Axes,
    groups: Sequence[BarGroup],
    styles: Mapping[str, tuple[str, str]],
    heads: Sequence[str],
) -> None:
    """Draw the groups that have rows; ``styles`` are colours and labels."""
    colours = {label: colour for colour, label in styles.values()}
    bar_table(axes, [group for group in groups if group.rows], colours, heads)


def share_beside_paper(rows: pd.DataFrame, statement: str, *, is_real: bool) -> str:
    """Return the share for which a statement is true, and the paper's share on these data.

    Such as 82.5 % (paper 82.4 %); a dash if there are no pairs. One row has the statement.
    """
    chosen = rows[rows["statement"] == statement]
    (share,) = real_values(chosen["share_of_pairs"])
    (paper,) = real_values(chosen["paper"])
    ours = "\N{EN DASH}" if isnan(share) else percent(float(share))
    return ours if not is_real or isnan(paper) else f"{ours} {paper_share(float(paper))}"


def paper_share(share: float) -> str:
    """Return a share with the digits that the paper prints, such as (paper 82.4 %)."""
    return f"(paper {100 * share:.4g} %)"


def print_totals(axes: Axes, lines: list[str]) -> None:
    """Print lines of totals above the rows, and the title of the panel above these."""
    axes.set_title(axes.get_title(loc="left"), pad=ABOVE + LINE_HEIGHT * len(lines) + 2)
    for number, line in enumerate(reversed(lines)):
        style = {"xycoords": "axes fraction", "fontsize": 7, "va": "baseline"}
        beside(axes, line, (0, 1), (0, ABOVE + LINE_HEIGHT * number), **style)


OPTIMISED = ("precision", "anti-precision")
CONSISTENT = "observed and real optimum agree"
LEMMA_HOLDS = "lemma 3 holds"
PAPER = {
    ("precision", CONSISTENT): 0.641,
    ("anti-precision", CONSISTENT): 0.421,
    ("precision", LEMMA_HOLDS): 0.812,
    ("anti-precision", LEMMA_HOLDS): 0.753,
}
COMPARED = {AGREE: "complement", DISAGREE: "relevance"}
"""The function that popularity is compared with, by whether it agrees with relevance."""

LEMMA_STYLES = {
    AGREE: (COLOURS[AGREE], CONSISTENT),
    DISAGREE: (COLOURS[DISAGREE], "they disagree"),
    TIED: (COLOURS[TIED], "one of them has a tie"),
}
LEMMA_HEADS = ("agree", "disagree", "tied")
TOGETHER = "popularity and relevance agree"


def data_fig09(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the pairs of items by agreement and steepness of popularity and relevance.

    Columns: dataset; metric (precision or anti-precision); statement; popularity_and_relevance
    (agree, disagree, or which is flat: equal for both items); steepness (of the odds of popularity:
    steeper, equally or less steep than non-relevance if popularity and relevance agree, else than
    relevance); rankings (whether the optimal rankings for observed and real values agree, disagree,
    or one of them has a tie); lemma (whether lemma 3 predicts that: holds or fails); pairs
    (number); share_of_pairs; paper (the share that the paper states).

    A row has either a statement, sometimes on both metrics, or an area of the mosaic: the columns
    from popularity_and_relevance to lemma. Items that no user knew are left out.
    """
    from receval.theory.item_pairs import item_pairs
    from receval.theory.rating_probabilities import RatingProbabilities
    from reproduction.studies.menamaldonado2021.lemma_cases import (
        lemma3_predicts_consistent_anti_precision,
        lemma3_predicts_consistent_precision,
    )

    threshold = float(inputs.parameters["relevance_threshold"])
    tables = []
    for dataset in inputs.datasets:
        counts = RatingProbabilities.of_judgments(inputs.ratings(dataset), threshold)
        pairs = item_pairs(counts, "all")
        popularity = popularity_against(pairs, "relevance")
        against = np.where(
            popularity == AGREE, pairs.steeper_than_non_relevance, pairs.steeper_than_relevance
        )
        predictions = (
            lemma3_predicts_consistent_precision(
                pairs.popularity, pairs.relevance, pairs.steeper_than_relevance
            ),
            lemma3_predicts_consistent_anti_precision(
                pairs.popularity, pairs.relevance, pairs.steeper_than_non_relevance
            ),
        )
        observed = (pairs.observed_precision, pairs.observed_anti_precision)
        rankings = [orders_together(order, pairs.real_ranking) for order in observed]
        consistent = (rankings[0] == AGREE) & (rankings[1] == AGREE)
        statements: dict[str, tuple[NDArray[np.bool_], float | None]] = {
            TOGETHER: (popularity == AGREE, 0.69),
            "odds are steeper than relevance": (pairs.steeper_than_relevance > 0, None),
            "odds are steeper than non-relevance": (pairs.steeper_than_non_relevance > 0, 0.90),
            f"{CONSISTENT} for both metrics": (consistent, 0.183),
        }
        of_dataset = [table_of_statements(pairs, statements)]
        for metric, ranking, predicted in zip(OPTIMISED, rankings, predictions, strict=True):
            holds = predicted == (ranking == AGREE)
            statements = {
                CONSISTENT: (ranking == AGREE, PAPER[metric, CONSISTENT]),
                LEMMA_HOLDS: (holds, PAPER[metric, LEMMA_HOLDS]),
            }
            names = {
                "popularity_and_relevance": popularity,
                "steepness": np.select(
                    [against > 0, against < 0], ["steeper", "less steep"], "equally steep"
                ),
                "rankings": ranking,
                "outcome": np.where(holds, "holds", "fails"),
            }
            of_dataset.append(table_of_statements(pairs, statements).assign(metric=metric))
            of_dataset.append(table_of_areas(pairs, names).assign(metric=metric))
        tables.append(pd.concat(of_dataset, ignore_index=True).assign(dataset=dataset))
    results = pd.concat(tables, ignore_index=True)
    names_of_rows = [name for name in _COLUMNS if name not in ("pairs", "share_of_pairs", "paper")]
    return results[_COLUMNS].fillna(dict.fromkeys(names_of_rows, ""))


_COLUMNS = [
    "dataset",
    "metric",
    "statement",
    "popularity_and_relevance",
    "steepness",
    "rankings",
    "outcome",
    "pairs",
    "share_of_pairs",
    "paper",
]


def draw_fig09(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw one panel per metric, coloured by consistency, with rows where lemma 3 fails."""
    datasets = list(dict.fromkeys(results["dataset"]))
    shown = [(dataset, metric) for dataset in datasets for metric in OPTIMISED]
    figure = new_figure(DOUBLE_COLUMN, 0.3 + (0.9 + 11 * TABLE_ROW_HEIGHT) * len(shown))
    panels = figure.subplots(len(shown), 1, squeeze=False)[:, 0]
    for axes, (dataset, metric) in zip(panels, shown, strict=True):
        named = [display.datasets[dataset]] if metric == OPTIMISED[0] else []
        axes.set_title(", ".join([*named, metric if named else metric.capitalize()]))
    letter_panels(panels)
    for axes, (dataset, metric) in zip(panels, shown, strict=True):
        rows = results[results["dataset"] == dataset]
        _draw_metric(axes, rows, metric, is_real=display.is_real(dataset))
    legend_below(figure)
    return figure


def _draw_metric(axes: Axes, rows: pd.DataFrame, metric: str, *, is_real: bool) -> None:
    of_metric = rows[rows["metric"] == metric]
    areas = of_metric[of_metric["statement"] == ""]
    together = areas["popularity_and_relevance"] == AGREE
    (paper,) = real_values(rows.loc[rows["statement"] == TOGETHER, "paper"])
    remark = paper_share(float(paper)) if is_real else ""
    areas = areas.assign(
        area=np.where(areas["steepness"] == "steeper", "steeper", "not steeper")
        + np.where(areas["outcome"] == "fails", ", lemma fails", "")
    )
    groups = [
        group_of_areas(areas[chosen], label, _names_against(compared), LEMMA_STYLES, remark)
        for label, chosen, compared, remark in (
            ("Popularity and relevance agree", together, COMPARED[AGREE], remark),
            ("They do not", ~together, COMPARED[DISAGREE], ""),
        )
    ]
    draw_groups(axes, groups, LEMMA_STYLES, LEMMA_HEADS)
    consistent, holds = (
        share_beside_paper(of_metric, statement, is_real=is_real)
        for statement in (CONSISTENT, LEMMA_HOLDS)
    )
    lines = [f"Observed and real optimum agree: {consistent}", f"Lemma 3 holds: {holds}"]
    print_totals(axes, lines)


def _names_against(compared: str) -> dict[str, str]:
    """Return the names of the rows: whether popularity is steeper, and whether lemma 3 fails."""
    return {
        f"{steepness}{fails}": f"odds {steepness} than {compared}{told}"
        for steepness in ("steeper", "not steeper")
        for fails, told in (("", ""), (", lemma fails", "; lemma 3 does not hold"))
    }
