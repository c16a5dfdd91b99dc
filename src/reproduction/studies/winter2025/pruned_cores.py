# SPDX-License-Identifier: MIT
"""What pruning leaves of datasets: users, items, ratings and density."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import fixed
from receval.figures.tables import Table, printed
from receval.seeds import generator
from receval.storage.files import real_values
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.winter2025.pruned_scores import GENERATED_TITLE, all_interactions

if TYPE_CHECKING:
    from receval.data.ratings import Ratings


def sizes_of(ratings: Ratings, level: int) -> dict[str, float]:
    """Return what is left without the users with fewer ratings than the level.

    ``core_users`` counts those who remain if also items with fewer ratings are removed, and both
    repeatedly (:func:`receval.splits.selection.selected_ratings`); 0 if nobody does.
    """
    from receval.splits.selection import selected_ratings

    counts = np.bincount(ratings.users, minlength=ratings.n_users)
    kept = (counts >= level)[ratings.users]
    users, items, left = (counts >= level).sum(), len(np.unique(ratings.items[kept])), kept.sum()
    try:
        core = selected_ratings(
            ratings, partial(generator, 0), min_user_ratings=level, min_item_ratings=level
        )
    except ValueError:  # The selection is empty.
        core = np.zeros(len(ratings), dtype=bool)
    return {
        "users": int(users),
        "items": int(items),
        "ratings": int(left),
        "core_users": len(np.unique(ratings.users[core])),
        "kept_users": 100 * users / ratings.n_users,
        "kept_ratings": 100 * left / len(ratings),
        "density": 100 * left / (users * items) if left else np.nan,
    }


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Count what is left at each level of pruning.

    Parameters of the artifact: ``levels``, and those of ``pruned_scores.generated_ratings``.

    Columns: dataset; pruned_below (1 is unpruned); users, items, ratings, core_users (counts);
    kept_users, kept_ratings, density (in per cent).
    """
    levels = [1, *(int(level) for level in inputs.parameters["levels"])]
    return pd.DataFrame(
        [
            {"dataset": dataset, "pruned_below": level, **sizes_of(ratings, level)}
            for dataset, ratings in all_interactions(inputs)
            for level in levels
        ]
    )


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per dataset and level."""
    heads = ["Fewest ratings", "Users", "Items", "Ratings", "Users (%)", "Ratings (%)"]
    heads += ["Density (%)", "Users of the core"]
    numbers = real_values(results[["kept_users", "kept_ratings", "density"]])
    rows = [
        (
            display.datasets.get(str(row.dataset), GENERATED_TITLE),
            "all" if row.pruned_below == 1 else str(row.pruned_below),
            *(f"{number:,}" for number in (row.users, row.items, row.ratings)),
            *(fixed(share, 1) for share in shares),
            f"{row.core_users:,}",
        )
        for row, shares in zip(results.itertuples(), numbers.tolist(), strict=True)
    ]
    return printed(display, ["Dataset"], heads, rows)
