# SPDX-License-Identifier: MIT
"""Judgment samplings in a plan: their files, what they depend on, and who reads them."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jinja2
import pytest
from plan.planned import ROOT, demo, full_with, opened, plan_of

from receval.figures.display import absence_of
from reproduction.workflow.plan.plan import Plan

STUDY = "valcarce2020"
SYSTEMS = ["random", "pop", "slim"]


def small(**changes: Any) -> dict[str, Any]:
    """Return overrides that shorten the experiments' systems, and change the study."""
    experiments = {
        name: {"systems": SYSTEMS, "split": "random-folds"}
        for name in ("movielens", "librarything", "beeradvocate")
    }
    return {"studies": {STUDY: {"experiments": experiments, **changes}}}


def description_with(change: dict[str, Any]) -> dict[str, Any]:
    plan = plan_of("demo", {"studies": {STUDY: change}})
    return plan.judgment_samplings.description(STUDY, "items")


# --- files ------------------------------------------------------------------------------------


def test_a_judgment_sampling_is_measured_from_the_ranks_of_its_experiments() -> None:
    plan = plan_of(
        "demo", small(judgment_samplings={"items": {"experiments": ["librarything", "movielens"]}})
    )
    folders = [f"work/demo/{dataset}" for dataset in ("librarything", "ml-1m")]
    tables = ("ratings.parquet", "users.parquet", "items.parquet")
    assert plan.judgment_samplings.inputs(STUDY, "items") == {
        "ratings": [f"{folder}/{name}" for folder in folders for name in tables],
        "splits": [f"{folder}/random-folds/split.npz" for folder in folders],
        "ranks": [
            f"{folder}/random-folds/{system}/ranks.npz" for folder in folders for system in SYSTEMS
        ],
    }
    assert plan.judgment_samplings.datasets(STUDY, "items") == ["librarything", "ml-1m"]
    file = plan.judgment_samplings.file(STUDY, "items")
    assert file == "work/demo/judgment_samplings/valcarce2020/items.npz"


def test_experiments_on_the_same_split_share_their_files() -> None:
    again = {
        "dataset": "ml-1m",
        "split": "random-folds",
        "systems": ["pop", "svd"],
        "protocols": [{"candidates": "AI"}],
    }
    change = small(judgment_samplings={"items": {"experiments": ["movielens", "again"]}})
    change["studies"][STUDY]["experiments"]["again"] = again
    plan = plan_of("demo", change)
    files = plan.judgment_samplings.inputs(STUDY, "items")
    assert all(len(names) == len(set(names)) for names in files.values())
    assert [Path(name).parent.name for name in files["ranks"]] == [*SYSTEMS, "svd"]
    assert plan.judgment_samplings.datasets(STUDY, "items") == ["ml-1m"]


@pytest.mark.parametrize("method", ["inputs", "description"])
def test_an_unknown_judgment_sampling_is_refused_with_those_there_are(method: str) -> None:
    with pytest.raises(
        KeyError,
        match=r"2020 has no judgment sampling ranks\. Its judgment samplings are ratings, it",
    ):
        getattr(demo().judgment_samplings, method)(STUDY, "ranks")


# --- what the values depend on ----------------------------------------------------------------


def test_a_description_has_what_values_depend_on() -> None:
    plan = full_with("ml-1m", **small())
    description = plan.judgment_samplings.description(STUDY, "popular-items")
    assert json.loads(json.dumps(description, allow_nan=False)) == description
    assert description["seed"] == plan.settings.seed
    assert description["unit"] == "popular-items"
    assert description["percents"] == list(range(100, 0, -1))
    assert description["samples"] == 1
    assert description["averages"]["geometric(zeros=one)"] == ["F1@100", "RR@100"]
    experiment = description["experiments"]["movielens"]
    assert experiment["systems"] == SYSTEMS
    assert experiment["evaluated_users"] == "tested"
    assert experiment["threshold"] == 4
    (protocol,) = experiment["protocols"]
    assert (protocol["relevant"], protocol["candidates"]) == ("AR", "AI")


@pytest.mark.parametrize(
    "change",
    [
        {"judgment_samplings": {"items": {"samples": 3}}},
        {"judgment_samplings": {"items": {"levels": {"lowest": 50}}}},
        {"judgment_samplings": {"items": {"averages": {"arithmetic": ["P@10"]}}}},
        {"judgment_samplings": {"items": {"unit": "users"}}},
        {"experiments": {"movielens": {"relevance_threshold": 5}}},
    ],
)
def test_a_change_of_a_judgment_sampling_changes_its_description(change: dict[str, Any]) -> None:
    assert description_with(change) != demo().judgment_samplings.description(STUDY, "items")


def test_a_judgment_sampling_depends_on_the_code_of_the_metrics_that_it_measures() -> None:
    averages = {"arithmetic": ["P@10", "nDCG@10"], "geometric": ["P@5", "RR@5"]}
    change = {"valcarce2018": {"judgment_samplings": {"sparsity": {"averages": averages}}}}
    plan = plan_of("demo", {"studies": change})
    # Those of the configuration stay: averages are merged key by key.
    assert plan.judgment_samplings.metric_entries("valcarce2018", "sparsity") == [
        f"receval.metrics.{module}"
        for module in ("ndcg", "precision_and_recall", "reciprocal_rank")
    ]


# --- artifacts that read judgment samplings ---------------------------------------------------


def test_an_artifact_reads_the_judgment_sampling_and_has_its_datasets() -> None:
    plan, datasets = demo(), ["ml-1m", "librarything", "beeradvocate"]
    file = "work/demo/judgment_samplings/valcarce2020/ratings.npz"
    assert plan.settings.studies[STUDY].artifacts["fig03"].experiments == ()
    assert plan.artifacts.datasets_of(STUDY, "fig03") == datasets
    assert plan.artifacts.datasets_of("valcarce2018", "fig02") == ["ml-1m"]
    description = plan.descriptions.results(STUDY, "fig03")
    assert description["datasets"] == datasets
    assert description["judgment_samplings"] == ["ratings"]
    assert opened(plan, STUDY, "fig03").judgment_samplings == {"ratings": Path(file)}
    files = plan.artifacts.inputs(STUDY, "fig03")
    assert files["judgment_samplings"] == [file]
    # It reads no ranks itself.
    assert files["ranks"] == files["splits"] == []
    assert description["experiments"] == {}
    assert plan.artifacts.inputs(STUDY, "fig01")["judgment_samplings"] == []


def test_with_some_data_a_judgment_sampling_and_what_reads_it_are_of_that_data() -> None:
    plan = full_with("librarything", **small())
    files = plan.judgment_samplings.inputs(STUDY, "items")
    assert files["splits"] == ["work/full/librarything/random-folds/split.npz"]
    assert len(files["ranks"]) == len(SYSTEMS)
    told = plan.judgment_samplings.description(STUDY, "items")
    assert list(told["experiments"]) == ["librarything"]
    assert plan.judgment_samplings.datasets(STUDY, "items") == ["librarything"]
    assert "fig03" in plan.artifacts.made(STUDY)
    # Figure 2 of 2018 has MovieLens alone.
    assert "fig02" not in plan.artifacts.made("valcarce2018")
    assert "fig06" in plan.artifacts.made("valcarce2018")
    description = plan.descriptions.results(STUDY, "fig03")
    assert description["datasets"] == ["librarything"]
    assert description["absent"] == ["ml-1m", "beeradvocate"]
    display = plan.descriptions.display(STUDY, "fig03")
    assert display["absence"] == absence_of(["ML-1M", "BeerAdvocate"])
    assert display["datasets"]["librarything"] == "LibraryThing"
    assert display["parameters"]["kept"] == "Test ratings kept"


@pytest.mark.parametrize("is_read", [True, False])
def test_what_is_ranked_for_judgment_samplings_alone_is_planned(is_read: bool) -> None:
    experiment = {
        "dataset": "cm100k",
        "split": "user-80",
        "evaluated_users": "tested",
        "systems": ["pop"],
        "protocols": [{"candidates": "TI"}],
    }
    samplings = {"users": {"experiments": ["added"]}} if is_read else {}
    changes = {"experiments": {"added": experiment}, "judgment_samplings": samplings}
    plan = plan_of("demo", {"studies": {STUDY: changes}})
    planned = plan.experiments.protocols("cm100k", "user-80")
    assert [protocol.candidates for protocol in planned] == ["TI"] * is_read


@pytest.mark.parametrize("edition", ["demo", "full"])
def test_captions_have_the_number_of_samples_of_their_edition(edition: str) -> None:
    plan = plan_of(edition, {"network": "on"} if edition == "full" else None)
    for study in ("valcarce2018", "valcarce2020"):
        for name, artifact in plan.settings.studies[study].artifacts.items():
            caption = plan.descriptions.display(study, name)["caption"]
            assert "{" not in caption
            samples = {
                plan.judgment_samplings.spec(study, judgment_sampling).samples
                for judgment_sampling in artifact.judgment_samplings
            }
            if samples - {1}:
                assert f"means of {max(samples)} samples" in " ".join(caption.split())


def caption_in_the_report(plan: Plan, study: str, artifact: str) -> str:
    """Render the caption as Snakemake does for its report."""
    template = (ROOT / "workflow/report/artifact.rst").read_text(encoding="utf-8")
    job = SimpleNamespace(
        wildcards=SimpleNamespace(study=study, artifact=artifact, edition=plan.edition),
        params=SimpleNamespace(display=plan.descriptions.display(study, artifact)),
    )
    return " ".join(jinja2.Template(template).render(snakemake=job).split())


def test_the_caption_of_the_report_names_absent_datasets() -> None:
    plan = plan_of("full")
    caption = caption_in_the_report(plan, "valcarce2018", "fig05")
    assert plan.descriptions.display("valcarce2018", "fig05")["title"] in caption
    assert "Absent: ML-1M, LibraryThing, BeerAdvocate (README: how to get" in caption
    assert "Absent" not in caption_in_the_report(demo(), "valcarce2018", "fig05")
