"""Table 1: the assumptions of the Cranfield paradigm, and what becomes of them."""

from __future__ import annotations

import pandas as pd

from receval.figures.tables import Table
from receval.studies.inputs import ArtifactInputs
from receval.studies.look import Look
from receval.studies.text_tables import printed_text


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the assumptions side by side."""
    return pd.DataFrame(
        [
            (
                "Topical similarity can approximate the user's information need.",
                "The user's information need may be estimated in several different ways.",
            ),
            (
                "Relevance is independent of the users.",
                "Relevance depends on the users.",
            ),
            (
                "Relevance judgments are almost complete (pooling depth).",
                "Relevance judgments are far from complete.",
            ),
        ],
        columns=["Information retrieval", "Recommender systems"],
    )


def tabulate(numbers: pd.DataFrame, look: Look) -> Table:
    """Print the two columns."""
    return printed_text(look, numbers, (0.45, 0.45))
