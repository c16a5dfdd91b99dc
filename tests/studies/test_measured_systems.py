# SPDX-License-Identifier: MIT
"""Systems measured and compared with the first of them, under configurations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_rel
from studies.compared_experiments import MF, RATED, comparisons_of, precision
from studies.prepared import inputs_of, write_experiment

from receval.multiverse.decisions import Configuration
from receval.multiverse.exploration import explore
from receval.splits.kinds import SelectionSpec
from reproduction.experiments.experiment import Experiment
from reproduction.experiments.universes import (
    ExperimentUniverses,
    MeasuredSystems,
    starting_configuration,
    train_ratios,
)

NDCG = "nDCG(gain=binary)@10"


@pytest.fixture
def experiment(tmp_path: Path) -> Experiment:
    return comparisons_of(tmp_path, ["ml-1m"]).experiments["movielens"]


def test_precision_and_its_p_value_by_counting_user_by_user(experiment: Experiment) -> None:
    # Of a tenth of the ratings, some users have none.
    start = starting_configuration(experiment).replace(split={"train_ratio": 0.1})
    table = MeasuredSystems(experiment, start, ["P@10"]).compared(start)
    counted = {name: precision(experiment, name, 0) for name in experiment.all_systems}
    assert len(counted["knn-user"]) < np.count_nonzero(np.diff(experiment.fold(0).test.indptr))
    assert table["system"].tolist() == list(experiment.all_systems)
    np.testing.assert_allclose(table["value"], [counted[name].mean() for name in counted])
    assert (table["lists"] == [len(values) for values in counted.values()]).all()
    assert np.isnan(table["p_value"][0])
    assert table["verdict"][0] == ""
    for row, name in enumerate(MF, start=1):
        expected = ttest_rel(counted["knn-user"], counted[name]).pvalue
        assert table["p_value"][row] == pytest.approx(expected)


@pytest.mark.each("aggregation", ["mean", "test-weighted", "positive-weighted", "geometric"])
@pytest.mark.each("coverage", ["full", "reduced"])
@pytest.mark.each("lists", ["full", "condensed"])
def test_what_is_compared_is_what_the_multiverse_explores(
    experiment: Experiment, aggregation: str, coverage: str, lists: str
) -> None:
    configuration = starting_configuration(experiment).replace(
        aggregation=aggregation,
        coverage=coverage,
        lists=lists,
        test="t-log" if aggregation == "geometric" else "t",
    )
    measured = MeasuredSystems(experiment, configuration, [configuration.metric_label])
    table = measured.compared(configuration).set_index("system")
    explored = explore(
        [configuration],
        ExperimentUniverses({"": experiment}),
        [("knn-user", name) for name in MF],
        np.random.default_rng(0),
    )
    names = {"first": "below", "tie": "tie", "second": "above"}
    for row in explored.to_dict("records"):
        own = table.loc[row["second"]]
        assert table.loc["knn-user", "value"] == pytest.approx(row["value"], abs=1e-14)
        assert own["value"] == pytest.approx(row["other_value"], abs=1e-14)
        assert own["p_value"] == row["p_value"]
        assert own["verdict"] == names[row["verdict"]]


def test_a_system_that_is_significantly_above_the_first_is_called_so(tmp_path: Path) -> None:
    described = write_experiment(
        tmp_path, "ml-1m", ["knn-user", "ranksys-mf"], [RATED], without_list=25, folds=1
    )
    (experiment,) = inputs_of(tmp_path, experiments={"x": described}).experiments.values()
    configuration = starting_configuration(experiment)
    # Whoever has a list covers its user, here the last five of 30.
    measured = MeasuredSystems(experiment, configuration, ["UserCoverage"])
    measured.users["knn-user"].values[:] = 0
    measured.users["ranksys-mf"].values[:] = np.linspace(0.1, 1, 30)
    assert measured.compared(configuration)["verdict"].tolist() == ["", "above"]
    measured.users["knn-user"].values[:] = 2
    assert measured.compared(configuration)["verdict"].tolist() == ["", "below"]
    reduced = measured.compared(configuration.replace(coverage="reduced"))
    assert reduced["lists"].tolist() == [5, 5]


def test_users_without_a_relevant_test_rating_can_be_left_out(experiment: Experiment) -> None:
    start = starting_configuration(experiment)
    measured = MeasuredSystems(experiment, start, ["P@10"])
    # Some users' only relevant test ratings, taken away.
    measured.n_relevant[:5] = 0
    table = measured.compared(start, "relevant")
    relevant = measured.evaluated_users("knn-user", start) & (measured.n_relevant > 0)
    values = {name: own.values[0, relevant] for name, own in measured.users.items()}
    assert table["lists"].tolist() == [np.count_nonzero(relevant)] * 3
    assert table["lists"][0] < measured.compared(start)["lists"][0]
    np.testing.assert_allclose(table["value"], [own.mean() for own in values.values()])
    for row, name in enumerate(MF, start=1):
        expected = ttest_rel(values["knn-user"], values[name]).pvalue
        assert table["p_value"][row] == pytest.approx(expected)


def test_a_system_that_covers_nobody_has_no_reduced_average(tmp_path: Path) -> None:
    described = write_experiment(
        tmp_path, "ml-1m", ["knn-user", "ranksys-mf"], [RATED], without_list=30, folds=1
    )
    (experiment,) = inputs_of(tmp_path, experiments={"x": described}).experiments.values()
    start = starting_configuration(experiment)
    measured = MeasuredSystems(experiment, start, ["P@10"])
    assert measured.compared(start)["value"].tolist() == [0, 0]
    table = measured.compared(start.replace(coverage="reduced"))
    assert table["lists"].tolist() == [0, 0]
    assert table[["value", "p_value"]].isna().to_numpy().all()
    assert table["verdict"].tolist() == ["", ""]


def test_metrics_are_of_the_lists_that_were_decided(experiment: Experiment) -> None:
    start = starting_configuration(experiment)
    with pytest.raises(ValueError, match="is not a metric of full lists"):
        MeasuredSystems(experiment, start, ["RBO(condensed=true)"])
    with pytest.raises(ValueError, match="is not a metric of condensed lists"):
        MeasuredSystems(experiment, start.replace(lists="condensed"), [NDCG])
    with pytest.raises(ValueError, match="name two systems"):
        MeasuredSystems(experiment, start, [NDCG], ["knn-user"])


def described(folder: Path, **split: object) -> Experiment:
    spec = {
        **write_experiment(folder, "ml-1m", ["knn-user", "ranksys-mf"], [RATED], folds=1),
        "split_spec": {"kind": "random-ratio", "selection": None, "folds": 1, **split},
    }
    return inputs_of(folder, experiments={"x": spec}).experiments["x"]


def test_the_start_is_at_one_half_or_at_the_only_ratio(tmp_path: Path) -> None:
    several = described(tmp_path, train_ratio=[0.2, 0.5, 0.8], selection={"share": 0.5})
    start = starting_configuration(several)
    assert start == Configuration(selection=SelectionSpec(share=0.5))
    assert train_ratios(several) == [0.2, 0.5, 0.8]
    only = starting_configuration(described(tmp_path, train_ratio=0.8))
    assert only == Configuration().replace(split={"train_ratio": 0.8})
    with pytest.raises(ValueError, match=r"ratios 0\.2, 0\.8, so it is open where to start"):
        starting_configuration(described(tmp_path, train_ratio=[0.2, 0.8]))
