# SPDX-License-Identifier: MIT
"""Universes of two systems, against the same numbers computed one by one with other functions."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from multiverse.small_universes import (
    GRID,
    SEED,
    SYSTEMS,
    THRESHOLD,
    explored,
    small_ratings,
    small_universes,
    whole_grid,
)
from numpy.typing import NDArray
from scipy import stats

from receval.metrics.averages import parse_average
from receval.metrics.evaluation import aggregate, evaluate
from receval.metrics.lists import DatasetMetadata, JudgedLists
from receval.metrics.registry import parse
from receval.multiverse.decisions import DECISIONS, Configuration
from receval.multiverse.verdicts import with_verdicts
from receval.protocols.evaluation import rank_judged
from receval.protocols.protocol import Protocol
from receval.seeds import generator, integer_seed
from receval.splits.kinds import RandomRatio, UserRatio, make_split
from receval.splits.split import Fold, fold
from receval.storage.files import read_results, write_results

KEY = ["first", "second", *DECISIONS]
NUMBERS = [
    *("value", "other_value", "residual", "other_residual", "difference", "effect"),
    *("p_value", "rejected", "signed_one_minus_p"),
]
AVERAGES = {
    "mean": "arithmetic",
    "median": "median",
    "test-weighted": "weighted(by=test)",
    "positive-weighted": "weighted(by=positive)",
    "geometric": "geometric-adjusted",
}

CHOSEN: list[dict[str, Any]] = [
    {},
    {"coverage": "reduced"},
    {"users": "all", "split": {"train_ratio": 0.2}},
    {"non_computable": "popularity", "lists": "condensed"},
    {"non_computable": "average", "users": "all"},
    {"non_computable": "random", "metric": {"name": "P", "depth": 5}, "test": "sign"},
    {"selection": {"share": 0.8}, "split": {"kind": "user", "train_ratio": 0.5}},
    {"selection": {"min_user_ratings": 8, "head_removed": 0.05}, "test": "wilcoxon"},
    {"metric": {"name": "RBP", "depth": None, "gain": "g2"}, "aggregation": "test-weighted"},
    {"metric": {"gain": "g2"}, "aggregation": "positive-weighted", "users": "all"},
    {"metric": {"name": "RBO"}, "lists": "condensed", "aggregation": "median", "test": "sign"},
    {"metric": {"name": "tau"}, "lists": "condensed", "coverage": "reduced", "users": "all"},
    {"aggregation": "geometric", "test": "t-log", "split": {"train_ratio": 0.2}},
]


def fold_by(configuration: Configuration) -> Fold:
    kinds = {"random": RandomRatio, "user": UserRatio}
    spec = kinds[configuration.split.kind].model_validate(
        {
            "kind": f"{configuration.split.kind}-ratio",
            "train_ratio": configuration.split.train_ratio,
            "selection": configuration.selection,
        }
    )
    split = make_split(small_ratings(), spec, SEED, "ratings", "split", {})
    return fold(small_ratings(), split, 0)


def lists_by(configuration: Configuration, system: str) -> tuple[JudgedLists, NDArray[np.bool_]]:
    """Train and rank one system under one protocol; also tell who has training ratings."""
    data = fold_by(configuration)
    recommender = SYSTEMS[system](integer_seed(SEED, "ratings", "split", system, 0))
    recommender.fit(data.train)
    protocol = Protocol("AR", "rated", non_computable=configuration.non_computable)
    seeded = partial(generator, SEED, "ratings", "split", 0)
    (outcome,) = rank_judged(recommender, data, [protocol], seeded)
    metadata = DatasetMetadata.of(small_ratings(), THRESHOLD)
    has_train = np.bincount(data.train.nonzero()[0], minlength=data.train.shape[0]) > 0
    return JudgedLists.of(data.test, outcome, THRESHOLD, protocol, metadata), has_train


def one_by_one(configuration: Configuration) -> dict[str, float]:
    """Return kNN's and Pop's values and the p-value, each by functions of its own."""
    values, users = [], []
    found: dict[str, float] = {}
    for name, system in (("value", "kNN"), ("other_value", "Pop")):
        lists, has_train = lists_by(configuration, system)
        of_users = evaluate([parse(configuration.metric_label)], lists)
        view = lists.view(configuration.lists == "condensed")
        chosen = view.n_judged > 0
        if configuration.users == "trained":
            chosen &= has_train
        if configuration.coverage == "reduced":
            chosen &= view.lengths > 0
        average = parse_average(AVERAGES[configuration.aggregation])
        of = average.of(of_users[:, chosen], view.n_judged[chosen], view.n_relevant[chosen])
        if configuration.users == "all" and configuration.lists == "full":
            evaluated_users = "covered" if configuration.coverage == "reduced" else "tested"
            assert aggregate(of_users, lists, average, evaluated_users) == pytest.approx(of)
        found[name] = float(of[0])
        values.append(of_users[0])
        users.append(chosen)
    paired = users[0] & users[1]
    first, second = (row[paired] for row in values)
    if "weighted" in configuration.aggregation:
        by_test = configuration.aggregation == "test-weighted"
        weights = (view.n_judged if by_test else view.n_relevant)[paired]
        first, second = (row * weights / weights.mean() for row in (first, second))
    differences = np.round(first - second, 12)
    if configuration.test == "sign":
        wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
        found["p_value"] = stats.binomtest(wins, wins + losses).pvalue
    elif configuration.test == "wilcoxon":
        found["p_value"] = stats.wilcoxon(differences, correction=False, method="approx").pvalue
    else:
        logs = configuration.test == "t-log"
        first, second = (np.log(row + 1e-5) if logs else row for row in (first, second))
        found["p_value"] = stats.ttest_rel(first, second).pvalue
    return found


@pytest.mark.parametrize("decisions", CHOSEN, ids=str)
def test_a_universe_is_what_its_decisions_say(decisions: dict[str, Any]) -> None:
    configuration = Configuration.model_validate(decisions)
    (row,) = explored([configuration], [("kNN", "Pop")]).to_dict("records")
    expected = one_by_one(configuration)
    assert {decision: row[decision] for decision in DECISIONS} == configuration.levels
    assert {name: row[name] for name in expected} == pytest.approx(expected, rel=1e-9)
    assert row["difference"] == row["value"] - row["other_value"]
    winner = "tie"
    if row["p_value"] < 0.05:
        winner = "first" if row["difference"] > 0 else "second"
    # In none of these universes do the test and the values point to different systems.
    assert row["verdict"] == winner
    assert np.sign(row["effect"]) == np.sign(row["difference"])


@cache
def several_pairs() -> pd.DataFrame:
    return explored(GRID.configurations(), [("Random", "kNN"), ("kNN", "Pop"), ("Pop", "kNN")])


def in_order(universes: pd.DataFrame) -> pd.DataFrame:
    return universes.sort_values(KEY, ignore_index=True)


@pytest.mark.costly
def test_there_is_one_universe_a_configuration_and_pair() -> None:
    universes = whole_grid()
    assert list(universes) == [*KEY, *NUMBERS, "verdict"]
    expected = pd.DataFrame([c.levels for c in GRID.configurations()])
    levels = universes[list(DECISIONS)].sort_values(list(DECISIONS), ignore_index=True)
    pd.testing.assert_frame_equal(levels, expected.sort_values([*DECISIONS], ignore_index=True))
    assert set(universes["verdict"]) == {"tie", "second"}
    by_bootstrap = universes["test"] == "bootstrap"
    assert (universes["p_value"].isna() == by_bootstrap).all()
    assert (universes["rejected"].notna() == by_bootstrap).all()


@pytest.mark.costly
def test_the_same_universes_are_the_same_frame() -> None:
    again = explored(GRID.configurations(), [("kNN", "Pop")])
    pd.testing.assert_frame_equal(again, whole_grid(), check_exact=True)


@pytest.mark.costly
def test_universes_depend_neither_on_their_order_nor_on_other_universes() -> None:
    rng = np.random.default_rng(1)
    configurations = GRID.configurations()
    shuffled = [configurations[index] for index in rng.permutation(len(configurations))[:100]]
    found = in_order(explored(shuffled, [("kNN", "Pop")]))
    names = {tuple(c.levels.values()) for c in shuffled}
    chosen = [tuple(levels) in names for levels in whole_grid()[list(DECISIONS)].to_numpy()]
    # Sums over several metrics at once may round otherwise than over one.
    pd.testing.assert_frame_equal(found, in_order(whole_grid()[chosen]), rtol=1e-9, atol=1e-15)


@pytest.mark.costly
def test_a_pair_does_not_depend_on_the_others() -> None:
    universes = several_pairs()
    assert len(universes) == 3 * len(whole_grid())
    of_pair = universes[(universes["first"] == "kNN") & (universes["second"] == "Pop")]
    pd.testing.assert_frame_equal(in_order(of_pair), in_order(whole_grid()), check_exact=True)
    mirrored = universes[(universes["first"] == "Pop") & (universes["second"] == "kNN")]
    swapped = {"first": "second", "tie": "tie", "second": "first"}
    expected = whole_grid().rename(
        columns={"first": "second", "second": "first"}
        | {"value": "other_value", "other_value": "value"}
    )
    expected["verdict"] = expected["verdict"].map(swapped)
    expected[["difference", "effect", "signed_one_minus_p"]] *= -1
    pd.testing.assert_frame_equal(
        in_order(mirrored), in_order(expected[list(mirrored)]), rtol=1e-9, atol=1e-15
    )


@pytest.mark.costly
def test_verdicts_follow_from_signed_one_minus_p_in_a_file(tmp_path: Path) -> None:
    universes = several_pairs()
    assert set(universes["verdict"]) == {"first", "tie", "second"}
    write_results(universes.drop(columns="verdict"), tmp_path / "universes.csv")
    read = with_verdicts(read_results(tmp_path / "universes.csv"))
    assert read["verdict"].tolist() == universes["verdict"].tolist()


def test_pairs_follow_one_another_under_each_test() -> None:
    configurations = [Configuration.model_validate({"test": test}) for test in ("t", "sign")]
    rows = explored(configurations, [("Random", "kNN"), ("kNN", "Pop")])
    found = list(zip(rows["test"], rows["first"], strict=True))
    assert found == [("t", "Random"), ("t", "kNN"), ("sign", "Random"), ("sign", "kNN")]


@pytest.mark.costly
def test_users_without_training_ratings_matter_where_there_are_some() -> None:
    universes = whole_grid().set_index(list(DECISIONS))
    few = small_universes().has_train(Configuration.model_validate({"split": {"train_ratio": 0.2}}))
    assert 0 < (~few).sum() < 20
    trained, everybody = (universes.xs(users, level="users") for users in ("trained", "all"))
    differ = (trained["value"] != everybody["value"]).groupby(level="split").mean()
    assert differ["random-0.2"] > 0.5
    # Nobody counts as recommended to without training ratings: the reduced averages agree.
    reduced = {"coverage": "reduced", "split": "random-0.2"}
    for universes_of in (trained, everybody):
        assert universes_of.xs(tuple(reduced.values()), level=tuple(reduced)).size
    np.testing.assert_array_equal(
        *(
            w.xs(tuple(reduced.values()), level=tuple(reduced))["value"]
            for w in (trained, everybody)
        )
    )


def test_a_system_is_not_compared_with_itself() -> None:
    with pytest.raises(ValueError, match="Pop cannot be compared with itself: name two systems"):
        explored([Configuration()], [("kNN", "Pop"), ("Pop", "Pop")])


def test_without_pairs_or_configurations_there_is_nothing_to_compare() -> None:
    for configurations, pairs in (([], [("kNN", "Pop")]), ([Configuration()], [])):
        with pytest.raises(ValueError, match="nothing to compare: give configurations and pairs"):
            explored(configurations, pairs)


def test_a_problem_comes_with_its_systems_and_its_universe() -> None:
    nobody = {"min_user_ratings": 1, "head_removed": 0.95}
    configuration = Configuration.model_validate(
        {"selection": nobody, "split": {"train_ratio": 0.9}, "coverage": "reduced"}
    )
    with pytest.raises(
        ValueError,
        match=r"kNN and Pop cannot be compared in the universe A1=headless-0\.95 .*at least 2 are",
    ):
        explored([configuration], [("kNN", "Pop")])
