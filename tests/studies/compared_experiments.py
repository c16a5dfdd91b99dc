"""Experiments of kNN and MF on a few ratings, and their values worked out user by user."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from studies.prepared import inputs_of, write_experiment

from receval.protocols.judged_ranks import read_ranks
from receval.protocols.protocol import Protocol
from receval.studies.inputs import ArtifactInputs, Experiment

RATED = Protocol("AR", "rated")
MF = ("ranksys-mf", "ranksys-mf-text")
RATIOS = (0.1, 0.5, 0.9)


def comparisons_of(
    folder: Path, datasets: Sequence[str] = ("ml-1m", "netflix"), **parameters: Any
) -> ArtifactInputs:
    """Write experiments at three training ratios and return the inputs that open them."""
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
            train_shares=RATIOS,
            without_list=3,
        )
    return inputs_of(folder, experiments=experiments, present=datasets, **parameters)


def relevance_of_top(
    experiment: Experiment, system: str, number: int, protocol: Protocol = RATED
) -> Iterator[tuple[bool, list[tuple[int, float]]]]:
    """Yield for each user whether there are training ratings, and (rank, rating) of test items."""
    data = experiment.fold(number)
    path = experiment.folder / experiment.dataset / experiment.split / system / "ranks.npz"
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
