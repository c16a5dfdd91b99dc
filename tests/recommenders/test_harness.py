"""What every system must keep to, whatever its algorithm."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from recommenders.fingerprint import fingerprint
from recommenders.systems import (
    COLD_ITEM,
    COLD_USER,
    ONE_RATING_USER,
    SYSTEMS,
    System,
    communities,
    generated,
    generated_matrix,
    to_matrix,
)

import receval
from receval.recommenders import base

every_system = pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)


@every_system
def test_scores_are_float32_one_row_per_user_one_column_per_item(system: System) -> None:
    scores = system.make().fit(generated_matrix()).score(np.array([9, 2, 9]))
    assert scores.dtype == np.float32
    assert scores.shape == (3, 45)
    np.testing.assert_array_equal(scores[0], scores[2])
    assert not np.isinf(scores).any()


@every_system
def test_no_users_give_no_scores(system: System) -> None:
    assert system.make().fit(generated_matrix()).score(np.array([], dtype=int)).shape == (0, 45)


@every_system
def test_same_seed_gives_same_bytes(system: System) -> None:
    users = np.arange(60)
    first = system.make().fit(generated_matrix()).score(users)
    second = system.make().fit(generated_matrix()).score(users)
    assert first.tobytes() == second.tobytes()


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
    first = system.make(seed=1).fit(generated_matrix()).score(np.arange(60))
    second = system.make(seed=2).fit(generated_matrix()).score(np.arange(60))
    assert (first.tobytes() != second.tobytes()) == system.random


@every_system
def test_scores_do_not_depend_on_the_block(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    model = system.make().fit(generated_matrix())
    users = np.arange(60)
    whole = model.score(users)
    monkeypatch.setattr(base, "BLOCK_USERS", 7)
    assert model.score(users).tobytes() == whole.tobytes()
    assert model.score(users[::-1])[::-1].tobytes() == whole.tobytes()
    for user in (0, 31):
        assert model.score(np.array([user])).tobytes() == whole[user].tobytes()


@every_system
def test_users_and_items_without_training_ratings_are_treated_as_documented(
    system: System,
) -> None:
    scores = system.make().fit(generated_matrix()).score(np.arange(60))
    warm_users = np.setdiff1d(np.arange(60), COLD_USER)
    warm_items = np.setdiff1d(np.arange(45), COLD_ITEM)
    cold_user, cold_item = scores[COLD_USER, warm_items], scores[warm_users, COLD_ITEM]
    assert np.isfinite(cold_user).all() if system.cold_users_scored else np.isnan(cold_user).all()
    assert np.isfinite(cold_item).all() if system.cold_items_scored else np.isnan(cold_item).all()
    assert np.isfinite(scores[np.ix_(warm_users, warm_items)]).any(axis=1).all()


@every_system
def test_a_user_with_one_rating_is_scored(system: System) -> None:
    scores = system.make().fit(generated_matrix()).score(np.array([ONE_RATING_USER]))
    assert np.isfinite(scores).sum() >= 5


@every_system
def test_one_rating_in_all_is_enough(system: System) -> None:
    rated = np.zeros((6, 6), dtype=bool)
    rated[2, 4] = True
    scores = system.make().fit(to_matrix(rated * 4.0, rated)).score(np.arange(6))
    assert scores.shape == (6, 6)
    assert not np.isinf(scores).any()


@every_system
@pytest.mark.parametrize("value", [0.5, 3.0, 5.0])
def test_equal_ratings_give_scores(system: System, value: float) -> None:
    _, rated = generated()
    scores = system.make().fit(to_matrix(rated * value, rated)).score(np.array([0, 1]))
    assert np.isfinite(scores).any(axis=1).all()


@every_system
def test_ratings_that_are_all_zero_do_not_fail(system: System) -> None:
    _, rated = generated()
    scores = system.make().fit(to_matrix(rated * 0.0, rated)).score(np.arange(60))
    assert not np.isinf(scores).any()


@every_system
def test_the_training_matrix_is_not_changed(system: System) -> None:
    train = generated_matrix()
    before = [part.copy() for part in (train.data, train.indices, train.indptr)]
    model = system.make().fit(train)
    model.score(np.arange(60))
    for part, copy in zip((train.data, train.indices, train.indptr), before, strict=True):
        np.testing.assert_array_equal(part, copy)


@every_system
def test_fitting_again_forgets_what_was_fitted_before(system: System) -> None:
    other = to_matrix(*generated(n_users=30, n_items=20, seed=9))
    again = system.make().fit(other).fit(generated_matrix())
    fresh = system.make().fit(generated_matrix())
    assert again.score(np.arange(60)).tobytes() == fresh.score(np.arange(60)).tobytes()


@every_system
def test_a_saved_model_is_loaded_whole(system: System, tmp_path: Path) -> None:
    model = system.make().fit(generated_matrix())
    model.save(tmp_path / "model.npz")
    loaded = type(model).load(tmp_path / "model.npz")
    loaded.save(tmp_path / "again.npz")
    assert loaded.parameters == model.parameters
    assert loaded.score(np.arange(60)).tobytes() == model.score(np.arange(60)).tobytes()
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "model.npz").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again.npz", "model.npz"]


@every_system
def test_a_model_file_holds_neither_dates_nor_pickles(system: System, tmp_path: Path) -> None:
    system.make().fit(generated_matrix()).save(tmp_path / "model.npz")
    with zipfile.ZipFile(tmp_path / "model.npz") as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    with np.load(tmp_path / "model.npz", allow_pickle=False) as file:
        assert all(file[name].dtype != object for name in file.files)


@every_system
def test_the_constructor_only_stores_its_parameters(system: System) -> None:
    model = system.make()
    assert vars(model) == model.parameters


@pytest.mark.parametrize(
    "system",
    [system for system in SYSTEMS if system.personalised],
    ids=lambda system: system.name,
)
def test_unrated_items_of_the_own_community_come_first(system: System) -> None:
    train, own = communities()
    scores = system.make(**system.for_two_communities).fit(train).score(np.arange(40))
    unrated = train.toarray() == 0
    for user in range(40):
        mine = scores[user, unrated[user] & own[user]]
        others = scores[user, unrated[user] & ~own[user]]
        assert np.isfinite(mine).all()
        assert not (others >= mine.min()).any()
