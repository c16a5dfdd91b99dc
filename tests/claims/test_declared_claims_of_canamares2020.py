# SPDX-License-Identifier: MIT
"""The claims of canamares2020 as config/claims declares them, on results made up by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest
from claims.made_up import MadeUpResults, claims_of_paper

from reproduction.claims import theorems
from reproduction.claims.verdicts import ClaimVerdict, Finding

HOLDS, PART, FAILS = ClaimVerdict.HOLDS, ClaimVerdict.HOLDS_IN_PART, ClaimVerdict.DOES_NOT_HOLD
PRECISION, NDCG = "P@10", "nDCG(gain=binary)@10"

Row = Mapping[str, object]
Judge = Callable[..., Finding]


@pytest.fixture
def judged(tmp_path: Path) -> Judge:
    """Return a function that decides a claim by rows of the one artifact that it reads."""

    def decide(
        number: str,
        rows: Iterable[Row] = (),
        *,
        dataset: str | None = "ml-1m",
        form: str = "",
        systems: Mapping[str, object] | None = None,
    ) -> Finding:
        results = MadeUpResults(tmp_path, "canamares2020", systems=systems or {})
        checks = claims_of_paper("canamares2020").claims[number].checks
        (artifact,) = {c.artifact for c in checks if (c.dataset, c.form) == (dataset, form)}
        results.write(artifact or "none", [{"dataset": "ml-1m", **row} for row in rows])
        return results.judged(number, dataset, form)

    return decide


def lines(column: str, series: Mapping[str, Mapping[float, float]], **others: object) -> list[Row]:
    return [
        {"system": system, column: x, "value": value, **others}
        for system, points in series.items()
        for x, value in points.items()
    ]


def pair(knn: float, mf: float, **others: object) -> list[Row]:
    return [
        {"system": system, "value": value, "p_value": 0.01, **others}
        for system, value in (("knn-user", knn), ("ranksys-mf", mf))
    ]


def test_claims_that_no_split_changes_are_said_to_be_so() -> None:
    claims = claims_of_paper("canamares2020").claims
    constant = [number for number, claim in claims.items() if not claim.split_dependent]
    expected = (1, 2, 3, 4, 25, 38, 39)
    assert constant == [f"C-{number:03d}" for number in expected]


def test_settings_are_as_defined_with_the_mf_of_the_text_alone(judged: Judge) -> None:
    mf = {"factors": 50, "iterations": 20}
    systems = {
        "knn-user": {"parameters": {"neighbours": 100}},
        "ranksys-mf": {"parameters": {**mf, "regularisation": 0.1, "alpha": 1.0}},
        "ranksys-mf-text": {"parameters": {**mf, "regularisation": 1.0, "alpha": 0.1}},
    }
    found = judged("C-003", systems=systems)
    assert found.verdict is PART
    assert found.detail.startswith("Not shown: lambda and alpha (2 of 5).")
    assert judged("C-003", systems=systems, form="MF (text)").verdict is ClaimVerdict.AS_DEFINED


@pytest.mark.parametrize(
    ("mf", "verdict"),
    [((0.41, 0.51), HOLDS), ((0.41, 0.49), PART), ((0.39, 0.49), FAILS), ((0.43, 0.54), FAILS)],
)
def test_slightly_better_is_ahead_by_a_twentieth_at_most(
    judged: Judge, mf: tuple[float, float], verdict: ClaimVerdict
) -> None:
    rows = [*pair(0.4, mf[0], metric=PRECISION), *pair(0.5, mf[1], metric=NDCG)]
    assert judged("C-005", rows).verdict is verdict


def test_knn_and_mf_change_places_at_one_half(judged: Judge) -> None:
    knn = {0.3: 3.0, 0.5: 2.0, 0.7: 1.0, 0.9: 0.0}
    at_half = {0.3: 1.0, 0.5: 2.0, 0.7: 3.0, 0.9: 3.0}
    later = {0.3: 1.0, 0.5: 1.0, 0.7: 0.5, 0.9: 3.0}
    rows = lines("train_ratio", {"knn-user": knn, "ranksys-mf": at_half, "ranksys-mf-text": later})
    assert judged("C-007", rows).verdict is HOLDS
    # With the other MF they do change places, but elsewhere.
    assert judged("C-007", rows, form="MF (text)").verdict is PART
    backwards = lines("train_ratio", {"knn-user": at_half, "ranksys-mf": knn})
    assert judged("C-007", backwards).verdict is FAILS
    assert judged("C-007", rows, dataset="netflix").verdict is ClaimVerdict.UNDECIDABLE


def test_never_is_decided_by_the_least_value(judged: Judge) -> None:
    def verdict(knn: float, mf: float) -> ClaimVerdict:
        series = {"knn-user": {0.1: 0.9, 0.5: knn}, "ranksys-mf": {0.1: 0.9, 0.5: mf}}
        return judged("C-009", lines("train_ratio", series)).verdict

    assert [verdict(0.5, 0.51), verdict(0.49, 0.51), verdict(0.49, 0.48)] == [HOLDS, PART, FAILS]


def test_the_first_three_are_counted_over_all_users(judged: Judge) -> None:
    deep, shallow = {3: 11.0, 4: 16.0}, {3: 9.0, 4: 13.0}
    rows = [
        *lines("depth", {"knn-user": deep, "ranksys-mf": deep}, evaluated_users="any"),
        *lines("depth", {"knn-user": shallow, "ranksys-mf": shallow}, evaluated_users="complete"),
    ]
    assert judged("C-014", rows).verdict is FAILS
    assert judged("C-014", rows, form="the same users at every rank").verdict is HOLDS
    four = {"knn-user": {3: 5.0, 4: 9.0}, "ranksys-mf": {3: 5.0, 4: 9.0}}
    assert judged("C-014", lines("depth", four, evaluated_users="any")).verdict is FAILS


@pytest.mark.parametrize(
    ("ndcg", "rbp", "verdict"),
    [
        # The signs of MF less kNN with the gains g1 and g2.
        ((1, -1), (1, -1), HOLDS),
        ((1, -1), (1, 1), PART),
        ((-1, -1), (1, 1), FAILS),
        ((-1, 1), (-1, 1), FAILS),
    ],
)
def test_a_gain_reverses_the_order_only_within_one_metric(
    judged: Judge, ndcg: tuple[int, int], rbp: tuple[int, int], verdict: ClaimVerdict
) -> None:
    names = {(NDCG, "nDCG(gain=exp-normalised)@10"): ndcg, ("RBP", "RBP(gain=exp-normalised)"): rbp}
    rows = [
        row
        for metrics, signs in names.items()
        for metric, sign in zip(metrics, signs, strict=True)
        for row in pair(0.5, 0.5 + 0.1 * sign, metric=metric, list_form="full")
    ]
    assert judged("C-020", rows).verdict is verdict


def test_the_correlation_is_that_of_users(judged: Judge) -> None:
    words = "Pearson's r of the numbers of ratings and of positive ratings, by"
    rows = [
        {"statement": f"{words} user", "coefficient": 0.911},
        {"statement": f"{words} item", "coefficient": 0.9623},
    ]
    assert judged("C-025", rows).verdict is FAILS
    assert judged("C-025", rows, form="by item").verdict is HOLDS


@pytest.mark.parametrize(
    ("precision", "ndcg", "verdict"),
    [
        (1e-6, 1e-4, HOLDS),
        (0.02, 1e-9, HOLDS),
        # Not significant, as the published ones are.
        (0.02, 0.2, PART),
        (0.3, 0.4, FAILS),
        # Far too small.
        (6e-20, 3e-21, FAILS),
    ],
)
def test_p_values_are_compared_by_their_size(
    judged: Judge, precision: float, ndcg: float, verdict: ClaimVerdict
) -> None:
    rows = [
        {
            "aggregation": "geometric",
            "epsilon": epsilon,
            "metric": metric,
            "system": "ranksys-mf",
            # Another epsilon does not decide.
            "p_value": p if epsilon == 1e-5 else 0.9,
        }
        for metric, p in ((PRECISION, precision), (NDCG, ndcg))
        for epsilon in (1e-5, 0.01)
    ]
    assert judged("C-026", rows).verdict is verdict


def test_a_series_goes_both_ways_if_it_goes_up_somewhere_and_down_somewhere(judged: Judge) -> None:
    def verdict(popularity: list[float], average: list[float]) -> ClaimVerdict:
        rows = [
            {"policy": policy, "neighbours": k, "value": value, "metric": metric}
            for policy, series in (("popularity", popularity), ("average", average))
            for k, value in zip((1, 10, 100), series, strict=True)
            for metric in ("nDCG(condensed=true,gain=binary)@10",)
        ]
        return judged("C-031", rows).verdict

    assert verdict([0.7, 0.6, 0.8], [0.9, 0.7, 0.8]) is HOLDS
    assert verdict([0.6, 0.7, 0.8], [0.9, 0.7, 0.8]) is PART
    assert verdict([0.6, 0.7, 0.8], [0.9, 0.8, 0.8]) is FAILS


def overlaps(reduced: Mapping[int, float], covered: Mapping[int, float]) -> list[Row]:
    rows: list[Row] = []
    for overlap, share in covered.items():
        own: Row = {"system": f"knn-overlap-{overlap}", "minimum_overlap": overlap}
        full = share * reduced.get(overlap, 0)
        rows += [
            {**own, "metric": "UserCoverage", "average": "full", "value": share, "lists": 100},
            {**own, "metric": PRECISION, "average": "full", "value": full, "lists": 100},
            {**own, "metric": NDCG, "average": "full", "value": full, "lists": 100},
        ]
        rows += [
            {
                **own,
                "metric": metric,
                "average": "reduced",
                "value": reduced.get(overlap),
                "lists": round(100 * share),
            }
            for metric in (PRECISION, NDCG)
        ]
    mf = {"system": "ranksys-mf", "minimum_overlap": None, "metric": PRECISION, "average": "full"}
    return [*rows, {**mf, "value": 0.4, "lists": 100}]


def test_averages_part_while_users_are_covered(judged: Judge) -> None:
    covered = {1: 1.0, 5: 0.5, 10: 0.1, 20: 0.0, 30: 0.0}
    assert judged("C-034", overlaps({1: 0.2, 5: 0.3, 10: 0.35}, covered)).verdict is HOLDS
    assert judged("C-034", overlaps({1: 0.2, 5: 0.3, 10: 0.25}, covered)).verdict is PART
    # One step back of the last few users, as on three of 20 splits, is no other trend.
    levels = (1, 5, 10, 15, 20, 30, 40)
    rising = dict(zip(levels, (0.31, 0.33, 0.35, 0.36, 0.37, 0.40, 0.39), strict=True))
    fewer = dict(zip(levels, (0.9, 0.8, 0.7, 0.5, 0.4, 0.2, 0.1), strict=True))
    assert judged("C-034", overlaps(rising, fewer)).verdict is HOLDS


@pytest.mark.parametrize(
    ("reduced", "verdict"),
    [
        ({1: 0.2, 10: 0.3, 15: 0.5}, HOLDS),
        ({1: 0.2, 10: 0.5, 15: 0.5}, PART),
        ({1: 0.2, 10: 0.3, 15: 0.35}, FAILS),
        ({1: 0.5, 10: 0.5, 15: 0.3}, FAILS),
    ],
)
def test_knn_passes_mf_just_above_the_overlap_of_the_paper(
    judged: Judge, reduced: Mapping[int, float], verdict: ClaimVerdict
) -> None:
    covered = {1: 1.0, 10: 0.5, 15: 0.4, 30: 0.0}
    assert judged("C-035", overlaps(reduced, covered)).verdict is verdict


def test_the_full_average_is_the_product_and_not_the_reduced_one(judged: Judge) -> None:
    covered = {1: 0.9, 5: 0.5, 10: 0.1, 15: 0.08, 20: 0.05}
    rows = overlaps(dict.fromkeys(covered, 0.3), covered)
    assert judged("C-039", rows, dataset=None).verdict is FAILS
    exchanged = judged("C-039", rows, dataset=None, form="the two averages exchanged")
    assert exchanged.verdict is HOLDS


def test_identities_of_coverage_are_shown_on_lists_drawn_at_random() -> None:
    assert theorems.gap_of_coverage_at_1() == 0
    assert theorems.gap_of_full_average() < 1e-12
    assert theorems.gap_of_reduced_average() > 0.1
