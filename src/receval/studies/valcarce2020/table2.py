"""Table 2: dataset statistics with both Gini coefficients."""

from __future__ import annotations

import pandas as pd

from receval.figures.tables import Column, Table
from receval.studies.dataset_statistics import dataset_statistics
from receval.studies.inputs import ArtifactInputs
from receval.studies.look import Look
from receval.studies.text_tables import printed


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return users, items, ratings, density and the Gini coefficients of every dataset."""
    columns = ["dataset", "users", "items", "ratings", "density_percent", "user_gini", "item_gini"]
    return dataset_statistics(inputs)[columns]


def tabulate(numbers: pd.DataFrame, look: Look) -> Table:
    """Print the statistics as the paper does."""
    headings = ("Users", "Items", "Ratings", "Density", "User Gini", "Item Gini")
    columns = [Column("Dataset"), *(Column(name, "right") for name in headings)]
    rows = [
        (
            look.datasets[row["dataset"]],
            *(f"{row[name]:,}" for name in ("users", "items", "ratings")),
            f"{row['density_percent']:.3f} %",
            *(f"{row[name]:.3f}" for name in ("user_gini", "item_gini")),
        )
        for row in numbers.to_dict("records")
    ]
    return printed(look, columns, rows)
