# SPDX-License-Identifier: MIT
"""What every system must keep to, whatever its algorithm."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from config.copied_config import CONFIG
from numpy.typing import NDArray
from recommenders.fingerprint import fingerprint
from recommenders.matrices import (
    COLD_USER,
    ONE_RATING_USER,
    communities,
    generated,
    generated_matrix,
    to_matrix,
)
from recommenders.promises import System
from recommenders.systems import SYSTEMS, fit, fitted
from scipy.sparse import csr_array

import receval
from receval.protocols.evaluation import rank_judged
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.recommenders import base
from receval.recommenders.base import TRACES, write_model
from receval.splits.split import Fold, Judgments
from reproduction.config.reading import read_yaml

every_system = pytest.mark.parametrize(
    "system",
    [
        # scikit-learn takes its time for a matrix of any size.
        pytest.param(
            system, marks=[pytest.mark.costly] if system.name.startswith("Sklearn") else []
        )
        for system in SYSTEMS
    ],
    ids=lambda system: system.name,
)
WARM_USERS = np.setdiff1d(np.arange(60), COLD_USER)


def assert_scored_as_documented(
    system: System, scores: NDArray[np.float32], counted: NDArray[np.bool_]
) -> None:
    """Check which scores are numbers, given the ratings that count for the system."""
    assert not np.isinf(scores).any()
    scored = np.isfinite(scores)
    users = np.logical_or(counted.any(axis=1), system.cold_users_scored)
    if system.scored_items == "all":
        np.testing.assert_array_equal(scored, np.broadcast_to(users[:, None], scored.shape))
    else:
        assert not scored[~users].any()
        assert not scored[:, ~counted.any(axis=0)].any()


@every_system
def test_scores_are_float32_one_row_per_user_one_column_per_item(system: System) -> None:
    scores = fitted(system).score(np.array([9, 2, 9]))
    assert scores.dtype == np.float32
    assert scores.shape == (3, 45)
    np.testing.assert_array_equal(scores[0], scores[2])
    assert not np.isinf(scores).any()
    assert fitted(system).score(np.array([], dtype=int)).shape == (0, 45)


@pytest.mark.processes
@pytest.mark.costly
def test_another_process_with_more_threads_gives_the_same_bytes(tmp_path: Path) -> None:
    here = {system.name: fingerprint(system, tmp_path) for system in SYSTEMS}
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(receval.__file__).parents[1]),
        "PYTHONHASHSEED": "7",
        **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "2"),
    }
    script = Path(__file__).with_name("fingerprint.py")
    printed = subprocess.run(
        [sys.executable, str(script)], env=environment, check=True, capture_output=True, text=True
    ).stdout
    assert dict(line.split() for line in printed.splitlines()) == here


@every_system
def test_a_different_seed_gives_different_scores_exactly_where_there_is_chance(
    system: System,
) -> None:
    users = np.arange(60)
    other = fit(system.make(seed=1), generated_matrix()).score(users)
    assert (other.tobytes() != fitted(system).score(users).tobytes()) == system.random


@every_system
def test_scores_do_not_depend_on_the_block(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    model = fitted(system)
    users = np.arange(60)
    whole = model.score(users)
    monkeypatch.setattr(base, "BLOCK_USERS", 7)
    assert model.score(users).tobytes() == whole.tobytes()
    assert model.score(users[::-1])[::-1].tobytes() == whole.tobytes()
    for user in (0, 31):
        assert model.score(np.array([user])).tobytes() == whole[user].tobytes()


@every_system
def test_users_and_items_with_one_rating_or_none_are_treated_as_documented(
    system: System,
) -> None:
    _, rated = generated()
    scores = fitted(system).score(np.arange(60))
    assert_scored_as_documented(system, scores, rated)
    assert np.isfinite(scores[WARM_USERS]).any(axis=1).all()
    assert np.isfinite(scores[ONE_RATING_USER]).sum() >= 5


@every_system
def test_one_rating_in_all_is_enough(system: System) -> None:
    rated = np.zeros((6, 6), dtype=bool)
    rated[2, 4] = True
    train = to_matrix(rated * 4.0, rated)
    if system.refuses_users_of_all_items:
        with pytest.raises(ValueError, match="The user 2 has rated every item that anybody has"):
            fit(system.make(), train)
        return
    scores = fit(system.make(), train).score(np.arange(6))
    assert_scored_as_documented(system, scores, rated)
    # One item is rated, and nobody is anybody's neighbour.
    n_scored = {"all": 6, "rated": 1, "neighbours": 0}[system.scored_items]
    assert np.isfinite(scores[2]).sum() == n_scored * system.own_items_scored


@every_system
@pytest.mark.each(
    "number",
    [
        *(pytest.param(value, marks=pytest.mark.costly, id=f"{value}") for value in (0.5, 5.0)),
        *(0.0, None),
    ],
)
def test_equal_ratings_and_grades_give_scores_where_they_count(
    system: System, number: float | None
) -> None:
    values, rated = generated()
    given = values // 2 if number is None else rated * number
    scores = fit(system.make(), to_matrix(given, rated)).score(np.arange(60))
    counts = rated & (system.zeros_count or system.scored_items == "all" or number != 0)
    assert_scored_as_documented(system, scores, counts)
    has_scores = np.isfinite(scores).any(axis=1)
    if number is None:
        assert set(given[rated]) == {0, 1, 2}
        assert has_scores[(given > 0).any(axis=1)].all()
    else:
        assert has_scores[WARM_USERS].all() == counts.any()


@every_system
def test_no_training_item_is_ranked(system: System) -> None:
    _, rated = generated()
    users, items = np.indices(rated.shape).reshape(2, -1)
    judgments = Judgments.from_pairs(users, items, np.ones(rated.size), n_users=60)
    all_items, trained_items = rank_judged(
        fitted(system),
        Fold(generated_matrix(), judgments),
        [Protocol(candidates="AI"), Protocol(candidates="train")],
        lambda *names: np.random.default_rng(7),
    )
    listed = ~rated & np.isfinite(fitted(system).score(np.arange(60)))
    assert_all_are_ranked(all_items, listed)
    trained = rated.any(axis=0) & rated.any(axis=1, keepdims=True)
    assert_all_are_ranked(trained_items, listed & trained)


def assert_all_are_ranked(judged: JudgedRanks, listed: NDArray[np.bool_]) -> None:
    """Check that the listed items of each user have all ranks from 1 on, and others none."""
    ranks = judged.ranks.reshape(listed.shape)
    assert (ranks[~listed] == 0).all()
    np.testing.assert_array_equal(judged.lengths, listed.sum(axis=1))
    # Sorted, the ranks of a user are as many zeros as items are not listed, and 1, 2, 3...
    unlisted = (~listed).sum(axis=1, keepdims=True)
    expected = np.maximum(np.arange(1, listed.shape[1] + 1) - unlisted, 0)
    np.testing.assert_array_equal(np.sort(ranks, axis=1), expected)


@every_system
def test_the_same_seed_gives_the_same_bytes_whatever_was_fitted_before(system: System) -> None:
    other, train = to_matrix(*generated(n_users=30, n_items=20, seed=9)), generated_matrix()
    again = fit(fit(system.make(), other), train)
    users = np.arange(60)
    assert again.score(users).tobytes() == fitted(system).score(users).tobytes()
    # Neither fitting nor scoring changes the ratings.
    given = generated_matrix()
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(train, name), getattr(given, name))


@every_system
def test_a_saved_model_is_loaded_whole_and_has_no_date(system: System, tmp_path: Path) -> None:
    model = fitted(system)
    model.save(tmp_path / "model.npz")
    loaded = type(model).load(tmp_path / "model.npz")
    loaded.save(tmp_path / "again.npz")
    assert loaded.parameters == model.parameters
    assert loaded.score(np.arange(60)).tobytes() == model.score(np.arange(60)).tobytes()
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "model.npz").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again.npz", "model.npz"]
    with zipfile.ZipFile(tmp_path / "model.npz") as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


@every_system
def test_the_constructor_only_stores_its_parameters(system: System) -> None:
    model = system.make()
    assert vars(model) == model.parameters


@pytest.mark.each(
    "system",
    [system for system in SYSTEMS if system.personalised],
    ids=lambda system: system.name,
)
def test_unrated_items_of_the_own_community_come_first(system: System) -> None:
    train, own = communities()
    model = fit(system.make(**system.for_two_communities), train)
    scores = model.score(np.arange(40))
    unrated = train.toarray() == 0
    for user in range(40):
        mine = scores[user, unrated[user] & own[user]]
        others = scores[user, unrated[user] & ~own[user]]
        assert np.isfinite(mine).all()
        assert not (others >= mine.min()).any()


@pytest.mark.each(
    "system", [system for system in SYSTEMS if system.trace], ids=lambda system: system.name
)
def test_the_objective_improves_and_never_worsens_but_by_chance(system: System) -> None:
    assert system.trace is not None
    values = getattr(fitted(system), system.trace.attribute)
    assert values.dtype == np.float64
    improvements = np.diff(values) if system.trace.rises else -np.diff(values)
    assert improvements.sum() >= system.trace.share * abs(values[0])
    if system.trace.slack is not None:
        assert improvements.min() >= -system.trace.slack * abs(values[0])


def test_every_configured_class_is_a_system_under_test() -> None:
    configured = {spec["recommender"] for spec in read_yaml(CONFIG / "systems.yaml").values()}
    tested = {f"receval.recommenders.{system.class_path}" for system in SYSTEMS}
    assert configured <= tested


@every_system
def test_a_forged_model_is_refused_when_it_is_loaded(system: System, tmp_path: Path) -> None:
    model = fitted(system)
    learnt = {name: value for name, value in vars(model).items() if name.endswith("_")}
    path = tmp_path / "model.npz"
    for name, value in learnt.items():
        if name in TRACES or not isinstance(value, np.ndarray | csr_array):
            continue
        forgeries: list[Any] = [np.resize(value.data, np.add(value.shape, 1))]
        if isinstance(value, csr_array):
            far = value.indices.copy()
            far[0] = 2**30
            forgeries = [
                SimpleNamespace(data=value.data, indices=far, indptr=value.indptr),
                csr_array((value.data, value.indices, value.indptr), (value.shape[0], 2**30)),
            ]
        for forged in forgeries:
            _write_forged(path, type(model)._class_path(), model.parameters, learnt, name, forged)
            with pytest.raises(ValueError, match=r"model\.npz is damaged"):
                type(model).load(path)


def _write_forged(
    path: Path, class_path: str, parameters: dict[str, Any], learnt: Any, name: str, forged: Any
) -> None:
    if isinstance(forged, SimpleNamespace):
        # No matrix of scipy can be made of these, but a file can.
        others = {own: value for own, value in learnt.items() if own != name}
        parts = {f"{name}.{part}": value for part, value in vars(forged).items()}
        shape = np.array(learnt[name].shape, dtype=np.int64)
        write_model(path, class_path, parameters, {**others, **parts, f"{name}.shape": shape})
    else:
        write_model(path, class_path, parameters, {**learnt, name: forged})
