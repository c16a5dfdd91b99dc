# SPDX-License-Identifier: MIT
"""Values of systems, over all users and by user, against a count of single ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean, median

import numpy as np
import pytest
from studies.prepared import inputs_of, write_experiment

from receval.metrics.averages import Arithmetic, Geometric, Median
from receval.metrics.registry import parse
from receval.protocols.judged_ranks import read_ranks, write_ranks
from receval.protocols.protocol import Protocol
from reproduction.experiments.experiment import Experiment
from reproduction.experiments.values import means_of_users, system_values, values_by_fold

AI = Protocol("AR", "AI")
SYSTEMS = ("pop", "random", "slim")
THRESHOLD = 4.0


def experiment_of(
    folder: Path,
    evaluated_users: str = "tested",
    protocols: Sequence[Protocol] = (AI,),
    tested_share: float = 0.1,
) -> Experiment:
    described = write_experiment(
        folder,
        "ml-1m",
        SYSTEMS[:2],
        protocols,
        evaluated_users=evaluated_users,
        tested_share=tested_share,
        extra_systems=SYSTEMS[2:],
    )
    return inputs_of(folder, experiments={"movielens": described}).experiments["movielens"]


def precisions(experiment: Experiment, system: str, number: int, cutoff: int) -> dict[int, float]:
    """Return the precision of each user with a test rating in a fold."""
    path = experiment.files.ranks_file("ml-1m", "coin-flip", system)
    ranks = read_ranks(path, AI.key, number).ranks
    test = experiment.fold(number).test
    hits: dict[int, int] = {}
    for user, value, rank in zip(test.users, test.values, ranks, strict=True):
        hits[user] = hits.get(user, 0) + int(value >= THRESHOLD and 1 <= rank <= cutoff)
    return {user: count / cutoff for user, count in hits.items()}


def empty_lists(experiment: Experiment, system: str, *indices: tuple[int, int]) -> None:
    """Take the lists of some users, given as (fold, user), from a system."""
    path = experiment.files.ranks_file("ml-1m", "coin-flip", system)
    outcomes = {(AI.key, n, "test"): read_ranks(path, AI.key, n) for n in experiment.folds}
    for number, user in indices:
        outcome = outcomes[AI.key, number, "test"]
        lengths = outcome.lengths.copy()
        lengths[user] = 0
        gone = experiment.fold(number).test.users == user
        ranks = np.where(gone, 0, outcome.ranks).astype(np.int32)
        outcomes[AI.key, number, "test"] = replace(outcome, lengths=lengths, ranks=ranks)
    write_ranks(path, outcomes)


# --- by user ----------------------------------------------------------------------------------


def test_a_user_s_value_is_the_mean_of_the_folds_that_test_the_user(tmp_path: Path) -> None:
    experiment = experiment_of(tmp_path)
    values = means_of_users(experiment, [parse("P@3"), parse("P@10")])
    by_fold = [
        [
            [precisions(experiment, system, number, cutoff) for number in range(3)]
            for system in SYSTEMS
        ]
        for cutoff in (3, 10)
    ]
    tested = sorted({user for fold in by_fold[0][0] for user in fold})
    # The test would hold nothing if every fold tested the same users.
    assert max(len(fold) for fold in by_fold[0][0]) < len(tested)
    expected = [
        [[mean(fold[user] for fold in folds if user in fold) for user in tested] for folds in rows]
        for rows in by_fold
    ]
    np.testing.assert_allclose(values, expected, atol=1e-12)


def test_all_users_count_also_those_without_a_test_rating(tmp_path: Path) -> None:
    experiment = experiment_of(tmp_path, "all")
    values = means_of_users(experiment, [parse("P@5")])
    folds = [precisions(experiment, "slim", number, 5) for number in range(3)]
    n_users = experiment.ratings.n_users
    assert max(map(len, folds)) < n_users
    expected = [mean(fold.get(user, 0.0) for fold in folds) for user in range(n_users)]
    np.testing.assert_allclose(values[0, 2], expected, atol=1e-12)


@pytest.mark.parametrize(
    "indices",
    [
        {"pop": [(0, 4)]},
        # As many folds of the user for both systems, but not the same ones.
        {"pop": [(0, 4)], "random": [(1, 4)], "slim": [(2, 4)]},
    ],
)
def test_systems_that_are_averaged_over_different_users_are_not_paired(
    tmp_path: Path, indices: dict[str, list[tuple[int, int]]]
) -> None:
    experiment = experiment_of(tmp_path, "covered", tested_share=0.5)
    assert all(4 in experiment.fold(number).test.users for number in range(3))
    means_of_users(experiment, [parse("P@5")])
    for system, cells in indices.items():
        empty_lists(experiment, system, *cells)
    with pytest.raises(ValueError, match=r"ml-1m are averaged over different users.*all users"):
        means_of_users(experiment, [parse("P@5")])


def test_users_without_lists_of_any_system_are_paired_where_they_have_one(tmp_path: Path) -> None:
    experiment = experiment_of(tmp_path, "covered", tested_share=0.5)
    for system in SYSTEMS:
        empty_lists(experiment, system, (0, 4), (2, 4))
    values = means_of_users(experiment, [parse("P@5")])
    tested = sorted({int(u) for number in range(3) for u in experiment.fold(number).test.users})
    assert values[0, 1, tested.index(4)] == precisions(experiment, "random", 1, 5)[4]


# --- over all users ---------------------------------------------------------------------------


@pytest.mark.parametrize("evaluated_users", ["all", "tested", "relevant"])
def test_means_are_those_of_the_values_by_fold(tmp_path: Path, evaluated_users: str) -> None:
    experiment = experiment_of(tmp_path, evaluated_users)
    metrics = [parse("nDCG@10"), parse("P@5")]
    (values,) = system_values(experiment, metrics, [Arithmetic()])
    table = values_by_fold(experiment, metrics)
    means = table[table["fold"] == "mean"].set_index(["metric", "system"])["value"]
    assert values.shape == (2, 3)
    for index, name in enumerate(("nDCG", "P")):
        expected = [means[name, system] for system in SYSTEMS]
        np.testing.assert_allclose(values[index], expected, atol=1e-12)


def test_a_value_is_the_mean_over_folds_of_each_average_over_users(tmp_path: Path) -> None:
    experiment = experiment_of(tmp_path)
    averages = [Geometric(floor=0.01), Median(), Arithmetic()]
    values = system_values(experiment, [parse("P@5")], averages)
    for index, system in enumerate(SYSTEMS):
        folds = [list(precisions(experiment, system, number, 5).values()) for number in range(3)]
        logs = [mean(float(np.log(max(value, 0.01))) for value in fold) for fold in folds]
        expected = [np.exp(logs).mean(), mean(map(median, folds)), mean(map(mean, folds))]
        np.testing.assert_allclose(values[:, 0, index], expected, atol=1e-12)


# --- refusals ---------------------------------------------------------------------------------


def test_values_of_several_protocols_are_not_mixed(tmp_path: Path) -> None:
    experiment = experiment_of(tmp_path, protocols=[AI, Protocol("AR", "TI")])
    for call in (
        lambda: means_of_users(experiment, [parse("P@5")]),
        lambda: system_values(experiment, [parse("P@5")], [Arithmetic()]),
    ):
        with pytest.raises(ValueError, match="ml-1m has the protocols AR AI-AN, AR TI-AN"):
            call()


def test_lists_of_one_relevant_judgment_are_not_users(tmp_path: Path) -> None:
    experiment = experiment_of(tmp_path, protocols=[Protocol("1R", "TI", 9, 4.0)])
    with pytest.raises(ValueError, match=r"those of 1R.*under AR"):
        means_of_users(experiment, [parse("P@5")])
