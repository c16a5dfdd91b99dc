# SPDX-License-Identifier: MIT
"""Sampled metrics of a study's systems: against every sample that there is, and by hand."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from studies.accepted_results import FULL
from studies.followups import printed, shown, summarised, summary
from studies.prepared import generated_ratings, inputs_of, write_experiment

from receval.metrics.registry import parse
from receval.protocols.evaluation import rank_judged
from receval.protocols.judged_ranks import write_ranks
from receval.protocols.protocol import Protocol
from receval.recommenders.base import make, model_file
from receval.sampled_metrics.sampled_candidates import SamplingOdds
from receval.sampled_metrics.sampled_moments import AuditedMoments
from receval.seeds import generator
from receval.splits.split import Split, fold
from receval.storage.files import read_results, write_results
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups import (
    sampled_corrections,
    sampled_flips,
    sampled_orders,
    sampled_simulated,
)
from reproduction.studies.followups.sampled_corrections import common_cutoffs, correction_errors
from reproduction.studies.followups.sampled_orders import SampledMoments, sampled_taus

RECOMMENDERS = {
    "pop": "receval.recommenders.non_personalised:Popularity",
    "random": "receval.recommenders.non_personalised:Random",
    "puresvd": "receval.recommenders.puresvd:PureSVD",
}
PARAMETERS: dict[str, dict[str, Any]] = {"pop": {}, "random": {}, "puresvd": {"factors": 3}}
NAMES = ["P@1", "Recall@10", "nDCG@10", "nDCG@100", "MRR"]
LABELS = ["P@1", "Recall@10", "nDCG(gain=binary)@10", "nDCG(gain=binary)@100", "RR"]


def inputs_with(
    folder: Path, folds: int = 2, results: dict[str, Path] | None = None, **parameters: Any
) -> ArtifactInputs:
    """Write an experiment whose ranks are those of models that are there."""
    protocol = Protocol("AR", "AI")
    experiment = write_experiment(
        folder, "ml-1m", RECOMMENDERS, [protocol], folds=folds, evaluated_users="tested"
    )
    of_split = Split.read(folder / "ml-1m" / "coin-flip" / "split.npz")
    for system, path in RECOMMENDERS.items():
        own = folder / "ml-1m" / "coin-flip" / system
        (own / "models").mkdir(parents=True, exist_ok=True)
        outcomes = {}
        for number in range(folds):
            data = fold(generated_ratings(), of_split, number)
            model = make(path, PARAMETERS[system], number).fit(data.train)
            model.save(model_file(own / "models", number))

            def seeds(*names: str | int, number: int = number) -> np.random.Generator:
                return generator(5, "ml-1m", "coin-flip", number, *names)

            (ranked,) = rank_judged(model, data, [protocol], seeds)
            outcomes[protocol.key, number, "test"] = ranked
        write_ranks(own / "ranks.npz", outcomes)
    return inputs_of(
        folder,
        experiments={"movielens": experiment},
        recommenders=RECOMMENDERS,
        seed=5,
        results=results,
        **{"names": NAMES, "metrics": LABELS, "negatives": [1, 3], **parameters},
    )


@pytest.mark.parametrize("size", [1, 2])
def test_uniform_expectations_are_means_over_every_sample(tmp_path: Path, size: int) -> None:
    inputs = inputs_with(tmp_path, folds=1)
    moments = SampledMoments(inputs, {"nDCG": parse("nDCG(gain=binary)@2")})
    means, variances = moments.at("uniform", size)
    (experiment,) = inputs.experiments.values()
    data = experiment.fold(0)
    relevant = data.test.values >= experiment.threshold
    trained = np.asarray(data.train.todense()) > 0
    for column, system in enumerate(RECOMMENDERS):
        scores = inputs.model(experiment, system, 0).score(np.arange(30))
        ties = generator(5, "ml-1m", "coin-flip", 0, "ties").permutation(25)
        values = []
        for row in np.flatnonzero(relevant):
            user, item = int(data.test.users[row]), int(data.test.items[row])
            own = set(data.test.items[relevant & (data.test.users == user)].tolist())
            others = [i for i in range(25) if not trained[user, i] and i not in own]
            above = [
                (scores[user, i], -ties[i]) > (scores[user, item], -ties[item]) for i in others
            ]
            if np.isnan(scores[user, item]):
                values.append((0.0, 0.0))
                continue
            of_samples = []
            for drawn_items in combinations(range(len(others)), min(size, len(others))):
                rank = 1 + sum(above[i] for i in drawn_items)
                of_samples.append(1 / np.log2(rank + 1) if rank <= 2 else 0.0)
            values.append((np.mean(of_samples), np.var(of_samples)))
        mean, variance = np.mean(values, axis=0)
        assert means[0, column] == pytest.approx(mean, abs=1e-9)
        assert variances[0, column] == pytest.approx(variance / len(values), abs=1e-9)


def test_expectations_by_popularity_are_those_of_its_share_above(tmp_path: Path) -> None:
    inputs = inputs_with(tmp_path)
    moments = SampledMoments(inputs, {"P@1": parse("P@1")})
    means, _ = moments.at("popularity", 2)
    for column, system in enumerate(RECOMMENDERS):
        shares = moments.shares_of(system)
        first = np.where(np.isnan(shares), 0, (1 - shares) ** 2)
        assert means[0, column] == pytest.approx(first.mean(), abs=1e-12)


def test_models_that_give_other_ranks_are_refused(tmp_path: Path) -> None:
    inputs = inputs_with(tmp_path)
    model = make(RECOMMENDERS["random"], {}, 99).fit(
        fold(generated_ratings(), Split.read(tmp_path / "ml-1m/coin-flip/split.npz"), 0).train
    )
    model.save(model_file(tmp_path / "ml-1m/coin-flip/random/models", 0))
    moments = SampledMoments(inputs, {"P@1": parse("P@1")})
    with pytest.raises(ValueError, match="The model of random on ml-1m does not give the ranks"):
        moments.at("popularity", 1)


def test_more_candidates_than_there_are_cannot_be_drawn_by_popularity(tmp_path: Path) -> None:
    moments = SampledMoments(inputs_with(tmp_path), {"P@1": parse("P@1")})
    with pytest.raises(ValueError, match="99 candidates by popularity are more than"):
        moments.at("popularity", 99)


def test_all_systems_have_a_row_for_each_number_and_metric(tmp_path: Path) -> None:
    table = sampled_orders.data(inputs_with(tmp_path))
    assert len(table) == 3 * (2 * 2 * len(NAMES) + len(NAMES) + 1)
    assert not table.duplicated(["sampling", "negatives", "metric", "system"]).any()
    auc = table[table["metric"] == "AUC"].set_index("system")["expected"]
    one = table[(table["negatives"] == "1") & (table["metric"] == "P@1")]
    uniform = one[one["sampling"] == "uniform"].set_index("system")["expected"]
    # With one candidate, an item is first as often as candidates are below it.
    np.testing.assert_allclose(uniform, auc[uniform.index], atol=1e-12)
    # Numbers rise, and all candidates come last.
    sizes = ["1", "3", "all"] * len(NAMES) + ["1", "3"] * len(NAMES)
    assert (
        sampled_taus(table[::-1].sort_values("sampling", ascending=False))["negatives"].tolist()
        == sizes
    )


@pytest.mark.costly
def test_agreement_of_a_few_ratings_is_printed(tmp_path: Path) -> None:
    inputs = inputs_with(tmp_path)
    orders = sampled_orders.data(inputs)
    agreement = summarised("sampled_agreement", orders, "sampled_orders", tmp_path)
    among = agreement[~agreement["compared_with"].isin(("AUC", "all candidates"))]
    assert len(among) == 5 * len(list(combinations(NAMES, 2)))
    whole = agreement[agreement["negatives"] == "all"]
    assert (whole.loc[whole["compared_with"] == "all candidates", "tau"] == 1).all()
    assert "| Popularity |" in printed("sampled_agreement", agreement, tmp_path)


PAIRS = pd.DataFrame(
    {
        "dataset": "ml-1m",
        "sampling": "uniform",
        "metric": "MRR",
        "negatives": [1, 1, 1, 5, 5, 5],
        "system_a": list("aabaab"),
        "system_b": list("bccbcc"),
        "full_difference": [0.1, -0.2, 0.0, 0.1, -0.2, 0.0],
        "full_p": [0.01, 0.2, 1.0, 0.01, 0.2, 1.0],
        "expected_difference": [-0.1, 0.1, 0.0, 0.1, -0.1, 0.2],
        "right": [0.1, 0.3, np.nan, 0.99, 0.6, np.nan],
    }
)


def test_flipped_and_unsure_pairs_are_counted() -> None:
    counts = sampled_flips.flips(PAIRS).set_index("negatives")
    assert counts.loc[1, ["pairs", "flipped", "significant"]].tolist() == [2, 2, 1]
    assert counts.loc[1, ["significant_flipped", "unsure"]].tolist() == [1, 1]
    assert counts.loc[5, ["flipped", "significant_flipped", "unsure"]].tolist() == [0, 0, 0]
    assert sampled_flips.sure_from(counts.reset_index(), 0.9) == "5"


def test_no_pair_flips_from_the_number_after_the_last_that_has_one() -> None:
    counts = pd.DataFrame({"negatives": [1, 5, 10], "flipped": [2, 0, 1]})
    assert sampled_flips.steady_from(counts) == "more"
    assert sampled_flips.steady_from(counts.assign(flipped=[0, 1, 0])) == "10"
    assert sampled_flips.steady_from(counts.assign(flipped=0)) == "1"


def test_flips_of_a_few_ratings_are_of_the_expected_values_and_are_printed(tmp_path: Path) -> None:
    inputs = inputs_with(tmp_path)
    orders = tmp_path / "sampled_orders.csv"
    values = sampled_orders.data(inputs)
    write_results(values, orders)
    inputs = inputs_with(tmp_path, results={"sampled_orders": orders})
    table = sampled_flips.data(inputs)
    assert len(table) == 2 * 2 * len(NAMES) * 3
    keys = ["sampling", "metric", "negatives", "system"]
    expected = values[values["negatives"] != "all"].astype({"negatives": int})
    expected = expected.set_index(keys)["expected"]
    full = values[values["negatives"] == "all"].set_index(["metric", "system"])["expected"]
    for row in table.itertuples():
        one, other = (
            expected[row.sampling, row.metric, row.negatives, system]
            for system in (row.system_a, row.system_b)
        )
        assert row.expected_difference == pytest.approx(one - other, abs=1e-9)
        whole = full[row.metric, row.system_a] - full[row.metric, row.system_b]
        assert row.full_difference == pytest.approx(whole, abs=1e-9)
        assert row.flipped == ("yes" if row.full_difference * row.expected_difference < 0 else "no")
    assert "90 % sure from" in printed("sampled_flips", table, tmp_path)


def test_cut_offs_of_a_few_ratings_are_drawn(tmp_path: Path) -> None:
    labels = ["Recall@1", "Recall@3"]
    table = sampled_corrections.data_cutoffs(
        inputs_with(tmp_path, metrics=labels, negatives=[2, 4, 9])
    )
    assert len(table) == 3 * len(labels) * len(RECOMMENDERS)
    assert len(shown("sampled_cutoffs", table, tmp_path).axes) == 3


def test_samples_that_are_drawn_have_the_expected_mean_and_are_printed(tmp_path: Path) -> None:
    inputs = inputs_with(
        tmp_path, systems=["pop", "puresvd"], negatives=[2, 5], every=2, samples=200
    )
    table = sampled_simulated.data(inputs)
    assert len(table) == 2 * 2 * 2 * len(NAMES)
    gaps = (table["simulated"] - table["expected"]).abs()
    assert (gaps < 4 * table["standard_error"] + 1e-12).all()
    assert (table["standard_error"] > 0).mean() > 0.5
    pd.testing.assert_frame_equal(table, sampled_simulated.data(inputs))
    assert "| Popularity | Pop " in printed("sampled_simulated", table, tmp_path)


def test_errors_of_corrections_are_those_of_a_hand() -> None:
    rows = [
        ("Recall@1", 10, "none", "a", 0.1, 0.2, 0.03),
        ("Recall@1", 10, "none", "b", 0.2, 0.2, 0.03),
        ("Recall@1", 10, "CLS", "a", 0.1, 0.1, 7.0),
        ("Recall@1", 10, "CLS", "b", 0.2, 0.3, 0.01),
    ]
    columns = ["metric", "negatives", "estimator", "system", "full", "expected", "sd"]
    table = correction_errors(pd.DataFrame(rows, columns=columns)).set_index("estimator")
    assert table.loc["none", "bias"] == pytest.approx(100 * 0.05 / 0.15)
    assert table.loc["none", "error"] == pytest.approx(100 * np.sqrt(0.01 / 2) / 0.15)
    assert table.loc["none", "spread"] == pytest.approx(20)
    assert table.loc["CLS", "bias"] == pytest.approx(100 * 0.05 / 0.15)
    # Thirty times the mean value.
    assert np.isnan(table.loc["CLS", "spread"])
    assert table.loc["CLS", "tau"] == 1


@pytest.mark.costly
def test_corrections_of_a_few_ratings_are_printed(tmp_path: Path) -> None:
    labels = ["Recall@1", "Recall@3"]
    inputs = inputs_with(tmp_path, metrics=labels, negatives=[2, 4])
    table = sampled_corrections.data(inputs)
    assert set(table["estimator"]) == {"none", "rank", "CLS", "BV", "MLE"}
    text = summary("sampled_correction_errors", table, "sampled_corrections", tmp_path)
    assert "most likely ranks (MLE)" in text


ACCEPTED = FULL / "followups"


def test_accepted_expectations_are_within_the_error_of_accepted_simulations() -> None:
    table = read_results(ACCEPTED / "sampled_simulated.csv")
    assert set(table["sampling"]) == {"uniform", "popularity"}
    assert (table["samples"] >= 24).all()
    gaps = (table["simulated"] - table["expected"]).abs()
    assert (table["standard_error"] > 0).all()
    assert (gaps < 4 * table["standard_error"]).all()
    # Errors so small that a wrong expectation would show.
    assert (table["standard_error"] < 0.01 * table["expected"]).all()


def test_accepted_values_among_one_candidate_and_among_all_are_what_they_must_be() -> None:
    orders = read_results(ACCEPTED / "sampled_orders.csv")
    uniform = orders[orders["sampling"] == "uniform"]
    of_one, of_all = (
        uniform[(uniform["metric"] == metric) & (uniform["negatives"] == size)]
        for metric, size in (("P@1", "1"), ("AUC", "all"))
    )
    assert of_one["system"].tolist() == of_all["system"].tolist()
    np.testing.assert_allclose(of_one["expected"], of_all["expected"], rtol=1e-8)
    taus = sampled_taus(orders)
    assert (taus.loc[taus["negatives"] == "all", "tau_full"] == 1).all()
    assert taus["tau_full"].between(-1, 1).all()


POOL = 40


def odds_of(rng: np.random.Generator, depth: int) -> SamplingOdds:
    above = rng.integers(0, depth, 30)
    above[0] = -1
    users = np.zeros(30, dtype=np.int64)
    return SamplingOdds(
        users, np.full(30, 5.0, np.float32), above, users, np.array([POOL]), True, 4.0, 5.0
    )


@pytest.mark.each("sampled", [3, 10, POOL])
def test_no_other_cut_off_is_nearer_to_the_sampled_values(sampled: int) -> None:
    rng = np.random.default_rng(sampled)
    odds = {"a": odds_of(rng, 10), "b": odds_of(rng, 25), "c": odds_of(rng, POOL)}
    metrics = {f"Recall@{k}": parse(f"Recall@{k}") for k in (1, 2)}
    moments = AuditedMoments(odds, metrics, 1, None)
    table = common_cutoffs(moments, sampled)
    assert len(table) == 6
    for metric, own in table.groupby("metric"):
        expected = moments.at(sampled)[0][list(metrics).index(metric)]
        np.testing.assert_allclose(own["expected"], expected)

        def full(cutoff: int) -> np.ndarray:
            ranks = [one.above + 1 for one in odds.values()]
            return np.array([((own > 0) & (own <= cutoff)).mean() for own in ranks])

        losses = [((full(cutoff) - expected) ** 2).sum() for cutoff in range(POOL + 2)]
        best = int(own["common_cutoff"].iloc[0])
        assert losses[best] == pytest.approx(min(losses), abs=1e-14)
        np.testing.assert_allclose(own["at_common"], full(best))
        if sampled == POOL:
            assert best == own["cutoff"].iloc[0]


def test_metrics_that_are_no_steps_have_none() -> None:
    odds = {"a": odds_of(np.random.default_rng(1), 10)}
    moments = AuditedMoments(odds, {"RR": parse("RR")}, 1, None)
    assert common_cutoffs(moments, 3).empty
