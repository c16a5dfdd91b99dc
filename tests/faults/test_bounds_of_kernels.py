"""Compiled code with its bounds checked, as it never is in a run: ``make faults``."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("metrics", "protocols", "splits", "statistics", "theory", "robustness", "recommenders")


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS)
def test_kernels_read_and_write_nothing_outside_of_their_arrays(
    folder: str, tmp_path: Path
) -> None:
    # Compiled anew: numba's cache does not tell kernels with checks from those without.
    checked = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", f"tests/{folder}"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), **checked},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout[-4000:]
