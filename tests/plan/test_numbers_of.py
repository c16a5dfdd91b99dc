"""Artifacts that read another artifact's numbers, or splits without any system."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from plan.planned import plan_of, put_raw_files

from receval.studies.inputs import ArtifactInputs

STUDY = "bellogin2017"


def test_an_artifact_reads_the_csv_of_another_one() -> None:
    plan = plan_of("demo")
    inputs = plan.artifact_inputs(STUDY, "fig08_relations")
    assert inputs["numbers"] == ["work/demo/artifacts/bellogin2017/fig08.csv"]
    assert inputs["ranks"] == []
    opened = ArtifactInputs.of(Path("work/demo"), plan.description(STUDY, "fig08_relations"))
    assert opened.numbers == {"fig08": Path("work/demo/artifacts/bellogin2017/fig08.csv")}


def test_it_needs_the_datasets_of_the_other_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    without = plan_of("full")
    assert "fig08_relations" not in without.artifacts(STUDY)
    put_raw_files(tmp_path / "mirror", "ml-1m")
    plan = plan_of("full")
    assert "fig08_relations" in plan.artifacts(STUDY)
    assert plan.absent(STUDY, "fig08_relations") == ["lastfm-1k"]


def test_an_artifact_reads_splits_without_any_system() -> None:
    plan = plan_of("demo")
    inputs = plan.artifact_inputs(STUDY, "fig06")
    assert inputs["splits"] == [
        f"work/demo/ml-1m/{split}/split.npz" for split in ("coin-flip-80", "uniform-test")
    ]
    assert inputs["ranks"] == []
    opened = ArtifactInputs.of(Path("work/demo"), plan.description(STUDY, "fig06"))
    assert opened.splits == (("ml-1m", "coin-flip-80"), ("ml-1m", "uniform-test"))
    assert set(inputs["splits"]) <= set(plan.study_splits(STUDY))


@pytest.mark.parametrize(
    ("place", "value", "sentence"),
    [
        (("fig08_relations", "numbers_of"), ["fig99"], "needs the artifact that reads no other"),
        (("fig08", "numbers_of"), ["fig08_relations"], "needs the artifact that reads no other"),
        (("fig06", "splits"), ["coins"], "names the split coins, which is not defined"),
    ],
)
def test_names_that_cannot_be_read_are_refused(
    place: tuple[str, str], value: Any, sentence: str
) -> None:
    artifact, key = place
    changed = {"studies": {STUDY: {"artifacts": {artifact: {key: value}}}}}
    with pytest.raises(ValueError, match=sentence):
        plan_of("demo", changed)
