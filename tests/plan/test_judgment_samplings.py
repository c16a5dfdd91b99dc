# SPDX-License-Identifier: MIT
"""Judgment samplings in a plan: their files, what they depend on, and who reads them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jinja2
import pytest
from plan.planned import ROOT, opened, plan_of, put_raw_files

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


def full_with(folder: Path, *datasets: str, **changes: Any) -> Plan:
    put_raw_files(folder / "mirror", *datasets)
    return plan_of("full", small(**changes))


@cache
def demo() -> Plan:
    """Return the demo's plan, which no data that is there can change."""
    return plan_of("demo")


# --- files ------------------------------------------------------------------------------------


def test_a_judgment_sampling_is_measured_from_the_ranks_of_its_experiments() -> None:
    plan = plan_of(
        "demo", small(judgment_samplings={"items": {"experiments": ["librarything", "movielens"]}})
    )
    assert plan.judgment_samplings.inputs(STUDY, "items") == {
        "ratings": [
            f"work/demo/{dataset}/{name}"
            for dataset in ("librarything", "ml-1m")
            for name in ("ratings.parquet", "users.parquet", "items.parquet")
        ],
        "splits": [
            f"work/demo/{dataset}/random-folds/split.npz" for dataset in ("librarything", "ml-1m")
        ],
        "ranks": [
            f"work/demo/{dataset}/random-folds/{system}/ranks.npz"
            for dataset in ("librarything", "ml-1m")
            for system in SYSTEMS
        ],
    }
    assert plan.judgment_samplings.datasets(STUDY, "items") == ["librarything", "ml-1m"]
    assert (
        plan.judgment_samplings.file(STUDY, "items")
        == "work/demo/judgment_samplings/valcarce2020/items.npz"
    )


def test_absent_datasets_are_left_out_of_a_judgment_sampling(tmp_path: Path) -> None:
    plan = full_with(tmp_path, "librarything")
    files = plan.judgment_samplings.inputs(STUDY, "items")
    assert files["splits"] == ["work/full/librarything/random-folds/split.npz"]
    assert len(files["ranks"]) == len(SYSTEMS)
    assert plan.judgment_samplings.datasets(STUDY, "items") == ["librarything"]
    assert list(plan.judgment_samplings.description(STUDY, "items")["experiments"]) == [
        "librarything"
    ]


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


def test_an_unknown_judgment_sampling_is_refused_with_those_there_are() -> None:
    plan = demo()
    with pytest.raises(
        KeyError, match="valcarce2020 has no judgment sampling ranks; it has ratings, items"
    ):
        plan.judgment_samplings.inputs(STUDY, "ranks")
    with pytest.raises(KeyError, match="has no judgment sampling ranks"):
        plan.judgment_samplings.description(STUDY, "ranks")


# --- what the values depend on ----------------------------------------------------------------


def test_a_description_has_what_values_depend_on(tmp_path: Path) -> None:
    plan = full_with(tmp_path, "ml-1m")
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
    before = demo().judgment_samplings.description(STUDY, "items")
    after = plan_of("demo", {"studies": {STUDY: change}}).judgment_samplings.description(
        STUDY, "items"
    )
    assert after != before


def test_artifacts_and_other_samplings_leave_a_description_alone() -> None:
    before = demo().judgment_samplings.description(STUDY, "items")
    change = {
        "artifacts": {"fig05": {"caption": "Other.", "parameters": {"kept": "items"}}},
        "judgment_samplings": {"users": {"samples": 3}},
    }
    assert (
        plan_of("demo", {"studies": {STUDY: change}}).judgment_samplings.description(STUDY, "items")
        == before
    )


def test_a_judgment_sampling_depends_on_the_code_of_the_metrics_that_it_measures() -> None:
    averages = {"arithmetic": ["P@10", "nDCG@10"], "geometric": ["P@5", "RR@5"]}
    change = {
        "studies": {"valcarce2018": {"judgment_samplings": {"sparsity": {"averages": averages}}}}
    }
    # Those of the configuration stay: averages are merged key by key.
    entries = plan_of("demo", change).judgment_samplings.metric_entries("valcarce2018", "sparsity")
    assert entries == [
        "receval.metrics.ndcg",
        "receval.metrics.precision_and_recall",
        "receval.metrics.reciprocal_rank",
    ]


# --- artifacts that read judgment samplings ---------------------------------------------------


def test_an_artifact_has_the_datasets_of_the_judgment_samplings_that_it_reads() -> None:
    plan = demo()
    assert plan.settings.studies[STUDY].artifacts["fig03"].experiments == ()
    assert plan.artifacts.datasets_of(STUDY, "fig03") == ["ml-1m", "librarything", "beeradvocate"]
    assert plan.artifacts.datasets_of("valcarce2018", "fig02") == ["ml-1m"]
    description = plan.descriptions.results(STUDY, "fig03")
    assert description["datasets"] == ["ml-1m", "librarything", "beeradvocate"]
    assert description["judgment_samplings"] == ["ratings"]
    assert opened(plan, STUDY, "fig03").judgment_samplings == {
        "ratings": Path("work/demo/judgment_samplings/valcarce2020/ratings.npz")
    }
    # It reads no ranks itself.
    assert description["experiments"] == {}


def test_an_artifact_depends_on_the_file_of_the_judgment_sampling_and_not_on_ranks() -> None:
    files = demo().artifacts.inputs(STUDY, "fig05")
    assert files["judgment_samplings"] == ["work/demo/judgment_samplings/valcarce2020/items.npz"]
    assert files["ranks"] == files["splits"] == []
    assert demo().artifacts.inputs(STUDY, "fig01")["judgment_samplings"] == []


def test_without_any_data_what_reads_judgment_samplings_is_left_out() -> None:
    plan = plan_of("full")
    assert plan.artifacts.made(STUDY) == ["table1"]
    assert plan.artifacts.absent(STUDY, "fig03") == ["ml-1m", "librarything", "beeradvocate"]
    with pytest.raises(ValueError, match=r"fig03 cannot be made.*\(ml-1m, librarything, beerad"):
        plan.artifacts.inputs(STUDY, "fig03")


def test_with_some_data_what_reads_judgment_samplings_names_the_absent(tmp_path: Path) -> None:
    plan = full_with(tmp_path, "librarything")
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


def test_a_dataset_that_is_left_out_is_absent_from_the_demo_s_judgment_samplings() -> None:
    plan = plan_of("demo", {"leave_out": ["beeradvocate"]})
    assert plan.judgment_samplings.datasets(STUDY, "users") == ["ml-1m", "librarything"]
    assert plan.descriptions.display(STUDY, "fig07")["absence"] == absence_of(["BeerAdvocate twin"])


def test_what_is_ranked_for_judgment_samplings_alone_is_planned() -> None:
    added = {
        "experiments": {
            "added": {
                "dataset": "cm100k",
                "split": "user-80",
                "evaluated_users": "tested",
                "systems": ["pop"],
                "protocols": [{"candidates": "TI"}],
            }
        },
        "judgment_samplings": {"users": {"experiments": ["added"]}},
    }
    plan = plan_of("demo", {"studies": {STUDY: added}})
    assert [p.candidates for p in plan.experiments.protocols("cm100k", "user-80")] == ["TI"]
    assert plan.experiments.protocols("ml-1m", "random-folds")
    del added["judgment_samplings"]
    unread = plan_of("demo", {"studies": {STUDY: added}})
    assert unread.experiments.protocols("cm100k", "user-80") == []


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
    plan = plan_of("full", {"network": "off", "local_mirrors": []})
    caption = caption_in_the_report(plan, "valcarce2018", "fig05")
    assert plan.descriptions.display("valcarce2018", "fig05")["title"] in caption
    assert "Absent: ML-1M, LibraryThing, BeerAdvocate (README: how to get" in caption
    assert "Absent" not in caption_in_the_report(plan_of("demo"), "valcarce2018", "fig05")
