# SPDX-License-Identifier: MIT
"""What docs/robustness.md says of five differences, as far as accepted results decide it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from studies.accepted_results import FULL, ROOT

from receval.statistics.correlation import kendall_tau_b

PAGE = (ROOT / "docs" / "robustness.md").read_text(encoding="utf-8")
RELEASED = pd.read_csv(ROOT / "benchmarks/valcarce2020/released_values.csv", comment="#")
PRINTED = Path(__file__).with_name("published_valcarce2018.csv")
LEVELS = [94, 90, 80]


def accepted(name: str) -> pd.DataFrame:
    table = pd.read_csv(FULL / f"{name}.csv")
    return table[table["dataset"] == "ml-1m"]


def curves(name: str, average: str | None = None) -> pd.DataFrame:
    table = accepted(name)
    if average is not None:
        table = table[table["average"] == average]
    return table.pivot_table("tau", "kept_percent", "metric").sort_index()


def power(name: str, without: str | None = None) -> pd.Series:
    table = accepted(name)
    kept = ~table[["system_a", "system_b"]].isin([without]).any(axis=1)
    return 2 * table[kept].groupby("metric")["p_value"].sum()


def printed(number: float, digits: int = 2) -> str:
    """Return a number as pages have it."""
    return f"{number:.{digits}f}".replace("0.", ".", 1) if abs(number) < 1 else f"{number:.2f}"


def row(label: str, after: str) -> list[str]:
    """Return the cells of a row of the page's table after a heading."""
    lines = PAGE[PAGE.index(after) :].splitlines()
    (found, *_) = [line for line in lines if line.startswith(f"| {label} |")]
    return [cell.strip() for cell in found.strip("|").split("|")][1:]


def test_the_released_values_give_the_printed_coefficients() -> None:
    table = pd.read_csv(PRINTED, comment="#")
    table = table[(table["artifact"] == "fig05") & (table["dataset"] == "ml-1m")]
    full = RELEASED[RELEASED["kept_percent"] == 100]
    assert len(full) == len(set(full["system"])) == 21
    for cell in table.itertuples():
        tau = kendall_tau_b(full[cell.metric_a], full[cell.metric_b])
        assert float(np.ravel(tau)[0]) == pytest.approx(cell.tau, abs=0.0051)


@pytest.mark.parametrize(
    ("label", "without"), [("ours", None), ("ours without the pairs of BPRMF", "bprmf")]
)
def test_the_page_has_the_discriminative_power(label: str, without: str | None) -> None:
    found = power("valcarce2018/fig08", without)
    metrics = ["P", "Recall", "MAP", "nDCG", "MRR", "bpref", "infAP"]
    assert row(label, "### Discriminative power") == [printed(found[name]) for name in metrics]


def test_without_bprmf_mrr_is_worst_and_map_ahead_of_precision() -> None:
    assert power("valcarce2018/fig08").idxmax() == "bpref"
    assert power("valcarce2018/fig08", without="bprmf").idxmax() == "MRR"
    whole, rest = power("valcarce2020/fig02"), power("valcarce2020/fig02", without="bprmf")
    assert whole["MAP"] > whole["P"]
    assert rest["MAP"] < rest["P"]
    for number in (whole["MAP"], whole["P"], rest["MAP"]):
        assert f"({printed(number)}" in PAGE or f"against {printed(number)}" in PAGE


@pytest.mark.parametrize("name", ["valcarce2018/fig08", "valcarce2020/fig02"])
def test_rsv_and_rw_are_2_of_every_sum(name: str) -> None:
    table = accepted(name)
    pair = table[(table["system_a"] == "rsv") & (table["system_b"] == "rw")]
    assert len(pair) == table["metric"].nunique()
    assert (pair["p_value"] == 1).all()


@pytest.mark.each("level", LEVELS)
def test_the_page_has_the_papers_own_taus_under_popularity_bias(level: int) -> None:
    metrics = ["P", "Recall", "F1", "MAP", "nDCG", "MRR", "bpref", "infAP"]
    full, reduced = (RELEASED[RELEASED["kept_percent"] == kept] for kept in (100, level))
    taus = [np.ravel(kendall_tau_b(full[name], reduced[name]))[0] for name in metrics]
    cells = row(f"{level} %", "### Popularity bias")
    assert cells[1:] == [printed(tau, 3) for tau in taus]
    assert taus[0] > taus[1]
    if level < 94:
        assert taus[0] - taus[1] < 2 / 210


def test_recall_is_level_with_precision_under_popularity_bias_where_the_page_says() -> None:
    widest = 0.0
    for name, levels in (
        ("valcarce2018/fig07", {*range(80, 91), 92, 93}),
        ("valcarce2020/fig06", set(range(81, 88))),
    ):
        table = curves(name).loc[80:99]
        ahead = table["Recall"] - table["P"]
        assert set(ahead[ahead >= 0].index) == levels
        widest = max(widest, ahead.max())
    assert f"by {printed(widest, 3)} at most" in PAGE
    others = curves("valcarce2018/fig07").loc[94:99].drop(columns="P")
    assert (others.max(axis=1) < curves("valcarce2018/fig07").loc[94:99, "P"]).all()


def test_the_page_has_the_means_of_the_largest_users() -> None:
    means = curves("valcarce2020/fig08").mean().sort_values(ascending=False)
    order = ["ERR", "MRR", "MAP", "nDCG", "infAP", "Recall", "bpref", "P", "F1"]
    assert list(means.index) == order
    cells = row("ours (figure 8)", "### Largest users")
    assert np.array(cells, dtype=float) == pytest.approx(means[order].to_numpy(), abs=0.0006)


def in_released_form(figure: str) -> pd.DataFrame:
    """Return the curves of geometric means, those of F1 and MRR in the released form."""
    table = curves(f"valcarce2020/{figure}", "geometric")
    own = curves(f"valcarce2020/{figure}", "geometric(zeros=one)")
    return table.assign(F1=own["F1"], MRR=own["MRR"]).drop(index=100)


@pytest.mark.parametrize(
    ("figure", "levels"), [("fig10", 93), ("fig11", 97), ("fig12", 30), ("fig13", 0), ("fig14", 91)]
)
def test_gf1_and_gmrr_are_the_last_two_at_so_many_levels(figure: str, levels: int) -> None:
    ranks = in_released_form(figure).rank(axis=1)
    last = (ranks["F1"] <= 2) & (ranks["MRR"] <= 2)
    assert last.sum() == levels
    if figure == "fig12":
        assert list(last[last].index) == list(range(69, 99))


def test_gmrr_comes_back_when_popular_items_leave() -> None:
    table = in_released_form("fig12")
    assert table.mean().idxmax() == "MRR"
    assert table.loc[90, "MRR"] == pytest.approx(-0.53, abs=0.005)
    assert table.loc[90].drop(["F1", "MRR"]).between(0.4, 0.65).all()
    assert table.loc[1:9, "MRR"].max() > 0.6


def test_gbpref_is_last_when_random_users_leave() -> None:
    table = in_released_form("fig13")
    assert table.idxmin(axis=1).value_counts().to_dict() == {"bpref": 82, "MRR": 17}
    assert table.mean().min() > 0.95
    assert table.loc[80:99].mean().idxmax() == "F1"
