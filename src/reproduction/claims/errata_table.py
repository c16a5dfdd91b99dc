# SPDX-License-Identifier: MIT
"""The numbers of all errata as a table: what the results of a run make of their sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from reproduction.claims.cells import ClaimContext
from reproduction.claims.errata import Erratum
from reproduction.claims.quantities import Quantity, evaluated
from reproduction.claims.sources import ClaimSources, NotMeasuredError

COLUMNS = ("erratum", "paper", "certainty", "number", "value", "missing")
"""Of ``errata.csv``; docs/claims.md says what each holds."""


def errata_table(errata: Mapping[str, Erratum], sources: ClaimSources) -> pd.DataFrame:
    """Return the numbers of the sizes of errata, a row a number.

    So a comparison with accepted results says which number moved and by how much. In the texts of
    the sizes, which round, it would miss some changes and exaggerate others.

    Returns
    -------
    DataFrame
        The columns of :data:`COLUMNS`, in the order of errata and their numbers. An erratum
        without numbers has one row with no number.

    Notes
    -----
    A number that these results do not give has no value, and ``missing`` says why: twins and runs
    without some dataset have other rows than those that errata select. Where the accepted results
    have it, that is drift, and ``receval repo errata`` insists on every number.
    """
    rows = [row for name, erratum in errata.items() for row in _rows(name, erratum, sources)]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _rows(name: str, erratum: Erratum, sources: ClaimSources) -> Iterator[tuple[object, ...]]:
    own = (name, erratum.paper, erratum.certainty)
    if not erratum.size.numbers:
        yield (*own, "", np.nan, "")
    for number, quantity in erratum.size.numbers.items():
        yield (*own, number, *_measured(quantity, erratum.paper, sources))


def _measured(quantity: Quantity, paper: str, sources: ClaimSources) -> tuple[float, str]:
    """Return a number and nothing, or none and what is missing."""
    try:
        value = evaluated(quantity, sources, ClaimContext(paper)).number()
    except (NotMeasuredError, ValueError) as error:
        return float("nan"), str(error)
    return value, "" if np.isfinite(value) else "the cell is empty"
