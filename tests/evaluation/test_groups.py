# SPDX-License-Identifier: MIT
"""Values of groups of users and of items, and differences between groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Literal, get_type_hints

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.sparse import csr_array

import receval as rv
from receval.data.reading import TableError
from receval.evaluation.by_user import ValuesByUser
from receval.evaluation.groups import GroupedResult, _permuted
from receval.evaluation.groups_of_users import traits_of_users
from receval.statistics.inequality import MEASURES, inequalities

N_USERS, N_ITEMS = 24, 12
USERS = [f"u{number:02}" for number in range(N_USERS)]
PEOPLE = pd.DataFrame({"user": USERS, "gender": ["F", "M", "M"] * 8, "age": range(N_USERS)})
FILMS = {
    "item": [f"i{number:02}" for number in range(N_ITEMS)],
    "genre": ["A", "A|B", "B", "C"] * 3,
}


def _ratings() -> rv.Ratings:
    return rv.read_ratings(_table())


def _table() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    rows = [
        (user, f"i{item:02}", int(rng.integers(1, 6)))
        for user in USERS
        for item in rng.choice(N_ITEMS, 8, replace=False)
    ]
    return pd.DataFrame(rows, columns=["user", "item", "rating"])


@pytest.fixture(scope="module")
def result() -> rv.EvaluationResult:
    split = rv.split(_ratings(), "user-ratio", train_ratio=0.5, seed=1)
    return rv.evaluate(
        split,
        {"Pop": rv.Popularity(), "Random": rv.Random(seed=2)},
        protocols=["AR AI-AN", "AR TI-AN"],
        metrics=["RR", "Recall@3", "ILD(feature=genre)@3"],
        relevant=3,
        item_features=FILMS,
        item_groups="genre",
    )


TOGETHER = ["ItemCoverage@1", "Gini@3", "ShannonEntropy@3", "R2"]


def _of_all_users(users: list[str]) -> rv.EvaluationResult:
    """Return values of all users at once for the lists of some users."""
    rng = np.random.default_rng(8)
    scores = dict(zip(USERS, 5 * rng.random((N_USERS, N_ITEMS)), strict=True))
    runs = {
        name: {u: dict(zip(FILMS["item"], sign * scores[u], strict=True)) for u in users}
        for name, sign in (("mine", 1), ("other", -1))
    }
    ratings = _table()
    test = ratings[ratings["user"].isin(users)]
    metrics = ["RR", *TOGETHER]
    return rv.evaluate_runs(
        test, runs, metrics=metrics, relevant=3, depth="whole", rating_scores=list(runs)
    )


def test_values_of_all_users_at_once_are_those_of_the_lists_of_a_group_alone() -> None:
    found = _of_all_users(USERS).by_group(PEOPLE, "gender")

    summary = found.summary()
    for group, own in PEOPLE.groupby("gender")["user"]:
        wanted = _of_all_users(list(own)).summary().drop(columns="users")
        of_group = summary[summary["group"] == group].reset_index(drop=True)
        pd.testing.assert_frame_equal(of_group[wanted.columns], wanted, check_dtype=False)
    (note,) = found.notes
    assert note.startswith(
        "ItemCoverage@1, Gini@3, ShannonEntropy@3, R2 are computed from the users of each group "
    )


def test_values_of_all_users_at_once_differ_by_the_jackknife_of_both_groups() -> None:
    found = _of_all_users(USERS).by_group(PEOPLE, "gender")

    halves = [_of_all_users(list(own)) for _, own in PEOPLE.groupby("gender")["user"]]
    alone = [next(iter(half.values.values())) for half in halves]
    welch = stats.ttest_ind(*(own.per_user for own in alone), axis=-1, equal_var=False)
    assert found.compare()["p"].tolist() == pytest.approx(welch.pvalue.ravel().tolist())
    told = found.compare(test="permutation").groupby("metric", sort=False)["method"].first()
    assert told.str.startswith("cannot").tolist() == [False, True, True, True, True]


def test_values_of_all_users_at_once_of_a_group_are_averaged_over_folds() -> None:
    split = rv.split(_ratings(), "user-ratio", train_ratio=0.5, folds=2, seed=1)
    systems = {"Pop": rv.Popularity(), "Random": rv.Random(seed=2)}
    result = rv.evaluate(split, systems, metrics=["Gini@3"], relevant=1, lists=3)
    means = result.by_group(PEOPLE, "gender").summary().set_index(["system", "group"])["mean"]

    lists = result.lists().merge(PEOPLE, on="user")
    for place, own in lists.groupby(["system", "gender"]):
        of_folds = [
            np.sort(np.bincount(fold["item"].str[1:].astype(int), minlength=N_ITEMS))
            for _, fold in own.groupby("fold")
        ]
        factors = np.arange(1, N_ITEMS + 1) * 2 - N_ITEMS - 1
        ginis = [(factors * counts).sum() / N_ITEMS / counts.sum() for counts in of_folds]
        assert means[place] == pytest.approx(np.mean(ginis), abs=1e-12)


def _with_equal_ratings_in_k(metrics: list[str]) -> GroupedResult:
    """Return values of the group k, of a user whose ratings are equal, and of the group m."""
    test = {
        "user": np.repeat(list("abcd"), 3),
        "item": list("xyz") * 4,
        "rating": [5, 5, 5, 1, 5, 2, 5, 3, 4, 2, 4, 1],
    }
    runs = {"mine": {user: {"x": 4.0, "y": 3.0, "z": 2.5} for user in "abcd"}}
    result = rv.evaluate_runs(
        test, runs, metrics=metrics, relevant=3, depth="whole", rating_scores=["mine"]
    )
    return result.by_group({"user": list("abcd"), "team": list("kmmm")})


@pytest.mark.parametrize(("metric", "reason"), [("R2", "the 3 are 5"), ("PooledAUC", "all of")])
def test_a_group_for_which_a_metric_divides_by_0_lacks_that_value_alone(
    metric: str, reason: str
) -> None:
    found = _with_equal_ratings_in_k(["nDCG@3", metric])

    lacks = found.summary().set_index(["metric", "group"])["mean"].isna()
    assert lacks[lacks].index.tolist() == [(metric, "k")]
    (note,) = (note for note in found.notes if note.code == "group-without-value")
    assert note.startswith(f"{metric} has no value of the group k under ")
    assert reason in note
    told = found.compare().set_index("metric")["method"]
    assert "divides by 0" in told[metric]
    assert "divides by 0" not in told["nDCG@3"]


def test_a_group_without_any_value_is_printed_as_nan() -> None:
    assert "NaN" in str(_with_equal_ratings_in_k(["R2"]))


@pytest.mark.parametrize("size", [20, 200])
def test_a_group_at_the_limit_of_a_metric_has_no_error_and_no_test(size: int) -> None:
    rng = np.random.default_rng(3)
    users, items = [f"u{n:03}" for n in range(400)], [f"i{n:02}" for n in range(40)]
    runs = {"mine": {user: list(rng.permutation(items)[:5]) for user in users}}
    test = {"user": users, "item": rng.choice(items, len(users))}
    result = rv.evaluate_runs(test, runs, metrics="ItemCoverage@5", depth="whole")

    found = result.by_group({"user": users, "team": ["a"] * size + ["b"] * (400 - size)})

    assert found.summary().set_index("group")["mean"]["b"] == 1
    pairs = found.compare()
    assert pairs[["low", "high", "effect_size", "p"]].isna().all(axis=None)
    assert pairs["method"][0].startswith("cannot tell: the value of a group is at its limit")
    (note,) = (note for note in found.notes if note.code == "no-interval")
    assert "mine in b under" in note


def test_a_group_of_one_user_has_values_of_all_users_at_once_without_an_interval() -> None:
    people = {"user": USERS, "team": ["a"] + ["b"] * (N_USERS - 1)}
    found = _of_all_users(USERS).by_group(people)

    summary = found.summary().set_index(["group", "metric", "system"])
    alone = _of_all_users(USERS[:1]).summary().set_index(["metric", "system"])
    pd.testing.assert_series_equal(summary.loc["a"]["mean"], alone["mean"])
    assert summary.loc["a"][["low", "high"]].isna().all(axis=None)
    assert set(found.compare()["method"]) == {"cannot tell: a group has one user"}
    assert "no-interval" not in {note.code for note in found.notes}


def test_lists_that_are_kept_for_groups_are_shared_and_hold_nothing_computed_from_them() -> None:
    split = rv.split(_ratings(), "user-ratio", train_ratio=0.5, folds=2, seed=1)
    metrics = ["PopularityLift@3", "Gini@3"]
    result = rv.evaluate(split, {"Pop": rv.Popularity()}, metrics=metrics, relevant=1, lists=3)

    assert result.together is not None
    lift, gini = result.together.parts.values()
    for one, other in zip(lift, gini, strict=True):
        assert one is other
        assert set(vars(one)) == {field.name for field in fields(one)}


@pytest.mark.parametrize(
    ("test", "told"),
    [
        ("welch", None),
        ("permutation", "the metric has no value per user"),
        ("mann-whitney", "the metric has no value per user"),
    ],
)
def test_a_caption_has_the_reasons_of_its_pairs_without_p(
    test: Literal["welch", "permutation", "mann-whitney"], told: str | None
) -> None:
    caption = (
        _of_all_users(USERS).by_group(PEOPLE, "gender").tables(test=test, samples=9)[1].caption
    )
    assert caption.partition(" Without p: ")[2] == (f"{told}." if told else "")


def test_a_caption_names_several_reasons_once_each() -> None:
    caption = _with_equal_ratings_in_k(["nDCG@3", "R2", "PooledAUC"]).tables()[1].caption
    assert caption.endswith(
        " Without p: a group has one user; no user of a group counts in the metric, or it divides "
        "by 0."
    )


def test_the_size_of_groups_is_told_to_matter_to_metrics_of_lists_alone() -> None:
    told = [
        *_of_all_users(USERS).by_group(PEOPLE, "gender").notes,
        *_with_equal_ratings_in_k(["R2"]).notes,
    ]
    assert [note.partition(" differ in size, ")[2].partition(" can")[0] for note in told] == [
        "ItemCoverage@1, Gini@3, ShannonEntropy@3",
        "",
        "",
    ]


def test_metrics_that_divide_items_know_a_feature_by_its_plural_too() -> None:
    split = rv.split(_ratings(), "user-ratio", train_ratio=0.5, seed=1)
    metrics = [
        f"{name}(feature={feature})@3"
        for feature in ("genre", "Genres")
        for name in ("REO", "RSP", "AWRF", "ILD")
    ]
    films = FILMS | {"genre": [*FILMS["genre"][:-1], ""]}
    result = rv.evaluate(split, {"Pop": rv.Popularity()}, metrics=metrics, item_features=films)

    means = result.summary()["mean"].to_numpy()
    assert means[:4].tolist() == means[4:].tolist()
    assert any("genre" in note for note in map(str, result.notes))


def test_averages_of_groups_are_those_of_their_users(result: rv.EvaluationResult) -> None:
    summary = result.by_group(PEOPLE, "gender").summary()

    values = result.per_user().merge(PEOPLE, on="user")
    for row in summary.itertuples(index=False):
        own = values[
            (values["protocol"] == row.protocol)
            & (values["system"] == row.system)
            & (values["gender"] == row.group)
        ][row.metric]
        assert row.users == len(own)
        assert row.mean == pytest.approx(own.mean(), rel=1e-12)
        half = stats.t.ppf(0.975, len(own) - 1) * own.std() / np.sqrt(len(own))
        assert row.high - row.mean == pytest.approx(half, rel=1e-9)
    assert set(summary["group"]) == {"F", "M"}


def test_a_loaded_result_has_no_lists_for_values_of_all_users_by_group(tmp_path: Path) -> None:
    _of_all_users(USERS).save(tmp_path)
    grouped = rv.load_result(tmp_path).by_group(PEOPLE, "gender")

    assert grouped.metrics == ("RR",)
    assert [note.code for note in grouped.notes] == ["no-groups"]


def test_differences_between_groups_are_those_of_welch(result: rv.EvaluationResult) -> None:
    pairs = result.by_group(PEOPLE, "gender").compare()

    values = result.per_user().merge(PEOPLE, on="user")
    for row in pairs.itertuples(index=False):
        own = values[(values["protocol"] == row.protocol) & (values["system"] == row.system)]
        groups = [own[own["gender"] == name][row.metric] for name in (row.first, row.second)]
        wanted = stats.ttest_ind(*groups, equal_var=False)
        assert row.p == pytest.approx(wanted.pvalue, rel=1e-9)
        interval = wanted.confidence_interval(0.95)
        assert (row.low, row.high) == pytest.approx((interval.low, interval.high), rel=1e-9)
        deviation = np.sqrt(np.mean([group.var() for group in groups]))
        assert row.effect_size == pytest.approx(row.difference / deviation, rel=1e-9)
        assert row.p_holm == row.p


def test_groups_whose_averages_differ_by_rounding_alone_do_not_differ() -> None:
    values = [0.1, 0.2, 0.3, 0.7]
    both = {
        group: {
            "AR": ValuesByUser(
                np.array([[own]]), np.ones(len(own)), np.arange(len(own)) + 9 * (group == "b")
            )
        }
        for group, own in {"a": values, "b": [*values[::-1], *(3 * values)]}.items()
    }
    assert np.diff([own["AR"].means[0, 0] for own in both.values()]) != 0
    pairs = GroupedResult("team", ("mine",), ("RR",), both).compare()
    assert pairs[["difference", "p"]].to_numpy().tolist() == [[0.0, 1.0]]


def test_p_values_are_corrected_for_the_pairs_of_groups(result: rv.EvaluationResult) -> None:
    people = {"user": USERS, "team": ["a", "b", "c", "d"] * 6}

    pairs = result.by_group(people).compare()

    for _, own in pairs.groupby(["protocol", "metric", "system"]):
        assert len(own) == 6
        smallest = own["p"].min()
        assert own["p_holm"].min() == pytest.approx(min(1.0, 6 * smallest))


def test_the_permutation_test_is_that_of_all_divisions() -> None:
    rng = np.random.default_rng(3)
    one, other = rng.random((2, 4)), rng.random((2, 5)) + 0.3
    weights = (np.array([1.0, 2, 1, 3]), np.array([1.0, 1, 2, 1, 2]))
    groups = [
        ValuesByUser(own[None] * w, w, np.arange(len(w)))
        for own, w in zip((one, other), weights, strict=True)
    ]

    def t_of(values: np.ndarray, w: np.ndarray, chosen: list[int]) -> float:
        means, errors = [], []
        for places in (chosen, [place for place in range(9) if place not in chosen]):
            s, own = values[places] * w[places], w[places]
            mean, n = s.sum() / own.sum(), len(places)
            means.append(mean)
            errors.append(((s - mean * own) ** 2).sum() * n / (n - 1) / own.sum() ** 2)
        return abs(means[0] - means[1]) / np.sqrt(sum(errors))

    samples = 20_000
    found = _permuted(*groups, np.random.default_rng(1), samples)

    every, w = np.concatenate([one, other], axis=1), np.concatenate(weights)
    for system in range(2):
        observed = t_of(every[system], w, [0, 1, 2, 3])
        exact = np.mean(
            [
                t_of(every[system], w, list(chosen)) >= observed * (1 - 1e-9)
                for chosen in combinations(range(9), 4)
            ]
        )
        assert found[0, system] == pytest.approx(exact, abs=4 * np.sqrt(exact / samples) + 1e-3)


@pytest.mark.each("block", [1, 2, 3, 28, 29])
def test_divisions_in_blocks_are_those_drawn_at_once(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(3)
    groups = [ValuesByUser(rng.random((1, 3, n)), np.ones(n), np.arange(n)) for n in (4, 5)]
    whole = _permuted(*groups, np.random.default_rng(1), 29)
    monkeypatch.setattr("receval.evaluation.groups._BLOCK_ENTRIES", 9 * block + 8)
    np.testing.assert_array_equal(_permuted(*groups, np.random.default_rng(1), 29), whole)


def test_groups_of_one_user_have_no_interval_and_no_significant_difference(
    result: rv.EvaluationResult,
) -> None:
    people = {"user": USERS, "team": ["a"] + ["b"] * (N_USERS - 1)}

    for test in ("welch", "permutation"):
        pairs = result.by_group(people).compare(test=test, samples=50)
        assert pairs["low"].isna().all()
        assert pairs["p"].isna().all()
    assert set(pairs["method"]) == {"cannot tell: a group has one user"}


def test_users_are_grouped_by_the_number_of_their_training_ratings() -> None:
    table = {"user": list("aabbbbc"), "item": list("xyxyzwx"), "rating": [1] * 7}
    test = {"user": list("abc"), "item": list("vvv"), "rating": [1] * 3}
    runs = {"mine": {user: {"v": 1.0} for user in "abc"}}

    result = rv.evaluate_runs(test, runs, train=table, metrics="RR", depth="whole")

    summary = result.by_group("activity", 3).summary()
    assert summary["group"].tolist() == ["below 1.667", "1.667 to below 2.667", "2.667 or more"]
    assert summary["users"].tolist() == [1, 1, 1]
    assert result.traits["popularity taste"].tolist() == [0.5, 0.25, 1.0]
    taste = result.by_group("popularity taste", 2).summary()
    assert taste["users"].tolist() == [1, 2]


def test_traits_are_over_all_folds_and_unknown_without_training_ratings() -> None:
    folds = [
        csr_array(np.array([[1, 1, 0], [0, 0, 0]])),
        csr_array(np.array([[0, 1, 1], [0, 0, 0]])),
    ]

    traits = traits_of_users(folds)

    np.testing.assert_array_equal(traits["activity"], [2.0, np.nan])
    # The most popular of two items is the first in both folds: one of two ratings.
    np.testing.assert_array_equal(traits["popularity taste"], [0.5, np.nan])


@pytest.mark.parametrize("protocol", ["AR AI-AN", "1R TI-NN sampled=4", "P1R TI-NN sampled=4"])
def test_a_group_of_items_has_the_values_of_a_test_with_these_items_alone(protocol: str) -> None:
    if protocol.startswith("P1R"):
        protocol_of: object = rv.Protocol("1R", "TI", sampled=4, threshold=3, percentiles=2)
    else:
        protocol_of = protocol
    split = rv.split(_ratings(), "user-ratio", train_ratio=0.5, seed=1)
    (fold,) = split.folds()
    systems = {"Pop": rv.Popularity(), "Random": rv.Random(seed=2)}
    metrics = ["RR", "Recall@3", "nDCG@3"]

    result = rv.evaluate(
        split,
        systems,
        protocols=protocol_of,  # type: ignore[arg-type]
        metrics=metrics,
        relevant=3,
        item_features=FILMS,
        item_groups=["genre"],
    )

    grouped = result.by_group(items="genre")
    assert grouped.groups == ("A", "B", "C")
    assert grouped.are_of_items
    every = next(iter(grouped.values["A"].values()))
    assert 0 < every.n_users < N_USERS + 1
    if protocol.startswith("AR"):
        ids = split.ratings.item_ids
        has = {item for item, own in zip(*FILMS.values(), strict=True) if "A" in own}
        relevant = fold.test.values >= 3
        owners = {
            int(user)
            for user, item in zip(fold.test.users[relevant], fold.test.items[relevant], strict=True)
            if ids[item] in has
        }
        assert every.users.tolist() == sorted(owners)


def test_recall_of_a_group_of_items_counts_its_relevant_items_alone() -> None:
    test = {"user": list("aaab"), "item": list("xyzx"), "rating": [1, 1, 1, 1]}
    runs = {"mine": {"a": {"x": 3.0, "w": 2.0, "z": 1.0}, "b": {"w": 2.0, "x": 1.0}}}
    films = {"item": list("wxyz"), "genre": ["A", "A", "B", "B"]}

    result = rv.evaluate_runs(
        test,
        runs,
        metrics=["Recall@2", "RR"],
        depth="whole",
        item_features=films,
        item_groups="genre",
    )

    summary = result.by_group(items="genre").summary().set_index(["metric", "group"])
    assert summary["users"].tolist() == [2, 1, 2, 1]
    # The genre A has x for both users, B has y and z for user a.
    assert summary.loc[("Recall@2", "A"), "mean"] == 1.0
    assert summary.loc[("RR", "A"), "mean"] == 0.75
    assert summary.loc[("Recall@2", "B"), "mean"] == 0.0
    assert summary.loc[("RR", "B"), "mean"] == pytest.approx(1 / 3)


def test_groups_of_items_are_compared_by_the_differences_of_their_common_users() -> None:
    rng = np.random.default_rng(7)
    values = rng.random((2, 1, 9))
    groups = {
        name: {"AR": ValuesByUser(own[None], np.ones(9), np.arange(9))}
        for name, own in zip("AB", values, strict=True)
    }
    grouped = GroupedResult("genre", ("mine",), ("RR",), groups, are_of_items=True)

    (row,) = grouped.compare().itertuples(index=False)

    # If all users are in both groups, this is the paired t-test.
    assert row.p == pytest.approx(stats.ttest_rel(values[0, 0], values[1, 0]).pvalue, rel=1e-9)
    with pytest.raises(ValueError, match="share their users"):
        grouped.compare(test="permutation")


@pytest.mark.each(
    ("users", "groups", "told"),
    [
        ("activity", 1, "at least 2 groups"),
        ("activity", "gender", "for groups by activity it is their number"),
        (PEOPLE, np.int64(3), "name of a feature"),
        (PEOPLE, None, "Name the one that you mean"),
        ({"user": USERS, "x": ["a|b"] * N_USERS}, None, "several values of x"),
        ({"user": USERS, "x": [""] * N_USERS}, None, "has a x|no group"),
        ({"user": ["?"] * 60, "x": list(range(60))}, None, "No user of the features"),
        ({"user": USERS * 3, "x": list(range(72))}, None, "at most 50 groups"),
        (None, None, "Give either"),
    ],
)
def test_groups_that_cannot_be_made_are_refused(
    result: rv.EvaluationResult, users: object, groups: object, told: str
) -> None:
    with pytest.raises((ValueError, TableError), match=told):
        result.by_group(users, groups)  # type: ignore[arg-type]


def test_groups_by_what_was_not_evaluated_are_refused(result: rv.EvaluationResult) -> None:
    with pytest.raises(ValueError, match="no groups of items by 'year', but by genre"):
        result.by_group(items="year")
    test = {"user": ["a"], "item": ["x"]}
    untrained = rv.evaluate_runs(test, {"mine": {"a": {"x": 1.0}}}, metrics="RR")
    with pytest.raises(ValueError, match="need the training ratings"):
        untrained.by_group("activity")
    with pytest.raises(ValueError, match="only the group F"):
        untrained.by_group({"user": ["a"], "gender": ["F"]}).compare()


def test_users_without_a_value_are_in_no_group_and_noted(result: rv.EvaluationResult) -> None:
    some = {"user": USERS[:10], "gender": ["F", "M"] * 5}

    grouped = result.by_group(some)

    assert grouped.summary()["users"].max() == 5
    assert any("14 of 24 averaged users have no gender" in note for note in grouped.notes)


@pytest.mark.usefixtures("unrendered")
@pytest.mark.costly
def test_the_report_has_the_groups(result: rv.EvaluationResult, tmp_path: Path) -> None:
    grouped = [result.by_group(PEOPLE, "gender"), result.by_group(items="genre")]

    report = result.as_report("Mine", samples=50, grouped=grouped)

    assert {"users-by-gender", "items-by-genre", "users-by-gender-pairs"} <= set(report.data)
    page = report.page()
    assert "Users by gender" in page
    assert "Differences: items by genre" in page
    assert str(grouped[0]).count("Recall@3") == 2


def test_features_that_are_unknown_or_of_other_items_are_refused() -> None:
    test = {"user": list("ab"), "item": list("xy"), "rating": [1, 1]}
    runs = {"mine": {user: {"x": 2.0, "y": 1.0} for user in "ab"}}

    def run(features: object, **more: object) -> rv.EvaluationResult:
        metrics = ["ILD(feature=genre)@2"]
        return rv.evaluate_runs(
            test, runs, metrics=metrics, depth="whole", item_features=features, **more
        )

    films = {"item": ["x", "q"], "Genres": ["A", "B"]}
    with pytest.raises(ValueError, match="no features of items were given"):
        run(None)
    with pytest.raises(ValueError, match="'genre' of items, but the features are year"):
        run({"item": ["x"], "year": [1]})
    with pytest.raises(ValueError, match="item_groups needs the feature 'year'"):
        run(films, item_groups="year")
    with pytest.raises(TableError, match=r"No item of the features \(the table\)"):
        run({"item": ["X", "Y"], "genre": ["A", "B"]})
    result = run([films, {"item": ["x"], "year": [1]}])
    assert any("1 of 2 items have no genre" in note for note in result.notes)
    assert result.settings["item_features"] == ["the table", "the table"]


@pytest.mark.costly
def test_the_distribution_over_users_is_that_of_their_differences(
    result: rv.EvaluationResult, tmp_path: Path
) -> None:
    over = result.distribution("Pop", "Random", metric="RR")

    values = (
        result.per_user()
        .query("protocol == 'AR AI-AN'")
        .pivot_table(index="user", columns="system", values="RR")
    )
    differences = (values["Pop"] - values["Random"]).to_numpy()
    np.testing.assert_allclose(np.sort(over.differences), np.sort(differences))
    table = over.table()
    for row in table.itertuples(index=False):
        assert row.share == np.mean(differences <= row.difference + 1e-12)
        assert row.low <= row.share <= row.high
    assert over.half_width == pytest.approx(np.sqrt(np.log(40) / 2 / N_USERS))
    result.plot_distribution(tmp_path / "over.svg", metric="RR")
    result.plot_distribution(tmp_path / "over.pdf", "Random")
    assert (tmp_path / "over.svg").stat().st_size > 1000
    with pytest.raises(ValueError, match=r"neither \.svg nor \.pdf"):
        result.plot_distribution(tmp_path / "over.png")


@pytest.mark.each(
    ("arguments", "told"),
    [
        ({"metric": "Gini@3"}, "no metric with a value per user 'Gini@3'"),
        ({"first": "mine"}, "no system 'mine'"),
        ({"protocol": "1R"}, "no protocol '1R'"),
    ],
)
def test_a_distribution_of_what_is_not_there_is_refused(
    result: rv.EvaluationResult, arguments: dict, told: str
) -> None:
    with pytest.raises(ValueError, match=told):
        result.distribution(**arguments)


def test_a_saved_result_has_the_same_groups(result: rv.EvaluationResult, tmp_path: Path) -> None:
    result.save(tmp_path)
    found = rv.load_result(tmp_path)

    for arguments in ({"users": PEOPLE, "groups": "gender"}, {"users": "activity"}):
        own, loaded = (one.by_group(**arguments) for one in (result, found))
        pd.testing.assert_frame_equal(own.summary(), loaded.summary())
    own, loaded = (one.by_group(items="genre") for one in (result, found))
    pd.testing.assert_frame_equal(own.summary(), loaded.summary())
    assert loaded.notes == own.notes
    assert not (tmp_path / "settings.json").exists()
    listed, _ = _of_listed_items()
    listed.save(tmp_path / "listed")
    own, loaded = (
        one.by_group(items="genre") for one in (listed, rv.load_result(tmp_path / "listed"))
    )
    pd.testing.assert_frame_equal(own.summary(), loaded.summary())


HEAD = "HeadShare(by=count,head=8)@3"
OF_LISTED = ["ListShare@3", "ItemCoverage@3", "Gini@3", "ExposureGini@3", "ARP@3", HEAD]


def _of_listed_items(
    metrics: Sequence[str] = (*OF_LISTED, "ILD(feature=genre)@3"),
) -> tuple[rv.EvaluationResult, pd.DataFrame]:
    """Return metrics of three listed items, and the lists; the genre D is in no list of Top."""
    films = pd.DataFrame(FILMS).assign(genre=["A", "A|B", "B", "C"] * 2 + ["D", "A", "B", "C"])
    scores = np.tile(np.arange(N_ITEMS, 0.0, -1), (N_USERS, 1))
    scores[:, 8] = np.nan
    scores[:3, 1:] = np.nan  # Three users get at most one item.
    result = rv.evaluate(
        rv.split(_ratings(), "user-ratio", train_ratio=0.5, seed=1),
        {"Top": scores, "Random": rv.Random(seed=2)},
        metrics=metrics,
        item_features=films,
        item_groups="genre",
        lists=3,
    )
    lists = result.lists().merge(films.assign(genre=films["genre"].str.split("|")), on="item")
    return result, lists.explode("genre")


def test_metrics_of_lists_of_a_group_are_those_of_its_listed_items_in_its_catalogue() -> None:
    result, lists = _of_listed_items()
    (fold,) = rv.split(_ratings(), "user-ratio", train_ratio=0.5, seed=1).folds()
    popularity = pd.Series(np.bincount(fold.train.indices, minlength=N_ITEMS), result.item_ids)

    grouped = result.by_group(items="genre")

    assert grouped.metrics == tuple(OF_LISTED)
    means = dict(list(grouped.summary().groupby(["system", "group"])))
    sizes = {"A": 5, "B": 5, "C": 3, "D": 1}
    for (system, group), own in lists.groupby(["system", "genre"]):
        found = means[system, group].set_index("metric")["mean"]
        met = np.r_[np.zeros(sizes[group]), own["item"].value_counts()][-sizes[group] :]
        gaps = np.abs(met[:, None] - met).sum()
        assert found["ListShare@3"] == pytest.approx(len(own) / (3 * N_USERS))
        assert found["ItemCoverage@3"] == pytest.approx(own["item"].nunique() / sizes[group])
        assert found["Gini@3"] == pytest.approx(gaps / (2 * sizes[group] * met.sum()))
        popular = own["item"].map(popularity)
        assert found["ARP@3"] == pytest.approx(popular.groupby(own["user"]).mean().mean())
        assert found[HEAD] == pytest.approx((popular > 8).groupby(own["user"]).mean().mean())
        exposed = own.assign(exposure=1 / np.log2(own["rank"] + 1)).groupby("item")["exposure"]
        sums = np.r_[np.zeros(sizes[group]), exposed.sum()][-sizes[group] :]
        gaps = np.abs(sums[:, None] - sums).sum()
        assert found["ExposureGini@3"] == pytest.approx(gaps / (2 * sizes[group] * sums.sum()))


def test_a_group_in_no_list_has_a_share_and_a_coverage_of_0_alone() -> None:
    result, _ = _of_listed_items()
    grouped = result.by_group(items="genre")
    means = grouped.summary().query("system == 'Top' and group == 'D'")["mean"]
    assert means.fillna(-1).tolist() == [0, 0, -1, -1, -1, -1]
    pairs = grouped.compare().query("system == 'Top' and second == 'D' and metric == 'ARP@3'")
    assert pairs["p"].isna().all()
    assert set(pairs["method"]) == {
        "cannot tell: no user of a group counts in the metric, or it divides by 0"
    }


def test_groups_of_listed_items_differ_by_the_jackknife_of_their_difference() -> None:
    result, lists = _of_listed_items()
    own = lists.query("system == 'Random' and genre in ['A', 'B']")

    def gini_of(group: str, users: pd.DataFrame) -> float:
        met = np.r_[np.zeros(5), users.query("genre == @group")["item"].value_counts()][-5:]
        return float(np.abs(met[:, None] - met).sum() / (10 * met.sum()))

    left = [own[own["user"] != user] for user in sorted(own["user"].unique())]
    without = np.array([gini_of("A", rest) - gini_of("B", rest) for rest in left])
    error = np.sqrt((N_USERS - 1) / N_USERS * ((without - without.mean()) ** 2).sum())

    pairs = result.by_group(items="genre").compare(correction=None)
    chosen = "metric == 'Gini@3' and system == 'Random' and first == 'A' and second == 'B'"
    found = pairs.query(chosen).iloc[0]

    assert len(left) == N_USERS
    half = stats.t.ppf(0.975, N_USERS - 1) * error
    assert found["high"] - found["difference"] == pytest.approx(half)
    t = abs(found["difference"]) / error
    assert found["p"] == pytest.approx(2 * stats.t.sf(t, N_USERS - 1))


def test_a_mean_over_the_items_of_one_user_has_no_error() -> None:
    films = pd.DataFrame(FILMS | {"genre": ["A"] * (N_ITEMS - 1) + ["B"]})
    scores = np.tile(np.arange(N_ITEMS, 0.0, -1), (N_USERS, 1))
    split = rv.split(_ratings(), "user-ratio", train_ratio=0.5, seed=1)
    (fold,) = split.folds()
    last = list(split.ratings.item_ids).index(str(films["item"].iloc[-1]))
    scores[:, last] = -1.0
    scores[np.flatnonzero(fold.train.toarray()[:, last] == 0)[0], last] = 99.0
    chosen = {"metrics": "ARP@3", "item_features": films, "item_groups": "genre"}
    result = rv.evaluate(split, {"Mine": scores}, **chosen)
    grouped = result.by_group(items="genre")
    assert grouped.summary().query("group == 'B'")["mean"].notna().all()
    assert grouped.summary().query("group == 'B'")["low"].isna().all()
    assert grouped.compare()["p"].isna().all()
    assert "only one user counts" in str(grouped.notes[-1])


def test_groups_of_listed_items_are_asked_for_beside_those_of_test_items() -> None:
    result, _ = _of_listed_items(["RR", "Gini@3", "Gini(corrected=true)@3"])
    judged, listed = (result.by_group(items="genre", lists=own) for own in (False, True))
    assert (judged.metrics, listed.metrics) == (("RR",), ("Gini@3",))
    assert str(judged.notes[0]).startswith("Gini(corrected=true)@3 is not computed from judged")
    assert str(judged.notes[1]).startswith("For Gini@3, see the listed items by genre (in Python,")
    assert "listed items of each group" in listed.tables()[0].caption
    assert not any("RR" in str(note) for note in listed.notes)
    with pytest.raises(ValueError, match="RR is not computed from the items of one group alone"):
        _of_listed_items(["RR"])[0].by_group(items="genre", lists=True)
    with pytest.raises(ValueError, match="a feature that item_groups named, and with that"):
        result.by_group("activity", lists=True)


def test_groups_are_corrected_and_tested_as_asked_for(result: rv.EvaluationResult) -> None:
    grouped = result.by_group(PEOPLE, "gender")
    ranked = grouped.compare(test="mann-whitney", correction="bh")
    assert "p_bh" in ranked
    values = result.per_user().merge(PEOPLE, on="user")
    row = ranked.iloc[0]
    own = values[(values["protocol"] == row["protocol"]) & (values["system"] == row["system"])]
    one, other = (own[own["gender"] == row[name]][row["metric"]] for name in ("first", "second"))
    wanted = stats.mannwhitneyu(one, other, method="asymptotic").pvalue
    assert row["p"] == pytest.approx(wanted, rel=1e-9)
    assert "p_holm" not in grouped.compare(correction=None)
    assert "p (BH)" in [own.header for own in grouped.tables(correction="bh")[1].columns]


def test_rows_of_groups_are_those_of_the_tables(result: rv.EvaluationResult) -> None:
    grouped = result.by_group(PEOPLE, "gender")
    tables = (
        (grouped.average_rows(), grouped.summary()),
        (grouped.fairness_rows(samples=9), grouped.fairness(samples=9)),
        (grouped.pair_rows(), (pairs := grouped.compare()).assign(p_corrected=pairs["p_holm"])),
        (grouped.pair_rows(test="mann-whitney", correction="bh"), None),
        (grouped.pair_rows(correction=None), None),
    )
    for rows, table in tables:
        for name, hint in get_type_hints(type(rows[0])).items():
            assert type(getattr(rows[0], name)) is hint
            if table is not None:
                np.testing.assert_array_equal([getattr(row, name) for row in rows], table[name])
    (ranked, *_), (plain, *_) = tables[3][0], tables[4][0]
    assert ranked.p_corrected == grouped.compare(test="mann-whitney", correction="bh")["p_bh"][0]
    assert plain.p_corrected == plain.p


def test_a_table_of_users_that_does_not_exist_is_refused_in_a_sentence(
    result: rv.EvaluationResult,
) -> None:
    with pytest.raises(ValueError, match="There is no file 'gender' to group users by"):
        result.by_group("gender")


def test_fairness_has_the_parts_of_values_per_user(result: rv.EvaluationResult) -> None:
    grouped = result.by_group(PEOPLE, "gender")
    found = grouped.fairness(samples=20).set_index(["protocol", "metric", "system", "inequality"])

    values = result.per_user().merge(PEOPLE, on="user")
    own = values[(values["protocol"] == "AR AI-AN") & (values["system"] == "Pop")]
    groups = own["gender"].map({"F": 0, "M": 1}).to_numpy()
    expected = inequalities(own["Recall@3"].to_numpy(), groups)
    for column, measure in enumerate(MEASURES):
        row = found.loc[("AR AI-AN", "Recall@3", "Pop", measure)]
        np.testing.assert_allclose(row[["over_users", "within", "between"]], expected[:, column])
        assert 0 < row["by_chance"] < row["over_users"]
        assert 0 < row["p"] <= 1
    for compute in (grouped.fairness, partial(grouped.compare, test="permutation")):
        with pytest.raises(ValueError, match="number of samples is 0"):
            compute(samples=0)
    again = grouped.fairness(samples=20)
    pd.testing.assert_frame_equal(again, grouped.fairness(samples=20))
    with pytest.raises(ValueError, match="share their users"):
        result.by_group(items="genre").fairness()


@pytest.mark.parametrize("folds", [1, 2])
def test_weighted_means_of_groups_are_those_of_the_ratings_of_their_users(
    folds: int, tmp_path: Path
) -> None:
    rng = np.random.default_rng(4)
    rows = [
        (user, f"i{item:02}", int(rng.integers(1, 6)))
        for number, user in enumerate(USERS)
        for item in rng.choice(N_ITEMS, 5 + number % 7, replace=False)
    ]
    ratings = rv.read_ratings(pd.DataFrame(rows, columns=["user", "item", "rating"]))
    parameters = {"folds": folds} if folds > 1 else {"train_ratio": 0.5}
    split = rv.split(ratings, "k-fold" if folds > 1 else "user-ratio", seed=1, **parameters)
    # Without equal scores, whose order is the protocol's.
    system = rv.BiasedMF(factors=2, epochs=3)
    metrics = ["RMSE", "MAE", "GAUC(weight=relevant)", "AUC"]
    result = rv.evaluate(split, {"MF": system}, metrics=metrics, relevant=4)
    result.save(tmp_path)

    grouped = rv.load_result(tmp_path).by_group(PEOPLE, "gender")

    found = grouped.summary().set_index(["metric", "group"])
    genders = PEOPLE.set_index("user")["gender"].reindex(ratings.user_ids).to_numpy()
    for group in "FM":
        by_fold = []
        for fold in split.folds():
            scores = system.fit(fold.train).score(np.arange(ratings.n_users))
            users, items, rated = fold.test.users, fold.test.items, fold.test.values
            own = genders[users] == group
            wrong = (scores[users, items] - rated)[own]
            right, n_relevant = 0.0, 0
            for user in np.unique(users[own]):
                trained = fold.train.toarray()[user].nonzero()[0]
                candidates = np.setdiff1d(np.arange(ratings.n_items), trained)
                liked = items[(users == user) & (rated >= 4)]
                others = np.setdiff1d(candidates, liked)
                if not len(liked) or not len(others):
                    continue
                above = scores[user, liked][:, None] > scores[user, others][None, :]
                right += above.mean(axis=1).sum()
                n_relevant += len(liked)
            by_fold.append(((wrong**2).sum(), np.abs(wrong).sum(), len(wrong), right, n_relevant))
        # Each rating counts the same, in whatever fold it is tested.
        squares, absolute, count, right, n_relevant = np.sum(by_fold, axis=0)
        values = np.sqrt(squares / count), absolute / count, right / n_relevant
        for metric, wanted in zip(metrics, values, strict=False):
            assert found.loc[(metric, group), "mean"] == pytest.approx(wanted, rel=1e-6)


def test_intervals_of_root_means_of_groups_are_those_of_a_ratio_in_the_group() -> None:
    ratings = _ratings()
    split = rv.split(ratings, "random-ratio", train_ratio=0.5, seed=1)
    result = rv.evaluate(split, {"Avg": rv.AverageRating()}, metrics="RMSE", relevant=3)

    found = result.by_group(PEOPLE, "gender").summary().set_index("group")

    (fold,) = split.folds()
    scores = rv.AverageRating().fit(fold.train).score(np.arange(ratings.n_users))
    squares = (scores[fold.test.users, fold.test.items] - fold.test.values) ** 2
    genders = PEOPLE.set_index("user")["gender"].reindex(ratings.user_ids).to_numpy()
    for group in "FM":
        users = np.flatnonzero((genders == group) & (np.diff(fold.test.indptr) > 0))
        sums = np.bincount(fold.test.users, squares)[users]
        counts = np.diff(fold.test.indptr)[users]
        mean = sums.sum() / counts.sum()
        residuals = sums - mean * counts
        n = len(users)
        # Cochran (1977), section 6.4, and the slope of the root.
        error = np.sqrt((residuals**2).sum() * n / (n - 1)) / counts.sum() / (2 * np.sqrt(mean))
        half = stats.t.ppf(0.975, n - 1) * error
        assert found.loc[group, "high"] - found.loc[group, "mean"] == pytest.approx(half, rel=1e-5)


def test_the_interval_of_gauc_does_not_depend_on_users_who_are_not_averaged() -> None:
    test = {"user": list("aabbcc"), "item": list("xyxyxy"), "rating": [1, 0, 1, 0, 0, 1]}
    run = {user: {"x": 3.0, "y": 2.0, "z": 1.0 if user != "b" else 4.0} for user in ("a", "b", "c")}
    more = {
        name: [*own, *extra]
        for (name, own), extra in zip(test.items(), (list("dd"), list("xy"), [0, 0]), strict=True)
    }
    options = {"metrics": "GAUC", "depth": "whole", "relevant": 1, "users": "relevant"}

    few = rv.evaluate_runs(test, {"mine": run}, **options).summary()
    many = rv.evaluate_runs(more, {"mine": run | {"d": {"x": 1.0}}}, **options).summary()

    columns = ["mean", "low", "high"]
    assert many[columns].to_numpy() == pytest.approx(few[columns].to_numpy())


@pytest.mark.parametrize(
    ("values", "known"), [([0, 0, 0, 0], 0), ([2, 1, -1, 3], 0), ([2, 1, 0, 3], 3)]
)
def test_nothing_is_said_of_the_fairness_of_values_below_or_all_at_zero(
    values: list[float], known: int
) -> None:
    own = ValuesByUser(np.array([[values]], dtype=float), np.ones(4), np.arange(4))
    halves = {
        name: {"AR": own.of_members(np.isin(np.arange(4), users), np.array([0]))}
        for name, users in (("a", [0, 1]), ("b", [2, 3]))
    }
    found = GroupedResult("team", ("mine",), ("RR",), halves).fairness(samples=20)

    numbers = found[["over_users", "within", "between", "by_chance", "p"]]
    assert numbers.notna().all(axis=1).sum() == known
    assert numbers.isna().all(axis=1).sum() == len(MEASURES) - known


def test_a_series_by_user_is_a_feature(result: rv.EvaluationResult) -> None:
    genders = PEOPLE.set_index("user")["gender"]

    found = result.by_group(genders).summary()

    pd.testing.assert_frame_equal(found, result.by_group(PEOPLE, "gender").summary())
    assert result.by_group(genders.rename(None)).name == "group"


def test_metrics_without_values_of_groups_of_items_are_noted(result: rv.EvaluationResult) -> None:
    (note,) = result.by_group(items="genre").notes
    assert str(note).endswith("is not computed from judged ranks, so there are no values by group.")
