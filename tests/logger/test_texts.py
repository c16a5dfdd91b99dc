# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from logger.records import error, finish, heard, plan, progress, raised, record, start

from reproduction.drift.changes import Change, Kind
from reproduction.drift.comparison import ArtifactDrift, ArtifactStatus, DriftReport, as_markdown
from snakemake_logger_plugin_receval.handler import (
    WIDTH_OF_BAR,
    failure_text,
    in_words,
    plan_table,
    progress_bar,
    progress_line,
    run_ending,
    seconds_left,
    warnings_of,
)
from snakemake_logger_plugin_receval.run_state import (
    FOLLOWS,
    Failure,
    Job,
    RunState,
    kinds_of_reason,
)


@pytest.mark.each(
    ("seconds", "words"),
    [(0.2, "0 s"), (59.6, "1 min 00 s"), (61, "1 min 01 s"), (7380, "2 h 03 min")],
)
def test_durations_have_their_two_largest_units(seconds: float, words: str) -> None:
    assert in_words(seconds) == words


def run_of(durations: dict[str, float], made: int, planned: int) -> RunState:
    """One job at a time: some jobs of each rule are made, and as many are planned."""
    state, clock, number = RunState(), 0.0, 0
    state.hear(plan(**dict.fromkeys(durations, planned)))
    for rule, seconds in durations.items():
        for _ in range(made):
            heard(state, start(number, rule, at=clock), finish(number, at=clock + seconds))
            clock += seconds
            number += 1
    return state


@given(st.floats(0.1, 100), st.floats(0.1, 100), st.integers(2, 5), st.integers(0, 5))
def test_the_time_left_is_exact_where_jobs_of_a_rule_take_the_same(
    train: float, rank: float, made: int, left: int
) -> None:
    state = run_of({"train": train, "rank": rank}, made, made + left)
    expected = left * (train + rank)
    assert seconds_left(state, made * (train + rank)) == pytest.approx(expected)


BEGUN = start(9, "train", at=30.0)
FAILED = (BEGUN, raised("ValueError", "Killed."), error(9))


@pytest.mark.each(
    ("made", "planned", "later", "now", "left"),
    [
        (2, 5, [], 20.0, None),
        # Nothing of another rule has ended: its jobs take as long as the others.
        (4, 4, [plan(train=4, rank=3)], 40.0, 30.0),
        # What runs has part of its time behind it, and what is tried again has none.
        (3, 5, [BEGUN], 34.0, 16.0),
        (3, 5, [*FAILED], 35.0, 10.0),
        (3, 5, [*FAILED, start(9, "train", at=36.0)], 40.0, 16.0),
        # More jobs than were planned.
        (4, 4, [start(9, "train", at=40.0)], 45.0, 0.0),
    ],
)
def test_the_time_left_is_estimated_from_jobs_of_ten_seconds(
    made: int, planned: int, later: list[logging.LogRecord], now: float, left: float | None
) -> None:
    state = run_of({"train": 10.0}, made, planned)
    heard(state, *later)
    found = seconds_left(state, now)
    assert found == (left if left is None else pytest.approx(left))


def test_the_line_has_jobs_time_failures_and_what_runs() -> None:
    state = RunState()
    heard(
        state,
        plan(train_system=9, all=1),
        *[
            start(n, edition="demo", dataset="ml-1m", split="coin-flip", system=f"s{n}")
            for n in range(5)
        ],
        raised("ValueError", "No."),
        error(4),
        progress(2, 10),
    )
    assert progress_line(state, 65.0) == (
        "2 of 10 jobs (20%), 1 min 05 s, 1 failed; now: train_system coin-flip/s0, "
        "train_system coin-flip/s1, train_system coin-flip/s2 and 1 more"
    )


@given(st.integers(0, 500), st.integers(0, 500))
def test_the_bar_keeps_its_width(done: int, more: int) -> None:
    state = RunState(done=done, total=done + more)
    bar = progress_bar(state, full="#", empty=".")
    assert len(bar) == WIDTH_OF_BAR
    assert bar == "".join(sorted(bar))
    if done and not more:
        assert bar == "#" * WIDTH_OF_BAR


@pytest.mark.each(
    ("reason", "kinds"),
    [
        ("Missing output files: a, b; Input files updated by another job: c", ["not made yet"]),
        ("Input files updated by another job: c", [FOLLOWS]),
        ("Updated input files: a; Set of input files has changed since last execution",
         ["newer inputs", "other inputs"]),
        ("Params have changed since last execution: Union of exclusive params before and now "
         "across all output: before: '0123456789abcdef-01234567' now: 'fedcba9876543210-01234567' ",
         ["code changed"]),
        ("Params have changed since last execution: Union of exclusive params before and now "
         "across all output: before: <nothing exclusive> now: 7 ",
         ["parameters changed"]),
        ("Forced execution", ["forced"]),
    ],
)  # fmt: skip
def test_reasons_have_two_words(reason: str, kinds: list[str]) -> None:
    assert kinds_of_reason(reason) == kinds


def test_the_table_of_a_plan_counts_jobs_and_reasons() -> None:
    state = RunState()
    heard(
        state,
        plan(train_system=2, all=1),
        start(1, reason="Missing output files: a"),
        start(2, reason="Missing output files: b"),
        start(3, "all", reason="Input files updated by another job: a"),
    )
    assert plan_table(state).splitlines() == [
        "rule          jobs  why",
        "train_system     2  not made yet 2",
        "all              1  after another job 1",
        "all together     3",
    ]


def test_a_failure_tells_the_job_the_sentence_and_the_end_of_the_log(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("\n".join(f"line {n}" for n in range(100)), encoding="utf-8")
    job = Job(1, "train_system", ("full", "plsa"), logs=(str(log),))
    first, second, *tail = failure_text(Failure(job, "No.", "No.")).splitlines()
    assert first == "train_system (full, plsa) failed: No."
    assert second == f"  Its log is {log}, which ends:"
    assert tail[-1] == "    | line 99"
    assert len(tail) == 12


@pytest.mark.parametrize("told", ["No mirror gave ml-1m.zip.", ""])
def test_what_a_log_ends_in_is_said_once_whoever_told_it(told: str, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text(
        "INFO trying https://example.org\nERROR No mirror gave ml-1m.zip.\n", encoding="utf-8"
    )
    job = Job(1, "fetch_raw", ("ml-1m",), logs=(str(log),))
    text = failure_text(Failure(job, told, told))
    assert text.count("No mirror gave ml-1m.zip.") == 1
    assert "trying https://example.org" in text


def test_a_full_disk_is_one_line() -> None:
    job = Job(1, "train_system", logs=("nowhere.log",))
    text = failure_text(Failure(job, "[Errno 28] No space left on device: 'a'", "The disk is full"))
    assert text == (
        "The disk is full: train_system failed. [Errno 28] No space left on device: 'a'"
    )


def test_warnings_are_found_in_a_log_with_all_their_lines(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("INFO WARNING no\nWARNING a\n  b\nINFO c\n  d\nWARNING e\n", encoding="utf-8")
    job = Job(1, "train_system", logs=(str(log), "nowhere.log"))
    assert warnings_of(job) == ["a\n  b", "e"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_is_wrong_with_prepared_data_stands_before_the_drift(here: Path) -> None:
    report = DriftReport((ArtifactDrift("bellogin2017/fig03", ArtifactStatus.MISSING),))
    (here / "work/demo").mkdir(parents=True, exist_ok=True)
    (here / "work/demo/drift.md").write_text(f"ratings.parquet is bad.\n\n{as_markdown(report)}")
    state = RunState()
    heard(state, plan(report_drift=1), start(1, "report_drift", output=["work/demo/drift.md"]))
    heard(state, finish(1), progress(1, 1))
    assert (
        "ratings.parquet is bad. Drift: 1 of 1 artifacts: bellogin2017/fig03 (work/demo/drift.md)."
        in run_ending(state, 1.0).splitlines()
    )


def test_the_end_says_where_results_are_what_drifted_and_what_was_absent(here: Path) -> None:
    study = here / "work/demo/artifacts/bellogin2017"
    study.mkdir(parents=True)
    (study / "provenance.json").write_text(json.dumps({"absent": ["trec-qrels"]}))
    moved = (Change(Kind.ROW_NEW, row="system=pop"),)
    compared = (
        ArtifactDrift("bellogin2017/fig01", ArtifactStatus.SAME),
        ArtifactDrift("bellogin2017/fig02", ArtifactStatus.DRIFTED, changes=moved),
        ArtifactDrift("bellogin2017/fig02_relations", ArtifactStatus.TOLERATED),
        ArtifactDrift("bellogin2017/fig03", ArtifactStatus.MISSING),
        ArtifactDrift("bellogin2017/fig04", ArtifactStatus.ABSENT),
    )
    (here / "work/demo/drift.md").write_text(as_markdown(DriftReport(compared)))
    state = RunState()
    heard(
        state,
        plan(draw_figure=1, report_drift=1),
        start(1, "draw_figure", output=["work/demo/artifacts/bellogin2017/fig02.svg"]),
        finish(1),
        start(2, "report_drift", output=["work/demo/drift.md"]),
        finish(2),
        progress(2, 2),
    )
    assert run_ending(state, 61.0).splitlines() == [
        "Done: 2 jobs in 1 min 01 s.",
        "Results: work/demo/artifacts/bellogin2017/",
        "Drift: 2 of 5 artifacts: bellogin2017/fig02, bellogin2017/fig03 (work/demo/drift.md).",
        "Absent: trec-qrels (receval repo datasets shows how to get them).",
    ]


def test_a_run_that_failed_counts_what_failed_and_what_had_to_wait() -> None:
    state = RunState()
    state.hear(plan(train_system=4))
    for number in (1, 2):
        heard(state, start(number), raised("OSError", "[Errno 28] x"), error(number))
    heard(state, start(3), finish(3), progress(1, 4))
    assert run_ending(state, 5.0, ".snakemake/log/a.log").splitlines() == [
        "Failed: 2 jobs; 1 of 4 jobs made in 5 s, 1 not started. Fix what failed. Then run the "
        "same command again, and it continues from there.",
        "  2 times: The disk is full (train_system 2).",
        "Snakemake's log: .snakemake/log/a.log",
    ]


def test_a_run_that_was_stopped_says_so() -> None:
    state = RunState()
    stop = record(None, "Terminating processes on user request, this might take some time.")
    heard(state, plan(train_system=4), progress(1, 4), stop)
    assert run_ending(state, 5.0).startswith("Stopped: 1 of 4 jobs made in 5 s.")
