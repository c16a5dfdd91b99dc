# SPDX-License-Identifier: MIT
"""The programs of docs/time_and_bias.md run, and print what the page says they print."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "time_and_bias.md").read_text("utf-8")
*OWN_DATA, IN_A_WORLD = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


def write_timed_ratings(path: Path) -> None:
    """Write ratings of two years, of items some of which are popular."""
    rng = np.random.default_rng(6)
    chance = np.tile(0.7 / np.sqrt(1 + np.arange(90)), (120, 1))
    users, items = np.nonzero(rng.random(chance.shape) < chance)
    start, day = 1_041_379_200, 86_400  # the beginning of 2003
    table = pd.DataFrame({"user": users, "item": items})
    table["rating"] = rng.integers(1, 6, len(table))
    table["timestamp"] = start + rng.integers(0, 365 * day, len(table))
    table.to_csv(path, index=False)


def test_the_programs_for_own_data_go_on_from_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_timed_ratings(tmp_path / "ratings.csv")
    names: dict[str, object] = {}
    printed = []
    for program in OWN_DATA:
        exec(compile(program, "time_and_bias.md", "exec"), names)
        printed.append(capsys.readouterr().out)
    leaks, result, pairs = printed
    random, last, cut, metadata = leaks.splitlines()
    assert cut == "cut {'anybody': 0.0, 'same user': 0.0, 'same item': 0.0}"
    assert "'same user': 0.0" in last
    assert "'anybody': 1.0" in random
    assert "'cut': '2003-06-01 00:00:00'" in metadata
    assert int(re.search(r"'left_in_gap': (\d+)", metadata)[1]) > 0
    # Among items that are as popular, recommending by popularity gains less.
    uniform, weighted = (float(line.split()[-1]) for line in result.splitlines() if " Pop " in line)
    assert "1R AI-NN by=popularity sampled=20" in result
    assert weighted < 0.9 * uniform
    assert re.search(r"Pop +kNN +\d+ +\d+ +\d+ ", pairs)


def test_the_world_prints_what_the_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(IN_A_WORLD, "time_and_bias.md", "exec"), {})
    shown = PAGE.partition("It prints\n\n")[2].partition("\n\n")[0]
    found = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert found == [line.strip() for line in shown.splitlines()]


def test_the_numbers_are_what_the_page_says_of_them() -> None:
    row = r"^ +(Average|Pop) +(\w+) +(known|popularity|MAR sample)? +([\d.]+) +([\d.]+) +[\d.]+$"
    found = {
        (system, estimator, own): (float(value), float(error))
        for system, estimator, own, value, error in re.findall(row, PAGE, flags=re.MULTILINE)
    }
    real = dict(re.findall(r"(Average|Pop): real P@10 ([\d.]+)", PAGE))
    assert len(found) == 2 * 8
    for system, value in real.items():
        for key in (("IPS", "known"), ("SNIPS", "known"), ("MAR", "")):
            estimate, error = found[system, *key]
            assert abs(estimate - float(value)) < 2 * error
        assert found[system, "naive", ""][0] < 0.25 * float(value)
    assert float(real["Average"]) > float(real["Pop"])
    assert found["Average", "naive", ""] < found["Pop", "naive", ""]

    def advantage(*key: str) -> float:
        return found["Pop", *key][0] / found["Average", *key][0]

    assert advantage("SNIPS", "popularity") < 0.35 * advantage("naive", "")
    assert advantage("SNIPS", "MAR sample") > advantage("naive", "")
