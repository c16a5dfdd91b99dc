"""The statistics that the papers' tables of datasets print."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from receval.ratings import Ratings
from receval.statistics.concentration import density, gini


def dataset_statistics(datasets: Iterable[tuple[str, Ratings]]) -> pd.DataFrame:
    """Return one row a dataset: what there is of it.

    Columns: dataset; users, items, ratings (numbers); density_percent (share of pairs with a
    rating, in per cent); item_gini, user_gini (inequality of the numbers of ratings); known_ratings
    and unknown_ratings (chosen by the user, drawn for the user; 0 where the data does not say).

    Parameters
    ----------
    datasets : iterable of (str, Ratings)
        Names and ratings, read when they are asked for.
    """
    rows = []
    for dataset, ratings in datasets:
        known = 0 if ratings.known is None else int(ratings.known.sum())
        rows.append(
            {
                "dataset": dataset,
                "users": ratings.n_users,
                "items": ratings.n_items,
                "ratings": len(ratings),
                "density_percent": 100 * density(ratings),
                "item_gini": gini(np.bincount(ratings.items, minlength=ratings.n_items)),
                "user_gini": gini(np.bincount(ratings.users, minlength=ratings.n_users)),
                "known_ratings": known,
                "unknown_ratings": 0 if ratings.known is None else len(ratings) - known,
            }
        )
    return pd.DataFrame(rows)
