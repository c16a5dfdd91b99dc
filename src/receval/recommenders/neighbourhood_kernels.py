# SPDX-License-Identifier: MIT
"""Compiled kernels for neighbourhoods: products of rows and the largest cosines.

Rows are compared with the rows of a block in chunks, whose sums of products are in memory at once.
If all values are integers, frequent columns are dense: a table has their values for ``LANES`` rows
of the block, few enough to stay in a core's L2 cache. For columns in which a row has the same
value, lines of the table are added as bytes, as many as fit into a byte, and the sum is multiplied
by the value once. All other entries of a block are sorted by column and added one by one: as int32
for integers, whose sums do not depend on the order, else as float64 in the order of the row's
columns.

Successive blocks, and the chunks compared with a block, are far from each other. In sorted order,
rows would be compared with ever nearer ones, and would collect and drop many more keys.

numba's own loops would store sums after each line, and check each time whether arrays overlap, so
the innermost loops are written in LLVM instructions, for vectors of the processor's full width. All
kernels are in this module, because numba recompiles a kernel only if its own module was edited.
"""

from __future__ import annotations

# Functions that numba calls with types and instructions are untyped, and intrinsics are declared
# with the context argument that numba passes.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, call-arg, var-annotated"
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from receval.storage.kernel_cache import njit

LANES = 256
"""Number of rows of a block in a table of dense columns."""

_VECTOR = 32
"""Rows whose bytes form one vector, and whose marks are the bits of one number."""

_VECTORS = 4
"""Number of vectors whose sums are in registers at once."""


def _data(context, builder, kind, array, element=None):
    """Return the address of an array's data, optionally as a pointer to another type."""
    data = context.make_array(kind)(context, builder, array).data
    return data if element is None else builder.bitcast(data, element.as_pointer())


def _everywhere(builder, kind, value):
    """Return a vector that has a value in every place."""
    held = builder.insert_element(kind(ir.Undefined), value, ir.IntType(32)(0))
    places = ir.VectorType(ir.IntType(32), _VECTOR)
    return builder.shuffle_vector(held, kind(ir.Undefined), places(None))


@intrinsic
def _add_dense(context, table, places, starts, most, sums):
    """Add the products of a row with the rows of a table to sums of int32, shape (LANES,).

    The row has the value v in the columns ``places[starts[v]:starts[v + 1]]`` of the table, whose
    shape is (n_dense, LANES). Sums of up to `most` lines fit into a byte.
    """
    short, byte = ir.IntType(16), ir.IntType(8)
    bytes_, shorts = ir.VectorType(byte, _VECTOR), ir.VectorType(short, _VECTOR)
    integers = ir.VectorType(ir.IntType(32), _VECTOR)

    def add(builder, total, value):
        builder.store(builder.add(builder.load(total), value), total)

    def generate(context, builder, signature, arguments):
        kinds = signature.args
        lines = _data(context, builder, kinds[0], arguments[0])
        numbers = _data(context, builder, kinds[1], arguments[1])
        bounds = _data(context, builder, kinds[2], arguments[2])
        results = _data(context, builder, kinds[4], arguments[4])
        most = arguments[3]
        word = most.type
        n_values = cgutils.unpack_tuple(
            builder, context.make_array(kinds[2])(context, builder, arguments[2]).shape
        )[0]
        n_values = builder.sub(n_values, word(1))
        totals = [cgutils.alloca_once(builder, shorts) for _ in range(_VECTORS)]
        sums_of_lines = [cgutils.alloca_once(builder, bytes_) for _ in range(_VECTORS)]
        step = _VECTOR * _VECTORS
        with cgutils.for_range_slice(builder, word(0), word(LANES), word(step)) as (lane, _):
            for total in totals:
                builder.store(shorts(None), total)
            with cgutils.for_range(builder, n_values, start=word(1)) as loop:
                value = loop.index
                end = builder.load(builder.gep(bounds, [builder.add(value, word(1))]))
                first = builder.load(builder.gep(bounds, [value]))
                weight = _everywhere(builder, shorts, builder.trunc(value, short))
                with cgutils.for_range_slice(builder, first, end, most) as (start, _):
                    stop = builder.add(start, most)
                    stop = builder.select(builder.icmp_signed("<", stop, end), stop, end)
                    for held in sums_of_lines:
                        builder.store(bytes_(None), held)
                    with cgutils.for_range(builder, stop, start=start) as columns:
                        place = builder.load(builder.gep(numbers, [columns.index]))
                        offset = builder.mul(builder.zext(place, word), word(LANES))
                        line = builder.gep(lines, [builder.add(offset, lane)])
                        line = builder.bitcast(line, bytes_.as_pointer())
                        for n, held in enumerate(sums_of_lines):
                            vector = builder.load(builder.gep(line, [word(n)]), align=1)
                            add(builder, held, vector)
                    for held, total in zip(sums_of_lines, totals, strict=True):
                        wide = builder.zext(builder.load(held), shorts)
                        add(builder, total, builder.mul(wide, weight))
            own = builder.bitcast(builder.gep(results, [lane]), integers.as_pointer())
            for n, total in enumerate(totals):
                place = builder.gep(own, [word(n)])
                wide = builder.zext(builder.load(total), integers)
                builder.store(builder.add(builder.load(place, align=4), wide), place, align=4)
        return context.get_dummy_value()

    return types.void(table, places, starts, types.intp, sums), generate


@intrinsic
def _near(context, sums, first, reciprocals, floors, own_reciprocal, own_floor):
    """Mark which of 32 rows have a cosine above their own floor or that of the other row.

    The marks are bits of one number, the lowest for the row at ``first``.
    """

    def generate(context, builder, signature, arguments):
        kinds = signature.args
        number = context.get_value_type(kinds[2].dtype)
        numbers = ir.VectorType(number, _VECTOR)

        def vector(position, element, alignment):
            data = _data(context, builder, kinds[position], arguments[position])
            place = builder.bitcast(
                builder.gep(data, [arguments[1]]), ir.VectorType(element, _VECTOR).as_pointer()
            )
            return builder.load(place, align=alignment)

        kind = context.get_value_type(kinds[0].dtype)
        size, alignment = (context.get_abi_sizeof(one) for one in (kind, number))
        products = vector(0, kind, size)
        if isinstance(kind, ir.IntType):
            products = builder.sitofp(products, numbers)
        own = _everywhere(builder, numbers, arguments[4])
        scales = builder.fmul(vector(2, number, alignment), own)
        cosines = builder.fmul(products, scales)
        # NaN is marked too; a later check decides.
        near = builder.or_(
            builder.fcmp_unordered(">", cosines, vector(3, number, alignment)),
            builder.fcmp_unordered(">", cosines, _everywhere(builder, numbers, arguments[5])),
        )
        return builder.bitcast(near, ir.IntType(_VECTOR))

    dtype = reciprocals.dtype
    return types.uint32(sums, types.intp, reciprocals, floors, dtype, dtype), generate


@intrinsic
def _overlapping(context, common, first, fewest):
    """Mark which of 32 rows have enough columns in common with another row, as bits."""

    def generate(context, builder, signature, arguments):
        number = ir.IntType(32)
        numbers = ir.VectorType(number, _VECTOR)
        data = _data(context, builder, signature.args[0], arguments[0])
        place = builder.bitcast(builder.gep(data, [arguments[1]]), numbers.as_pointer())
        fewest = _everywhere(builder, numbers, builder.trunc(arguments[2], number))
        enough = builder.icmp_signed(">=", builder.load(place, align=4), fewest)
        return builder.bitcast(enough, ir.IntType(_VECTOR))

    return types.uint32(common, types.intp, types.intp), generate


@intrinsic
def _lowest(context, marks):
    """Return the position of the lowest bit of a number other than 0."""

    def generate(context, builder, signature, arguments):
        found = builder.cttz(arguments[0], ir.IntType(1)(1))
        return builder.zext(found, context.get_value_type(types.intp))

    return types.intp(types.uint32), generate


@njit(cache=True)
def find_nearest_rows(
    starts_of_values,
    places,
    row_starts,
    columns,
    values,
    unit,
    most_lines,
    starts,
    rows,
    entries,
    tables,
    sums,
    common,
    counts_common,
    norms,
    reciprocals,
    floors,
    minimum_overlap,
    neighbours,
    numbers,
    collectors,
    compared,
    compared_end,
    keys,
    counts,
):
    """Collect at least the largest keys of rows, which are ordered by cosine and then by number.

    Rows are at positions, and keys contain their numbers. Pairs with one row at a position from
    `compared` to before `compared_end` are compared once, if one of the rows collects keys. The
    keys of the row at a position are stored at its collector. No cosine below a row's floor can be
    among its nearest; floors rise during the search, and are infinite for rows that do not collect.
    Rows are padded to fill whole vectors.
    """
    n_rows = len(norms)
    room = keys.shape[1]
    chunk, size = sums.shape
    similarity = np.zeros(1, dtype=np.float32)
    # The bits of positive floats have the same order as the floats.
    bits = similarity.view(np.int32)
    # All rows of a block are compared ones, or none is.
    n_own = -((compared - compared_end) // size)
    n_blocks = n_own - ((compared_end - n_rows) // size)
    step = far_step(n_blocks)
    for nth in range(n_blocks):
        block = nth * step % n_blocks
        if block < n_own:
            first = compared + block * size
            end = min(first + size, compared_end)
        else:
            first = compared_end + (block - n_own) * size
            end = min(first + size, n_rows)
        take_block(
            *(starts_of_values, places, row_starts, columns, values, first, end),
            *(starts, rows, entries, tables),
        )
        any_collects = floors[first:end].min() < np.inf
        # With rows before the block, and each pair within the block once. After the compared rows,
        # only compared rows matter.
        is_behind = first >= compared_end
        last = compared_end if is_behind else end
        start = compared if is_behind else 0
        n_chunks = -((start - last) // chunk)
        step_of_chunks = far_step(n_chunks)
        for nth_chunk in range(n_chunks):
            begin = start + nth_chunk * step_of_chunks % n_chunks * chunk
            stop = min(last, begin + chunk)
            if not any_collects and floors[begin:stop].min() == np.inf:
                continue
            sums[:] = 0
            common[:] = 0
            for row in range(begin, stop):
                if not any_collects and floors[row] == np.inf:
                    continue
                add_products(
                    *(row_starts, columns, row, values, unit, starts, rows, entries),
                    *(sums[row - begin], common[row - begin], counts_common),
                )
            for tile in range(len(tables)):
                base = first + tile * LANES
                for row in range(begin, min(stop, base + LANES - 1)):
                    if base >= end:
                        break
                    if not any_collects and floors[row] == np.inf:
                        continue
                    own = sums[row - begin, tile * LANES : (tile + 1) * LANES]
                    if len(places):
                        add_lines(tables[tile], places, starts_of_values[row], most_lines, own)
                    for near in range(0, LANES, _VECTOR):
                        marks = _near(
                            *(own, near, reciprocals[base:], floors[base:]),
                            *(reciprocals[row], floors[row]),
                        )
                        if minimum_overlap > 1 and marks:
                            marks &= _overlapping(
                                common[row - begin], tile * LANES + near, minimum_overlap
                            )
                        while marks:
                            lane = near + _lowest(marks)
                            marks &= marks - np.uint32(1)
                            other = base + lane
                            product = own[lane]
                            if product <= 0 or other <= row or other >= end:
                                continue
                            rough = product * (reciprocals[row] * reciprocals[other])
                            similarity[0] = np.float32(product / (norms[row] * norms[other]))
                            if bits[0] == 0:
                                continue
                            key = np.int64(bits[0]) << 32
                            for one, two in ((row, other), (other, row)):
                                if rough > floors[one]:
                                    collector = collectors[one]
                                    own_keys = keys[collector]
                                    own_keys[counts[collector]] = key + (n_rows - numbers[two])
                                    counts[collector] += 1
                                    if counts[collector] == room:
                                        _keep_largest(own_keys, neighbours)
                                        counts[collector] = neighbours
                                        bits[0] = np.int32(own_keys[neighbours - 1] >> 32)
                                        # Slightly lower, to allow for rounding of the product of
                                        # reciprocals.
                                        floors[one] = similarity[0] * (1.0 - 4e-6)


@njit(cache=True)
def far_step(number):
    """Return a step with which a cyclic walk visits each of `number` places once.

    It is the number nearest to their golden section that is coprime to them, the lower one of two.
    The next higher one can be one less than their number, which would be a step back.
    """
    golden = np.int64(0.618 * number + 0.5)
    for apart in range(number + 2):
        for step in (golden - apart, golden + apart):
            one, two = step, number
            while two:
                one, two = two, one % two
            if one == 1 and step > 0:
                return step
    return np.int64(1)


@njit(cache=True)
def part_rows(
    indptr, indices, data, place_of, starts_of_values, places, row_starts, columns, values
):
    """Divide each row's entries into dense columns, grouped by value, and all others."""
    n_values = starts_of_values.shape[1] - 1
    positions = np.zeros(n_values, dtype=np.int64)
    n_dense = 0
    n_others = 0
    for row in range(len(indptr) - 1):
        positions[:] = 0
        for entry in range(indptr[row], indptr[row + 1]):
            if place_of[indices[entry]] >= 0:
                positions[data[entry]] += 1
            else:
                columns[n_others] = indices[entry]
                values[n_others] = data[entry]
                n_others += 1
        row_starts[row + 1] = n_others
        for value in range(n_values):
            starts_of_values[row, value] = n_dense
            n_dense += positions[value]
            positions[value] = starts_of_values[row, value]
        starts_of_values[row, n_values] = n_dense
        for entry in range(indptr[row], indptr[row + 1]):
            place = place_of[indices[entry]]
            if place >= 0:
                places[positions[data[entry]]] = place
                positions[data[entry]] += 1


@njit(cache=True)
def take_block(
    starts_of_values, places, row_starts, columns, values, first, end, starts, rows, entries, tables
):
    """Fill the tables with the rows of a block, and sort all other entries by column."""
    starts[:] = 0
    for entry in range(row_starts[first], row_starts[end]):
        starts[columns[entry] + 1] += 1
    for column in range(1, len(starts)):
        starts[column] += starts[column - 1]
    tables[:] = 0
    for row in range(first, end):
        for entry in range(row_starts[row], row_starts[row + 1]):
            position = starts[columns[entry]]
            rows[position] = row - first
            entries[position] = values[entry]
            starts[columns[entry]] = position + 1
        table = tables[(row - first) // LANES]
        for value in range(1, starts_of_values.shape[1] - 1):
            for n in range(starts_of_values[row, value], starts_of_values[row, value + 1]):
                table[np.int64(places[n]), (row - first) % LANES] = value
    # Each start is now the start of the next one.
    for column in range(len(starts) - 1, 0, -1):
        starts[column] = starts[column - 1]
    starts[0] = 0


@njit(cache=True)
def add_products(
    row_starts,
    columns,
    row,
    values,
    unit,
    starts,
    rows,
    entries,
    sums,
    common,
    counts_common,
):
    """Add the products of a row with each row of the block, without dense columns, to the sums."""
    for entry in range(row_starts[row], row_starts[row + 1]):
        column = columns[entry]
        value = unit * values[entry]
        # Unsigned positions avoid numba's check for negative indices.
        for position in range(np.uint64(starts[column]), np.uint64(starts[column + 1])):
            sums[np.uint64(rows[position])] += value * entries[position]
        if counts_common:
            for position in range(np.uint64(starts[column]), np.uint64(starts[column + 1])):
                common[np.uint64(rows[position])] += 1


@njit(cache=True)
def add_lines(table, places, starts, most_lines, sums):
    """Add the products of a row's dense columns with ``LANES`` rows of the block to their sums."""
    _add_dense(table, places, starts, most_lines, sums)


@njit(cache=True)
def mark_too_few(keys, counts, wanted, guesses, too_few):
    """Mark rows with fewer keys than wanted that reach the guessed cosine.

    Guesses are the bits of cosines. If 0 was guessed, all keys were collected.
    """
    for row in range(len(keys)):
        if guesses[row] > 0:
            found = 0
            for position in range(counts[row]):
                found += (keys[row, position] >> 32) >= guesses[row]
            too_few[row] = found < wanted


@njit(cache=True)
def keep_nearest(keys, counts, neighbours):
    """Keep only the largest keys of every row, at most as many as neighbours."""
    for row in range(len(counts)):
        if counts[row] > neighbours:
            _keep_largest(keys[row, : counts[row]], neighbours)
            counts[row] = neighbours


@njit(cache=True)
def _keep_largest(keys, kept):
    """Move the largest of some distinct keys to the front, with the smallest of these last.

    Hoare's selection algorithm with the median of three as pivot.
    """
    low = 0
    high = len(keys) - 1
    while low < high:
        one, two, three = keys[low], keys[(low + high) >> 1], keys[high]
        pivot = max(min(one, two), min(max(one, two), three))
        left = low
        right = high
        while left <= right:
            while keys[left] > pivot:
                left += 1
            while keys[right] < pivot:
                right -= 1
            if left <= right:
                keys[left], keys[right] = keys[right], keys[left]
                left += 1
                right -= 1
        if kept - 1 <= right:
            high = right
        elif kept - 1 >= left:
            low = left
        else:
            break


@njit(cache=True)
def pack_in_row_order(keys, starts, n_rows, packed):
    """Write the keys of all rows one after the other, sorted by the other row within each.

    Each key has the other row's number above the bits of the cosine. `packed` may be the memory of
    the keys themselves, because no row is written after the position of its keys.
    """
    for row in range(len(keys)):
        start = starts[row]
        found = keys[row, : starts[row + 1] - start]
        for position in range(len(found)):
            key = found[position]
            other = n_rows - (key & 0xFFFFFFFF)
            found[position] = (other << 32) | (key >> 32)
        found.sort()
        for position in range(len(found)):
            packed[start + position] = found[position]


@njit(cache=True)
def part_packed(packed, indices, bits):
    """Divide packed keys into the rows' numbers and the bits of cosines.

    `bits` may be the beginning of the memory of the packed keys.
    """
    for position in range(len(indices)):
        indices[position] = packed[position] >> 32
    for position in range(len(indices)):
        bits[position] = np.int32(packed[position] & 0xFFFFFFFF)
