# SPDX-License-Identifier: MIT
"""Scores as products of what was fitted: dense factors, or sparse ratings and similarities.

A user's scores must not depend on who is scored together, but the order of summation of BLAS
depends on the shape of the block, the processor and the thread count. These kernels always sum in
the order of the factors.
"""

from __future__ import annotations

# Intrinsics are declared with the context argument that numba passes, and are untyped.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, call-arg"
from typing import ClassVar

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.recommenders.base import RatingMatrix, Recommender
from receval.storage.kernel_cache import njit

TILE = 512
"""Items at a time: with 50 factors their columns take 100 KiB, which fits into the cache."""

LINE = 16
"""Numbers of 32 bits in a cache line of 64 bytes."""

MOST_AHEAD = 1024
"""Numbers of the next row to prefetch; the processor prefetches the rest of longer rows."""


class FactorModel(Recommender):
    """Factors of users and items: ``s(u, i) = p_u . q_i``.

    NaN for all items of users without training ratings. Items without training ratings have
    ``q_i = 0`` and score 0, unless a system's own description says otherwise.

    Attributes
    ----------
    user_factors_ : ndarray of float32, shape (n_users, factors)
        p_u; NaN for users without training ratings.
    item_factors_ : ndarray of float32, shape (factors, n_items)
        q_i, one column each.
    """

    user_factors_: NDArray[np.float32]
    item_factors_: NDArray[np.float32]

    def _keep_factors(
        self, train: RatingMatrix, users: NDArray[np.floating], items: NDArray[np.floating]
    ) -> None:
        """Store copies of the learnt factors, given with one row per user or item."""
        self.user_factors_ = users.astype(np.float32)
        self.user_factors_[np.diff(train.indptr) == 0] = np.nan
        self.item_factors_ = np.array(items.T, dtype=np.float32, order="C")

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        inner_products(self.user_factors_[users], self.item_factors_, scores)


class BiasedFactorModel(FactorModel):
    """Factors, a mean and biases: ``s(u, i) = m + b_u + b_i + p_u . q_i``; no score is NaN.

    Attributes
    ----------
    mean_ : float
        m, the mean of all training ratings.
    user_biases_, item_biases_ : ndarray of float32, shapes (n_users,) and (n_items,)
        b_u and b_i; they and the factors of users or items without training ratings are 0.
    squared_error_ : ndarray of float64, shape (epochs,)
        Mean of the squared error over each epoch, every error taken before its step.
    """

    predicts_ratings: ClassVar[bool] = True

    mean_: float
    user_biases_: NDArray[np.float32]
    item_biases_: NDArray[np.float32]
    squared_error_: NDArray[np.float64]

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        super()._score_block(users, scores)
        scores += np.float32(self.mean_) + self.user_biases_[users, None] + self.item_biases_


class TopicModel(Recommender):
    """Weights of topics for users and of items in topics: ``s(u, i) = sum_z w_uz h_zi``.

    Attributes
    ----------
    user_topics_ : ndarray of float32, shape (n_users, topics)
        w_uz; NaN for users without training ratings, whose items have no score.
    topic_items_ : ndarray of float32, shape (topics, n_items)
        h_zi.
    """

    user_topics_: NDArray[np.floating]
    topic_items_: NDArray[np.floating]

    def _keep_topics(
        self, train: RatingMatrix, users: NDArray[np.floating], items: NDArray[np.floating]
    ) -> None:
        """Store copies of the learnt tables, given with one row per user or item."""
        self.user_topics_ = users.copy()
        self.user_topics_[np.diff(train.indptr) == 0] = np.nan
        self.topic_items_ = np.array(items.T, order="C")

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        inner_products(self.user_topics_[users], self.topic_items_, scores)


class NeighbourModel(Recommender):
    """Neighbours of users or items: sums of ratings, weighted by similarities.

    Attributes
    ----------
    similarities_ : csr_array of float32, shape (n_users, n_users) or (n_items, n_items)
        Over users, row u holds the similarities of u's neighbours; over items, row j those of the
        items to whose scores a rating of j contributes.
    ratings_ : csr_array of float32, shape (n_users, n_items)
        The ratings that count.
    """

    similarities_: RatingMatrix
    ratings_: RatingMatrix

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        if self._similarities_are_of_users:
            rows = users - self._own_users.start
            sparse_products(rows, self.similarities_, self.ratings_, scores)
        else:
            sparse_products(users, self.ratings_, self.similarities_, scores)


class LinearModel(Recommender):
    """A sparse linear model: ``s(u, i) = sum_j r_uj w_ji``.

    NaN for all items of users without training ratings. Items without training ratings score 0, and
    so do items without a weight for any item that the user rated.

    Attributes
    ----------
    ratings_ : csr_array of float32, shape (n_users, n_items)
        The training ratings.
    weights_ : csr_array of float32, shape (n_items, n_items)
        W.
    """

    ratings_: RatingMatrix
    weights_: RatingMatrix

    def _fold_in(self, ratings: RatingMatrix) -> None:
        self.ratings_ = with_rows_of(self.ratings_, ratings)

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        scores[np.diff(self.ratings_.indptr)[users] > 0] = 0
        sparse_products(users, self.ratings_, self.weights_, scores)


def with_rows_of(matrix: RatingMatrix, others: RatingMatrix) -> RatingMatrix:
    """Return a matrix with the rows of another one, which must be empty in the first.

    Examples
    --------
    >>> first = csr_array(np.array([[1, 2], [0, 0]], dtype=np.float32))
    >>> second = csr_array(np.array([[0, 0], [0, 3]], dtype=np.float32))
    >>> with_rows_of(first, second).toarray().tolist()
    [[1.0, 2.0], [0.0, 3.0]]
    """
    new = np.diff(others.indptr) > 0
    refuse_known(new & (np.diff(matrix.indptr) > 0))
    lengths = np.where(new, np.diff(others.indptr), np.diff(matrix.indptr))
    ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    is_new = np.repeat(new, lengths)
    columns = np.empty(len(is_new), dtype=np.int32)
    values = np.empty(len(is_new), dtype=np.float32)
    for rows, source in ((is_new, others), (~is_new, matrix)):
        columns[rows], values[rows] = source.indices, source.data
    return csr_array((values, columns, ends), shape=matrix.shape)


def refuse_known(both: NDArray[np.bool_]) -> None:
    """Refuse to fold in the marked users, who have training ratings, if there are any."""
    if both.any():
        raise ValueError(
            f"The user in row {int(np.argmax(both))} has training ratings. Only users without any "
            "can be folded in."
        )


def inner_products(
    rows: NDArray[np.float32], columns: NDArray[np.float32], out: NDArray[np.float32]
) -> None:
    """Write ``rows @ columns`` into ``out``; NaN in a row makes its products NaN.

    The shapes are (n, n_factors), (n_factors, n_items) and (n, n_items).
    """
    _inner_products(rows, columns, out)


def sparse_products(
    rows: NDArray[np.int64], left: RatingMatrix, right: RatingMatrix, out: NDArray[np.float32]
) -> None:
    """Write some rows of the product of two sparse matrices into ``out``, shape (n, n_items).

    ``out[n, i] = sum_j left[rows[n], j] * right[j, i]`` over the j for which both are entries (also
    of value 0). Without such a j, ``out`` is not changed; the caller fills it with NaN.
    """
    _sparse_products(rows, *csr_parts(left), *csr_parts(right), out)


def csr_parts(matrix: RatingMatrix) -> tuple[NDArray, NDArray, NDArray]:
    """Return starts, columns and values of a matrix, as kernels take them."""
    return matrix.indptr, matrix.indices, matrix.data


@intrinsic
def _ask_for(context, numbers, place):
    """Prefetch a number of a contiguous array.

    Each module of kernels has a copy, because numba detects edits only in a kernel's own file.
    """

    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        byte, integer = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, integer, integer, integer])
        prefetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        address = builder.bitcast(builder.gep(array.data, [arguments[1]]), byte)
        # Arguments of the prefetch: read, keep in all caches, data.
        builder.call(prefetch, [address, integer(0), integer(3), integer(1)])
        return context.get_dummy_value()

    return types.void(numbers, types.intp), generate


@njit(cache=True)
def _inner_products(rows, columns, out):
    n_factors, n_items = columns.shape
    whole = n_factors - n_factors % 4
    for start in range(0, n_items, TILE):
        stop = min(start + TILE, n_items)
        for n in range(rows.shape[0]):
            target = out[n, start:stop]
            target[:] = np.float32(0)
            # Four factors per pass over the tile, added one after the other, need a quarter of the
            # reads and writes of the target and give the same bits.
            for factor in range(0, whole, 4):
                a, b = rows[n, factor], rows[n, factor + 1]
                c, d = rows[n, factor + 2], rows[n, factor + 3]
                line_a, line_b = columns[factor, start:stop], columns[factor + 1, start:stop]
                line_c, line_d = columns[factor + 2, start:stop], columns[factor + 3, start:stop]
                for item in range(len(target)):
                    so_far = target[item] + a * line_a[item]
                    so_far = so_far + b * line_b[item]
                    so_far = so_far + c * line_c[item]
                    target[item] = so_far + d * line_d[item]
            for factor in range(whole, n_factors):
                weight = rows[n, factor]
                line = columns[factor, start:stop]
                for item in range(len(target)):
                    target[item] += weight * line[item]


@njit(cache=True)
def _sparse_products(
    rows, left_starts, left_indices, left_values, right_starts, right_indices, right_values, out
):
    for n in range(rows.shape[0]):
        target = out[n]
        last = left_starts[rows[n] + 1]
        for entry in range(left_starts[rows[n]], last):
            inner = left_indices[entry]
            # Rows are at random addresses; without prefetching, the processor would wait for each.
            if entry + 1 < last:
                following = left_indices[entry + 1]
                start, stop = right_starts[following], right_starts[following + 1]
                for position in range(start, min(stop, start + MOST_AHEAD), LINE):
                    _ask_for(right_indices, position)
                    _ask_for(right_values, position)
            weight = left_values[entry]
            # Unsigned positions avoid numba's check for negative indices.
            for position in range(
                np.uint64(right_starts[inner]), np.uint64(right_starts[inner + 1])
            ):
                item = np.uint64(right_indices[position])
                so_far = target[item]
                term = weight * right_values[position]
                target[item] = term if np.isnan(so_far) else so_far + term


# Row norms of sparse matrices.


def row_norms(matrix: RatingMatrix) -> NDArray[np.float64]:
    """Return the Euclidean norm of every row, shape (n_rows,)."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    squares = matrix.data.astype(np.float64)
    np.square(squares, out=squares)
    return np.sqrt(np.bincount(rows, weights=squares, minlength=matrix.shape[0]))


# Scores in single precision.


def rounded_apart(values: NDArray[np.float64]) -> NDArray[np.float32]:
    """Round to single precision without changing the order within each row.

    LibRec ranks by numbers in double precision, some of which would be equal in single precision.
    Of these, the larger one becomes the next higher number: two numbers of
    a row are equal if and only if their values are.

    Examples
    --------
    >>> rounded_apart(np.array([[1.0, 1.0 + 1e-12, 1.0, 2.0]])).tolist()
    [[1.0, 1.0000001192092896, 1.0, 2.0]]
    """
    order = np.argsort(values, axis=1, kind="stable")
    rising = np.take_along_axis(values, order, axis=1)
    rounded = rising.astype(np.float32)
    _part(rising, rounded)
    apart = np.empty_like(rounded)
    np.put_along_axis(apart, order, rounded, axis=1)
    return apart


@njit(cache=True)
def _part(rising, rounded):
    for row in range(rising.shape[0]):
        for column in range(1, rising.shape[1]):
            if rising[row, column] == rising[row, column - 1]:
                rounded[row, column] = rounded[row, column - 1]
            elif rounded[row, column] <= rounded[row, column - 1]:
                rounded[row, column] = np.nextafter(rounded[row, column - 1], np.float32(np.inf))
