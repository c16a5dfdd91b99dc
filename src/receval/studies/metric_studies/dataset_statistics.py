"""Table of dataset statistics, with the inequality of ratings over users and items."""

from __future__ import annotations

import pandas as pd

from receval.datasets.statistics import dataset_statistics
from receval.figures.display import DisplayStyle
from receval.figures.tables import Column, Table, printed
from receval.studies._shared.inputs import ArtifactInputs

COUNTS = {"users": "Users", "items": "Items", "ratings": "Ratings"}


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return users, items, ratings, density and the Gini coefficients of every dataset.

    The parameter ``ginis`` of the artifact names the columns of the coefficients in their order.
    """
    columns = ["dataset", *COUNTS, "density_percent", *inputs.parameters["ginis"]]
    return dataset_statistics(inputs.all_ratings())[columns]


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print the statistics as the paper does.

    Parameters of the artifact: ``printed`` names the coefficients that are printed, ``headings``
    their headings; the others are in the CSV alone.
    """
    ginis, headings = display.parameters["printed"], display.parameters["headings"]
    columns = [
        Column("Dataset"),
        *(Column(name, "right") for name in (*COUNTS.values(), "Density", *headings)),
    ]
    rows = [
        (
            display.datasets[row["dataset"]],
            *(f"{row[name]:,}" for name in COUNTS),
            f"{row['density_percent']:.3f} %",
            *(f"{row[name]:.3f}" for name in ginis),
        )
        for row in results.to_dict("records")
    ]
    return printed(display, columns, rows)
