"""The two systems that most claims of canamares2020 compare, kNN and MF, along an axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.claims.findings import Finding, Quantity
from receval.storage.files import real_values

Roles = Mapping[str, str]
"""Which systems stand for kNN and MF; other systems are not compared."""

DEFAULT, TEXT = "default", "text"
_KNN = {"knn-user": "kNN", "knn-user-1000": "kNN"}
ROLES: Mapping[str, Roles] = {
    DEFAULT: {**_KNN, "ranksys-mf": "MF"},
    TEXT: {**_KNN, "ranksys-mf-text": "MF"},
}
"""The systems that are compared; k is 100 on MovieLens and 1,000 on Netflix.

MF has the values of RankSys' example file (default) or those of the paper's text."""


def with_text_where_it_differs(
    findings: Sequence[Finding], with_text: Sequence[Finding]
) -> list[Finding]:
    """Return findings, each followed by that with MF (text) where it has another outcome.

    Parameters
    ----------
    findings, with_text : sequence of Finding
        Of the same claims in the same order, by the default MF and by MF (text).
    """
    shown = []
    for own, other in zip(findings, with_text, strict=True):
        shown.append(own)
        if other.outcome != own.outcome:
            shown.append(replace(other, mf=TEXT))
    return shown


@dataclass(frozen=True)
class PairedComparison:
    """KNN and MF along an axis, such as the train ratio.

    Attributes
    ----------
    x : ndarray of float64, shape (n,)
        Increasing.
    knn, mf : ndarray of float64, shape (n,)
        Their values.
    p_values : ndarray of float64, shape (n,)
        Of their difference.
    """

    x: NDArray[np.float64]
    knn: NDArray[np.float64]
    mf: NDArray[np.float64]
    p_values: NDArray[np.float64]

    @classmethod
    def of(cls, results: pd.DataFrame, across: str, roles: Roles) -> PairedComparison | None:
        """Return the comparison on rows of one dataset and metric; None where there are no rows.

        Parameters
        ----------
        results : DataFrame
            With the columns system, value and ``across``; p_value, if it is there, is that of MF.
        across : str
            Column of the axis.
        roles : mapping of str to str
            Which systems are kNN and MF: one of ``ROLES``.
        """
        roles_of_rows = results["system"].map(roles)
        sides = []
        for role in ("kNN", "MF"):
            rows = results[roles_of_rows == role]
            names = [across, "value", *(["p_value"] if "p_value" in rows else [])]
            values = real_values(rows[names]).reshape(-1, len(names))
            sides.append(values[np.argsort(values[:, 0])])
        knn, mf = sides
        if not len(knn):
            return None
        if knn[:, 0].tolist() != mf[:, 0].tolist():
            raise ValueError(
                f"kNN and MF have other values of {across}, so they cannot be compared."
            )
        p_values = mf[:, 2] if mf.shape[1] > 2 else np.full(len(mf), np.nan)
        return cls(knn[:, 0], knn[:, 1], mf[:, 1], p_values)

    @property
    def difference(self) -> NDArray[np.float64]:
        """The value of kNN less that of MF."""
        return self.knn - self.mf

    @property
    def changes(self) -> int:
        """How often the other system gets ahead along the axis."""
        signs = np.sign(self.difference)
        signs = signs[signs != 0]
        return int(np.count_nonzero(np.diff(signs)))

    def ahead(self, at: Sequence[float] = ()) -> list[Quantity]:
        """Return the differences, everywhere or at some points, as quantities."""
        shown = np.isin(self.x, at) if len(at) else np.ones(len(self.x), dtype=bool)
        triples = zip(self.x[shown], self.difference[shown], self.p_values[shown], strict=True)
        return [Quantity("kNN - MF", float(d), float(p), f"at {x:g}") for x, d, p in triples]

    def values(self, at: Sequence[float] = ()) -> list[Quantity]:
        """Return the values of both systems, everywhere or at some points, as quantities."""
        shown = np.isin(self.x, at) if len(at) else np.ones(len(self.x), dtype=bool)
        return [
            Quantity(name, float(value), position=f"at {x:g}")
            for name, series in (("kNN", self.knn), ("MF", self.mf))
            for x, value in zip(self.x[shown], series[shown], strict=True)
        ]


def rises(series: NDArray[np.float64]) -> bool:
    """Whether a series rises at every step."""
    return bool((np.diff(series) > 0).all())
