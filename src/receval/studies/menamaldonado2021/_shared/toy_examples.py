"""Toy examples: everything that is counted in them, and what follows for the metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from receval.studies.menamaldonado2021._shared.toy_matrices import ToyMatrix
from receval.studies.menamaldonado2021._shared.toy_numbers import (
    cell_rows,
    probability_rows,
    ranking_function_rows,
    steepness_rows,
    value_rows,
)


def example_numbers(
    examples: Mapping[str, Mapping[str, str]], compared: Sequence[str], kinds: Sequence[str]
) -> pd.DataFrame:
    """Return all numbers of some toy examples.

    Columns: example; quantity; item (a, b, or a,b for the pair); user; ranking; fraction (as
    counted); number.

    Parameters
    ----------
    examples : mapping of str to mapping of str to str
        By their names the marks (:data:`.MARKS`) of each item, of the
        users who train; the users who test have the same.
    compared : sequence of str
        Probabilities (:data:`.PROBABILITIES`) whose steepness is
        compared with that of the odds of popularity.
    kinds : sequence of {"observed", "real"}
        Which values of the metrics are computed.
    """
    tables = []
    for name, marks in examples.items():
        matrix = ToyMatrix.mirrored(marks)
        rows = [
            *cell_rows(matrix),
            *probability_rows(matrix, dict.fromkeys(["p(train|i)", *compared])),
            *steepness_rows(matrix, compared),
            *ranking_function_rows(matrix, kinds),
            *value_rows(matrix, kinds),
        ]
        table = pd.DataFrame(rows)
        table.insert(0, "example", name)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)
