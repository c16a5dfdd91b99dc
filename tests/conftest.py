# SPDX-License-Identifier: MIT
"""How the tests are shared out to processes, and what they leave to be cleared away."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import Phase, settings

# What is imported is compiled once, whatever the environment says, and not again by every process
# of every run: compiling took longer than all other collecting. What tests start reads it, too.
sys.dont_write_bytecode = False

from receval.arithmetic import use_one_arithmetic  # noqa: E402

if TYPE_CHECKING:
    from matplotlib.figure import Figure

pytest_plugins = ["each_case", "processor_budget"]

HERE = Path(__file__).parent

# What the tests start is of the source beside them, too, whatever is installed.
os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, [str(HERE.parent / "src"), os.environ.get("PYTHONPATH")])
)

# Thousands of small files are made and removed: where Linux keeps files in memory, that saves a
# tenth of the processor time. Containers often have 64 MB there, or do not run what is there.
if not os.environ.get("TMPDIR") and os.access(memory := "/dev/shm", os.W_OK | os.X_OK):
    about = os.statvfs(memory)
    free = Path("/proc/meminfo").read_text(encoding="utf-8").split("MemAvailable:")[1].split()[0]
    has_room = min(about.f_bavail * about.f_frsize, int(free) << 10) >= 2 << 30
    if has_room and not about.f_flag & os.ST_NOEXEC:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", memory)

FIRST = ("workflow", "real_data", "simulation", "studies", "documents", "publishing", "claims")
"""Folders whose files take longest: at the end, none of them is to be waited for."""

TOGETHER = ("commands", "real_data", "simulation")
"""Folders whose tests all go to one process each: they share what is prepared and simulated."""

UNITS = (
    *("config", "data", "datasets", "diagnosis", "dialects", "evaluation", "experiments"),
    *("figures", "jobs", "logger", "metrics", "missing_judgments", "multiverse", "plan"),
    *("protocols", "provenance", "recommenders", "sampled_metrics", "scale", "simulation"),
    *("splits", "statistics", "storage", "theory", "tuning"),
)
"""Folders whose tests `make quick` runs, but for those that are marked as dear."""

DEAR = ("costly", "processes", "repository", "slow")
"""Marks of tests that `make quick` leaves out; processor_budget.py checks that they are right."""

SECONDS = 240
"""How long a test may take, with what it prepares and clears away: five times the longest."""

EXAMPLES = {"quick": 10, "test": 30, "faults": 1000}
"""How many examples `make quick`, `make test` and `make faults` try of a property, by profile."""

# How long an example takes says how busy the machine is; a test that takes too long ends anyhow.
for _name, _examples in EXAMPLES.items():
    settings.register_profile(_name, deadline=None, max_examples=_examples)
# What notices a mutant has to notice it again; nobody asks for the smallest example.
settings.register_profile(
    "mutants",
    settings.get_profile("test"),
    derandomize=True,
    database=None,
    phases=(Phase.explicit, Phase.generate),
)
settings.load_profile("test")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave each file to one process, and all tests of some folders to one each.

    They share what the first of them makes.
    """
    for item in items:
        if (group := _group_of(item.path)) is not None:
            item.add_marker(pytest.mark.xdist_group(group))
        if _folder_of(item.path) in UNITS and not any(map(item.get_closest_marker, DEAR)):
            item.add_marker(pytest.mark.quick)
    # Begun last, they would be waited for.
    for folder in reversed(FIRST):
        items.sort(key=lambda item: _folder_of(item.path) != folder)


@cache
def _group_of(path: Path) -> str | None:
    """Return the group of the tests of a file; none where the file is not one of ours."""
    if not path.is_relative_to(HERE):
        return None
    folder, *names = path.relative_to(HERE).parts
    return folder if folder in TOGETHER else "-".join((folder, *names))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Read no file of which `make quick` would run nothing."""
    if config.option.markexpr != "quick" or not collection_path.is_relative_to(HERE):
        return None
    is_left_out = collection_path != HERE and _folder_of(collection_path) not in UNITS
    return is_left_out or None


@cache
def _folder_of(path: Path) -> str | None:
    """Return the folder of ours that a file is in, which may be the path itself."""
    return path.relative_to(HERE).parts[0] if path.is_relative_to(HERE) else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Fail a test that waits for what does not come; the tests after it go on.

    The limit of pytest itself (pyproject.toml) would end the process, and xdist then runs the
    same test again in another one.
    """
    _let_what_is_started_hear_signals()
    searches = item.config.getoption("--hypothesis-profile") == "faults"
    if not searches and item.get_closest_marker("slow") is None:
        signal.signal(signal.SIGALRM, _give_up)
        signal.alarm(SECONDS)
    try:
        return (yield)
    finally:
        signal.alarm(0)


def _let_what_is_started_hear_signals() -> None:
    """Give what the tests start the defaults of all signals, however the tests were started.

    A suite in the background (nohup; & in a script) ignores some, and a process hands on what it
    ignores or blocks, but not what it handles. So this process handles them and does nothing. It
    begins when there are tests to run: xdist's processes, which are started before, do the same.
    """
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGCHLD):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, _do_nothing)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _do_nothing(*_: object) -> None:
    pass


def _give_up(*_: object) -> None:
    pytest.fail(f"The test took longer than {SECONDS} s.")


def pytest_enter_pdb() -> None:
    """Let people debug as long as they like."""
    signal.alarm(0)


# As in a job, and before numpy is loaded: the processes of the tests take all cores already, and
# threads of linear algebra that wait for a core burn a third of the time of such tests.
use_one_arithmetic()


@pytest.fixture(scope="session")
def demo_edition() -> Path:
    """Return the folder of a demo edition that was made whole; without one, skip the test."""
    name = os.environ.get("RECEVAL_DEMO")
    if not name:
        pytest.skip("RECEVAL_DEMO does not name a finished demo edition: see `make check`.")
    folder = HERE.parent / name
    assert (folder / "drift.md").is_file(), f"RECEVAL_DEMO: no run has ended in {folder}."
    return folder


@pytest.fixture(scope="session")
def small_edition(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the repository in which a small edition was made whole.

    All processes of the tests share it, so whoever would change a file copies it before. Beside it
    are ``untouched``, the repository as it is, and ``home``, of those who run the workflow.
    """
    # Tests of the library alone run where it is not installed (make minimum-versions).
    from workflow.running import FINISHED, Workflow

    made = made_once(tmp_path_factory, "small_edition", Workflow.make_small_edition)
    return made / FINISHED


@pytest.fixture(scope="session")
def accepted_site(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return the site of the accepted results of the full edition, and its ledger."""
    from publishing.site_samples import accepted_sources

    from reproduction.publishing.site.site import write_site

    def write(folder: Path) -> None:
        write_site(accepted_sources("full", folder), folder / "site")

    made = made_once(tmp_path_factory, "accepted_site", write)
    return made / "site", accepted_sources("full", made).claims


def made_once(
    tmp_path_factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]
) -> Path:
    """Return a folder that one process of the tests makes, for all of them."""
    # Tests of the library alone run where it is not installed (make minimum-versions).
    from filelock import FileLock

    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder = shared / name
    with FileLock(shared / f"{name}.lock"):
        if not (folder / "ready").exists():
            # What a process has left that could not finish it.
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            (folder / "ready").touch()
    return folder


@pytest.fixture
def unrendered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw the figures of reports without rendering them, which takes most of a small command.

    In the place of the image is what was drawn: titles, texts, and the data of lines and bars.
    """

    def drawn(figure: Figure, title: str = "", description: str = "") -> bytes:
        shown: list[object] = [title, description]
        for axes in figure.axes:
            shown += (axes.get_title("left"), axes.get_xlabel(), axes.get_ylabel())
            shown += (text.get_text() for text in axes.texts)
            shown += (line.get_xydata().tolist() for line in axes.lines)
            shown += (patch.get_extents().bounds for patch in axes.patches)
        return f"<svg><desc>{escape(ascii(shown))}</desc></svg>".encode()

    monkeypatch.setattr("receval.figures.finish.rendered_svg", drawn)
    # All ticks would be made for it.
    monkeypatch.setattr("receval.figures.finish.borrow_letters", lambda figure: "")


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw no figures of reports, for tests of what a command says and not of what it writes."""
    from receval.evaluation.report import ReportFigure

    def drawn(name: str, _: Callable[[], Figure], caption: str) -> ReportFigure:
        return ReportFigure(name, "<svg></svg>", caption)

    monkeypatch.setattr(ReportFigure, "drawn", drawn)


def pytest_configure() -> None:
    """Look for garbage less often: drawing figures makes so many objects that it takes a fifth."""
    gc.set_threshold(200_000, 20, 20)


def pytest_collection_finish() -> None:
    """Never look among what importing and collecting the tests made: it stays to the end."""
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Look once more, for what only then can say that it was not closed.

    pytest would look five times and Python three times at its end, a second each.
    """
    gc.collect()
    gc.freeze()
