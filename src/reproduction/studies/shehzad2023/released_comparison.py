# SPDX-License-Identifier: MIT
"""Which systems lead if they alone are tuned, by the values that were released."""

from __future__ import annotations

from collections.abc import Collection

import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import fixed
from receval.figures.tables import Column, Table, printed
from receval.storage.files import real_values
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.shehzad2023.tuning_trials import METRIC

NEURAL = {
    "multi-dae": "MultiDAE",
    "multi-vae": "MultiVAE",
    "gmf": "GMF",
    "neumf": "NeuMF",
    "conv-neumf": "ConvNeuMF",
    "convmf": "ConvMF",
    "ngcf": "NGCF",
}

TITLES = {"ease": "EASE", **NEURAL}

DATASETS = {
    "ml-1m": "MovieLens 1M",
    "amazon-digital-music": "Amazon Digital Music",
    "epinions": "Epinions",
}


def compared_values(values: pd.DataFrame, systems: Collection[str] = tuple(TITLES)) -> pd.DataFrame:
    """Compare the tuned value of each system with those of all others that are not tuned.

    The values have one row per system of one dataset, with the columns ``tuned``, ``untuned`` and
    ``worst trial``; popularity stands in the row ``pop``.
    """
    pop = values.loc["pop", "tuned"]
    rows = []
    for system in systems:
        tuned = values.loc[system, "tuned"]
        others = values.drop(index=[system, "pop"])
        neural = others.drop(index="ease", errors="ignore")
        rows.append(
            {
                "system": system,
                "tuned": tuned,
                "untuned": values.loc[system, "untuned"],
                "worst_trial": values.loc[system, "worst trial"],
                "best_neural_untuned": neural["untuned"].max(),
                "best_untuned": others["untuned"].max(),
                "best_worst_trial": neural["worst trial"].max(),
                "pop": pop,
                "leads_neural": int(tuned > neural["untuned"].max()),
                "leads_all": int(tuned > max(others["untuned"].max(), pop)),
                "leads_worst_trials": int(tuned > neural["worst trial"].max()),
            }
        )
    return pd.DataFrame(rows)


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Compare the released values of nDCG@10.

    Columns: dataset; system; tuned, untuned, worst_trial (released nDCG@10; of the trials of a
    search, the worst on the test, empty where they were not released); best_neural_untuned,
    best_untuned (of all others), best_worst_trial (the best worst trial of another neural system);
    pop; leads_neural, leads_all (with EASE and popularity among the others) and leads_worst_trials
    (1 if the tuned value is above all of these, otherwise 0).
    """
    released = pd.read_csv(inputs.published_table(), comment="#", encoding="utf-8")
    tables = []
    for dataset in DATASETS:
        own = released[(released["dataset"] == dataset) & (released["metric"] == METRIC)]
        values = own.pivot_table("published", "system", "parameters")
        tables.append(compared_values(values).assign(dataset=dataset))
    table = pd.concat(tables, ignore_index=True)
    return table[["dataset", *table.columns.drop("dataset")]]


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per dataset and system."""
    heads = ("Tuned", "Untuned", "Worst trial")
    words = ("Leads untuned neural", "Leads also EASE, Pop", "Leads worst trials")
    numbers = real_values(results[["tuned", "untuned", "worst_trial"]])
    rows = [
        (
            DATASETS[str(row.dataset)],
            TITLES[str(row.system)],
            *(fixed(value, 4) for value in values),
            *("yes" if leads else "no" for leads in answers),
        )
        for row, values, answers in zip(
            results.itertuples(),
            numbers.tolist(),
            results[["leads_neural", "leads_all", "leads_worst_trials"]].to_numpy().tolist(),
            strict=True,
        )
    ]
    return printed(display, ("Data", "System"), (*heads, *map(Column, words)), rows)
