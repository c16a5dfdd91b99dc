# SPDX-License-Identifier: MIT
"""Compiled code with its bounds checked, as it never is in a run: ``make faults``."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (
    *("metrics", "protocols", "splits", "statistics", "theory", "recommenders"),
    *("missing_judgments", "sampled_metrics"),
)


BEHIND = """
import numpy as np
from numba import njit


@njit(cache=True)
def behind(numbers):
    return numbers[len(numbers)]


behind(np.zeros(1))
"""


def checked(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run Python with kernels that check their bounds.

    They are compiled anew: numba's cache does not tell those with checks from those without.
    """
    added = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(folder)}
    return subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), **added},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_a_read_behind_an_array_is_found(tmp_path: Path) -> None:
    (tmp_path / "behind.py").write_text(BEHIND, encoding="utf-8")
    found = checked([str(tmp_path / "behind.py")], tmp_path)
    assert "IndexError" in found.stderr


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS)
def test_kernels_read_and_write_nothing_outside_of_their_arrays(
    folder: str, tmp_path: Path
) -> None:
    command = ["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", f"tests/{folder}"]
    found = checked(command, tmp_path)
    assert found.returncode == 0, found.stdout[-4000:]
