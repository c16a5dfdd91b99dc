# SPDX-License-Identifier: MIT
"""Real runs of a toy workflow, on a terminal and without one."""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = [pytest.mark.processes, pytest.mark.repository]

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1] / "src"
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "snakemake", "--logger", "receval", *words]


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(SOURCE), "TERM": "xterm", "PYTHONIOENCODING": "utf-8"}


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    shutil.copy2(HERE / "Snakefile.toy", tmp_path / "Snakefile")
    return tmp_path


def run(toy: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*words),
        cwd=toy,
        env=environment() | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def on_a_terminal(toy: Path, *words: str) -> str:
    main, other = pty.openpty()
    process = subprocess.Popen(
        command(*words), cwd=toy, env=environment(), stdout=other, stderr=other, stdin=other
    )
    os.close(other)
    said = b""
    try:
        while chunk := os.read(main, 65536):
            said += chunk
    except OSError:  # how Linux says that nobody writes any more
        pass
    process.wait()
    os.close(main)
    return said.decode()


THREADS = ("--cores", "2", "--force-use-threads", "--keep-going")


def test_on_a_terminal_one_line_changes_and_failures_stay_once(toy: Path) -> None:
    said = on_a_terminal(toy, *THREADS)
    drawn = [line for line in re.split(r"[\r\n]+", said) if "░" in line]
    assert len(drawn) > 2
    assert any("of 8 jobs" in line and "now: make" in line for line in drawn)
    lines = CONTROL.sub("\n", said)
    for once in ("break_down failed: It is broken.", "The disk is full: fill", "| INFO reading"):
        assert lines.count(once) == 1
    assert lines.count("warns: It is") == 1
    assert "Traceback" not in said
    assert "Failed: 3 jobs; 4 of 8 jobs made" in lines
    assert "2 times: The disk is full (fill 2)." in lines


def test_without_a_terminal_there_are_few_lines_and_no_control_codes(toy: Path) -> None:
    done = run(toy, *THREADS)
    assert done.returncode == 1
    assert done.stdout == ""
    assert not CONTROL.search(done.stderr)
    assert len(done.stderr.splitlines()) < 12
    assert "Failed: 3 jobs; 4 of 8 jobs made" in done.stderr
    (log,) = (toy / ".snakemake" / "log").iterdir()
    # Snakemake's own log stays complete.
    own = log.read_text(encoding="utf-8")
    assert own.count("Error in rule fill:") == 2
    assert own.count("rule make:") == 4


@pytest.fixture(scope="module")
def dry(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """A dry run, in which Python says on stderr what it loads."""
    toy = tmp_path_factory.mktemp("dry")
    shutil.copy2(HERE / "Snakefile.toy", toy / "Snakefile")
    return run(toy, "--dry-run", PYTHONPROFILEIMPORTTIME="1")


def test_a_dry_run_is_a_table_and_more_on_request(
    dry: subprocess.CompletedProcess[str], toy: Path
) -> None:
    assert [line.split()[:2] for line in dry.stdout.splitlines()] == [
        ["rule", "jobs"],
        ["break_down", "1"],
        ["fill", "2"],
        ["make", "4"],
        ["all", "1"],
        ["all", "together"],
    ]
    said = [line for line in dry.stderr.splitlines() if not line.startswith("import time:")]
    assert said == []
    more = run(toy, "--dry-run", "--printshellcmds")
    assert "This was a dry-run" in more.stdout


@pytest.mark.skipif(
    find_spec("snakemake_executor_plugin_slurm") is not None,
    reason="Snakemake loads every executor that is installed, and that of Slurm loads pandas.",
)
def test_a_dry_run_loads_nothing_that_takes_long_and_is_not_needed(
    dry: subprocess.CompletedProcess[str],
) -> None:
    loaded = set(re.findall(r"^import time:.*\| +([\w.]+)$", dry.stderr, re.MULTILINE))
    assert {"yte.process", "snakemake.dag"} <= loaded
    # Neither for the plan nor for its display, and each takes a tenth of a dry run to load.
    assert not loaded & {"numpy.linalg", "pandas", "snakemake.report.html_reporter", "smart_open"}


def test_the_snakemake_of_a_cluster_job_draws_nothing(toy: Path) -> None:
    words = "--mode remote --cores 1 --target-jobs make:i=1 --allowed-rules make -- made/1.txt"
    said = on_a_terminal(toy, *words.split())
    assert (toy / "made" / "1.txt").exists()
    assert "░" not in said
    assert "jobs made" not in said
