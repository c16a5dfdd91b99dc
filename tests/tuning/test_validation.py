# SPDX-License-Identifier: MIT
"""The validation part is split from the training ratings, by the kind of the test."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tuning.planted import rated_by_taste

import receval as rv
from receval.splits.split import TEST, TRAIN
from receval.tuning.validation import ValidationSplit, validation_split

KINDS: list[tuple[str, dict[str, Any]]] = [
    ("random-ratio", {"train_ratio": 0.7}),
    ("user-ratio", {"train_ratio": 0.7}),
    ("k-fold", {"folds": 3, "balanced_per_user": True}),
    ("leave-out", {"held_out": 2}),
    ("leave-last-out", {"held_out": 2}),
    ("temporal", {"test_share": 0.3}),
    ("temporal", {"scope": "user", "test_share": 0.3}),
    ("temporal", {"cut": 0.6, "gap": 2.0}),
    ("uniform-test", {"test_share": 0.1, "folds": 1}),
    ("random-ratio", {"train_ratio": [0.5, 0.8], "folds": 2}),
    ("next-item", {"held_out": 2}),
]


def made(kind: str, parameters: dict[str, Any]) -> tuple[rv.SplitRatings, ValidationSplit]:
    outer = rv.split(rated_by_taste(), kind, seed=4, **parameters)
    return outer, validation_split(outer, None, 1)


@pytest.mark.each(("kind", "parameters"), KINDS)
def test_both_parts_together_are_the_training_ratings(
    kind: str, parameters: dict[str, Any]
) -> None:
    outer, inner = made(kind, parameters)
    assert inner.n_folds == outer.n_folds
    assert inner.description["kind"] == kind
    for before, after in zip(outer.folds(), inner.folds(), strict=True):
        whole = after.train + after.test.matrix(outer.ratings.n_items)
        # A gap before a cut leaves ratings out.
        left_out = before.train.nnz - whole.nnz
        assert left_out == 0 or "gap" in parameters
        assert (whole > before.train).nnz == 0
        assert before.train.multiply(before.test.matrix(outer.ratings.n_items)).nnz == 0
        assert len(after.test) > 0
    if outer.n_folds == 1:
        assert len(inner.ratings) == int((outer.parts.codes[0] == TRAIN).sum())


def test_ratings_of_a_validation_part_by_time_are_after_those_of_train() -> None:
    for parameters in ({"test_share": 0.3}, {"cut": 0.6, "gap": 2.0}):
        _, inner = made("temporal", parameters)
        codes, times = inner.parts.codes[0], inner.ratings.timestamps
        assert times is not None
        distance = times[codes == TEST].min() - times[codes == TRAIN].max()
        assert distance > 86_400 * parameters.get("gap", 0)


def test_the_share_of_the_validation_part_is_that_of_the_test() -> None:
    for kind, parameters in KINDS[:3]:
        outer, inner = made(kind, parameters)
        tests = [float(np.mean(own.parts.codes[0] == TEST)) for own in (outer, inner)]
        if kind == "k-fold":
            tests = [
                float((inner.parts.codes[0] == TEST).sum() / (inner.parts.codes[0] > 0).sum()),
                1 / 3,
            ]
        assert tests[0] == pytest.approx(tests[1], abs=0.04)


def test_each_share_of_a_split_with_several_has_its_own_and_several_folds_are_noted() -> None:
    _, inner = made("random-ratio", {"train_ratio": [0.5, 0.8]})
    shares = [(own == TRAIN).sum() / (own > 0).sum() for own in inner.parts.codes]
    assert shares == pytest.approx([0.5, 0.8], abs=0.07)
    assert inner.description["train_ratio"] == (0.5, 0.8)
    assert [note.code for note in inner.notes] == ["tuned-over-folds"]


@pytest.mark.parametrize(
    ("validation", "reason"),
    [
        ({"kind": "held-out-users", "user_share": 0.4}, "held-out users"),
        ({"kind": "time-windows", "windows": 2, "cut": 0.5}, "several windows"),
    ],
)
def test_validation_parts_that_trials_cannot_use_whole_are_refused(
    validation: dict[str, Any], reason: str
) -> None:
    outer = rv.split(rated_by_taste(), "user-ratio", train_ratio=0.7)
    with pytest.raises(ValueError, match=f"has {reason}"):
        validation_split(outer, validation)


def test_users_with_one_training_rating_are_not_in_the_validation_part() -> None:
    table = {"user": list("aabbbb"), "item": list("xyxyzw"), "timestamp": [1, 2, 1, 2, 3, 4]}
    outer = rv.split(rv.read_ratings(table), "leave-last-out")
    (fold,) = validation_split(outer).folds()
    assert np.diff(fold.test.indptr).tolist() == [0, 1]


def test_windows_of_time_are_validated_by_the_end_of_their_past() -> None:
    outer, inner = made("time-windows", {"windows": 2, "cut": 0.6, "gap": 2.0})
    assert inner.description["kind"] == "temporal"
    times = outer.ratings.timestamps
    assert times is not None
    assert inner.ratings.timestamps is not None
    for number, (before, after) in enumerate(zip(outer.folds(), inner.folds(), strict=True)):
        is_test = (inner.parts.codes[number] & TEST) > 0
        is_train = (inner.parts.codes[number] & TRAIN) > 0
        own = inner.ratings.timestamps
        assert own[is_train].max() < own[is_test].min() - 2 * 86_400
        assert own[is_test].max() < times[(outer.parts.codes[number] & TEST) > 0].min()
        share = len(before.test) / (before.train.nnz + len(before.test))
        assert len(after.test) == pytest.approx(share * before.train.nnz, abs=2)


@pytest.mark.parametrize(
    ("kind", "example"),
    [("leave-last-out", "'temporal'"), ("leave-out", "'user-ratio'")],
)
def test_a_refusal_proposes_a_part_that_is_as_safe_in_time(kind: str, example: str) -> None:
    table = {"user": list("aabb"), "item": list("xyxy"), "timestamp": [1, 2, 1, 2]}
    outer = rv.split(rv.read_ratings(table), kind)
    with pytest.raises(ValueError, match=rf"for example validation={{'kind': {example}"):
        validation_split(outer)


def test_another_kind_of_validation_part_can_be_chosen() -> None:
    outer = rv.split(rated_by_taste(), "temporal")
    chosen = {"kind": "leave-out", "held_out": 1, "equal_times": "some", "seed": 2}
    inner = validation_split(outer, chosen)
    (fold,) = inner.folds()
    assert set(np.diff(fold.test.indptr).tolist()) == {1}


def test_splits_with_an_unbiased_test_are_validated_on_observed_ratings() -> None:
    ratings = rated_by_taste()
    ratings = replace(ratings, known=np.arange(len(ratings)) % 5 > 0)
    for kind, parameters in (
        ("missing-at-random", {"unbiased_rows": "unknown"}),
        ("missing-at-random", {"unbiased_rows": "fold"}),
        ("anti-popular-familiarity", {"relevant_from": 4}),
    ):
        outer = rv.split(ratings, kind, folds=2, **parameters)
        inner = validation_split(outer)
        assert inner.description["kind"] == "k-fold"
        assert all(fold.unbiased is None for fold in inner.folds())
        if kind == "missing-at-random":
            assert inner.ratings.known is not None
            assert inner.ratings.known.all()


def test_the_threshold_is_that_of_the_test() -> None:
    rng = np.random.default_rng(1)
    user, item = np.nonzero(rng.random((30, 20)) < 0.6)
    table = {"user": user, "item": item, "rating": rng.integers(1, 6, len(user))}
    outer = rv.split(rv.read_ratings(table), "user-ratio")
    assert validation_split(outer).relevance("auto").threshold == outer.relevance("auto").threshold


def test_training_ratings_that_cannot_be_split_again_are_refused() -> None:
    table = {"user": list("aabb"), "item": list("xyxy")}
    outer = rv.split(rv.read_ratings(table), "leave-out")
    with pytest.raises(ValueError, match=r"no such validation part.*Name another kind of split"):
        validation_split(outer)


def test_a_kind_that_does_not_say_how_is_refused_with_advice() -> None:
    outer = replace(rv.split(rated_by_taste(), "user-ratio"), description={"kind": "predefined"})
    with pytest.raises(ValueError, match=r"Say it with validation="):
        validation_split(outer)
    assert validation_split(outer, {"kind": "user-ratio"}).n_folds == 1


def test_validation_ratings_that_the_split_sets_aside_are_the_validation_part() -> None:
    outer = rv.split(rated_by_taste(), "user-ratio", train_ratio=0.6, seed=4).to_frames()
    halves = rv.split(rv.read_ratings(outer.test), "user-ratio", train_ratio=0.5, seed=4)
    parts = halves.to_frames()
    given = rv.split(outer.train, "predefined", test=parts.test, validation=parts.train)
    inner = validation_split(given).to_frames()
    for own, other in ((inner.train, outer.train), (inner.test, parts.train)):
        pairs = [set(zip(one["user"], one["item"], strict=True)) for one in (own, other)]
        assert pairs[0] == pairs[1]
    tuned = rv.tune(
        given, {"kNN": (rv.UserKNN, {"neighbours": [2, 5]})}, metric="nDCG@5", budget=2, jobs=1
    )
    measured = rv.evaluate(
        rv.split(outer.train, "predefined", test=parts.train), tuned.systems, metrics=["nDCG@5"]
    )
    assert tuned.trace()["value"].max() == measured.summary()["mean"].iloc[0]
    assert tuned.words[0].endswith(" validation ratings, which the split sets aside.")
