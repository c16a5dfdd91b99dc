# SPDX-License-Identifier: MIT
"""Items and pairs of items in menamaldonado2021: lemmas, tables of cases, and dots of items.

The lemmas predict how orders of a pair of items compare. The tables count how often each case
occurs, beside the paper's numbers. In figures of items, each item is one anonymous row, with its
popularity, ratings and optimal rankings, drawn as a dot.

The functions of lemmas work element by element on orders and on comparisons of steepness, for one
pair or for all cases of :class:`receval.theory.item_pairs.ItemPairs`:

- an order is 1 if the function is larger for the first item of the pair, -1 if it is larger for the
  second, and 0 if it is equal (flat) for both;
- a steepness is 1 if the odds of popularity are steeper than the function, 0 if they are equally
  steep, and -1 if they are less steep (definition 2).

"Relevance" is p(rel | train, i) in lemma 1 and p(rel | i) in lemma 3, "non-relevance" is 1 minus
that. The lemmas leave flat functions out; the results on them here are annex B.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from receval.theory.item_pairs import ItemPairs


Flags = NDArray[np.bool_]


def lemma1_predicts_disagreement(
    popularity: ArrayLike,
    relevance: ArrayLike,
    steeper_than_relevance: ArrayLike,
    steeper_than_non_relevance: ArrayLike,
) -> Flags:
    r"""Return where the optimal rankings of observed precision and anti-precision disagree.

    They disagree if and only if the odds of popularity (a) are steeper than relevance and disagree
    with it, or (b) are steeper than non-relevance and disagree with that (lemma 1, table 3). If
    only relevance is flat, they disagree; if popularity is flat, they do not (annex B). One
    exception cannot be seen from the signs: if relevance is 0 or 1 for both items, one of the two
    functions is 0 for both and has a tie.
    """
    together = _together(popularity, relevance)
    first = (together < 0) & (np.asarray(steeper_than_relevance) > 0)
    second = (together > 0) & (np.asarray(steeper_than_non_relevance) > 0)
    flat_relevance = (np.asarray(relevance) == 0) & (np.asarray(popularity) != 0)
    return np.asarray(first | second | flat_relevance)


def lemma3_predicts_consistent_precision(
    popularity: ArrayLike, relevance: ArrayLike, steeper_than_relevance: ArrayLike
) -> Flags:
    r"""Return where the optimal rankings of observed and real precision agree.

    Rating must be independent of relevance given an item. They agree exactly if popularity and
    relevance agree, or if these disagree and relevance is steeper than the odds of popularity
    (lemma 3, table 4). If only popularity is flat, they agree; if relevance is flat, the real
    ranking has a tie, and they do not (annex B).
    """
    less_steep = np.asarray(steeper_than_relevance) < 0
    return np.asarray((_together(popularity, relevance) > 0) | less_steep)


def lemma3_predicts_consistent_anti_precision(
    popularity: ArrayLike, relevance: ArrayLike, steeper_than_non_relevance: ArrayLike
) -> Flags:
    r"""Return where the optimal rankings of observed and real anti-precision agree.

    Rating must be independent of relevance given an item. They agree exactly if popularity and
    relevance disagree, or if these agree and non-relevance is steeper than the odds of popularity
    (lemma 3, table 4). If only popularity is flat, they agree; if relevance is flat, the real
    ranking has a tie, and they do not (annex B).
    """
    less_steep = np.asarray(steeper_than_non_relevance) < 0
    return np.asarray((_together(popularity, relevance) < 0) | less_steep)


def _together(first: ArrayLike, second: ArrayLike) -> NDArray[np.signedinteger]:
    """Return 1 where two functions agree, -1 where they disagree, 0 where one is flat."""
    return np.asarray(first) * np.asarray(second)


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
