# SPDX-License-Identifier: MIT
"""Metric values by fold, their means and intervals, against a count by hand."""

from __future__ import annotations

import math
from pathlib import Path
from statistics import mean

import numpy as np
import pandas as pd
import pytest
from studies.prepared import inputs_of, saved, write_experiment

from receval.metrics.evaluation import evaluate
from receval.metrics.registry import parse
from receval.protocols.judged_ranks import read_ranks
from receval.protocols.protocol import Protocol
from receval.splits.split import TEST, Split
from reproduction.experiments.experiment import Experiment
from reproduction.experiments.values import values_by_fold
from reproduction.studies.bellogin2017.configuration_bars import means_with_intervals

PROTOCOLS = (Protocol("AR", "AI"), Protocol("1R", "TI", 9, 4.0))
THRESHOLD = 4.0


def experiment_of(folder: Path, evaluated_users: str = "all", folds: int = 3) -> Experiment:
    description = write_experiment(
        folder,
        "ml-1m",
        ["pop"],
        PROTOCOLS,
        evaluated_users=evaluated_users,
        folds=folds,
        extra_systems=["wrmf"],
    )
    return inputs_of(folder, experiments={"movielens": description}).experiments["movielens"]


def hits_by_list(
    experiment: Experiment, system: str, protocol: Protocol, number: int, cutoff: int
) -> list[tuple[bool, bool, float]]:
    """Return (tested, relevant, precision) of each list, one rating at a time."""
    ratings = experiment.ratings
    names = ("ml-1m", "coin-flip")
    codes = Split.read(experiment.files.split_file(*names)).codes[number]
    rows = [row for row in range(len(ratings)) if codes[row] == TEST]
    rows.sort(key=lambda row: (ratings.users[row], ratings.items[row]))
    path = experiment.files.ranks_file(*names, system)
    ranks = read_ranks(path, protocol.key, number).ranks
    judged = [
        (ratings.users[row], ratings.values[row] >= THRESHOLD, 1 <= rank <= cutoff)
        for row, rank in zip(rows, ranks, strict=True)
    ]
    if protocol.relevant == "1R":
        return [(True, True, hit / cutoff) for _, relevant, hit in judged if relevant]
    lists = []
    for user in range(ratings.n_users):
        mine = [(relevant, hit) for owner, relevant, hit in judged if owner == user]
        hits = sum(relevant and hit for relevant, hit in mine)
        lists.append((bool(mine), any(relevant for relevant, _ in mine), hits / cutoff))
    return lists


@pytest.mark.costly
@pytest.mark.parametrize("evaluated_users", ["all", "tested", "relevant"])
def test_values_of_folds_equal_a_count_of_single_ratings(
    tmp_path: Path, evaluated_users: str
) -> None:
    experiment = experiment_of(tmp_path, evaluated_users)
    values = values_by_fold(experiment, [parse("P@5"), parse("P@10")])
    folds = values[values["fold"] != "mean"]
    assert len(folds) == 3 * len(PROTOCOLS) * 2 * 2
    for row in folds.to_dict("records"):
        protocol = next(p for p in PROTOCOLS if p.name == row["protocol"])
        lists = hits_by_list(experiment, row["system"], protocol, int(row["fold"]), row["cutoff"])
        chosen = [
            precision
            for tested, relevant, precision in lists
            if {"all": True, "tested": tested, "relevant": relevant}[evaluated_users]
        ]
        assert row["value"] == pytest.approx(mean(chosen), abs=1e-12)
        assert row["lists"] == len(chosen)


def test_the_mean_is_that_of_the_folds_and_counts_all_their_lists(tmp_path: Path) -> None:
    values = values_by_fold(experiment_of(tmp_path), [parse("P@10"), parse("Recall@10")])
    keys = ["protocol", "system", "metric"]
    for names, rows in values.groupby(keys):
        folds = rows[rows["fold"] != "mean"]
        (average,) = rows[rows["fold"] == "mean"].to_dict("records")
        assert sorted(folds["fold"]) == ["0", "1", "2"], names
        assert average["value"] == pytest.approx(mean(folds["value"]))
        assert average["lists"] == folds["lists"].sum()


def test_lists_of_p1r_are_those_of_the_smallest_percentile_for_each(tmp_path: Path) -> None:
    protocol = Protocol("1R", "AI", 9, 4.0, percentiles=3)
    description = write_experiment(tmp_path, "ml-1m", ["pop", "random"], [protocol], folds=2)
    experiment = inputs_of(tmp_path, experiments={"one": description}).experiments["one"]
    values = values_by_fold(experiment, [parse("P@5")])
    for number in experiment.folds:
        lists = experiment.lists("pop", protocol, number)
        smallest = np.bincount(lists.percentiles).min()
        assert set(values.loc[values["fold"] == str(number), "lists"]) == {3 * smallest}
        by_percentile = [
            evaluate([parse("P@5")], lists)[0][lists.percentiles == k].mean() for k in range(3)
        ]
        (row,) = values[(values["fold"] == str(number)) & (values["system"] == "pop")].to_dict(
            "records"
        )
        assert row["value"] == pytest.approx(np.mean(by_percentile))


def test_what_theory_does_not_know_is_empty_in_all_rows_of_a_metric(tmp_path: Path) -> None:
    protocols = (Protocol("AR", "TI"), Protocol("AR", "TI", 9, 4.0), Protocol("1R", "TI", 9, 4.0))
    description = write_experiment(tmp_path, "ml-1m", ["pop", "random"], protocols)
    experiment = inputs_of(tmp_path, experiments={"one": description}).experiments["one"]
    values = values_by_fold(experiment, [parse("P@5"), parse("nDCG@5")])
    of_precision = values["metric"] == "P"
    for column in ("random_expected", "random_error"):
        assert (values[column].notna() == of_precision).all()
    # All metrics have an expectation over samples under 1R, precision alone under AR.
    one = values["protocol"].str.startswith("1R")
    sampled = values["sampled"] != ""
    assert (values["expected"].notna() == (sampled & (one | of_precision))).all()


def test_rows_are_named_in_words_and_in_the_order_of_the_configuration(tmp_path: Path) -> None:
    metrics = [parse("nDCG(gain=exp)@10"), parse("P")]
    values = values_by_fold(experiment_of(tmp_path, folds=1), metrics)
    first = values[values["fold"] == "0"]
    assert first["protocol"].tolist() == ["AR AI-AN"] * 4 + ["1R TI-NN"] * 4
    assert first["sampled"].tolist() == [""] * 4 + ["9"] * 4
    assert first["system"].tolist() == ["pop", "pop", "wrmf", "wrmf"] * 2
    assert first["metric"].tolist() == ["nDCG(gain=exp)", "P"] * 4
    assert first["cutoff"].tolist()[0] == 10
    assert math.isnan(first["cutoff"].tolist()[1])
    assert (values["fold"] == "mean").sum() == 8


def table_of(*values: float) -> pd.DataFrame:
    rows = [
        {"system": "pop", "fold": str(number), "value": value, "lists": 10}
        for number, value in enumerate(values)
    ]
    rows.append({"system": "pop", "fold": "mean", "value": mean(values), "lists": 10 * len(values)})
    return pd.DataFrame(rows)


# Means and standard deviations, with Student's t with 2 and 4 degrees of freedom at .975, from a
# printed table: 4.302653 * 1 / sqrt(3), 2.776445 * 1.581139 / sqrt(5).
@pytest.mark.parametrize(("folds", "half"), [(3, 2.484138), (5, 1.963243)])
def test_an_interval_by_hand(folds: int, half: float) -> None:
    table = table_of(*np.arange(1.0, folds + 1))
    (bar,) = means_with_intervals(table, ["system"]).to_dict("records")
    assert bar["value"] == (folds + 1) / 2
    assert bar["half_interval"] == pytest.approx(half, abs=1e-6)
    assert bar["lists"] == 10 * folds


def test_equal_folds_have_no_spread_and_one_fold_has_no_interval() -> None:
    assert means_with_intervals(table_of(0.5, 0.5), ["system"])["half_interval"].tolist() == [0]
    assert np.isnan(means_with_intervals(table_of(0.5), ["system"])["half_interval"].iloc[0])


@pytest.mark.costly
def test_intervals_are_the_same_from_the_csv(tmp_path: Path) -> None:
    values = values_by_fold(experiment_of(tmp_path), [parse("P@10"), parse("P")])
    read = means_with_intervals(saved(values, tmp_path))
    expected = means_with_intervals(values)
    assert len(expected) == len(values) / 4
    assert read["half_interval"].tolist() == pytest.approx(expected["half_interval"].tolist())
    assert read["sampled"].astype(str).tolist() == expected["sampled"].tolist()
