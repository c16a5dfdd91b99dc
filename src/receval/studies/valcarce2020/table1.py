"""Table 1: the assumptions of the Cranfield paradigm, and what becomes of them."""

from __future__ import annotations

import pandas as pd

from receval.figures.tables import Table
from receval.studies.inputs import ArtifactInputs
from receval.studies.look import Look
from receval.studies.text_tables import printed_text


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the assumptions side by side (sections 2.1 and 3.1 of the paper)."""
    return pd.DataFrame(
        [
            (
                "Topical similarity approximates the information need.",
                "The user's context and past ratings stand for the information need.",
            ),
            (
                "Relevance is independent of the users: one set of judgments is valid for all.",
                "Relevance depends highly on the user: no one can judge for another.",
            ),
            (
                "Judgments are complete, or pooled so that the missing ones can be ignored.",
                "Judgments are held-out ratings: noisy, biased and far from complete.",
            ),
        ],
        columns=["Cranfield paradigm", "Recommender systems"],
    )


def tabulate(numbers: pd.DataFrame, look: Look) -> Table:
    """Print the two columns."""
    return printed_text(look, numbers, (0.45, 0.45))
