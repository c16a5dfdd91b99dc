# SPDX-License-Identifier: MIT
"""Averages, intervals and differences of systems from exact sums over users, in blocks of them.

Doubles are summed without rounding, so that their order and division into blocks never matter. A
sum is a whole number of :data:`UNITS`, the smallest positive double. Whole numbers of Python have
no largest value, so sums of blocks are added exactly, and are rounded once, when they are divided.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import copysign, inf, sqrt
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from receval.evaluation.by_user import ValuesByUser, WeightedMeansOfFolds
from receval.statistics.pairs import system_pairs
from receval.storage.kernel_cache import njit

Sums = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class SumsOverUsers:
    """Exact sums of the values of users, in units of :mod:`receval.evaluation.summed_values`.

    With the sum :math:`s` and the weight :math:`w` of each user as in :class:`.ValuesByUser`,
    ``sums`` are those of s by metric and system, ``crossed`` of s w, and ``products`` of s t by
    metric and pair of systems, each with itself and with all later ones; ``weight`` is the sum of
    w, and ``weight_squares`` of its squares. Adding the sums of blocks gives those of all users.
    """

    n_users: int
    weight: int
    weight_squares: int
    sums: Sums
    crossed: Sums
    products: Sums

    @classmethod
    def of(cls, values: ValuesByUser) -> Self:
        """Return the sums of some users."""
        weights = values.weights
        rows = range(values.sums.shape[1])
        sums = tuple(tuple(exact_sum(own) for own in by_system) for by_system in values.sums)
        weight = exact_sum(weights)
        are_ones = bool((weights == 1).all())
        return cls(
            values.n_users,
            weight,
            weight if are_ones else exact_products(weights, weights),
            sums,
            sums
            if are_ones
            else tuple(
                tuple(exact_products(own, weights) for own in by_system)
                for by_system in values.sums
            ),
            tuple(
                tuple(exact_products(own[one], own[other]) for one in rows for other in rows[one:])
                for own in values.sums
            ),
        )

    def __add__(self, other: SumsOverUsers) -> SumsOverUsers:
        def added(one: Sums, two: Sums) -> Sums:
            return tuple(
                tuple(a + b for a, b in zip(*both, strict=True))
                for both in zip(one, two, strict=True)
            )

        return SumsOverUsers(
            self.n_users + other.n_users,
            self.weight + other.weight,
            self.weight_squares + other.weight_squares,
            added(self.sums, other.sums),
            added(self.crossed, other.crossed),
            added(self.products, other.products),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the sums for JSON, with whole numbers in hexadecimal."""

        def written(rows: Sums) -> list[list[str]]:
            return [[f"{own:x}" for own in row] for row in rows]

        return {
            "n_users": self.n_users,
            "weight": f"{self.weight:x}",
            "weight_squares": f"{self.weight_squares:x}",
            **{name: written(getattr(self, name)) for name in ("sums", "crossed", "products")},
        }

    @classmethod
    def of_dict(cls, saved: Mapping[str, Any]) -> Self:
        """Return the sums that :meth:`as_dict` returned."""
        tables = {
            name: tuple(tuple(int(own, 16) for own in row) for row in saved[name])
            for name in ("sums", "crossed", "products")
        }
        weight, weight_squares = (int(saved[name], 16) for name in ("weight", "weight_squares"))
        return cls(int(saved["n_users"]), weight, weight_squares, *tables.values())


class SummedValues(ValuesByUser):
    """Values of systems of which only the sums over users are in memory.

    What needs the values of each user is refused with a sentence on where they are.

    Examples
    --------
    >>> own = ValuesByUser(np.array([[[1.0, 1.5]]]), np.array([1.0, 3.0]), np.array([0, 7]))
    >>> summed = SummedValues(SumsOverUsers.of(own))
    >>> summed.means.tolist() == own.means.tolist()
    True
    >>> np.allclose(summed.half_intervals, own.half_intervals, rtol=1e-13)
    True
    """

    def __init__(self, summed: SumsOverUsers, folder: str = "the folder of the result") -> None:
        object.__setattr__(self, "summed", summed)
        object.__setattr__(self, "folder", folder)

    summed: SumsOverUsers
    folder: str

    def _refuse(self) -> NoReturn:
        raise ValueError(
            "This needs the values of each user, of which only sums were kept in memory. Their "
            f"Parquet files are in {self.folder}/users: read those of some users with pandas. "
            "Averages, intervals, margins, power and the t-test (test='t', in a command: "
            "--significance-test t) need only sums."
        )

    @property
    def sums(self) -> NDArray[np.float64]:
        """Refused, as are the other values of users."""
        self._refuse()

    weights = users = sums  # type: ignore[assignment]
    weighted_means: Mapping[int, WeightedMeansOfFolds] = {}

    def __repr__(self) -> str:
        return f"SummedValues({self.n_users:,} users)"

    @property
    def n_users(self) -> int:
        """Number of users who are averaged."""
        return self.summed.n_users

    @property
    def means(self) -> NDArray[np.float64]:
        """The averages, shape (n_metrics, n_systems)."""
        weight = self.summed.weight
        return np.array([[float(Fraction(own, weight)) for own in row] for row in self.summed.sums])

    @property
    def half_intervals(self) -> NDArray[np.float64]:
        """Half the widths of the averages' 95 % intervals, shape (n_metrics, n_systems)."""
        own = self.summed
        systems = range(len(own.sums[0]))
        squares = [
            [
                self._residual_squares(sums[k], crossed[k], products[_place(k, k, len(systems))])
                for k in systems
            ]
            for sums, crossed, products in zip(own.sums, own.crossed, own.products, strict=True)
        ]
        return self._half_widths(np.array(squares), self.n_users)

    def differences(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the differences of averages of all pairs, first minus second, and half-widths."""
        weight = self.summed.weight
        means = self._over_pairs(lambda total, *_: float(Fraction(total, weight)))
        return means, self._half_widths(self._over_pairs(self._residual_squares), self.n_users)

    @property
    def standardised_differences(self) -> NDArray[np.float64]:
        """Cohen's d_z of all pairs, shape (n_metrics, n_pairs)."""
        n = self.n_users

        def d_z(total: int, _: int, squares: int) -> float:
            # The scale of the contributions cancels out.
            variance = (squares - Fraction(total * total, n * UNITS)) / (n - 1) / UNITS
            mean = float(Fraction(total, n * UNITS))
            if variance == 0:
                return 0.0 if total == 0 else copysign(inf, total)
            return mean / sqrt(float(variance))

        return self._over_pairs(d_z)

    def _over_pairs(self, statistic: Callable[[int, int, int], float]) -> NDArray[np.float64]:
        """Return a statistic of the sums of d, of d w and of d squared, for all differences d."""
        own = self.summed
        n_systems = len(own.sums[0])
        found = []
        for sums, crossed, products in zip(own.sums, own.crossed, own.products, strict=True):

            def product(one: int, other: int, of: tuple[int, ...] = products) -> int:
                return of[_place(one, other, n_systems)]

            found.append(
                [
                    statistic(
                        sums[one] - sums[other],
                        crossed[one] - crossed[other],
                        product(one, one) - 2 * product(one, other) + product(other, other),
                    )
                    for one, other in np.transpose(system_pairs(n_systems)).tolist()
                ]
            )
        return np.array(found)

    def _residual_squares(self, total: int, crossed: int, squares: int) -> float:
        """Return the sum of the squares of s - m w, with the average m of s."""
        mean = Fraction(total, self.summed.weight)
        return float((squares - 2 * mean * crossed + mean**2 * self.summed.weight_squares) / UNITS)

    @property
    def _total_weight(self) -> float:
        return float(Fraction(self.summed.weight, UNITS))


def _place(one: int, other: int, n_systems: int) -> int:
    """Return the place of the product of two systems, the first not after the second."""
    return one * n_systems - one * (one - 1) // 2 + other - one


UNITS = 1 << 1074
"""The number of units in 1: the smallest positive double is one unit."""

_EXPONENTS = 2047

# Products that are held at a time.
_AT_ONCE = 1 << 15
_LOW_BITS = 26
_LOW = (1 << _LOW_BITS) - 1
_SPLITTER = 134_217_729.0  # 2 ** 27 + 1 divides a double into two halves (Veltkamp).


def exact_sum(values: NDArray[np.float64]) -> int:
    """Return the sum of finite doubles, in units.

    Examples
    --------
    >>> exact_sum(np.array([1e16, 1.0, -1e16])) == UNITS
    True
    """
    parts = np.zeros((_EXPONENTS, 2), dtype=np.int64)
    _add(np.ascontiguousarray(values, dtype=np.float64).view(np.int64), parts)
    return _whole(parts)


def exact_products(one: NDArray[np.float64], other: NDArray[np.float64]) -> int:
    """Return the sum of the products of finite doubles, in units.

    Each product is the sum of two doubles, its rounded value and the rounding error (Dekker 1971,
    "A floating-point technique for extending the available precision", Numerische Mathematik 18).
    Parts of products below the smallest double are lost.

    Examples
    --------
    The product is 1 + 2 ** -29 + 2 ** -60, and its last part does not fit into a double:

    >>> x = np.array([1 + 2.0**-30, 1.0])
    >>> exact_products(x, np.array([1 + 2.0**-30, -1 - 2.0**-29])) == UNITS >> 60
    True
    """
    parts = np.zeros((_EXPONENTS, 2), dtype=np.int64)
    for start in range(0, len(one), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        both = _products(one[part], other[part])
        _add(both.view(np.int64), parts)
    return _whole(parts)


@njit(cache=True)
def _add(bits: NDArray[np.int64], parts: NDArray[np.int64]) -> None:
    """Add doubles, given by their bits, to the two halves of the sum of each exponent.

    The halves hold the sums of 2 ** 36 doubles.
    """
    for own in bits:
        exponent = (own >> 52) & 0x7FF
        digits = own & 0xFFFFFFFFFFFFF
        if exponent == _EXPONENTS:
            raise ValueError("A value is not finite. Only finite values can be added.")
        if exponent > 0:
            digits |= 1 << 52
        else:
            exponent = 1
        low, high = digits & _LOW, digits >> _LOW_BITS
        if own < 0:
            low, high = -low, -high
        parts[exponent, 0] += low
        parts[exponent, 1] += high


@njit(cache=True)
def _products(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rounded products and their rounding errors, one after the other."""
    found = np.empty(2 * len(one))
    for place in range(len(one)):
        a, b = one[place], other[place]
        product = a * b
        part = _SPLITTER * a
        a_high = part - (part - a)
        a_low = a - a_high
        part = _SPLITTER * b
        b_high = part - (part - b)
        b_low = b - b_high
        found[2 * place] = product
        rest = a_high * b_high - product
        found[2 * place + 1] = ((rest + a_high * b_low) + a_low * b_high) + a_low * b_low
    return found


def _whole(parts: NDArray[np.int64]) -> int:
    total = 0
    flat = parts.ravel()
    for place in np.flatnonzero(flat).tolist():
        exponent, is_high = divmod(place, 2)
        total += int(flat[place]) << (exponent - 1 + is_high * _LOW_BITS)
    return total
