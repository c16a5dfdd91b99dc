# SPDX-License-Identifier: MIT
"""Gains of judged items, and losses of items rated below the relevance threshold."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from receval.metrics.lists import JudgedItems

Gain = Literal[
    "rating",
    "binary",
    "exp",
    "exp-normalised",
    "exp-relevant",
    "exp-steps",
    "exp-steps-from-0",
    "relevant",
    "steps",
    "cm100k",
]
HIGHEST_EXPONENT = 1000
"""The highest rating with an exponential gain."""

Loss = Literal["binary", "steps", "cm100k"]

# Constants of the gain ``cm100k``: the middle of CM100k's scale of 1 to 4, which the code released
# with Mena-Maldonado et al. (2021) applies to every dataset, and 5, a rating beyond that scale,
# which is its own gain.
_LIKED_FROM = 3.0
_UNKNOWN_FROM = 5.0


def gains(judged: JudgedItems, gain: Gain, wanted_by: str) -> NDArray[np.float64]:
    r"""Return the gain of each judged item, which never decreases with the rating.

    No gain is below 0, because negative gains could make nDCG exceed 1: a rating below 0 has the
    gain of a rating of 0, as in trec_eval.

    Parameters
    ----------
    gain : str
        - ``rating``: :math:`r` for every judged item (trec_eval)
        - ``binary``: 1 for relevant items, else 0
        - ``exp``: :math:`2^r - 1` for every judged item
        - ``exp-normalised``: :math:`(2^{r-1} - 1) / (2^{r_{max}-1} - 1)` for every judged item,
          with the highest rating of the dataset; 0 for ratings below 1 (Cañamares et al. 2020,
          table 3)
        - ``exp-relevant``: :math:`2^r - 1` for relevant items, else 0 (ranx)
        - ``exp-steps``: :math:`2^{r - \tau + 1} - 1` for relevant items, else 0 (RankSys, Elliot)
        - ``exp-steps-from-0``: :math:`2^{r + 1} - 1` for relevant items, else 0 (WarpRec)
        - ``relevant``: :math:`r` for relevant items, else 0 (Bellogín et al. 2017, section 6.3)
        - ``steps``: :math:`r - \tau + 1` for relevant items, else 0 (Mena-Maldonado et al. 2021)
        - ``cm100k``: 1, 2 and 5 for ratings of 3, 4 and 5, else 0, whatever the dataset and its
          threshold (the code released with Mena-Maldonado et al. 2021)
    wanted_by : str
        The metric, for error messages.

    Returns
    -------
    ndarray of float64, shape (n_judged,)

    Raises
    ------
    ValueError
        The gain needs the dataset's highest rating, which is unknown or not above 1; or the gain is
        exponential, and a rating is above :data:`HIGHEST_EXPONENT`.
    """
    ratings = judged.values.astype(np.float64)
    from_zero = np.maximum(ratings, 0.0)
    if gain.startswith("exp") and ratings.max(initial=0.0) > HIGHEST_EXPONENT:
        raise ValueError(
            f"{wanted_by} has gains of 2 to the power of a rating, but the highest rating is "
            f"{ratings.max():,g}, which makes them too large for a number. Such gains are for "
            "scales of a few steps. Choose gain=rating or gain=binary, or give logarithms of "
            "counts."
        )
    if gain == "rating":
        return from_zero
    if gain == "exp":
        return np.exp2(from_zero) - 1.0
    if gain == "exp-normalised":
        highest = maximum_rating(judged, wanted_by)
        if not highest > 1:
            raise ValueError(
                f"{wanted_by} has the gain exp-normalised, which is 0 for ratings of 1, but the "
                f"highest rating of the dataset is {highest:g}. Choose another gain."
            )
        return (np.exp2(np.maximum(ratings, 1.0) - 1.0) - 1.0) / (np.exp2(highest - 1.0) - 1.0)
    if gain == "exp-relevant":
        return np.where(judged.relevant, np.exp2(from_zero) - 1.0, 0.0)
    if gain == "exp-steps":
        return np.where(judged.relevant, np.exp2(ratings - judged.threshold + 1.0) - 1.0, 0.0)
    if gain == "exp-steps-from-0":
        return np.where(judged.relevant, np.exp2(np.maximum(ratings, -1.0) + 1.0) - 1.0, 0.0)
    if gain == "relevant":
        return np.where(judged.relevant, from_zero, 0.0)
    if gain == "steps":
        return np.where(judged.relevant, ratings - judged.threshold + 1.0, 0.0)
    if gain == "cm100k":
        return np.where(ratings < _UNKNOWN_FROM, np.maximum(ratings - _LIKED_FROM + 1, 0), ratings)
    return judged.relevant.astype(np.float64)


def losses(judged: JudgedItems, loss: Loss) -> NDArray[np.float64]:
    r"""Return the loss of each judged item, which never increases with the rating.

    Parameters
    ----------
    loss : {"binary", "steps", "cm100k"}
        - ``binary``: 1 for items judged non-relevant
        - ``steps``: :math:`\tau - r` for items judged non-relevant (Mena-Maldonado et al. 2021)
        - ``cm100k``: 1 and 2 for ratings of 2 and 1, whatever the dataset and its threshold (the
          code released with Mena-Maldonado et al. 2021)
    """
    if loss == "binary":
        return (~judged.relevant).astype(np.float64)
    ratings = judged.values.astype(np.float64)
    if loss == "cm100k":
        return np.maximum(_LIKED_FROM - ratings, 0)
    return np.where(judged.relevant, 0.0, judged.threshold - ratings)


def maximum_rating(judged: JudgedItems, wanted_by: str) -> float:
    """Return the dataset's highest rating, or raise a ValueError if it is unknown."""
    if judged.maximum_rating is None:
        raise ValueError(
            f"{wanted_by} needs the highest rating of the dataset. Give DatasetMetadata when you "
            "bind the judged ranks to their judgments."
        )
    return judged.maximum_rating
