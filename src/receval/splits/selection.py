# SPDX-License-Identifier: MIT
"""Select the ratings that an experiment uses, before it splits them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from receval.data.ratings import Ratings
from receval.seeds import GeneratorFor
from receval.splits.split import Split


def selected_ratings(
    ratings: Ratings,
    rng_for: GeneratorFor,
    *,
    share: float | None = None,
    head_removed: float | None = None,
    min_user_ratings: int = 1,
    min_item_ratings: int = 1,
) -> NDArray[np.bool_]:
    """Mark the selected ratings; the steps are in the order of the parameters.

    Each rating is kept with the probability ``share``, by the generator ``rng_for("selection")``.
    The head are the items with most ratings, a share of the items that still have any. Their number
    is rounded; of items with equally many ratings, those with smaller codes are removed first.
    Users and items with fewer ratings than the minimum are removed repeatedly, until none is left,
    so that the result is the largest selection without them. A selection of nothing is refused.

    This is decision A1 of Cañamares et al. (2020), section 3.1: users and items with few ratings
    (Steck 2013), the popular head (Cremonesi et al. 2010), a random half (section 4.6).
    """
    kept = np.ones(len(ratings), dtype=bool)
    if share is not None:
        kept &= rng_for("selection").random(len(ratings), dtype=np.float32) < np.float32(share)
    if head_removed is not None:
        counts = np.bincount(ratings.items[kept], minlength=ratings.n_items)
        n_head = round(head_removed * np.count_nonzero(counts))
        kept &= ~np.isin(ratings.items, np.argsort(-counts, kind="stable")[:n_head])
    while True:
        of_user = np.bincount(ratings.users[kept], minlength=ratings.n_users)
        of_item = np.bincount(ratings.items[kept], minlength=ratings.n_items)
        stays = (of_user >= min_user_ratings)[ratings.users]
        stays &= (of_item >= min_item_ratings)[ratings.items]
        if (stays | ~kept).all():
            break
        kept &= stays
    if not kept.any():
        raise ValueError(
            f"The selection leaves none of {len(ratings)} ratings: "
            + (f"a share of {share:g}, " if share is not None else "")
            + (f"head removed {head_removed:g}, " if head_removed is not None else "")
            + f"at least {min_user_ratings} ratings per user and {min_item_ratings} per item. "
            "Relax these conditions."
        )
    return kept


def spread_over(split: Split, selected: NDArray[np.bool_]) -> Split:
    """Extend a split of the selected ratings to the whole table; it leaves out the others."""
    n_selected = int(np.count_nonzero(selected))
    if n_selected != split.n_ratings:
        raise ValueError(
            f"The split was made for {split.n_ratings} ratings, but {n_selected} are selected. "
            "Give the selection that was split."
        )

    def spread(codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
        all_codes = np.zeros(len(selected), dtype=np.uint8)
        all_codes[selected] = codes
        return all_codes

    metadata = {**split.metadata, "selected_ratings": n_selected}
    return replace(split, codes=tuple(spread(codes) for codes in split.codes), metadata=metadata)
