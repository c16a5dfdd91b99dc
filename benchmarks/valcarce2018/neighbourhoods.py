# SPDX-License-Identifier: MIT
"""Forms of a neighbourhood of users or items that the library has no reason to offer.

A form says whom the neighbours of a user (or an item) are, and what is made of their ratings. Items
are handled as users are, with the matrix turned: the neighbourhood of an item is then that of all
items, or with ``raters`` that of the items in the profile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.recommenders.centred_neighbourhood import RatingBaselines, rating_baselines

Matrix = NDArray[np.float64]

BASELINES = {
    "shrunk": ("user-and-item", 25.0, 10.0),
    "plain": ("user-and-item", 0.0, 0.0),
    "user mean": ("user", 0.0, 0.0),
}
"""Arguments of `rating_baselines`: Koren's regularisation, none, and means of users alone."""


@dataclass(frozen=True)
class Form:
    """One neighbourhood.

    Attributes
    ----------
    similarity : str
        ``cosine`` (of full vectors), ``common`` (over common ratings), ``pearson`` (that of
        deviations from the row's mean), ``adjusted`` (from the column's mean, as Sarwar et al. for
        items), ``centred`` (cosine of full vectors of deviations from the row's mean) or
        ``residual`` (of deviations from the baseline).
    shrinkage : float
        Common ratings that halve a similarity.
    neighbours : int
        The most similar ones; with ``raters`` for every candidate among those with its rating.
    score : str
        With w the weights, r the ratings, b the baseline and sums over the neighbours with a
        rating: ``sum`` is ``b + sum w (r - b)``; ``mean`` divides its sum by ``sum w``, ``damped``
        by ``sum w + damping``, ``share`` by the weights of all neighbours; ``missing`` is
        ``b + sum w (r - b)`` over all neighbours, r = 0 where there is none; ``own`` takes the
        user's own baseline from the neighbours' ratings; ``raw sum``, ``raw mean`` and ``raw
        share`` are those without b.
    baseline : str
        Of :data:`BASELINES`.
    damping, threshold, highest : float
        Threshold: the least similarity of a neighbour. Highest: scores above it are cut to it.
    raters : bool
    candidates : int
        So many neighbours must have rated an item, or it is not ranked.
    """

    similarity: str
    neighbours: int
    score: str
    shrinkage: float = 0.0
    baseline: str = "shrunk"
    damping: float = 0.0
    threshold: float = 0.0
    highest: float = np.inf
    raters: bool = False
    candidates: int = 1

    @property
    def label(self) -> str:
        """What the table prints of it."""
        words = [self.similarity]
        words += [f"shrunk {self.shrinkage:g}"] if self.shrinkage else []
        words += [f"at least {self.threshold:g}"] if self.threshold else []
        words += [f"{self.neighbours} {'raters' if self.raters else 'nearest'}", self.score]
        words += [f"{self.damping:g}"] if self.damping else []
        words += [f"{self.baseline} baseline"] if not self.score.startswith("raw") else []
        words += [f"cut at {self.highest:g}"] if np.isfinite(self.highest) else []
        words += [f"{self.candidates}+ raters" if self.candidates else "all items"]
        return ", ".join(words)


class Similarities:
    """Similarities of some rows of a rating matrix with all rows; 0 of a row with itself."""

    def __init__(self, ratings: csr_array) -> None:
        self.ratings = ratings.astype(np.float64)
        self.present = csr_array((np.ones(ratings.nnz), ratings.indices, ratings.indptr))
        self._rows: NDArray[np.int64] | None = None
        self._cosines: dict[str, Matrix] = {}

    @cached_property
    def _row_means(self) -> Matrix:
        return np.asarray(self.ratings.sum(axis=1)) / np.diff(self.ratings.indptr).clip(1)

    @cached_property
    def _column_means(self) -> Matrix:
        counts = np.bincount(self.ratings.indices, minlength=self.ratings.shape[1])
        return np.asarray(self.ratings.sum(axis=0)) / counts.clip(1)

    def _deviations(self, kind: str) -> csr_array:
        rows = np.repeat(np.arange(self.ratings.shape[0]), np.diff(self.ratings.indptr))
        columns = self.ratings.indices
        if kind in ("pearson", "centred"):
            expected = self._row_means[rows]
        elif kind == "adjusted":
            expected = self._column_means[columns]
        elif kind == "residual":
            fitted = rating_baselines(self.ratings, *BASELINES["shrunk"])
            expected = fitted.mean + fitted.users[rows] + fitted.items[columns]
        else:
            return self.ratings
        values = self.ratings.data - expected
        return csr_array((values, columns, self.ratings.indptr), shape=self.ratings.shape)

    def of(self, rows: NDArray[np.int64], kind: str, shrinkage: float) -> Matrix:
        """Return similarities of shape (rows, all rows)."""
        # Products are what takes long: those of the latest rows serve every shrinkage.
        if rows is not self._rows:
            self._rows, self._cosines = rows, {}
            self._common = (self.present[rows] @ self.present.T).toarray()
        if kind not in self._cosines:
            self._cosines[kind] = self._unshrunk(rows, kind)
        found = self._cosines[kind] * (self._common / np.maximum(self._common + shrinkage, 1))
        found[np.arange(len(rows)), rows] = 0
        return found

    def _unshrunk(self, rows: NDArray[np.int64], kind: str) -> Matrix:
        values = self._deviations(kind)
        squares = values.multiply(values).tocsr()
        products = (values[rows] @ values.T).toarray()
        if kind in ("common", "pearson", "adjusted"):
            norms = (squares[rows] @ self.present.T).toarray()
            norms *= (self.present[rows] @ squares.T).toarray()
        else:
            sums = np.asarray(squares.sum(axis=1))
            norms = np.outer(sums[rows], sums)
        return np.divide(products, np.sqrt(norms), out=np.zeros_like(products), where=norms > 0)


class UserForms:
    """Scores of many forms over users, as `receval.protocols.evaluation` asks for them."""

    def __init__(self, train: csr_array, forms: Sequence[Form]) -> None:
        self.train, self.forms = train, forms
        self._similarities = Similarities(train)

    def __len__(self) -> int:
        return len(self.forms)

    def score(self, users: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the scores of all items, form by form."""
        scores = np.empty((len(self), len(users), self.train.shape[1]), dtype=np.float32)
        for number, form in enumerate(self.forms):
            similarities = self._similarities.of(users, form.similarity, form.shrinkage)
            baselines = rating_baselines(self.train, *BASELINES[form.baseline])
            sums, totals = _walk_rows(self.train, similarities, form, baselines)
            own = baselines.mean + baselines.users[users, None] + baselines.items
            expected = (
                totals[:, :1] * baselines.mean + totals[:, 1:] + totals[:, :1] * baselines.items
            )
            scores[number] = _scored(form, sums, totals[:, :1], own, expected)
        return scores


class ItemForms:
    """Scores of many forms over items."""

    def __init__(self, train: csr_array, forms: Sequence[Form]) -> None:
        self.train, self.forms = train, forms
        similarities = Similarities(train.T.tocsr())
        items = np.arange(train.shape[1])
        self._weights: dict[Form, Matrix] = {}
        for form in forms:
            found = similarities.of(items, form.similarity, form.shrinkage)
            self._weights[form] = _kept(found.astype(np.float32), form)

    def __len__(self) -> int:
        return len(self.forms)

    def score(self, users: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the scores of all items, form by form."""
        scores = np.empty((len(self), len(users), self.train.shape[1]), dtype=np.float32)
        ratings = self.train[users].toarray().astype(np.float64)
        rated = ratings > 0
        for number, form in enumerate(self.forms):
            weights = self._weights[form]
            baselines = rating_baselines(self.train, *BASELINES[form.baseline])
            levels = baselines.mean + baselines.users[users, None]
            own = levels + baselines.items
            values = np.stack([ratings, (ratings - own) * rated, rated])
            sums = np.zeros((4, *own.shape))
            if form.raters:
                for row in range(len(users)):
                    near = _nearest_raters(weights, np.flatnonzero(rated[row]), form.neighbours)
                    sums[:3, row] = values[:, row, rated[row]] @ near.T
                    sums[3, row] = (near > 0).sum(axis=1)
            else:
                sparse = csr_array(weights)
                for target, source in zip(sums, values, strict=False):
                    target[:] = (sparse @ source.T).T
                sums[3] = ((sparse > 0).astype(np.float64) @ rated.T).T
            totals = weights.sum(axis=1)
            expected = totals * levels + weights @ baselines.items
            scores[number] = _scored(form, sums, totals, own, expected)
        return scores


def _nearest_raters(weights: Matrix, items: NDArray[np.int64], neighbours: int) -> Matrix:
    """Return for every item the weights of the profile's, 0 but for the greatest."""
    near = weights[:, items]
    if len(items) > neighbours:
        far = np.argpartition(-near, neighbours, axis=1)[:, neighbours:]
        np.put_along_axis(near, far, 0, axis=1)
    return near


def _kept(similarities: Matrix, form: Form) -> Matrix:
    """Return the weights of the neighbours, 0 elsewhere; of all similar ones for ``raters``."""
    weights = np.where(similarities >= max(form.threshold, 1e-12), similarities, 0)
    if not form.raters and form.neighbours < weights.shape[1]:
        far = np.argpartition(-weights, form.neighbours, axis=1)[:, form.neighbours :]
        np.put_along_axis(weights, far, 0, axis=1)
    return weights


def _walk_rows(
    train: csr_array, similarities: Matrix, form: Form, baselines: RatingBaselines
) -> tuple[Matrix, Matrix]:
    """Return sums of shape (4, users, items), and of all neighbours the weights and w b_v."""
    weights = _kept(similarities, form)
    owners = np.repeat(np.arange(train.shape[0]), np.diff(train.indptr))
    expected = baselines.mean + baselines.users[owners] + baselines.items[train.indices]
    sums = np.zeros((4, len(weights), train.shape[1]))
    limit = form.neighbours if form.raters else train.shape[0]
    order = np.argsort(-weights, axis=1, kind="stable")
    _walk(
        order, weights, limit, train.indptr, train.indices, train.data, train.data - expected, sums
    )
    return sums, np.stack([weights.sum(axis=1), weights @ baselines.users], axis=1)


@njit
def _walk(order, weights, limit, starts, items, ratings, deviations, sums):  # type: ignore[no-untyped-def]
    for row in range(len(order)):
        for neighbour in order[row]:
            weight = weights[row, neighbour]
            if weight <= 0:
                break
            for entry in range(starts[neighbour], starts[neighbour + 1]):
                item = items[entry]
                if sums[3, row, item] < limit:
                    sums[0, row, item] += weight * ratings[entry]
                    sums[1, row, item] += weight * deviations[entry]
                    sums[2, row, item] += weight
                    sums[3, row, item] += 1


def _scored(form: Form, sums: Matrix, totals: Matrix, own: Matrix, expected: Matrix) -> Matrix:
    """Make scores of what was summed: ``w r``, ``w (r - b)``, ``w`` and the number of ratings."""
    raw, deviating, weight, count = sums
    some = np.maximum(weight, 1e-12)
    scores = {
        "sum": lambda: own + deviating,
        "mean": lambda: own + deviating / some,
        "damped": lambda: own + deviating / (weight + form.damping),
        "share": lambda: own + deviating / np.maximum(totals, 1e-12),
        "missing": lambda: own + raw - expected,
        "own": lambda: own + raw - weight * own,
        "raw sum": lambda: raw,
        "raw mean": lambda: raw / some,
        "raw share": lambda: raw / np.maximum(totals, 1e-12),
    }[form.score]()
    return np.where(count >= form.candidates, np.minimum(scores, form.highest), np.nan)
