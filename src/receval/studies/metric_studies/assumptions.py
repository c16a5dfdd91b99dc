"""Table of assumptions side by side: of the Cranfield paradigm, and what becomes of them."""

from __future__ import annotations

import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.tables import Table, printed_text
from receval.studies._shared.inputs import ArtifactInputs


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return two columns of sentences.

    Parameters of the artifact: ``headings`` (of the two columns), ``left`` and ``right`` (their
    sentences, aligned).

    Raises
    ------
    ValueError
        The columns have different lengths.
    """
    headings, left, right = (inputs.parameters[name] for name in ("headings", "left", "right"))
    return pd.DataFrame(list(zip(left, right, strict=True)), columns=list(headings))


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print the two columns."""
    return printed_text(display, results, (0.45, 0.45))
