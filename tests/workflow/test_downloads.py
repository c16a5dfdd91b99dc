# SPDX-License-Identifier: MIT
"""Raw files: downloaded once, and known by their content."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from datasets.hostile_server import running_hostile_server
from workflow.running import Workflow

pytestmark = [pytest.mark.processes, pytest.mark.repository]

TWIN = "work/demo/ml-1m/raw/ml-1m.zip"
PARSER = "reproduction.datasets.formats.movielens:parse_zip"
RATINGS = ("work/full/ml-1m/ratings.parquet",)


def dataset_of(workflow: Workflow, urls: list[str]) -> dict[str, Any]:
    """Describe the demo's twin of MovieLens 1M as a real dataset, of one file."""
    twin = workflow.folder / TWIN
    summary = json.loads(workflow.read("work/demo/ml-1m/summary.json"))
    expected = {
        **{name: summary[name] for name in ("rows", "values", "per_user", "per_item")},
        **{name: summary[f"n_{name}"] for name in ("ratings", "users", "items")},
    }
    files = [{"name": twin.name, "size": twin.stat().st_size, "urls": urls}]
    edition = {"name": "zip", "parser": PARSER, "files": files}
    return {"variants": [edition], "expected": expected, "auxiliary_files": []}


def with_mirror(
    finished: Workflow, folder: Path, more_users: int = 0
) -> tuple[Workflow, Path, dict[str, Any]]:
    """Return a copy with the twin in a mirror, and changes by which it is a real dataset."""
    workflow = finished.copied(folder, with_results=True)
    file = workflow.folder / "mirror/ml-1m/ml-1m.zip"
    file.parent.mkdir(parents=True)
    shutil.copy2(workflow.folder / TWIN, file)
    dataset = dataset_of(workflow, ["http://127.0.0.1/nowhere"])
    dataset["expected"]["users"] += more_users
    changes = {"edition": "full", "local_mirrors": ["mirror"], "datasets": {"ml-1m": dataset}}
    return workflow, file, changes


def test_a_downloaded_dataset_is_not_fetched_again_even_without_network(
    finished: Workflow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    workflow = finished.copied(tmp_path / "downloading", with_results=True)
    twin = workflow.folder / TWIN
    with running_hostile_server() as server:
        url = server.serve("/ml-1m.zip", twin.read_bytes())
        changes = {"edition": "full", "datasets": {"ml-1m": dataset_of(workflow, [url])}}
        first = workflow.run("--cores", "1", targets=RATINGS, changes={**changes, "network": "on"})
    assert first.status == 0, first.text
    assert (workflow.folder / "work/raw/ml-1m/ml-1m.zip").read_bytes() == twin.read_bytes()
    again = workflow.run("-n", targets=RATINGS, changes={**changes, "network": "off"})
    assert again.did_nothing, again.text


def test_other_counts_than_expected_are_said_in_one_sentence_without_a_traceback(
    finished: Workflow, tmp_path: Path
) -> None:
    workflow, _, changes = with_mirror(finished, tmp_path / "miscounted", more_users=1)
    run = workflow.run("--cores", "1", targets=RATINGS, changes=changes, as_shown=True)
    log = workflow.read("work/full/ml-1m/logs/prepare_ratings.log")
    alone = workflow.receval(
        *("repo", "run-rule", *RATINGS, "--configfile", "small.yaml", "changes.yaml")
    )
    for said in (run.text, log, alone.text):
        assert said.count(" expected, ") == 1, said
        assert "Traceback" not in said, said
    assert (run.status, alone.status) == (1, 1)


def test_a_raw_file_of_a_mirror_counts_by_its_content(finished: Workflow, tmp_path: Path) -> None:
    workflow, file, changes = with_mirror(finished, tmp_path / "mirrored")
    first = workflow.run("--cores", "1", targets=RATINGS, changes=changes)
    assert first.status == 0, first.text
    os.utime(file)
    touched = workflow.run("-n", targets=RATINGS, changes=changes)
    assert touched.did_nothing, touched.text
    # Another file of the same size: one byte of the archive's own notes on its first member.
    content = bytearray(file.read_bytes())
    content[10] ^= 1
    file.write_bytes(content)
    changed = workflow.run("-n", targets=RATINGS, changes=changes)
    assert {"fetch_raw ml-1m", "prepare_ratings ml-1m"} <= changed.jobs, changed.text
