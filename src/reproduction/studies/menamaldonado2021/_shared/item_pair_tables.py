# SPDX-License-Identifier: MIT
"""Tables of pairs of items: how often each case occurs, beside the paper's numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

if TYPE_CHECKING:
    from receval.theory.item_pairs import ItemPairs

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
