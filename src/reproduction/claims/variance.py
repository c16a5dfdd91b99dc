# SPDX-License-Identifier: MIT
"""Components of variance: how much a number varies with each source of chance."""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

SOURCES = ("split", "system", "candidates")

COLUMNS = ("artifact", "cells", "label", "claims", "mean", "standard_deviation", *SOURCES, "rest")
"""Columns of the table of variance; docs/replications.md describes them."""


@dataclass(frozen=True)
class VarianceComponents:
    """Components of the variance of a number in a crossed design.

    They are due to the seed of each source alone, to the interaction of two seeds, and (``rest``)
    to that of all three.
    """

    split: float
    system: float
    candidates: float
    split_system: float
    split_candidates: float
    system_candidates: float
    rest: float

    @property
    def total(self) -> float:
        """The variance of a number when all three seeds are drawn anew."""
        return float(sum(astuple(self)))

    def shares(self) -> dict[str, float]:
        """Return the shares of the sources in the variance.

        A seed of systems or candidates is drawn for one split, so its interaction with the split
        counts as its own. The interaction of systems and candidates is the rest.
        """
        parts = {
            "split": self.split,
            "system": self.system + self.split_system,
            "candidates": self.candidates + self.split_candidates,
            "rest": self.system_candidates + self.rest,
        }
        total = self.total
        return {name: part / total if total > 0 else float("nan") for name, part in parts.items()}


def variance_components(values: ArrayLike) -> VarianceComponents:
    r"""Return the components of variance of a crossed design with three random factors.

    The model is a sum of independent effects, one per level of each factor, of each pair of
    factors, and of all three. The components follow from the expected mean squares, for instance

    .. math:: \mathrm{E}(MS_a) = \sigma^2 + n_c \sigma^2_{ab} + n_b \sigma^2_{ac}
        + n_b n_c \sigma^2_a

    Estimates below 0 are set to 0. It is the method of analysis of variance on balanced data:
    Searle, S. R., Casella, G. and McCulloch, C. E. (1992). Variance Components, chapter 4.

    Examples
    --------
    A number that depends on the first seed alone:

    >>> import numpy as np
    >>> numbers = np.array([1.0, 3.0])[:, None, None] + np.zeros((2, 2, 2))
    >>> variance_components(numbers).split, variance_components(numbers).rest
    (2.0, 0.0)
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 3 or min(table.shape) < 2:
        raise ValueError(
            f"The numbers have the shape {table.shape}. Give at least two levels of each of the "
            "three sources of chance."
        )
    a, b, c = table.shape
    squares = _mean_squares(table)
    rest = squares[0, 1, 2]
    pairs = {(0, 1): c, (0, 2): b, (1, 2): a}
    alone = []
    for source, times in enumerate((b * c, a * c, a * b)):
        one, other = (pair for pair in pairs if source in pair)
        alone.append((squares[source,] - squares[one] - squares[other] + rest) / times)
    together = [(squares[pair] - rest) / times for pair, times in pairs.items()]
    names = [field.name for field in fields(VarianceComponents)]
    found = [max(0.0, float(part)) for part in (*alone, *together, rest)]
    return VarianceComponents(**dict(zip(names, found, strict=True)))


def _mean_squares(table: NDArray[np.float64]) -> dict[tuple[int, ...], np.float64]:
    """Return the mean square of each set of factors, by the axes of the table."""
    sets: list[tuple[int, ...]] = [(), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    effects: dict[tuple[int, ...], NDArray[np.float64]] = {}
    squares = {}
    for axes in sets:
        others = tuple(axis for axis in range(3) if axis not in axes)
        effect = table.mean(axis=others, keepdims=True)
        for smaller in effects:
            if set(smaller) < set(axes):
                effect = effect - effects[smaller]
        effects[axes] = effect
        repeated = table.size / effect.size
        freedom = np.prod([table.shape[axis] - 1 for axis in axes]) if axes else 1
        squares[axes] = repeated * (effect**2).sum() / freedom
    return squares


def variance_table(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return the shares of the sources in the variance of each deciding number.

    They are in the order in which numbers first occur. ``numbers`` has the columns of
    :data:`reproduction.claims.repetition.NUMBERS`, and ``split``, ``system`` and ``candidates``:
    the levels of their run. The shares are NaN for a number that never varies.
    """
    keys = ["artifact", "cells", "label"]
    rows = []
    for names, group in numbers.groupby(keys, sort=False):
        claims = sorted(group["claim"].unique())
        levels = list(SOURCES)
        values = group.drop_duplicates(levels).set_index(levels)["value"].sort_index()
        if values.isna().any():
            continue
        shape = [len(level) for level in values.index.remove_unused_levels().levels]
        if len(values) != np.prod(shape):
            raise ValueError(
                f"There are {len(values)} values of {', '.join(names)}, but {shape[0]} splits, "
                f"{shape[1]} seeds of systems and {shape[2]} of candidates. Run all combinations."
            )
        components = variance_components(values.to_numpy().reshape(shape))
        shares = components.shares()
        known = {"mean": values.mean(), "standard_deviation": np.sqrt(components.total)}
        row = dict(zip(keys, names, strict=True)) | {"claims": " ".join(claims)} | known | shares
        rows.append(row)
    return pd.DataFrame(rows, columns=list(COLUMNS))
