# SPDX-License-Identifier: MIT
"""What fit, score, save and load refuse, and how the registry finds a system."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from recommenders.matrices import generated, generated_matrix, to_matrix
from scipy.sparse import csr_array, csr_matrix
from threadpoolctl import threadpool_info, threadpool_limits

from receval.recommenders import base
from receval.recommenders.base import Recommender, load, make, on_one_thread
from receval.recommenders.eals import EALS
from receval.recommenders.hitting_time import HittingTime
from receval.recommenders.implicit_systems import ImplicitALS
from receval.recommenders.knn import ItemKNN, UserKNN
from receval.recommenders.language_model_neighbourhood import LanguageModelNeighbourhood
from receval.recommenders.lda import LDA
from receval.recommenders.non_personalised import OptimalRanking, Popularity
from receval.recommenders.plsa import PLSA
from receval.recommenders.poisson_factorisation import PoissonFactorisation
from receval.recommenders.puresvd import PureSVD
from receval.recommenders.relevance_model import RelevanceModel
from receval.recommenders.rocchio import Rocchio
from receval.recommenders.sklearn_topics import SklearnLDA, SklearnNMF
from receval.recommenders.user_item_relevance import UserItemRelevance
from receval.recommenders.wrmf import WRMF


@pytest.mark.each(
    ("matrix", "kind", "message"),
    [
        (csr_array((3, 4), dtype=np.float32), ValueError, r"training matrix of shape \(3, 4"),
        (csr_array(np.float32([[1, np.nan]])), ValueError, "not finite"),
        (csr_array(np.float32([[1, np.inf]])), ValueError, "not finite"),
        (np.ones((2, 2)), TypeError, "takes the training .* got ndarray"),
    ],
)
def test_what_is_no_matrix_of_ratings_is_refused(
    matrix: Any, kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=rf"Popularity\.fit .*{message}"):
        Popularity().fit(matrix)


@pytest.mark.each(
    "model",
    [
        *(PLSA(), LDA(), PoissonFactorisation(), LanguageModelNeighbourhood(), HittingTime()),
        *(UserItemRelevance(), Rocchio(), RelevanceModel(), WRMF(weights="rating"), EALS()),
        *(WRMF(weights="logarithm"), ImplicitALS(weights="rating"), SklearnNMF(), SklearnLDA()),
    ],
    ids=lambda model: type(model).__name__,
)
def test_negative_ratings_are_refused_where_they_count_or_weigh(model: Recommender) -> None:
    train = generated_matrix()
    train.data[3] = -1
    message = rf"{type(model).__name__}.* the smallest .*is -1\.0: ratings must be at least 0"
    with pytest.raises(ValueError, match=message):
        model.fit(train)


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


@pytest.mark.each(
    ("users", "items", "message"),
    [
        (
            [0, 1],
            [0, 0],
            r"order of the items must contain every code from 0 to 1 exactly once.* 1 different",
        ),
        ([1, 2], [0, 1], "order of the users must contain every code from 0 to 1 exactly once"),
        ([0], [0, 1], r"order of the users .* shape \(1,\)"),
    ],
)
def test_an_order_without_every_code_is_refused(
    users: list[int], items: list[int], message: str
) -> None:
    train = csr_array(np.array([[1, 2], [3, 0]], dtype=np.float32))
    with pytest.raises(ValueError, match=message):
        Popularity().fit(train, order=(np.array(users), np.array(items)))


@pytest.mark.each(
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


@pytest.mark.each("users", [[-1], [60], [0, 99]])
def test_unknown_users_are_refused(users: list[int]) -> None:
    model = Popularity().fit(generated_matrix())
    with pytest.raises(ValueError, match=r"fitted on the users 0\.\.59"):
        model.score(np.array(users))


@pytest.mark.each("users", [np.array([0.0]), np.array([[0]]), np.array(0)])
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


@pytest.mark.each(
    ("path", "parameters", "message"),
    [
        ("receval.recommenders.plsa:PLSA", {"factors": 9}, "has no .* 'factors'; .*: topics, it"),
        ("receval.recommenders.non_personalised:Popularity", {"k": 9}, "it accepts: none"),
        ("receval.recommenders.plsa:PLSA", {"seed": 9}, "PLSA: the parameter seed cannot be conf"),
        ("receval.recommenders.nothing:Nothing", {}, "There is no recommender"),
        ("receval.recommenders.plsa:Nothing", {}, "There is no recommender"),
        ("receval.recommenders.plsa", {}, "There is no recommender"),
        ("", {}, "There is no recommender"),
        ("collections:Counter", {}, "is not a recommender"),
    ],
)
def test_unknown_classes_and_parameters_are_refused(
    path: str, parameters: dict[str, int], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        make(path, parameters, 1)


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


@pytest.mark.each(
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


def numbers_of_threads() -> set[int]:
    return {library["num_threads"] for library in threadpool_info()}


def test_all_libraries_are_held_to_one_thread_and_let_go_again() -> None:
    with threadpool_limits(limits=2):
        for _ in range(2):
            with on_one_thread():
                assert numbers_of_threads() == {1}
            assert numbers_of_threads() == {2}


def test_they_are_let_go_where_training_fails() -> None:
    with threadpool_limits(limits=2):
        with pytest.raises(ValueError, match="on purpose"), on_one_thread():
            raise ValueError("on purpose")
        assert numbers_of_threads() == {2}


def test_libraries_are_looked_for_again_only_where_more_modules_have_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searches = []

    class Controller(base.ThreadpoolController):
        def __init__(self) -> None:
            searches.append(len(sys.modules))
            super().__init__()

    monkeypatch.setattr(base, "ThreadpoolController", Controller)
    monkeypatch.setitem(sys.modules, "one_more", ModuleType("one_more"))
    for expected in (1, 1):
        with on_one_thread():
            assert len(searches) == expected
    monkeypatch.setitem(sys.modules, "another_one", ModuleType("another_one"))
    with on_one_thread():
        assert len(searches) == 2
