# SPDX-License-Identifier: MIT
"""Commands run in an empty folder, which is no repository."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def two_runs(folder: Path) -> None:
    """Two runs as tables, and the test data of three users."""
    users = list("aabbcc")
    test = pd.DataFrame({"user": users, "item": list("xyxzyz"), "rating": 1})
    test.to_csv("test.csv", index=False)
    for name, scores in (("a.csv", [1, 2, 3, 4, 5, 6]), ("b.csv", [2, 1, 3, 4, 6, 5])):
        table = pd.DataFrame({"user": users, "item": list("xwxzyx"), "score": scores})
        table.to_csv(name, index=False)
