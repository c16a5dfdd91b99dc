"""Downloading once."""

from __future__ import annotations

import json

import pytest
from datasets.http_server import running_server
from workflow.running import Workflow

RATINGS = ("work/full/ml-1m/ratings.parquet",)


def test_a_downloaded_dataset_is_not_fetched_again_even_without_network(
    finished: Workflow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    workflow = finished.copied(finished.folder.with_name("downloading"), with_results=True)
    twin = workflow.folder / "work/demo/ml-1m/raw/ml-1m.zip"
    parser = "receval.datasets.formats.movielens:parse_zip"
    summary = json.loads(workflow.read("work/demo/ml-1m/summary.json"))
    expected = {
        **{name: summary[name] for name in ("rows", "values", "per_user", "per_item")},
        **{name: summary[f"n_{name}"] for name in ("ratings", "users", "items")},
    }
    with running_server() as server:
        url = server.serve("/ml-1m.zip", twin.read_bytes())
        files = [{"name": twin.name, "size": twin.stat().st_size, "urls": [url]}]
        edition = {"name": "zip", "parser": parser, "files": files}
        dataset = {"editions": [edition], "expected": expected, "companions": []}
        changes = {"edition": "full", "datasets": {"ml-1m": dataset}}
        first = workflow.run("--cores", "1", targets=RATINGS, changes={**changes, "network": "on"})
    assert first.status == 0, first.text
    assert (workflow.folder / "work/raw/ml-1m/ml-1m.zip").read_bytes() == twin.read_bytes()
    again = workflow.run("-n", targets=RATINGS, changes={**changes, "network": "off"})
    assert again.did_nothing, again.text
