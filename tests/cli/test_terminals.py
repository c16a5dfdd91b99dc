# SPDX-License-Identifier: MIT
"""Commands work with any terminal, pipe or none, and show no name that a terminal would obey."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from io import BytesIO, TextIOWrapper
from multiprocessing import get_context
from pathlib import Path
from xml.dom import minidom

import pandas as pd
import pytest
from matplotlib.figure import Figure

from receval.cli.main import main
from receval.evaluation.report import LONGEST_SHOWN, Report, ReportFigure, ReportTable
from receval.figures.style import new_figure
from receval.figures.tables import Column, Table, to_markdown

pytestmark = pytest.mark.usefixtures("two_runs")

RUNS = ["runs", "--test", "test.csv", "a.csv", "b.csv", "--metric", "RR", "--depth", "whole"]
HOSTILE = "x\x1b[2J\x07\x9b\u202e\u2066\ny"
OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "cp437", "ascii", "utf-8"])
def test_what_an_encoding_does_not_have_is_replaced(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe = BytesIO()
    monkeypatch.setattr("sys.stderr", TextIOWrapper(pipe, encoding=encoding, write_through=True))
    assert main(["evaluate", "\N{MINUS SIGN}5\N{EN DASH}5.csv"]) == 2
    told = pipe.getvalue().decode(encoding)
    shown = {"utf-8": "\N{MINUS SIGN}5\N{EN DASH}5", "cp1252": "-5\N{EN DASH}5"}.get(
        encoding, "-5-5"
    )
    assert told == f"{shown}.csv: there is no such file or folder.\n"


@pytest.mark.usefixtures("undrawn")
@pytest.mark.costly
def test_tables_are_printed_in_the_letters_of_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = BytesIO()
    monkeypatch.setattr("sys.stdout", TextIOWrapper(pipe, encoding="cp1252"))
    assert main([*RUNS, "--out", "out"]) == 0
    assert b"| -.3333 |" in re.sub(b" +", b" ", pipe.getvalue())
    assert "\N{MINUS SIGN}.3333" in Path("out/pairs.md").read_text(encoding="utf-8")


@pytest.mark.usefixtures("undrawn")
@pytest.mark.processes
# Python warns of forks of programs with threads; the child uses none of them.
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_closed_streams_cost_nothing() -> None:
    def run() -> None:
        os.closerange(0, 3)
        for name in ("stdin", "stdout", "stderr", "__stdin__", "__stdout__", "__stderr__"):
            setattr(sys, name, None)
        sys.exit(main([*RUNS, "--out", "out"]))

    process = get_context("fork").Process(target=run, daemon=True)
    process.start()
    process.join(60)
    assert process.exitcode == 0
    assert Path("out/averages.csv").read_text(encoding="utf-8").startswith("protocol,metric,")
    assert Path("out/report.html").exists()


@pytest.mark.processes
def test_neither_the_backend_of_a_notebook_nor_a_lacking_home_matters_to_matplotlib() -> None:
    code = "from receval.cli.main import main; main(['no-command']); import matplotlib"
    hidden = ("MPLCONFIGDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")
    variables = {name: value for name, value in os.environ.items() if name not in hidden}
    variables |= {"MPLBACKEND": "no_such_backend", "HOME": "/dev/null/nobody"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=variables, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("There is no command 'no-command'")


@pytest.mark.usefixtures("undrawn")
@pytest.mark.costly
def test_a_file_whose_name_is_no_utf_8_is_shown_with_escapes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    name = os.fsdecode(b"b\xff.csv")
    Path("b.csv").rename(name)
    assert main([*RUNS[:4], name, *RUNS[5:], "--out", "out"]) == 0
    assert "b\\udcff" in capsys.readouterr().out.replace("\\\\", "\\")
    assert pd.read_csv("out/averages.csv")["system"].tolist() == ["a", "b\\udcff"]
    assert main(["runs", "--settings", "out/settings.json", "--out", "again"]) == 0
    Path("test.csv").rename(os.fsdecode(b"t\xff.csv"))
    assert main([*RUNS[:2], os.fsdecode(b"t\xff.csv"), "a.csv", *RUNS[5:], "--out", "third"]) == 0


@pytest.mark.costly
def test_no_name_reaches_a_terminal_or_a_page_as_it_would_obey_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([*RUNS[:4], f"{HOSTILE}=b.csv", *RUNS[5:], "--out", "out"]) == 0
    printed = capsys.readouterr()
    for text in (printed.out, printed.err):
        assert not OBEYED.search(text)
    written = list(Path("out").glob("*.[!j]*"))
    assert len(written) > 8
    for path in written:
        assert not OBEYED.search(path.read_text(encoding="utf-8")), path.name
    minidom.parse("out/averages.svg")


@pytest.mark.parametrize("words", [["evaluate", HOSTILE], ["evaluate", f"--{HOSTILE}"], [HOSTILE]])
def test_no_error_reaches_a_terminal_as_it_would_obey_it(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert not OBEYED.search(capsys.readouterr().err)


def hostile_report(alignment: str = "left") -> Report:
    table = Table(HOSTILE, (Column(HOSTILE, alignment),), ((HOSTILE,),), HOSTILE, (HOSTILE,))
    return Report(HOSTILE, (ReportTable("names", table),), settings={"name": HOSTILE})


def test_reports_of_the_library_show_names_with_escapes(tmp_path: Path) -> None:
    for path in hostile_report().write(tmp_path / "out"):
        if path.suffix != ".json":
            assert not OBEYED.search(path.read_text(encoding="utf-8")), path.name


def test_letters_and_spaces_of_all_languages_are_no_escapes() -> None:
    cells = ("Ωmega 推薦", "می\u200cخواهم", "1\u00a0000\u2007")
    table = Table("t", (Column("a"),), tuple((cell,) for cell in cells))
    assert table.rows == tuple((cell,) for cell in cells)


@pytest.mark.each("sign", "\u200b\u200c\u200d\u2060\ufeff\u00ad\u2066\U000e0041")
def test_what_nobody_sees_in_a_name_is_shown_as_an_escape(sign: str) -> None:
    (row,) = Table("t", (Column("a"),), ((f"Pop{sign}$`x`$",),)).rows
    assert row == (f"Pop{ascii(sign)[1:-1]}$`x`$",)


def test_a_long_name_is_shortened_in_tables_of_reports() -> None:
    table = Table("t", (Column("a" * 9_999),), (("b" * 9_999,), ("c" * LONGEST_SHOWN,)))
    shown = ReportTable("names", table).table
    assert len(shown.rows[0][0]) == len(shown.columns[0].header) == LONGEST_SHOWN
    assert shown.rows[1] == table.rows[1]
    assert len(to_markdown(shown)) < 2_000


def test_a_table_that_cannot_be_set_costs_its_files_and_says_so(tmp_path: Path) -> None:
    written = hostile_report("middle").write(tmp_path / "out")
    assert [path.name for path in written] == ["report.html", "settings.json"]
    told = (tmp_path / "out/report.html").read_text(encoding="utf-8")
    assert "The table names.md could not be written and was left out: " in told
    assert "The table names.tex could not be written and was left out: " in told


def test_a_figure_that_cannot_be_drawn_is_told_on_one_line() -> None:
    def draw() -> Figure:
        raise ValueError("one\n\x1b[2J" + "long" * 999)

    note = ReportFigure.drawn("names", draw, "Names.").notes[0]
    assert "names could not be drawn and was left out: one \\x1b[2Jlong" in note
    assert len(note) < 300


def test_a_figure_with_a_hostile_name_is_well_formed() -> None:
    def draw() -> Figure:
        figure = new_figure(2, 2)
        figure.subplots().set_title(HOSTILE)
        return figure

    (svg,) = ReportFigure.drawn("names", draw, HOSTILE).files.values()
    minidom.parseString(svg)


@pytest.mark.parametrize("command", ["evaluate", "diagnose", "multiverse"])
def test_ctrl_c_is_one_line_and_status_130(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def read(*_: object, **__: object) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("receval.data.tables.regular_file", read)
    # A suite in the background ignores this signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert main([command, "test.csv"]) == 130
    finally:
        signal.signal(signal.SIGINT, before)
    assert capsys.readouterr() == ("", "Stopped by Ctrl-C.\n")
    assert not list(Path().glob("receval-*"))


@pytest.mark.usefixtures("undrawn")
@pytest.mark.costly
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
@pytest.mark.parametrize(("stream", "status"), [("stderr", 0), ("stdout", 2)])
def test_a_full_disk_behind_a_stream_takes_no_results_away(
    stream: str, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, stream, full)
        monkeypatch.setattr(sys, f"__{stream}__", full)
        assert main([*RUNS, "--out", "out"]) == status
        # As Python does at its end.
        getattr(sys, stream).flush()
    assert Path("out/settings.json").exists()
    if stream == "stdout":
        assert capsys.readouterr().err.splitlines()[-1] == (
            "There is no space left on the disk: free some space, and run again."
        )
