"""Table 1: dataset statistics."""

from __future__ import annotations

import pandas as pd

from receval.datasets.statistics import dataset_statistics
from receval.figures.display import DisplayStyle
from receval.figures.tables import Column, Table, printed
from receval.studies._shared.inputs import ArtifactInputs


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return users, items, ratings and density of every dataset."""
    return dataset_statistics(inputs.all_ratings())[
        ["dataset", "users", "items", "ratings", "density_percent"]
    ]


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print the statistics."""
    columns = [
        Column("Dataset"),
        *(Column(name, "right") for name in ("Users", "Items", "Ratings", "Density")),
    ]
    rows = [
        (
            display.datasets[row["dataset"]],
            f"{row['users']:,}",
            f"{row['items']:,}",
            f"{row['ratings']:,}",
            f"{row['density_percent']:.3f} %",
        )
        for row in results.to_dict("records")
    ]
    return printed(display, columns, rows)
