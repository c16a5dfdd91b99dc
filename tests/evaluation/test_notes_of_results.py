# SPDX-License-Identifier: MIT
"""Which notes a result has, what they say of whom, and which are seen first."""

from __future__ import annotations

import math

import numpy as np
import pytest

from receval.data.ratings_table import read_ratings
from receval.data.run import read_run
from receval.evaluation.report import Report
from receval.evaluation.runs import evaluate_runs
from receval.evaluation.systems import evaluate_systems
from receval.multiverse.explore_ratings import explore_ratings, grid_of
from receval.notes import MOST_SHOWN, Note
from receval.recommenders.non_personalised import Popularity, Random
from receval.splits.split_ratings import split

TEST = {"user": list("aab"), "item": list("xyx"), "rating": [5, 2, 4]}
RUN = {"a": {"x": 2.0, "y": 1.0}, "b": {"y": 2.0, "x": 1.0}}


def codes_of(notes: tuple[Note, ...]) -> list[str]:
    return [note.code for note in notes]


def test_a_result_has_the_notes_of_what_was_read() -> None:
    alike = {user: dict.fromkeys("xy", math.inf) for user in "ab"}
    result = evaluate_runs(TEST, {"mine": alike}, metrics="RR", depth="whole")
    assert "no-scores" in codes_of(result.notes)


def test_users_without_a_relevant_test_rating_are_told_as_such() -> None:
    result = evaluate_runs(
        TEST, {"mine": RUN}, protocols="1R AI-AN", metrics="RR", relevant=5, depth="whole"
    )
    (note,) = (note for note in result.notes if note.code == "users-left-out")
    assert "1 has test ratings, but no relevant test rating" in note


def test_gains_of_negative_ratings_are_told_of_our_own_metrics_alone() -> None:
    test = {**TEST, "rating": [3, -2, 1]}
    own = evaluate_runs(test, {"mine": RUN}, metrics=["nDCG@2", "P@2", "ERR"], depth="whole")
    assert [note for note in own.notes if note.code == "negative-ratings"] == [
        "Some test ratings are below 0 (the lowest is -2): in nDCG@2, ERR they have the gain "
        "of 0, as in trec_eval."
    ]
    recbole = evaluate_runs(
        test, {"mine": RUN}, metrics="nDCG@2", depth="whole", dialect="recbole", users="tested"
    )
    assert "negative-ratings" not in codes_of(recbole.notes)


def test_equal_systems_are_not_told_that_users_are_too_few() -> None:
    result = evaluate_runs(TEST, {"one": RUN, "other": RUN}, metrics="RR", depth="whole")
    assert "too-few-users" not in codes_of(result.notes)


def test_metrics_that_take_plays_for_gains_say_so_beside_what_is_relevant() -> None:
    plays = {**TEST, "rating": [300, 2, 1]}
    words = {
        name: evaluate_runs(plays, {"mine": RUN}, metrics=name, depth="whole").words[0]
        for name in ("P@2", "nDCG@2", "nDCG(gain=binary)@2")
    }
    assert words["nDCG@2"].endswith(
        "nDCG@2 uses ratings as gains, even for items that are not relevant."
    )
    assert words["P@2"] == words["nDCG(gain=binary)@2"]
    stars = evaluate_runs(TEST, {"mine": RUN}, metrics="nDCG@2", depth="whole").words[0]
    assert "gains" not in stars


def test_one_note_of_each_kind_is_seen_before_a_second_of_any() -> None:
    alike = [Note("users-without-lists", f"m{number} has no list.") for number in range(9)]
    other = Note("dialect", "The tool counts otherwise.")
    report = Report("Mine", (), notes=(*alike, other))
    lines = report.note_lines()
    assert len(lines) == MOST_SHOWN + 1
    assert f"Note: {other} (dialect)" in lines
    assert lines[-1].startswith("... and 4 further notes")
    assert report.page().count(str(other)) == 1


def test_a_multiverse_that_averages_few_of_all_users_says_so() -> None:
    rng = np.random.default_rng(1)
    busy = [(user, item) for user in range(5) for item in range(20)]
    rare = [(user, user % 20) for user in range(5, 90)]
    users, items = np.array(busy + rare).T
    ratings = read_ratings({"user": users, "item": items, "rating": rng.integers(1, 6, len(users))})
    grid, _ = grid_of("quick", ratings)
    one = grid.model_copy(update={name: getattr(grid, name)[:1] for name in ("selection", "split")})
    systems = {"Pop": lambda _: Popularity(), "Random": Random}
    averaged = explore_ratings(ratings, systems, grid=one).notes
    assert [note for note in averaged if note.code == "few-users"] == [
        "Only 5 of 90 users are averaged in the starting configuration."
    ]


@pytest.mark.parametrize("metric", ["nDCG(gain=exp)@5", "nDCG(gain=exp-relevant)@5"])
def test_exponential_gains_of_many_plays_are_refused(metric: str) -> None:
    plays = {**TEST, "rating": [2000, 2, 1]}
    with pytest.raises(
        ValueError, match=r"the highest rating is 2,000, which makes them too large"
    ):
        evaluate_runs(plays, {"mine": RUN}, metrics=metric, depth="whole")


def test_a_multiverse_of_many_plays_leaves_exponential_gains_out() -> None:
    ratings = read_ratings({"user": list("ab"), "item": list("xy"), "rating": [2000, 1]})
    grid, notes = grid_of("quick", ratings)
    assert all(metric.gain != "g2" for metric in grid.metric)
    assert any("2,000. The exponential gain (C2) is 2 to this power" in note for note in notes)


def test_no_threshold_is_nan() -> None:
    data = split(read_ratings(TEST), "user-ratio", train_ratio=0.5)
    with pytest.raises(ValueError, match="relevant is nan; it must be a number or 'auto'"):
        evaluate_systems(data, {"Pop": Popularity()}, relevant=math.nan)


def test_options_of_reading_are_checked() -> None:
    with pytest.raises(ValueError, match="order is 'foo'; it must be 'score' or 'rank'"):
        read_run(RUN, order="foo")
    with pytest.raises(TypeError, match="header is 'yes'; it must be True or False or None"):
        read_ratings(TEST, header="yes")


def test_where_auto_finds_no_test_rating_the_highest_is_named() -> None:
    train = {"user": list("cd"), "item": list("xy"), "rating": [1, 7]}
    low = {**TEST, "rating": [2, 1, 1]}
    with pytest.raises(ValueError, match=r"7 or more is relevant, .* highest test rating is 2"):
        evaluate_runs(low, {"mine": RUN}, train=train, metrics="RR", depth="whole")
