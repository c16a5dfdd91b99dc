# SPDX-License-Identifier: MIT
"""Splits of the selected ratings alone, from the configuration on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import TypeAdapter, ValidationError
from splits.generated_ratings import ratings_of, skewed_ratings

from receval.data.ratings import Ratings
from receval.seeds import generator
from receval.splits.kinds import SPLITTERS, AnySplitSpec, make_split
from receval.splits.selection import selected_ratings, spread_over
from receval.splits.split import TEST, TRAIN, UNBIASED, Split

NEEDED: dict[str, dict[str, Any]] = {
    "missing-at-random": {"unbiased_rows": "unknown"},
    "anti-popular-familiarity": {"relevant_from": 4},
}
KINDS = [{"kind": kind, **NEEDED.get(kind, {})} for kind in SPLITTERS if kind != "predefined"]
SELECTION: dict[str, Any] = {
    "share": 0.7,
    "head_removed": 0.1,
    "min_user_ratings": 4,
    "min_item_ratings": 3,
}


def made(ratings: Ratings, name: str = "name", seed: int = 1, **kind: Any) -> Split:
    spec: Any = TypeAdapter(AnySplitSpec).validate_python(kind)
    return make_split(ratings, spec, seed, "data", name, {})


@pytest.mark.each("kind", KINDS, ids=str)
def test_a_split_with_a_selection_is_the_split_of_the_selected_ratings(
    kind: dict[str, Any],
) -> None:
    ratings = skewed_ratings()
    selected = selected_ratings(ratings, lambda choice: generator(1, "data", choice), **SELECTION)
    assert 0 < selected.sum() < 0.7 * len(ratings)
    part = made(ratings.select(selected), **kind)
    whole = made(ratings, selection=SELECTION, **kind)
    assert whole.n_folds == part.n_folds
    assert whole.n_ratings == len(ratings)
    assert whole.metadata == {**part.metadata, "selected_ratings": int(selected.sum())}
    for codes, of_part in zip(whole.codes, part.codes, strict=True):
        np.testing.assert_array_equal(codes[selected], of_part)
        assert not codes[~selected].any(), "what is not selected neither trains nor tests"


def test_the_seed_changes_a_selection_and_the_name_and_kind_of_the_split_do_not() -> None:
    ratings = skewed_ratings()
    selection: dict[str, Any] = {"share": 0.5}
    one = made(ratings, kind="k-fold", selection=selection).codes[0] > 0
    same = made(ratings, name="other", kind="user-ratio", selection=selection).codes[0] > 0
    other = made(ratings, seed=2, kind="k-fold", selection=selection).codes[0] > 0
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


def test_a_split_is_spread_over_the_selected_ratings_by_hand(tmp_path: Path) -> None:
    split = Split(
        (np.array([TRAIN, TEST, UNBIASED], np.uint8), np.array([TEST, 0, TRAIN], np.uint8)),
        {"target_items": 7},
    )
    selected = np.array([False, True, True, False, True])
    split.write(tmp_path / "split.npz")
    for one in (split, Split.read(tmp_path / "split.npz")):
        spread = spread_over(one, selected)
        assert [codes.tolist() for codes in spread.codes] == [
            [0, TRAIN, TEST, 0, UNBIASED],
            [0, TEST, 0, 0, TRAIN],
        ]
        assert spread.metadata == {"target_items": 7, "selected_ratings": 3}
        assert spread.n_ratings == 5
    assert split.metadata == {"target_items": 7}, "the split of the part stays as it was"


def test_a_predefined_split_is_of_all_ratings() -> None:
    predefined_split_of = {"kind": "predefined", "file": "f", "content": "fold-numbers"}
    for selection in ({}, {"share": 0.5}):
        with pytest.raises(ValidationError, match="nothing can be selected before it"):
            TypeAdapter(AnySplitSpec).validate_python(
                {**predefined_split_of, "selection": selection}
            )
    TypeAdapter(AnySplitSpec).validate_python({**predefined_split_of, "selection": None})


@pytest.mark.each("kind", KINDS, ids=str)
@pytest.mark.each(
    "selection",
    [
        {"share": 0.0},
        {"share": 1.0},
        {"share": 50},
        {"head_removed": 0.0},
        {"head_removed": 1.0},
        {"min_user_ratings": 0},
        {"min_item_ratings": 2.5},
        {"min_ratings": 2},
        0.5,
    ],
    ids=str,
)
def test_a_wrong_selection_is_refused_by_every_kind(kind: dict[str, Any], selection: Any) -> None:
    with pytest.raises(ValidationError, match="selection"):
        TypeAdapter(AnySplitSpec).validate_python({**kind, "selection": selection})


def test_a_selection_that_leaves_nothing_says_what_was_asked_for() -> None:
    ratings = ratings_of([(0, 0), (0, 1), (1, 0)], 2, 2)
    kind: dict[str, Any] = {
        "kind": "k-fold",
        "selection": {"min_user_ratings": 2, "min_item_ratings": 9},
    }
    with pytest.raises(ValueError, match=r"none of 3 ratings: .*at least 2 ratings per user and 9"):
        made(ratings, **kind)


def test_a_split_is_spread_over_as_many_ratings_as_it_was_made_for() -> None:
    with pytest.raises(ValueError, match="made for 1 ratings, but 2 are selected"):
        spread_over(Split((np.array([1], dtype=np.uint8),)), np.array([True, True, False]))
