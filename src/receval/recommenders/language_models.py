# SPDX-License-Identifier: MIT
"""Smoothed language models of the rows of a rating matrix, with ratings as word counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.recommenders.base import RatingMatrix
from receval.recommenders.checks import real

SMOOTHINGS = ("jelinek-mercer", "absolute-discounting", "dirichlet")

WeightMatrix: TypeAlias = "csr_array[np.float64, tuple[int, int]]"


@dataclass(frozen=True)
class LanguageModels:
    """A probability distribution over the columns for every row of a matrix.

    ``p(c | v) = seen_vc + unseen_v p(c)``, where p(c) is the distribution of the collection. Every
    row with a rating above 0 sums to 1; rows without one have no model and are all 0.

    Attributes
    ----------
    seen : csr_array of float64, shape (n_rows, n_columns)
        The part from a row's own ratings; only ratings above 0 are entries.
    unseen : ndarray of float64, shape (n_rows,)
        Weight of the collection; above 0 for every row with a model.
    collection : ndarray of float64, shape (n_columns,)
        ``p(c) = sum_v r_vc / sum_vj r_vj``, 0 for columns without a rating above 0.
    """

    seen: WeightMatrix
    unseen: NDArray[np.float64]
    collection: NDArray[np.float64]


def check_strength(system: object, smoothing: str, strength: object) -> float:
    """Check that ``strength`` is in the range of the smoothing, and return it.

    Raises
    ------
    ValueError
        If it is not above 0 or, for ``"jelinek-mercer"``, above 1.
    """
    highest = 1.0 if smoothing == "jelinek-mercer" else None
    return real(system, "strength", strength, lowest=0, highest=highest, above=True)


def smoothed_models(ratings: RatingMatrix, smoothing: str, strength: float) -> LanguageModels:
    """Estimate the rows' language models.

    With ``|v| = sum_c r_vc``:

    - ``"jelinek-mercer"``: ``p(c | v) = (1 - strength) r_vc / |v| + strength p(c)``;
    - ``"absolute-discounting"``: ``(max(r_vc - strength, 0) + m_v p(c)) / |v|``, with m_v the mass
      taken from the row, strength times the number of its ratings (less where a rating is below
      the strength, so that the row still sums to 1);
    - ``"dirichlet"``: ``(r_vc + strength p(c)) / (|v| + strength)``.

    Parameters
    ----------
    ratings : csr_array of float32, shape (n_rows, n_columns)
        Ratings above 0.
    smoothing : str
        One of `SMOOTHINGS`.
    strength : float
        Above 0; at most 1 for ``"jelinek-mercer"``; in units of ratings for the others.

    Returns
    -------
    LanguageModels
        The models.

    References
    ----------
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
