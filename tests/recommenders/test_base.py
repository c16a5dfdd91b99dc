# SPDX-License-Identifier: MIT
"""What fit, score, save and load refuse, and how the registry finds a system."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from recommenders.matrices import generated, generated_matrix, to_matrix
from scipy.sparse import csr_array, csr_matrix

from receval.recommenders.base import load, make
from receval.recommenders.knn import ItemKNN, UserKNN
from receval.recommenders.non_personalised import OptimalRanking, Popularity
from receval.recommenders.plsa import PLSA
from receval.recommenders.puresvd import PureSVD


def test_a_matrix_without_ratings_is_refused() -> None:
    with pytest.raises(ValueError, match=r"Popularity\.fit got a training matrix of shape \(3, 4"):
        Popularity().fit(csr_array((3, 4), dtype=np.float32))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_rating_that_is_no_number_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="not finite"):
        Popularity().fit(csr_array(np.array([[1.0, value]], dtype=np.float32)))


def test_a_dense_matrix_is_refused() -> None:
    with pytest.raises(TypeError, match=r"Popularity\.fit takes the training .* got ndarray"):
        Popularity().fit(np.ones((2, 2)))  # type: ignore[arg-type]


def shuffled(size: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).permutation(size)


def test_an_order_renumbers_what_is_learnt_and_not_the_scores(tmp_path: Path) -> None:
    train = generated_matrix()
    users, items = shuffled(train.shape[0], 1), shuffled(train.shape[1], 2)
    model = PLSA(topics=3, iterations=5, seed=1).fit(train, order=(users, items))
    renumbered = PLSA(topics=3, iterations=5, seed=1).fit(train[users][:, items])
    some = np.array([7, 3, 3, 59, 0])
    expected = np.empty((len(some), train.shape[1]), dtype=np.float32)
    expected[:, items] = renumbered.score(np.argsort(users)[some])
    np.testing.assert_array_equal(model.score(some), expected)
    assert not np.array_equal(expected, PLSA(topics=3, iterations=5, seed=1).fit(train).score(some))
    model.save(tmp_path / "model.npz")
    np.testing.assert_array_equal(PLSA.load(tmp_path / "model.npz").score(some), expected)


def test_an_oracle_meets_train_and_test_in_the_same_order() -> None:
    train, test = generated_matrix(), to_matrix(*generated(seed=2))
    order = (shuffled(train.shape[0], 1), shuffled(train.shape[1], 2))
    everyone = np.arange(train.shape[0])
    plain = OptimalRanking(knowledge="judged").fit(train, test).score(everyone)
    np.testing.assert_array_equal(
        OptimalRanking(knowledge="judged").fit(train, test, order).score(everyone), plain
    )


def test_a_second_fit_forgets_the_order_of_the_first() -> None:
    train = generated_matrix()
    order = (shuffled(train.shape[0], 1), shuffled(train.shape[1], 2))
    twice = ItemKNN(neighbours=3).fit(train, order=order).fit(train)
    once = ItemKNN(neighbours=3).fit(train)
    np.testing.assert_array_equal(twice.score(np.arange(9)), once.score(np.arange(9)))


def test_a_refused_fit_leaves_the_model_as_it_was() -> None:
    train = generated_matrix()
    order = (shuffled(train.shape[0], 1), shuffled(train.shape[1], 2))
    model = PureSVD(factors=3).fit(train, order=order)
    before = model.score(np.arange(9))
    with pytest.raises(ValueError, match="order of the users"):
        model.fit(train, order=(order[0][:-1], order[1]))
    with pytest.raises(ValueError, match="parameter factors"):
        model.fit(train[:2])
    np.testing.assert_array_equal(model.score(np.arange(9)), before)


@pytest.mark.parametrize(
    ("users", "items", "message"),
    [
        ([0, 1], [0, 0], r"order of the items must have every code from 0 to 1 once.* 1 different"),
        ([1, 2], [0, 1], "order of the users must have every code from 0 to 1 once"),
        ([0], [0, 1], r"order of the users .* shape \(1,\)"),
    ],
)
def test_an_order_without_every_code_is_refused(
    users: list[int], items: list[int], message: str
) -> None:
    train = csr_array(np.array([[1, 2], [3, 0]], dtype=np.float32))
    with pytest.raises(ValueError, match=message):
        Popularity().fit(train, order=(np.array(users), np.array(items)))


@pytest.mark.parametrize(
    ("test", "message"),
    [
        (
            np.ones((2, 2)),
            r"test ratings of shape \(2, 2\), but training .* \(2, 3\)",
        ),
        (np.zeros((2, 3)), r"a test matrix of shape \(2, 3\) without any rating"),
        (np.full((2, 3), np.inf), "test ratings that are not finite"),
    ],
)
def test_wrong_test_ratings_of_an_oracle_are_refused(test: np.ndarray, message: str) -> None:
    train = csr_array(np.ones((2, 3), dtype=np.float32))
    with pytest.raises(ValueError, match=message):
        OptimalRanking(knowledge="judged").fit(train, csr_array(test))


def test_unsorted_repeated_and_wider_entries_are_one_matrix() -> None:
    parts = (np.array([1.0, 2.0, 3.0]), np.array([1, 0, 1]), np.array([0, 3]))
    repeated = csr_matrix(parts, shape=(1, 2))
    model = UserKNN().fit(repeated)
    np.testing.assert_array_equal(model.ratings_.toarray(), [[2.0, 4.0]])
    assert model.ratings_.data.dtype == np.float32
    assert repeated.nnz == 3


def test_scoring_before_fitting_is_refused() -> None:
    with pytest.raises(ValueError, match="PLSA is not fitted"):
        PLSA().score(np.array([0]))


@pytest.mark.parametrize("users", [[-1], [60], [0, 99]])
def test_unknown_users_are_refused(users: list[int]) -> None:
    model = Popularity().fit(generated_matrix())
    with pytest.raises(ValueError, match=r"fitted on the users 0\.\.59"):
        model.score(np.array(users))


@pytest.mark.parametrize("users", [np.array([0.0]), np.array([[0]]), np.array(0)])
def test_users_that_are_no_list_of_codes_are_refused(users: Any) -> None:
    with pytest.raises(ValueError, match="one-dimensional array of user codes"):
        Popularity().fit(generated_matrix()).score(users)


def test_more_factors_than_the_matrix_has_are_refused_by_fit_and_beforehand() -> None:
    for refused in (
        lambda: PureSVD(factors=46).fit(generated_matrix()),
        lambda: PureSVD(factors=46).check_size(60, 45),
    ):
        with pytest.raises(ValueError, match=r"PureSVD: the parameter factors is 46.* at most 45"):
            refused()
    PureSVD(factors=45).fit(generated_matrix())


def test_negative_ratings_are_refused_where_they_are_counts() -> None:
    with pytest.raises(ValueError, match=r"PLSA .* smallest is -1\.0"):
        PLSA().fit(csr_array(np.array([[1, -1]], dtype=np.float32)))


def test_a_model_of_another_class_is_refused(tmp_path: Path) -> None:
    UserKNN().fit(generated_matrix()).save(tmp_path / "model.npz")
    with pytest.raises(ValueError, match=r"model\.npz holds a .*:UserKNN, but .*:ItemKNN"):
        ItemKNN.load(tmp_path / "model.npz")


def test_a_damaged_model_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    UserKNN().fit(generated_matrix()).save(path)
    whole = path.read_bytes()
    for damaged in (b"", whole[: len(whole) // 2], b"not a model" * 9):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"model\.npz is damaged: .* Make it again"):
            UserKNN.load(path)


def test_a_save_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.npz"
    path.write_bytes(b"old")

    def full_disk(file: Any, *_: Any, **__: Any) -> None:
        file.write(b"half")
        raise OSError("No space left on device")

    model = Popularity().fit(generated_matrix())
    monkeypatch.setattr(np.lib.format, "write_array", full_disk)
    with pytest.raises(OSError, match="No space"):
        model.save(path)
    assert [(entry.name, entry.read_bytes()) for entry in tmp_path.iterdir()] == [
        ("model.npz", b"old")
    ]


def test_an_unknown_parameter_is_refused_with_the_accepted_ones() -> None:
    with pytest.raises(ValueError, match="PLSA has no parameter 'factors'; it accepts: topics, it"):
        make("receval.recommenders.plsa:PLSA", {"factors": 9}, 1)


def test_a_system_without_parameters_says_that_it_accepts_none() -> None:
    with pytest.raises(ValueError, match="Popularity has no parameter 'k'; it accepts: none"):
        make("receval.recommenders.non_personalised:Popularity", {"k": 9}, 1)


def test_a_configured_seed_is_refused() -> None:
    with pytest.raises(ValueError, match="PLSA: the parameter seed cannot be configured"):
        make("receval.recommenders.plsa:PLSA", {"seed": 9}, 1)


@pytest.mark.parametrize(
    "path",
    [
        "receval.recommenders.nothing:Nothing",
        "receval.recommenders.plsa:Nothing",
        "receval.recommenders.plsa",
        "",
    ],
)
def test_an_unknown_class_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="There is no recommender"):
        make(path, {}, 1)


def test_a_class_that_is_no_recommender_is_refused() -> None:
    with pytest.raises(ValueError, match="is not a recommender"):
        make("collections:Counter", {}, 1)


def test_the_seed_reaches_only_the_systems_that_draw() -> None:
    assert make("receval.recommenders.plsa:PLSA", {"topics": 3}, 77).parameters == {
        "topics": 3,
        "iterations": 100,
        "seed": 77,
        "librec_seed": None,
    }
    assert make("receval.recommenders.puresvd:PureSVD", {}, 77).parameters == {"factors": 25}


def test_the_registry_loads_what_a_system_saved(tmp_path: Path) -> None:
    model = UserKNN(neighbours=3).fit(generated_matrix())
    model.save(tmp_path / "model.npz")
    loaded = load("receval.recommenders.knn:UserKNN", tmp_path / "model.npz")
    assert loaded.parameters == model.parameters
    np.testing.assert_array_equal(loaded.score(np.arange(60)), model.score(np.arange(60)))


@pytest.mark.parametrize(
    ("class_path", "name"),
    [
        ("plsa:PLSA", "topics"),
        ("wrmf:WRMF", "factors"),
        ("wrmf:WRMF", "iterations"),
        ("slim:SLIM", "sweeps"),
        ("knn:ItemKNN", "neighbours"),
        ("gbpr:GBPR", "group_size"),
        ("wbpr:WBPR", "samples_per_user"),
    ],
)
def test_a_parameter_beyond_what_the_data_need_is_refused(class_path: str, name: str) -> None:
    system = make(f"receval.recommenders.{class_path}", {}, 1)
    setattr(system, name, 10**9)
    with pytest.raises(ValueError, match=rf"{name} is 1000000000, but for 60 users and 45 items"):
        system.fit(generated_matrix())


def test_as_many_factors_as_a_matrix_has_rows_are_allowed() -> None:
    make("receval.recommenders.plsa:PLSA", {"topics": 1001}, 1).check_size(1001, 2000)
