"""Means of quantities of items over segments of their popularity order."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray


def popularity_segments(
    order: NDArray[np.int64], segments: int, **quantities: NDArray
) -> pd.DataFrame:
    """Return the mean of each quantity over segments of equally many items.

    Parameters
    ----------
    order : ndarray of int64, shape (n_ordered,)
        Items from the most popular one on.
    segments : int
    quantities : ndarray, shape (n_items,)
        One number for each item, by the name of its column.

    Returns
    -------
    DataFrame
        Columns: segment (from 1, the most popular items); first_rank, last_rank (popularity ranks
        of the items in it, from 1); items; then the quantities.
    """
    columns = {name: values[order] for name, values in quantities.items()}
    ranks = np.arange(1, len(order) + 1)
    items = pd.DataFrame({"segment": (ranks - 1) * segments // len(order) + 1, "rank": ranks})
    return (
        items.assign(**columns)
        .groupby("segment", as_index=False)
        .agg(
            first_rank=("rank", "min"),
            last_rank=("rank", "max"),
            items=("rank", "size"),
            **{name: (name, "mean") for name in columns},
        )
    )
