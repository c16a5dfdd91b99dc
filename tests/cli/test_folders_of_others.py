# SPDX-License-Identifier: MIT
"""A command replaces what receval wrote, as a whole, and nothing else without being told to."""

from __future__ import annotations

import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest

from receval.cli.main import main
from receval.evaluation.report import SETTINGS, Report, settings_text

pytestmark = pytest.mark.usefixtures("two_runs", "undrawn")

RUNS = ["runs", "--test", "test.csv", "a.csv", "b.csv", "--metric", "RR", "--depth", "whole"]


def report(title: str = "Mine", **data: list[str]) -> Report:
    return Report(title, (), {name: pd.DataFrame({"name": own}) for name, own in data.items()})


def contents(folder: str | Path) -> dict[str, bytes]:
    paths = (path for path in Path(folder).rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def test_a_folder_with_settings_of_another_program_is_left_as_it_was(
    capsys: pytest.CaptureFixture[str],
) -> None:
    proj = Path("proj")
    proj.mkdir()
    (proj / "thesis.tex").write_bytes(b"mine")
    (proj / "link").symlink_to("thesis.tex")
    files = ["thesis.tex", "link", ".bashrc"]
    (proj / SETTINGS).write_text(json.dumps({"files": files}), encoding="utf-8")
    (proj / ".bashrc").write_bytes(b"mine")
    before = contents(proj)
    assert main([*RUNS, "--out", "proj"]) == 2
    told = capsys.readouterr().err
    assert "'proj' contains link, settings.json, thesis.tex, which receval did not write" in told
    assert contents(proj) == before


def test_force_writes_beside_files_of_others_which_stay(folder: Path) -> None:
    Path("pairs.csv").write_bytes(b"mine")
    assert main([*RUNS, "--out", "."]) == 2
    assert Path("pairs.csv").read_bytes() == b"mine"
    assert main([*RUNS, "--out", ".", "--force"]) == 0
    assert Path("pairs.csv").read_bytes() != b"mine"
    assert {"test.csv", "a.csv", "report.html"} <= set(contents("."))


def test_a_file_of_a_report_that_somebody_has_changed_is_neither_replaced_nor_taken_away(
    tmp_path: Path,
) -> None:
    out = tmp_path / "out"
    report(first=["a"], second=["b"]).write(out)
    (out / "second.csv").write_bytes(b"corrected by hand")
    for data in ({"second": ["c"]}, {"first": ["c"]}):
        with pytest.raises(
            ValueError, match=r"contains second\.csv, which receval did not write or"
        ):
            report(**data).write(out)
    report(first=["c"]).write(out, force=True)
    assert (out / "second.csv").read_bytes() == b"corrected by hand"


def test_a_name_of_the_new_report_alone_is_not_taken_from_a_file_of_others(tmp_path: Path) -> None:
    out = tmp_path / "out"
    report(first=["a"]).write(out)
    (out / "second.csv").write_bytes(b"mine")
    with pytest.raises(ValueError, match=r"contains second\.csv, which receval did not write"):
        report(second=["b"]).write(out)
    assert sorted(contents(out)) == ["first.csv", "report.html", "second.csv", SETTINGS]


def test_settings_that_are_signed_take_no_file_away_that_they_do_not_describe(
    tmp_path: Path,
) -> None:
    (tmp_path / "thesis.tex").write_bytes(b"mine")
    text = settings_text({}, {"thesis.tex": "0" * 64, "../r.csv": "0" * 64})
    (tmp_path / SETTINGS).write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"contains thesis\.tex, which receval did not write"):
        report(first=["a"]).write(tmp_path)
    report(first=["a"]).write(tmp_path, force=True)
    assert (tmp_path / "thesis.tex").read_bytes() == b"mine"


@pytest.mark.parametrize("further", [[], ["--force"]])
def test_what_a_command_reads_is_never_written_over(
    further: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*RUNS, "--out", "out", "--report", "page.html"]) == 0
    Path("averages.csv").write_bytes(Path("test.csv").read_bytes())
    before = contents(".")
    for words in (
        ["evaluate", "out/per_user.csv", "--out", "out"],
        ["runs", "--test", "averages.csv", *RUNS[3:], "--out", "."],
        [*RUNS, "--report", "a.csv"],
    ):
        capsys.readouterr()
        assert main([*words, *further]) == 2
        if further:
            assert "his command" in capsys.readouterr().err
        assert contents(".") == before


def test_a_page_is_written_over_a_page_and_over_nothing_else(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("index.html").write_bytes(b"<!doctype html>\n<p>mine")
    assert main([*RUNS, "--report", "index.html"]) == 2
    Path("thesis.tex").write_bytes(b"mine")
    assert main([*RUNS, "--report", "thesis.tex"]) == 2
    assert "'thesis.tex' already exists and is not a report of receval" in capsys.readouterr().err
    assert Path("thesis.tex").read_bytes() == b"mine"
    for _ in range(2):
        assert main([*RUNS, "--report", "page.html"]) == 0


@contextmanager
def at_most_bytes(number: int) -> Iterator[None]:
    """Let no file be larger, as a disk does not that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (number, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_on_a_full_disk_an_earlier_report_stays_whole(tmp_path: Path) -> None:
    out = tmp_path / "out"
    report(first=["a"], second=["b"]).write(out)
    before = contents(out)
    with at_most_bytes(2000), pytest.raises(OSError, match="too large"):
        report(first=["c"], third=["d" * 4000]).write(out)
    assert contents(out) == before


def test_a_report_that_cannot_be_put_in_place_leaves_the_earlier_one(tmp_path: Path) -> None:
    out = tmp_path / "out"
    report(first=["a"]).write(out)
    (out / "zones.csv").mkdir()
    before = contents(out)
    with pytest.raises(ValueError, match=r"zones\.csv' is a folder, but the report has"):
        report(first=["b"], zones=["c"]).write(out, force=True)
    assert contents(out) == before


@pytest.mark.parametrize("killed_before", range(1, 4))
def test_a_report_whose_process_was_killed_while_it_was_put_in_place_is_put_there_by_the_next(
    killed_before: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    report("Earlier", a=["1"], b=["2"]).write(out)
    with monkeypatch.context() as killed:
        real, times = Path.replace, iter(range(9))

        def replace(self: Path, target: Path) -> Path:
            return real(self, target) if next(times) < killed_before else self

        # What is killed takes nothing away at its end.
        killed.setattr(Path, "replace", replace)
        killed.setattr(Path, "unlink", lambda *_, **__: None)
        report("Killed", a=["3"], b=["4"]).write(out)
    report("Later", a=["5"], b=["6"]).write(out)
    assert set(contents(out)) == {"a.csv", "b.csv", "report.html", "settings.json"}
    assert contents(out)["a.csv"].splitlines()[1:] == [b"5"]


def test_texts_that_a_spreadsheet_would_compute_get_an_apostrophe_where_that_is_asked_for(
    tmp_path: Path,
) -> None:
    names = ["=1+1", "@SUM(A1)", "+cmd", "-x", "-5", "+1.5e-3", "a=b"]
    report(names=names).write(tmp_path / "plain")
    report(names=names).write(tmp_path / "safe", for_spreadsheets=True)
    read = [
        pd.read_csv(tmp_path / f"{kind}/names.csv", dtype=str)["name"].tolist()
        for kind in ("plain", "safe")
    ]
    assert read[0] == names
    assert read[1] == ["'=1+1", "'@SUM(A1)", "'+cmd", "'-x", "-5", "+1.5e-3", "a=b"]


def test_a_command_writes_for_spreadsheets_and_does_so_again() -> None:
    Path("b.csv").rename("=b.csv")
    words = [*RUNS[:4], "./=b.csv", *RUNS[5:]]
    assert main([*words, "--out", "one", "--for-spreadsheets"]) == 0
    assert pd.read_csv("one/averages.csv")["system"].tolist() == ["a", "'=b"]
    assert main(["runs", "--settings", "one/settings.json", "--out", "again"]) == 0
    assert contents("one") == contents("again")
