# SPDX-License-Identifier: MIT
"""What messages say of curves of kNN and MF: who is ahead where, and how numbers read."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.figures.printed_numbers import fixed
from receval.figures.style import short_number
from receval.storage.files import real_values
from receval.studies._shared.message import DATASETS

KNN, MF, TEXT = "kNN", "MF", "MF (text)"
"""How sentences name the systems: MF (text) has the values of the paper's text."""

SYSTEMS = {"ranksys-mf": MF, "ranksys-mf-text": TEXT}
"""MF and MF (text) in the CSV; all others are kNN."""

Curve = tuple[NDArray[np.float64], NDArray[np.float64]]


def curves_of(rows: pd.DataFrame, across: str) -> dict[str, Curve]:
    """Return x and y of the curve of each system of one panel, x in its order."""
    if "evaluated_users" in rows and "tested" in set(rows["evaluated_users"]):
        rows = rows[rows["evaluated_users"] == "tested"]
    found = {}
    for system, own in rows.groupby("system", sort=False):
        x, y = real_values(own.sort_values(across)[[across, "value"]]).T
        found[SYSTEMS.get(str(system), KNN)] = (x, y)
    return found


def curves_by_panel(results: pd.DataFrame, across: str) -> Iterator[tuple[str, dict[str, Curve]]]:
    """Return the name of each dataset, and its curves."""
    for dataset, own in results.groupby("dataset", sort=False):
        yield name_of(dataset), curves_of(own, across)


def lead_of_knn(curves: dict[str, Curve], mf: str = MF) -> NDArray[np.float64]:
    """Return how far kNN is ahead of MF, or of MF (text), at each x."""
    return curves[KNN][1] - curves[mf][1]


def crosses_once(curves: dict[str, Curve]) -> bool:
    """Tell whether kNN is ahead at first, MF at last, and they change places once."""
    signs = np.sign(lead_of_knn(curves))
    return bool(signs[0] > 0 > signs[-1] and (np.diff(signs) != 0).sum() == 1)


def who_is_ahead(dataset: str, curves: dict[str, Curve], what: str) -> str:
    """Say who is ahead on a dataset at both ends, and where MF and MF (text) overtake kNN."""
    x, _ = curves[MF]
    lead = lead_of_knn(curves)
    leaders = [KNN if gap > 0 else MF for gap in (lead[0], lead[-1])]
    first, last = (
        f"by {number(abs(gap))} at {what} {short(at)}"
        for gap, at in ((lead[0], x[0]), (lead[-1], x[-1]))
    )
    also = "" if leaders[0] == leaders[1] else f"{leaders[1]} "
    others = [f"{mf} {_overtakes(x, lead_of_knn(curves, mf))}" for mf in (MF, TEXT) if mf in curves]
    return f"on {dataset} {leaders[0]} is ahead {first} and {also}{last} ({', '.join(others)})"


def _overtakes(x: NDArray[np.float64], lead: NDArray[np.float64]) -> str:
    """Say where MF takes the place of kNN for good."""
    behind = np.flatnonzero(lead >= 0)
    if not len(behind):
        return "is ahead throughout"
    if len(behind) == len(x):
        return "never overtakes"
    if behind[-1] == len(x) - 1:
        return "is ahead in between alone"
    return f"overtakes between {short(x[behind[-1]])} and {short(x[behind[-1] + 1])}"


def name_of(dataset: object) -> str:
    """Return how sentences name a dataset of the CSV."""
    return DATASETS.get(str(dataset), str(dataset))


def whole_percent(share: float) -> str:
    """Return a share in percent.

    Examples
    --------
    >>> whole_percent(0.518)
    '52 %'
    """
    return f"{100 * share:.0f} %"


def percent_in_tenths(share: float) -> str:
    """Return a share in percent with a decimal.

    Examples
    --------
    >>> percent_in_tenths(0.5183), percent_in_tenths(0.004)
    ('51.8 %', '.4 %')
    """
    return f"{short_number(f'{100 * share:.1f}')} %"


def number(value: float) -> str:
    """Return a value with three decimals, as all in a sentence have them.

    Examples
    --------
    >>> number(0.02), number(1)
    ('.020', '1.000')
    """
    return fixed(value, 3)


def short(value: float) -> str:
    """Return a place on an axis: a ratio or a whole number.

    Examples
    --------
    >>> short(0.1), short(100)
    ('.1', '100')
    """
    return short_number(f"{value:g}")
