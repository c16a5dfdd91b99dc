# SPDX-License-Identifier: MIT
"""Neighbourhoods chosen by language models, with a user or an item as the query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.recommenders.base import RatingMatrix, Recommender
from receval.recommenders.checks import choice, integer, positive_ratings
from receval.recommenders.language_models import (
    SMOOTHINGS,
    LanguageModels,
    check_strength,
    smoothed_models,
)
from receval.recommenders.products import row_norms, sparse_products
from receval.storage.kernel_cache import njit


class LanguageModelNeighbourhood(Recommender):
    """The weighted sum recommender over the likeliest neighbours (LM-WSR).

    ``s(u, i) = sum_{v in N(u)} cos(u, v) r_vi`` over users, and over items
    ``s(u, i) = sum_{j in N(i)} cos(i, j) r_uj``, with the cosines of the full rating vectors.
    N(u) are the k other users v under whose smoothed language model (see
    `receval.recommenders.language_models`) the ratings of u are likeliest, by
    ``sum_i r_ui log p(i | v)`` with a uniform prior; N(i) are the k items chosen in the same way
    from the transposed matrix. Equal likelihoods are ordered by code. Users (items) without a
    rating above 0 have no model and are never neighbours; neighbours that share no rating with u
    (with i) have cosine 0 and add nothing.

    NaN if no neighbour with a positive cosine rated the item (over items: if the user rated none of
    the item's neighbours). This includes items and users without training ratings above 0.

    Parameters
    ----------
    over : str
        ``"users"`` (LM-WSR-UB) or ``"items"`` (LM-WSR-IB).
    neighbours : int
        k, at least 1.
    smoothing : str
        ``"jelinek-mercer"``, ``"absolute-discounting"`` or ``"dirichlet"``.
    strength : float
        Above 0. For Jelinek-Mercer, the weight of the collection, at most 1; for the others, in
        units of ratings.

    Attributes
    ----------
    similarities_ : csr_array of float32, shape (n_users, n_users) or (n_items, n_items)
        Cosines. Over users, row u holds u's neighbours; over items, row j holds the items that
        have j among their neighbours.
    ratings_ : csr_array of float32, shape (n_users, n_items)
        The training ratings above 0.

    References
    ----------
    Valcarce, Parapar and Barreiro, "Language Models for Collaborative Filtering Neighbourhoods",
    ECIR 2016, sections 3 and 4.
    """

    SHARED_OVER = ("neighbours",)

    similarities_: RatingMatrix
    ratings_: RatingMatrix

    def __init__(
        self,
        over: str = "users",
        neighbours: int = 100,
        smoothing: str = "jelinek-mercer",
        strength: float = 0.9,
    ) -> None:
        self.over = choice(self, "over", over, ("users", "items"))
        self.neighbours = integer(self, "neighbours", neighbours, lowest=1)
        self.smoothing = choice(self, "smoothing", smoothing, SMOOTHINGS)
        self.strength = check_strength(self, self.smoothing, strength)

    @property
    def _similarities_are_of_users(self) -> bool:  # type: ignore[override]
        return self.over == "users"

    def _fit(self, train: RatingMatrix) -> None:
        self._fit_family([self], train)

    @classmethod
    def _fit_family(cls, models: Sequence[Self], train: RatingMatrix) -> None:
        first = models[0]
        ratings = positive_ratings(first, train)
        over_users = first.over == "users"
        rows = ratings if over_users else ratings.T.tocsr()
        smoothed = smoothed_models(rows, first.smoothing, first.strength)
        likeliest = likeliest_rows_for(rows, smoothed, [model.neighbours for model in models])
        for model, similarities in zip(models, likeliest, strict=True):
            model.ratings_ = ratings
            model.similarities_ = similarities if over_users else similarities.T.tocsr()

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        if self.over == "users":
            sparse_products(users, self.similarities_, self.ratings_, scores)
        else:
            sparse_products(users, self.ratings_, self.similarities_, scores)


def likeliest_rows_for(
    matrix: RatingMatrix, models: LanguageModels, numbers: Sequence[int]
) -> list[RatingMatrix]:
    """Return every row's cosines with the rows under whose models it is likeliest.

    The likelihood is ``sum_c r_qc log p(c | v)``; without terms that do not depend on v, only
    ``log(p(c | v) / (unseen_v p(c)))`` for common columns and ``log unseen_v`` are left.

    Parameters
    ----------
    matrix : csr_array of float32, shape (n_rows, n_columns)
        Ratings above 0.
    models : LanguageModels
        Models of the rows of the matrix.
    numbers : sequence of int
        One or several maximum numbers of neighbours; equal likelihoods are ordered by row.

    Returns
    -------
    list of csr_array of float32, shape (n_rows, n_rows)
        For each number, cosines above 0, with sorted columns and none on the diagonal.
    """
    n_rows = matrix.shape[0]
    neighbours = min(max(numbers), n_rows)
    rows = np.repeat(np.arange(n_rows), np.diff(matrix.indptr))
    gains = np.log1p(models.seen.data / (models.unseen[rows] * models.collection[matrix.indices]))
    by_column = csr_array((gains, matrix.indices, matrix.indptr), shape=matrix.shape).T.tocsr()
    ratings_by_column = matrix.T.tocsr()
    log_unseen = np.full(n_rows, -np.inf)
    np.log(models.unseen, out=log_unseen, where=models.unseen > 0)
    chosen = np.full((n_rows, neighbours), n_rows, dtype=np.int32)
    cosines = np.zeros((n_rows, neighbours), dtype=np.float32)
    _likeliest_rows(
        matrix.indptr,
        matrix.indices,
        matrix.data,
        by_column.indptr,
        by_column.indices,
        by_column.data,
        ratings_by_column.data,
        log_unseen,
        row_norms(matrix),
        chosen,
        cosines,
    )
    return [_in_row_order(chosen[:, :number], cosines[:, :number]) for number in numbers]


def _in_row_order(chosen: NDArray[np.int32], cosines: NDArray[np.float32]) -> RatingMatrix:
    """Build the matrix of the chosen rows, sorted by likelihood, without cosines of 0."""
    n_rows = len(chosen)
    order = np.argsort(chosen, axis=1, kind="stable")
    chosen = np.take_along_axis(chosen, order, axis=1)
    cosines = np.take_along_axis(cosines, order, axis=1)
    kept = cosines > 0
    starts = np.zeros(n_rows + 1, dtype=np.int32)
    np.cumsum(kept.sum(axis=1), out=starts[1:])
    return csr_array((cosines[kept], chosen[kept], starts), shape=(n_rows, n_rows))


@njit(cache=True)
def _likeliest_rows(  # type: ignore[no-untyped-def]
    starts,
    columns,
    values,
    by_starts,
    by_rows,
    by_gains,
    by_values,
    log_unseen,
    norms,
    chosen,
    cosines,
):
    n_rows, neighbours = chosen.shape
    # Gain and product are adjacent, so that each pair needs one cache line.
    sums = np.empty((n_rows, 2), dtype=np.float64)
    likelihoods = np.empty(neighbours, dtype=np.float64)
    for row in range(n_rows):
        if starts[row] == starts[row + 1]:
            continue
        sums[:] = 0.0
        mass = 0.0
        for entry in range(starts[row], starts[row + 1]):
            value = np.float64(values[entry])
            column = columns[entry]
            mass += value
            # Unsigned positions avoid numba's check for negative indices.
            for position in range(np.uint64(by_starts[column]), np.uint64(by_starts[column + 1])):
                rater = np.uint64(by_rows[position])
                sums[rater, 0] += value * by_gains[position]
                sums[rater, 1] += value * by_values[position]
        found = 0
        for other in range(n_rows):
            if other == row or log_unseen[other] == -np.inf:
                continue
            likelihood = sums[other, 0] + mass * log_unseen[other]
            if found == neighbours and likelihood <= likelihoods[neighbours - 1]:
                continue
            # Rows are in order, so an equal likelihood goes after those already there.
            position = found if found < neighbours else neighbours - 1
            while position > 0 and likelihoods[position - 1] < likelihood:
                likelihoods[position] = likelihoods[position - 1]
                chosen[row, position] = chosen[row, position - 1]
                position -= 1
            likelihoods[position] = likelihood
            chosen[row, position] = other
            found = min(found + 1, neighbours)
        for position in range(found):
            neighbour = chosen[row, position]
            cosines[row, position] = sums[neighbour, 1] / (norms[row] * norms[neighbour])
