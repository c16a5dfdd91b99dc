# SPDX-License-Identifier: MIT
"""Tables of texts from the configuration: notations, definitions, comparisons."""

from __future__ import annotations

import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.tables import Table, printed_text
from reproduction.studies._shared.inputs import ArtifactInputs


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the texts in columns.

    Parameters of the artifact: ``headings`` (of the columns) and ``cells`` (the texts, row by row).
    """
    headings, cells = (list(inputs.parameters[name]) for name in ("headings", "cells"))
    width = len(headings)
    if len(cells) % width:
        raise ValueError(
            f"The parameter cells has {len(cells)} texts, which do not make whole rows of {width}: "
            f"give one under each of {', '.join(headings)} in every row."
        )
    rows = [cells[start : start + width] for start in range(0, len(cells), width)]
    return pd.DataFrame(rows, columns=headings)


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print the columns.

    Parameters of the artifact: ``width_percents`` (of the columns, in per cent of the text's) and,
    optionally, ``formulas`` (headings of the columns of formulas in LaTeX) and ``printed_headings``
    (if those of the CSV are too long for print).
    """
    formulas = display.parameters.get("formulas", ())
    shown = results.assign(**{name: "$`" + results[name] + "`$" for name in formulas})
    shown.columns = list(display.parameters.get("printed_headings", shown.columns))
    return printed_text(
        display, shown, [percent / 100 for percent in display.parameters["width_percents"]]
    )
