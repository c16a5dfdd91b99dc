# SPDX-License-Identifier: MIT
"""Two commits are compared job by job, each with the inputs that this code made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from between_commits import ROOT, _compared, _elsewhere, _jobs, _print_sums
from measured_jobs import Job

pytestmark = pytest.mark.processes

MAKER = """
import receval

def say_whose_code_runs(source, target, more):
    target.write_text(receval.__file__)

def copy(source, target, more):
    target.mkdir(parents=True, exist_ok=True)
    (target / "copied.txt").write_text(source.read_text() + more)
    (target / "same.txt").write_text("same")
"""


def job(source: str, target: str, more: str = "") -> Job:
    arguments = {
        "function": "made_for_a_test:copy",
        "files": {"source": source, "target": target},
        "values": {"more": more},
    }
    return Job("train_system", target, arguments, (source,), (target,))


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    # What is started finds the code by this variable, which is put back behind the test.
    monkeypatch.setenv("PYTHONPATH", "")
    found = {name: tmp_path / name for name in ("after", "before")}
    for folder in found.values():
        folder.mkdir()
        (folder / "made_for_a_test.py").write_text(MAKER)
        for package in ("receval", "reproduction"):
            (folder / package).symlink_to(ROOT / "src" / package)
    return found


def test_each_commit_runs_its_own_code(sources: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "raw.txt").write_text("raw")
    asked = job("raw.txt", "code.txt")
    function = {"function": "made_for_a_test:say_whose_code_runs"}
    (row,) = _compared(
        [replace(asked, arguments={**asked.arguments, **function})],
        sources,
        tmp_path,
        ["train_system"],
    )
    assert row["different"] == ["code.txt"]
    for when, file in (("after", "code.txt"), ("before", "before/code.txt")):
        assert (tmp_path / file).read_text() == str(sources[when] / "receval" / "__init__.py")


def test_a_job_needs_no_plan_of_the_other_commit(sources: dict[str, Path], tmp_path: Path) -> None:
    whole = ROOT / "src" / "reproduction"
    package = sources["before"] / "reproduction"
    package.unlink()
    (package / "workflow").mkdir(parents=True)
    for folder in (Path(), Path("workflow")):
        for path in (whole / folder).iterdir():
            if path.name not in ("workflow", "plan"):
                (package / folder / path.name).symlink_to(path)
    (tmp_path / "raw.txt").write_text("raw")
    (row,) = _compared([job("raw.txt", "one")], sources, tmp_path, ["train_system"])
    assert row["different"] == []


def test_a_job_with_the_code_of_another_commit_is_refused(
    sources: dict[str, Path], tmp_path: Path
) -> None:
    (sources["before"] / "receval").unlink()
    (tmp_path / "raw.txt").write_text("raw")
    with pytest.raises(RuntimeError, match=r"The code of .*before/receval is wanted, and that of"):
        _compared([job("raw.txt", "one")], sources, tmp_path, ["train_system"])


@pytest.mark.costly
def test_jobs_with_other_bytes_are_told_and_those_behind_them_compared_by_themselves(
    sources: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The other commit adds a letter where one is added.
    other = sources["before"] / "made_for_a_test.py"
    other.write_text(MAKER.replace("+ more", "+ more.replace('a', 'aa')"))
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "raw.txt").write_text("raw")
    jobs = [job("raw.txt", "one", more="a"), job("one/copied.txt", "two", more="b")]
    rows = _compared(jobs, sources, folder, ["train_system"])
    assert [(row["subject"], row["different"]) for row in rows] == [("one", ["one"]), ("two", [])]
    assert (folder / "two" / "copied.txt").read_text() == "rawab"
    assert (folder / "before" / "one" / "copied.txt").read_text() == "rawaa"
    assert "DIFFERENT: one" in capsys.readouterr().out
    # What was compared is not done again, unless the code is another.
    (folder / "raw.txt").write_text("other")
    assert _compared(jobs, sources, folder, ["train_system"]) == rows
    # The same file may be asked for with other values.
    (changed,) = _compared([job("raw.txt", "one", more="aa")], sources, folder, ["train_system"])
    assert changed["asked"] != rows[0]["asked"]
    other.write_text(MAKER)
    again = _compared(jobs, sources, folder / ".", ["train_system"])
    assert [row["different"] for row in again] == [[], []]
    assert (folder / "two" / "copied.txt").read_text() == "otherab"


def test_a_file_that_only_one_commit_writes_is_a_difference(
    sources: dict[str, Path], tmp_path: Path
) -> None:
    other = sources["before"] / "made_for_a_test.py"
    other.write_text(MAKER + '    (target / "more.txt").write_text("")\n')
    (tmp_path / "raw.txt").write_text("raw")
    rows = _compared([job("raw.txt", "one")], sources, tmp_path, ["train_system"])
    assert [row["different"] for row in rows] == [["one"]]


def test_sums_by_stage_say_how_many_jobs_have_other_bytes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    row = {"stage": "train_system", "before": 3.0, "after": 1.5, "different": []}
    _print_sums([row, {**row, "different": ["one"]}, {**row, "stage": "rank_system"}])
    trained, ranked = capsys.readouterr().out.splitlines()
    assert "2 jobs, before      6.0 s, after      3.0 s,  2.00 times as fast, 1 with" in trained
    assert ranked.startswith("rank_system")
    assert ranked.endswith("0 with other bytes")


def test_only_outputs_are_written_elsewhere() -> None:
    moved = _elsewhere(job("raw.txt", "one"))
    assert moved.arguments["files"] == {"source": "raw.txt", "target": "before/one"}
    assert (moved.inputs, moved.outputs) == (("raw.txt",), ("before/one",))


def test_a_dataset_that_is_not_there_is_said_with_what_to_do() -> None:
    with pytest.raises(SystemExit, match=r"(?s)librarything is not there: .+work/raw"):
        _jobs("valcarce2018", "librarything")
