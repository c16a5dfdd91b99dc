# SPDX-License-Identifier: MIT
"""The example of docs/decisions.md runs and prints what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from receval.multiverse.decisions import BOOTSTRAP_SAMPLES, GEOMETRIC_EPSILON, Configuration
from receval.multiverse.description import describe
from receval.multiverse.verdicts import LEVEL

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "decisions.md").read_text(encoding="utf-8")


@pytest.mark.costly
def test_the_example_prints_what_the_page_shows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    example, own = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(example, "decisions.md", "exec"), names)
    name, sentence, *counts = capsys.readouterr().out.splitlines()
    shown = re.findall(r"^ {4}((?:[0-9a-f]{12} A1|\d+ universes|\w+: kNN).*)$", PAGE, re.MULTILINE)
    assert [name, *counts] == shown
    exec(compile(own, "decisions.md", "exec"), names)
    assert capsys.readouterr().out.splitlines() == re.findall(r"^ {4}(\w+: \d.* flip)$", PAGE, re.M)
    assert sentence == describe(Configuration().replace(lists="condensed", metric={"name": "RBO"}))


def test_the_numbers_that_the_page_names_are_those_of_the_code() -> None:
    assert f"the share of {BOOTSTRAP_SAMPLES} resampled sets" in PAGE
    assert f"significant at {LEVEL:g}".replace("0.", ".") in PAGE
    assert f"{GEOMETRIC_EPSILON:.5f}".replace("0.", "(.") in PAGE
