# SPDX-License-Identifier: MIT
"""What the accepted values of bellogin2017 must show on MovieLens 1M."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from studies.accepted_results import FULL

from receval.storage.files import read_results, real_values

ACCEPTED = FULL / "bellogin2017"
SYSTEMS = ["plsa", "mf", "knn-centred", "pop", "random"]


def accepted(artifact: str) -> pd.DataFrame:
    table = read_results(ACCEPTED / f"{artifact}.csv")
    return table[table["dataset"] == "ml-1m"] if "dataset" in table else table


def means(artifact: str, **chosen: str) -> pd.DataFrame:
    table = accepted(artifact)
    table = table[table["fold"] == "mean"]
    for column, value in chosen.items():
        table = table[table[column] == value]
    return table


def values(artifact: str, **chosen: str) -> pd.Series:
    return means(artifact, **chosen).set_index("system")["value"]


# --- figure 2 ---------------------------------------------------------------------------------


def test_popularity_has_the_precision_of_the_paper_and_is_no_close_second() -> None:
    found = values("fig02", protocol="AR TI-AN")[["plsa", "pop", "mf"]]
    assert found["pop"] == pytest.approx(0.08, abs=0.01)
    assert found.round(3).tolist() == [0.144, 0.082, 0.056]


@pytest.mark.parametrize("protocol", ["AR TI-AN", "AR AI-AN", "1R TI-NN"])
def test_systems_have_the_order_of_the_paper(protocol: str) -> None:
    found = values("fig02", protocol=protocol)[SYSTEMS].sort_values(ascending=False)
    assert found.index.tolist() == ["plsa", "pop", "mf", "knn-centred", "random"]


@pytest.mark.parametrize("artifact", ["fig02", "fig08"])
def test_random_is_within_three_standard_errors_of_theory(artifact: str) -> None:
    table = accepted(artifact)
    table = table[(table["system"] == "random") & (table["metric"] == "P")]
    value, expected, error = (
        real_values(table[name]) for name in ("value", "random_expected", "random_error")
    )
    known = ~np.isnan(expected)
    # All designs, P1R among them.
    assert known.all()
    assert known.sum() >= 18
    # Of a hundred comparisons one may be beyond three standard errors by chance, none beyond four.
    distance = np.abs(value - expected)[known] / error[known]
    assert np.mean(distance > 3) <= 0.02
    assert distance.max() < 4
    of_means = (table["fold"] == "mean").to_numpy()[known]
    assert distance[of_means].max() < 3


def test_one_over_t_is_what_random_is_compared_with_in_1r() -> None:
    expected = real_values(means("fig02", protocol="1R TI-NN")["random_expected"])
    np.testing.assert_allclose(expected, 0.01)


@pytest.mark.parametrize("artifact", ["fig02", "fig08", "fig09"])
def test_sampled_values_are_near_their_expectation_over_all_samples(artifact: str) -> None:
    table = means(artifact)
    expected = real_values(table["expected"])
    known = ~np.isnan(expected)
    assert known.any()
    np.testing.assert_allclose(table["value"][known], expected[known], rtol=0.02)


def test_no_precision_of_1r_is_above_a_tenth() -> None:
    assert values("fig02", protocol="1R TI-NN").max() <= 0.1


@pytest.mark.parametrize("protocol", ["AR TI-AN", "1R TI-NN"])
def test_all_differences_are_significant(protocol: str) -> None:
    table = means("fig02", protocol=protocol).set_index("system")
    p_values = table.loc[SYSTEMS, [f"p_against_{name}" for name in SYSTEMS]]
    apart = ~np.eye(len(SYSTEMS), dtype=bool)
    assert p_values.to_numpy(dtype=np.float64)[apart].max() < 0.001


# --- figures 3 and 4 --------------------------------------------------------------------------


def test_1r_precision_lies_between_its_bounds_at_every_point_of_every_fold() -> None:
    table = accepted("fig03")
    assert len(table) == 240
    assert (table["lower"] <= table["value"]).all()
    assert (table["value"] <= table["upper"]).all()


def curve(system: str, protocol: str, varied: str) -> pd.DataFrame:
    table = accepted("fig04")
    chosen = (
        (table["system"] == system)
        & (table["protocol"] == protocol)
        & (table["varied"] == varied)
        & (table["evaluated_users"] == "all")
        & (table["metric"] == "P")
    )
    return table[chosen]


@pytest.mark.parametrize("system", SYSTEMS)
def test_ar_precision_is_linear_in_the_test_ratings_kept(system: str) -> None:
    rows = curve(system, "AR TI-AN", "test ratings")
    rows = rows[rows["fold"] == "mean"]
    assert len(rows) == 10
    correlation = np.corrcoef(rows["kept_percent"], rows["value"])[0, 1]
    assert correlation**2 >= 0.997


@pytest.mark.parametrize("system", SYSTEMS)
def test_1r_precision_does_not_move_with_the_test_ratings_kept(system: str) -> None:
    rows = curve(system, "1R TI-NN", "test ratings")
    rows = rows[rows["fold"] != "mean"]
    slopes = [
        np.polyfit(fold["kept_percent"], fold["value"], 1)[0] for _, fold in rows.groupby("fold")
    ]
    assert len(slopes) == 5
    # Student's t of the mean slope over five folds, against .975 of the distribution.
    assert abs(np.mean(slopes)) < 2.78 * np.std(slopes, ddof=1) / np.sqrt(5)
    means_of_levels = rows.groupby("kept_percent")["value"].mean()
    assert means_of_levels.max() / means_of_levels.min() < 1.03


def test_1r_precision_of_random_is_proportional_to_one_over_t() -> None:
    rows = curve("random", "1R TI-NN", "target set size")
    rows = rows[rows["fold"] == "mean"]
    sizes = rows["target_set_size"].astype(float)
    assert sizes.tolist() == [100.0 * k for k in range(1, 11)]
    np.testing.assert_allclose(rows["value"] * sizes, 1, rtol=0.03)


# --- figure 5 ---------------------------------------------------------------------------------


def by_skewness() -> pd.DataFrame:
    table = accepted("fig05")
    chosen = table[(table["protocol"] == "1R TI-NN") & (table["metric"] == "P@10")]
    chosen = chosen.assign(
        value=real_values(chosen["value"]), skewness=chosen["skewness"].astype(float)
    )
    return chosen.pivot_table(index="skewness", columns="system", values="value")


def test_popularity_gains_with_skewness_from_below_random() -> None:
    curves = by_skewness()
    assert curves.index.tolist() == [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2]
    assert curves.loc[0, "pop"] < curves.loc[0, "random"]
    assert curves.loc[0, "pop"] == pytest.approx(0.0077, abs=0.0005)
    assert (curves["pop"].diff().dropna() > 0).all()


def test_mf_and_knn_stay_around_random_where_there_is_nothing_to_prefer() -> None:
    curves = by_skewness()
    assert (curves["mf"] - curves["random"]).abs().max() <= 0.0011
    # kNN leaves this band at the last skewness alone (docs/biases.md).
    distance = (curves["knn-centred"] - curves["random"]).abs()
    assert distance.drop(2.0).max() <= 0.002
    assert distance[2.0] <= 0.0025


def test_plsa_follows_popularity() -> None:
    curves = by_skewness()
    assert np.corrcoef(curves["plsa"], curves["pop"])[0, 1] > 0.98
    assert ((curves["plsa"] - curves["pop"]).abs() < 0.0065).all()
    below = 1 - curves["plsa"] / curves["pop"]
    assert below[2.0] == pytest.approx(0.06, abs=0.01)
    assert below[0.5] == pytest.approx(0.26, abs=0.01)
    assert below.idxmax() == 0.5
    assert curves.loc[0, "plsa"] > curves.loc[0, "pop"]


@pytest.mark.parametrize(
    ("system", "times"), [("knn-centred", 2.8), ("mf", 1.5), ("pop", None), ("plsa", None)]
)
def test_in_ar_knn_and_mf_leave_random_where_popularity_is_most_skewed(
    system: str, times: float | None
) -> None:
    table = accepted("fig05")
    chosen = (table["protocol"] == "AR TI-AN") & (table["metric"] == "P@10")
    last = table[chosen & (table["skewness"].astype(str) == "2")].set_index("system")["value"]
    ratio = float(last[system]) / float(last["random"])
    assert ratio == pytest.approx(times, abs=0.1) if times else ratio > 10


def test_the_fitted_law_has_the_skewness_of_the_paper() -> None:
    table = accepted("fig05").set_index("metric")
    assert float(table.loc["alpha", "value"]) == pytest.approx(1.4, abs=0.05)


def test_the_most_liked_item_is_liked_by_a_third_of_the_users() -> None:
    # The paper has 32.7 %; 1,963 of 6,040 users are 32.5 %.
    table = accepted("fig05").set_index("metric")
    share = table.loc["share of users who like the most liked item", "value"]
    assert float(share) == pytest.approx(1963 / 6040)


# --- figures 6 and 8 --------------------------------------------------------------------------


@pytest.mark.parametrize("artifact", ["fig06", "fig08"])
def test_uniform_tests_have_the_targets_of_the_paper(artifact: str) -> None:
    table = accepted(artifact)
    uniform = table[table["split"] == "uniform-test"]
    assert set(uniform["target_items"].astype(float)) == {1703.0}
    assert set(uniform["eta"].astype(float)) == {117.6}


def test_figure_6_shows_as_many_test_ratings_for_every_target_item() -> None:
    table = accepted("fig06")
    uniform = table[table["split"] == "uniform-test"]
    inside = uniform[uniform["last_rank"] <= 1703]
    # Items with 147 ratings give no more than 117 of them.
    assert inside["mean_test_ratings"].between(117, 118).all()
    assert (uniform.loc[uniform["first_rank"] > 1703, "mean_test_ratings"] == 0).all()


@pytest.mark.parametrize("design", ["P1R", "U1R"])
@pytest.mark.parametrize("metric", ["P", "nDCG(gain=relevant)"])
def test_popularity_is_nearer_to_random_than_to_plsa_and_behind_plsa_and_mf(
    design: str, metric: str
) -> None:
    found = values("fig08", design=design, metric=metric)
    assert found["pop"] - found["random"] < (found["plsa"] - found["random"]) / 2
    assert found["pop"] < found["knn-centred"] < found["mf"] < found["plsa"]


@pytest.mark.parametrize(
    ("design", "times"), [("1R", 6.4), ("U1R", 2.3), ("P1R", 1.47), ("AR", 27), ("UAR", 5.5)]
)
def test_designs_take_most_of_popularity_s_advantage(design: str, times: float) -> None:
    found = values("fig08", design=design, metric="P")
    assert found["pop"] / found["random"] == pytest.approx(times, rel=0.02)


# --- figure 9 ---------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["bpref", "infAP"])
def test_bpref_and_infap_take_popularity_down_and_plsa_with_it(metric: str) -> None:
    found = values("fig09", protocol="AR TI-AN", metric=metric)[SYSTEMS]
    assert found.idxmax() == "mf"
    assert found["pop"] < found["mf"]
    assert found["plsa"] < found["mf"]


def test_stratified_recall_keeps_popularity_second() -> None:
    for protocol in ("AR TI-AN", "1R TI-NN"):
        found = values("fig09", protocol=protocol, metric="StratifiedRecall")[SYSTEMS]
        assert found.sort_values().index[-2:].tolist() == ["pop", "plsa"]


# --- what differs (docs/biases.md) ------------------------------------------------------------


@pytest.mark.parametrize(
    ("system", "slope"), [("random", -1.0), ("knn-centred", -0.55), ("pop", -0.43), ("plsa", -0.32)]
)
def test_only_random_falls_in_proportion_to_the_size_of_target_sets(
    system: str, slope: float
) -> None:
    rows = curve(system, "1R TI-NN", "target set size")
    rows = rows[rows["fold"] == "mean"]
    sizes = rows["target_set_size"].astype(float)
    found = np.polyfit(np.log(sizes), np.log(rows["value"]), 1)[0]
    assert found == pytest.approx(slope, abs=0.01)


@pytest.mark.parametrize(
    ("metric", "cutoff", "complete", "a_tenth"),
    [
        ("nDCG(gain=relevant)", "", 0.45, 0.27),
        ("AP", "", 0.18, 0.10),
        ("Recall", "10", 0.24, 0.22),
    ],
)
def test_sparsity_moves_normalised_metrics_of_plsa(
    metric: str, cutoff: str, complete: float, a_tenth: float
) -> None:
    table = means("fig04", system="plsa", metric=metric, evaluated_users="relevant")
    rows = table[table["cutoff"].astype(str) == cutoff].set_index("kept_percent")["value"]
    assert rows[100] == pytest.approx(complete, abs=0.005)
    assert rows[10] == pytest.approx(a_tenth, abs=0.005)


def test_the_printed_forms_of_bpref_and_infap_do_not_show_what_the_text_says() -> None:
    assert (values("fig09", protocol="AR TI-AN", metric="bpref(form=bellogin)") < 0).all()
    found = values("fig09", protocol="AR TI-AN", metric="infAP(form=bellogin)")[SYSTEMS]
    assert found.sort_values().index.tolist() == ["random", "knn-centred", "mf", "pop", "plsa"]
