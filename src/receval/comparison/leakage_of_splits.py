# SPDX-License-Identifier: MIT
"""How much a split of one's own ratings trains on the future."""

from __future__ import annotations

from receval.checked_arguments import checked_arguments
from receval.comparison.splitting import SplitRatings
from receval.splits.leakage import Leakage, future_in_train


@checked_arguments
def leakage(data: SplitRatings) -> Leakage:
    """Return the share of test interactions, and users, whose training data lie in their future.

    Parameters
    ----------
    data : SplitRatings
        From :func:`receval.comparison.splitting.split`; of any kind, with timestamps.

    Returns
    -------
    Leakage
        See :func:`receval.splits.leakage.future_in_train`, which defines what is counted.

    Raises
    ------
    ValueError
        The ratings have no timestamps.

    Examples
    --------
    >>> from receval.comparison.splitting import split
    >>> from receval.interchange.ratings_table import read_ratings
    >>> table = {"user": list("aaabbb"), "item": list("xyzxyz"), "rating": [1] * 6}
    >>> ratings = read_ratings(table | {"timestamp": [1, 2, 3, 4, 5, 6]})
    >>> leakage(split(ratings, "leave-last-out")).shares
    {'anybody': 0.5, 'same user': 0.0, 'same item': 0.0}
    >>> leakage(split(ratings, "temporal", cut=0.5)).shares["anybody"]
    0.0
    """
    return future_in_train(data.ratings, data.parts)
