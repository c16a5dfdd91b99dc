# SPDX-License-Identifier: MIT
"""Table of dataset statistics: counts, density, inequality, and chosen and drawn ratings."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from receval.data.ratings import Ratings
from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import fixed
from receval.figures.tables import Table, printed
from receval.statistics.inequality import density, gini
from reproduction.studies._shared.inputs import ArtifactInputs


def dataset_statistics(datasets: Iterable[tuple[str, Ratings]]) -> pd.DataFrame:
    """Return the statistics of datasets, one row per dataset.

    Columns: dataset; users, items, ratings (numbers); density_percent (share of pairs with a
    rating, in per cent); item_gini, user_gini (inequality of the numbers of ratings); known_ratings
    and unknown_ratings (chosen by the user, and drawn for the user; 0 if the data does not say).
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


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the statistics of every dataset.

    The parameter ``columns`` of the artifact names the columns of :func:`dataset_statistics` to
    return, in order.
    """
    return dataset_statistics(inputs.all_ratings())[["dataset", *inputs.parameters["columns"]]]


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print the statistics as the paper does.

    Parameters of the artifact: ``printed`` names the columns that are printed (all of ``columns``
    by default; the others are only in the CSV), ``headings`` their headings.
    """
    names = display.parameters.get("printed", display.parameters["columns"])
    headings = dict(zip(names, display.parameters["headings"], strict=True))
    rows = [
        (display.datasets[row["dataset"]], *(_cell(row, name) for name in headings))
        for row in results.to_dict("records")
    ]
    return printed(display, ["Dataset"], list(headings.values()), rows)


def _cell(row: Mapping[Hashable, Any], name: str) -> str:
    if name == "density_percent":
        return fixed(row[name], 3)
    if name.endswith("_gini"):
        return fixed(row[name], 3)
    if name == "known_ratings":
        # If the data does not say it, users chose all items that they rated.
        return f"{row[name] or row['ratings']:,}"
    if name == "unknown_ratings":
        return f"{row[name]:,}" if row[name] else "none"
    return f"{row[name]:,}"
