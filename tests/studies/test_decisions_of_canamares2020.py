# SPDX-License-Identifier: MIT
"""Tables 3 and 4 and figure 7 of canamares2020 on a few ratings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import gmean, ttest_rel
from studies.compared_experiments import (
    KNN,
    POLICIES,
    STUDY,
    comparisons_of,
    inputs_of_policies,
    parameters_of,
    precision,
    relevance_of_top,
)
from studies.prepared import display_of, drawn_alone, family_of, inputs_of, saved

from receval.figures.printed_numbers import fixed, significant
from receval.figures.tables import to_latex, to_markdown
from receval.metrics.labels import metric_name
from receval.metrics.registry import parse
from receval.multiverse.decisions import MetricDecision
from receval.protocols.protocol import Protocol
from receval.storage.files import real_values
from reproduction.studies.canamares2020 import coverage, tables

# --- table 3 ----------------------------------------------------------------------------------


def test_metrics_of_table_3_are_decisions_on_both_forms_of_lists() -> None:
    names = [
        {"name": "P"},
        {"name": "nDCG"},
        {"name": "nDCG", "gain": "g2"},
        {"name": "RBP", "depth": None},
        {"name": "RBP", "depth": None, "gain": "g2"},
    ]
    of_order = [{"name": "RBO", "depth": None}, {"name": "tau", "depth": None}]
    decisions = [(MetricDecision.model_validate(name), False) for name in names]
    decisions += [(MetricDecision.model_validate(name), True) for name in (*names, *of_order)]
    expected = {parse(decision.label(condensed)).label for decision, condensed in decisions}
    assert set(parameters_of("table3")["metrics"]) == {*expected, "RBPresidual"}


def test_table_3_has_a_row_for_each_metric_with_both_gains(tmp_path: Path) -> None:
    inputs = comparisons_of(tmp_path, ["ml-1m"], **parameters_of("table3"))
    results = saved(tables.data_table3(inputs), tmp_path)
    table = tables.tabulate_table3(results, display_of(STUDY, "table3"))
    metrics = ["P@10", "nDCG@10", "RBP"]
    dash = "\N{EN DASH}"
    gains = {"P@10": ["g1"], "nDCG@10": ["g1", "g2"], "RBP": ["g1", "g2"]}
    of_both = [(name, gain) for name in metrics for gain in gains[name]]
    assert [row[:3] for row in table.rows] == [
        *(("full", *named) for named in (*of_both, ("RBP residual", dash))),
        *(("condensed", *named) for named in (*of_both, ("RBO", dash), ("Kendall's tau", dash))),
    ]
    headers = [column.header for column in table.columns]
    assert headers[3:] == ["kNN", "MF", "p, MF", "MF (text)", "p, MF (text)"]
    by_name = {row[:3]: dict(zip(headers, row, strict=True)) for row in table.rows}
    found = results.set_index(["metric", "system"])["value"]
    ours = by_name["full", "nDCG@10", "g2"]["MF (text)"]
    value = found["nDCG(gain=exp-normalised)@10", "ranksys-mf-text"]
    assert ours == significant(value)
    assert to_markdown(table)
    assert to_latex(table)


@pytest.mark.each(
    ("label", "name"),
    [
        ("nDCG(condensed=true,gain=binary)@10", "nDCG@10"),
        ("RBPresidual", "RBP residual"),
        ("tau(condensed=true)", "Kendall's tau"),
        ("P@10", "P@10"),
    ],
)
def test_names_of_metrics_leave_their_parameters_out(label: str, name: str) -> None:
    assert metric_name(label) == name


# --- table 4 ----------------------------------------------------------------------------------


def test_geometric_means_are_tested_by_logarithms_at_every_epsilon(tmp_path: Path) -> None:
    inputs = comparisons_of(tmp_path, ["ml-1m"], metrics=["P@10"], epsilons=["0.01", "0.1"])
    results = tables.data_table4(inputs)
    experiment = inputs.experiments["movielens"]
    knn, mf = (precision(experiment, name, 1) for name in ("knn-user", "ranksys-mf"))
    rows = results[(results["aggregation"] == "geometric") & (results["system"] == "ranksys-mf")]
    assert rows["epsilon"].tolist() == ["1e-05", "0.01", "0.1"]
    for row in rows.to_dict("records"):
        epsilon = float(row["epsilon"])
        assert row["value"] == pytest.approx(gmean(mf + epsilon) - epsilon)
        expected = ttest_rel(np.log(knn + epsilon), np.log(mf + epsilon)).pvalue
        assert row["p_value"] == pytest.approx(expected)


def test_weighted_means_by_hand_and_correlations_by_numpy(tmp_path: Path) -> None:
    inputs = comparisons_of(tmp_path, ["ml-1m"], metrics=["P@10"], epsilons=["0.01"])
    results = saved(tables.data_table4(inputs), tmp_path)
    experiment = inputs.experiments["movielens"]
    values = precision(experiment, "knn-user", 1)
    ratings = [
        [rating for _, rating in items]
        for has_train, items in relevance_of_top(experiment, "knn-user", 1)
        if has_train and items
    ]
    for aggregation, weights in (
        ("test-weighted", [len(own) for own in ratings]),
        ("positive-weighted", [sum(rating >= 4 for rating in own) for own in ratings]),
    ):
        row = results[(results["aggregation"] == aggregation) & (results["system"] == "knn-user")]
        expected = np.average(values, weights=weights)
        assert real_values(row["value"]) == pytest.approx([expected])
    everything = experiment.ratings
    stated = results[results["statement"] != ""]
    for codes, row in zip(
        (everything.users, everything.items), stated.to_dict("records"), strict=True
    ):
        counts = np.bincount(codes)
        positives = np.bincount(codes[everything.values >= 4], minlength=len(counts))
        r = np.corrcoef(counts[counts > 0], positives[counts > 0])[0, 1]
        assert float(row["coefficient"]) == pytest.approx(r)
        assert int(row["lists"]) == np.count_nonzero(counts)
    table = tables.tabulate_table4(results, display_of(STUDY, "table4"))
    assert [row[1] for row in table.rows][:4] == [
        "Mean",
        "Weighted by test ratings",
        "Weighted by positive ratings",
        r"Geometric mean, $`\epsilon`$ = .00001",
    ]
    by_user, by_item = (fixed(float(r), 3) for r in stated["coefficient"])
    assert table.notes[0].endswith(f": {by_user} by user, {by_item} by item.")
    assert {row[0] for row in table.rows} == {"P@10"}
    assert to_latex(table)


# --- figure 7 ---------------------------------------------------------------------------------


def test_policies_rank_what_has_no_score_and_all_users_are_averaged(tmp_path: Path) -> None:
    inputs = inputs_of_policies(tmp_path)
    results = coverage.data_fig07(inputs)
    experiment = inputs.experiments["movielens-half"]
    for policy in POLICIES:
        for system, neighbours in zip(KNN, (1, 3, 10, 30, 100), strict=True):
            protocol = Protocol("AR", "rated", non_computable=policy)
            # The condensed list has the ranked test items in the order of their ranks.
            users = [
                sorted((rank, rating) for rank, rating in items if rank)
                for _, items in relevance_of_top(experiment, system, 1, protocol)
                if items
            ]
            rows = results[(results["policy"] == policy) & (results["neighbours"] == neighbours)]
            found = rows.set_index("metric")["value"]
            covered = np.mean([min(len(items), 10) / 10 for items in users])
            assert found["Coverage(condensed=true)@10"] == pytest.approx(covered)
            hits = [sum(rating >= 4 for _, rating in items[:10]) / 10 for items in users]
            assert found["P(condensed=true)@10"] == pytest.approx(np.mean(hits))
            assert set(rows["lists"]) == {len(users)}
    covered = results[results["metric"].str.startswith("Coverage")].set_index("policy")["value"]
    assert (covered["none"] < covered["random"].min()).all()


def test_figure_7_has_a_group_for_each_policy_and_a_cross_on_each_bar(tmp_path: Path) -> None:
    results = saved(coverage.data_fig07(inputs_of_policies(tmp_path)), tmp_path)
    figure = drawn_alone(family_of(STUDY, "fig07"), results, display_of(STUDY, "fig07"))
    (axes,) = figure.axes
    assert [text.get_text() for text in axes.get_xticklabels()] == list(
        coverage.POLICY_TITLES.values()
    )
    (crosses,) = axes.lines
    bars = sorted(axes.patches, key=lambda bar: bar.get_x())
    centres = [bar.get_x() + bar.get_width() / 2 for bar in bars]
    np.testing.assert_allclose(crosses.get_xdata(), centres)
    drawn = results[results["metric"].str.startswith("nDCG")]
    assert [bar.get_height() for bar in bars] == pytest.approx(drawn["value"].tolist())
    of_coverage = results[results["metric"].str.startswith("Coverage")]
    assert list(crosses.get_ydata()) == pytest.approx(of_coverage["value"].tolist())


@pytest.mark.each(
    ("results", "problem"),
    [
        ([1, 3, 10, 30], "has 4 numbers for the systems"),
        ([1, 3, 30, 10, 100], "does not increase"),
        ([1, 3, 11, 30, 100], "gives the system knn-user-10 the number 11, but its name says 10"),
    ],
)
def test_aligned_parameters_are_those_of_their_names(
    tmp_path: Path, results: list[int], problem: str
) -> None:
    inputs = inputs_of(tmp_path, neighbours=results)
    with pytest.raises(ValueError, match=problem):
        coverage.aligned_parameter(inputs, "neighbours", KNN)
