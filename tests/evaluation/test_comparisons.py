# SPDX-License-Identifier: MIT
"""Each test, correction, effect size and margin of a comparison is what its name says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import receval as rv
from receval.evaluation.by_user import ValuesByUser
from receval.evaluation.comparison import ComparisonChoices, ComparisonOptions
from receval.evaluation.result import EvaluationResult
from receval.statistics.multiple_comparisons import benjamini_hochberg, bonferroni, holm

N_USERS = 40
METRICS = ("P@5", "nDCG@5")
SYSTEMS = ("Pop", "kNN", "MF", "Random")
DEFAULT_COLUMNS = [
    "protocol", "metric", "first", "second", "difference", "low", "high", "effect_size", "p",
    "p_holm", "significant", "method",
]  # fmt: skip


def result_of(values: np.ndarray, weights: np.ndarray | None = None) -> EvaluationResult:
    """A result of values of shape (2, n_systems, n_users) under one protocol."""
    users = values.shape[-1]
    own = ValuesByUser(values, np.ones(users) if weights is None else weights, np.arange(users))
    names = SYSTEMS[: values.shape[1]]
    return EvaluationResult(names, METRICS, {"AR AI-AN": own}, np.arange(users).astype(str))


VALUES = np.clip(
    np.random.default_rng(8).normal(0.3, 0.2, (2, 4, N_USERS))
    + np.array([0.0, 0.05, 0.1, -0.1])[:, None],
    0,
    1,
).round(3)


@pytest.fixture(scope="module")
def result() -> EvaluationResult:
    return result_of(VALUES)


@pytest.mark.costly
def test_the_defaults_are_a_permutation_test_with_holm_and_no_more_columns(
    result: EvaluationResult,
) -> None:
    pairs = result.compare()
    assert list(pairs.columns) == DEFAULT_COLUMNS
    named = result.compare(test="permutation", correction="holm")
    pd.testing.assert_frame_equal(pairs, named)


def of_scipy(test: str, one: np.ndarray, other: np.ndarray) -> float:
    if test == "t":
        return stats.ttest_rel(one, other).pvalue
    if test == "sign":
        return stats.binomtest(int((one > other).sum()), int((one != other).sum())).pvalue
    return stats.wilcoxon((one - other).round(12), method="approx", correction=False).pvalue


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign"])
def test_p_values_are_those_of_scipy(result: EvaluationResult, test: Any) -> None:
    for row in result.compare(test=test).itertuples():
        own = VALUES[METRICS.index(row.metric)]
        one, other = own[SYSTEMS.index(row.first)], own[SYSTEMS.index(row.second)]
        assert row.p == pytest.approx(of_scipy(test, one, other), rel=1e-9)


@pytest.mark.each(("differences", "method"), [(24, "exact"), (25, "exact"), (26, "normal")])
def test_wilcoxon_is_exact_with_at_most_25_differences(differences: int, method: str) -> None:
    values = np.zeros((2, 2, N_USERS))
    values[:, 0, :differences] = np.arange(differences) + 1.0
    pairs = result_of(values).compare(test="wilcoxon")
    assert set(pairs["method"]) == {method}
    if method == "exact":
        assert pairs["p"].tolist() == [2.0 ** (1 - differences)] * 2


@pytest.mark.costly
@pytest.mark.parametrize("test", ["bootstrap", "tukey-hsd"])
def test_sampled_tests_are_near_the_t_test_and_use_the_seed(
    result: EvaluationResult, test: Any
) -> None:
    two = result_of(VALUES[:, :2])
    pairs, exact = two.compare(test=test, samples=5000), two.compare(test="t")
    np.testing.assert_allclose(pairs["p"], exact["p"], atol=0.03)
    assert set(pairs["method"]) == {"samples"}
    again = two.compare(test=test, samples=5000, seed=2)
    assert not pairs["p"].equals(again["p"])


@pytest.mark.costly
def test_a_t_test_agrees_with_the_interval_where_users_have_several_lists() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        weights = rng.integers(1, 30, N_USERS).astype(float)
        sums = rng.random((2, 2, N_USERS)) * weights
        pairs = result_of(sums, weights).compare(test="t")
        excludes = (pairs["low"] > 0) | (pairs["high"] < 0)
        assert ((pairs["p"] < 0.05) == excludes).all()


@pytest.mark.each(
    ("correction", "function"),
    [("holm", holm), ("bh", benjamini_hochberg), ("bonferroni", bonferroni)],
)
def test_corrections_are_of_the_pairs_under_a_metric(
    result: EvaluationResult, correction: Any, function: Any
) -> None:
    pairs = result.compare(test="t", correction=correction)
    for _, own in pairs.groupby("metric"):
        np.testing.assert_allclose(own[f"p_{correction}"], function(own["p"].to_numpy()))
        assert ((own[f"p_{correction}"] < 0.05) == own["significant"]).all()


def test_without_a_correction_significance_is_by_the_p_values(result: EvaluationResult) -> None:
    pairs = result.compare(test="t", correction=None)
    assert not any(name.startswith("p_") for name in pairs)
    assert ((pairs["p"] < 0.05) == pairs["significant"]).all()


def test_a_reference_is_second_and_its_pairs_are_the_family(result: EvaluationResult) -> None:
    pairs, every = result.compare(reference="kNN"), result.compare()
    own = pairs[pairs["metric"] == "P@5"]
    assert own["first"].tolist() == ["Pop", "MF", "Random"]
    assert set(own["second"]) == {"kNN"}
    np.testing.assert_allclose(own["p_holm"], holm(own["p"].to_numpy()))
    means = result.summary().set_index(["metric", "system"])["mean"]
    for row in own.itertuples():
        assert row.difference == pytest.approx(means["P@5", row.first] - means["P@5", "kNN"])
        assert row.low < row.difference < row.high
        assert np.sign(row.effect_size) == np.sign(row.difference)
    # The same signs are drawn, so that each pair has the p-value that it has among all.
    both = every[(every["metric"] == "P@5") & (every[["first", "second"]] == "kNN").any(axis=1)]
    np.testing.assert_allclose(sorted(own["p"]), sorted(both["p"]))


def test_systems_that_differ_from_the_reference_have_a_dagger(result: EvaluationResult) -> None:
    groups = result.groups(reference="Pop", test="t")
    pairs = result.compare(reference="Pop", test="t")
    differ = {(row.metric, row.first) for row in pairs.itertuples() if row.significant}
    assert differ
    for row in groups.itertuples():
        assert row.letters == ("†" if (row.metric, row.system) in differ else "")
    caption = result.tables(reference="Pop", test="t")[0].caption
    assert "†: significantly different from Pop (paired t-test, Holm's correction, .05)" in caption


@pytest.mark.each("effect", ["d_z", "g_z", "cliff", "superiority"])
def test_a_named_effect_size_has_an_interval(result: EvaluationResult, effect: Any) -> None:
    pairs = result.compare(test="t", effect=effect)
    assert (pairs["effect_low"] < pairs["effect_size"]).all()
    assert (pairs["effect_size"] < pairs["effect_high"]).all()
    if effect == "d_z":
        np.testing.assert_allclose(pairs["effect_size"], result.compare()["effect_size"])
    if effect == "superiority":
        one, other = VALUES[0, 0], VALUES[0, 1]
        expected = (one > other).mean() + (one == other).mean() / 2
        assert pairs["effect_size"][0] == pytest.approx(expected)


def test_margins_are_by_metric_and_corrected_as_the_test_is(result: EvaluationResult) -> None:
    pairs = result.compare(test="t", correction=None, margin={"P@5": 0.3})
    own, other = (pairs[pairs["metric"] == metric] for metric in METRICS)
    assert other["p_equivalent"].isna().all()
    assert other[["equivalent", "not_inferior"]].isna().all(axis=None)
    for row in own.itertuples():
        one, two = VALUES[0, SYSTEMS.index(row.first)], VALUES[0, SYSTEMS.index(row.second)]
        above = stats.ttest_1samp(one - two, -0.3, alternative="greater").pvalue
        below = stats.ttest_1samp(one - two, 0.3, alternative="less").pvalue
        assert row.p_not_inferior == pytest.approx(above)
        assert row.p_equivalent == pytest.approx(max(above, below))
    corrected = result.compare(test="tukey-hsd", samples=200, margin=0.3)
    first = corrected[corrected["metric"] == "P@5"]
    np.testing.assert_allclose(first["p_equivalent"], holm(own["p_equivalent"].to_numpy()))


def test_where_less_is_better_a_lower_value_is_not_inferior() -> None:
    better = VALUES[:, [0, 0]] - np.array([0.2, 0.0])[:, None]
    better[:, 0] += np.random.default_rng(1).normal(0, 0.01, better[:, 0].shape)
    own = result_of(better)
    lower = EvaluationResult(
        own.systems, own.metrics, own.values, own.user_ids, less_is_better=frozenset({"P@5"})
    )
    pairs = lower.compare(margin=0.01).set_index("metric")
    assert pairs["not_inferior"].to_dict() == {"P@5": True, "nDCG@5": False}


@pytest.mark.costly
def test_a_detectable_difference_grows_with_the_number_of_pairs(result: EvaluationResult) -> None:
    every = result.compare(test="t", power=0.8)["detectable"]
    alone = result.compare(test="t", power=0.8, correction=None)["detectable"]
    less = result.compare(test="t", power=0.5)["detectable"]
    tukey = result.compare(test="tukey-hsd", samples=200, power=0.8)["detectable"]
    assert (every > alone).all()
    assert (every > less).all()
    assert (tukey > alone).all()
    error = stats.sem(VALUES[0, 0] - VALUES[0, 1])
    expected = (stats.t(39).ppf(0.975) + stats.t(39).ppf(0.8)) * error
    assert alone[0] == pytest.approx(expected)


@pytest.mark.each(
    ("choices", "told"),
    [
        ({"test": "anova"}, "test is 'anova'; it must be 'permutation', 't'"),
        ({"correction": "sidak"}, "correction is 'sidak'; it must be 'auto', 'holm'"),
        ({"effect": "d"}, "effect is 'd'; it must be"),
        ({"reference": "knn"}, "There is no system 'knn' in this result. Did you mean kNN?"),
        ({"margin": {"P@10": 0.1}}, "There is no metric 'P@10' in this result. Did you mean P@5"),
        ({"margin": 0.0}, "The margin is 0. It must be a difference above 0"),
        ({"margin": {"P@5": -1}}, "The margin is -1"),
        ({"power": 80.0}, "power is 80; it must be a probability"),
        ({"samples": 0}, "The number of samples is 0"),
        ({"test": "tukey-hsd", "correction": "holm"}, "already corrected for all pairs"),
        ({"test": "tukey-hsd", "reference": "Pop"}, "compares all pairs of systems, not one"),
        (
            {"test": "bootstrap", "samples": 100},
            r"100 samples and 6 pairs: .* Set samples to 1,200",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(
    result: EvaluationResult, choices: dict[str, Any], told: str
) -> None:
    with pytest.raises(ValueError, match=told):
        result.compare(**choices)


def test_one_user_has_only_a_permutation_test() -> None:
    alone = result_of(VALUES[:, :2, :1])
    assert alone.compare(effect="cliff")["p"].tolist() == [1.0, 1.0]
    for choices in ({"test": "t"}, {"margin": 0.1}):
        with pytest.raises(ValueError, match="Only 1 user is averaged"):
            alone.compare(**choices)  # type: ignore[arg-type]


@pytest.mark.costly
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("test", ["permutation", "t", "wilcoxon", "sign", "bootstrap", "tukey-hsd"])
def test_identical_systems_never_differ(test: Any) -> None:
    same = result_of(VALUES[:, [0, 0, 0]])
    pairs = same.compare(test=test, samples=200, effect="d_z", margin=0.1, power=0.8)
    assert (pairs["p"] == 1).all()
    assert (pairs["effect_size"] == 0).all()
    assert pairs["equivalent"].all()
    assert pairs["not_inferior"].all()


@pytest.mark.usefixtures("unrendered")
@pytest.mark.costly
def test_tables_say_which_test_correction_and_effect_they_show(result: EvaluationResult) -> None:
    averages, pairs = result.tables(
        test="wilcoxon", correction="bh", effect="cliff", margin=0.1, power=0.8
    )
    assert "Wilcoxon's signed-rank test, Benjamini and Hochberg's correction" in averages.caption
    assert "Wilcoxon's signed-rank test" in pairs.caption
    assert "probability of .8" in pairs.caption
    heads = [column.header for column in pairs.columns]
    assert heads[4:] == [
        "95 % interval", "Cliff's delta", "Interval of Cliff's delta", "p", "p (BH)", "Margin",
        "p (equivalent)", "p (not inferior)", "Detectable",
    ]  # fmt: skip
    page = result.as_report(test="wilcoxon", correction=None).page()
    assert "Wilcoxon&#x27;s signed-rank test, no correction, .05" in page
    assert "&quot;test&quot;: &quot;wilcoxon&quot;" in page


def test_rows_are_named_tuples_of_plain_types(result: EvaluationResult) -> None:
    (row, *_), (default, *_) = result.pair_rows(test="t", effect="d_z"), result.pair_rows()
    assert (row.p_corrected, row.effect_low) == tuple(
        result.compare(test="t", effect="d_z").loc[0, ["p_holm", "effect_low"]]
    )
    assert default.effect_low is None
    for own in (row, result.average_rows()[0], result.group_rows()[0]):
        for name, hint in get_type_hints(type(own)).items():
            kinds = get_args(hint) or (hint,)
            assert type(getattr(own, name)) in kinds


def _parts(hint: Any) -> Iterator[Any]:
    yield hint
    # The shape of an array of numpy is Any by itself.
    for part in () if get_origin(hint) is np.ndarray else get_args(hint):
        yield from _parts(part)


def test_public_signatures_of_results_have_no_any() -> None:
    for name, member in {**vars(EvaluationResult), "of": EvaluationResult}.items():
        if name.startswith("_") or not callable(member):
            continue
        for own in get_type_hints(member).values():
            assert Any not in list(_parts(own)), name


def test_options_are_the_choices_of_a_comparison() -> None:
    assert list(get_type_hints(ComparisonOptions)) == list(get_type_hints(ComparisonChoices))
    assert ComparisonChoices().settings == {}
    numbers = ComparisonChoices(
        margin={"a": np.float32(0.5)}, power=np.float32(0.5), seed=np.int64(3)
    )
    assert json.dumps(numbers.settings) == '{"margin": {"a": 0.5}, "power": 0.5, "seed": 3}'
    equal = ComparisonChoices(margin={"a": 1, "b": 2}), ComparisonChoices(margin={"b": 2, "a": 1})
    assert equal[0].key == equal[1].key


def test_tests_without_a_spread_of_differences_cannot_tell() -> None:
    systems = {"good": {u: {"x": 1.0} for u in "abc"}, "bad": {u: {"y": 1.0} for u in "abc"}}
    test = {"user": list("abc"), "item": list("xxx")}
    result = rv.evaluate_runs(test, systems, metrics="P@1", depth="whole")
    for name in ("t", "bootstrap"):
        row = result.compare(test=name, margin=0.5).iloc[0]
        assert np.isnan([row["p"], row["p_holm"], row["low"], row["p_equivalent"]]).all()
        assert row["method"].startswith("cannot tell: ")
        assert not row["significant"]
    assert "no p-value where fewer than 6 users differ (1 of 1)" in result.methods(test="bootstrap")
    assert result.compare().iloc[0]["p"] == 0.25


def test_systems_share_no_letter_if_a_test_cannot_tell_whether_they_differ(tmp_path: Path) -> None:
    systems = {"good": {u: {"x": 1.0} for u in "abc"}, "bad": {u: {"y": 1.0} for u in "abc"}}
    systems["same"] = systems["good"]
    test = {"user": list("abc"), "item": list("xxx")}
    result = rv.evaluate_runs(test, systems, metrics="P@1", depth="whole")

    rows = {row.system: row for row in result.group_rows(test="t")}
    assert {name: row.letters for name, row in rows.items()} == {
        "good": "a",
        "same": "a",
        "bad": "b",
    }
    assert {name: row.untested for name, row in rows.items()} == {"good": 1, "same": 1, "bad": 2}
    assert all(row.ahead == 0 for row in rows.values())
    told = (
        "Under P@1 some systems with different averages share no letter, although the test cannot"
    )
    assert told in result.tables(test="t")[0].caption
    result.to_latex(tmp_path / "t.tex", test="t")
    assert told in (tmp_path / "t.tex").read_text(encoding="utf-8")
    against = result.tables(test="t", reference="bad")[0]
    assert "have no mark, although" in against.caption
    assert {row.untested for row in result.group_rows()} == {0}
    assert "cannot tell" not in result.tables()[0].caption


def test_two_users_are_too_few_for_resamples() -> None:
    test = {"user": list("ab"), "item": list("xx")}
    runs = {
        "one": {"a": {"x": 1.0}, "b": {"y": 2.0, "x": 1.0}},
        "two": {"a": {"y": 2.0, "z": 1.0, "x": 0.5}, "b": {"y": 1.0}},
    }
    result = rv.evaluate_runs(test, runs, metrics="RR", depth="whole")
    assert np.isnan(result.compare(test="bootstrap").iloc[0]["p"])
    assert np.isfinite(result.compare(test="t").iloc[0]["p"])
