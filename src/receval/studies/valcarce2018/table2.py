"""Table 2: dataset statistics."""

from __future__ import annotations

import pandas as pd

from receval.figures.tables import Column, Table
from receval.studies.dataset_statistics import dataset_statistics
from receval.studies.inputs import ArtifactInputs
from receval.studies.look import Look
from receval.studies.text_tables import printed


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return users, items, ratings, density and the Gini coefficients of every dataset."""
    columns = ["dataset", "users", "items", "ratings", "density_percent", "item_gini", "user_gini"]
    return dataset_statistics(inputs)[columns]


def tabulate(numbers: pd.DataFrame, look: Look) -> Table:
    """Print the statistics as the paper does; the user Gini is in the CSV alone."""
    columns = [
        Column("Dataset"),
        *(Column(name, "right") for name in ("Users", "Items", "Ratings", "Density", "Gini")),
    ]
    rows = [
        (
            look.datasets[row["dataset"]],
            f"{row['users']:,}",
            f"{row['items']:,}",
            f"{row['ratings']:,}",
            f"{row['density_percent']:.3f} %",
            f"{row['item_gini']:.3f}",
        )
        for row in numbers.to_dict("records")
    ]
    return printed(look, columns, rows)
