# SPDX-License-Identifier: MIT
"""The example of docs/diagnosis.md runs, and the page has the numbers and names of the code."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from receval.diagnosis import baselines, diagnose, metric_sensitivity, recommendation
from receval.diagnosis.diagnose import Diagnosis

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "diagnosis.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    folder = tmp_path_factory.mktemp("example")
    rng = np.random.default_rng(1)
    users, items = np.nonzero(rng.random((90, 60)) < 0.9 / np.sqrt(np.arange(1, 61)))
    table = {"user": users, "item": items, "rating": rng.integers(1, 6, len(users))}
    times = rng.integers(0, 10_000_000, len(users))
    pd.DataFrame({**table, "timestamp": times}).to_csv(folder / "ratings.csv", index=False)
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    found: dict[str, object] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        exec(compile(example, "diagnosis.md", "exec"), found)
    return found


@pytest.mark.costly
def test_every_number_of_the_page_is_one_of_the_tables(names: dict[str, object]) -> None:
    found = names["found"]
    assert isinstance(found, Diagnosis)
    table = ""
    rows = re.findall(r"^\| (`\w+`)? ?\| (`.+?`) \| ", PAGE, flags=re.MULTILINE)
    assert len(rows) > 15
    for named, cell in rows:
        table = named.strip("`") or table
        frame = getattr(found, table)
        there = {*frame.columns, *frame.get("quantity", ())}
        assert set(re.findall(r"`(\w+)`", cell)) <= there, (table, cell)


def test_sizes_and_limits_of_the_page_are_those_of_the_code() -> None:
    page = " ".join(PAGE.split())
    assert f"at most {diagnose.MOST_RATINGS:,}" in page
    assert f"at most {diagnose.MOST_SCORES:,} pairs" in page
    assert f"at least {diagnose.FEWEST_USERS} users are taken" in page
    assert f"{metric_sensitivity.PERMUTATIONS:,} samples" in page
    assert f"{metric_sensitivity.SAMPLES} random samples" in page
    assert f"more than {100 * recommendation.MUCH_FUTURE:g} %" in page
    assert f"fewer than {recommendation.FEW_USERS} users" in page
    assert recommendation.MANY_COLD == 0.5
    assert recommendation.MUCH_POPULARITY == 0.25
    assert f"above {recommendation.MOST_P_VALUE:g}".replace("0.", ".") in page
    assert {name.split()[0] for name in baselines.BASELINES} == {
        "Random", "Pop", "ItemKNN", "UserKNN", "PureSVD", "WRMF",
    }  # fmt: skip
