# SPDX-License-Identifier: MIT
"""The values that were released: which systems lead, and how they vary with the split."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import fixed
from receval.figures.tables import Column, Table, printed
from receval.seeds import generator
from receval.storage.files import real_values
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.shehzad2023.tuning_trials import (
    METRIC,
    PROTOCOL,
    STUDY,
    chosen_interactions,
)

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


def data_comparison(inputs: ArtifactInputs) -> pd.DataFrame:
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


def tabulate_comparison(results: pd.DataFrame, display: DisplayStyle) -> Table:
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


METRICS = (METRIC, "RR@10", "P@10", "Recall@10")

SYSTEMS = {
    "EASE, tuned": ("ease", "tuned"),
    "EASE, not tuned": ("ease", "untuned"),
    "Popularity": ("pop", "tuned"),
}
"""The systems that the released comparison and ours have in common, by their titles here: their
names in the released values, where popularity stands among the tuned ones."""


def trains(users: NDArray[np.int32], n_users: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Mark 80 % of each user's interactions at random, rounded down as in the released code.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> trains(np.repeat(np.arange(2, dtype=np.int32), [6, 10]), 2, rng).tolist().count(True)
    12
    """
    from receval.splits.random_splits import random_ranks_within_groups

    sizes = np.bincount(users, minlength=n_users)
    ranks = random_ranks_within_groups(users, n_users, rng)
    return np.asarray(ranks < (sizes * 4 // 5)[users])


def data_values(inputs: ArtifactInputs) -> pd.DataFrame:
    """Measure the systems that were released with their parameters, on all random splits.

    Parameters of the artifact: ``draws``, the number of splits; ``tuned`` and ``untuned``, the
    released regularisation of EASE; and by the name of the dataset ``lowest``, ``core`` and
    ``users`` of :func:`.tuning_trials.chosen_interactions`.

    Columns: dataset; system; parameters (as in the table of published values); metric; draws;
    published (the released value, NaN for twins); mean, deviation, least and most (over the
    splits); above (in how many splits our value is above the released one, if there is one).
    """
    from receval.evaluation.systems import evaluate_systems
    from receval.recommenders.ease import EASE
    from receval.recommenders.non_personalised import Popularity
    from receval.splits.split import TEST, TRAIN, Split
    from receval.splits.split_ratings import SplitRatings

    names = ["dataset", "system", "parameters", "metric"]
    published: Mapping[Any, float] = {}
    # Nothing was released for the twins of the demo.
    if inputs.published is not None:
        released = pd.read_csv(inputs.published, comment="#", encoding="utf-8")
        published = released.set_index(names)["published"].to_dict()
    rows = []
    for dataset, ratings in inputs.all_ratings():
        rng_for = partial(generator, inputs.seed, STUDY, dataset, "released")
        played = chosen_interactions(ratings, rng_for, *inputs.parameters[dataset])
        values = []
        for number in range(int(inputs.parameters["draws"])):
            is_train = trains(played.users, played.n_users, rng_for(number))
            codes = np.where(is_train, TRAIN, TEST).astype(np.uint8)
            split = SplitRatings(played, Split((codes,)), {"kind": "user-ratio"}, number)
            eases = [EASE(regularisation=inputs.parameters[name]) for name in ("tuned", "untuned")]
            systems = dict(zip(SYSTEMS, [*eases, Popularity()], strict=True))
            result = evaluate_systems(
                split, systems, metrics=METRICS, protocols=PROTOCOL, relevant=1.0
            )
            (own,) = result.values.values()
            values.append(own.means)
        by_draw = np.array(values)
        for place, (system, parameters) in enumerate(SYSTEMS.values()):
            for number, metric in enumerate(METRICS):
                column, there = by_draw[:, number, place], (dataset, system, parameters, metric)
                value = published.get(there, np.nan)
                rows.append(
                    {
                        **dict(zip(names, there, strict=True)),
                        "draws": len(column),
                        "published": value,
                        "mean": float(column.mean()),
                        "deviation": float(column.std(ddof=1)),
                        "least": float(column.min()),
                        "most": float(column.max()),
                        "above": np.nan if np.isnan(value) else int((column > value).sum()),
                    }
                )
    return pd.DataFrame(rows)


def tabulate_values(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per system and metric."""
    titles = {names: title for title, names in SYSTEMS.items()}
    headers = ["Released", "Mean", "SD", "Lowest", "Highest", "Splits above"]
    numbers = results[["published", "mean", "deviation", "least", "most"]]
    rows = [
        (
            display.datasets[str(row.dataset)],
            titles[str(row.system), str(row.parameters)],
            str(row.metric),
            *(fixed(value, 4) for value in own),
            "–" if np.isnan(own[0]) else f"{row.above} of {row.draws}",
        )
        for row, own in zip(results.itertuples(), real_values(numbers).tolist(), strict=True)
    ]
    return printed(display, ("Data", "System", "Metric"), headers, rows)
