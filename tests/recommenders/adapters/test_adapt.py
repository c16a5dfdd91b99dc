# SPDX-License-Identifier: MIT
"""What is taken for what, and what is refused, with no other library needed."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array

from receval.recommenders.adapters.adapt import adapt
from receval.recommenders.adapters.implicit_models import of_implicit
from receval.recommenders.adapters.lenskit_pipelines import of_lenskit
from receval.recommenders.adapters.scores import GivenScores, of_scores
from receval.recommenders.adapters.sklearn_estimators import of_sklearn
from receval.recommenders.non_personalised import Popularity


class OwnRecommender:
    def fit(self, train: csr_array) -> OwnRecommender:
        return self

    def score(self, users: np.ndarray) -> np.ndarray:
        return np.zeros((len(users), 3), dtype=np.float32)


def class_of(library: str, *bases: type, **members: Any) -> type:
    return type("Model", bases, {"__module__": f"{library}.models", **members})


@pytest.mark.each("system", [Popularity(), OwnRecommender(), object(), OwnRecommender])
def test_what_scores_itself_or_is_unknown_stays_what_it_is(system: object) -> None:
    assert adapt(system) is system


def test_an_own_recommender_may_derive_from_another_library() -> None:
    theirs = class_of("sklearn", score=lambda self, x, y: 0.0, fit=lambda self, x: self)
    own = class_of("mine", theirs, score=OwnRecommender.score)()
    assert adapt(own) is own
    with pytest.raises(ValueError, match="does not score items"):
        adapt(class_of("mine", theirs)())


def test_scores_are_those_of_the_array() -> None:
    scores = np.array([[1, 2, 3], [4, 5, 6]])
    adapted = adapt(scores)
    assert isinstance(adapted, GivenScores)
    rows = adapted.fit(csr_array((2, 3))).score(np.array([1, 0, 1]))
    np.testing.assert_array_equal(rows, [[4, 5, 6], [1, 2, 3], [4, 5, 6]])
    masked = of_scores(np.ma.array(scores, mask=scores == 5)).score(np.array([1]))
    np.testing.assert_array_equal(masked, [[4, np.nan, 6]])


def test_what_a_sparse_array_does_not_hold_has_no_score_and_a_zero_in_it_is_one() -> None:
    entries = coo_array(([0.0, 2.0, 1.0], ([0, 1, 1], [2, 0, 0])), shape=(2, 3))
    rows = of_scores(entries).score(np.array([0, 1]))
    nan = np.nan
    np.testing.assert_array_equal(rows, [[nan, nan, 0], [3, nan, nan]])
    twice = coo_array((np.array([200, 100], dtype=np.uint8), ([0, 0], [1, 1])), shape=(1, 2))
    np.testing.assert_array_equal(of_scores(twice).score(np.array([0])), [[nan, 300]])


@pytest.mark.each(
    "scores", [np.zeros(3), np.zeros((1, 2, 3)), np.array([["a"]]), np.zeros((2, 2), dtype=complex)]
)
def test_what_is_no_table_of_real_numbers_is_refused(scores: np.ndarray) -> None:
    with pytest.raises(ValueError, match="they must be real numbers of the shape"):
        of_scores(scores)


def test_scores_of_other_users_are_refused() -> None:
    with pytest.raises(ValueError, match=r"have the shape \(2, 3\), but they must .* \(3, 2\)"):
        of_scores(np.zeros((2, 3))).fit(csr_array((3, 2)))


@pytest.mark.each(
    ("adapter", "sentence"),
    [
        (of_implicit, "is not a model of implicit"),
        (of_sklearn, "is not an estimator of scikit-learn"),
        (of_lenskit, "is neither a pipeline nor a scorer of LensKit"),
    ],
)
def test_an_adapter_refuses_what_is_not_of_its_library(adapter: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        adapter(OwnRecommender())


def test_threads_are_at_least_one() -> None:
    model = class_of("implicit", recommend=lambda self: None)()
    with pytest.raises(ValueError, match="threads is 0"):
        of_implicit(model, threads=0)


def test_an_estimator_without_components_is_refused_when_it_was_trained() -> None:
    members = {
        "fit": lambda self, x: self,
        "transform": lambda self, x: x,
        "inverse_transform": lambda self, x: x,
    }
    adapted = of_sklearn(class_of("sklearn", **members)())
    with pytest.raises(ValueError, match="has no components after training"):
        adapted.fit(csr_array(np.eye(2, dtype=np.float32)))


def test_a_lenskit_without_pipelines_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    # Before 2025 LensKit had algorithms, and no module of pipelines.
    monkeypatch.setitem(sys.modules, "lenskit", ModuleType("lenskit"))
    for name in [name for name in sys.modules if name.startswith("lenskit.")]:
        monkeypatch.delitem(sys.modules, name)
    scorer = class_of("lenskit")()
    with pytest.raises(ValueError, match=r"no module lenskit\.pipeline\. .* LensKit 2025 or newer"):
        adapt(scorer)
