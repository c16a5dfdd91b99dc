# SPDX-License-Identifier: MIT
"""The options of commands for how systems are compared are the arguments of the library."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from cli.random_tables import write_ratings_and_runs

from receval.cli.main import main

pytestmark = pytest.mark.usefixtures("undrawn")

EVALUATE = ["evaluate", "r.csv", "--system", "pop", "--system", "random", "--metric", "P@3"]
OPTIONS = ["--significance-test", "t", "--correction", "none", "--effect", "cliff"]
FURTHER = ["--reference", "pop", "--margin", "P@3=.2", "--power", ".8", "--methods"]


@pytest.fixture(autouse=True)
def _tables(folder: Path) -> None:
    write_ratings_and_runs()


@pytest.mark.costly
def test_evaluate_compares_as_it_is_told_and_its_settings_repeat_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([*EVALUATE, *OPTIONS, *FURTHER, "--out", "first"]) == 0
    printed = capsys.readouterr().out
    assert "significantly different from pop (paired t-test, no correction, .05)" in printed
    pairs = pd.read_csv("first/pairs.csv")
    assert pairs["second"].tolist() == ["pop"]
    assert {"effect_low", "p_equivalent", "detectable"} <= set(pairs)
    assert "p_holm" not in pairs
    assert "<h2>Methods</h2>" in Path("first/report.html").read_text(encoding="utf-8")
    settings = json.loads(Path("first/settings.json").read_text(encoding="utf-8"))
    assert settings["result"]["comparison"] == {
        "test": "t",
        "correction": None,
        "effect": "cliff",
        "reference": "pop",
        "margin": {"P@3": 0.2},
        "power": 0.8,
    }
    assert main(["evaluate", "--settings", "first/settings.json", "--out", "second"]) == 0
    for path in Path("first").iterdir():
        assert path.read_bytes() == (Path("second") / path.name).read_bytes()


@pytest.mark.costly
def test_runs_are_compared_by_another_test_than_their_test_data() -> None:
    words = ["runs", "a.run", "b.run", "--test", "test.qrels", "--metric", "AP", "--margin", ".1"]
    assert main([*words, "--significance-test", "sign", "--out", "out"]) == 0
    pairs = pd.read_csv("out/pairs.csv")
    assert pairs["method"].tolist() == ["exact"]
    assert pairs["margin"].tolist() == [0.1]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--significance-test", "tukey-hsd", "--correction", "bh"], "already corrected"),
        (["--margin", "P@3=few"], "--margin 'P@3=few' has no number"),
        (["--margin", ".1", "--margin", "P@3=.2"], "each needs the name of its metric"),
        (["--power", "2"], "power is 2; it must be a probability"),
        (["--reference", "popp"], "There is no system 'popp' in this result. Did you mean pop?"),
    ],
)
def test_wrong_choices_are_told_in_a_sentence(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*EVALUATE, *words]) == 2
    assert told in capsys.readouterr().err
    assert not Path("receval-evaluate").exists()
