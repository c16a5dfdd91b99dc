# SPDX-License-Identifier: MIT
"""What `make minimum-versions` installs and tests is what the repository has."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from minimum_versions.__main__ import FOLDERS, PROJECT, QUICK, ROOT, lowest


def test_the_lowest_versions_are_the_bounds() -> None:
    assert lowest(["numpy>=1.26", "pytest>=9.1,<9.2"]) == ["numpy==1.26", "pytest>=9.1,<9.2"]
    assert all(re.fullmatch(r"[a-z-]+==[0-9.]+", pin) for pin in lowest(PROJECT["dependencies"]))


def test_every_folder_has_tests() -> None:
    for folder in FOLDERS:
        assert list((ROOT / "tests" / folder).glob("test_*.py")), folder


@pytest.mark.processes
@pytest.mark.repository
def test_continuous_integration_tests_folders_at_the_lowest_versions() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    called = re.search(
        r'^make minimum-versions VERSIONS=".* --only test --quick --folders ([a-z/ ]+)"$',
        script,
        re.M,
    )
    assert called
    assert set(called[1].split()) <= set(FOLDERS)
    # What no test of a folder is left of would pass unseen.
    folders = [f"tests/{folder}/" for folder in called[1].split()]
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", QUICK, *folders]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-500:]
    assert all(f"\n{folder}" in f"\n{done.stdout}" for folder in folders)
