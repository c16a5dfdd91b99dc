"""The rules by which the claims of canamares2020 are checked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from studies.compared_experiments import inputs_of_overlaps

from receval.claims.canamares2020_configuration import (
    claims_of_ratios,
    claims_of_settings,
    claims_of_the_start,
    claims_of_users_and_items,
    no_crossover,
    reversal,
    u_shaped,
)
from receval.claims.canamares2020_coverage import (
    claims_of_policies,
    claims_of_shortfall,
    is_monotone,
)
from receval.claims.canamares2020_depth import claims_of_depth, claims_of_ranks, overtaken
from receval.claims.canamares2020_metrics import claims_of_aggregation, claims_of_metrics
from receval.claims.canamares2020_pairs import (
    DEFAULT,
    ROLES,
    TEXT,
    PairedComparison,
    with_text_where_it_differs,
)
from receval.claims.findings import CONFIGURED, FAILS, HOLDS, UNDECIDED, Finding, Quantity, table_of
from receval.studies.canamares2020 import fig08

BOTH = ("ml-1m", "netflix")
CLAIM = Finding("C-000", "ml-1m", "", "")


def comparison(x: list[float], knn: list[float], mf: list[float]) -> PairedComparison:
    return PairedComparison(np.array(x), np.array(knn), np.array(mf), np.full(len(x), 0.01))


def rows(dataset: str, axis: str, knn: dict[float, float], mf: dict[float, float]) -> pd.DataFrame:
    name = "knn-user" if dataset == "ml-1m" else "knn-user-1000"
    return pd.DataFrame(
        [
            {"dataset": dataset, axis: x, "system": system, "value": value, "p_value": 0.01}
            for system, values in ((name, knn), ("ranksys-mf", mf))
            for x, value in values.items()
        ]
    )


@pytest.mark.parametrize(
    ("knn", "mf", "outcome"),
    [
        ([3, 2, 1], [2, 2, 2], HOLDS),
        # At .5 itself anybody may be ahead.
        ([3, 9, 1], [2, 2, 2], HOLDS),
        ([2, 2, 1], [2, 2, 2], FAILS),
        ([3, 2, 3], [2, 2, 2], FAILS),
    ],
)
def test_a_reversal_is_at_one_half(knn: list[float], mf: list[float], outcome: str) -> None:
    assert reversal(CLAIM, comparison([0.4, 0.5, 0.6], knn, mf)).outcome == outcome


def test_ratios_that_are_not_exact_are_on_the_right_side() -> None:
    nearly = comparison([0.1 + 0.2, 0.5 + 1e-12, 0.7], [2, 0, 0], [1, 1, 1])
    assert reversal(CLAIM, nearly).outcome == HOLDS


def test_who_is_ahead_all_along_may_be_either_system() -> None:
    assert no_crossover(CLAIM, comparison([1, 2, 3], [1, 1, 1], [2, 3, 4])).outcome == HOLDS
    assert no_crossover(CLAIM, comparison([1, 2, 3], [1, 1, 4], [2, 3, 3])).outcome == FAILS
    # Where both are equal nobody gets ahead.
    assert no_crossover(CLAIM, comparison([1, 2, 3], [2, 1, 2], [1, 1, 1])).outcome == HOLDS


@pytest.mark.parametrize(
    ("series", "expected"),
    [([3, 2, 1, 2], True), ([3, 1, 2, 1], False), ([1, 2, 3], False), ([2, 1, 1, 2], False)],
)
def test_a_u_falls_and_then_rises(series: list[float], expected: bool) -> None:
    assert u_shaped(np.array(series, dtype=float)) == expected


def test_overtaking_happens_once() -> None:
    assert overtaken(comparison([1, 2, 3], [2, 2, 2], [1, 3, 3]))
    assert not overtaken(comparison([1, 2, 3], [2, 2, 2], [1, 1, 1]))
    assert not overtaken(comparison([1, 2, 3, 4], [2, 2, 2, 2], [1, 3, 1, 3]))
    assert not overtaken(comparison([1, 2, 3], [1, 3, 3], [2, 2, 2]))


def test_monotone_series_rise_or_fall_at_every_step() -> None:
    assert is_monotone(np.array([1.0, 2.0, 3.0]))
    assert is_monotone(np.array([3.0, 2.0, 1.0]))
    assert not is_monotone(np.array([3.0, 2.0, 2.0]))


def test_a_comparison_is_of_knn_and_of_the_mf_in_that_role_alone() -> None:
    results = rows("ml-1m", "ratio", {0.2: 1, 0.1: 2}, {0.1: 5, 0.2: 6})
    knn, mf = results[:2], results[2:]
    text = mf.assign(system="ranksys-mf-text", value=[0, 1])
    both = pd.concat([knn, mf, text])
    for role, differences in ((DEFAULT, [-3, -5]), (TEXT, [2, 0])):
        found = PairedComparison.of(both, "ratio", ROLES[role])
        assert found is not None
        assert (found.x.tolist(), found.knn.tolist()) == ([0.1, 0.2], [2, 1])
        assert found.difference.tolist() == differences
    assert PairedComparison.of(results.assign(system="pop"), "ratio", ROLES[DEFAULT]) is None
    with pytest.raises(ValueError, match="other values of ratio"):
        PairedComparison.of(rows("ml-1m", "ratio", {0.1: 1}, {0.2: 1}), "ratio", ROLES[DEFAULT])


def test_mf_of_the_text_has_a_row_where_its_verdict_is_another() -> None:
    same, other, nothing = (
        Finding(f"C-00{number}", "ml-1m", "", "").checked(True, [Quantity("one", 1)])
        for number in (1, 2, 3)
    )
    failing = other.checked(False, [Quantity("two", 2)])
    shown = with_text_where_it_differs([same, other, nothing], [same, failing, nothing])
    table = table_of(shown)
    assert table["claim"].tolist() == ["C-001", "C-002", "C-002", "C-003"]
    assert table["mf"].tolist() == ["default", "default", "text", "default"]
    assert table["outcome"].tolist() == [HOLDS, HOLDS, FAILS, HOLDS]
    assert table["ours"].tolist() == [1, 1, 2, 1]


def test_a_horizontal_line_is_as_configured_on_both_datasets() -> None:
    found = [f for f in claims_of_settings(*BOTH) if f.claim == "C-037"]
    assert [(f.dataset, f.outcome) for f in found] == [(name, CONFIGURED) for name in BOTH]


def test_slightly_better_is_ahead_by_a_twentieth_at_most() -> None:
    def verdicts(knn: float, mf: float) -> list[str]:
        table = rows("ml-1m", "only", {0: knn}, {0: mf}).drop(columns="only")
        both = [table.assign(metric=m) for m in ("P@10", "nDCG(gain=binary)@10")]
        return [f.outcome for f in claims_of_the_start(pd.concat(both), *BOTH)]

    assert verdicts(0.4, 0.41) == [HOLDS, UNDECIDED, UNDECIDED]
    assert verdicts(0.4, 0.43) == [FAILS, UNDECIDED, UNDECIDED]
    assert verdicts(0.4, 0.39) == [FAILS, UNDECIDED, UNDECIDED]


def test_claims_of_ratios_that_hold_and_that_do_not() -> None:
    ratios = (0.1, 0.4, 0.5, 0.6, 0.9)

    def table(knn: list[float], mf: list[float]) -> pd.DataFrame:
        pairs = [dict(zip(ratios, series, strict=True)) for series in (knn, mf)]
        return rows("ml-1m", "train_ratio", *pairs).assign(evaluated_users="tested")

    # Users with relevant test ratings alone do not decide.
    relevant = table([7, 6, 5, 4, 3], [9, 8, 7, 6, 5]).assign(evaluated_users="relevant")

    def verdicts(full: pd.DataFrame, unrated: pd.DataFrame, condensed: pd.DataFrame) -> list[str]:
        both = pd.concat([condensed, relevant])
        figures = {"fig02": full, "fig03": unrated, "fig04": both}
        found = [f for f in claims_of_ratios(figures, *BOTH) if f.dataset == "ml-1m"]
        assert [f.claim[2:] for f in found] == ["007", "008", "009", "010", "011", "013"]
        last = {q.name: q.number for q in found[4].quantities}
        suffix = ", users with relevant test ratings alone"
        assert (last[f"kNN{suffix}"], last[f"MF{suffix}"]) == (3, 5)
        assert last["kNN"] == 7
        return [f.outcome for f in found]

    full = table([3, 5, 4, 3, 1], [2, 3, 4, 4, 2])
    unrated = table([0.7, 0.5, 0.5001, 0.6, 0.8], [0.7, 0.6, 0.55, 0.6, 0.8])
    condensed = table([2, 4, 5, 6, 7], [1, 3, 5, 7, 8])
    assert verdicts(full, unrated, condensed) == [HOLDS] * 6
    full = table([5, 4, 4, 5, 3], [2, 3, 4, 4, 2])
    unrated = table([0.7, 0.6, 0.65, 0.6, 0.8], [0.7, 0.6, 0.499, 0.6, 0.8])
    condensed = table([2, 4, 4, 6, 7], [3, 3, 5, 7, 8])
    assert verdicts(full, unrated, condensed) == [FAILS] * 6


def test_places_within_the_top_ten_are_three_of_both_systems() -> None:
    def verdicts(knn: list[float], mf: list[float]) -> list[str]:
        series = [dict(enumerate(own, start=1)) for own in (knn, mf)]
        results = rows("ml-1m", "depth", *series).drop(columns="p_value")
        # Means over other users at each rank say nothing of one list.
        results = pd.concat(
            [
                results.assign(evaluated_users="complete"),
                results.assign(evaluated_users="any", value=0.0),
            ]
        )
        return [finding.outcome for finding in claims_of_ranks(results, "ml-1m")]

    assert verdicts([2, 6, 10, 51], [3, 7, 9, 70]) == [HOLDS] * 3
    assert verdicts([2, 6, 10.1, 51], [3, 7, 9, 50]) == [FAILS] * 3
    assert verdicts([2, 6, 10, np.nan], [3, 7, 9, np.nan]) == [UNDECIDED] * 3


def test_depths_of_the_experiment_with_fewer_neighbours_are_another_comparison() -> None:
    def table(dataset: str, experiment: str, mf: list[float]) -> pd.DataFrame:
        series = dict(enumerate(mf, start=1))
        constant = dict.fromkeys(series, 2.0)
        return rows(dataset, "cutoff", constant, series).assign(experiment=experiment)

    results = pd.concat(
        [
            table("ml-1m", "movielens", [1, 1, 3]),
            table("netflix", "netflix", [3, 3, 3]),
            table("netflix", "few", [1, 3, 3]).replace("knn-user-1000", "knn-user"),
        ]
    )
    found = list(claims_of_depth(results, *BOTH, "few"))
    assert [finding.outcome for finding in found] == [HOLDS] * 3
    quantities = {q.name: q.number for q in found[0].quantities}
    assert quantities["first depth after a change"] == 3
    without = results[results["dataset"] == "ml-1m"]
    found = list(claims_of_depth(without, *BOTH, "few"))
    assert [finding.outcome for finding in found] == [HOLDS, UNDECIDED, UNDECIDED]


def test_gains_reverse_the_order_only_with_opposite_signs() -> None:
    def table(signs: dict[str, int]) -> pd.DataFrame:
        parts = []
        for name, sign in signs.items():
            metric, gain = name.split()
            form = "condensed" if gain == "none" else "full"
            one = rows("ml-1m", "only", {0: 0.5 + 0.1 * sign}, {0: 0.5}).drop(columns="only")
            parts.append(one.assign(metric=metric, gain=gain, list_form=form))
        return pd.concat(parts)

    signs = {"nDCG@10 g1": -1, "nDCG@10 g2": 1, "RBP g1": -1, "RBP g2": 1}
    order = {"RBO none": 1, "tau none": 1}
    found = [f.outcome for f in claims_of_metrics(table({**signs, **order}), "ml-1m")]
    assert found == [HOLDS, HOLDS, FAILS]
    changed = table({**signs, "RBP g1": 1, **order, "tau none": -1}).assign(p_value=0.5)
    assert [f.outcome for f in claims_of_metrics(changed, "ml-1m")] == [FAILS, FAILS, HOLDS]
    nothing = [f.outcome for f in claims_of_metrics(changed, "netflix")]
    assert nothing == [UNDECIDED] * 3


def test_aggregations_reverse_the_mean_and_have_the_published_p_values() -> None:
    def table(p_values: tuple[float, float], by_user: float) -> pd.DataFrame:
        parts = []
        for metric, p in zip(("P@10", "nDCG@10"), p_values, strict=True):
            for aggregation, knn, mf in (
                ("mean", 0.4, 0.41),
                ("test-weighted", 0.6, 0.55),
                ("positive-weighted", 0.6, 0.55),
                ("geometric", 0.2, 0.21),
            ):
                one = rows("ml-1m", "only", {0: knn}, {0: mf}).drop(columns="only")
                one["p_value"] = p if aggregation == "geometric" else 0.06
                parts.append(one.assign(metric=metric, aggregation=aggregation, statement=""))
        stated = pd.DataFrame(
            {"dataset": "ml-1m", "statement": ["r, by user"], "coefficient": [by_user]}
        )
        return pd.concat([*parts, stated])

    good = claims_of_aggregation(table((1e-6, 1e-4), 0.9619), "ml-1m")
    assert [finding.outcome for finding in good] == [HOLDS] * 5
    other = claims_of_aggregation(table((1e-6, 2e-2), 0.911), "ml-1m")
    assert [f.outcome for f in other] == [HOLDS, HOLDS, FAILS, FAILS, HOLDS]


def test_shares_of_users_and_items_are_read_at_one_hundred_ratings() -> None:
    results = pd.DataFrame(
        {
            "dataset": "ml-1m",
            "side": ["user"] * 3 + ["item"] * 3,
            "ratings": [50, 100, 200] * 2,
            "share": [0.3, 0.52, 1.0, 0.3, 0.55, 1.0],
        }
    )
    verdicts = [finding.outcome for finding in claims_of_users_and_items(results, "ml-1m")]
    assert verdicts == [HOLDS, FAILS]
    assert next(claims_of_users_and_items(results, "netflix")).outcome == UNDECIDED


def test_claims_of_policies_by_hand() -> None:
    def table(average: list[float]) -> pd.DataFrame:
        series = {
            "none": [0.1, 0.5, 0.8],
            "random": [0.7, 0.75, 0.8],
            "popularity": [0.78, 0.77, 0.8],
            "average": average,
        }
        return pd.DataFrame(
            [
                {
                    "dataset": "ml-1m",
                    "policy": policy,
                    "neighbours": k,
                    "metric": metric,
                    "value": value,
                }
                for metric in ("nDCG@10", "P@10", "Coverage@10")
                for policy, values in series.items()
                for k, value in zip((1, 3, 10), values, strict=True)
            ]
        )

    good = list(claims_of_policies(table([0.9, 0.7, 0.8]), "ml-1m"))
    assert [f.outcome for f in good] == [HOLDS] * 6
    names = [list(dict.fromkeys(q.name for q in finding.quantities)) for finding in good]
    assert names[:5] == [
        ["nDCG@10, left out"],
        ["Coverage@10, left out"],
        ["nDCG@10, random"],
        ["nDCG@10, popularity", "nDCG@10, average rating"],
        ["nDCG@10, average rating"],
    ]
    found = [f.outcome for f in claims_of_policies(table([0.7, 0.8, 0.9]), "ml-1m")]
    assert found == [HOLDS, HOLDS, HOLDS, FAILS, FAILS, HOLDS]


def test_the_overlap_from_which_knn_seems_better_is_that_of_the_paper(tmp_path: Path) -> None:
    results = fig08.data(inputs_of_overlaps(tmp_path, ("ml-1m",)))
    reduced = (results["metric"] == "P@10") & (results["average"] == "reduced")
    knn = reduced & results["system"].str.startswith("knn")
    overlaps = results.loc[knn, "minimum_overlap"].astype(int)
    results.loc[knn, "value"] = np.where(overlaps > 10, 0.99, 0.0)
    for limit, outcome in ((10, HOLDS), (15, FAILS)):
        limits = {"ml-1m": limit, "netflix": 20}
        found = {
            f.claim: f.outcome
            for f in claims_of_shortfall(results, "ml-1m", "x", {**limits, "x": 1})
        }
        assert found["C-035"] == outcome
        assert found["C-036"] == UNDECIDED


def test_the_level_that_knn_has_to_reach_is_that_of_the_mf_in_its_role(tmp_path: Path) -> None:
    results = fig08.data(inputs_of_overlaps(tmp_path, ("ml-1m",)))
    levels = {"ranksys-mf": 0.5, "ranksys-mf-text": 0.25}
    for system, level in levels.items():
        results.loc[results["system"] == system, "value"] = level
    for role, level in zip((DEFAULT, TEXT), levels.values(), strict=True):
        limits = {"ml-1m": 10, "x": 1}
        findings = claims_of_shortfall(results, "ml-1m", "x", limits, ROLES[role])
        (found,) = (f for f in findings if f.claim == "C-035")
        assert {q.number for q in found.quantities if q.name.startswith("MF")} == {level}
