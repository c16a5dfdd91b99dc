# SPDX-License-Identifier: MIT
"""Verdicts on the claims of menamaldonado2021, worked out by hand on small made-up results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from claims.made_up import MadeUpResults, claims_of_paper

from reproduction.claims import theorems as lemmas
from reproduction.claims.verdicts import ClaimVerdict

PAPER = "menamaldonado2021"
PAIR = "popularity_among_relevant"
PUBLISHED_TAUS = (
    *range(32, 36),
    *(76, 77, 80, 81, 84, 85, 94, 95, 98, 99),
    *range(103, 111),
    *range(113, 117),
    *range(121, 129),
    *range(131, 135),
)

OTHERS_OF_M119 = (
    *("librec-userknn", "librec-itemknn", "librec-eals", "librec-gbpr", "librec-listrankmf"),
    *("librec-pnmf", "librec-plsa", "librec-slim", "librec-wbpr", "librec-wrmf"),
)


DATASETS = ("ml-1m", "yahoo-r3", "cm100k")


def on_splits(movielens: str, cm100k: str) -> dict[str, Any]:
    """Return the part of the configuration that says which splits were used."""
    of_experiments = {
        "movielens": {"dataset": "ml-1m", "split": movielens},
        "cm100k": {"dataset": "cm100k", "split": cm100k},
    }
    return {"edition": "full", "study": {"experiments": of_experiments}}


@pytest.fixture
def results(tmp_path: Path) -> MadeUpResults:
    released = on_splits("released-folds", "released-folds-unbiased")
    return MadeUpResults(tmp_path, PAPER, DATASETS, **released)


def panel(
    points: dict[str, tuple[float, float]], dataset: str, metric: str = "P@10", **more: Any
) -> list[dict[str, Any]]:
    """Return the rows of a panel, in which the optimal rankings are no systems."""
    return [
        {
            "dataset": dataset,
            "form": "text",
            "x_metric": metric,
            "y_metric": metric,
            "system": system,
            "role": "optimal" if system.startswith("optimal") else "system",
            "x": x,
            "y": y,
        }
        | more
        for system, (x, y) in points.items()
    ]


def test_every_published_coefficient_is_compared_as_a_number() -> None:
    compared = {
        number
        for number, claim in claims_of_paper(PAPER).claims.items()
        if "column='tau'" in repr(claim) and "published=" in repr(claim)
    }
    assert compared == {f"M-{number:03d}" for number in PUBLISHED_TAUS}


@pytest.mark.parametrize(("anti_precision", "expected"), [(0.3, "holds"), (0.31, "holds in part")])
def test_condensed_anti_precision_is_the_rest_of_precision(
    results: MadeUpResults, anti_precision: float, expected: str
) -> None:
    points = {"pop": (anti_precision, 0.7), "librec-avg": (0.4, 0.6)}
    metric = "P(condensed=true,denominator=filled)@10"
    results.write("fig01", panel(points, "ml-1m", metric, tau=-1))
    assert results.verdict("M-032", "ml-1m") == expected


@pytest.mark.parametrize(
    ("share", "expected"), [(0.8246, "holds"), (0.823, "holds"), (0.8251, "does not hold")]
)
def test_a_sum_of_two_rounded_shares_holds_within_a_printed_digit(
    results: MadeUpResults, share: float, expected: str
) -> None:
    row = {"dataset": "ml-1m", "ratings": "all", "statement": "optimal rankings disagree"}
    results.write("fig05", [row | {"share_of_pairs": share}])
    assert results.verdict("M-049", "ml-1m") == expected


@pytest.mark.parametrize(
    ("tau", "expected"), [(0.8, "holds"), (0.8005, "holds"), (0.8 - 1 / 120, "does not hold")]
)
def test_a_coefficient_on_released_folds_holds_within_half_a_unit_of_its_last_digit(
    results: MadeUpResults, tau: float, expected: str
) -> None:
    results.write("fig14", panel({"pop": (1, 1), "librec-avg": (2, 2)}, "cm100k", tau=tau))
    assert results.verdict("M-107", "cm100k") == expected


def test_a_coefficient_on_released_folds_is_not_decided_on_other_folds(
    results: MadeUpResults,
) -> None:
    results.write("fig14", panel({"pop": (1, 1), "librec-avg": (2, 2)}, "cm100k", tau=0.8))
    results.record(DATASETS, **on_splits("released-folds", "missing-at-random-fold"))
    found = results.judged("M-107", "cm100k")
    assert found.verdict is ClaimVerdict.UNDECIDABLE
    assert found.detail == "the folds of which the published number is (released-folds-unbiased)"


@pytest.mark.parametrize(
    ("of_text", "released", "expected"),
    [
        (-0.75, -0.75, ("holds", "holds")),
        (-0.55, -0.77, ("does not hold", "holds")),
        (-0.7, -0.5, ("holds", "does not hold")),
    ],
)
def test_a_coefficient_is_decided_by_the_text_and_told_from_three_stars(
    results: MadeUpResults, of_text: float, released: float, expected: tuple[str, str]
) -> None:
    both = {"x_metric": "antiP@10", "y_metric": "P@10"}
    rows = panel({"pop": (1, 1)}, "yahoo-r3", tau=of_text, **both)
    rows += panel({"pop": (1, 1)}, "yahoo-r3", tau=released, form="released", **both)
    results.write("fig13", rows)
    form = "liked from 3 stars, as in the released files"
    assert results.verdict("M-094", "yahoo-r3") == expected[0]
    assert results.verdict("M-094", "yahoo-r3", form) == expected[1]


def test_an_optimum_behind_pop_bounds_in_part(results: MadeUpResults) -> None:
    points = {
        "optimal-observed-precision": (0.5, 0.0156),
        "optimal-observed-antiprecision": (0.1, 0.001),
        "pop": (0.6, 0.0158),
        "librec-avg": (0.2, 0.002),
        "librec-random": (0.3, 0.002),
    }
    results.write("fig12", panel(points, "cm100k"))
    found = results.judged("M-087", "cm100k")
    assert found.verdict is ClaimVerdict.HOLDS_IN_PART
    assert "optimal-observed-precision before pop" in found.detail
    results.write("fig12", panel(points | {"pop": (0.6, 0.0156)}, "cm100k"))
    assert results.verdict("M-087", "cm100k") == "holds"


def test_of_the_rankings_that_are_not_personalised_the_second_worst_is_nearly_the_worst(
    results: MadeUpResults,
) -> None:
    points = {
        "optimal-observed-precision": (0.5, 0.9),
        "optimal-observed-antiprecision": (0.1, 0.1),
        "pop": (0.6, 0.8),
        "librec-avg": (0.2, 0.3),
        "librec-random": (0.3, 0.2),
        "librec-eals": (0.7, 0.8),
        "librec-wrmf": (0.8, 0.95),
    }
    results.write("fig12", panel(points, "ml-1m"))
    form = "among all 18 rankings of the panel"
    assert results.verdict("M-088", "ml-1m") == "holds"
    assert results.verdict("M-088", "ml-1m", form) == "holds in part"
    results.write("fig12", panel(points | {"librec-avg": (0.55, 0.3)}, "ml-1m"))
    assert results.verdict("M-088", "ml-1m") == "holds in part"


def test_points_are_compared_by_their_distances_from_both_lines(results: MadeUpResults) -> None:
    share = {"dataset": "cm100k", "statement": "items nearer to the line p(train | i)"}
    line = {"dataset": "cm100k", "statement": "p(train | rel)", "probability": 0.25}
    # Distances from the diagonal .0707 and .1414, from the other line .35 and .15.
    points = [
        {"dataset": "cm100k", "popularity_rank": 1, "popularity": 0.5} | {PAIR: 0.6},
        {"dataset": "cm100k", "popularity_rank": 2, "popularity": 0.2} | {PAIR: 0.4},
    ]
    results.write("fig10", [share | {"probability": 0.6}, line, *points])
    assert results.verdict("M-072", "cm100k") == "holds"
    # Now .0707 and .4243, from the other line .35 and .1.
    far = points[1] | {"popularity": 0.95, PAIR: 0.35}
    results.write("fig10", [share | {"probability": 0.6}, line, points[0], far])
    found = results.judged("M-072", "cm100k")
    assert found.verdict is ClaimVerdict.HOLDS_IN_PART
    assert "by the mean distance" in found.detail


@pytest.mark.parametrize(
    ("ranksgd", "svdpp", "expected"),
    [
        (0.0045, 0.0061, "holds"),
        (0.0043, 0.0061, "holds"),
        (0.0038, 0.0061, "holds in part"),
        (0.0052, 0.0061, "holds in part"),
        (0.0045, 0.0040, "holds in part"),
    ],
)
def test_one_system_is_better_than_random_two_are_level_with_it_and_all_others_are_worse(
    results: MadeUpResults, ranksgd: float, svdpp: float, expected: str
) -> None:
    real = dict.fromkeys(OTHERS_OF_M119, 0.003)
    real |= {"librec-random": 0.0044, "librec-bpoissmf": 0.0049}
    real |= {"librec-ranksgd": ranksgd, "librec-svdpp": svdpp}
    results.write("fig16", panel({name: (0, value) for name, value in real.items()}, "cm100k"))
    assert results.verdict("M-119", "cm100k") == expected


def test_a_system_that_the_demo_leaves_out_is_not_measured_there(results: MadeUpResults) -> None:
    results.record(["cm100k"], edition="demo")
    results.write("fig16", panel({"pop": (1, 1), "librec-random": (2, 2)}, "cm100k"))
    for number in ("M-118", "M-119"):
        found = results.judged(number, "cm100k")
        assert found.verdict is ClaimVerdict.UNDECIDABLE
        assert "the demo edition leaves out" in found.detail


def test_a_system_that_the_full_edition_lacks_is_a_fault_of_the_claim(
    results: MadeUpResults,
) -> None:
    results.write("fig16", panel({"pop": (1, 1), "librec-random": (2, 2)}, "cm100k"))
    with pytest.raises(
        ValueError, match="There is no librec-gbpr, librec-slim, librec-wbpr, only pop"
    ):
        results.judged("M-118", "cm100k")
    with pytest.raises(ValueError, match="There is no row of menamaldonado2021/fig16 with"):
        results.judged("M-119", "cm100k")


def test_ranks_by_several_metrics_must_all_be_among_the_three_first(results: MadeUpResults) -> None:
    points = {
        "librec-avg": (1.0, 1.0),
        "librec-random": (2.0, 2.0),
        "librec-bpoissmf": (3.0, 3.0),
        "pop": (4.0, 4.0),
    }
    rows = panel(points, "ml-1m") + panel(points, "ml-1m", "Recall@10")
    results.write("fig18", rows)
    assert results.verdict("M-136", "ml-1m") == "holds"
    swapped = points | {"librec-random": (5.0, 2.0)}
    results.write("fig18", rows + panel(swapped, "ml-1m", "RR@10"))
    found = results.judged("M-136", "ml-1m")
    assert found.verdict is ClaimVerdict.HOLDS_IN_PART
    own = "Rank by false-positive metrics: RR@10, librec-random (1 of 6)."
    assert found.detail == f"Not shown: rank by false-positive metrics (1 of 2). {own}"


def test_five_folds_are_counted_and_their_shares_compared(results: MadeUpResults) -> None:
    rows = [
        {"dataset": "cm100k", "split": "s", "evaluation": "observed", "fold": fold, "part": part}
        | {"ratings": ratings}
        for fold in range(5)
        for part, ratings in (("train", 805), ("observed test", 195))
    ]
    results.write("fig11", rows)
    assert results.verdict("M-074", "cm100k") == "as defined"
    results.write("fig11", rows[:8])
    assert results.verdict("M-074", "cm100k") == "holds in part"


def test_what_is_proved_of_any_data_has_no_exceptions() -> None:
    assert lemmas.largest_gap_of_precision_and_anti_precision() < 1e-12
    assert lemmas.real_optima_apart() == 0
    assert lemmas.popular_items_ahead_by_anti_precision() == 0
    assert lemmas.exceptions_from_lemma4() == 0


def test_other_metrics_and_rankings_would_be_exceptions(monkeypatch: pytest.MonkeyPatch) -> None:
    parse, is_steeper = lemmas.parse, lemmas.is_steeper
    monkeypatch.setattr(lemmas, "parse", lambda label: parse(label.replace("antiP", "P")))
    assert lemmas.largest_gap_of_precision_and_anti_precision() > 0.1
    falling = lemmas.observed_anti_precision_ranking
    monkeypatch.setattr(lemmas, "observed_anti_precision_ranking", lambda counts: -falling(counts))
    assert lemmas.popular_items_ahead_by_anti_precision() == 28 * 4
    precision = lemmas.real_precision_ranking
    monkeypatch.setattr(lemmas, "real_anti_precision_ranking", lambda counts: -precision(counts))
    assert lemmas.real_optima_apart() == lemmas.MATRICES
    monkeypatch.setattr(lemmas, "is_steeper", lambda *values: ~is_steeper(*values))
    assert lemmas.exceptions_from_lemma4() > 0
