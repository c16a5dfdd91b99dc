# SPDX-License-Identifier: MIT
"""Descriptions of datasets, results and runs for other machines, by small examples."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from receval.storage.files import sha256_of
from reproduction.config.reading import load_datasets
from reproduction.publishing.metadata import (
    PAGES_OF_SOFTWARE,
    croissant_of_dataset,
    croissant_of_results,
    pack_run,
)
from reproduction.workflow.provenance.versions import OPTIONAL_PACKAGES, PACKAGES, commit_of

ROOT = Path(__file__).resolve().parents[2]
DATASETS = load_datasets(ROOT / "config" / "datasets.yaml")
CITATION = {
    "title": "receval",
    "version": "1.0.0",
    "license": "MIT",
    "date-released": "2026-11-23",
    "authors": [{"name": "The receval authors"}],
}


def described_as(name: str) -> dict[str, Any]:
    return croissant_of_dataset(name, DATASETS[name], CITATION, "https://example.org")


def test_a_dataset_has_the_files_that_can_be_downloaded_and_their_checksums() -> None:
    described = described_as("ml-1m")
    files = {one["@id"]: one for one in described["distribution"]}
    assert list(files) == ["ml-1m.zip", "ratings.dat"]
    assert files["ml-1m.zip"]["sha256"].startswith("a6898adb")
    assert files["ml-1m.zip"]["contentSize"] == "5917549 B"
    assert described["datePublished"] == "2015"
    assert described["creator"] == [
        {"@type": "Person", "name": "F. M. Harper"},
        {"@type": "Person", "name": "J. A. Konstan"},
    ]
    assert "1,000,209 ratings, 6,040 users, 3,706 items" in described["description"]


def test_a_file_without_a_published_checksum_is_left_out_and_makes_no_dataset_live() -> None:
    described = described_as("netflix")
    assert described["distribution"] == []
    assert described["url"].startswith("https://archive.org/")
    assert "isLiveDataset" not in described


def test_a_dataset_that_must_be_asked_for_has_no_files() -> None:
    assert described_as("librarything")["distribution"] == []


@pytest.mark.each("name", DATASETS)
def test_a_dataset_names_whom_to_cite_and_its_licence(name: str) -> None:
    described = described_as(name)
    creators = described["creator"] if isinstance(described["creator"], list) else []
    names = [one["name"] for one in creators] or [described["creator"]["name"]]
    assert described["citeAs"].startswith(", ".join(names))
    assert [one for one in names if "," in one or ")" in one or one.endswith(".")] == []
    # What every run generates has a licence of SPDX, others a sentence of their own.
    licence = described["license"] if creators == [] else described["license"]["name"]
    assert licence == DATASETS[name].licence


def test_tables_of_results_have_checksums_and_those_of_all_claims_their_columns(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "demo"
    (folder / "study").mkdir(parents=True)
    (folder / "claims.csv").write_text("claim,value,rank,holds\nA-1,.5,1,True\n", "utf-8")
    (folder / "study" / "fig01.csv").write_text("x\n1\n", "utf-8")
    described = croissant_of_results(folder, "../demo", CITATION, "https://example.org")
    addresses = [one["contentUrl"] for one in described["distribution"]]
    assert addresses == ["../demo/claims.csv", "../demo/study/fig01.csv"]
    assert described["distribution"][0]["sha256"] == sha256_of(folder / "claims.csv")
    (table,) = described["recordSet"]
    assert {field["name"]: field["dataType"] for field in table["field"]} == {
        "claim": "sc:Text",
        "value": "sc:Float",
        "rank": "sc:Integer",
        "holds": "sc:Boolean",
    }


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A repository with the records and one artifact of a run."""
    for name in ("Snakefile", "README.md", "LICENSE", "requirements.lock"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    for name in ("CITATION.cff", "pyproject.toml", "config/datasets.yaml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text((ROOT / name).read_text("utf-8"), encoding="utf-8")
    (tmp_path / "workflow").mkdir()
    study = tmp_path / "work" / "demo" / "artifacts" / "study"
    study.mkdir(parents=True)
    (study / "fig01.csv").write_text("x\n1\n", encoding="utf-8")
    raw = {"raw_files": [{"name": "ratings.dat", "sha256": "0" * 64}]}
    record = {"datasets": {"ml-1m": raw}, "absent": ["netflix"]}
    (study / "provenance.json").write_text(json.dumps(record), encoding="utf-8")
    run = {"given": {"seed": 7}, "versions": {"numpy": "2.4.6"}, "commit": "ab12-dirty"}
    (tmp_path / "work" / "demo" / "run.json").write_text(json.dumps(run), encoding="utf-8")
    return tmp_path


def test_a_packed_run_names_its_workflow_settings_data_and_results(made: Path) -> None:
    crate = pack_run("demo", made)
    assert crate == made / "work" / "demo" / "crate"
    content = json.loads((crate / "ro-crate-metadata.json").read_text(encoding="utf-8"))
    entities: dict[str, Any] = {one["@id"]: one for one in content["@graph"]}
    assert len(entities) == len(content["@graph"])
    action = entities["#run"]
    assert entities["./"]["mentions"] == {"@id": "#run"}
    assert entities[action["instrument"]["@id"]]["programmingLanguage"]
    used = [entities[one["@id"]] for one in action["object"]]
    assert [one["name"] for one in used] == ["MovieLens 1M", "seed"]
    raw = entities[used[0]["hasPart"]["@id"]]
    assert (raw["name"], raw["sha256"]) == ("ratings.dat", "0" * 64)
    assert used[1]["value"] == "7"
    assert entities["Snakefile"]["version"].endswith("+ab12.dirty")
    assert entities["https://numpy.org#2.4.6"]["softwareVersion"] == "2.4.6"
    table = entities["artifacts/study/fig01.csv"]
    assert {"@id": table["@id"]} in action["result"]
    assert table["sha256"] == sha256_of(made / "work/demo/artifacts/study/fig01.csv")
    assert action["startTime"] <= action["endTime"]
    # Whatever is described as a file is in the crate.
    for one in entities.values():
        if "File" in one["@type"]:
            assert (crate / one["@id"]).is_file(), one["@id"]


def test_the_crate_names_pages_of_all_software_whose_version_a_run_records() -> None:
    assert PAGES_OF_SOFTWARE.keys() == {"python", *PACKAGES, *OPTIONAL_PACKAGES}


@pytest.mark.processes
def test_the_commit_of_a_clone_says_whether_files_were_changed(tmp_path: Path) -> None:
    assert commit_of(tmp_path) == ""
    (tmp_path / "file").write_text("1")
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for arguments in (["init", "-q"], ["add", "file"], ["commit", "-qm", "One"]):
        subprocess.run([*git, *arguments], check=True)
    commit = commit_of(tmp_path)
    assert re.fullmatch("[0-9a-f]{40}", commit)
    (tmp_path / "file").write_text("2")
    assert commit_of(tmp_path) == f"{commit}-dirty"


def test_a_packed_run_is_made_anew(made: Path) -> None:
    crate = pack_run("demo", made)
    (crate / "old.csv").touch()
    pack_run("demo", made)
    assert not (crate / "old.csv").exists()


def test_a_run_without_records_is_not_packed(made: Path) -> None:
    (made / "work" / "demo" / "run.json").unlink()
    with pytest.raises(
        ValueError, match=r"work/demo has no record of a finished run .*edition=demo"
    ):
        pack_run("demo", made)
