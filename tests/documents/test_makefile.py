# SPDX-License-Identifier: MIT
"""make finds an environment that is another folder's or another Python's, and runs no names."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = [pytest.mark.processes, pytest.mark.repository]

ROOT = Path(__file__).resolve().parents[2]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = re.findall(r"^([a-z-]+):", MAKEFILE, flags=re.MULTILINE)
ANEW = "rm -rf .venv && mkdir .venv"
MADE_FOR = """
import os, sys
print(os.fsencode(os.path.realpath(sys.prefix)), *sys.version_info[:2])
"""


def make(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run make in a folder; nothing that this suite was started by counts."""
    inherited = {name: os.environ[name] for name in ("HOME", "PATH") if name in os.environ}
    return subprocess.run(
        ["make", *arguments],
        cwd=folder,
        env=inherited | environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a folder with what make reads, called as few folders are."""
    folder = tmp_path / "it's (a) copy"
    folder.mkdir()
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    for lock in ROOT.glob("requirements*.lock"):
        shutil.copy(lock, folder)
    (folder / "benchmarks").mkdir()
    shutil.copy(ROOT / "benchmarks" / "peers.txt", folder / "benchmarks")
    return folder


@pytest.fixture
def made(copy: Path) -> Path:
    """Return such a folder with an environment that make has made, as far as make looks."""
    venv.create(copy / ".venv", symlinks=True)
    (libraries,) = (copy / ".venv" / "lib").glob("python3.*/site-packages")
    (libraries / "pip.py").touch()
    made_for = subprocess.check_output([copy / ".venv/bin/python", "-I", "-c", MADE_FOR])
    (copy / ".venv" / "made-for").write_bytes(made_for)
    for mark in ("ready", "ready-to-test"):
        (copy / ".venv" / mark).touch()
    return copy


def planned(folder: Path, *arguments: str, **environment: str) -> str:
    """Return what make would run."""
    done = make(folder, "-n", *arguments, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_no_environment_is_made_where_builds_would_fail_without_a_reason(copy: Path) -> None:
    done = make(copy.rename(copy.with_name("{x}")), "demo", f"PYTHON={sys.executable}")
    assert done.returncode != 0
    assert "The path of this folder contains braces" in done.stdout


def test_targets_run_nothing_but_themselves_where_the_environment_is_made(made: Path) -> None:
    installing = {"bench", "browser", "browser-packages", "environment", "slurm"}
    assert "pip install" not in planned(made, *sorted({*TARGETS} - installing))


def test_an_environment_that_was_moved_is_made_anew(made: Path) -> None:
    assert ANEW in planned(made.rename(made.with_name("moved")), "demo")


def test_an_environment_that_was_copied_is_made_anew(made: Path) -> None:
    assert ANEW in planned(shutil.copytree(made, made.with_name("b"), symlinks=True), "demo")


def test_an_environment_whose_python_is_gone_is_made_anew(made: Path) -> None:
    for program in (made / ".venv" / "bin").glob("python*"):
        program.unlink()
    assert ANEW in planned(made, "demo")


def test_an_environment_of_another_python_than_is_asked_for_is_made_anew(made: Path) -> None:
    other = made / "other-python"
    # Any program that says another version.
    other.write_text("#!/bin/sh\necho 3 13000\n", encoding="utf-8")
    other.chmod(0o755)
    assert ANEW in planned(made, "demo", "PYTHON=./other-python")
    assert ANEW in planned(made, "demo", PYTHON="./other-python")
    assert ANEW not in planned(made, "demo", f"PYTHON={sys.executable}")


def test_an_environment_that_somebody_else_made_and_that_is_of_no_use_is_kept(copy: Path) -> None:
    venv.create(copy / ".venv", symlinks=True)
    done = make(copy, "demo", f"PYTHON={sys.executable}")
    assert done.returncode != 0
    assert ".venv exists, but make did not create it" in done.stdout
    assert (copy / ".venv" / "pyvenv.cfg").exists()


def test_a_python_without_wheels_is_refused_in_a_sentence(copy: Path) -> None:
    other = copy / "other-python"
    other.write_text('#!/bin/sh\n[ "$1" = --version ] && echo Python 3.99\n', encoding="utf-8")
    other.chmod(0o755)
    done = make(copy, "demo", "PYTHON=./other-python")
    assert done.returncode != 0
    assert "receval needs Python 3.11 to 3.14" in done.stdout
    assert "./other-python --version says: Python 3.99." in done.stdout
    assert not (copy / ".venv").exists()


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("libgomp", "This machine lacks libgomp.so.1, .*apt-get install libgomp1"),
        ("Python.h", r"apt-get install gcc python3-dev\), or choose another Python"),
    ],
)
def test_what_a_bare_machine_lacks_is_said_before_anything_is_installed(
    copy: Path, asked: str, told: str
) -> None:
    other = copy / "other-python"
    # A Python that does not find the shared library, or the compiler that 3.14 needs.
    other.write_text(
        f'#!/bin/sh\ncase "$*" in *{asked}*) exit 1;; esac\nexec {sys.executable} "$@"\n',
        encoding="utf-8",
    )
    other.chmod(0o755)
    done = make(copy, "demo", "PYTHON=./other-python")
    assert done.returncode != 0
    assert re.search(told, done.stdout, re.DOTALL)
    assert not (copy / ".venv").exists()


def test_an_interrupted_installation_leaves_no_pip_behind(made: Path) -> None:
    (libraries,) = (made / ".venv" / "lib").glob("python3.*/site-packages")
    slow = "if __name__ == '__main__':\n  import os, pathlib, sys, time\n"
    slow += "  pathlib.Path(sys.argv[-1] + '.pid').write_text(str(os.getpid()))\n  time.sleep(60)\n"
    (libraries / "pip.py").write_text(slow, encoding="utf-8")
    (made / ".venv" / "ready").unlink()
    # This suite may itself have been started where Ctrl-C is ignored.
    command = ["env", "--default-signal=INT", "make", ".venv/ready"]
    with subprocess.Popen(command, cwd=made, start_new_session=True) as installing:
        own = [made / ".venv" / f"part.{part}.pid" for part in (0, 1)]
        _wait_until(lambda: all(path.exists() and path.read_text() for path in own))
        os.killpg(installing.pid, signal.SIGINT)
        assert installing.wait(timeout=20) != 0
    _wait_until(lambda: not any(_is_running(path.read_text()) for path in own))


def _is_running(process: str) -> bool:
    """Tell whether a process has not ended; one that nobody waited for has no command."""
    try:
        return Path("/proc", process, "cmdline").read_bytes() != b""
    except OSError:
        return False


def _wait_until(is_reached: Callable[[], bool]) -> None:
    """Wait for what must be reached in time."""
    end = time.monotonic() + 20
    while not is_reached():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_statements_are_checked_on_the_artifacts_of_this_folder(made: Path) -> None:
    (libraries,) = (made / ".venv" / "lib").glob("python3.*/site-packages")
    says = 'import os; print(os.environ["RECEVAL_ARTIFACTS"])'
    (libraries / "pytest.py").write_text(says, encoding="utf-8")
    assert make(made, "-s", "statements").stdout == f"{made}/work/full/artifacts\n"


@pytest.mark.parametrize("target", ["site", "report"])
def test_the_name_of_a_folder_in_work_is_not_run(made: Path, target: str) -> None:
    for name in ("x;touch pwned;", "x$(touch pwned)"):
        folder = made / "work" / name
        folder.mkdir(parents=True)
        (folder / "drift.md").touch()
    assert "pwned" not in planned(made, target)
    assert not (made / "pwned").exists()


def test_only_demo_and_full_are_editions(made: Path) -> None:
    for name in ("demo", "full"):
        assert f"--edition {name}" in planned(made, "drift", f"EDITION={name}")
    done = make(made, "-n", "drift", "EDITION=x; id")
    assert done.returncode != 0
    assert "EDITION is x; id, but it must be demo or full." in done.stderr


def test_commands_find_the_library_of_this_folder_and_no_other_libraries(made: Path) -> None:
    say = made / ".venv" / "bin" / "receval"
    say.write_text('#!/bin/sh\necho "$PYTHONPATH, $PIP_TARGET"\n', encoding="utf-8")
    say.chmod(0o755)
    done = make(made, "-s", "drift", PYTHONPATH="/opt/ros/lib", PIP_TARGET="/opt/target")
    assert done.stdout == f"{made}/src, \n"


def test_the_demo_needs_no_library_of_the_tests() -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    only_tests = (ROOT / "requirements-test.lock").read_text(encoding="utf-8")
    names = re.findall(r"^([a-z0-9-]+)==", only_tests, flags=re.MULTILINE)
    assert {"pytrec-eval-terrier", "pytest", "mypy"} <= {*names}
    assert not {*names} & {*re.findall(r"^([a-z0-9-]+)==", lock, flags=re.MULTILINE)}
    for target in ("demo", "reproduce", "report", "site", "drift", "accept", "slurm"):
        assert re.search(rf"^{target}: \$\(VENV\)/ready$", MAKEFILE, re.MULTILINE), target
    for target in re.findall(r"^([a-z-]+):.*\n(?:\t.+\n)*\t.*(?:-m pytest|PYTEST)", MAKEFILE, re.M):
        assert re.search(rf"^{target}:.* \$\(VENV\)/ready-to-test$", MAKEFILE, re.M), target
