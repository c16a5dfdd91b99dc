# SPDX-License-Identifier: MIT
"""What the tests of plans share."""

from __future__ import annotations

from pathlib import Path

import pytest
from plan.planned import ROOT


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder without any data the current one: plans look for data relative to it.

    It has the repository's configuration.
    """
    (tmp_path / "config").symlink_to(ROOT / "config")
    monkeypatch.chdir(tmp_path)
    return tmp_path
