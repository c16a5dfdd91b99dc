# SPDX-License-Identifier: MIT
from importlib import import_module
from typing import get_args

import numpy as np
import pytest
from pydantic import TypeAdapter, ValidationError
from splits.generated_ratings import skewed_ratings

import receval as rv
from receval.splits.kinds import SPLITTERS, AnySplitSpec, SelectionSpec, SplitSpec, make_split
from receval.splits.split import TEST

SPLIT = TypeAdapter(AnySplitSpec)

KINDS = [
    {"kind": "random-ratio", "folds": 2},
    {"kind": "random-ratio", "train_ratio": [0.2, 0.5, 0.8], "folds": 2},
    {"kind": "user-ratio", "folds": 2},
    {"kind": "k-fold"},
    {"kind": "k-fold", "balanced_per_user": True},
    {"kind": "leave-out", "held_out": 2},
    {"kind": "leave-last-out", "held_out": 2},
    {"kind": "temporal"},
    {"kind": "temporal", "cut": 0.8, "gap": 2e-5},
    {"kind": "temporal", "scope": "user", "repeats": "keep"},
    {"kind": "time-windows", "windows": 4},
    {"kind": "time-windows", "days": 2e-4, "past_days": 3e-3, "gap": 2e-5},
    {"kind": "next-item", "held_out": 3},
    {"kind": "held-out-users", "folds": 2},
    {"kind": "held-out-users", "order": "time"},
    {"kind": "uniform-test", "folds": 2},
    {"kind": "missing-at-random", "unbiased_rows": "fold"},
    {"kind": "missing-at-random", "unbiased_rows": "unknown"},
    {"kind": "anti-popular-familiarity", "relevant_from": 4},
    {"kind": "predefined", "file": "folds.txt", "content": "fold-numbers"},
]
RANDOM_KINDS = [
    kind
    for kind in KINDS
    if kind["kind"] not in ("temporal", "leave-last-out", "time-windows", "next-item", "predefined")
]


@pytest.fixture(scope="module")
def ratings():
    return skewed_ratings()


def made(ratings, kind, seed=1, dataset="data", name="name", auxiliary_files=None):
    split = make_split(
        ratings, SPLIT.validate_python(kind), seed, dataset, name, auxiliary_files or {}
    )
    return np.array(list(split.codes))


def test_every_kind_of_configuration_has_a_splitter_and_the_reverse():
    kinds = {get_args(model.model_fields["kind"].annotation)[0] for model in get_args(SplitSpec)}
    assert kinds == set(SPLITTERS)
    for path in SPLITTERS.values():
        module, function = path.split(":")
        assert callable(getattr(import_module(module), function))


@pytest.mark.each("kind", [*KINDS, {"kind": "k-fold", "selection": {}}], ids=str)
def test_configurations_cannot_be_changed_and_serve_as_keys(kind):
    split = SPLIT.validate_python(kind)
    assert {split: kind}[SPLIT.validate_python(kind)] == kind
    for part in (split, split.selection):
        if part is not None:
            with pytest.raises(ValidationError, match="frozen"):
                setattr(part, next(iter(type(part).model_fields)), None)


@pytest.mark.each("kind", KINDS, ids=str)
def test_every_kind_can_be_made_and_is_the_same_each_time(ratings, kind, tmp_path):
    folds = tmp_path / "folds.txt"
    folds.write_text("".join(f"{1 + row % 3}\n" for row in range(len(ratings))))
    first = made(ratings, kind, auxiliary_files={"folds.txt": folds})
    made(ratings, {"kind": "k-fold"}, name="another-split-in-between")
    np.testing.assert_array_equal(first, made(ratings, kind, auxiliary_files={"folds.txt": folds}))
    assert ((first & TEST) > 0).any(axis=1).all()
    planned = SPLIT.validate_python(kind).n_folds
    assert planned == (None if kind["kind"] == "predefined" else len(first))
    files = SPLIT.validate_python(kind).files
    assert files == (("folds.txt",) if kind["kind"] == "predefined" else ())


@pytest.mark.each(
    ("kind", "parameters", "what"),
    [
        ("user-ratio", {"train_ratio": 0.99}, "The split user-ratio has no test rating"),
        ("k-fold", {"folds": 7}, "Fold 1 of 7 of the split k-fold has no test rating"),
        ("random-ratio", {"train_ratio": 0.01}, "The split random-ratio has no training rating"),
    ],
)
def test_a_split_without_training_or_test_ratings_is_refused(
    kind: str, parameters: dict[str, object], what: str
) -> None:
    ratings = rv.read_ratings({"user": list("aabbcc"), "item": list("xyxyxy"), "rating": [5] * 6})
    with pytest.raises(ValueError, match=f"{what}: there are 6 ratings of 3 users"):
        rv.split(ratings, kind, **parameters)


def test_only_the_order_of_time_of_held_out_users_needs_times_and_only_all_items_count_folds():
    ordered = SPLIT.validate_python({"kind": "held-out-users", "order": "time"})
    assert ordered.needs_timestamps
    assert SPLIT.validate_python({"kind": "next-item", "held_out": "all"}).n_folds is None


def test_the_partition_of_another_split_is_the_same_under_any_name(ratings):
    other = {"kind": "k-fold", "partition_of": "name"}
    first = made(ratings, {"kind": "k-fold"})
    np.testing.assert_array_equal(made(ratings, other, name="again"), first)
    assert (made(ratings, {"kind": "k-fold"}, name="again") != first).any()
    assert (made(ratings, other, seed=2, name="again") != first).any()


@pytest.mark.each("kind", RANDOM_KINDS, ids=str)
@pytest.mark.each("change", [{"seed": 2}, {"dataset": "other"}, {"name": "other"}], ids=str)
def test_root_seed_dataset_and_name_each_change_the_split(ratings, kind, change):
    assert (made(ratings, kind) != made(ratings, kind, **change)).any()


@pytest.mark.each("kind", ["random-ratio", "user-ratio", "leave-out", "uniform-test"])
def test_a_repetition_does_not_depend_on_how_many_there_are(ratings, kind):
    few = made(ratings, {"kind": kind, "folds": 2})
    many = made(ratings, {"kind": kind, "folds": 4})
    np.testing.assert_array_equal(few, many[:2])
    assert (many[0] != many[1]).any()


def test_a_predefined_split_without_its_file_says_which(ratings):
    kind = {"kind": "predefined", "file": "pairs.tsv", "content": "held-out-pairs"}
    assert SPLIT.validate_python(kind).n_folds == 1
    with pytest.raises(ValueError, match=r"split 'name' of the dataset 'data'.*'pairs\.tsv'"):
        made(ratings, kind)


FOLDS = ("folds", [1, 99], [0, 100])
PARTS = ("folds", [2, 99], [1, 100])
SHARES = (
    "train_ratio",
    [1e-9, 0.999, (0.1, 0.2)],
    [0, 1, (), (0.5, 1.0), (0.5, "much"), ((0.5,),), "0.5,0.6", (0.5, 0.5)],
)
BOUNDS = {
    "random-ratio": [FOLDS, SHARES],
    "user-ratio": [FOLDS, SHARES],
    "k-fold": [PARTS, ("partition_of", ["a"], [""])],
    "leave-out": [FOLDS, ("held_out", [1], [0])],
    "leave-last-out": [("held_out", [1], [0])],
    "temporal": [("gap", [0, 1e-9], [-1e-9]), ("test_share", [1e-9, 0.999], [0, 1])],
    "time-windows": [
        ("windows", [1, 99], [0, 100]),
        ("days", [1e-9, None], [0]),
        ("past_days", [1e-9, None], [0]),
        ("gap", [0, 1e-9], [-1e-9]),
    ],
    "next-item": [("held_out", [1, 99, "all"], [0, 100, "some"])],
    "held-out-users": [
        FOLDS,
        ("user_share", [1e-9, 0.999], [0, 1]),
        ("fold_in_ratio", [1e-9, 0.999], [0, 1]),
    ],
    "uniform-test": [
        FOLDS,
        ("test_share", [1e-9, 0.999], [0, 1]),
        ("min_train_ratio", [0, 0.999], [-1e-9, 1]),
    ],
    "missing-at-random": [PARTS],
    "anti-popular-familiarity": [PARTS],
    "predefined": [("file", ["a"], [""])],
}
NEEDED = {
    "missing-at-random": {"unbiased_rows": "fold"},
    "anti-popular-familiarity": {"relevant_from": 4.0},
    "predefined": {"file": "folds.txt", "content": "fold-numbers"},
}


@pytest.mark.each("kind", BOUNDS)
def test_numbers_of_a_configuration_have_these_bounds(kind):
    for name, accepted, refused in BOUNDS[kind]:
        for value in accepted:
            spec = SPLIT.validate_python({"kind": kind, **NEEDED.get(kind, {}), name: value})
            assert getattr(spec, name) == value
        for value in refused:
            with pytest.raises(ValidationError, match=name):
                SPLIT.validate_python({"kind": kind, **NEEDED.get(kind, {}), name: value})


DEFAULTS = {
    "random-ratio": {"train_ratio": 0.8, "folds": 1},
    "user-ratio": {"train_ratio": 0.8, "folds": 1},
    "k-fold": {"folds": 5, "balanced_per_user": False, "partition_of": None},
    "leave-out": {"held_out": 1, "short_profiles": "refuse", "folds": 1},
    "leave-last-out": {"held_out": 1, "short_profiles": "refuse", "repeats": "drop"},
    "temporal": {
        "scope": "all",
        "test_share": 0.2,
        "repeats": "drop",
        "train_order": "rows",
        "cut": None,
        "gap": 0.0,
        "new_users": "test",
    },
    "time-windows": {
        "windows": 3,
        "cut": 0.7,
        "days": None,
        "past_days": None,
        "gap": 0.0,
        "repeats": "drop",
        "new_users": "test",
    },
    "next-item": {"held_out": 1, "repeats": "drop"},
    "held-out-users": {
        "user_share": 0.2,
        "fold_in_ratio": 0.8,
        "order": "random",
        "repeats": "drop",
        "folds": 1,
    },
    "uniform-test": {"test_share": 0.2, "min_train_ratio": 0.2, "tests_from": None, "folds": 5},
    "missing-at-random": {"folds": 5},
    "anti-popular-familiarity": {"folds": 5, "train_order": "least-liked-first"},
    "predefined": {"unbiased_rows": None, "train_order": "rows"},
}


@pytest.mark.each("kind", DEFAULTS)
def test_what_a_configuration_does_not_say_is_this(kind):
    said = {"kind": kind, **NEEDED.get(kind, {})}
    spec = SPLIT.validate_python(said)
    assert spec.model_dump() == said | DEFAULTS[kind] | {"selection": None}
    by_time = ("temporal", "leave-last-out", "time-windows", "next-item")
    assert spec.needs_timestamps == (kind in by_time)
    selection = {"share": None, "head_removed": None, "min_user_ratings": 1, "min_item_ratings": 1}
    assert SelectionSpec().model_dump() == selection


@pytest.mark.each(
    "kind",
    [
        {"kind": "k-fold", "ratio": 0.8},
        {"kind": "missing-at-random"},
        {"kind": "anti-popular-familiarity"},
        {"kind": "anti-popular-familiarity", "relevant_from": 4, "unbiased_rows": "fold"},
        {"kind": "bootstrap"},
        {"folds": 5},
        {"kind": "predefined", "file": "f", "content": "held-out-pairs", "unbiased_rows": "fold"},
    ],
    ids=str,
)
def test_a_wrong_configuration_is_refused(kind):
    with pytest.raises(ValidationError):
        SPLIT.validate_python(kind)
