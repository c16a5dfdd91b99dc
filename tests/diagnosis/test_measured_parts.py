# SPDX-License-Identifier: MIT
"""Parts of a diagnosis, on tables whose answers are known."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from receval.data.ratings import Ratings
from receval.data.ratings_table import read_ratings
from receval.diagnosis import diagnose
from receval.diagnosis.baselines import (
    BASELINES,
    experiment_designs,
    fitting_baselines,
    popularity_or_sparsity,
    precision_of_designs,
)
from receval.diagnosis.compared_splits import cold_start, compared_splits, future_training
from receval.diagnosis.diagnose import sampled_users
from receval.diagnosis.metric_sensitivity import metrics_for
from receval.diagnosis.recommendation import (
    data_findings,
    share_of_testable_users,
    smallest_difference,
    split_findings,
)
from receval.diagnosis.size_and_skew import popularity_curve, size_and_skew, time_span
from receval.diagnosis.tables_and_figures import splits_table
from receval.diagnosis.unbiased_judgments import (
    agreement_of_judgments,
    disagreeing_item_pairs,
    drawn_judgments,
    notes_on_relevance,
    shared_pairs_notes,
    unbiased_ratings,
    with_unbiased,
)
from receval.splits.split import TEST, TRAIN, Split
from receval.splits.split_ratings import SplitRatings, split


def ratings_of_tastes(n_users: int = 120, n_items: int = 60, seed: int = 1) -> Ratings:
    """Popular items, whose ratings do not depend on anything else."""
    rng = np.random.default_rng(seed)
    share = 0.9 / np.sqrt(np.arange(1, n_items + 1))
    users, items = np.nonzero(rng.random((n_users, n_items)) < share)
    stars = rng.integers(1, 6, len(users))
    times = rng.integers(0, 10_000_000, len(users))
    table = {"user": users, "item": items, "rating": stars, "timestamp": times}
    return read_ratings(table)


def given(codes: list[int], **table: list) -> SplitRatings:
    ratings = read_ratings(table)
    parts = Split((np.array(codes, dtype=np.uint8),))
    return SplitRatings(ratings, parts, {"kind": "given"}, 1)


def test_size_and_skew_are_counted() -> None:
    table = {"user": list("aaab"), "item": list("xyzx"), "rating": [5, 5, 5, 1]}
    found = size_and_skew(read_ratings(table), threshold=3).set_index("quantity")["value"]
    assert found["users"], found["items"] == (2, 3)
    assert found["density"] == pytest.approx(4 / 6)
    # Counts of items 1, 1, 2: (-2 * 1 + 0 * 1 + 2 * 2) / (3 * 4).
    assert found["item_gini"] == pytest.approx(1 / 6)
    assert found["top_20_percent_items"] == pytest.approx(2 / 4)
    assert found["ratings_per_user_q50"] == 2
    assert found["relevant_share"] == 0.75
    assert found["most_frequent_value"], found["most_frequent_share"] == (5, 0.75)
    # Ann has three ratings of the same value; Bob has one, which says nothing.
    assert found["one_valued_users"] == 1.0
    three = {"user": list("aabbc"), "item": list("xyxyx"), "rating": [5, 5, 5, 1, 1]}
    found = size_and_skew(read_ratings(three), threshold=3).set_index("quantity")["value"]
    assert found["one_valued_users"] == 0.5


def test_the_popularity_curve_falls_and_ends_with_all_ratings() -> None:
    curve = popularity_curve(ratings_of_tastes())
    assert curve["rank"].iloc[[0, -1]].tolist() == [1, 60]
    assert (np.diff(curve["ratings"]) <= 0).all()
    assert curve["cumulative_share"].iloc[-1] == pytest.approx(1)


def test_cold_users_and_items_are_those_that_test_and_do_not_train() -> None:
    # Bob tests alone; z is tested by both, and nobody trains with it.
    data = given([TRAIN, TEST, TEST, TEST], user=list("aabb"), item=list("xzxz"))
    [row] = cold_start({"given": data}).to_dict("records")
    assert (row["test_users"], row["cold_users"]) == (2, 1)
    assert (row["test_items"], row["cold_items"]) == (2, 1)
    assert row["cold_user_share"] == pytest.approx(2 / 3)
    assert row["cold_item_share"] == pytest.approx(2 / 3)


def test_a_split_by_time_has_no_future_and_a_random_one_has_much() -> None:
    splits = compared_splits(ratings_of_tastes(), seed=1)
    assert not splits.refused
    future = future_training(splits.made).set_index("split")
    assert future.loc["temporal", "any_future"] == 0
    assert future.loc["temporal, by user", "own_future"] == 0
    assert future.loc["leave-last-out", "own_future"] == 0
    assert future.loc["user-ratio", "own_future"] > 0.5
    assert future.loc["random-ratio", "any_future"] > 0.9


def test_times_that_do_not_order_the_ratings_of_a_user_are_counted() -> None:
    table = {"user": list("aaab"), "item": list("xyzx"), "timestamp": [0, 0, 86_400, 0]}
    found = time_span(read_ratings(table)).set_index("quantity")["value"]
    assert (found["days"], found["different_timestamps"], found["tied_share"]) == (1, 2, 0.5)
    assert time_span(read_ratings({"user": ["a"], "item": ["x"]}))["value"].tolist() == [0]


@pytest.fixture(scope="module")
def designs() -> pd.DataFrame:
    ratings = ratings_of_tastes(400, 100)
    data = split(ratings, "user-ratio", train_ratio=0.8)
    found, notes = experiment_designs(ratings, data, 4, seed=1)
    assert not notes
    return precision_of_designs(found, seed=1).set_index("design")


@pytest.mark.costly
def test_random_gets_what_theory_expects_of_every_design(designs: pd.DataFrame) -> None:
    assert list(designs.index) == [
        "AR AI-AN", "AR TI-AN", "AR TI-NN", "1R TI-NN", "P1R TI-NN", "UAR TI-AN", "U1R TI-NN",
    ]  # fmt: skip
    error = (designs["random"] - designs["random_expected"]).abs()
    assert (error < 4 * designs["random_standard_error"]).all()


def test_popularity_is_ahead_by_skew_alone_and_levelled_where_it_is_levelled(
    designs: pd.DataFrame,
) -> None:
    # Ratings do not depend on items: what is left is that users do not get what they have.
    assert designs.loc["AR TI-AN", "ratio"] > 2
    assert designs.loc["U1R TI-NN", "ratio"] < 0.5 * designs.loc["1R TI-NN", "ratio"] + 0.5
    shares = popularity_or_sparsity(designs.reset_index()).set_index(["design", "levelled"])
    assert (shares["popularity_share"] > 0.3).all()


def test_the_lead_falls_with_the_density_under_ar_and_stays_under_1r(designs: pd.DataFrame) -> None:
    shares = popularity_or_sparsity(designs.reset_index()).set_index("levelled")
    assert shares.loc["UAR TI-AN", "sparsity_share"] == pytest.approx(1, abs=0.1)
    assert shares.loc["U1R TI-NN", "sparsity_share"] == pytest.approx(0, abs=0.15)


def test_a_lead_is_taken_apart_by_hand_and_one_that_is_none_is_not() -> None:
    names = ["AR TI-AN", "UAR TI-AN"]
    # Half of the test ratings leave half of the lead; ln 3 is half of ln 9.
    ahead = {"lead": [0.08, 0.02], "ratio": [9.0, 3.0], "lead_with_half": [0.04, 0.01]}
    [row] = popularity_or_sparsity(pd.DataFrame({"design": names, **ahead})).to_dict("records")
    assert row["sparsity_share"] == pytest.approx(1.0)
    assert row["popularity_share"] == pytest.approx(0.5)
    # Behind Random once levelled: more than all of the lead.
    ahead["ratio"] = [9.0, 1 / 3]
    [row] = popularity_or_sparsity(pd.DataFrame({"design": names, **ahead})).to_dict("records")
    assert row["popularity_share"] == pytest.approx(1.5)
    behind = {"lead": [-0.01, 0.0], "ratio": [0.5, 1.0], "lead_with_half": [0.0, 0.0]}
    [row] = popularity_or_sparsity(pd.DataFrame({"design": names, **behind})).to_dict("records")
    assert math.isnan(row["sparsity_share"])
    assert math.isnan(row["popularity_share"])
    assert popularity_or_sparsity(pd.DataFrame({"design": ["AR AI-AN"], "lead": [1]})).empty


def test_few_items_have_no_percentiles_and_no_uniform_test_and_that_is_said() -> None:
    table = {"user": list("aaaabbbb"), "item": list("wxyzwxyz"), "rating": [5, 4, 1, 1] * 2}
    ratings = read_ratings(table)
    data = split(ratings, "leave-out")
    found, notes = experiment_designs(ratings, data, 4, seed=1)
    assert "P1R TI-NN" not in [design.name for design in found]
    assert any("percentiles" in note for note in notes)


def test_a_sample_has_whole_users_and_is_drawn_by_its_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    ratings = ratings_of_tastes()
    assert sampled_users(ratings, 1) is ratings
    monkeypatch.setattr(diagnose, "MOST_RATINGS", 500)
    monkeypatch.setattr(diagnose, "FEWEST_USERS", 10)
    one, same, other = (sampled_users(ratings, seed) for seed in (1, 1, 2))
    assert len(one) <= 500
    assert one.user_ids.tolist() == same.user_ids.tolist()
    assert one.user_ids.tolist() != other.user_ids.tolist()
    sizes = dict(zip(ratings.user_ids, np.bincount(ratings.users), strict=True))
    assert np.bincount(one.users).tolist() == [sizes[name] for name in one.user_ids]
    monkeypatch.setattr(diagnose, "MOST_SCORES", 1)
    assert sampled_users(ratings, 1).n_users == 10


def test_systems_that_need_more_factors_than_there_are_items_are_left_out() -> None:
    assert fitting_baselines(1000, 1000) == list(BASELINES)
    assert fitting_baselines(5, 1000) == [
        "Random", "Pop", "ItemKNN 20", "ItemKNN 100", "UserKNN 20", "UserKNN 100",
    ]  # fmt: skip


def test_metrics_of_disliked_items_need_some() -> None:
    assert "bpref@100" in metrics_for(1000, has_disliked=True)
    assert not [m for m in metrics_for(1000, has_disliked=False) if m.startswith(("bpref", "inf"))]


def test_testable_users_have_five_ratings() -> None:
    table = {"user": list("aaaaabbbb"), "item": list("vwxyzvwxy")}
    assert share_of_testable_users(read_ratings(table)) == 0.5


def test_the_smallest_difference_halves_with_four_times_the_users() -> None:
    values = np.random.default_rng(1).random((3, 50))
    few, many = smallest_difference(values), smallest_difference(np.tile(values, 4))
    assert many == pytest.approx(few / 2, rel=0.02)
    assert math.isnan(smallest_difference(values[:, :1]))


def test_unbiased_judgments_of_strangers_are_counted_and_pairs_that_train_left_out() -> None:
    chosen = read_ratings({"user": list("aab"), "item": list("xyx"), "rating": [5, 4, 3]})
    drawn = read_ratings({"user": list("abe"), "item": list("xyx"), "rating": [1, 2, 3]})
    found, left_out = unbiased_ratings(chosen, drawn)
    assert found is not None
    assert (len(found), left_out) == (2, 1)
    fold = next(given([TRAIN, TRAIN, TEST], user=list("aab"), item=list("xyx")).folds())
    judged = with_unbiased(fold, found).unbiased
    assert judged is not None
    assert (judged.users.tolist(), judged.items.tolist()) == ([1], [1])
    stranger = read_ratings({"user": ["e"], "item": ["x"]})
    with pytest.raises(ValueError, match="the same identifiers"):
        drawn_judgments(chosen, stranger)


def test_judgments_that_are_a_part_of_the_ratings_are_noted() -> None:
    rng = np.random.default_rng(1)
    users, items = np.nonzero(rng.random((40, 80)) < 0.15)
    chosen = read_ratings({"user": users, "item": items})
    part = chosen.select(np.arange(len(chosen)) < 100)
    [note] = shared_pairs_notes(chosen, part)
    assert "Of the 100 unbiased judgments, 100 (100.0%)" in note
    drawn = rng.choice(3200, 200, replace=False)
    by_chance = read_ratings({"user": drawn // 80, "item": drawn % 80})
    assert not shared_pairs_notes(chosen, by_chance)


def test_judgments_on_another_scale_than_the_ratings_are_refused_or_noted() -> None:
    stars = np.array([1.0, 2, 3, 4, 5])
    with pytest.raises(ValueError, match="None of the 5 unbiased judgments is relevant: the high"):
        notes_on_relevance(stars / 5, 4.0, stars)
    [note] = notes_on_relevance(stars * 20, 4.0, stars)
    assert "Unbiased judgments of 4 or more are relevant: 5 of 5 (100.0 %)." in note
    assert not notes_on_relevance(stars, 4.0, stars)
    assert not notes_on_relevance(np.ones(5), 1.0, np.ones(5))


def test_orders_by_disliked_items_count_upside_down() -> None:
    cells = {"P@10": (0.3, 0.2), "antiP@10": (0.1, 0.4)}
    rows = [
        (kind, metric, system, value if kind == "observed" or metric == "P@10" else 1 - value)
        for kind in ("observed", "unbiased")
        for metric, values in cells.items()
        for system, value in zip(("A", "B"), values, strict=True)
    ]
    values = pd.DataFrame(rows, columns=["judgments", "metric", "system", "value"])
    table = agreement_of_judgments(values).set_index(["comparison", "metric"])["tau"]
    assert table["liked with disliked, observed", "P@10"] == 1
    assert table["liked with disliked, unbiased", "P@10"] == -1
    assert table["observed with unbiased", "P@10"] == 1
    assert table["observed with unbiased", "antiP@10"] == -1


def test_two_items_oppose_each_other_where_one_has_more_of_both_ratings() -> None:
    # Of five users four rated x, two rated y, half of both liking them; three like z.
    users, items = list("abcdabcde"), list("xxxxyyzzz")
    table = {"user": users, "item": items, "rating": [5, 5, 1, 1, 5, 1, 5, 5, 5]}
    # Liked ones over those without: x 2, z 3/2, y 1/3. Disliked ones: z 0, y 1/3, x 2.
    assert disagreeing_item_pairs(read_ratings(table), 3, seed=1) == pytest.approx(2 / 3)


COLD = pd.DataFrame(
    {
        "split": ["user-ratio", "temporal"],
        "train_ratings": [4000, 3000],
        "test_ratings": [1000, 2000],
        "test_users": [90, 80],
        "cold_users": [0, 30],
        "cold_user_share": [0.0, 0.25],
        "test_items": [9, 8],
        "cold_items": [0, 3],
        "cold_item_share": [0.0, 0.5],
    }
)
FUTURE = pd.DataFrame(
    {
        "split": ["user-ratio", "temporal"],
        "own_future": [0.6, 0.0],
        "item_future": [0.7, 0.1],
        "any_future": [0.8, 0.2],
        "later_training": [0.9, 0.3],
    }
)


def test_a_split_has_its_row_of_cold_start_and_of_the_future() -> None:
    head = ("temporal", "3,000", "2,000", "30", "25.00 %", "3", "50.00 %")
    table = splits_table(COLD, FUTURE)
    assert table.rows[1] == (*head, "0 %", "10.0 %", "20.0 %", "30.0 %")
    assert [column.header for column in table.columns[7:]] == [
        "User's future", "Item's future", "Any user's", "Later training ratings",
    ]  # fmt: skip
    assert splits_table(COLD, None).rows[1] == head


def test_findings_are_the_numbers_of_the_tables() -> None:
    ratings = ratings_of_tastes()
    ordered = FUTURE.replace("temporal", "temporal, by user")
    splits = split_findings(ratings, COLD, ordered)
    assert (splits.temporal_cold_users, splits.temporal_cold_items) == (0.25, 0.5)
    assert (splits.own_future, splits.temporal_test_users) == (0.6, 50)
    # Where equal times leave the order to chance, no split by time of each user is made.
    assert split_findings(ratings, COLD, FUTURE).own_future is None
    without = split_findings(ratings, COLD[:1], None)
    assert (without.temporal_test_users, without.recommended_split) == (None, "user-ratio")
    designs = ["AR AI-AN", "AR TI-AN", "1R TI-NN"]
    judged = [
        ("liked with disliked, observed", "P@10", -0.1),
        ("observed with unbiased", "P@10", 0.2),
    ]
    judged += [("observed with unbiased", "antiP@10", 0.3)]
    size = {"density": 0.1, "item_gini": 0.2, "relevant_share": 0.3, "different_values": 5}
    tables = {
        "size": pd.DataFrame({"quantity": list(size), "value": list(size.values())}),
        "cold": COLD,
        "designs": pd.DataFrame(
            {"design": designs, "random_expected": [0.01, 0.02, 0.03], "ratio": [7.0, 8.0, 9.0]}
        ),
        "shares": pd.DataFrame(
            {
                "design": ["1R TI-NN", "AR TI-AN"],
                "popularity_share": [math.nan, 0.4],
                "sparsity_share": [0.0, 0.9],
            }
        ),
        "metrics": pd.DataFrame(
            {"metric": ["P@5", "Recall@5"], "same_as": "P@5", "p_value_sum": [1.0, 2.0],
             "tau": [0.5, 0.6], "pairs": 3}
        ),
        "agreement": pd.DataFrame(judged, columns=["comparison", "metric", "tau"]),
    }  # fmt: skip
    numbers = {"unbiased_judgments": 6, "sampled_agreement": 0.7, "differences": np.zeros((2, 9))}
    found = data_findings(ratings, 4.0, without, tables, **numbers)
    assert (found.random_all_items, found.random_one_relevant, found.pop_ratio) == (0.01, 0.03, 8.0)
    assert (found.popularity_share, found.sparsity_share) == (0.4, 0.9)
    assert found.metrics == (("P@5", 1.0, 0.5), ("Recall@5", 2.0, 0.6))
    assert (found.equal_metrics, found.precision) == ((("Recall@5", "P@5"),), "P@5")
    assert (found.test_users, found.pairs, found.smallest_difference) == (90, 3, 0.0)
    assert found.disliked_agreement == -0.1
    assert (found.unbiased_agreement, found.unbiased_anti_agreement) == (0.2, 0.3)
