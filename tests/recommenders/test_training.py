# SPDX-License-Identifier: MIT
"""Training by name: what a system learns from, and what is refused before the data is read."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from declared_files import table_in

from receval.data.ratings import Ratings
from receval.protocols.evaluation import rank_judged
from receval.protocols.judged_ranks import read_ranks
from receval.protocols.protocol import Protocol
from receval.recommenders.base import model_file
from receval.recommenders.non_personalised import AverageRating, OptimalRanking
from receval.seeds import generator
from receval.splits.split import TEST, TRAIN, UNBIASED, Split, fold
from reproduction.workflow.jobs.systems import rank_system, train_system

NAMES = ("twin", "folds", "system")


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    """Six ratings of two items: four train, one tests, one is an unbiased test."""
    ratings = Ratings(
        users=np.array([0, 1, 2, 0, 1, 2], dtype=np.int32),
        items=np.array([0, 0, 0, 1, 1, 1], dtype=np.int32),
        values=np.array([5, 4, 1, 3, 5, 4], dtype=np.float32),
        user_ids=np.array(["a", "b", "c"]),
        item_ids=np.array(["x", "y"]),
    )
    ratings.write(tmp_path)
    codes = np.array([TRAIN, TRAIN, TRAIN, TRAIN, TEST, UNBIASED], dtype=np.uint8)
    Split((codes,)).write(tmp_path / "split.npz")
    return tmp_path


def train(folder: Path, recommender: str, parameters: dict[str, Any], **more: Any) -> Path:
    models = folder / "models"
    train_system(
        ratings=table_in(folder),
        split=folder / "split.npz",
        models=models,
        recommender=recommender,
        parameters=parameters,
        seed=1,
        names=NAMES,
        **more,
    )
    return model_file(models, 0)


AVERAGE = "receval.recommenders.non_personalised:AverageRating"


@pytest.mark.parametrize(
    ("grades_from", "means"), [(None, [10 / 3, 3.0]), (4, [1.0, 0.0]), (3, [5 / 3, 1.0])]
)
def test_a_system_learns_from_ratings_or_from_grades(
    prepared: Path, grades_from: float | None, means: list[float]
) -> None:
    path = train(prepared, AVERAGE, {"smoothing": 0}, grades_from=grades_from)
    np.testing.assert_allclose(AverageRating.load(path).score(np.array([0]))[0], means, rtol=1e-6)


def test_an_oracle_learns_from_the_unbiased_test_where_there_is_one(prepared: Path) -> None:
    recommender = "receval.recommenders.non_personalised:OptimalRanking"
    path = train(prepared, recommender, {"knowledge": "judged"}, grades_from=5)
    # The test rating of item y is 5, the unbiased one 4: below the threshold of the grades.
    np.testing.assert_array_equal(OptimalRanking.load(path).score(np.array([0])), [[0, 0]])


def test_a_system_meets_users_and_items_by_code_or_by_appearance(tmp_path: Path) -> None:
    ratings = Ratings(
        users=np.array([2, 0, 1, 2], dtype=np.int32),
        items=np.array([1, 0, 1, 0], dtype=np.int32),
        values=np.array([5, 4, 1, 3], dtype=np.float32),
        user_ids=np.array(["a", "b", "c"]),
        item_ids=np.array(["x", "y"]),
    )
    ratings.write(tmp_path)
    Split((np.array([TRAIN, TRAIN, TEST, TRAIN], dtype=np.uint8),)).write(tmp_path / "split.npz")
    by_code = AverageRating.load(train(tmp_path, AVERAGE, {}))
    by_appearance = AverageRating.load(train(tmp_path, AVERAGE, {}, order="appearance"))
    assert not hasattr(by_code, "order_of_items_")
    assert by_appearance.order_of_users_.tolist() == [2, 0, 1]
    assert by_appearance.order_of_items_.tolist() == [1, 0]
    users = np.arange(3)
    np.testing.assert_array_equal(by_appearance.score(users), by_code.score(users))


@pytest.mark.parametrize(
    ("recommender", "parameters", "message"),
    [
        (AVERAGE, {"smoothing": -1}, "AverageRating: the parameter smoothing is -1"),
        (AVERAGE, {"mu": 1}, "AverageRating has no parameter 'mu'; it accepts: smoothing"),
        (
            "receval.recommenders.puresvd:PureSVD",
            {"factors": 50},
            "PureSVD: the parameter factors is 50, "
            "but a matrix of 3 users and 2 items allows at most",
        ),
    ],
)
def test_bad_parameters_are_refused_before_any_rating_is_read(
    prepared: Path, recommender: str, parameters: dict[str, Any], message: str
) -> None:
    (prepared / "ratings.parquet").unlink()
    with pytest.raises(ValueError, match=message):
        train(prepared, recommender, parameters)
    assert not list(prepared.glob("models*"))


def test_every_fold_is_ranked_with_or_without_unbiased_ratings(prepared: Path) -> None:
    plain = np.array([TEST, TRAIN, TRAIN, TRAIN, TRAIN, TEST], dtype=np.uint8)
    unbiased = np.array([TRAIN, TRAIN, TEST, TRAIN, UNBIASED, TEST | UNBIASED], dtype=np.uint8)
    Split((plain, unbiased, plain[::-1])).write(prepared / "split.npz")
    train(prepared, AVERAGE, {})
    protocols = [Protocol(), Protocol("1R", "AI", 1, 4.0)]
    rank_system(
        ratings=table_in(prepared),
        split=prepared / "split.npz",
        models=prepared / "models",
        ranks=prepared / "ranks.npz",
        recommender=AVERAGE,
        protocols=[vars(protocol) for protocol in protocols],
        seed=1,
        names=NAMES[:2],
    )
    table, split = Ratings.read(prepared), Split.read(prepared / "split.npz")
    for number in range(3):
        data = fold(table, split, number)
        model = AverageRating.load(model_file(prepared / "models", number))
        for part in ("test", "unbiased"):
            if part == "unbiased" and number != 1:
                with pytest.raises(KeyError, match=f"no ranks for {protocols[0].key}/{number}"):
                    read_ranks(prepared / "ranks.npz", protocols[0].key, number, part)
                continue
            seeded = partial(generator, 1, *NAMES[:2], number)
            expected = rank_judged(model, data, protocols, seeded, part)
            for protocol, outcome in zip(protocols, expected, strict=True):
                found = read_ranks(prepared / "ranks.npz", protocol.key, number, part)
                np.testing.assert_array_equal(found.ranks, outcome.ranks)
                np.testing.assert_array_equal(found.lengths, outcome.lengths)
                np.testing.assert_array_equal(found.candidates, outcome.candidates)
