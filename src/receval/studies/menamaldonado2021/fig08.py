"""Figure 8: toy examples of consistent and of distorted precision and anti-precision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.figure import Figure

from receval.figures.display import DisplayStyle
from receval.studies._shared.inputs import ArtifactInputs
from receval.studies.menamaldonado2021._shared.toy_examples import example_numbers
from receval.studies.menamaldonado2021._shared.toy_panels import draw_examples

EXAMPLES = {
    "#1a": {"a": "+++--", "b": "+-100"},
    "#1b": {"a": "+++--", "b": "+-111"},
}
"""Marks (:data:`.MARKS`) of users u1 to u5; u6 to u10 have the same.

The ratings are those of example #1 of figure 4. The paper prints the relevance of the unrated pairs
as a picture alone. It says which item more users like, and that p(rel|train,b) differs from
p(rel|b): with equal halves #1b is the only matrix that fits, and in #1a one or none of the three
users of each half who did not rate b likes it. One leaves p(rel|b) nearer to p(rel|train,b).
"""

COMPARED = ("p(rel|i)", "p(not rel|i)", "p(rel|train,i)")
KINDS = ("observed", "real")


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the cells of the examples, and everything that section 7.3 says of them.

    Columns: see :func:`.example_numbers`. Observed and real values are
    averaged over the same users, those with a test rating; the real ones know the relevance of all
    pairs outside of train.
    """
    return example_numbers(EXAMPLES, COMPARED, KINDS)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw a panel for each example."""
    return draw_examples(results, COMPARED, KINDS, _verdicts)


def _verdicts(agreements: Mapping[str, float]) -> Sequence[str]:
    lines = []
    for metric, title in (("P", "precision"), ("antiP", "anti-precision")):
        consistent = agreements[f"observed {metric}@1, real {metric}@1"] > 0
        lines.append(f"Observed {title} is {'' if consistent else 'not '}consistent.")
    return lines
