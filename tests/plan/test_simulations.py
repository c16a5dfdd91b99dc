# SPDX-License-Identifier: MIT
"""Simulations in a plan: their files, what they depend on, and who reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from plan.planned import demo, full_with, opened, plan_of

from receval.figures.display import absence_of
from reproduction.workflow.plan.plan import Plan

STUDY = "bellogin2017"
NAME = "skewed-popularity"
SYSTEMS = ["plsa", "mf", "knn-centred", "pop", "random"]
FILES = {system: f"work/demo/simulations/{NAME}/{system}.csv" for system in SYSTEMS}


def changed(**changes: Any) -> Plan:
    return plan_of("demo", {"simulations": {NAME: changes}})


def test_a_simulation_has_one_file_a_system_and_reads_the_ratings_alone() -> None:
    assert demo().simulations.files(NAME) == FILES
    assert demo().simulations.inputs(NAME) == [
        f"work/demo/ml-1m/{name}" for name in ("ratings.parquet", "users.parquet", "items.parquet")
    ]


def test_unknown_simulations_and_systems_are_refused_with_those_there_are() -> None:
    with pytest.raises(
        KeyError, match=r"no simulation skew\. The simulations are skewed-popularity"
    ):
        demo().simulations.files("skew")
    with pytest.raises(
        ValueError, match=r"skewed-popularity has no system wrmf\. Its systems are plsa, mf"
    ):
        demo().simulations.description(NAME, "wrmf")


# --- what the values depend on ----------------------------------------------------------------


def test_a_description_has_what_values_depend_on() -> None:
    description = demo().simulations.description(NAME, "mf")
    assert json.loads(json.dumps(description, allow_nan=False)) == description
    first, *_ = description.pop("protocols")
    assert description == {
        "seed": demo().settings.seed,
        "dataset": "ml-1m",
        "skewness": [0, 1, 2],
        "repetitions": 1,
        "train_ratio": 0.8,
        "relevance_threshold": 5,
        "metrics": list(demo().settings.simulations[NAME].metrics),
        "recommender": "receval.recommenders.biased_mf:BiasedMF",
        "parameters": demo().settings.systems["mf"].parameters,
    }
    assert (first["relevant"], first["candidates"]) == ("1R", "TI")
    assert (first["sampled"], first["threshold"]) == (99, 5)


def test_the_threshold_is_the_dataset_s_own_by_default() -> None:
    description = changed(relevance_threshold=None).simulations.description(NAME, "pop")
    assert description["relevance_threshold"] == 4
    assert description["protocols"][0]["threshold"] == 4


def test_a_simulation_depends_on_the_code_of_the_metrics_that_it_measures() -> None:
    entries = changed(metrics=["P@10", "P@5", "nDCG@10"]).simulations.metric_entries(NAME)
    assert entries == ["receval.metrics.ndcg", "receval.metrics.precision_and_recall"]


# --- artifacts that read simulations ----------------------------------------------------------


def test_an_artifact_reads_the_simulations_and_the_data_they_are_like() -> None:
    plan = demo()
    files = plan.artifacts.inputs(STUDY, "fig05")
    assert files["simulations"] == list(FILES.values())
    assert files["ranks"] == files["splits"] == []
    assert plan.artifacts.inputs(STUDY, "fig02")["simulations"] == []
    assert opened(plan, STUDY, "fig05").simulations == {
        NAME: {system: Path(file) for system, file in FILES.items()}
    }
    only = plan_of("demo", {"studies": {STUDY: {"artifacts": {"fig05": {"datasets": []}}}}})
    assert only.artifacts.datasets_of(STUDY, "fig05") == ["ml-1m"]
    display = plan.descriptions.display(STUDY, "fig05")
    assert (list(display["systems"]), display["extra_systems"]) == (SYSTEMS, [])
    # Judgments of TREC have no twin.
    assert plan.artifacts.absent(STUDY, "fig05") == ["trec-qrels"]
    datasets = plan.descriptions.results(STUDY, "fig05")["datasets"]
    assert datasets == ["netflix", "ml-1m", "lastfm-1k"]
    assert display["absence"] == absence_of(["TREC"])


def test_without_its_dataset_a_simulation_is_left_out() -> None:
    assert "fig05" not in plan_of("full").artifacts.made(STUDY)
    plan = full_with("lastfm-1k")
    assert plan.simulations.files(NAME) == {}
    assert plan.artifacts.inputs(STUDY, "fig05")["simulations"] == []
    assert plan.descriptions.results(STUDY, "fig05")["simulations"] == {NAME: []}
    assert plan.artifacts.absent(STUDY, "fig05") == ["netflix", "ml-1m", "trec-qrels"]


def test_the_record_of_a_study_has_its_simulations_and_their_systems() -> None:
    record = demo().studies.description(STUDY)
    assert record["simulations"][NAME]["skewness"] == [0, 1, 2]
    assert set(SYSTEMS) <= set(record["systems"])
    assert demo().studies.description("canamares2020")["simulations"] == {}
