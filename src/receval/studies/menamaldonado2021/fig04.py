"""Figure 4: toy examples of agreement and disagreement of observed precision and anti-precision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.figure import Figure

from receval.figures.display import DisplayStyle
from receval.studies._shared.inputs import ArtifactInputs
from receval.studies.menamaldonado2021._shared.toy_examples import example_numbers
from receval.studies.menamaldonado2021._shared.toy_panels import draw_examples

EXAMPLES = {
    "#1": {"a": "+++--", "b": "+-..."},
    "#2": {"a": "+----", "b": "--..."},
    "#3": {"a": "++++-", "b": "+---."},
}
"""Marks (:data:`.MARKS`) of users u1 to u5; u6 to u10 have the same.

The paper prints the matrices as a picture alone. #1 and #2 are the only ones of this size with the
fractions of its section 6.1, but for the order of the users. Of #3 it says that popularity is much
less steep than the average rating and its complement: 5 against 4 of ten users are the flattest
odds that are not equal.
"""

COMPARED = ("p(rel|train,i)", "p(not rel|train,i)")
KINDS = ("observed",)


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the cells of the examples, and everything that section 6.1 says of them.

    Columns: see :func:`.example_numbers`. P@1 and antiP@1 are averaged
    over the users with a test rating.
    """
    return example_numbers(EXAMPLES, COMPARED, KINDS)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw a panel for each example."""
    return draw_examples(results, COMPARED, KINDS, _verdicts)


def _verdicts(agreements: Mapping[str, float]) -> Sequence[str]:
    agree = agreements["observed P@1, observed antiP@1"] > 0
    return [f"The two metrics {'agree' if agree else 'disagree'}."]
