# SPDX-License-Identifier: MIT
"""Means of users and the tests of their differences, against counts by hand and scipy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import wilcoxon
from studies.prepared import display_of, inputs_of, saved, write_experiment

from receval.figures.printed_numbers import significant
from receval.metrics.evaluation import evaluate
from receval.metrics.registry import parse
from receval.protocols.protocol import Protocol
from receval.storage.files import real_values
from reproduction.experiments.experiment import Experiment
from reproduction.experiments.values import UserMeans, values_by_fold, values_of_users
from reproduction.studies.bellogin2017 import system_values

AR, ONE = Protocol("AR", "TI"), Protocol("1R", "TI", 9, 4.0)
SYSTEMS = ("plsa", "pop", "random")
METRICS = [parse("P@5"), parse("RR")]


def experiment_of(folder: Path, evaluated_users: str = "all") -> Experiment:
    description = write_experiment(
        folder, "ml-1m", SYSTEMS, [AR, ONE], evaluated_users=evaluated_users
    )
    return inputs_of(folder, experiments={"movielens": description}).experiments["movielens"]


def means_of(experiment: Experiment, protocol: Protocol) -> UserMeans:
    means = UserMeans(experiment, len(METRICS))
    for number in experiment.folds:
        for system in experiment.all_systems:
            lists = experiment.lists(system, protocol, number)
            means.add(system, lists, evaluate(METRICS, lists))
    return means


def by_hand(experiment: Experiment, protocol: Protocol) -> np.ndarray:
    """Values list by list, user by user: first over a user's lists, then over folds."""
    table = []
    for system in SYSTEMS:
        found: dict[int, list[np.ndarray]] = {}
        for number in experiment.folds:
            lists = experiment.lists(system, protocol, number)
            values = evaluate(METRICS, lists).T
            for user in sorted(set(lists.users.tolist())):
                mine = [v for v, u in zip(values, lists.users, strict=True) if u == user]
                found.setdefault(user, []).append(np.mean(mine, axis=0))
        table.append([np.mean(found[user], axis=0) for user in sorted(found)])
    return np.array(table).transpose(2, 0, 1)


@pytest.mark.costly
@pytest.mark.parametrize("protocol", [AR, ONE], ids=["AR", "1R"])
def test_a_user_is_the_mean_of_their_lists_and_then_of_their_folds(
    tmp_path: Path, protocol: Protocol
) -> None:
    experiment = experiment_of(tmp_path)
    values = means_of(experiment, protocol).values()
    np.testing.assert_allclose(values, by_hand(experiment, protocol), atol=1e-12)


@pytest.mark.costly
@pytest.mark.parametrize("protocol", [AR, ONE], ids=["AR", "1R"])
def test_p_values_are_those_of_scipy_and_stand_in_the_rows_of_means(
    tmp_path: Path, protocol: Protocol
) -> None:
    experiment = experiment_of(tmp_path)
    values = by_hand(experiment, protocol)
    rows = values_by_fold(experiment, METRICS)
    assert rows.loc[rows["fold"] != "mean", "p_against_pop"].isna().all()
    means = rows[(rows["fold"] == "mean") & (rows["protocol"] == protocol.name)]
    for index, metric in enumerate(METRICS):
        for one, first in enumerate(SYSTEMS):
            for other, second in enumerate(SYSTEMS):
                mine = (means["system"] == first) & (means["metric"] == metric.at(None).label)
                (p_value,) = means.loc[mine, f"p_against_{second}"]
                difference = np.round(values[index, one] - values[index, other], 12)
                expected = (
                    1.0
                    if one == other
                    else wilcoxon(difference, method="approx", correction=False).pvalue
                )
                assert p_value == pytest.approx(expected, rel=1e-6)


@pytest.mark.costly
def test_values_of_users_are_the_means_that_the_tests_compare(tmp_path: Path) -> None:
    experiment = experiment_of(tmp_path, "relevant")
    table = values_of_users(experiment, [*METRICS, parse("bpref")])
    for protocol in (AR, ONE):
        rows = table[table["protocol"] == protocol.name]
        # Under 1R there is no bpref.
        names = ["P", "RR", "bpref"] if protocol == AR else ["P", "RR"]
        assert rows["metric"].tolist() == names * len(SYSTEMS)
        values = means_of(experiment, protocol).values()
        assert rows["lists"].unique().tolist() == [values.shape[2]]
        for index, metric in enumerate(("P", "RR")):
            found = rows.loc[rows["metric"] == metric, "value"]
            np.testing.assert_allclose(found, values[index].mean(axis=1), atol=1e-12)
    # Otherwise the values of the figures would do as well.
    by_fold = values_by_fold(experiment, METRICS)
    means = by_fold[(by_fold["fold"] == "mean") & (by_fold["protocol"] == ONE.name)]
    own = table[(table["protocol"] == ONE.name)]
    assert np.abs(own["value"].to_numpy() - means["value"].to_numpy()).max() > 1e-3


@pytest.mark.costly
def test_the_table_of_bellogin2017_has_a_row_for_each_protocol_once(tmp_path: Path) -> None:
    description = write_experiment(tmp_path, "ml-1m", SYSTEMS, [AR, ONE])
    inputs = inputs_of(
        tmp_path,
        experiments={"movielens": description, "movielens-designs": description},
        metrics=("P@5", "P@10", "RR"),
    )
    results = saved(system_values.data(inputs), tmp_path)
    assert results["experiment"].unique().tolist() == ["movielens", "movielens-designs"]
    table = system_values.tabulate(results, display_of("bellogin2017", "system_values"))
    rows = results[(results["metric"] == "P") & (real_values(results["cutoff"]) == 10)]
    assert len(rows) == 2 * 2 * len(SYSTEMS)
    printed = [significant(value) for value in rows["value"][: 2 * len(SYSTEMS)]]
    assert [row[:4] for row in table.rows] == [
        ("ML-1M twin", "coin-flip", "AR TI-AN", ""),
        ("ML-1M twin", "coin-flip", "1R TI-NN", "9"),
    ]
    assert [cell for row in table.rows for cell in row[4:]] == printed
