# SPDX-License-Identifier: MIT
"""The settings to try: combinations of lists, or draws from lists and distributions."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import stats

from receval.recommenders.knn import UserKNN
from receval.tuning.search_space import SearchSpace


def space(grids: Any) -> SearchSpace:
    return SearchSpace.of("kNN", (UserKNN, grids))


def test_all_combinations_are_tried_without_a_budget() -> None:
    settings, is_exhausted = space({"b": [1, 2], "a": ["x", "y"], "c": 0.5}).settings(None, 1)
    assert is_exhausted
    assert [tuple(own.values()) for own in settings] == [
        ("x", 1, 0.5), ("x", 2, 0.5), ("y", 1, 0.5), ("y", 2, 0.5)
    ]  # fmt: skip


def test_several_grids_are_tried_one_after_the_other() -> None:
    settings, _ = space([{"a": [1]}, {"b": [2, 3]}]).settings(None, 1)
    assert settings == [{"a": 1}, {"b": 2}, {"b": 3}]


def test_repeated_values_count_once_and_numbers_are_those_of_python() -> None:
    settings, _ = space({"a": np.array([5, 5, 6])}).settings(None, 1)
    assert settings == [{"a": 5}, {"a": 6}]
    assert type(settings[0]["a"]) is int


def test_draws_depend_on_the_seed_and_the_name_alone() -> None:
    grid = {"a": stats.loguniform(0.01, 1), "b": [1, 2]}
    one, again, other = (space(grid).settings(5, seed)[0] for seed in (1, 1, 2))
    assert one == again != other
    assert all(0.01 <= own["a"] <= 1 and type(own["a"]) is float for own in one)
    named = SearchSpace.of("mine", (UserKNN, grid)).settings(5, 1)[0]
    assert named != one


def test_draws_from_lists_do_not_repeat() -> None:
    settings, is_exhausted = space({"a": list(range(5)), "b": [1, 2]}).settings(9, 1)
    assert len({tuple(own.values()) for own in settings}) == 9
    assert not is_exhausted


@pytest.mark.each(
    ("given", "told"),
    [
        (UserKNN(), "must be a pair of a class"),
        ((UserKNN, {}), "no parameter of 'kNN' to tune"),
        ((UserKNN, {"a": []}), "no value of a to try"),
        ((UserKNN, {"a": {1: 2}}), "The values of a to try for 'kNN' are a dict"),
        ((UserKNN, 5), "are a int. Give a mapping"),
    ],
)
def test_what_is_no_grid_is_refused(given: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        SearchSpace.of("kNN", given)


def test_distributions_need_a_budget() -> None:
    with pytest.raises(ValueError, match="Say with budget="):
        space({"a": stats.uniform(0, 1)}).settings(None, 1)


def test_a_parameter_that_does_not_exist_is_refused_before_training() -> None:
    with pytest.raises(ValueError, match=r"No setting of 'kNN' makes a system.*neighbors"):
        space({"neighbors": [5]}).check([{"neighbors": 5}])
    # One that can be made is enough: the others are trials that fail.
    space({"neighbours": [0, 5]}).check([{"neighbours": 0}, {"neighbours": 5}])


def test_makers_with_other_arguments_have_other_names() -> None:
    def of(make: Any) -> str:
        return SearchSpace.of("kNN", (make, {"neighbours": [1]})).maker

    assert of(UserKNN) == "receval.recommenders.knn:UserKNN"
    assert len({of(UserKNN), of(partial(UserKNN, threshold=1)), of(partial(UserKNN, 2))}) == 3
    long, printed_alike = np.arange(2000.0), np.append(np.arange(1999.0), 1999.000001)
    assert of(partial(UserKNN, long)) == of(partial(UserKNN, long.copy()))
    assert of(partial(UserKNN, long)) != of(partial(UserKNN, printed_alike))
    names = [of(lambda neighbours, own=own: UserKNN(own)) for own in (long, printed_alike)]
    assert len({*names, *(of(lambda neighbours: UserKNN(long)) for _ in range(2))}) == 3
    assert len(space({"a": [long, long.copy(), printed_alike]}).settings(None, 1)[0]) == 2
    assert len(space({"a": [lambda own: 1, lambda own: 2]}).settings(None, 1)[0]) == 2


def test_without_scikit_learn_all_combinations_are_tried_and_draws_say_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "sklearn.model_selection", raising=False)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    grid = space({"neighbours": [1, 2]})
    assert grid.settings(None, 1) == ([{"neighbours": 1}, {"neighbours": 2}], True)
    with pytest.raises(ValueError, match=r"drawn by scikit-learn.*pip install scikit-learn"):
        grid.settings(1, 1)
