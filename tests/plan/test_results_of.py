# SPDX-License-Identifier: MIT
"""Artifacts that read another artifact's numbers, or splits without any system."""

from __future__ import annotations

from pathlib import Path

import pytest
from plan.planned import demo, full_with, opened, plan_of

STUDY = "bellogin2017"
PAIRED = "menamaldonado2021"


def test_an_artifact_reads_the_csv_of_another_one() -> None:
    plan = demo()
    inputs = plan.artifacts.inputs(PAIRED, "fig12")
    assert inputs["other_results"] == ["work/demo/artifacts/menamaldonado2021/values.csv"]
    assert inputs["ranks"] == []
    assert opened(plan, PAIRED, "fig12").results == {
        "values": Path("work/demo/artifacts/menamaldonado2021/values.csv")
    }


def test_it_needs_the_datasets_of_the_other_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    without = plan_of("full")
    assert "fig12" not in without.artifacts.made(PAIRED)
    plan = full_with("ml-1m")
    assert "fig12" in plan.artifacts.made(PAIRED)
    assert set(plan.artifacts.absent(PAIRED, "fig12")) == {"cm100k", "yahoo-r3"}


def test_an_artifact_reads_splits_without_any_system() -> None:
    plan = demo()
    inputs = plan.artifacts.inputs(STUDY, "fig06")
    assert inputs["splits"] == [
        f"work/demo/ml-1m/{split}/split.npz" for split in ("coin-flip-80", "uniform-test")
    ]
    assert inputs["ranks"] == []
    read = opened(plan, STUDY, "fig06")
    assert read.splits == (("ml-1m", "coin-flip-80"), ("ml-1m", "uniform-test"))
    assert [read.files.split_file(*pair).as_posix() for pair in read.splits] == inputs["splits"]
    assert set(inputs["splits"]) <= set(plan.studies.provenance_inputs(STUDY)["splits"])


def test_each_dataset_can_have_splits_of_its_own() -> None:
    plan = demo()
    # The twins have no file with the authors' folds.
    assert opened(plan, PAIRED, "fig11").splits == (
        ("cm100k", "missing-at-random-fold"),
        ("yahoo-r3", "missing-at-random"),
    )
    assert set(plan.artifacts.inputs(PAIRED, "fig11")["splits"]) <= set(
        plan.studies.provenance_inputs(PAIRED)["splits"]
    )
    assert plan.artifacts.absent(PAIRED, "fig11") == []


@pytest.mark.parametrize("edition", ["demo", "full"])
def test_toys_and_lemmas_need_no_data(edition: str) -> None:
    plan = plan_of(edition)
    wanted = {"table1", "table3", "table4", "fig02", "fig03", "fig04", "fig08"}
    assert wanted <= set(plan.artifacts.made(PAIRED))
    for artifact in wanted:
        assert not any(plan.artifacts.inputs(PAIRED, artifact).values())


def test_a_dataset_whose_own_splits_cannot_be_made_is_absent() -> None:
    given = {"splits": {"cm100k": ["released-folds-unbiased"]}, "datasets": ["cm100k", "yahoo-r3"]}
    plan = plan_of("demo", {"studies": {PAIRED: {"artifacts": {"fig11": given}}}})
    # A mapping is merged key by key: Yahoo! R3 keeps its split.
    assert plan.artifacts.splits_of_its_own(plan.artifacts.spec(PAIRED, "fig11")) == [
        ("yahoo-r3", "missing-at-random")
    ]
    assert plan.artifacts.absent(PAIRED, "fig11") == ["cm100k"]
