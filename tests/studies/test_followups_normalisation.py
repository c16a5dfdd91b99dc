# SPDX-License-Identifier: MIT
"""Normalised metrics against their numerators: by other metrics, by hand, drawn and told."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel
from studies.followups import shown
from studies.prepared import inputs_of, write_experiment

from receval.metrics.metric import Metric
from receval.metrics.ndcg import DiscountedGain
from receval.metrics.registry import parse
from receval.protocols.protocol import Protocol
from reproduction.experiments.values import means_of_users
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups import normalisation
from reproduction.studies.followups.normalisation import inversions

SYSTEMS = ("pop", "random", "slim", "svd")
BINARY, RATINGS, RECALL = normalisation.NAMES
METRICS: dict[tuple[str, str], tuple[Metric, Metric]] = {
    (BINARY, "3"): (parse("nDCG(gain=binary)@3"), DiscountedGain(gain="binary", cutoff=3)),
    (BINARY, "all"): (parse("nDCG(gain=binary)"), DiscountedGain(gain="binary")),
    (RATINGS, "3"): (parse("nDCG@3"), DiscountedGain(cutoff=3)),
    (RATINGS, "all"): (parse("nDCG"), DiscountedGain()),
    (RECALL, "3"): (parse("Recall@3"), parse("P@3")),
}


def inputs_on(folder: Path, folds: int) -> ArtifactInputs:
    experiment = write_experiment(
        folder, "ml-1m", SYSTEMS, [Protocol()], evaluated_users="tested", folds=folds
    )
    return inputs_of(folder, experiments={"movielens": experiment}, cutoffs=[3, 1])


@pytest.mark.parametrize("folds", [1, 3])
def test_differences_and_p_values_are_those_of_the_two_metrics(tmp_path: Path, folds: int) -> None:
    inputs = inputs_on(tmp_path, folds)
    table = normalisation.data(inputs)
    experiment = inputs.experiments["movielens"]
    for (name, cutoff), metrics in METRICS.items():
        normalised, plain = means_of_users(experiment, metrics)
        if name == RECALL:
            plain = 3 * plain
        rows = table[(table["metric"] == name) & (table["cutoff"] == cutoff)]
        for row, (a, b) in zip(rows.itertuples(), combinations(range(4), 2), strict=True):
            assert (row.system_a, row.system_b) == (SYSTEMS[a], SYSTEMS[b])
            assert row.difference == pytest.approx(np.mean(plain[a] - plain[b]))
            assert row.p_value == pytest.approx(ttest_rel(plain[a], plain[b]).pvalue)
            own = normalised[a], normalised[b]
            assert row.normalised_difference == pytest.approx(np.mean(own[0] - own[1]))
            assert row.normalised_p_value == pytest.approx(ttest_rel(*own).pvalue)


def test_cut_offs_rise_and_whole_lists_come_last(tmp_path: Path) -> None:
    table = normalisation.data(inputs_on(tmp_path, 1))
    assert list(dict.fromkeys(table["metric"])) == [BINARY, RATINGS, RECALL]
    for _, rows in table.groupby("metric"):
        assert list(dict.fromkeys(rows["cutoff"])) == ["1", "3", "all"]


def test_of_one_item_binary_ndcg_is_dcg(tmp_path: Path) -> None:
    table = normalisation.data(inputs_on(tmp_path, 1))
    rows = table[(table["metric"] == BINARY) & (table["cutoff"] == "1")]
    assert rows["normalised_difference"].to_numpy() == pytest.approx(rows["difference"].to_numpy())


def pairs_of(*rows: tuple[float, float, float, float]) -> pd.DataFrame:
    """Return pairs of one metric: differences of numerators and metric, and their p-values."""
    columns = ["difference", "normalised_difference", "p_value", "normalised_p_value"]
    return pd.DataFrame(rows, columns=columns).assign(metric="Recall", cutoff="5")


def test_only_opposite_differences_are_inverted_and_only_two_significant_ones_count() -> None:
    counted = inversions(
        pairs_of(
            (1, -1, 0.01, 0.01),
            (-1, 1, 0.01, 0.2),
            (-1, 1, 0.05, 0.01),
            (1, 1, 0.01, 0.01),
            (0, 1, 1.0, 0.01),
            (1e-12, -1, 0.9, 0.01),
        )
    )
    assert counted.to_dict("records") == [
        {"metric": "Recall", "cutoff": "5", "pairs": 6, "inverted": 3, "significant": 1}
    ]


def test_the_figure_has_the_percentages_of_inverted_pairs(tmp_path: Path) -> None:
    inverted = (0, 1, 2, 3, 5)
    rows = [
        {
            "dataset": "ml-1m",
            "metric": metric,
            "cutoff": cutoff,
            "system_a": "pop",
            "system_b": f"s{pair}",
            "difference": 1.0,
            "p_value": 0.001,
            "normalised_difference": -0.1 if pair < number else 0.1,
            "normalised_p_value": 0.001 if pair % 2 else 0.5,
        }
        for metric in normalisation.NAMES
        for cutoff, number in zip(("1", "5", "20", "100", "all"), inverted, strict=True)
        for pair in range(10)
    ]
    figure = shown("normalisation", pd.DataFrame(rows), tmp_path)
    lines = [line.get_ydata() for line in figure.axes[0].lines]
    assert len(lines) == 3
    assert all(np.array_equal(line, [10 * number for number in inverted]) for line in lines)
