"""Systems for which ratings are amounts: no negative ones, and what a rating of 0 is."""

from __future__ import annotations

from receval.recommenders.base import RatingMatrix


def refuse_negative(system: object, ratings: RatingMatrix, amounts: str) -> None:
    """Stop if a rating is negative.

    Parameters
    ----------
    system : object
        The recommender; its class is named in the message.
    ratings : csr_array of float32, shape (n_rows, n_columns)
        The training ratings.
    amounts : str
        What the system takes ratings as, for example ``"counts"``.

    Raises
    ------
    ValueError
        If a rating is negative.
    """
    if ratings.data.min() < 0:
        raise ValueError(
            f"{type(system).__name__} takes ratings as {amounts}, but the smallest is "
            f"{ratings.data.min()}: ratings must be at least 0."
        )


def positive_ratings(system: object, ratings: RatingMatrix) -> RatingMatrix:
    """Return the ratings above 0, those that count where ratings are frequencies.

    Parameters
    ----------
    system, ratings
        As in :func:`refuse_negative`; the ratings are left as they are.

    Raises
    ------
    ValueError
        If a rating is negative.
    """
    refuse_negative(system, ratings, "frequencies")
    positive: RatingMatrix = ratings.copy()
    positive.eliminate_zeros()
    return positive
