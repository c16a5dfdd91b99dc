# SPDX-License-Identifier: MIT
"""The example of docs/unbiased_tests.md runs and prints what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reproduction.config.settings import load_settings
from reproduction.simulation import complete_judgments

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "unbiased_tests.md").read_text(encoding="utf-8")


def printed_on_the_page() -> list[str]:
    return re.findall(r"^ {4}(\w+: real .+)$", PAGE, flags=re.MULTILINE)


def test_the_example_prints_what_the_page_shows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    exec(compile(example, "unbiased_tests.md", "exec"), {})
    assert capsys.readouterr().out.splitlines() == printed_on_the_page()


def test_the_numbers_are_what_the_page_says_of_them() -> None:
    shown = [
        [tuple(map(float, pair)) for pair in re.findall(r"(0\.\d{3}) (0\.\d{3})", line)]
        for line in printed_on_the_page()
    ]
    real, by_random_items, observed = zip(*shown, strict=True)
    assert all(0.99 < precision + anti_precision <= 1 for precision, anti_precision in real)
    for values in (real, by_random_items):
        # From Random to Popularity precision rises and anti-precision falls.
        precision, anti_precision = zip(*values, strict=True)
        assert list(precision) == sorted(precision)
        assert list(anti_precision) == sorted(anti_precision, reverse=True)
    assert max(anti_precision for _, anti_precision in observed) == observed[-1][1]


def test_what_the_page_names_is_there() -> None:
    splits = load_settings(ROOT / "config", "full").splits
    assert re.findall(r"split `([\w-]+)`", PAGE) == ["opposed-familiarity-folds"]
    assert "opposed-familiarity-folds" in splits
    functions = re.findall(r"`reproduction\.simulation\.complete_judgments\.(\w+)`", PAGE)
    assert functions
    assert all(hasattr(complete_judgments, name) for name in functions)
    for path in re.findall(r"`((?:config|tests)/[\w./]+)`", PAGE):
        assert (ROOT / path).is_file(), path
