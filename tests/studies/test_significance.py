# SPDX-License-Identifier: MIT
"""P-values of pairs of systems, against every choice of signs and a test of one metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from studies.prepared import display_of, drawn_alone, family_of, inputs_of, write_experiment

from receval.figures.tables import to_markdown
from receval.metrics.registry import parse
from receval.protocols.protocol import Protocol
from receval.seeds import seed_sequence
from receval.statistics.permutation import permutation_test
from reproduction.experiments.values import means_of_users
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.metric_studies.p_values import data_curves, data_sums, tabulate_sums

SYSTEMS = ("pop", "random", "slim", "svd")
NAMES = ("P", "nDCG", "MRR")
LABELS = ("P@5", "nDCG@5", "RR@5")


def experiments_of(folder: Path, *datasets: str, share: float = 0.5) -> dict[str, dict[str, Any]]:
    return {
        dataset: write_experiment(
            folder, dataset, SYSTEMS, [Protocol()], evaluated_users="tested", tested_share=share
        )
        for dataset in datasets
    }


def inputs_with(
    folder: Path,
    experiments: dict[str, dict[str, Any]],
    names: Sequence[str] = NAMES,
    permutations: int = 300,
    seed: int = 11,
) -> ArtifactInputs:
    labels = [LABELS[NAMES.index(name)] for name in names]
    return inputs_of(
        folder,
        experiments=experiments,
        seed=seed,
        names=names,
        metrics=labels,
        released=[label.replace("@5", "(depth=5)") for label in labels],
        permutations=permutations,
    )


def test_every_pair_is_tested_under_every_metric_in_their_order(tmp_path: Path) -> None:
    experiments = experiments_of(tmp_path, "librarything", "ml-1m")
    table = data_curves(inputs_with(tmp_path, experiments))
    pairs = [
        (dataset, metric, *pair)
        for dataset in ("librarything", "ml-1m")
        for metric in NAMES
        for pair in combinations(SYSTEMS, 2)
    ]
    columns = ["dataset", "metric", "system_a", "system_b"]
    assert list(table[columns].itertuples(index=False, name=None)) == pairs
    assert set(table["permutations"]) == {300}
    assert table["p_value"].tolist() == pytest.approx((300 * table["share"] + 1) / 301)


def test_users_are_paired_by_their_means_over_the_folds(tmp_path: Path) -> None:
    inputs = inputs_with(tmp_path, experiments_of(tmp_path, "ml-1m", share=0.1))
    table = data_curves(inputs)
    experiment = inputs.experiments["ml-1m"]
    values = means_of_users(experiment, [parse(label) for label in LABELS])
    users = {int(user) for number in range(3) for user in experiment.fold(number).test.users}
    assert set(table["users"]) == {len(users)}
    for metric, of_metric in zip(NAMES, values, strict=True):
        means = dict(zip(SYSTEMS, of_metric.mean(axis=1), strict=True))
        rows = table[table["metric"] == metric]
        expected = [means[a] - means[b] for a, b in combinations(SYSTEMS, 2)]
        assert rows["difference"].tolist() == pytest.approx(expected, abs=1e-12)


def test_a_metric_has_the_same_p_values_whichever_others_are_tested(tmp_path: Path) -> None:
    experiments = experiments_of(tmp_path, "ml-1m")
    together = data_curves(inputs_with(tmp_path, experiments))
    for names in (["nDCG"], ["MRR", "nDCG"]):
        fewer = data_curves(inputs_with(tmp_path, experiments, names))
        for name in names:
            one, all_of_them = (t[t["metric"] == name] for t in (fewer, together))
            pd.testing.assert_frame_equal(
                one.reset_index(drop=True), all_of_them.reset_index(drop=True)
            )


def test_signs_depend_on_the_seed_the_dataset_and_the_split(tmp_path: Path) -> None:
    experiments = experiments_of(tmp_path, "ml-1m")
    inputs = inputs_with(tmp_path, experiments)
    values = means_of_users(inputs.experiments["ml-1m"], [parse(label) for label in LABELS])
    seed = seed_sequence(11, "ml-1m", "coin-flip", "permutation")
    expected = permutation_test(values, seed, 300).p_values.ravel()
    assert data_curves(inputs)["p_value"].tolist() == expected.tolist()
    other = data_curves(inputs_with(tmp_path, experiments, seed=12))
    assert other["p_value"].tolist() != expected.tolist()


# --- power ------------------------------------------------------------------------------------


def test_power_sums_the_p_values_of_each_dataset_and_metric(tmp_path: Path) -> None:
    inputs = inputs_with(tmp_path, experiments_of(tmp_path, "ml-1m", "librarything"))
    table, tested = data_sums(inputs), data_curves(inputs)
    assert list(table[["dataset", "metric"]].itertuples(index=False, name=None)) == [
        (dataset, metric) for dataset in ("ml-1m", "librarything") for metric in NAMES
    ]
    for row in table.to_dict("records"):
        same = (tested["dataset"] == row["dataset"]) & (tested["metric"] == row["metric"])
        assert row["dp"] == pytest.approx(tested.loc[same, "p_value"].sum())
        of_pairs = tested[same].set_index(["system_a", "system_b"])["p_value"].to_dict()
        ordered = [
            of_pairs.get(pair, of_pairs.get(pair[::-1])) for pair in permutations(SYSTEMS, 2)
        ]
        assert row["dp_ordered"] == pytest.approx(sum(ordered))
        # The reciprocal rank of a list that is cut is that with a cut-off.
        assert row["metric"] != "MRR" or row["dp_released"] == pytest.approx(sum(ordered))
        assert (row["pairs"], row["permutations"]) == (6, 300)
        assert row["users"] == tested.loc[same, "users"].iloc[0]


POWER = pd.DataFrame(
    [
        {"dataset": dataset, "metric": metric, "dp": dp, "dp_ordered": 2 * dp}
        for dataset, metric, dp in [
            ("ml-1m", "P", 0.25),
            ("ml-1m", "MRR", 2.004),
            ("librarything", "P", 3.25),
            ("librarything", "MRR", 12.5),
        ]
    ]
)


@pytest.mark.parametrize(
    ("down", "headings", "rows"),
    [
        (
            "datasets",
            ("Dataset", "From", "P", "MRR"),
            [
                ("ML-1M", "ours", ".50", "4.01"),
                ("ML-1M", "paper", "2.6", "15.5"),
                ("LibraryThing", "ours", "6.50", "25.00"),
            ],
        ),
        (
            "metrics",
            ("Metric", "ML-1M", "LibraryThing"),
            [("P", ".50", "6.50"), ("MRR", "4.01", "25.00")],
        ),
    ],
)
def test_a_table_of_power_has_metrics_across_or_down(
    down: str, headings: tuple[str, ...], rows: list[tuple[str, ...]]
) -> None:
    display = display_of("valcarce2018", "table3", ["beeradvocate"], "full")
    parameters = {"down": down, "published_ml-1m": ("2.6", "15.5"), "note": "Twice."}
    table = tabulate_sums(POWER, replace(display, parameters=parameters))
    assert tuple(column.header for column in table.columns) == headings
    assert list(table.rows) == rows
    assert table.notes[0] == "Twice."
    assert "Absent: BeerAdvocate" in to_markdown(table)


# --- curves -----------------------------------------------------------------------------------


def drawn(results: pd.DataFrame) -> Figure:
    return drawn_alone(
        family_of("valcarce2020", "fig02"), results, display_of("valcarce2020", "fig02")
    )


def pairs_of(name: str, p_values: list[float]) -> pd.DataFrame:
    return pd.DataFrame(
        {"dataset": "ml-1m", "metric": name, "p_value": p_values, "permutations": 1000}
    )


def curves_of(axes: Axes) -> dict[str, list[float]]:
    """Return what is drawn of each metric; the name of one that ends on the floor starts with _."""
    return {
        str(curve.get_label()): curve.get_ydata().tolist()
        for curve in axes.lines
        if curve.get_label() not in ("_level", "_floor")
    }


def test_curves_are_the_largest_p_values_from_the_largest_on() -> None:
    # 20 pairs are drawn of 28.
    rng = np.random.default_rng(1)
    drawn_pairs = {name: (0.01 + 0.9 * rng.random(28)).tolist() for name in NAMES}
    (axes,) = drawn(pd.concat(pairs_of(name, p) for name, p in drawn_pairs.items())).axes
    assert curves_of(axes) == {
        name: sorted(p, reverse=True)[:20] for name, p in drawn_pairs.items()
    }
    for curve in axes.lines:
        if curve.get_label() in NAMES:
            assert curve.get_xdata().tolist() == list(range(1, 21))
    assert {text.get_text() for text in axes.texts} >= set(NAMES)


def test_a_curve_ends_and_is_named_where_it_comes_to_the_least_p_value() -> None:
    below, above = pairs_of("P", [0.5, 0.001, 0.02, 0.001]), pairs_of("MAP", [0.9, 0.8, 0.7, 0.6])
    figure = drawn(pd.concat([below, above]))
    (axes,) = figure.axes
    assert curves_of(axes) == {"_P": [0.5, 0.02, 0.001], "MAP": [0.9, 0.8, 0.7, 0.6]}
    (name,) = figure.texts
    assert (name.get_text(), name.get_rotation()) == ("P", 90)
    # Below the third pair, and inside of the panel.
    end = axes.transData.transform((3, 0.001))
    box = name.get_window_extent()
    assert box.x0 < end[0] < box.x1
    assert axes.get_window_extent().y0 < box.y0 < box.y1 < end[1]


def test_fewer_pairs_than_asked_for_are_all_drawn() -> None:
    (axes,) = drawn(pairs_of("P", [0.2, 0.9, 0.1])).axes
    assert curves_of(axes) == {"P": [0.9, 0.2, 0.1]}
    assert axes.get_xlim() == (0.5, 20.5)
