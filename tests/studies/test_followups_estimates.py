# SPDX-License-Identifier: MIT
"""Estimators of a study's systems: on a few ratings, in small worlds, and by hand."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from scipy.special import zeta
from studies.followups import printed, summarised, summary
from studies.prepared import inputs_of, write_experiment

from receval.metrics.registry import parse
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.splits.split import Fold, Judgments
from reproduction.simulation.complete_judgments import KnownChances
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups import estimated_orders, estimated_strata, estimated_values
from reproduction.studies.followups.estimated_orders import (
    GENERATED,
    TESTS,
    DrawnTests,
    errors_of_draws,
    summary_of_powers,
)
from reproduction.studies.followups.estimated_strata import (
    PopularityPowerLaw,
    mean_over_strata,
    means_in_strata,
    strata_of_exposure,
)
from reproduction.studies.followups.estimated_values import ratios_to_mar

SYSTEMS = ("pop", "librec-avg", "librec-slim", "librec-random")
METRICS = ["P@10", "Recall@10"]


def inputs_on(folder: Path, *datasets: str, **parameters: Any) -> ArtifactInputs:
    experiments = {
        dataset: write_experiment(
            folder,
            dataset,
            SYSTEMS,
            [Protocol("AR", "train")],
            folds=2,
            unbiased=dataset != "ml-1m",
        )
        for dataset in datasets
    }
    return inputs_of(folder, experiments=experiments, seed=3, **parameters)


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    folder = tmp_path_factory.mktemp("values")
    return estimated_values.data(inputs_on(folder, "cm100k", "yahoo-r3", metrics=METRICS))


def test_every_system_has_an_estimate_of_every_kind(values: pd.DataFrame) -> None:
    table = values
    assert not table.duplicated(["dataset", "metric", "estimator", "propensities", "system"]).any()
    one = table[(table["dataset"] == "cm100k") & (table["metric"] == "P@10")]
    assert len(one) == len(SYSTEMS) * (1 + 2 * 3 + 3 + 1)
    # Intervened tests have half of the judgments.
    naive, skew = (
        one.loc[one["estimator"] == name, "judgments"].iloc[0] for name in ("naive", "SKEW")
    )
    assert skew == pytest.approx(naive / 2, abs=1)


@pytest.mark.parametrize("datasets", [["cm100k"], ["cm100k", "yahoo-r3"]])
def test_agreement_is_printed_of_one_dataset_or_both(
    values: pd.DataFrame, datasets: list[str], tmp_path: Path
) -> None:
    own = values[values["dataset"].isin(datasets)]
    text = summary("estimated_agreement", own, "estimated_values", tmp_path)
    assert text.count("WTD_H") == len(datasets)


def test_ratios_are_those_of_a_hand() -> None:
    rows = [
        ("naive", "", "a", 0.1),
        ("naive", "", "b", 0.4),
        ("MAR", "", "a", 0.4),
        ("MAR", "", "b", 0.2),
    ]
    table = pd.DataFrame(rows, columns=["estimator", "propensities", "system", "value"])
    (naive, mar) = ratios_to_mar(table.assign(dataset="cm100k", metric="P@10")).to_dict("records")
    assert naive["tau"] == -1
    assert naive["ratio"] == pytest.approx((0.25 + 2) / 2)
    assert naive["error"] == pytest.approx(100 * (0.75 + 1) / 2)
    assert (mar["tau"], mar["ratio"], mar["error"]) == (1, 1, 0)


def test_errors_are_those_of_a_hand() -> None:
    rows = [
        ("truth", "", "", "a", 0.2),
        ("truth", "", "", "b", 0.4),
        ("IPS", "known", "0", "a", 0.1),
        ("IPS", "known", "0", "b", 0.4),
        ("IPS", "known", "1", "a", 0.5),
        ("IPS", "known", "1", "b", 0.4),
    ]
    table = pd.DataFrame(rows, columns=["estimator", "propensities", "draw", "system", "estimate"])
    (row,) = errors_of_draws(table.assign(metric="P@10")).to_dict("records")
    assert row["title"] == "IPS, known"
    # Relative errors -.5 and 1.5 of a, none of b.
    assert row["bias"] == pytest.approx(25)
    assert row["sd"] == pytest.approx(100 * np.sqrt(2 / 2))
    assert row["rmse"] == pytest.approx(100 * np.sqrt((0.25 + 2.25) / 4))
    assert row["tau"] == 0
    assert row["draws"] == 2


@pytest.fixture(scope="module")
def tests() -> DrawnTests:
    return DrawnTests(KnownChances.drawn(60, 40, np.random.default_rng(1)), seed=5)


def test_truth_is_the_share_of_liked_items_among_the_first_ten(tests: DrawnTests) -> None:
    relevant = tests.complete.values >= 4
    for ranks in tests.ranks.values():
        first = (ranks.ranks > 0) & (ranks.ranks <= 10) & relevant
        by_user = np.bincount(tests.complete.users[first], minlength=60)
        assert by_user.max() <= 10
    fold = tests.truth
    assert len(fold.data.test) == len(tests.complete)
    trained = np.diff(tests.fold.train.indptr)
    assert len(tests.complete) == 60 * 40 - trained.sum()


def test_draws_test_pairs_as_often_as_their_chances_say(tests: DrawnTests) -> None:
    own = tests.test_chances[tests.complete.users, tests.complete.items]
    assert (own == TESTS * tests.world.chances[tests.complete.users, tests.complete.items]).all()
    sizes = [len(fold.data.test) for fold in tests.draws(60, per_user=3)]
    error = np.sqrt(own.sum() / 60)
    assert np.mean(sizes) == pytest.approx(own.sum(), abs=4 * error)


def test_ranks_of_a_draw_are_those_of_its_pairs(tests: DrawnTests) -> None:
    (fold,) = tests.draws(1, per_user=3)
    whole = tests.ranks["pop"].ranks
    places = {
        (int(user), int(item)): int(rank)
        for user, item, rank in zip(tests.complete.users, tests.complete.items, whole, strict=True)
    }
    found = [
        places[int(user), int(item)]
        for user, item in zip(fold.data.test.users, fold.data.test.items, strict=True)
    ]
    assert fold.test["pop"].ranks.tolist() == found
    assert fold.data.unbiased is not None
    assert np.bincount(fold.data.unbiased.users).max() <= 3


@pytest.mark.costly
def test_known_propensities_are_right_on_average(tmp_path: Path) -> None:
    parameters = {"draws": 15, "users": 120, "items": 60, "per_user": [3, 10]}
    table = estimated_orders.data(inputs_of(tmp_path, seed=4, metrics=["P@10"], **parameters))
    errors = summarised("estimated_errors", table, "estimated_orders", tmp_path)
    rows = errors.set_index("title")
    for title in ("IPS, known", "MAR, 3 a user", "MAR, 10 a user"):
        error = rows.loc[title, "sd"] / np.sqrt(15)
        assert abs(rows.loc[title, "bias"]) < 4 * error, title
    assert rows.loc["Naive", "bias"] < -50
    assert rows.loc["MAR, 10 a user", "sd"] < rows.loc["MAR, 3 a user", "sd"]
    assert "| IPS, known" in printed("estimated_errors", errors, tmp_path)


@pytest.fixture(scope="module")
def strata(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    labels = ["nDCG", "P@10"]
    inputs = inputs_on(
        tmp_path_factory.mktemp("strata"), "cm100k", "ml-1m", names=labels, metrics=labels
    )
    return estimated_strata.data(inputs)


def test_reversed_pairs_have_one_order_in_both_strata_and_the_other_in_the_whole(
    strata: pd.DataFrame,
) -> None:
    for _, own in strata.groupby(["dataset", "metric"]):
        values = own.pivot_table(index="system", columns="judgments", values="value", sort=False)
        expected = 0
        for one, other in combinations(values.index, 2):
            gaps = values.loc[one] - values.loc[other]
            both = np.sign(gaps["stratum-1"])
            if both and both == np.sign(gaps["stratum-2"]):
                expected += np.sign(gaps["whole"]) == -both
        whole = own[own["judgments"] == "whole"]
        assert whole["reversed"].unique().tolist() == [expected]
        assert whole["pairs"].unique().tolist() == [6]
        shares = own.drop_duplicates("judgments").set_index("judgments")["share"]
        assert shares["stratum-1"] + shares["stratum-2"] == pytest.approx(1)


def test_order_by_random_items_is_compared_where_there_are_any(
    strata: pd.DataFrame, tmp_path: Path
) -> None:
    table = strata
    assert table.loc[table["dataset"] == "ml-1m", "tau"].isna().all()
    cm100k = table[table["dataset"] == "cm100k"]
    assert set(cm100k["judgments"]) - set(table.loc[table["dataset"] == "ml-1m", "judgments"]) == {
        "random-items"
    }
    assert (cm100k.loc[cm100k["judgments"] == "random-items", "tau"] == 1).all()
    text = printed("estimated_strata", table, tmp_path)
    assert text.count("| Second stratum") == 2
    assert "–" in text


@pytest.fixture(scope="module")
def powers(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    parameters = {"powers": ("0", "1", "1.5"), "draws": 3, "users": 120, "items": 60}
    folder = tmp_path_factory.mktemp("powers")
    return estimated_orders.data_powers(inputs_on(folder, "cm100k", metrics=METRICS, **parameters))


def test_powers_are_propensities_by_popularity(powers: pd.DataFrame, values: pd.DataFrame) -> None:
    table = powers
    values = values[values["dataset"] == "cm100k"]
    own = table[(table["source"] == "cm100k") & (table["metric"] == "Recall@10")]
    keys = {"0": ("naive", ""), "1": ("SNIPS", "popularity")}
    for power, (estimator, propensities) in keys.items():
        found = own[own["exponent"] == power].set_index("system")["estimate"]
        rows = values[
            (values["metric"] == "Recall@10")
            & (values["estimator"] == estimator)
            & (values["propensities"] == propensities)
        ].set_index("system")["value"]
        # Without weights folds of other sizes have other scales.
        tolerance = 1e-3 if power == "0" else 1e-9
        pd.testing.assert_series_equal(found, rows[found.index], check_names=False, rtol=tolerance)
    mar = values[(values["metric"] == "P@10") & (values["estimator"] == "MAR")]
    reference = table[(table["source"] == "cm100k") & (table["metric"] == "P@10")]
    assert set(reference["reference"]) == set(mar["value"])
    world = table[table["source"] == GENERATED]
    assert world.groupby(["metric", "exponent"]).size().unique().tolist() == [3 * 16]
    assert world.groupby(["metric", "system"])["reference"].nunique().max() == 1


def test_summary_of_powers_is_that_of_a_hand() -> None:
    reference = [0.1, 0.2, 0.3]
    rows = [
        ("cm100k", "Recall@10", power, "", system, factor * estimate, own)
        for power, factor, estimates in (
            ("0.5", 1, reference),
            # With another power the first systems change places.
            ("1.5", 0.5, [0.2, 0.1, 0.3]),
        )
        for system, estimate, own in zip("abc", estimates, reference, strict=True)
    ]
    columns = ["source", "metric", "exponent", "draw", "system", "estimate", "reference"]
    found = summary_of_powers(pd.DataFrame(rows, columns=columns)).set_index("exponent")
    assert found.loc[0.5, ["tau", "ratio"]].tolist() == pytest.approx([1, 1])
    # Orders b a c and a b c share two of three pairs; ratios are half of 2, 1/2 and 1.
    assert found.loc[1.5, ["tau", "ratio"]].tolist() == pytest.approx([1 / 3, 1 / 2])


PROTOCOL = Protocol("AR", "AI")


def skewed_fold() -> Fold:
    rng = np.random.default_rng(1)
    chances = np.clip(2.0 / np.arange(1, 31), 0, 0.9)
    seen = rng.random((2, 60, 30)) < chances / 2
    seen[1] &= ~seen[0]
    users, items = np.nonzero(seen[1])
    values = rng.choice([1.0, 3.0, 5.0], len(users))
    test = Judgments.from_pairs(users, items, values, n_users=60)
    return Fold(csr_array(seen[0].astype(np.float32)), test)


def test_law_is_the_nearest_of_all_least_numbers() -> None:
    counts = np.random.default_rng(2).zipf(2.3, 300).clip(max=500)
    best = (np.inf, 0.0, 0)
    for least in sorted(set(counts.tolist()))[:-1]:
        own = [count for count in counts.tolist() if count >= least]
        alpha = 1 + len(own) / sum(np.log(count / (least - 0.5)) for count in own)
        distance = max(
            abs(
                sum(count >= value for count in own) / len(own)
                - zeta(alpha, value) / zeta(alpha, least)
            )
            for value in set(own)
        )
        best = min(best, (distance, alpha, least))
    law = PopularityPowerLaw.fit(counts)
    assert law.alpha == pytest.approx(best[1])
    assert law.least == best[2]


def test_exponent_of_numbers_that_follow_a_law_is_found() -> None:
    counts = np.random.default_rng(3).zipf(2.5, 20_000)
    assert PopularityPowerLaw.fit(counts[counts >= 5]).alpha == pytest.approx(2.5, abs=0.1)


def test_items_alike_have_no_law() -> None:
    with pytest.raises(ValueError, match="items with different numbers of ratings"):
        PopularityPowerLaw.fit(np.array([3, 3, 0]))


@pytest.mark.each("strata", [1, 2, 5])
def test_strata_have_equal_widths(strata: int) -> None:
    fold = skewed_fold()
    counts = np.bincount(fold.train.indices, minlength=30)
    counts += np.bincount(fold.test.items, minlength=30)
    own = PopularityPowerLaw.fit(counts).propensities(counts)[fold.test.items]
    expected = pd.cut(own, strata, labels=False)
    assert strata_of_exposure(fold, strata).tolist() == list(expected)


def test_means_are_those_of_users_with_relevant_judgments_there() -> None:
    fold, rng = skewed_fold(), np.random.default_rng(4)
    stratum = strata_of_exposure(fold, 2)
    ranks = np.concatenate([rng.permutation(30)[:own] + 1 for own in np.diff(fold.test.indptr)])
    lengths = np.full(60, 30, dtype=np.int32)
    judged = JudgedRanks(ranks.astype(np.int32), lengths, lengths)
    found = means_in_strata(
        [parse("P@5"), parse("Recall@5")], fold.test, judged, stratum, 2, 4.0, PROTOCOL
    )
    expected_mean = np.zeros(2)
    for number in range(2):
        precision, recall = [], []
        for user in range(60):
            mine = (fold.test.users == user) & (stratum == number) & (fold.test.values >= 4)
            if mine.any():
                hits = (ranks[mine] <= 5).sum()
                precision.append(hits / 5)
                recall.append(hits / mine.sum())
        expected = [np.mean(precision), np.mean(recall)]
        assert found[number].tolist() == pytest.approx(expected)
        expected_mean += (stratum == number).mean() * np.array(expected)
    assert mean_over_strata(found, stratum).tolist() == pytest.approx(expected_mean)


def test_stratum_without_relevant_judgments_has_no_mean_and_adds_nothing() -> None:
    test = Judgments.from_pairs([0, 0], [0, 1], [5, 1], n_users=1)
    ten = np.array([10], dtype=np.int32)
    judged = JudgedRanks(np.array([1, 2], dtype=np.int32), ten, ten)
    stratum = np.array([0, 1])
    found = means_in_strata([parse("RR")], test, judged, stratum, 2, 4.0, PROTOCOL)
    assert found[0, 0] == 1
    assert np.isnan(found[1, 0])
    assert mean_over_strata(found, stratum).tolist() == [0.5]
