"""Table 1: the recommendation task in the Cranfield paradigm."""

from __future__ import annotations

import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.tables import Table, printed_text
from receval.studies._shared.inputs import ArtifactInputs


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the elements of the task in retrieval and in recommendation."""
    return pd.DataFrame(
        [
            (
                "Information need expression",
                "Topic (query and description)",
                "User profile",
            ),
            (
                "Candidate answers",
                "All documents in the collection; the same for all queries",
                "Target item set; one or more per user, commonly different among users",
            ),
            (
                "Document data available as system input",
                "Document content",
                "Training ratings, item features",
            ),
            (
                "Relevance",
                "Commonly topical, objective",
                "Inherently personalised, fully subjective",
            ),
            ("Ground truth", "Relevance judgments", "Test ratings"),
            ("Relevance assessment", "Editorial assessors", "End users"),
            (
                "Relevance knowledge coverage (sparsity bias)",
                "Reasonably complete (pooling)",
                "Highly incomplete (inherently to the task)",
            ),
            (
                "Relevance distribution of answers (popularity bias)",
                "Not long-tailed",
                "Long-tailed",
            ),
        ],
        columns=["Task element", "TREC ad-hoc retrieval task", "Recommendation task"],
    )


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print the three columns."""
    return printed_text(display, results, (0.3, 0.3, 0.3))
