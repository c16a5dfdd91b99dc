# SPDX-License-Identifier: MIT
"""Experiments of canamares2020 on a few ratings, and their values worked out user by user."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from studies.prepared import display_of, inputs_of, write_experiment

from receval.protocols.judged_ranks import read_ranks
from receval.protocols.protocol import Protocol
from reproduction.experiments.experiment import Experiment
from reproduction.studies._shared.inputs import ArtifactInputs

RATED = Protocol("AR", "rated")
MF = ("ranksys-mf", "ranksys-mf-text")
RATIOS = (0.1, 0.5, 0.9)
POLICIES = ("none", "random", "popularity", "average")
KNN = ("knn-user-1", "knn-user-3", "knn-user-10", "knn-user-30", "knn-user")
OVERLAPS = (1, 5, 10, 15, 20, 30, 40)
STUDY = "canamares2020"


def comparisons_of(
    folder: Path, datasets: Sequence[str] = ("ml-1m", "netflix"), **parameters: Any
) -> ArtifactInputs:
    """Write experiments at three train ratios and return the inputs that open them."""
    experiments: dict[str, Mapping[str, Any]] = {}
    for dataset in datasets:
        knn = "knn-user" if dataset == "ml-1m" else "knn-user-1000"
        name = "movielens" if dataset == "ml-1m" else dataset
        experiments[name] = write_experiment(
            folder,
            dataset,
            [knn, MF[0]],
            [RATED],
            extra_systems=[MF[1]],
            train_ratios=RATIOS,
            without_list=3,
        )
    return inputs_of(folder, experiments=experiments, present=datasets, **parameters)


def relevance_of_top(
    experiment: Experiment, system: str, number: int, protocol: Protocol = RATED
) -> Iterator[tuple[bool, list[tuple[int, float]]]]:
    """Yield for each user whether there are training ratings, and (rank, rating) of test items."""
    data = experiment.fold(number)
    path = experiment.files.ranks_file(experiment.dataset, experiment.split, system)
    ranks = read_ranks(path, protocol.key, number).ranks
    trained = np.diff(data.train.indptr) > 0
    for user, has_train in enumerate(trained.tolist()):
        own = range(data.test.indptr[user], data.test.indptr[user + 1])
        yield has_train, [(int(ranks[p]), float(data.test.values[p])) for p in own]


def precision(experiment: Experiment, system: str, number: int) -> NDArray[np.float64]:
    """Return P@10 of the users with training and test ratings, counted one by one."""
    return np.array(
        [
            sum(0 < rank <= 10 and rating >= 4 for rank, rating in items) / 10
            for has_train, items in relevance_of_top(experiment, system, number)
            if has_train and items
        ]
    )


def parameters_of(artifact: str) -> Mapping[str, Any]:
    return dict(display_of(STUDY, artifact).parameters)


def inputs_for(folder: Path, artifact: str, datasets: tuple[str, ...]) -> ArtifactInputs:
    parameters = dict(display_of(STUDY, artifact).parameters)
    return comparisons_of(folder, datasets, **parameters)


def inputs_of_policies(folder: Path, **changed: Any) -> ArtifactInputs:
    described = write_experiment(
        folder,
        "ml-1m",
        KNN,
        [Protocol("AR", "rated", non_computable=policy) for policy in POLICIES],
        train_ratios=[0.2, 0.5, 0.8],
        selection={"share": 0.5},
        without_list=4,
    )
    parameters = {**parameters_of("fig07"), **changed}
    return inputs_of(folder, experiments={"movielens-half": described}, **parameters)


def inputs_of_overlaps(
    folder: Path, datasets: tuple[str, ...] = ("ml-1m", "netflix"), without_list: int = 7
) -> ArtifactInputs:
    experiments = {
        f"{dataset}-overlap": write_experiment(
            folder,
            dataset,
            [*(f"knn-overlap-{overlap}" for overlap in OVERLAPS), "ranksys-mf"],
            [RATED],
            extra_systems=["ranksys-mf-text"],
            folds=1,
            without_list=without_list,
        )
        for dataset in datasets
    }
    return inputs_of(folder, experiments=experiments, **parameters_of("fig08"))
