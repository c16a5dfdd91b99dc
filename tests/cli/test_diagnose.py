# SPDX-License-Identifier: MIT
"""``receval diagnose`` writes one folder anywhere, and says in a sentence what it cannot do."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cli.random_tables import random_ratings

from receval.cli.main import main

SHARES = 0.9 / np.sqrt(np.arange(1, 41))
RATINGS = random_ratings(60, 40, SHARES)

FILES = {
    "agreement.csv", "cold.csv", "designs.csv", "designs.md", "designs.svg", "designs.tex",
    "judgments.csv", "judgments.md", "judgments.tex", "levels.csv", "metrics.csv", "metrics.md",
    "metrics.svg", "metrics.tex", "per_user.csv", "popularity.csv", "popularity.svg",
    "recommendation.csv", "report.html", "settings.json", "shares.csv", "shares.md", "shares.tex",
    "size.csv", "size.md", "size.tex", "splits.md", "splits.tex", "time.csv",
}  # fmt: skip


@pytest.mark.costly
def test_diagnose_writes_one_folder_says_what_it_recommends_and_is_repeated_from_its_settings(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("r.csv").write_text(RATINGS, encoding="utf-8")
    assert main(["diagnose", "r.csv", "--relevant", "4", "--seed", "3", "--out", "mine"]) == 0
    assert {path.name for path in Path("mine").iterdir()} == FILES
    captured = capsys.readouterr()
    assert captured.out.startswith("Split: ")
    assert "Written: mine/" in captured.out
    assert "Note: There are no timestamps" in captured.err
    settings = json.loads(Path("mine/settings.json").read_text(encoding="utf-8"))
    assert settings["arguments"]["ratings"] == "r.csv"
    assert settings["result"]["relevant"] == 4
    advice = pd.read_csv("mine/recommendation.csv")
    assert advice["subject"].iloc[0] == "Split"
    assert main(["diagnose", "--settings", "mine/settings.json", "--out", "other"]) == 0
    for name in FILES:
        assert Path("mine", name).read_bytes() == Path("other", name).read_bytes(), name


@pytest.mark.usefixtures("undrawn")
@pytest.mark.costly
def test_unbiased_judgments_are_read_from_their_own_file(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("r.csv").write_text(RATINGS, encoding="utf-8")
    drawn = random_ratings(60, 40, SHARES, seed=2)
    Path("drawn.csv").write_text(drawn, encoding="utf-8")
    assert main(["diagnose", "r.csv", "--unbiased", "drawn.csv"]) == 0
    assert "Observed with unbiased" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("user,item\na,x\nb,y\n", "none can be held out"),
        ("user,item,rating\na,x,5\na,x,4\n", "duplicates="),
        ("user,item\n", "no rows"),
        ("a,b\n1,2\n", "name the columns, such as user='a'"),
    ],
)
def test_bad_input_is_one_sentence_and_the_status_two(
    lines: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("r.csv").write_text(lines, encoding="utf-8")
    assert main(["diagnose", "r.csv"]) == 2
    message = capsys.readouterr().err
    assert told in message
    assert "Traceback" not in message
