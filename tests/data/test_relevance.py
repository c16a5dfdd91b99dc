# SPDX-License-Identifier: MIT
"""From which rating on items are relevant is one rule, the same for every split of a table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from receval.data.ratings_table import ReadRatings, read_ratings
from receval.data.relevance import RelevanceRule
from receval.diagnosis.diagnose import diagnose
from receval.evaluation.runs import evaluate_runs
from receval.multiverse.decisions import DecisionGrid
from receval.multiverse.explore_ratings import explore_ratings
from receval.recommenders.non_personalised import Popularity, Random
from receval.sampled_metrics.audit import odds_of_systems
from receval.splits.split_ratings import split

SCALE = np.array([1.0, 2, 3, 4, 5])


def of_values(values: object, name: str = "rating") -> ReadRatings:
    """Return ratings of 30 users of 20 items, with values that are repeated in turn."""
    users, items = np.divmod(np.arange(600), 20)
    return read_ratings({"user": users, "item": items, name: np.resize(values, 600)})


def test_a_test_of_positives_alone_has_the_threshold_of_the_training_scale() -> None:
    test = {"user": list("aab"), "item": list("xyx"), "rating": [4, 5, 5]}
    train = {"user": list("abbbb"), "item": list("zyzvw"), "rating": [1, 2, 3, 4, 5]}
    lists = {"mine": {"a": {"x": 2.0, "y": 1.0}, "b": {"x": 1.0}}}
    alone, beside = (evaluate_runs(test, lists, train=own, depth="whole") for own in (None, train))
    assert alone.settings["relevant"] == 5
    assert beside.settings["relevant"] == 4
    assert "4 or more are relevant: 3 of 3 (100.0 %)" in beside.words[0]


@pytest.mark.parametrize("values", [SCALE, [1, 1, 1, 2, 3, 40, 500], [0.5, 3.5, 5], [0, 1]])
def test_every_split_of_a_table_has_the_threshold_of_the_table(values: list[float]) -> None:
    ratings = of_values(values)
    whole = RelevanceRule.of(ratings.values, "auto").threshold
    for seed in range(5):
        for kind in ("random-ratio", "user-ratio", "k-fold", "leave-out"):
            assert split(ratings, kind, seed=seed).relevance("auto").threshold == whole


def test_a_selection_of_ratings_keeps_the_threshold_of_the_whole_table() -> None:
    ratings = of_values([1, 2, 3, 4, 5, 5, 5, 5, 5, 5])
    selected = split(ratings, "random-ratio", selection={"share": 0.2})
    assert len(selected.ratings) < len(ratings)
    assert selected.relevance("auto").threshold == 4


def test_plays_are_relevant_from_the_first_one_on() -> None:
    plays = of_values([1, 1, 1, 2, 3, 5, 8, 13, 25], name="plays")
    assert {split(plays, "user-ratio", seed=s).relevance("auto").threshold for s in range(9)} == {1}


@pytest.mark.costly
@pytest.mark.parametrize(
    ("user", "item", "values", "threshold"),
    [
        ("user", "item", [1, 2, 2, 3, 3, 3, 4, 5], 4),
        ("user", "doc_id", [1, 2, 2, 3, 3, 3, 4, 5], 4),
        # Judgments of queries.
        ("qid", "docno", [0, 1, 1, 1, 2, 3], 1),
    ],
)
def test_all_that_evaluates_a_table_takes_the_same_threshold(
    user: str, item: str, values: list[float], threshold: float
) -> None:
    table = of_values(values)
    named = {user: table.users, item: table.items, "rating": table.values}
    ratings = read_ratings(named)
    halves = split(ratings, "user-ratio", train_ratio=0.5)
    systems = {"Pop": lambda seed: Popularity(), "Random": Random}
    found = [
        halves.relevance("auto").threshold,
        evaluate_runs(named, {"mine": {"0": {"1": 1.0}}}, depth="whole").settings["relevant"],
        diagnose(ratings).settings["relevant"],
        explore_ratings(ratings, systems, grid=DecisionGrid()).settings["relevant"],
        explore_ratings(halves, systems, grid=DecisionGrid()).settings["relevant"],
        odds_of_systems(halves, {"Pop": Popularity()})[2].threshold,
    ]
    assert found == [threshold] * 6


def test_the_judgments_of_a_folder_are_relevant_from_1_as_those_of_a_file(tmp_path: Path) -> None:
    for query in ("a", "b"):
        judged = "".join(f"{query} 0 d{grade} {grade}\n" for grade in (0, 3, 1, 2))
        (tmp_path / f"{query}.qrels").write_text(judged, encoding="utf-8")
    for path in (tmp_path, tmp_path / "a.qrels"):
        found = evaluate_runs(path, {"mine": {"a": {"d1": 1.0}}}, depth="whole")
        assert found.settings["relevant"] == 1


@pytest.mark.each(
    ("values", "relevant", "is_told"),
    [
        (np.repeat(SCALE, [299, 299, 299, 299, 4]), 5, True),
        (np.repeat(SCALE, [4, 299, 299, 299, 299]), 2, True),
        (np.repeat(SCALE, [299, 299, 299, 299, 40]), 5, False),
        (np.ones(300), "auto", False),
    ],
    ids=["nearly none", "nearly all", "enough", "all are the same"],
)
def test_a_threshold_that_nearly_all_or_nearly_none_reach_is_told(
    values: np.ndarray, relevant: float, is_told: bool
) -> None:
    notes = RelevanceRule.of(values, relevant).notes
    assert [note.code for note in notes] == ["extreme-threshold"] * is_told


def test_counts_of_which_all_are_relevant_by_the_rule_are_not_told() -> None:
    assert RelevanceRule.of(np.array([1, 2, 3.0]), "auto", are_counts=True).notes == ()


def test_sums_of_ratings_on_a_scale_are_told_to_be_all_relevant() -> None:
    pairs = {"user": [1, 1, 2], "item": [1, 1, 1]}
    for more, codes in (
        ({"rating": [1, 3, 5]}, ["extreme-threshold"]),
        ({"plays": [1, 3, 5]}, []),
        ({"rating": [1, 1, 1]}, []),
        ({"rating": [1, 30, 500]}, []),
    ):
        notes = read_ratings(pairs | more, duplicates="sum").reading.notes
        assert [note.code for note in notes] == codes


@pytest.mark.costly
def test_an_extreme_threshold_is_told_by_every_evaluation() -> None:
    ratings = of_values(np.repeat(SCALE, [1, 149, 150, 150, 150]))
    systems = {"Pop": lambda seed: Popularity(), "Random": Random}
    notes = [
        diagnose(ratings, relevant=2).notes,
        explore_ratings(ratings, systems, grid="quick", relevant=2).notes,
    ]
    for own in notes:
        assert "extreme-threshold" in [note.code for note in own]
