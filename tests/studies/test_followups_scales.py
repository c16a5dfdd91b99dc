# SPDX-License-Identifier: MIT
"""Decisions and orders on interval scales, on a few ratings and on made-up results."""

from __future__ import annotations

from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.patches import Rectangle
from scipy.stats import binomtest, rankdata, ttest_rel, wilcoxon
from studies.followups import printed, shown
from studies.prepared import inputs_of, write_experiment

from receval.metrics.ndcg import DiscountedGain
from receval.metrics.registry import parse
from receval.protocols.protocol import Protocol
from reproduction.experiments.values import means_of_users
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups import interval_decisions
from reproduction.studies.followups.interval_decisions import (
    IntervalScale,
    count_changes,
    decisions,
    means_on_scales,
    on_interval_scale,
)

SYSTEMS = ("pop", "random", "slim", "svd")
NAMES = ("P", "nDCG", "MRR")
LABELS = ("P@5", "nDCG@5", "RR@5")
PAIRS = list(combinations(range(len(SYSTEMS)), 2))
TESTS = ("t", "wilcoxon", "sign")
HIGH_LEVEL = 0.5


def inputs_on(folder: Path, *, folds: int = 1, users: tuple[int, ...] = (10,)) -> ArtifactInputs:
    experiment = write_experiment(
        folder, "ml-1m", SYSTEMS, [Protocol()], evaluated_users="tested", folds=folds
    )
    return inputs_of(
        folder,
        experiments={"movielens": experiment},
        seed=5,
        names=NAMES,
        metrics=LABELS,
        users=users,
        user_samples=3,
    )


def own_values(inputs: ArtifactInputs) -> dict[str, np.ndarray]:
    """Return the values of users under the metrics of the rows, shape (n_systems, n_users)."""
    metrics = [parse(label) for label in LABELS]
    metrics.insert(2, DiscountedGain(cutoff=5))
    values = means_of_users(inputs.experiments["movielens"], metrics)
    return dict(zip(("P", "nDCG", "DCG", "MRR"), np.round(values, 12), strict=True))


def scaled(values: np.ndarray, scale: str) -> np.ndarray:
    """Put values on a scale by its definition, one after the other."""
    if scale == "mean-ranks":
        return (rankdata(values).reshape(values.shape) - 1) / (values.size - 1)
    distinct = sorted(set(values.ravel().tolist()))
    steps = [distinct.index(value) / (len(distinct) - 1) for value in values.ravel().tolist()]
    return np.array(steps).reshape(values.shape)


def decided(one: np.ndarray, other: np.ndarray, test: str) -> int:
    """Decide by scipy which of two systems is ahead, at a high level of significance."""
    differences = np.round(one - other, 12)
    if not differences.any():
        return 0
    if test == "t":
        ahead, p_value = differences.mean(), ttest_rel(one, other).pvalue
    elif test == "sign":
        wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
        ahead, p_value = wins - losses, binomtest(wins, wins + losses).pvalue
    else:
        ranks = rankdata(np.abs(differences[differences != 0]))
        ahead = (ranks * np.sign(differences[differences != 0])).sum()
        p_value = wilcoxon(differences, correction=False, method="asymptotic").pvalue
    return int(np.sign(ahead)) if p_value < HIGH_LEVEL else 0


def test_changes_are_those_of_tests_by_scipy_on_scales_by_their_definitions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Systems of random scores differ by chance alone.
    monkeypatch.setattr("reproduction.studies.followups.interval_decisions.LEVEL", HIGH_LEVEL)
    inputs = inputs_on(tmp_path)
    table = interval_decisions.data(inputs)
    full = table[table["drawn"] == "all"].set_index(["metric", "scale", "test"])
    values = own_values(inputs)
    for (metric, scale, test), row in full.iterrows():
        own, other = values[metric], scaled(values[metric], scale)
        changes = [
            (decided(own[a], own[b], test), decided(other[a], other[b], test)) for a, b in PAIRS
        ]
        counts = {
            "lost": sum(before != 0 == after for before, after in changes),
            "gained": sum(before == 0 != after for before, after in changes),
            "reversed": sum(before * after < 0 for before, after in changes),
            "significant": sum(before != 0 for before, _ in changes),
            "significant_scaled": sum(after != 0 for _, after in changes),
            "changed": sum(before != after for before, after in changes),
        }
        assert {kind: row[kind] * len(PAIRS) for kind in counts} == pytest.approx(counts)
        assert row["pairs"] == len(PAIRS)
        assert row["users"] == values[metric].shape[1]
    assert full["significant"].sum() > 0
    assert full["changed"].sum() > 0


def test_dcg_stands_behind_ndcg_and_every_number_of_users_has_all_rows(tmp_path: Path) -> None:
    table = interval_decisions.data(inputs_on(tmp_path, users=(10, 20, 10_000)))
    assert list(dict.fromkeys(table["metric"])) == ["P", "nDCG", "DCG", "MRR"]
    assert list(dict.fromkeys(table["drawn"])) == ["10", "20", "all"]
    assert dict(table.groupby("drawn")["user_samples"].first()) == {"10": 3, "20": 3, "all": 1}
    assert len(table) == 3 * 4 * 2 * 3
    keys = ["metric", "scale", "test", "drawn"]
    assert not table.duplicated(keys).any()


def test_with_folds_a_value_is_scaled_before_it_is_averaged(tmp_path: Path) -> None:
    inputs = inputs_on(tmp_path, folds=3)
    table = means_on_scales(inputs)
    experiment = inputs.experiments["movielens"]
    own = table[table["scale"] == "own"].set_index(["metric", "system"])["value"]
    for metric, values in own_values(inputs).items():
        means = [own[metric, name] for name in SYSTEMS]
        assert means == pytest.approx(values.mean(axis=1))
    # Reciprocal ranks within 5 have six places, of which means over folds are no further ones.
    steps = table[(table["scale"] == "equal-steps") & (table["metric"] == "MRR")]
    assert steps["value"].between(0, 1).all()
    assert len(experiment.folds) == 3


def test_orders_are_those_of_means_on_the_scales(tmp_path: Path) -> None:
    inputs = inputs_on(tmp_path)
    table = means_on_scales(inputs)
    for metric, values in own_values(inputs).items():
        before = values.mean(axis=1)
        for scale in ("equal-steps", "mean-ranks"):
            rows = table[(table["metric"] == metric) & (table["scale"] == scale)]
            after = scaled(values, scale).mean(axis=1)
            assert rows["value"].to_numpy() == pytest.approx(after)
            swapped = sum(
                (before[a] - before[b]) * (after[a] - after[b]) < -1e-15 for a, b in PAIRS
            )
            assert rows["swapped"].to_numpy() == pytest.approx(swapped / len(PAIRS))
    own = table[table["scale"] == "own"]
    assert set(own["tau"]) == {1.0}
    assert set(own["swapped"]) == {0}


def test_the_table_of_orders_has_a_row_a_metric(tmp_path: Path) -> None:
    results = means_on_scales(inputs_on(tmp_path))
    text = printed("interval_orders", results, tmp_path)
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert [line.split("|")[1].strip() for line in lines[2:]] == ["P", "nDCG", "DCG", "MRR"]
    row = results[(results["metric"] == "MRR") & (results["scale"] == "mean-ranks")].iloc[0]
    assert lines[-1].split("|")[-2].strip() == str(round(row["swapped"] * len(PAIRS)))


METRICS = ("P", "Recall", "F1", "MAP", "nDCG", "DCG", "RBP", "MRR", "ERR", "bpref", "infAP")


def made_up(
    lost: float = 4, gained: float = 2, *, drawn_users: tuple[str, ...] = ("50", "all")
) -> pd.DataFrame:
    """Return results with the same changes everywhere, the most of MRR."""
    rows = [
        {
            "dataset": "ml-1m",
            "metric": metric,
            "scale": scale,
            "test": test,
            "drawn": number,
            "users": 6040 if number == "all" else int(number),
            "user_samples": 1 if number == "all" else 20,
            "pairs": 210,
            "significant": 150.0,
            "significant_scaled": 150.0,
            "lost": 0.0 if test == "sign" else lost + 10 * (metric == "MRR"),
            "gained": 0.0 if test == "sign" else gained,
            "reversed": 0.0 if test == "sign" else 1.0 * (metric == "MRR"),
        }
        for number in drawn_users
        for metric in METRICS
        for scale in ("equal-steps", "mean-ranks")
        for test in TESTS
    ]
    table = pd.DataFrame(rows)
    kinds = ["significant", "significant_scaled", "lost", "gained", "reversed"]
    table[kinds] /= 210
    table["changed"] = table[["lost", "gained", "reversed"]].sum(axis=1)
    return table


def test_bars_are_as_long_as_the_changes_are_many(tmp_path: Path) -> None:
    results = made_up(lost=21, gained=42, drawn_users=("50", "500", "all"))
    figure = shown("interval_decisions", results, tmp_path)
    assert len(figure.axes) == 8
    widths = [bar.get_width() for bar in figure.axes[0].patches if isinstance(bar, Rectangle)]
    precision = widths[0], widths[len(METRICS)], widths[2 * len(METRICS)]
    assert precision == pytest.approx((10, 20, 0))


@pytest.mark.costly
def test_without_any_change_the_figure_has_an_axis(tmp_path: Path) -> None:
    none = made_up(drawn_users=("all",)).assign(lost=0.0, gained=0.0, reversed=0.0, changed=0.0)
    assert len(shown("interval_decisions", none, tmp_path).axes) == 4


SCALES: tuple[IntervalScale, ...] = ("equal-steps", "mean-ranks")
VALUES = st.lists(st.integers(0, 6).map(lambda hits: hits / 6), min_size=2, max_size=30)


@pytest.mark.parametrize("scale", SCALES)
@given(values=VALUES)
def test_order_and_ties_stay_and_the_scale_goes_from_0_to_1(
    scale: IntervalScale, values: list[float]
) -> None:
    scaled = on_interval_scale(values, scale)
    signs = np.sign(np.subtract.outer(values, values))
    assert np.array_equal(np.sign(np.subtract.outer(scaled, scaled)), signs)
    assert scaled.min() >= 0
    assert scaled.max() <= 1


@given(values=VALUES)
def test_equal_steps_lie_at_equal_distances(values: list[float]) -> None:
    places = np.unique(on_interval_scale(values, "equal-steps"))
    assert places == pytest.approx(np.linspace(0, 1, len(places)) if len(places) > 1 else [0])


@given(values=VALUES)
def test_a_mean_rank_counts_who_is_behind_and_half_of_who_is_level(values: list[float]) -> None:
    scaled = on_interval_scale(values, "mean-ranks")
    for value, place in zip(values, scaled, strict=True):
        behind = sum(other < value for other in values)
        level = sum(other == value for other in values) - 1
        assert place == pytest.approx((behind + level / 2) / (len(values) - 1))


def test_reciprocal_ranks_get_the_steps_between_ranks() -> None:
    values = [[1, 1 / 2, 1 / 3], [1 / 4, 1 / 5, 0]]
    scaled = on_interval_scale(values, "equal-steps")
    assert scaled == pytest.approx(np.array([[1, 0.8, 0.6], [0.4, 0.2, 0]]))


def test_values_are_told_apart_from_the_twelfth_decimal_on() -> None:
    for step, n_places in ((4e-13, 1), (1e-12, 3)):
        values = [0.25 - step, 0.25, 0.25 + step]
        for scale in SCALES:
            assert len(set(on_interval_scale(values, scale).tolist())) == n_places


@pytest.mark.parametrize("scale", SCALES)
def test_minus_zero_is_zero_and_the_shape_stays(scale: IntervalScale) -> None:
    found = on_interval_scale([[0.0, -0.0], [1.0, 1.0]], scale)
    assert found.shape == (2, 2)
    assert found[0, 0] == found[0, 1] < found[1, 0] == found[1, 1]
    assert on_interval_scale([[0.5]], scale).shape == (1, 1)


@pytest.mark.parametrize(("scale", "place"), [("equal-steps", 0.0), ("mean-ranks", 0.5)])
def test_values_that_are_all_the_same_have_one_place(scale: IntervalScale, place: float) -> None:
    assert on_interval_scale([0.25] * 3, scale).tolist() == [place] * 3
    assert on_interval_scale([0.25], scale).tolist() == [place]


@pytest.mark.each(
    ("values", "scale", "message"),
    [
        ([1.0], "ordinal", "There is no interval scale ordinal; there are equal-steps"),
        ([], "equal-steps", "There are no values"),
        ([0.5, np.nan], "mean-ranks", "not a finite number"),
    ],
)
def test_what_has_no_scale_is_refused(
    values: list[float], scale: IntervalScale, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        on_interval_scale(values, scale)


def test_only_what_is_below_the_level_is_decided() -> None:
    found = decisions([[1.0, -1.0], [1.0, -1.0]], [[0.049, 0.001], [0.05, 0.2]])
    assert found.tolist() == [[1, -1], [0, 0]]
    assert decisions([0.0], [0.0]).tolist() == [0]


def test_every_two_decisions_differ_in_one_way_and_all_pairs_are_counted() -> None:
    ways = {(1, 0): "lost", (-1, 0): "lost", (0, 1): "gained", (0, -1): "gained"}
    ways |= {(1, -1): "reversed", (-1, 1): "reversed"}
    kinds = ("lost", "gained", "reversed")
    pairs = list(product((-1, 0, 1), repeat=2))
    for pair in pairs:
        found = count_changes(pair[:1], pair[1:])
        assert found == {kind: int(kind == ways.get(pair)) for kind in kinds}
    assert count_changes(*zip(*pairs, strict=True)) == dict.fromkeys(kinds, 2)


def test_decisions_on_other_pairs_are_refused() -> None:
    with pytest.raises(ValueError, match="on 2 and 1 pairs"):
        count_changes([1, 0], [1])
