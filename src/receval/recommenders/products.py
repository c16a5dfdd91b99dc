# SPDX-License-Identifier: MIT
"""Multiply fitted factors so that a user's scores do not depend on who is scored together.

The order of summation of BLAS depends on the shape of the block, the processor and the thread
count. These kernels always sum in the order of the factors.
"""

from __future__ import annotations

# Intrinsics are declared with the context argument that numba passes, and are untyped.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, call-arg"
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix
from receval.storage.kernel_cache import njit

TILE = 512
"""Items at a time: with 50 factors their columns take 100 KiB, which fits into the cache."""

LINE = 16
"""Numbers of 32 bits in a cache line of 64 bytes."""

MOST_AHEAD = 1024
"""Numbers of the next row to prefetch; the processor prefetches the rest of longer rows."""


def inner_products(
    rows: NDArray[np.float32], columns: NDArray[np.float32], out: NDArray[np.float32]
) -> None:
    """Write ``rows @ columns`` into ``out``; NaN in a row makes its products NaN.

    Parameters
    ----------
    rows : ndarray of float32, shape (n, n_factors)
        Factors of the users of a block.
    columns : ndarray of float32, shape (n_factors, n_items)
        Factors of the items, one factor per row.
    out : ndarray of float32, shape (n, n_items)
        Overwritten.
    """
    _inner_products(rows, columns, out)


def sparse_products(
    rows: NDArray[np.int64], left: RatingMatrix, right: RatingMatrix, out: NDArray[np.float32]
) -> None:
    """Write some rows of the product of two sparse matrices into ``out``.

    ``out[n, i] = sum_j left[rows[n], j] * right[j, i]`` over the j for which both are entries (also
    of value 0). Without such a j, ``out`` is not changed.

    Parameters
    ----------
    rows : ndarray of int64, shape (n,)
        Rows of the left matrix.
    left, right : csr_array of float32, shapes (n_rows, n_inner) and (n_inner, n_items)
        The factors.
    out : ndarray of float32, shape (n, n_items)
        Filled with NaN by the caller.
    """
    _sparse_products(
        rows, left.indptr, left.indices, left.data, right.indptr, right.indices, right.data, out
    )


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
