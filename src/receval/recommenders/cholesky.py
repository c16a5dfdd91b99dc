# SPDX-License-Identifier: MIT
"""Solve many small symmetric systems of equations at once by Cholesky factorisation.

The last axis of all arrays has ``TOGETHER`` systems: their numbers at one position of the matrix
form one SIMD vector, which rows of a small matrix would not fill. Sums stay in registers while rows
are subtracted from them. numba's own loops would store them after each row, and check each time
whether arrays overlap, so the innermost loops are written in LLVM instructions. These keep the
order of all sums, and never fuse multiplications with additions, so that the results are bitwise
those of the textbook loops.
"""

from __future__ import annotations

# Functions that numba calls with types and instructions are untyped, and intrinsics are declared
# with the context argument that numba passes.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, call-arg"
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from receval.storage.kernel_cache import njit

TOGETHER = 4
"""Systems that are solved together: the number of float64 in 256 bits."""

COLUMNS = 6
"""Columns whose sums are in registers at once; matrices are padded to a multiple of it."""

LINE = 8
"""Numbers of 64 bits in a cache line of 64 bytes."""

AHEAD = 8
"""Prefetch distance: factors are prefetched this many ratings ahead."""


class _SideBySide:
    """Reads and writes vectors of an array whose last axis is ``TOGETHER`` long."""

    def __init__(self, context, builder, kind, array):
        number = context.get_value_type(kind.dtype)
        array = context.make_array(kind)(context, builder, array)
        self.builder = builder
        self.alignment = context.get_abi_sizeof(number)
        self.width = cgutils.unpack_tuple(builder, array.shape)[1]
        vector = ir.VectorType(number, TOGETHER)
        self.start = builder.bitcast(array.data, vector.as_pointer())

    def _place(self, row, column):
        offset = self.builder.add(self.builder.mul(row, self.width), column)
        return self.builder.gep(self.start, [offset])

    def load(self, row, column):
        return self.builder.load(self._place(row, column), align=self.alignment)

    def store(self, value, row, column):
        self.builder.store(value, self._place(row, column), align=self.alignment)


@intrinsic
def _subtract_rows_above(context, matrices, row, column):
    """Subtract ``R[k, row] R[k, j]`` of all rows k above, for ``COLUMNS`` columns j."""

    def generate(context, builder, signature, arguments):
        vectors = _SideBySide(context, builder, signature.args[0], arguments[0])
        _, row, column = arguments
        columns = [builder.add(column, column.type(n)) for n in range(COLUMNS)]
        sums = [cgutils.alloca_once_value(builder, vectors.load(row, j)) for j in columns]
        with cgutils.for_range(builder, row) as loop:
            weights = vectors.load(loop.index, row)
            for total, j in zip(sums, columns, strict=True):
                product = builder.fmul(weights, vectors.load(loop.index, j))
                builder.store(builder.fsub(builder.load(total), product), total)
        for total, j in zip(sums, columns, strict=True):
            vectors.store(builder.load(total), row, j)
        return context.get_dummy_value()

    return types.void(matrices, types.intp, types.intp), generate


@intrinsic
def _scale(context, matrices, row, column):
    """Multiply an element by the diagonal of its row."""

    def generate(context, builder, signature, arguments):
        vectors = _SideBySide(context, builder, signature.args[0], arguments[0])
        _, row, column = arguments
        scaled = builder.fmul(vectors.load(row, column), vectors.load(row, row))
        vectors.store(scaled, row, column)
        return context.get_dummy_value()

    return types.void(matrices, types.intp, types.intp), generate


@intrinsic
def _subtract_solved(context, matrices, row, right):
    """Subtract ``R[row, j] x[j]`` for all j after the row from column ``right``."""

    def generate(context, builder, signature, arguments):
        vectors = _SideBySide(context, builder, signature.args[0], arguments[0])
        _, row, right = arguments
        total = cgutils.alloca_once_value(builder, vectors.load(row, right))
        behind = builder.add(row, row.type(1))
        with cgutils.for_range(builder, right, start=behind) as loop:
            product = builder.fmul(vectors.load(row, loop.index), vectors.load(loop.index, right))
            builder.store(builder.fsub(builder.load(total), product), total)
        vectors.store(builder.load(total), row, right)
        return context.get_dummy_value()

    return types.void(matrices, types.intp, types.intp), generate


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
def padded_width(size):
    """Return the number of columns of systems of a size, with right-hand side and padding."""
    return size + COLUMNS


@njit(cache=True)
def solve_equations(matrices, products):
    """Solve systems in place, and write the products of right-hand sides and solutions.

    The shape is ``(size, padded_width(size), TOGETHER)``. Column ``size`` has the right-hand sides,
    which become the solutions; the values of the padding after it do not matter. The upper
    triangles become the factors R of ``R^T R``, with the reciprocals of the diagonals. A pivot that
    is 0 or less due to rounding belongs to a direction that the equations do not determine: its
    part of the solution is 0.
    """
    size = len(matrices)
    products[:] = 0
    for row in range(size):
        for column in range(row, size + 1, COLUMNS):
            _subtract_rows_above(matrices, row, column)
        reciprocals = matrices[row, row]
        for n in range(TOGETHER):
            pivot = reciprocals[n]
            reciprocals[n] = 1.0 / np.sqrt(pivot) if pivot > 0 else 0.0
        for column in range(row + 1, size + 1):
            _scale(matrices, row, column)
        right = matrices[row, size]
        for n in range(TOGETHER):
            products[n] += right[n] * right[n]
    for row in range(size - 1, -1, -1):
        _subtract_solved(matrices, row, size)
        _scale(matrices, row, size)


@njit(cache=True)
def solve_rows(starts, columns, roots, pulls, fixed, gram, solved):
    """Write the solutions of the normal equations of all rows that have ratings."""
    n_factors = fixed.shape[1]
    longest = 0
    for row in range(len(starts) - 1):
        longest = max(longest, starts[row + 1] - starts[row])
    scaled = np.empty((longest, n_factors), dtype=fixed.dtype)
    right = np.empty(n_factors, dtype=fixed.dtype)
    grams = np.zeros((TOGETHER, n_factors, n_factors), dtype=fixed.dtype)
    matrices = np.zeros((n_factors, padded_width(n_factors), TOGETHER), dtype=fixed.dtype)
    products = np.empty(TOGETHER)
    members = np.empty(TOGETHER, dtype=np.int64)
    n_members = 0
    gained = 0.0
    for row in range(len(starts) - 1):
        first = starts[row]
        length = starts[row + 1] - first
        if length > 0:
            for n in range(length):
                # Factors are at random addresses; without prefetching, the processor would wait for
                # each.
                ahead = first + n + AHEAD
                if ahead < len(columns):
                    start = np.intp(columns[ahead]) * n_factors
                    for place in range(start, start + n_factors, LINE):
                        _ask_for(fixed, place)
                other = fixed[np.uint64(columns[first + n])]
                line = scaled[n]
                root = roots[first + n]
                for factor in range(n_factors):
                    line[factor] = root * other[factor]
            np.dot(scaled[:length].T, scaled[:length], grams[n_members])
            sum_pulls(columns[first : first + length], pulls[first : first + length], fixed, right)
            for i in range(n_factors):
                matrices[i, n_factors, n_members] = right[i]
            members[n_members] = row
            n_members += 1
        if n_members == TOGETHER or (n_members > 0 and row == len(starts) - 2):
            for i in range(n_factors):
                for j in range(i, n_factors):
                    target = matrices[i, j]
                    for n in range(TOGETHER):
                        target[n] = grams[n, i, j] + gram[i, j]
            solve_equations(matrices, products)
            for n in range(n_members):
                gained += products[n]
                for i in range(n_factors):
                    solved[members[n], i] = matrices[i, n_factors, n]
            n_members = 0
    return gained


@njit(cache=True)
def sum_pulls(columns, pulls, fixed, right):
    """Write a row of ``pulls @ fixed`` into ``right``, summed in the order of the ratings."""
    right[:] = 0
    whole = len(columns) - len(columns) % 4
    # Four ratings per pass, added one after the other, need a quarter of the reads and writes.
    for n in range(0, whole, 4):
        a, b, c, d = pulls[n], pulls[n + 1], pulls[n + 2], pulls[n + 3]
        other_a, other_b = fixed[np.uint64(columns[n])], fixed[np.uint64(columns[n + 1])]
        other_c, other_d = fixed[np.uint64(columns[n + 2])], fixed[np.uint64(columns[n + 3])]
        for factor in range(len(right)):
            so_far = right[factor] + a * other_a[factor]
            so_far = so_far + b * other_b[factor]
            so_far = so_far + c * other_c[factor]
            right[factor] = so_far + d * other_d[factor]
    for n in range(whole, len(columns)):
        other = fixed[np.uint64(columns[n])]
        for factor in range(len(right)):
            right[factor] += pulls[n] * other[factor]
