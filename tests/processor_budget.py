# SPDX-License-Identifier: MIT
"""What the tests cost in processor seconds, by folder, and the budget that a whole run must keep.

A plugin of pytest, loaded by ``conftest.py``. With ``--budget SECONDS`` a run fails that takes half
as much again, or in which a test is far dearer than its marks say. Processor seconds hardly depend
on what else the machine does; how fast its processor is, a fixed loop tells before the tests begin.

As a program it runs any command and fails if the command fails or takes too much::

    python tests/processor_budget.py 110 make demo
"""

from __future__ import annotations

import ctypes
import os
import random
import resource
import shlex
import subprocess
import sys
import sysconfig
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

LOOP_SECONDS = 0.3
"""What the fixed loop takes on the machine that budgets were measured on (AMD Zen 4)."""

TOLERATED = 1.5
"""How many times its budget a run may take."""

COSTLY = 0.08
"""Processor seconds from which a test needs the mark ``costly``, if it has not ``repository``."""

FAR_TOO_COSTLY = 5.0
"""Processor seconds for which a test without the mark fails a run: more than compiling a kernel."""

SHOWN = 5
"""How many unmarked tests above the cost are named; a first call of a kernel compiles it."""

PATIENCE = 10.0
"""Seconds in which processes that outlive a command should end."""

STARTS = frozenset(
    {
        *("os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system"),
        "subprocess.Popen",
    }
)
"""What Python says when a process is started."""

SET_CHILD_SUBREAPER = 36
"""The option of Linux's ``prctl``."""

INSTALLED, STANDARD = (sysconfig.get_paths()[name] for name in ("purelib", "stdlib"))
"""Where libraries are, and where Python's own modules are."""

KEY = "processor_seconds"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--budget", type=float, metavar="SECONDS", help="processor seconds that the run may take"
    )


def processor_seconds() -> float:
    """Return what this process and all that it has waited for have taken."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def slowness() -> float:
    """Return how many times longer a fixed loop takes here than where budgets were measured.

    It is of Python alone: what numpy computes with depends on the vectors that a processor knows.
    """
    draws = random.Random(1)
    numbers = [draws.random() for _ in range(200_000)]
    times = []
    for _ in range(3):
        begun = time.process_time()
        counts: dict[int, int] = {}
        for number in range(1_600_000):
            counts[number % 1000] = counts.get(number % 1000, 0) + number
        for _ in range(5):
            sorted(numbers)
        times.append(time.process_time() - begun)
    return min(times) / LOOP_SECONDS


TESTS_ADVICE = (
    "CONTRIBUTING.md says what a test may cost; the table above says in which folders the time "
    "goes."
)


def verdict(
    used: float, budget: float, slower: float, what: str = "The tests", advice: str = TESTS_ADVICE
) -> str | None:
    """Return the sentence for a run that took too much; none for one that keeps its budget."""
    allowed = TOLERATED * budget * slower
    if used <= allowed:
        return None
    return (
        f"{what} took {used:.0f} s of processor time. The budget is {budget:.0f} s, and "
        f"{allowed:.0f} s are the most on this machine, whose processor takes {slower:.2f} times "
        f"as long as that on which the budget was measured. {advice}"
    )


class UnmarkedProcessError(Exception):
    """A test starts a process and does not say so."""


class Budget:
    """Measures the tests of one process, and in the first process all of them together."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._by_folder: Counter[str] = Counter()
        self._unmarked: dict[str, float] = {}
        self._item: pytest.Item | None = None
        self._slower = 1.0
        self._sentences: list[str] = []
        self._is_first = not hasattr(config, "workerinput")
        self._budget: float | None = config.getoption("budget")
        if self._is_first and self._budget is not None:
            self._slower = slowness()
        sys.addaudithook(self._refuse_processes)

    def _refuse_processes(
        self, event: str, _: tuple[object, ...], starts: frozenset[str] = STARTS
    ) -> None:
        # At its end, Python has taken the module's names away.
        if event in starts and (item := self._item) is not None and not _is_of_a_library():
            raise UnmarkedProcessError(
                f"{item.nodeid} starts a process: mark it with @pytest.mark.processes, "
                "or call what it tests."
            )

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        if not isinstance(item, pytest.Function):
            # A file, whose tests will come one by one (file_by_file.py).
            return (yield)
        begun = processor_seconds()
        is_marked = any(item.get_closest_marker(name) for name in ("processes", "slow"))
        self._item = None if is_marked else item
        try:
            return (yield)
        finally:
            self._item = None
            self._by_folder[folder_of(item)] += processor_seconds() - begun

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        begun = processor_seconds()
        try:
            return (yield)
        finally:
            taken = processor_seconds() - begun
            marks = ("costly", "processes", "repository", "slow")
            if taken > COSTLY and not any(item.get_closest_marker(name) for name in marks):
                self._unmarked[item.nodeid] = taken

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add what one of xdist's processes has measured."""
        by_folder, unmarked = getattr(node, "workeroutput", {}).get(KEY, ({}, {}))
        self._by_folder.update(by_folder)
        self._unmarked |= unmarked

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if not self._is_first:
            output = self._config.workeroutput  # type: ignore[attr-defined]
            output[KEY] = dict(self._by_folder), self._unmarked
            return
        if self._budget is None:
            return
        if said := verdict(processor_seconds(), self._budget, self._slower):
            self._sentences.append(said)
        self._sentences += [
            f"{name} took {taken:.1f} s of processor time: make it cheaper, or mark it as costly."
            for name, taken in sorted(self._unmarked.items())
            if taken > FAR_TOO_COSTLY * max(self._slower, 1.0)
        ]
        if self._sentences and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._budget is None:
            return
        used = processor_seconds()
        rest = used - sum(self._by_folder.values())
        rows = [*self._by_folder.most_common(), ("collection and what outlives its test", rest)]
        terminalreporter.section("processor seconds")
        for name, seconds in rows:
            if seconds >= 0.05:
                terminalreporter.write_line(f"{seconds:7.1f}  {name}")
        terminalreporter.write_line(f"{used:7.1f}  all (budget {self._budget:.0f} s)")
        for name, seconds in Counter(self._unmarked).most_common(SHOWN):
            terminalreporter.write_line(f"{seconds:7.2f}  {name}, which is not marked as costly")
        for sentence in self._sentences:
            terminalreporter.write_line(sentence, red=True)


def _is_of_a_library() -> bool:
    """Return whether a library does this of its own, such as matplotlib when it looks for fonts."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename.startswith(("<frozen", STANDARD)):
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename.startswith(INSTALLED)


def folder_of(item: pytest.Item) -> str:
    """Return the folder below ``tests`` that a test is in."""
    return item.nodeid.removeprefix("tests/").split("/")[0]


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Budget(config), "processor-budget")


def _adopt_orphans() -> None:
    """Become the parent of processes whose parent ends first, such as those of workflow jobs.

    Otherwise what they took is nowhere counted.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _wait_for_orphans() -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            process, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not process:
            time.sleep(0.05)


def run_within(budget: float, command: list[str]) -> int:
    """Run a command, say what it took, and return its status, or 1 if that was too much."""
    slower = slowness()
    _adopt_orphans()
    begun, begun_at = processor_seconds(), time.monotonic()
    status = subprocess.run(command, check=False).returncode
    _wait_for_orphans()
    used, name = processor_seconds() - begun, shlex.join(command)
    print(
        f"{name} took {time.monotonic() - begun_at:.0f} s, and {used:.0f} s of processor time "
        f"(budget {budget:.0f} s x {slower:.2f} for this processor)."
    )
    said = verdict(used, budget, slower, name, "docs/reliability.md says what it took before.")
    if said and not status:
        print(said, file=sys.stderr)
        return 1
    return status


if __name__ == "__main__":
    sys.exit(run_within(float(sys.argv[1]), sys.argv[2:]))
