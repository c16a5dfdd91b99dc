# SPDX-License-Identifier: MIT
"""Splits by time: what leaks under them, and the orders of systems, on few ratings."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau
from studies.followups import printed, shown
from studies.prepared import display_of, generated_ratings, inputs_of, saved, write_experiment

from receval.data.ratings import Ratings
from receval.figures.style import NO_WINNER
from receval.figures.tables import to_markdown
from receval.metrics.evaluation import evaluate
from receval.metrics.registry import parse
from receval.protocols.protocol import Protocol
from receval.splits.split import TEST, TRAIN, Split
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups import time_later_training, time_leaks, time_orders
from reproduction.studies.followups.time_orders import (
    SPLIT_TITLES,
    in_order,
    moved_share,
    same_best_share,
    taus_between_folds,
    taus_between_splits,
    taus_by_chance,
)

SYSTEMS = ("pop", "random", "slim", "puresvd", "uir")
KINDS = {
    "random": ("random-folds", "released-folds"),
    "newest_of_users": ("user-temporal-80",),
    "last_of_users": ("leave-last-out",),
    "newest": ("temporal-80", "released-temporal"),
}
OF_LEAKS = {**KINDS, "newest_fifth": "released-temporal"}
OF_ORDERS = {**KINDS, "names": ("nDCG@10", "Recall@10"), "metrics": ("nDCG@10", "Recall@10")}
DATED = {
    "dated-random": "random-folds",
    "dated-newest-of-users": "user-temporal-80",
    "dated-newest": "temporal-80",
}


def test_a_split_is_what_the_parameters_say() -> None:
    assert time_orders.tested_by("released-folds", KINDS) == "random"
    assert time_orders.tested_by("temporal-80", KINDS) == "newest"
    with pytest.raises(ValueError, match="Nothing says which ratings the split user-80 tests"):
        time_orders.tested_by("user-80", KINDS)


def test_splits_stand_in_the_order_of_what_they_know_of_time() -> None:
    assert in_order(["newest", "random", "newest"]) == ["random", "newest"]
    assert in_order(SPLIT_TITLES) == list(SPLIT_TITLES)


def write_split(folder: Path, dataset: str, name: str, tests: np.ndarray) -> tuple[str, str]:
    (folder / dataset / name).mkdir(parents=True, exist_ok=True)
    codes = np.where(tests, TEST, TRAIN).astype(np.uint8)
    Split((codes,)).write(folder / dataset / name / "split.npz")
    return dataset, name


def leaks_of(folder: Path, ratings: Ratings, splits: dict[str, np.ndarray]) -> pd.DataFrame:
    names = [write_split(folder, "ml-1m", name, tests) for name, tests in splits.items()]
    inputs = inputs_of(folder, {"ml-1m": ratings}, splits=names, **OF_LEAKS)
    return time_leaks.data(inputs).set_index(["split", "scope"])


def dated(ratings: Ratings) -> Ratings:
    times = np.random.default_rng(0).permutation(len(ratings)).astype(np.int64)
    return replace(ratings, timestamps=times * 86_400)


def test_seconds_are_taken_where_they_are_known(tmp_path: Path) -> None:
    ratings = dated(generated_ratings())
    assert ratings.timestamps is not None
    at_random = np.random.default_rng(1).random(len(ratings)) < 0.3
    newest = ratings.timestamps >= np.quantile(ratings.timestamps, 0.8)
    found = leaks_of(
        tmp_path,
        ratings,
        {"random-folds": at_random, "temporal-80": newest, "released-temporal": newest},
    )
    assert set(found["known"]) == {"seconds"}
    # The same split again would say the same again.
    assert "released-temporal" not in found.index.get_level_values("split")
    last = ratings.timestamps[~at_random].max()
    expected = (ratings.timestamps[at_random] < last).mean()
    assert found.loc[("random-folds", "anybody"), "interactions"] == pytest.approx(expected)
    assert (found.loc["temporal-80", ["interactions", "users", "median_share"]] == 0).all(axis=None)


def test_without_timestamps_the_newest_fifth_gives_a_lower_bound(tmp_path: Path) -> None:
    whole = dated(generated_ratings())
    assert whole.timestamps is not None
    newest = whole.timestamps >= np.quantile(whole.timestamps, 0.8)
    at_random = np.random.default_rng(1).random(len(whole)) < 0.3
    splits = {"released-folds": at_random, "released-temporal": newest}
    found = leaks_of(tmp_path / "two", replace(whole, timestamps=None), splits)
    assert set(found["known"]) == {"newest fifth"}
    assert found["median_days"].isna().all()
    # By hand: a test rating before the newest fifth, for which somebody trains in it.
    affected = at_random & ~newest
    users = np.zeros(whole.n_users, dtype=bool)
    users[whole.users[newest & ~at_random]] = True
    shares = {"anybody": affected.sum(), "same user": (affected & users[whole.users]).sum()}
    for scope, count in shares.items():
        share = found.loc[("released-folds", scope), "interactions"]
        assert share == pytest.approx(count / at_random.sum())
    exact = leaks_of(tmp_path / "seconds", whole, {"released-folds": at_random})
    for column in ("interactions", "users", "median_share"):
        bound = found.loc["released-folds", column]
        assert (bound <= exact.loc["released-folds", column] + 1e-12).all()
    assert (found.loc["released-temporal", "interactions"] == 0).all()


def made_up_leaks() -> pd.DataFrame:
    shares = {"random": (1.0, 0.99, 0.98), "newest_of_users": (0.9, 0.8, 0.0)}
    shares |= {"last_of_users": (0.97, 0.9, 0.0), "newest": (0.0, 0.0, 0.0)}
    rows = [
        {
            "dataset": dataset,
            "split": KINDS[tested][0],
            "tested": tested,
            "known": known,
            "fold": 0,
            "scope": scope,
            "test_interactions": 100,
            "test_users": 10,
            "interactions": share,
            "users": share,
            "median_share": share / 2,
            "median_days": float("nan"),
        }
        for dataset, known, kinds in (
            ("dated-twin", "seconds", list(KINDS)),
            ("ml-1m", "newest fifth", ["random", "newest"]),
        )
        for tested in kinds
        for scope, share in zip(time_leaks.SCOPES, shares[tested], strict=True)
    ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize("datasets", [["dated-twin", "ml-1m"], ["dated-twin"]])
def test_leaks_are_drawn_and_named_in_full(tmp_path: Path, datasets: list[str]) -> None:
    results = made_up_leaks()
    figure = shown("time_leaks", results[results["dataset"].isin(datasets)], tmp_path, "full")
    titles = [axes.get_title(loc="left") or axes.get_title() for axes in figure.axes]
    assert any("Generated ratings" in title for title in titles)
    ticks = [text.get_text() for axes in figure.axes for text in axes.get_xticklabels()]
    assert ("Random,\nat least" in ticks) == ("ml-1m" in datasets)
    assert "Newest\nof all,\nat least" not in ticks


def written(folder: Path, splits: dict[str, str], dataset: str, **more: Any) -> dict[str, Any]:
    return {
        name: write_experiment(
            folder,
            dataset,
            SYSTEMS,
            [Protocol()],
            evaluated_users="tested",
            split_name=split,
            folds=3 if "folds" in split else 1,
            **more,
        )
        for name, split in splits.items()
    }


Dated = tuple[Path, dict[str, Any]]


@pytest.fixture(scope="module")
def by_time(tmp_path_factory: pytest.TempPathFactory) -> Dated:
    """Experiments on splits by time, and their folder."""
    folder = tmp_path_factory.mktemp("by_time")
    experiments = written(folder, DATED, "dated-twin")
    # One split alone of another dataset is compared with nothing.
    return folder, experiments | written(folder, {"released-random": "released-folds"}, "ml-1m")


def inputs_on(by_time: Dated, **more: Any) -> ArtifactInputs:
    folder, experiments = by_time
    return inputs_of(folder, experiments=experiments, seed=3, **OF_ORDERS, **more)


@pytest.fixture(scope="module")
def orders(by_time: Dated) -> pd.DataFrame:
    return time_orders.data(inputs_on(by_time, shown="nDCG@10"))


@pytest.fixture(scope="module")
def taus(by_time: Dated) -> pd.DataFrame:
    return taus_between_splits(inputs_on(by_time, samples=30))


def test_means_are_over_users_who_train_and_test(by_time: Dated) -> None:
    inputs = inputs_on(by_time, shown="nDCG@10")
    results = time_orders.data(inputs)
    assert set(results["dataset"]) == {"dated-twin"}
    assert list(dict.fromkeys(results["tested"])) == ["random", "newest_of_users", "newest"]
    experiment = inputs.experiments["dated-random"]
    fold = experiment.fold(1)
    lists = experiment.lists("slim", Protocol(), 1)
    trained = np.diff(fold.train.indptr) > 0
    chosen = trained[lists.users] & (lists.full.n_judged > 0)
    own = results[(results["tested"] == "random") & (results["fold"] == 1)]
    assert set(own["users"]) == {np.count_nonzero(chosen)}
    expected = evaluate([parse("Recall@10")], lists)[0][chosen].mean()
    found = own[(own["system"] == "slim") & (own["metric"] == "Recall@10")]["value"].item()
    assert found == pytest.approx(expected)


def test_users_without_training_ratings_are_left_out(tmp_path: Path) -> None:
    experiments = written(tmp_path, DATED, "dated-twin", tested_share=0.95)
    inputs = inputs_of(tmp_path, experiments=experiments, **OF_ORDERS)
    results = time_orders.data(inputs)
    fold = inputs.experiments["dated-newest"].fold(0)
    trained = np.diff(fold.train.indptr) > 0
    assert not trained.all()
    users = results[results["tested"] == "newest"]["users"].unique()
    assert users.tolist() == [np.count_nonzero(trained[np.unique(fold.test.users)])]


def test_taus_of_the_table_are_those_of_the_orders(by_time: Dated, taus: pd.DataFrame) -> None:
    table = taus.set_index(["metric", "first", "second"])
    orders = time_orders.data(inputs_on(by_time))
    for metric in OF_ORDERS["names"]:
        of_metric = time_orders.taus_with_random(orders[orders["metric"] == metric])
        for tested, tau in of_metric.items():
            assert table.loc[(metric, "random", tested), "tau"] == pytest.approx(tau)
    assert len(table) == 2 * (1 + 3)
    at_random = table.xs("random", level="first")
    assert at_random[["chance", "chance_low"]].notna().all(axis=None)
    assert (at_random["chance_low"] <= at_random["chance"]).all()
    assert table.drop("random", level="first")["chance"].isna().all()
    # All users train and test everywhere here.
    everybody = table["users"] == 30
    assert everybody.any()
    same = table[everybody]
    assert same["same_users"].to_numpy() == pytest.approx(same["tau"].to_numpy(), abs=0.35)


def test_results_are_the_same_in_every_run(by_time: Dated, taus: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(taus_between_splits(inputs_on(by_time, samples=30)), taus)


def test_the_table_prints_every_pair_of_splits(taus: pd.DataFrame, tmp_path: Path) -> None:
    results = saved(taus, tmp_path)
    table = time_orders.tabulate(results, display_of("followups", "time_taus", edition="full"))
    text = to_markdown(table)
    assert len(table.rows) == len(results)
    assert "| Generated ratings, 5 systems | Random" in text
    assert "Newest of each user" in text
    assert "nan" not in text
    last = dict(zip((column.header for column in table.columns), table.rows[-1], strict=True))
    assert (last["Chance"], last["5th pct."]) == ("\N{EN DASH}", "\N{EN DASH}")


@pytest.mark.parametrize("edition", ["demo", "full"])
def test_places_are_drawn_with_tau_under_every_split(
    orders: pd.DataFrame, tmp_path: Path, edition: str
) -> None:
    figure = shown("time_orders", orders, tmp_path, edition)
    (axes,) = figure.axes
    ticks = [text.get_text() for text in axes.get_xticklabels()]
    assert [tick.split("\n$")[0] for tick in ticks] == [
        SPLIT_TITLES[tested] for tested in ("random", "newest_of_users", "newest")
    ]
    assert all("tau$" in tick for tick in ticks)
    assert "Generated ratings, 5 systems" in axes.get_title(loc="left") + axes.get_title()


def test_systems_that_move_by_fewer_than_three_places_are_grey(tmp_path: Path) -> None:
    values = {"pop": (5, 2), "random": (4, 5), "slim": (3, 4), "puresvd": (2, 3), "uir": (1, 1)}
    rows = [
        ("dated-twin", "AR AI", tested, 0, "nDCG@10", system, value[at])
        for at, tested in enumerate(("random", "newest"))
        for system, value in values.items()
    ]
    columns = ["dataset", "protocol", "tested", "fold", "metric", "system", "value"]
    figure = shown("time_orders", pd.DataFrame(rows, columns=columns), tmp_path, "full")
    (axes,) = figure.axes
    colours = {str(line.get_label()): line.get_color() for line in axes.get_lines()}
    display = display_of("followups", "time_orders", edition="full")
    assert colours.pop("Pop") == display.systems["pop"].colour
    assert set(colours.values()) == {NO_WINNER}


def test_a_third_panel_stands_below_the_others(orders: pd.DataFrame, tmp_path: Path) -> None:
    own = orders
    results = [own, own.assign(dataset="ml-1m"), own.assign(dataset="ml-1m", protocol="other")]
    figure = shown("time_orders", pd.concat(results), tmp_path, "full")
    first, second, third = (axes.get_window_extent() for axes in figure.axes)
    assert first.y0 == pytest.approx(second.y0)
    assert third.y1 < first.y0


RNG = np.random.default_rng(8)
MEANS = RNG.random((4, 6))
OTHERS = RNG.random((3, 6))


def test_every_fold_meets_every_other_and_folds_of_one_split_meet_once() -> None:
    for others, pairs in ((OTHERS, product(MEANS, OTHERS)), (MEANS, combinations(MEANS, 2))):
        expected = [kendalltau(*pair).statistic for pair in pairs]
        found = taus_between_folds(MEANS, others, same_split=others is MEANS)
        assert found.tolist() == pytest.approx(expected)


def test_moved_pairs_are_counted_by_hand() -> None:
    # Of six pairs of four systems the first two and the last two change places.
    assert moved_share([[1, 2, 3, 4]], [[2, 1, 4, 3]]) == pytest.approx(2 / 6)
    # What is tied under either is ahead under neither.
    assert moved_share([[1, 1, 2]], [[2, 1, 3]]) == 0


def test_moved_pairs_and_tau_say_the_same_without_ties() -> None:
    taus = taus_between_folds(MEANS, OTHERS)
    assert moved_share(MEANS, OTHERS) == pytest.approx(float((1 - taus).mean()) / 2)
    own = taus_between_folds(MEANS, MEANS, same_split=True)
    assert moved_share(MEANS, MEANS, same_split=True) == pytest.approx(float((1 - own).mean()) / 2)


def test_the_same_best_is_counted_by_hand() -> None:
    folds = [[1, 2, 3], [1, 3, 2], [0, 1, 5]]
    assert same_best_share(folds, [[0, 0, 1]]) == pytest.approx(2 / 3)
    assert same_best_share(folds, folds, same_split=True) == pytest.approx(1 / 3)


def test_few_users_blur_an_order_and_many_do_not() -> None:
    systems = np.linspace(0.2, 0.4, 6)[:, np.newaxis]
    folds = [systems + RNG.normal(0, 0.2, (6, 400)) for _ in range(3)]
    few, many = (
        taus_by_chance(folds, n_users, 60, np.random.default_rng(1)) for n_users in (4, 4000)
    )
    assert few.shape == many.shape == (60,)
    assert few.mean() < many.mean() - 0.2


def test_with_users_who_are_alike_chance_gives_the_order_of_whole_folds() -> None:
    folds = [np.repeat(means[:, np.newaxis], 5, axis=1) for means in MEANS]
    drawn = taus_by_chance(folds, 3, 12, np.random.default_rng(2))
    expected = [
        kendalltau(MEANS[a], MEANS[b]).statistic for a in range(4) for b in range(4) if a != b
    ]
    assert drawn.tolist() == pytest.approx(expected)


def test_one_fold_has_no_chance_to_show() -> None:
    with pytest.raises(ValueError, match="which has 1: make it with more"):
        taus_by_chance([MEANS], 3, 4, np.random.default_rng(0))


# --- later ratings in training --------------------------------------------------------------------


def with_a_late_item() -> Ratings:
    """Ten users who stop after six tenths of the ratings, and an item that all others rate last."""
    whole = generated_ratings()
    rng = np.random.default_rng(5)
    users, items = (np.delete(of, whole.items == 24) for of in (whole.users, whole.items))
    stays = users >= 10
    # Days 0 to 39 and a last one for those who stop, 0 to 89 for the others.
    days = np.where(stays, rng.integers(0, 90, len(users)), rng.integers(0, 40, len(users)))
    last = np.append(users[1:] != users[:-1], True)
    days[last & ~stays] = 42
    raters = np.arange(10, 30)
    return replace(
        whole,
        users=np.append(users, raters).astype(whole.users.dtype),
        items=np.append(items, np.full(20, 24)).astype(whole.items.dtype),
        values=np.ones(len(users) + 20, dtype=whole.values.dtype),
        timestamps=np.append(days, np.full(20, 99)) * 86_400,
    )


def later_training(folder: Path, ratings: Ratings) -> pd.DataFrame:
    inputs = inputs_of(folder, {"dated-twin": ratings}, tested=5, depth=5)
    return time_later_training.data(inputs)


@pytest.mark.costly
def test_an_item_of_the_future_is_recommended_only_when_later_ratings_train(tmp_path: Path) -> None:
    ratings = with_a_late_item()
    assert ratings.timestamps is not None
    tenths = time_later_training.tenths_of_time(ratings.timestamps)
    rows = time_later_training.last_of_users(ratings, ratings.timestamps)
    tested = rows[tenths[rows] == 5]
    found = later_training(tmp_path, ratings)
    assert set(found["users"]) == {len(tested)}
    assert set(ratings.users[tested]) >= set(range(10))
    # Everybody else has the last item, so that it is the most popular one.
    of_pop = found[found["system"] == "pop"].set_index("later_tenths")["affected_users"]
    assert of_pop[0] == 0
    assert of_pop[4] == 1
    # Three systems at the least know that the item is there.
    assert (found.loc[found["later_tenths"] == 4, "affected_users"] > 0).sum() >= 3
    assert (found.loc[found["later_tenths"] == 0, ["turned_pairs", "tau"]] == [0, 1]).all(axis=None)
    text = printed("time_later_training", found, tmp_path)
    (row,) = [line for line in text.split("\n") if "Pop" in line]
    # nDCG of the first and last amount, then the per cent of the users.
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[7:] == ["0", "0", "0", "0", "100"]


def test_ratings_without_timestamps_have_no_later_ones(tmp_path: Path) -> None:
    assert later_training(tmp_path, generated_ratings()).empty


def test_the_last_rating_of_a_user_is_the_later_row_of_equal_times() -> None:
    times = np.array([3, 9, 9, 1, 2, 7])
    ratings = replace(
        generated_ratings(n_users=3),
        users=np.array([0, 0, 0, 1, 1, 2], dtype=np.int32),
        items=np.arange(6, dtype=np.int32),
        values=np.ones(6, dtype=np.float32),
    )
    # User 2 has one rating, which cannot both train and test.
    assert time_later_training.last_of_users(ratings, times).tolist() == [2, 4]


def test_a_pair_is_reversed_where_both_differences_are_significant() -> None:
    level = np.array([0.1, 0.2, 0.15, 0.12, 0.18])
    before = np.array([level + 0.5, level, level])
    noisy = level + np.array([0.1, -0.3, 0.2, -0.1, 0.1])
    assert time_later_training.turned_pairs(before, before[::-1]) == 1
    assert time_later_training.turned_pairs(before, np.array([level, noisy, noisy])) == 0
    assert time_later_training.turned_pairs(before, before) == 0
