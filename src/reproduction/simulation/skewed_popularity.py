# SPDX-License-Identifier: MIT
r"""Ratings without preferences whose item popularity has a given skew.

Popularity follows the shifted power law of Bellogín et al. (2017), section 5.2,

.. math:: |R(i_k)| = c_1 + \beta (c_2 + k)^{-\alpha}

of the popularity rank k of an item, with :math:`\alpha = 0` for equally popular items. The users of
an item and their ratings are random, so popularity is all that a system can learn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from receval.data.ratings import Ratings

# The sum of squares has a single valley in alpha and in c2, but is flat far from it. So a grid
# finds the valley, and a search between two of its points finds the minimum.
_ALPHAS = np.linspace(0, 6, 25)
_SHIFTS_PER_SEARCH = 25
_SMALLEST_SHIFT = 1e-2
_LARGEST_SHIFT_PER_ITEM = 1e3

LARGEST_ALPHA = 20.0
"""Beyond it powers of ranks vanish in floating point, and one item has nearly all ratings."""


@dataclass(frozen=True)
class ShiftedPowerLaw:
    r"""Expected ratings of the item of rank k: :math:`c_1 + \beta (c_2 + k)^{-\alpha}`.

    All are at least 0. The curve tends to c1; its head is flatter for larger shifts c2 of the
    ranks.
    """

    alpha: float
    c1: float
    c2: float
    beta: float

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not (np.isfinite(value) and value >= 0):
                raise ValueError(
                    f"{name} of a shifted power law is {value:g}, but it must be a number of at "
                    "least 0."
                )
        if self.alpha > LARGEST_ALPHA:
            raise ValueError(
                f"alpha of a shifted power law is {self.alpha:g}, but it can be at most "
                f"{LARGEST_ALPHA:g}, because the powers of ranks vanish above this value."
            )

    def expected(self, n_items: int) -> NDArray[np.float64]:
        """Return the law's values at ranks 1 to n_items, shape (n_items,), in descending order."""
        head = float(self.beta * (self.c2 + 1) ** -self.alpha)
        values: NDArray[np.float64] = self.c1 + head * _shape(self.alpha, self.c2, n_items)
        return values

    @classmethod
    def fit(cls, counts: NDArray[np.integer]) -> Self:
        r"""Fit all four parameters to the ratings of items by least squares.

        Minimises :math:`\sum_k (|R(i_k)| - c_1 - \beta (c_2 + k)^{-\alpha})^2` under
        :math:`c_1, c_2, \beta \ge 0` and :math:`0 \le \alpha \le 6`: :math:`c_1` and
        :math:`\beta` follow from the other two in closed form. All but :math:`\beta` are rounded
        to four significant digits.
        """
        falling = np.sort(np.asarray(counts, dtype=np.float64))[::-1]
        if len(falling) < 4 or falling[-1] < 0 or falling[0] == falling[-1]:
            raise ValueError(
                "A shifted power law has four parameters: fit it to at least four items whose "
                f"numbers of ratings are not negative and not all equal, not to {len(falling)} "
                + (f"from {falling[-1]:g} to {falling[0]:g}." if len(falling) else "of them.")
            )
        largest = np.log(_LARGEST_SHIFT_PER_ITEM * len(falling))
        shifts = np.linspace(np.log(_SMALLEST_SHIFT), largest, _SHIFTS_PER_SEARCH)

        def best_shift(alpha: float) -> tuple[float, float]:
            return _lowest(shifts, lambda shift: _least_squares(falling, alpha, np.exp(shift))[0])

        alpha, _ = _lowest(_ALPHAS, lambda alpha: best_shift(alpha)[1])
        # The last digits of a search differ between processors, and one more rating of an item
        # would change all data.
        c2 = _rounded(np.exp(best_shift(alpha)[0]))
        alpha = _rounded(alpha)
        c1 = _rounded(_least_squares(falling, alpha, c2)[1])
        shape = _shape(alpha, c2, len(falling))
        head = max(float(shape @ (falling - c1)), 0.0) / float(shape @ shape)
        return cls(alpha, c1, c2, head * (c2 + 1) ** alpha)

    def with_skewness(self, alpha: float, n_items: int, n_ratings: int) -> Self:
        r"""Return the law with another alpha, the same c1 and c2, and the beta that gives a total.

        .. math:: \beta = \frac{|R| - n c_1}{\sum_{k=1}^{n} (c_2 + k)^{-\alpha}}
        """
        if self.c1 * n_items > n_ratings:
            raise ValueError(
                f"{n_items} items with at least c1 = {self.c1:g} ratings each have more than "
                f"{n_ratings} ratings in total. Fit the law to data of the same density."
            )
        head = (n_ratings - n_items * self.c1) / float(_shape(alpha, self.c2, n_items).sum())
        return type(self)(alpha, self.c1, self.c2, head * (self.c2 + 1) ** alpha)

    def counts(self, n_items: int, n_users: int, n_ratings: int) -> NDArray[np.int64]:
        r"""Return integer numbers of ratings of items that follow the law and sum to a total.

        An item has at most one rating per user. If the law requires more, the item gets all users,
        and the law of the others gets a larger :math:`\beta` to keep the total. Numbers are rounded
        by largest remainders; ties go to the more popular item.
        """
        if n_ratings > n_items * n_users:
            raise ValueError(
                f"{n_users} users can give {n_items} items at most {n_items * n_users} ratings, "
                f"but {n_ratings} are requested. Simulate fewer ratings or more users."
            )
        # Raises an error if the total is too small for c1.
        self.with_skewness(self.alpha, n_items, n_ratings)
        shape = _shape(self.alpha, self.c2, n_items)
        # By the number m of items that all users rate: what beta adds at rank 1 so that the others
        # have the remaining ratings. The smallest m with a possible number for the next item is
        # right.
        m = np.arange(n_items)
        left = n_ratings - m * float(n_users) - (n_items - m) * self.c1
        heads = left / np.cumsum(shape[::-1])[::-1]
        possible = self.c1 + heads * shape <= n_users
        full = int(np.argmax(possible)) if possible.any() else n_items
        values = np.full(n_items, float(n_users))
        if full < n_items:
            values[full:] = self.c1 + heads[full] * shape[full:]
        counts = np.minimum(np.floor(values), n_users).astype(np.int64)
        missing = n_ratings - int(counts.sum())
        counts[np.argsort(counts - values, kind="stable")[:missing]] += 1
        return counts


def _shape(alpha: float, c2: float, n_items: int) -> NDArray[np.float64]:
    """Return the powers of the shifted ranks relative to rank 1, so that they do not vanish."""
    ranks = np.arange(1, n_items + 1, dtype=np.float64)
    shape: NDArray[np.float64] = ((c2 + ranks) / (c2 + 1)) ** -alpha
    return shape


def _lowest(grid: NDArray[np.float64], height: Callable[[float], float]) -> tuple[float, float]:
    """Return the minimiser and the minimum of a function with one valley within a grid."""
    index = int(np.argmin([height(point) for point in grid.tolist()]))
    bounds = (grid[max(index - 1, 0)], grid[min(index + 1, len(grid) - 1)])
    found = minimize_scalar(height, bounds=bounds, method="bounded", options={"xatol": 1e-7})
    return float(found.x), float(found.fun)


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")


def _least_squares(
    falling: NDArray[np.float64], alpha: float, c2: float
) -> tuple[float, float, float]:
    """Return the least sum of squares for a shape, with its c1 and what beta adds at rank 1."""
    shape = _shape(alpha, c2, len(falling))
    centred = shape - shape.mean()
    spread = float(centred @ centred)
    head = float(centred @ falling) / spread if spread > 0 else 0.0
    c1 = float(falling.mean() - head * shape.mean())
    if c1 < 0:
        c1, head = 0.0, float(shape @ falling) / float(shape @ shape)
    residuals = falling - c1 - head * shape
    return float(residuals @ residuals), c1, head


def simulate_ratings(
    source: Ratings, counts: NDArray[np.integer], rng: np.random.Generator
) -> Ratings:
    """Return simulated ratings as many as given ones, with given numbers of ratings per item.

    The users of every item are drawn uniformly without replacement, independently of all other
    items. So no pair occurs twice, and users differ only by chance. (Bellogín et al. 2017 keep the
    numbers of users, items and ratings, and do not mention the sizes of profiles, which would
    also be a pattern.) Values are drawn with replacement from those of the source, independently of
    user and item.
    """
    if counts.shape != (source.n_items,):
        raise ValueError(
            f"There are {source.n_items} items, but counts has the shape {counts.shape}. Give "
            "one number of ratings per item."
        )
    if counts.size and (counts.min() < 0 or counts.max() > source.n_users):
        raise ValueError(
            f"An item can have 0 to {source.n_users} ratings, at most one per user, but the "
            f"counts range from {counts.min()} to {counts.max()}."
        )
    ends = np.cumsum(counts, dtype=np.int64)
    users = np.empty(int(ends[-1]) if len(ends) else 0, dtype=np.int32)
    for count, end in zip(counts.tolist(), ends.tolist(), strict=True):
        chosen = rng.choice(source.n_users, count, replace=False, shuffle=False)
        users[end - count : end] = np.sort(chosen)
    return Ratings(
        users=users,
        items=np.repeat(np.arange(source.n_items, dtype=np.int32), counts),
        values=source.values[rng.integers(len(source), size=len(users))],
        user_ids=source.user_ids,
        item_ids=source.item_ids,
    )
