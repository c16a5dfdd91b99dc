# SPDX-License-Identifier: MIT
"""Simulations in a plan: their files, what they depend on, and who reads them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from plan.planned import opened, plan_of, put_raw_files

from receval.figures.display import absence_of
from reproduction.workflow.plan.plan import Plan

STUDY = "bellogin2017"
NAME = "skewed-popularity"
SYSTEMS = ["plsa", "mf", "knn-centred", "pop", "random"]
FILES = {system: f"work/demo/simulations/{NAME}/{system}.csv" for system in SYSTEMS}


@cache
def demo() -> Plan:
    """Return the demo's plan, which no data that is there can change."""
    return plan_of("demo")


def changed(**changes: Any) -> Plan:
    return plan_of("demo", {"simulations": {NAME: changes}})


# --- files ------------------------------------------------------------------------------------


def test_a_simulation_has_one_file_a_system_and_reads_the_ratings_alone() -> None:
    assert demo().simulations.files(NAME) == FILES
    assert demo().simulations.inputs(NAME) == [
        f"work/demo/ml-1m/{name}" for name in ("ratings.parquet", "users.parquet", "items.parquet")
    ]


def test_an_unknown_simulation_is_refused_with_those_there_are() -> None:
    with pytest.raises(KeyError, match="no simulation skew; there are skewed-popularity"):
        demo().simulations.files("skew")


def test_a_system_that_a_simulation_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="skewed-popularity has no system wrmf; it has plsa, mf"):
        demo().simulations.description(NAME, "wrmf")


# --- what the values depend on ----------------------------------------------------------------


def test_a_description_has_what_values_depend_on() -> None:
    description = demo().simulations.description(NAME, "mf")
    assert json.loads(json.dumps(description, allow_nan=False)) == description
    assert description["seed"] == demo().settings.seed
    assert description["dataset"] == "ml-1m"
    assert description["skewness"] == [0, 1, 2]
    assert description["train_ratio"] == 0.8
    assert description["relevance_threshold"] == 5
    assert description["recommender"] == "receval.recommenders.biased_mf:BiasedMF"
    assert description["parameters"] == demo().settings.systems["mf"].parameters
    first = description["protocols"][0]
    assert (first["relevant"], first["candidates"]) == ("1R", "TI")
    assert (first["sampled"], first["threshold"]) == (99, 5)


def test_the_threshold_is_the_dataset_s_own_by_default() -> None:
    plan = changed(relevance_threshold=None)
    description = plan.simulations.description(NAME, "pop")
    assert description["relevance_threshold"] == 4
    assert description["protocols"][0]["threshold"] == 4


@pytest.mark.parametrize(
    "change",
    [
        {"skewness": [0, 1]},
        {"repetitions": 2},
        {"train_ratio": 0.5},
        {"relevance_threshold": 4},
        {"metrics": ["P@5"]},
        {"protocols": [{"relevant": "AR"}]},
        {"dataset": "cm100k"},
    ],
)
def test_a_change_of_a_simulation_changes_its_description(change: dict[str, Any]) -> None:
    before = demo().simulations.description(NAME, "pop")
    assert changed(**change).simulations.description(NAME, "pop") != before


def test_other_systems_leave_a_description_alone() -> None:
    before = demo().simulations.description(NAME, "pop")
    assert changed(systems=["pop", "wrmf"]).simulations.description(NAME, "pop") == before
    other = plan_of("demo", {"systems": {"mf": {"parameters": {"factors": 3}}}})
    assert other.simulations.description(NAME, "pop") == before
    own = other.simulations.description(NAME, "mf")
    assert own != demo().simulations.description(NAME, "mf")


def test_a_simulation_depends_on_the_code_of_the_metrics_that_it_measures() -> None:
    plan = changed(metrics=["P@10", "P@5", "nDCG@10"])
    assert plan.simulations.metric_entries(NAME) == [
        "receval.metrics.ndcg",
        "receval.metrics.precision_and_recall",
    ]


# --- artifacts that read simulations ----------------------------------------------------------


def test_an_artifact_reads_the_simulations_and_the_data_they_are_like() -> None:
    files = demo().artifacts.inputs(STUDY, "fig05")
    assert files["simulations"] == list(FILES.values())
    assert files["ranks"] == files["splits"] == []
    assert demo().artifacts.inputs(STUDY, "fig02")["simulations"] == []
    assert opened(demo(), STUDY, "fig05").simulations == {
        NAME: {system: Path(file) for system, file in FILES.items()}
    }
    only = plan_of("demo", {"studies": {STUDY: {"artifacts": {"fig05": {"datasets": []}}}}})
    assert only.artifacts.datasets_of(STUDY, "fig05") == ["ml-1m"]


def test_an_artifact_shows_the_systems_of_its_simulations() -> None:
    assert list(demo().descriptions.display(STUDY, "fig05")["systems"]) == SYSTEMS
    assert demo().descriptions.display(STUDY, "fig05")["extra_systems"] == []


def test_judgments_of_trec_have_no_twin_and_are_named_as_absent() -> None:
    plan = demo()
    assert plan.artifacts.absent(STUDY, "fig05") == ["trec-qrels"]
    assert plan.descriptions.results(STUDY, "fig05")["datasets"] == [
        "netflix",
        "ml-1m",
        "lastfm-1k",
    ]
    assert plan.descriptions.display(STUDY, "fig05")["absence"] == absence_of(["TREC"])


def test_without_its_dataset_a_simulation_is_left_out(tmp_path: Path) -> None:
    put_raw_files(tmp_path / "mirror", "lastfm-1k")
    plan = plan_of("full")
    assert plan.simulations.files(NAME) == {}
    assert plan.artifacts.inputs(STUDY, "fig05")["simulations"] == []
    assert plan.descriptions.results(STUDY, "fig05")["simulations"] == {NAME: []}
    assert plan.artifacts.absent(STUDY, "fig05") == ["netflix", "ml-1m", "trec-qrels"]


def test_without_any_data_what_reads_simulations_is_left_out() -> None:
    assert "fig05" not in plan_of("full").artifacts.made(STUDY)


def test_the_record_of_a_study_has_its_simulations_and_their_systems() -> None:
    record = demo().studies.description(STUDY)
    assert record["simulations"][NAME]["skewness"] == [0, 1, 2]
    assert set(SYSTEMS) <= set(record["systems"])
    assert demo().studies.description("canamares2020")["simulations"] == {}
