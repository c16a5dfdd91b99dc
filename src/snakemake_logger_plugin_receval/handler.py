# SPDX-License-Identifier: MIT
"""The log handler that Snakemake calls, and the screen that it writes to."""

from __future__ import annotations

import logging
import os
import re
import sys
import threading
import time
from typing import TextIO

from snakemake.logging import ColorizingTextHandler, DefaultFilter, DefaultFormatter
from snakemake_interface_logger_plugins.base import LogHandlerBase

from receval.storage.messages import printable
from snakemake_logger_plugin_receval.run_report import (
    failure_text,
    plan_table,
    progress_bar,
    progress_line,
    run_ending,
    warnings_of,
)
from snakemake_logger_plugin_receval.run_state import Failure, Made, Notice, RunState

_ERASE = "\r\x1b[2K"
RED, YELLOW = 31, 33


class Screen:
    """A stream of permanent lines with, on a terminal, one live line below them."""

    def __init__(self, stream: TextIO, *, colours: bool) -> None:
        self.stream = stream
        self.is_live = (
            stream.isatty() and os.environ.get("TERM", "") != "dumb" and os.name == "posix"
        )
        self.colours = colours and self.is_live and "NO_COLOR" not in os.environ
        self._line = ""

    @property
    def can_draw(self) -> bool:
        """Whether the stream takes the characters of a smooth bar."""
        return (self.stream.encoding or "").lower().startswith("utf")

    def say(self, text: str, colour: int | None = None) -> None:
        """Write permanent lines."""
        # Messages may contain foreign names, which must not control the terminal.
        text = printable(text, kept="\n\t")
        if colour is not None and self.colours:
            text = f"\x1b[{colour}m{text}\x1b[0m"
        line, self._line = self._line, ""
        self.stream.write((_ERASE if line else "") + text + "\n")
        self.show(line)
        self.stream.flush()

    def show(self, line: str) -> None:
        """Replace the live line, cut to the terminal's width; an empty text removes it."""
        if not self.is_live or line == self._line:
            return
        line = printable(line)[: self._width() - 1]
        self.stream.write(_ERASE + line)
        self.stream.flush()
        self._line = line

    def _width(self) -> int:
        try:
            return os.get_terminal_size(self.stream.fileno()).columns or 80
        except (OSError, ValueError):
            return 80


BETWEEN_DRAWINGS = 0.25
BETWEEN_LINES = 10.0
"""Seconds between updates of the line on a terminal, and between lines elsewhere."""


class LogHandler(LogHandlerBase):
    """Shows a run: one line of progress, warnings and failures in full, and how it ended."""

    # What Snakemake asks of every logger.
    writes_to_stream = True
    writes_to_file = False
    has_filter = True
    has_formatter = True
    needs_rulegraph = False

    def __post_init__(self) -> None:
        settings = self.common_settings
        stream = sys.stdout if settings.stdout else sys.stderr
        self.screen = Screen(stream, colours=not settings.nocolor)
        self.state = RunState()
        self.quiet = {str(level).rpartition(".")[2].lower() for level in settings.quiet or ()}
        self.dry = settings.dryrun
        self._own = self._snakemakes_own()
        self._log_file = ""
        self._warned: set[str] = set()
        # If the disk is full, Python would print two stacks for each record that cannot be logged.
        logging.raiseExceptions = False
        self._stop = threading.Event()
        self._clock: threading.Thread | None = None

    def _snakemakes_own(self) -> logging.Handler | None:
        """Return Snakemake's own handler if its options request more than is shown here."""
        asked = self.common_settings
        if not (asked.verbose or asked.printshellcmds or asked.debug_dag):
            return None
        own = ColorizingTextHandler(nocolor=asked.nocolor, stream=self.screen.stream)
        own.setFormatter(DefaultFormatter(asked.quiet, asked.show_failed_logs))
        own.addFilter(
            DefaultFilter(
                asked.quiet, asked.debug_dag, asked.verbose, asked.dryrun, asked.printshellcmds
            )
        )
        return own

    def emit(self, record: logging.LogRecord) -> None:
        """Update the state with a record, and show its messages at once."""
        if self._own is not None:
            self._own.handle(record)
            return
        try:
            log = re.match(r"Complete log\(s\): (.*)", record.getMessage())
            self._log_file = log[1] if log else self._log_file
            for notice in self.state.hear(record):
                self._say(notice)
            self._start_clock()
        except Exception:
            self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Say in one line that a record could not be shown; Snakemake's own log has it."""
        if not isinstance(sys.exc_info()[1], BrokenPipeError):
            self.screen.say(
                f"This message could not be shown: {record.getMessage()} ({sys.exc_info()[1]!r})"
            )

    def _say(self, notice: Notice) -> None:
        if "all" in self.quiet and not self.dry:
            return
        if isinstance(notice, Made):
            new = [text for text in warnings_of(notice.job) if text not in self._warned]
            self._warned.update(new)
            for text in new:
                self.screen.say(f"{notice.job.name} warns: {text}", YELLOW)
        elif isinstance(notice, Failure):
            self.screen.say(failure_text(notice), RED)
        elif notice.level >= logging.ERROR:
            self.screen.say(notice.text, RED)
        elif notice.level >= logging.WARNING:
            self.screen.say(notice.text, YELLOW)
        elif notice.level >= logging.INFO:
            self.screen.say(notice.text)

    @property
    def _shows_progress(self) -> bool:
        return bool(self.state.planned) and not self.dry and not self.quiet & {"all", "progress"}

    def _start_clock(self) -> None:
        if self._clock is None and self._shows_progress and not self._stop.is_set():
            self._clock = threading.Thread(target=self._tick, name="progress", daemon=True)
            self._clock.start()

    def _tick(self) -> None:
        interval = BETWEEN_DRAWINGS if self.screen.is_live else BETWEEN_LINES
        while not self._stop.wait(interval):
            # The handler's lock, because records are handled in another thread.
            with self.lock or threading.RLock():
                if not self._stop.is_set():
                    self._show(time.time())

    def _show(self, now: float) -> None:
        line = progress_line(self.state, now)
        if self.screen.is_live:
            full, empty = ("█", "░") if self.screen.can_draw else ("#", ".")
            self.screen.show(f"{progress_bar(self.state, full=full, empty=empty)} {line}")
        else:
            self.screen.say(line)

    def close(self) -> None:
        """Say once how the run ended, although Snakemake and Python both close handlers."""
        with self.lock or threading.RLock():
            if not self._stop.is_set():
                self._stop.set()
                if self._own is None:
                    self._end()
        super().close()

    def _end(self) -> None:
        self.screen.show("")
        for notice in self.state.last_words():
            self._say(notice)
        if self.dry and self.state.planned:
            self.screen.say(plan_table(self.state))
        elif self._shows_progress:
            self.screen.say(run_ending(self.state, time.time(), self._log_file))
