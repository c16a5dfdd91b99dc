# SPDX-License-Identifier: MIT
"""Lexirecall beside other metrics: on a few ratings, by hand, and what its figures say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from declared_files import files_in
from studies.followups import printed, summarised
from studies.prepared import inputs_of, write_experiment

from receval.evaluation import lexicographic_pairs
from receval.metrics.lists import JudgedItems, ListView
from receval.protocols.protocol import Protocol
from receval.splits.split import Judgments
from reproduction.experiments.lexirecall_orders import LexirecallLists
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups import lexirecall
from reproduction.workflow.jobs.measurements import sample_judgments

SYSTEMS = ("pop", "random", "slim", "svd")
NAMES = ["P", "Recall"]
LABELS = ["P@5", "Recall@5"]
PERCENTS = [100.0, 50.0, 10.0]


def inputs_with(folder: Path, unit: str = "ratings") -> ArtifactInputs:
    experiment = write_experiment(
        folder, "ml-1m", SYSTEMS, [Protocol()], folds=2, evaluated_users="tested"
    )
    values = folder / "sampling.npz"
    files = files_in(folder)
    sample_judgments(
        ratings=files.ratings,
        splits=files.splits,
        ranks=files.ranks,
        values=values,
        description={
            "seed": 7,
            "experiments": {"ml-1m": experiment},
            "unit": unit,
            "percents": PERCENTS,
            "samples": 3,
            "averages": {"arithmetic": LABELS},
        },
    )
    return inputs_of(
        folder,
        experiments={"ml-1m": experiment},
        judgment_samplings={"sampling": values},
        seed=7,
        names=NAMES,
        metrics=LABELS,
        unit=unit,
        permutations=200,
    )


@pytest.mark.parametrize("unit", ["ratings", "popular-items"])
def test_lexirecall_stands_beside_the_metrics_at_every_level(tmp_path: Path, unit: str) -> None:
    table = lexirecall.data_stability(inputs_with(tmp_path, unit))
    assert list(dict.fromkeys(table["metric"])) == [*NAMES, "lexirecall"]
    own = table[table["metric"] == "lexirecall"]
    assert own["kept_percent"].tolist() == PERCENTS
    assert own["tau"].iloc[0] == pytest.approx(1)
    assert (own["computable_samples"] <= 3).all()


def test_fewer_judgments_are_those_of_the_sampling(tmp_path: Path) -> None:
    inputs = inputs_with(tmp_path)
    (experiment,) = inputs.experiments.values()
    from receval.missing_judgments.judgment_sampling import kept_units
    from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
    from reproduction.experiments.universes import sample_of_experiment

    complete, left = np.zeros(len(SYSTEMS)), np.zeros((3, len(SYSTEMS)))
    for number in experiment.folds:
        lists = LexirecallLists.of_fold(experiment, number)
        complete += lists.mean_preferences()
        for sample in range(3):
            order, n_units = sample_of_experiment(experiment, number, "ratings", sample, 7)
            (count,) = kept_units(n_units, np.array([50.0]))
            left[sample] += lists.mean_preferences(order < count)
    table = lexirecall.data_stability(inputs).set_index(["metric", "kept_percent"])
    taus = kendall_tau_b(complete, left, TOLERANCE_OF_MEANS)
    assert table.loc[("lexirecall", 50.0), "tau"] == pytest.approx(taus.mean())


def test_users_who_prefer_either_system_or_none_are_all_users(tmp_path: Path) -> None:
    table = lexirecall.data_p_values(inputs_with(tmp_path))
    assert len(table) == 3 * 6
    for metric, own in table.groupby("metric"):
        users = own[["preferring_a", "preferring_b", "tied"]].sum(axis=1)
        assert (users == users.iloc[0]).all(), metric
    own = table[table["metric"] == "lexirecall"]
    assert (own["p_value"] == own["p_sign"]).all()


P_VALUES = pd.DataFrame(
    [
        ("Recall", "a", "b", 6, 2, 2, 0.30),
        ("Recall", "a", "c", 6, 2, 2, 0.20),
        ("Recall", "b", "c", 6, 2, 2, 0.01),
        ("lexirecall", "a", "b", 2, 8, 0, 0.001),
        ("lexirecall", "a", "c", 7, 3, 0, 0.03),
        ("lexirecall", "b", "c", 7, 3, 0, 0.002),
    ],
    columns=["metric", "system_a", "system_b", "preferring_a", "preferring_b", "tied", "p_value"],
)
P_VALUES = P_VALUES.assign(dataset="ml-1m", p_sign=P_VALUES["p_value"] / 2, permutations=1000)


def test_the_summary_is_that_of_a_hand(tmp_path: Path) -> None:
    found = summarised("lexirecall_power", P_VALUES, "lexirecall_p_values", tmp_path)
    rows = found.set_index("metric")
    assert rows["ties"].tolist() == pytest.approx([0.2, 0])
    # Holm: .03 of three; the sign test has half of each p-value.
    assert rows["permutation"].tolist() == [1, 3]
    assert rows["sign"].tolist() == [1, 3]
    assert rows["power_permutation"].tolist() == pytest.approx([0.51, 0.033])
    # Recall: a, b, c; lexirecall: b, a, c.
    assert rows["tau"].tolist() == pytest.approx([1 / 3, 1])
    markdown = printed("lexirecall_power", found, tmp_path)
    lines = [line for line in markdown.splitlines() if line.startswith("| ")]
    assert lines[2].startswith("| Lexirecall")
    assert "20.0" in markdown


N_USERS, N_SYSTEMS = 30, 4


def judgments_of(rng: np.random.Generator) -> Judgments:
    users, items = np.nonzero(rng.random((N_USERS, 12)) < 0.4)
    return Judgments.from_pairs(users, items, rng.integers(1, 6, len(users)), n_users=N_USERS)


def views_of(rng: np.random.Generator, judged: JudgedItems) -> list[ListView]:
    """Return lists with few ranks, so that many tie, and some items in none."""
    lengths = np.full(N_USERS, 12)
    return [
        ListView.of(judged, rng.integers(0, 6, len(judged.positions)), lengths)
        for _ in range(N_SYSTEMS)
    ]


@pytest.mark.parametrize("share", [1.0, 0.6, 0.1, 0.0])
@pytest.mark.costly
def test_preferences_are_those_of_two_lists_at_a_time(share: float) -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        judgments = judgments_of(rng)
        judged = JudgedItems.of(judgments, 4)
        views = views_of(rng, judged)
        kept = rng.random(len(judgments)) < share
        lists = LexirecallLists.of(views)
        found = lists.preferences(kept)
        reduced = judged.kept(kept)
        ranks = {}
        for system, view in enumerate(views):
            of_judged = np.zeros(len(judged.positions), dtype=np.int64)
            of_judged[view.indices] = view.ranks
            ranks[system] = of_judged[kept[judged.positions]]
        lengths = np.full(N_USERS, 12)
        rebuilt = [ListView.of(reduced, ranks[s], lengths) for s in range(N_SYSTEMS)]
        for one in range(N_SYSTEMS):
            for other in range(N_SYSTEMS):
                signs = lexicographic_pairs.lexirecall(rebuilt[one], rebuilt[other])
                assert found[one, other] == (signs > 0).sum()
                assert found[other, one] == (signs < 0).sum()


def test_mean_preferences_are_zero_in_sum_and_users_without_relevant_items_count() -> None:
    rng = np.random.default_rng(3)
    judged = JudgedItems.of(judgments_of(rng), 4)
    lists = LexirecallLists.of(views_of(rng, judged))
    means = lists.mean_preferences()
    assert means.sum() == pytest.approx(0, abs=1e-12)
    wins = lists.preferences()
    assert means[0] == (wins[0].sum() - wins[:, 0].sum()) / (N_USERS * (N_SYSTEMS - 1))
    assert lists.n_users_with_relevant == np.count_nonzero(judged.n_relevant)


def test_lists_of_other_folds_are_refused() -> None:
    rng = np.random.default_rng(4)
    one, other = (JudgedItems.of(judgments_of(rng), 4) for _ in range(2))
    with pytest.raises(ValueError, match="measured by different judged items"):
        LexirecallLists.of([*views_of(rng, one), *views_of(rng, other)])
