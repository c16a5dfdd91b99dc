# SPDX-License-Identifier: MIT
"""How the claims of bellogin2017 are judged, by hand on a few numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from claims.made_up import MadeUpResults, claims_of_paper

from reproduction.claims import theorems
from reproduction.claims.verdicts import Finding

SYSTEMS = ("plsa", "pop", "mf", "knn-centred", "random")


def verdict(
    folder: Path,
    claim: str,
    dataset: str | None = "ml-1m",
    there: Sequence[str] = ("ml-1m",),
    **tables: pd.DataFrame,
) -> Finding:
    """Judge a claim on made-up tables, by the names of their artifacts."""
    results = MadeUpResults(folder, "bellogin2017", there)
    for name, table in tables.items():
        results.write(name, table)
    return results.judged(claim, dataset)


def rows(columns: str, *values: Sequence[Any]) -> pd.DataFrame:
    table = pd.DataFrame(list(values), columns=columns.split())
    table.insert(0, "dataset", "ml-1m")
    return table


def test_claims_that_no_split_can_change_are_not_repeated() -> None:
    claims = claims_of_paper("bellogin2017").claims
    fixed = {number for number, claim in claims.items() if not claim.split_dependent}
    assert {"B-001", "B-013", "B-030", "B-043", "B-047", "B-072"} <= fixed
    assert not {"B-004", "B-006", "B-021", "B-054", "B-061", "B-070"} & fixed


def test_two_numbers_of_the_same_artists_contradict_each_other_whatever_data_are_there(
    tmp_path: Path,
) -> None:
    found = verdict(tmp_path, "B-001", "lastfm-1k", there=[])
    assert found.verdict == "contradicts itself"


def curve(dataset: str, counts: np.ndarray) -> pd.DataFrame:
    """Return panel (c) of figure 5 for some documents, from the most judged on."""
    shares = np.cumsum(counts) / counts.sum()
    ranks = np.arange(1, 101) * (len(counts) // 100)
    points = pd.DataFrame(
        {"metric": "cumulative share", "rank": ranks, "rating_share": shares[ranks - 1]}
    )
    numbers = {
        "positive ratings": counts.sum(),
        "items with positive ratings": len(counts),
        "share of users who like the most liked item": counts.max() / 703,
    }
    table = pd.concat(
        [points, pd.DataFrame({"metric": list(numbers), "value": list(numbers.values())})]
    )
    return table.assign(dataset=dataset, panel="positive")


@pytest.mark.parametrize(
    ("with_two", "expected", "failing"),
    [(125, "holds", ""), (300, "holds in part", "no fewer"), (20, "holds in part", "no more")],
)
def test_documents_of_one_query_are_read_from_where_the_curve_is_straight(
    tmp_path: Path, with_two: int, expected: str, failing: str
) -> None:
    # Of 1,000 documents 125 have two judgments: at the points from 130 documents on, 88 of 100,
    # as many judgments as documents are left. The paper's share is .872.
    counts = np.where(np.arange(1000) < with_two, 2, 1)
    table = curve("trec-qrels", counts)
    found = verdict(tmp_path, "B-040", "trec-qrels", ["trec-qrels"], fig05=table)
    assert found.verdict == expected
    assert failing in found.detail


def test_flat_judgments_are_half_as_far_from_uniform_as_ratings(tmp_path: Path) -> None:
    steep, flat = np.arange(100, 0, -1) ** 3, np.where(np.arange(100) < 10, 2, 1)
    both = pd.concat([curve("ml-1m", steep), curve("trec-qrels", flat)])
    everything = ["ml-1m", "trec-qrels"]
    assert verdict(tmp_path, "B-045", there=everything, fig05=both).verdict == "holds"
    alike = pd.concat([curve("ml-1m", steep), curve("trec-qrels", steep)])
    found = verdict(tmp_path, "B-045", there=everything, fig05=alike)
    assert found.verdict == "does not hold"


def test_a_comparison_with_a_dataset_that_is_not_there_is_undecidable(tmp_path: Path) -> None:
    found = verdict(tmp_path, "B-045", fig05=curve("ml-1m", np.arange(100, 0, -1)))
    assert found.verdict == "undecidable here"
    assert found.detail == "the dataset trec-qrels"


def significance(p_value: float, ndcg: Sequence[float]) -> pd.DataFrame:
    """Return figure 8 with P@10 of .5 to .1, and nDCG as given; p is of pLSA and Pop."""
    table = []
    designs = ("1R", "-10% head", "U1R", "P1R", "AR", "UAR", "AI-UAR")
    metrics = ("P", "nDCG(gain=relevant)", "Recall", "AP", "RR")
    for design, metric, (place, system) in product(designs, metrics, enumerate(SYSTEMS)):
        value = ndcg[place] if metric.startswith("nDCG") and design == "UAR" else 0.5 - place / 10
        chances = [
            1.0 if other == system else p_value if {system, other} == {"plsa", "pop"} else 0.0
            for other in SYSTEMS
        ]
        table.append([design, metric, system, "mean", value, *chances])
    against = " ".join(f"p_against_{system}" for system in SYSTEMS)
    return rows(f"design metric system fold value {against}", *table)


def test_systems_that_change_places_count_where_both_metrics_tell_them_apart(
    tmp_path: Path,
) -> None:
    swapped = [0.4, 0.5, 0.3, 0.2, 0.1]
    assert verdict(tmp_path, "B-061", fig08=significance(0.3, swapped)).verdict == "holds"
    other = verdict(tmp_path, "B-061", fig08=significance(0.001, swapped))
    assert other.verdict == "holds in part"
    assert other.detail == "Not shown: nDCG(gain=relevant), UAR: plsa and pop (1 of 28)."


def test_plsa_is_first_only_if_significantly(tmp_path: Path) -> None:
    order = [0.5, 0.4, 0.3, 0.2, 0.1]
    assert verdict(tmp_path, "B-059", fig08=significance(0.01, order)).verdict == "holds"
    found = verdict(tmp_path, "B-059", fig08=significance(0.1, order))
    assert found.verdict == "holds in part"
    assert "before Pop" in found.detail


def test_precision_that_falls_slower_than_the_size_grows_is_not_inversely_proportional(
    tmp_path: Path,
) -> None:
    def by_size(others: float) -> pd.DataFrame:
        return rows(
            "varied target_set_size system fold value",
            *(
                ["target set size", size, system, "mean", 1 / size ** (others if place else 1)]
                for size in (100, 200, 400)
                for place, system in enumerate(reversed(SYSTEMS))
            ),
        )

    assert verdict(tmp_path, "B-023", fig04=by_size(1)).verdict == "holds"
    found = verdict(tmp_path, "B-023", fig04=by_size(0.5))
    assert found.verdict == "holds in part"
    assert found.detail.startswith("Not shown: the others")


def sparse(left: dict[tuple[str, str], float]) -> pd.DataFrame:
    """Return figure 4 with what a tenth of the test ratings leaves of each metric."""
    return rows(
        "system metric cutoff kept_percent evaluated_users fold value",
        *(
            [system, metric, cutoff, kept, "relevant", "mean", 0.5 * (share if kept == 10 else 1)]
            for system in SYSTEMS
            for (metric, cutoff), share in left.items()
            for kept in (10, 100)
        ),
    )


@pytest.mark.parametrize(
    ("of_map", "expected", "failing"),
    [(0.8, "holds", None), (0.6, "holds in part", "MAP, slightly"), (0.4, "holds in part", "nDCG")],
)
def test_metrics_are_ordered_by_what_sparsity_leaves_of_them(
    tmp_path: Path, of_map: float, expected: str, failing: str | None
) -> None:
    left = {
        ("Recall", "10"): 0.95,
        ("AP", ""): of_map,
        ("nDCG(gain=relevant)", ""): 0.77,
        ("nDCG(gain=relevant)", "10"): 0.5,
        ("P", "10"): 0.2,
    }
    found = verdict(tmp_path, "B-026", fig04=sparse(left))
    assert found.verdict == expected
    assert failing is None or failing in found.detail


@pytest.mark.parametrize("falling", ["random", "mf"])
def test_a_step_down_of_one_system_makes_ndcg_unsteady(tmp_path: Path, falling: str) -> None:
    def value(system: str, metric: str, users: str, kept: int) -> float:
        if metric == "P":
            return kept / 200
        falls = (system, users, kept) == (falling, "relevant", 50)
        return 0.1 if falls else 0.1 + kept / 200

    levels = product(SYSTEMS, ("P", "nDCG(gain=relevant)"), ("all", "relevant"), (10, 50, 100))
    table = rows(
        "system metric evaluated_users kept_percent value protocol cutoff fold",
        *([*level, value(*level), "AR TI-AN", 10, "mean"] for level in levels),
    )
    assert verdict(tmp_path, "B-027", fig04=table).verdict == "holds in part"


def incomplete(printed: dict[str, float], pooled: dict[str, float]) -> pd.DataFrame:
    forms = {"infAP(form=bellogin)": printed, "infAP": pooled}
    return rows(
        "protocol metric system fold value",
        *(
            [protocol, form, system, "mean", value]
            for protocol in ("AR TI-AN", "AR AI-AN")
            for form, values in forms.items()
            for system, value in values.items()
        ),
    )


def test_both_readings_of_the_pool_of_infap_are_judged(tmp_path: Path) -> None:
    counters = {"plsa": 0.2, "pop": 0.1, "mf": 0.3, "knn-centred": 0.05}
    rewards = {"plsa": 0.4, "pop": 0.35, "mf": 0.3, "knn-centred": 0.05}
    found = verdict(tmp_path, "B-064", fig09=incomplete(counters, counters))
    assert found.verdict == "holds"
    found = verdict(tmp_path, "B-064", fig09=incomplete(rewards, counters))
    assert found.verdict == "holds in part"
    assert "judged items pooled" in found.detail
    found = verdict(tmp_path, "B-064", fig09=incomplete(rewards, rewards))
    assert found.verdict == "does not hold"


def test_random_is_level_only_where_as_many_items_are_sampled(tmp_path: Path) -> None:
    def designs(sampled: int, of_random: float) -> pd.DataFrame:
        return rows(
            "design metric system fold sampled value",
            *(
                [design, metric, "random", "mean", sampled if design == "AR" else "", value]
                for design, value in (("AR", of_random), ("UAR", 0.0045))
                for metric in ("P", "nDCG(gain=relevant)")
            ),
        )

    assert verdict(tmp_path, "B-060", fig08=designs(1700, 0.0044)).verdict == "holds"
    found = verdict(tmp_path, "B-060", fig08=designs(300, 0.0044))
    assert found.verdict == "holds in part"
    found = verdict(tmp_path, "B-060", fig08=designs(300, 0.009))
    assert found.verdict == "does not hold"


@pytest.mark.parametrize(
    "name",
    [
        "violation_of_bounds",
        "random_precision_less_rho",
        "random_precision_less_one_over_t",
        "whole_precision_less_rho",
        "gain_of_an_order_over_popularity",
        "gain_where_ratios_are_equal",
        "gain_where_all_are_positive",
        "graded_ndcg_less_plain",
        "average_precision_less_reciprocal_rank",
        "stratified_recall_less_recall",
    ],
)
def test_identities_hold_to_rounding_and_are_the_same_each_time(name: str) -> None:
    function = getattr(theorems, name)
    assert function() <= 1e-12
    assert function() == function()


def test_numbers_of_theorems_are_those_of_the_paper() -> None:
    assert theorems.highest_precision_of_one_relevant() == pytest.approx(0.1)
    assert theorems.lowest_bpref_of_one_relevant() == 1
    assert theorems.ratio_of_rho_to_sigma_delta() == pytest.approx(1, abs=0.05)


def test_popularity_is_above_random_where_training_items_are_no_candidates() -> None:
    # As on MovieLens 1M (tests/real_data/test_uniform_tests.py): the formulas have them equal.
    assert theorems.popularity_over_random_in_u1r() > 1.2
    assert theorems.popularity_over_random_in_uar() > 1.5
