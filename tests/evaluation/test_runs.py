# SPDX-License-Identifier: MIT
"""Runs are measured as trec_eval measures them; what lists do not tell is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from receval.data.ratings_table import read_ratings
from receval.data.run import Run
from receval.evaluation.runs import evaluate_runs
from receval.evaluation.systems import evaluate_systems
from receval.recommenders.non_personalised import Popularity
from receval.splits.split_ratings import split


def test_a_run_of_a_systems_scores_is_measured_as_the_system() -> None:
    rng = np.random.default_rng(1)
    cells = rng.random((20, 15)) < 0.5
    users, items = np.nonzero(cells)
    table = pd.DataFrame({"user": users, "item": items, "rating": rng.integers(1, 6, len(users))})
    data = split(read_ratings(table), "user-ratio", train_ratio=0.6)
    protocols = ["AR AI-AN", "AR TI-AN", "1R TI-AN"]
    metrics = ["P@2", "nDCG@2", "RR", "AP"]
    system = Popularity()
    wanted = evaluate_systems(data, {"Pop": system}, protocols=protocols, metrics=metrics)
    (fold,) = data.folds()
    ratings = data.ratings
    every = np.arange(ratings.n_users)
    scored = system.fit(fold.train).score(every) + rng.random(ratings.n_items) / 10
    again = evaluate_systems(data, {"Pop": scored}, protocols=protocols, metrics=metrics)
    run = Run(
        users=np.repeat(every, ratings.n_items).astype(np.int32),
        items=np.tile(np.arange(ratings.n_items), ratings.n_users).astype(np.int32),
        scores=scored.ravel().astype(np.float64),
        user_ids=ratings.user_ids,
        item_ids=ratings.item_ids,
    )
    train, test = (ratings.select((data.parts.codes[0] & bit).astype(bool)) for bit in (1, 2))
    found = evaluate_runs(
        test, {"Pop": run}, train=train, protocols=protocols, metrics=metrics,
        relevant=again.settings["relevant"], depth="whole",
    )  # fmt: skip
    assert wanted.settings["relevant"] == again.settings["relevant"] == 4
    np.testing.assert_allclose(found.summary()["mean"], again.summary()["mean"], rtol=1e-12)


CUT = {user: {f"i{rank}": 9.0 - rank for rank in range(3)} for user in ("ann", "bob")}
HELD_OUT = {"user": ["ann", "bob"], "item": ["i1", "i7"], "rating": [5, 4]}


def test_metrics_that_look_behind_a_cut_are_refused() -> None:
    with pytest.raises(ValueError, match=r"AP looks at items that 'mine' does not have: .* cut at"):
        evaluate_runs(HELD_OUT, {"mine": CUT}, metrics="AP")
    with pytest.raises(ValueError, match="Choose a cut-off of at most 3"):
        evaluate_runs(HELD_OUT, {"mine": CUT}, metrics="P@5")
    uneven = {"ann": CUT["ann"], "bob": {"i0": 1.0}, "eve": {"i0": 1.0}}
    with pytest.raises(ValueError, match="cut at 3"):
        evaluate_runs(HELD_OUT, {"mine": uneven}, metrics="P@5", depth=np.int64(3))
    cut = evaluate_runs(HELD_OUT, {"mine": CUT}, metrics="RR@3")
    whole = evaluate_runs(HELD_OUT, {"mine": CUT}, metrics="RR", depth="whole")
    assert cut.summary()["mean"].tolist() == whole.summary()["mean"].tolist() == [0.25]


def test_lists_that_lose_training_items_are_known_less_deep() -> None:
    train = {"user": ["ann"], "item": ["i0"], "rating": [3]}
    with pytest.raises(ValueError, match="some have 2 items left under AR AI-AN"):
        evaluate_runs(HELD_OUT, {"mine": CUT}, train=train, metrics="P@3")
    found = evaluate_runs(HELD_OUT, {"mine": CUT}, train=train, metrics="RR@2")
    assert found.summary()["mean"].tolist() == [0.5]


def test_samples_need_the_scores_of_all_items() -> None:
    protocol = "1R TI-NN sampled=1"
    with pytest.raises(ValueError, match="needs the scores of sampled items"):
        evaluate_runs(HELD_OUT, {"mine": CUT}, protocols=protocol, metrics="RR")
    found = evaluate_runs(HELD_OUT, {"mine": CUT}, protocols=protocol, metrics="RR", depth="whole")
    assert list(found.values) == ["1R TI-NN sampled=1"]


def test_users_without_a_list_count_zero_and_are_told() -> None:
    runs = {"mine": {"ann": {"i1": 1.0, "i2": 0.5}, "eve": {"i1": 1.0}}}
    found = evaluate_runs(HELD_OUT, runs, metrics="RR", depth="whole")
    assert found.summary()["mean"].tolist() == [0.5]
    assert found.notes == (
        "mine has no list for 1 of the 2 tested users: they count as 0.",
        "mine has lists for 1 user without test ratings.",
    )


@pytest.mark.each(("ties", "value"), [("auto", 1.0), ("trec", 1.0), ("listed", 0.5)])
def test_equal_scores_are_in_the_order_of_trec_eval_or_of_the_list(ties: str, value: float) -> None:
    run = {"ann": {"i0": 1.0, "i1": 1.0}}
    found = evaluate_runs(
        {"user": ["ann"], "item": ["i1"]}, {"mine": run}, metrics="RR", lists=2, ties=ties
    )
    assert found.summary()["mean"].tolist() == [value]
    assert found.lists()["score"].tolist() == [1.0, 1.0]


def test_implicit_data_under_a_threshold_of_four_is_refused() -> None:
    held_out = {"user": ["ann"], "item": ["i1"]}
    with pytest.raises(
        ValueError, match=r"No test rating reaches the relevance threshold 4. .* highest is 1"
    ):
        evaluate_runs(held_out, {"mine": CUT}, relevant=4)


def test_a_note_names_the_metrics_in_which_a_missing_list_is_the_worst_and_not_0() -> None:
    test = {"user": ["a", "b"], "item": ["x", "x"], "rating": [5, 5]}
    runs = {"mine": {"a": {"x": 2.0, "y": 1.0}}}
    result = evaluate_runs(test, runs, metrics=["RR", "PercentileRank"], depth="whole")
    (told,) = [str(note) for note in result.notes if note.code == "users-without-lists"]
    assert told.endswith("they count as 0 in RR, and count as 1 in PercentileRank.")
    assert result.summary()["mean"].tolist() == [0.5, 0.5]
