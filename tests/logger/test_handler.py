# SPDX-License-Identifier: MIT
from __future__ import annotations

import io
import logging
import time
from dataclasses import dataclass, field

import pytest
from logger.records import error, finish, plan, progress, raised, record, start
from snakemake.settings.enums import Quietness
from snakemake_interface_logger_plugins.common import LogEvent

from snakemake_logger_plugin_receval import LogHandler, handler
from snakemake_logger_plugin_receval.handler import Screen


@dataclass
class Settings:
    """What Snakemake tells its loggers."""

    printshellcmds: bool = False
    nocolor: bool = False
    quiet: set[Quietness] = field(default_factory=set)
    debug_dag: bool = False
    verbose: bool = False
    show_failed_logs: bool = True
    stdout: bool = False
    dryrun: bool = False


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    # The handler switches it off.
    monkeypatch.setattr(logging, "raiseExceptions", True)
    return io.StringIO()


RUN = (
    plan(train_system=2),
    start(1, system="pop"),
    finish(1),
    progress(1, 2),
    raised("ValueError", "No such thing."),
    error(2),
)


def handle(
    settings: Settings, said: io.StringIO, records: tuple[logging.LogRecord, ...] = RUN
) -> LogHandler:
    """A handler that has been given records and writes into memory."""
    shown = LogHandler(settings, None)
    shown.screen = Screen(said, colours=True)
    for one in records:
        shown.handle(one)
    return shown


def test_without_a_terminal_a_line_comes_every_few_seconds(
    said: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handler, "BETWEEN_LINES", 0.01)
    shown = handle(Settings(), said)
    until = time.monotonic() + 5
    while said.getvalue().count("1 of 2 jobs (50%)") < 2 and time.monotonic() < until:
        time.sleep(0.01)
    shown.close()
    assert said.getvalue().count("1 of 2 jobs (50%)") >= 2


def test_no_name_in_what_is_said_is_obeyed_by_a_terminal(said: io.StringIO) -> None:
    screen = Screen(said, colours=True)
    screen.say("two\nlines\x1b[2J\x9b\u202e", handler.RED)
    assert said.getvalue().replace("\x1b[31m", "").replace("\x1b[0m", "") == (
        "two\nlines\\x1b[2J\\x9b\\u202e\n"
    )


def test_the_end_is_said_once_however_often_the_handler_is_closed(said: io.StringIO) -> None:
    shown = handle(Settings(), said)
    shown.close()
    shown.close()
    assert said.getvalue().splitlines()[0] == "train_system failed: No such thing."
    assert said.getvalue().count("Failed: 1 job; 1 of 2 jobs made") == 1
    assert "\x1b" not in said.getvalue()


def test_quiet_about_progress_still_tells_failures(said: io.StringIO) -> None:
    handle(Settings(quiet={Quietness.PROGRESS, Quietness.RULES}), said).close()
    assert said.getvalue() == "train_system failed: No such thing.\n"


def test_quiet_about_all_says_nothing(said: io.StringIO) -> None:
    handle(Settings(quiet={Quietness.ALL}), said).close()
    assert said.getvalue() == ""


def test_a_record_that_cannot_be_understood_is_one_line(said: io.StringIO) -> None:
    handle(Settings(), said, (record(LogEvent.JOB_FINISHED, "Finished."),)).close()
    assert said.getvalue() == "This message could not be shown: Finished. (KeyError('job_id'))\n"
