# SPDX-License-Identifier: MIT
"""Provenance records are complete, stable, and the same on every machine."""

from __future__ import annotations

import datetime
import json
import os
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reproduction.workflow.provenance.versions import (
    PACKAGES,
    libraries_from_elsewhere,
    provenance_record,
    used_arithmetic,
    versions,
    write_json,
)

CONFIG: dict[str, Any] = {"seed": 7, "local_mirrors": ["../shared/datasets"], "network": False}
DATASETS = {
    "ml-1m": {"sha256": "a6898adb", "url": "https://files.grouplens.org/datasets/ml-1m.zip"}
}

DIGESTS = {"fig02": {"results": "0f-1a", "shown": "2b-1a"}}


def test_versions_are_those_installed() -> None:
    found = versions()
    assert found["python"] == f"{sys.version_info.major}.{sys.version_info.minor}"
    for name in PACKAGES:
        assert found[name] == metadata.version(name)
    assert list(found) == sorted(found)


def test_libraries_that_pythonpath_puts_before_those_of_the_environment_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("numpy", "scipy", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
    monkeypatch.setenv("PYTHONPATH", f"/nowhere{os.pathsep}{tmp_path}")
    sentence = libraries_from_elsewhere()
    assert sentence.startswith("PYTHONPATH replaces libraries of this environment (")
    assert f"): numpy, scipy from {tmp_path}. The results" in sentence
    assert "unset PYTHONPATH" in sentence


def test_a_pythonpath_without_libraries_of_the_environment_needs_no_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "numpy").mkdir()
    own = Path(np.__file__).parents[1]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, (tmp_path, own, "src"))))
    assert libraries_from_elsewhere() == ""


def test_missing_optional_package_is_left_out_and_a_needed_one_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = metadata.version

    def without(*missing: str) -> None:
        def version(name: str) -> str:
            if name in missing:
                raise metadata.PackageNotFoundError(name)
            return real(name)

        monkeypatch.setattr(metadata, "version", version)

    without("snakemake")
    assert "snakemake" not in versions()
    without("scipy")
    with pytest.raises(ValueError, match="scipy is not installed"):
        versions()


def test_record_names_code_config_data_results_versions_and_absent_datasets(tmp_path: Path) -> None:
    results = tmp_path / "fig01.csv"
    results.write_bytes(b"")
    record = provenance_record(CONFIG, DATASETS, ["yahoo-r3", "netflix"], DIGESTS, [results])
    assert record == {
        "absent": ["netflix", "yahoo-r3"],
        "arithmetic": used_arithmetic(),
        "code": DIGESTS,
        "config": CONFIG,
        "datasets": DATASETS,
        # Of no bytes.
        "results": {"fig01": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        "versions": versions(),
    }


def test_json_has_the_same_bytes_whatever_the_order_of_keys(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", provenance_record(CONFIG, DATASETS, ["x", "y"], DIGESTS))
    reversed_config = dict(reversed(CONFIG.items()))
    write_json(
        tmp_path / "b.json", provenance_record(reversed_config, DATASETS, ["y", "x"], DIGESTS)
    )
    text = (tmp_path / "a.json").read_bytes()
    assert (tmp_path / "b.json").read_bytes() == text
    assert text.endswith(b"}\n")
    assert json.loads(text)["config"] == CONFIG


@pytest.mark.each(
    ("value", "message"),
    [
        ("/data/ml-1m", r"record\.config\.key holds the absolute path \"/data/ml-1m\""),
        ("~/data", "absolute path"),
        ("C:\\data", "absolute path"),
        ("file:///data/x", "absolute path"),
        (["ok", {"deep": "read from /data/raw/x.zip"}], r"config\.key\[1\]\.deep holds"),
        ({"/data/x": 1}, r"A key of record\.config\.key holds"),
        (Path("relative"), "Path, which JSON does not have"),
        (datetime.date(2020, 1, 1), "date, which JSON does not have"),
        (float("nan"), "is nan, which JSON does not have"),
        ({1: 2}, "the key 1 of type int"),
    ],
)
def test_value_unfit_for_a_tracked_record_is_refused_by_its_place(
    tmp_path: Path, value: object, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        provenance_record({"key": value}, {}, [], {})
    path = tmp_path / "record.json"
    path.write_text("before")
    with pytest.raises(ValueError, match="record"):
        write_json(path, {"key": value})
    assert path.read_text() == "before"


@pytest.mark.each(
    "value", ["https://example.org/a/b.zip", "and/or", "ratio 1 / 2", "a: b", "::", "TI-AN /AI-AN"]
)
def test_text_that_only_looks_like_a_path_is_accepted(value: str) -> None:
    assert provenance_record({"key": value}, {}, [], {})["config"] == {"key": value}
