# SPDX-License-Identifier: MIT
"""Neighbourhoods chosen by language models, with a user or an item as the query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.recommenders.base import RatingMatrix
from receval.recommenders.checks import (
    AtLeastOne,
    Number,
    OneOf,
    checked_parameter,
    positive_ratings,
)
from receval.recommenders.products import NeighbourModel, csr_parts, row_norms
from receval.storage.kernel_cache import njit

SMOOTHINGS = ("jelinek-mercer", "absolute-discounting", "dirichlet")

WeightMatrix: TypeAlias = "csr_array[np.float64, tuple[int, int]]"


@dataclass(frozen=True)
class LanguageModels:
    """A probability distribution over the columns for every row of a matrix.

    ``p(c | v) = seen_vc + unseen_v p(c)``, where p(c) is the distribution of the collection,
    ``sum_v r_vc / sum_vj r_vj``, 0 for columns without a rating above 0. ``seen`` has entries only
    for ratings above 0; ``unseen``, the weight of the collection, is above 0 for every row with
    such a rating. These rows sum to 1; others have no model and are all 0.
    """

    seen: WeightMatrix
    unseen: NDArray[np.float64]
    collection: NDArray[np.float64]


def check_strength(system: object, smoothing: str, strength: object) -> float:
    """Check that ``strength`` is above 0 and, for ``"jelinek-mercer"``, at most 1; return it."""
    highest = 1.0 if smoothing == "jelinek-mercer" else None
    return checked_parameter(system, "strength", strength, Number(0, highest, above=True))


def smoothed_models(ratings: RatingMatrix, smoothing: str, strength: float) -> LanguageModels:
    """Estimate the language models of the rows of a matrix of ratings above 0.

    With ``|v| = sum_c r_vc``:

    - ``"jelinek-mercer"``: ``p(c | v) = (1 - strength) r_vc / |v| + strength p(c)``;
    - ``"absolute-discounting"``: ``(max(r_vc - strength, 0) + m_v p(c)) / |v|``, with m_v the mass
      taken from the row, strength times the number of its ratings (less where a rating is below
      the strength, so that the row still sums to 1);
    - ``"dirichlet"``: ``(r_vc + strength p(c)) / (|v| + strength)``.

    Zhai and Lafferty, "A Study of Smoothing Methods for Language Models Applied to Information
    Retrieval", TOIS 2004, section 3.
    """
    n_rows, n_columns = ratings.shape
    rows = np.repeat(np.arange(n_rows), np.diff(ratings.indptr))
    values = ratings.data.astype(np.float64)
    masses = np.bincount(rows, weights=values, minlength=n_rows)
    totals = np.bincount(ratings.indices, weights=values, minlength=n_columns)
    collection = np.zeros(n_columns)
    np.divide(totals, masses.sum(), out=collection, where=totals > 0)

    unseen = np.zeros(n_rows)
    modelled = masses > 0
    if smoothing == "jelinek-mercer":
        seen = (1 - strength) * values / masses[rows]
        unseen[modelled] = strength
    elif smoothing == "absolute-discounting":
        seen = np.maximum(values - strength, 0) / masses[rows]
        taken = np.bincount(rows, weights=np.minimum(values, strength), minlength=n_rows)
        np.divide(taken, masses, out=unseen, where=modelled)
    else:
        seen = values / (masses[rows] + strength)
        unseen[modelled] = strength / (masses[modelled] + strength)
    weights: WeightMatrix = csr_array((seen, ratings.indices, ratings.indptr), shape=ratings.shape)
    return LanguageModels(weights, unseen, collection)


@dataclass(eq=False, repr=False)
class LanguageModelNeighbourhood(NeighbourModel):
    """The weighted sum recommender over the likeliest neighbours (LM-WSR).

    ``s(u, i) = sum_{v in N(u)} cos(u, v) r_vi`` over users, and over items
    ``s(u, i) = sum_{j in N(i)} cos(i, j) r_uj``, with the cosines of the full rating vectors.
    N(u) are the k other users v under whose smoothed language model (see
    `smoothed_models`) the ratings of u are likeliest, by
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
    strength : float
        Above 0. For Jelinek-Mercer, the weight of the collection, at most 1; for the others, in
        units of ratings.

    References
    ----------
    Valcarce, Parapar and Barreiro, "Language Models for Collaborative Filtering Neighbourhoods",
    ECIR 2016, sections 3 and 4.
    """

    SHARED_OVER = ("neighbours",)

    over: Annotated[str, OneOf("users", "items")] = "users"
    neighbours: AtLeastOne = 100
    smoothing: Annotated[str, OneOf(*SMOOTHINGS)] = "jelinek-mercer"
    strength: float = 0.9

    def __post_init__(self) -> None:
        super().__post_init__()
        self.strength = check_strength(self, self.smoothing, self.strength)

    @property
    def _similarities_are_of_users(self) -> bool:  # type: ignore[override]
        return self.over == "users"

    def _fit(self, train: RatingMatrix) -> None:
        self._fit_grid([self], train)

    @classmethod
    def _fit_grid(cls, models: Sequence[Self], train: RatingMatrix) -> None:
        first = models[0]
        ratings = positive_ratings(first, train)
        over_users = first.over == "users"
        rows = ratings if over_users else ratings.T.tocsr()
        smoothed = smoothed_models(rows, first.smoothing, first.strength)
        likeliest = likeliest_rows_for(rows, smoothed, [model.neighbours for model in models])
        for model, similarities in zip(models, likeliest, strict=True):
            model.ratings_ = ratings
            model.similarities_ = similarities if over_users else similarities.T.tocsr()


def likeliest_rows_for(
    matrix: RatingMatrix, models: LanguageModels, numbers: Sequence[int]
) -> list[RatingMatrix]:
    """Return every row's cosines with the rows under whose models it is likeliest.

    The likelihood is ``sum_c r_qc log p(c | v)``; without terms that do not depend on v, only
    ``log(p(c | v) / (unseen_v p(c)))`` for common columns and ``log unseen_v`` are left. Equal
    likelihoods are ordered by row. For each of some maximum numbers of neighbours, the result has
    cosines above 0, with sorted columns and none on the diagonal.
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
        *csr_parts(matrix),
        *csr_parts(by_column),
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
