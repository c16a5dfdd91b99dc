# SPDX-License-Identifier: MIT
"""What the accepted values of the two studies of metrics must show on MovieLens 1M."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from studies.accepted_results import FULL

from receval.statistics.multiple_comparisons import discriminative_power

PUBLISHED = Path(__file__).with_name("published_valcarce2018.csv")


def accepted(name: str) -> pd.DataFrame:
    table = pd.read_csv(FULL / f"{name}.csv")
    return table[table["dataset"] == "ml-1m"]


def at_level(name: str, percent: float) -> pd.Series:
    table = accepted(name)
    return table[table["kept_percent"] == percent].set_index("metric")["tau"]


@pytest.mark.parametrize(("artifact", "bound", "cells"), [("fig05", 0.05, 21), ("fig01", 0.04, 55)])
def test_correlations_between_metrics_are_near_the_published_ones(
    artifact: str, bound: float, cells: int
) -> None:
    published = pd.read_csv(PUBLISHED, comment="#")
    chosen = (published["artifact"] == artifact) & (published["dataset"] == "ml-1m")
    keys = ["metric_a", "metric_b"]
    ours = accepted(f"valcarce2018/{artifact}").set_index(keys)["tau"]
    theirs = published[chosen].set_index(keys)["tau"]
    assert len(theirs) == cells
    assert (ours.loc[theirs.index] - theirs).abs().mean() <= bound


def test_precision_and_ndcg_discriminate_best_and_bpref_or_mrr_worst() -> None:
    power = accepted("valcarce2018/table3").set_index("metric")["dp"].sort_values()
    assert set(power.index[:2]) == {"P", "nDCG"}
    assert power.index[-1] in ("bpref", "MRR")


@pytest.mark.parametrize(
    ("study", "figure"), [("valcarce2018", "fig08"), ("valcarce2020", "fig02")]
)
def test_the_table_has_the_power_of_the_p_values_of_the_figure(study: str, figure: str) -> None:
    tested = accepted(f"{study}/{figure}").groupby("metric")
    table = accepted(f"{study}/table3").set_index("metric")
    assert set(table.index) == set(tested.groups)
    assert (table["permutations"] == 100_000).all()
    for metric, p_values in tested["p_value"]:
        assert len(p_values) == table.loc[metric, "pairs"] == 210
        for column, pairs in (("dp", "unordered"), ("dp_ordered", "ordered")):
            power = discriminative_power(p_values, pairs)
            assert table.loc[metric, column] == pytest.approx(power, rel=1e-8)


def test_with_half_of_the_ratings_every_metric_orders_the_systems_nearly_as_with_all() -> None:
    half = at_level("valcarce2020/fig03", 50)
    assert len(half) == 9
    assert half.min() > 0.9


def test_precision_f1_and_ndcg_are_the_most_robust_and_mrr_and_err_among_the_least() -> None:
    mean = accepted("valcarce2020/fig03").groupby("metric")["tau"].mean().sort_values()
    assert set(mean.index[-3:]) == {"P", "F1", "nDCG"}
    least = at_level("valcarce2020/fig03", 1).sort_values()
    assert {"MRR", "ERR"} <= set(least.index[:3])


@pytest.mark.parametrize("number", [3, 5, 6, 7, 8, 10, 11, 12, 13, 14])
def test_a_metric_agrees_with_itself_when_nothing_is_removed(number: int) -> None:
    complete = at_level(f"valcarce2020/fig{number:02d}", 100)
    assert len(complete) >= 9
    assert (complete == 1).all()


def test_removing_items_hurts_more_and_removing_users_less_than_removing_ratings() -> None:
    ratings, items, users = (
        accepted(f"valcarce2020/fig{number:02d}").groupby("metric")["tau"].mean()
        for number in (3, 5, 7)
    )
    assert items.mean() < ratings.mean() < users.mean()


def test_only_the_released_form_makes_the_geometric_f1_and_mrr_odd() -> None:
    keys = ["average", "metric_a", "metric_b"]
    table = accepted("valcarce2020/fig09").set_index(keys)["tau"].sort_index()
    others = ["P", "Recall", "MAP", "nDCG", "ERR", "bpref", "infAP"]
    floor = table["geometric", "F1"][others]
    released = table["released", "F1"][others]
    assert floor.min() > 0.8
    assert released.max() < 0.5
    gap = table["geometric", "MRR"][others] - table["released", "MRR"][others]
    assert gap.min() > 0.1
    # The paper has .92 between MAP and GMAP, .42 between F1 and GF1.
    assert table["arithmetic to geometric", "F1", "F1"] > 0.8
    assert table["arithmetic to released", "F1", "F1"] < 0.7


def test_the_users_with_most_ratings_decide_p_and_f1_more_than_err_and_mrr() -> None:
    plain, geometric = (accepted(f"valcarce2020/fig{number:02d}") for number in (8, 14))
    mean = plain.groupby("metric")["tau"].mean().sort_values()
    assert set(mean.index[:2]) == {"P", "F1"}
    assert set(mean.index[-2:]) == {"MRR", "ERR"}
    floored = geometric[geometric["average"] == "geometric"].groupby("metric")["tau"].mean()
    assert floored["P"] > mean["P"]
    assert floored["nDCG"] > mean["nDCG"]


def mean_tau(artifact: str, average: str = "arithmetic") -> pd.Series:
    """Return the mean of each metric's tau over all levels but the first."""
    table = accepted(f"valcarce2020/{artifact}")
    table = table[(table["kept_percent"] != 100) & (table["average"] == average)]
    return table.groupby("metric")["tau"].mean()


def test_a_third_of_a_pair_of_systems_puts_mrr_ahead_of_recall_map_and_infap() -> None:
    mean = mean_tau("fig03")
    four = mean[["MRR", "Recall", "MAP", "infAP"]]
    assert four.is_monotonic_decreasing
    assert four.max() - four.min() < 2 / 210 / 2.8
    assert mean["MAP"] - mean["infAP"] < 2 / 210 / 7
    by_level = accepted("valcarce2020/fig03").pivot_table(
        index="kept_percent", columns="metric", values="tau"
    )
    ahead = by_level.index[by_level["infAP"] > by_level["MAP"]]
    assert set(ahead) == set(range(20, 68))
    # On the one test set of 2018 it is the other way round.
    once = accepted("valcarce2018/fig06")
    once = once[once["kept_percent"] != 100].groupby("metric")["tau"].mean()
    assert once["MRR"] < once["infAP"] < once["MAP"]


def test_values_but_that_of_precision_are_concave_in_the_ratings_left() -> None:
    values = accepted("valcarce2020/fig04").pivot_table(
        index="kept_percent", columns="metric", values="value"
    )
    above = values.loc[50] - values.loc[[95, 5]].mean()
    others = above.drop("P")
    assert abs(above["P"]) < 0.001
    assert (others.idxmin(), others.idxmax()) == ("F1", "Recall")
    assert others.min() == pytest.approx(0.004, abs=0.0005)
    assert others.max() == pytest.approx(0.043, abs=0.0005)
    fall = values.loc[100] - values
    more = fall.index[fall["bpref"] > fall["P"]]
    assert set(more) == {1, 2, 3}


def test_where_users_leave_gmrr_and_gerr_lead_and_gp_is_one_pair_behind() -> None:
    ratings, items, users = (mean_tau(f"fig{n}", "geometric") for n in (10, 11, 13))
    assert set(users.nlargest(2).index) == {"MRR", "ERR"}
    assert users.rank(ascending=False)["P"] == 5
    assert users.min() > 0.954
    assert users.max() - users["P"] == pytest.approx(2 / 210, abs=0.0001)
    for other, of_nine, of_seven in ((ratings, 0.11, 0.71), (items, 0.11, 0.62)):
        assert {"MRR", "ERR"} < set(other.nsmallest(3).index)
        assert users.corr(other, "kendall") == pytest.approx(of_nine, abs=0.005)
        rest = users.index.drop(["MRR", "ERR"])
        assert users[rest].corr(other[rest], "kendall") == pytest.approx(of_seven, abs=0.005)
