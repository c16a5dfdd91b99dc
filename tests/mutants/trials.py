# SPDX-License-Identifier: MIT
"""Runs of test files on a copy of the repository, each in a process of its own that can be ended.

The processes are forked from one that has loaded the libraries, but nothing of receval. The copies
are made of hard links: only the changed file is another one. numba keeps what it compiles beside
the sources, so copies find the kernels of the unchanged repository there, and what one of them
compiles anew replaces a name in its own folder, never the bytes that others see.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from types import FrameType
from typing import Any

LEFT_OUT = (".*", "work", "__pycache__", "*.egg-info")
"""What is no part of a copy of the repository."""

MEMORY = 12 << 30
"""Bytes that a process may address: a mistake can ask for more than there is."""

FIRST_SECONDS = 60
"""Of the processor, for importing and collecting the tests."""

UNUSABLE = (4, 5)
"""Exit codes of pytest that say nothing of the tests: wrong options, no tests."""

KERNEL_CALLED = "<kernel>"

CONTEXT = get_context("forkserver")
CONTEXT.set_forkserver_preload(
    ["hypothesis", "numba", "numpy", "pandas", "pyarrow", "pytest", "scipy.sparse", "scipy.stats"]
)


@dataclass(frozen=True)
class Trial:
    """How some test files ended.

    - ``outcome``: ``passed``, ``failed``, ``timed out`` or ``died``.
    - ``by``: The first test that failed, or the last one that began.
    - ``passed``, ``failed``: The functions of tests that ended, whatever their parameters; none if
      the process died.
    - ``seconds``, ``longest``: Seconds of the processor, altogether and of the longest test; 0 if
      the process died.
    - ``entered``: If asked for: the functions that were called, by their file below src/receval.
    """

    outcome: str
    by: str
    seconds: float = 0.0
    longest: float = 0.0
    passed: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    entered: dict[str, list[str]] = field(default_factory=dict)


def update_copy(repository: Path, copy: Path) -> None:
    """Make a copy of a repository, or bring one up to date and leave alone what has not changed."""
    ignored = shutil.ignore_patterns(*LEFT_OUT)
    wanted = set()
    for folder, folders, files in os.walk(repository):
        left_out = ignored(folder, [*folders, *files])
        folders[:] = [name for name in folders if name not in left_out]
        for name in set(files) - left_out:
            path = Path(folder, name)
            wanted.add(path.relative_to(repository))
    for relative in wanted:
        source, target = repository / relative, copy / relative
        if not target.exists() or source.read_bytes() != target.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)
            shutil.copy(source, target)
    for path in [path for path in copy.rglob("*") if path.is_file()]:
        if "__pycache__" not in path.parts and path.relative_to(copy) not in wanted:
            path.unlink()


@contextmanager
def linked_copy(copy: Path) -> Iterator[Path]:
    """Yield a second copy, of hard links, and remove it at the end."""
    with tempfile.TemporaryDirectory(dir=copy.parent, prefix="mutant-") as folder:
        tree = Path(folder, "tree")
        shutil.copytree(copy, tree, copy_function=os.link)
        yield tree


def change_file(tree: Path, file: str, changed: bytes) -> None:
    """Change a module, and forget what was compiled of it.

    No kernel of another module knows what is in it (tests/library/test_suite.py).
    """
    path = tree / "src" / "receval" / file
    path.unlink()
    path.write_bytes(changed)
    for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
        compiled.unlink()


def run_tests(
    tree: Path,
    files: Iterable[str],
    *,
    seconds: float,
    watched: bool = False,
    to_the_end: bool = False,
) -> Trial:
    """Run test files of a copy until one test fails, or to the end.

    Parameters
    ----------
    tree : Path
        The copy.
    files : iterable of str
        Paths of the test files below ``tests``, in this order.
    seconds : float
        Of the processor, for each test.
    watched : bool, optional
        Whether to tell which functions were called.
    to_the_end : bool, optional
        Whether the other tests run when one has failed.
    """
    arguments = tree, tuple(files), seconds, watched, to_the_end
    with tempfile.TemporaryDirectory(dir=tree.parent, prefix="trial-") as folder:
        report, output = Path(folder, "report.json"), Path(folder, "output.txt")
        process: Any = CONTEXT.Process(target=_run_in_child, args=(report, output, *arguments))
        process.start()
        # Only for tests that wait: the processor may be shared with others.
        process.join(20 * (seconds + FIRST_SECONDS))
        waited = process.is_alive()
        if waited:
            os.killpg(process.pid, signal.SIGKILL)
            process.join()
        said = output.read_text(encoding="utf-8", errors="replace") if output.exists() else ""
        begun = ["collection", *re.findall(r"^begins (.*)$", said, re.MULTILINE)]
        if waited or process.exitcode == -signal.SIGPROF:
            return Trial("timed out", begun[-1])
        if process.exitcode == -signal.SIGKILL:
            raise RuntimeError(f"Somebody ended the tests of {tree}: is there memory enough?")
        if process.exitcode in UNUSABLE or (process.exitcode >= 0 and not report.exists()):
            raise RuntimeError(f"pytest could not run {', '.join(arguments[1])} in {tree}:\n{said}")
        if process.exitcode < 0:
            return Trial("died", begun[-1])
        told = json.loads(report.read_text(encoding="utf-8"))
        return Trial("failed" if process.exitcode else "passed", **told)


def _run_in_child(
    report: Path,
    output: Path,
    tree: Path,
    files: tuple[str, ...],
    seconds: float,
    watched: bool,
    to_the_end: bool,
) -> None:
    os.setsid()
    os.chdir(tree)
    said = os.open(output, os.O_WRONLY | os.O_CREAT)
    os.dup2(said, 1)
    os.dup2(said, 2)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Tests start processes, too: they must find the copy, and no other repository.
    os.environ["PYTHONPATH"] = str(tree / "src")
    installed = sys.prefix, sys.base_prefix
    sys.path[:] = [str(tree / "src"), *(path for path in sys.path if path.startswith(installed))]
    import pytest

    watch = _Watch(tree, seconds, watched)
    # As many examples as in `make test`, and the same every time.
    options = [
        *(() if to_the_end else ("-x",)),
        "--tb=line",
        "--assert=plain",
        "-p",
        "no:cacheprovider",
        "--hypothesis-profile=mutants",
    ]
    code = pytest.main(
        [*options, f"--rootdir={tree}", *(f"tests/{file}" for file in files)], plugins=[watch]
    )
    sys.setprofile(None)
    threading.setprofile(None)  # type: ignore[arg-type]
    import receval

    assert str(receval.__file__).startswith(str(tree)), receval.__file__
    report.write_text(json.dumps(watch.told()), encoding="utf-8")
    sys.stdout.flush()
    os._exit(int(code))


class _Watch:
    """The plugin of pytest that limits tests, and notes the first failure and what is called."""

    def __init__(self, tree: Path, seconds: float, watched: bool) -> None:
        self._library = f"{tree}/src/receval/"
        self._seconds = seconds
        self._watched = watched
        self._first = ""
        self._passed: set[str] = set()
        self._failed: set[str] = set()
        self._longest = 0.0
        self._entered: dict[str, set[str]] = {}
        # The system ends the process, also while compiled code runs.
        signal.setitimer(signal.ITIMER_PROF, FIRST_SECONDS)

    def told(self) -> dict[str, object]:
        used = resource.getrusage(resource.RUSAGE_SELF)
        return {
            "by": self._first,
            "seconds": used.ru_utime + used.ru_stime,
            "longest": self._longest,
            "passed": sorted(self._passed - self._failed),
            "failed": sorted(self._failed),
            "entered": {file: sorted(names) for file, names in sorted(self._entered.items())},
        }

    def pytest_configure(self) -> None:
        # A folder for what numba compiles, if tests have one, would be empty for each copy.
        os.environ.pop("NUMBA_CACHE_DIR", None)
        if self._watched:
            self._watch_kernels()
            threading.setprofile(self._note)
            sys.setprofile(self._note)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        os.write(1, f"\nbegins {nodeid}\n".encode())
        signal.setitimer(signal.ITIMER_PROF, self._seconds)

    def pytest_runtest_logfinish(self) -> None:
        left, _ = signal.getitimer(signal.ITIMER_PROF)
        self._longest = max(self._longest, self._seconds - left)
        signal.setitimer(signal.ITIMER_PROF, FIRST_SECONDS)

    def pytest_runtest_logreport(self, report: Any) -> None:
        function = report.nodeid.partition("[")[0].partition("@")[0]
        if report.failed:
            self._first = self._first or report.nodeid
            self._failed.add(function)
        elif report.when == "call" and report.passed:
            self._passed.add(function)

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed and not self._first:
            self._first = report.nodeid or "collection"

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(self._library):
            self._add(frame.f_code.co_filename, frame.f_code.co_qualname)

    def _add(self, path: str, name: str) -> None:
        names = self._entered.setdefault(path.removeprefix(self._library), set())
        names.add(name.split(".<locals>")[0])

    def _watch_kernels(self) -> None:
        """Note calls of compiled functions, which the interpreter does not see."""
        from numba.core.dispatcher import Dispatcher

        call = Dispatcher.__call__

        def noted(kernel: Any, *arguments: object, **named: object) -> object:
            self._add(kernel.py_func.__code__.co_filename, KERNEL_CALLED)
            return call(kernel, *arguments, **named)

        Dispatcher.__call__ = noted  # type: ignore[method-assign, assignment]
