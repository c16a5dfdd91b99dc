# SPDX-License-Identifier: MIT
"""Universes of a workflow's experiments: each has one split, and all systems are of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from studies.prepared import inputs_of, spec_of, write_experiment

from receval.multiverse.decisions import Configuration
from receval.multiverse.exploration import explore
from receval.protocols.protocol import Protocol
from receval.seeds import generator
from reproduction.experiments.experiment import Experiment
from reproduction.experiments.universes import ExperimentUniverses, explore_experiments, fold_of
from reproduction.studies._shared.inputs import ArtifactInputs

PROTOCOLS = [
    Protocol("AR", "rated", non_computable=policy)  # type: ignore[arg-type]
    for policy in ("none", "popularity")
]
HALF = {"share": 0.5}
GRID = {
    "selection": [{}, HALF],
    "split": [{"train_ratio": 0.2}, {"train_ratio": 0.8}, {"kind": "user", "train_ratio": 0.5}],
    "non_computable": ["none", "popularity"],
    "test": ["t", "bootstrap"],
}


def with_split(**decisions: Any) -> Configuration:
    return Configuration.model_validate(decisions)


def written(folder: Path, split: str, spec: dict[str, Any], *systems: str) -> dict[str, Any]:
    folds = 4 if isinstance(spec["train_ratio"], list) else spec["folds"]
    return write_experiment(
        folder, "ml-1m", systems, PROTOCOLS, folds=folds, split_name=split, split_spec=spec
    )


def opened(folder: Path, **experiments: dict[str, Any]) -> dict[str, Experiment]:
    return dict(inputs_of(folder, experiments=experiments, grid=GRID).experiments)


@pytest.fixture
def described(tmp_path: Path) -> dict[str, dict[str, Any]]:
    """Two ratios with two repetitions each; half of the ratings; each user's; half of theirs."""
    ratios = spec_of("random-ratio", [0.2, 0.8], 2)
    half = spec_of("random-ratio", [0.2, 0.8], 2, {"share": 0.5})
    return {
        "ratios": written(tmp_path, "ratios", ratios, "knn", "pop"),
        "half": written(tmp_path, "half", half, "knn", "pop"),
        "users": written(tmp_path, "users", spec_of("user-ratio", 0.5), "knn", "pop"),
        "half-users": written(
            tmp_path, "half-users", spec_of("user-ratio", 0.5, 1, {"share": 0.5}), "knn", "pop"
        ),
    }


@pytest.mark.costly
@pytest.mark.parametrize(
    ("decisions", "split", "number"),
    [
        ({"split": {"train_ratio": 0.2}}, "ratios", 0),
        # Of two repetitions of each ratio the first.
        ({"split": {"train_ratio": 0.8}}, "ratios", 2),
        ({"split": {"train_ratio": 0.8}, "selection": HALF}, "half", 2),
        ({"split": {"kind": "user", "train_ratio": 0.5}}, "users", 0),
        ({"split": {"kind": "user", "train_ratio": 0.5}, "selection": HALF}, "half-users", 0),
    ],
)
def test_a_universe_is_found_by_its_selection_and_split(
    tmp_path: Path,
    described: dict[str, Any],
    decisions: dict[str, Any],
    split: str,
    number: int,
) -> None:
    universes = ExperimentUniverses(opened(tmp_path, **described))
    configuration = with_split(**decisions, non_computable="popularity")
    experiment, found = universes.experiment(configuration)
    assert (experiment.split, found) == (split, number)
    lists = universes.lists(configuration, "knn")
    expected = experiment.lists("knn", PROTOCOLS[1], number)
    for name in ("ranks", "lengths", "starts"):
        np.testing.assert_array_equal(getattr(lists.full, name), getattr(expected.full, name))
    trained = experiment.fold(number).train
    has_train = [trained.indptr[user + 1] > trained.indptr[user] for user in range(30)]
    np.testing.assert_array_equal(universes.has_train(configuration), has_train)


@pytest.mark.each(
    ("spec", "found"),
    [
        (spec_of("random-ratio", 0.8), 0),
        (spec_of("random-ratio", 0.8, 5), 0),
        (spec_of("random-ratio", [0.5, 0.6, 0.8], 3), 6),
        (spec_of("random-ratio", [0.5, 0.6]), None),
        (spec_of("user-ratio", 0.8), None),
        (spec_of("random-ratio", 0.8, 1, {"share": 0.5}), None),
        # Written out, a selection of everything.
        (spec_of("random-ratio", 0.8, 1, {"share": None, "min_user_ratings": 1}), 0),
        ({"kind": "k-fold", "selection": None, "folds": 5}, None),
        ({"kind": "temporal", "selection": None, "test_share": 0.2}, None),
    ],
)
def test_the_fold_of_a_split_is_the_first_with_the_share(
    tmp_path: Path, spec: dict[str, Any], found: int | None
) -> None:
    described = written(tmp_path, "split", spec_of("random-ratio", 0.8), "knn")
    experiment = opened(tmp_path, one={**described, "split_spec": spec})["one"]
    configuration = with_split(split={"train_ratio": 0.8})
    assert fold_of(experiment, configuration.selection, configuration.split) == found


def test_a_universe_that_no_split_made_is_refused_with_the_splits(
    tmp_path: Path, described: dict[str, Any]
) -> None:
    universes = ExperimentUniverses(opened(tmp_path, **described))
    with pytest.raises(
        ValueError,
        match=r"selection share-0\.5 and the split random-0\.3. The splits are ratios, half, users",
    ):
        universes.has_train(with_split(selection=HALF, split={"train_ratio": 0.3}))


def test_a_system_that_a_universe_has_not_is_refused_with_those_it_has(
    tmp_path: Path, described: dict[str, Any]
) -> None:
    universes = ExperimentUniverses(opened(tmp_path, **described))
    with pytest.raises(ValueError, match=r"has the system mf\. Those on users have knn, pop"):
        universes.lists(with_split(split={"kind": "user"}), "mf")


def test_several_experiments_on_one_split_have_their_systems_together(tmp_path: Path) -> None:
    spec = spec_of("random-ratio", 0.5)
    both = written(tmp_path, "coins", spec, "knn", "pop")
    one, other = ({**both, "systems": [system]} for system in ("knn", "pop"))
    universes = ExperimentUniverses(opened(tmp_path, one=one, other=other))
    assert universes.experiment(Configuration(), "knn")[0].systems == ("knn",)
    assert universes.experiment(Configuration(), "pop")[0].systems == ("pop",)


def test_systems_are_not_compared_on_different_splits(tmp_path: Path) -> None:
    # Both halve the ratings, but not the same way.
    one = written(tmp_path, "coins", spec_of("random-ratio", 0.5), "knn")
    other = written(tmp_path, "more-coins", spec_of("random-ratio", 0.5), "pop")
    universes = ExperimentUniverses(opened(tmp_path, one=one, other=other))
    for system in ("knn", "pop"):
        with pytest.raises(ValueError, match="splits coins and more-coins both have the selection"):
            universes.lists(Configuration(), system)


def test_universes_are_of_one_dataset(tmp_path: Path, described: dict[str, Any]) -> None:
    ratios = described["ratios"]
    elsewhere = {**ratios, "dataset": "netflix"}
    with pytest.raises(
        ValueError, match=r"the experiments are on ml-1m, netflix\. Give experiments on"
    ):
        ExperimentUniverses(opened(tmp_path, one=ratios, other=elsewhere))
    with pytest.raises(ValueError, match=r"the experiments are on none\. Give experiments on one"):
        ExperimentUniverses({})


@pytest.mark.costly
def test_an_artifact_explores_its_grid_with_samples_of_its_dataset_and_seed(
    tmp_path: Path, described: dict[str, Any]
) -> None:
    def inputs(seed: int) -> ArtifactInputs:
        return inputs_of(tmp_path, experiments=described, grid=GRID, seed=seed)

    def explored(inputs: ArtifactInputs) -> pd.DataFrame:
        pairs = [("knn", "pop")]
        return explore_experiments(inputs.decisions, inputs.experiments, pairs, inputs.seed)

    universes = explored(inputs(3))
    assert len(universes) == 2 * 3 * 2 * 2
    expected = explore(
        inputs(3).decisions.configurations(),
        ExperimentUniverses(inputs(3).experiments),
        [("knn", "pop")],
        generator(3, "ml-1m", "multiverse"),
    )
    pd.testing.assert_frame_equal(universes, expected, check_exact=True)
    other = explored(inputs(4))
    assert not universes["rejected"].equals(other["rejected"])
    assert universes["p_value"].equals(other["p_value"])


def test_an_artifact_without_a_grid_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no grid of decisions: name one as its grid"):
        _ = inputs_of(tmp_path).decisions
