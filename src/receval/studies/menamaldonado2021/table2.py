"""Table 2: details of the datasets."""

from __future__ import annotations

import pandas as pd

from receval.datasets.statistics import dataset_statistics
from receval.figures.display import DisplayStyle
from receval.figures.tables import Column, Table, printed
from receval.studies._shared.inputs import ArtifactInputs


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return users, items and ratings of every dataset, and the biased and unbiased parts."""
    columns = ["dataset", "users", "items", "ratings", "known_ratings", "unknown_ratings"]
    return dataset_statistics(inputs.all_ratings())[columns]


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print the statistics as the paper does."""
    columns = [
        Column("Dataset"),
        *(Column(name, "right") for name in ("Users", "Items", "Ratings")),
        Column("Chosen by the user (biased)", "right"),
        Column("Drawn for the user (unbiased)", "right"),
    ]
    rows = [
        (
            display.datasets[row["dataset"]],
            f"{row['users']:,}",
            f"{row['items']:,}",
            f"{row['ratings']:,}",
            f"{row['known_ratings'] or row['ratings']:,}",
            f"{row['unknown_ratings']:,}" if row["unknown_ratings"] else "none",
        )
        for row in results.to_dict("records")
    ]
    return printed(display, columns, rows)
