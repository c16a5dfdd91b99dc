# SPDX-License-Identifier: MIT
"""Programs of pages in docs/ run and print what the page says, and their numbers are the code's."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest

from receval.multiverse.decisions import BOOTSTRAP_SAMPLES, GEOMETRIC_EPSILON, Configuration
from receval.multiverse.description import describe
from receval.multiverse.verdicts import LEVEL
from receval.sampled_metrics.rank_corrections import BIAS_VARIANCE
from receval.sampled_metrics.sampled_moments import RARE
from reproduction.claims.ledger import claims_of
from reproduction.config.settings import load_settings
from reproduction.simulation import complete_judgments

ROOT = Path(__file__).resolve().parents[2]


def page(name: str) -> str:
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


def printed_by(name: str, capsys: pytest.CaptureFixture[str]) -> list[list[str]]:
    """Run the programs of a page, each after the other, and return the lines that they print."""
    names: dict[str, object] = {}
    printed = []
    for program in re.findall(r"```python\n(.*?)```", page(name), flags=re.DOTALL):
        exec(compile(program, f"{name}.md", "exec"), names)
        printed.append(capsys.readouterr().out.splitlines())
    return printed


def shown_on(name: str, line: str) -> list[str]:
    """Return the lines of output that a page shows, of one form."""
    return re.findall(rf"^ {{4}}({line})$", page(name), flags=re.MULTILINE)


@pytest.mark.costly
def test_the_programs_of_decisions_print_what_the_page_shows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    (name, sentence, *counts), flips = printed_by("decisions", capsys)
    shown = shown_on("decisions", r"(?:[0-9a-f]{12} A1|\d+ universes|\w+: kNN).*")
    assert [name, *counts] == shown
    assert flips == shown_on("decisions", r"\w+: \d.* flip")
    assert sentence == describe(Configuration().replace(lists="condensed", metric={"name": "RBO"}))


def test_the_program_of_sampled_metrics_prints_what_the_page_shows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    (printed,) = printed_by("sampled_metrics", capsys)
    below = page("sampled_metrics").split("```")[-1]
    assert printed == re.findall(r"^ {4}(\w[\w ]*: .*)$", below, flags=re.MULTILINE)
    assert len(printed) == 3


def test_the_program_of_unbiased_tests_prints_what_the_page_shows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    (printed,) = printed_by("unbiased_tests", capsys)
    assert printed == shown_on("unbiased_tests", r"\w+: real .+")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("decisions", f"the share of {BOOTSTRAP_SAMPLES} resampled sets"),
        ("decisions", f"significant at {LEVEL:g}"),
        ("decisions", f"({GEOMETRIC_EPSILON:.5f}"),
        ("sampled_metrics", f"the probability is below {RARE:g}"),
        ("sampled_metrics", f"with a weight of {BIAS_VARIANCE:g}"),
    ],
)
def test_a_number_that_a_page_names_is_that_of_the_code(name: str, words: str) -> None:
    assert re.sub(r"\b0\.", ".", words) in page(name)


def test_the_numbers_of_unbiased_tests_are_what_the_page_says_of_them() -> None:
    shown = [
        [tuple(map(float, pair)) for pair in re.findall(r"(0\.\d{3}) (0\.\d{3})", line)]
        for line in shown_on("unbiased_tests", r"\w+: real .+")
    ]
    real, by_random_items, observed = zip(*shown, strict=True)
    assert all(0.99 < precision + anti_precision <= 1 for precision, anti_precision in real)
    for values in (real, by_random_items):
        # From Random to Popularity precision rises and anti-precision falls.
        precision, anti_precision = zip(*values, strict=True)
        assert list(precision) == sorted(precision)
        assert list(anti_precision) == sorted(anti_precision, reverse=True)
    assert max(anti_precision for _, anti_precision in observed) == observed[-1][1]


def test_what_unbiased_tests_names_is_there() -> None:
    text = page("unbiased_tests")
    splits = load_settings(ROOT / "config", "full").splits
    assert re.findall(r"split `([\w-]+)`", text) == ["opposed-familiarity-folds"]
    assert "opposed-familiarity-folds" in splits
    functions = re.findall(r"`reproduction\.simulation\.complete_judgments\.(\w+)`", text)
    assert functions
    assert all(hasattr(complete_judgments, name) for name in functions)
    for path in re.findall(r"`((?:config|tests)/[\w./]+)`", text):
        assert (ROOT / path).is_file(), path


def test_each_recommendation_has_its_evidence_and_says_how_sure_it_is() -> None:
    parts = re.split(r" ## \d+\. ", " ".join(page("recommendations").split()))[1:]
    assert len(parts) == 10
    for part in parts:
        assert "*Evidence:*" in part
        assert re.search(r"\*How sure:\* (sure|fairly sure|an indication)\b", part), part


def test_every_verdict_of_the_recommendations_is_that_of_the_ledger() -> None:
    ledger = pd.read_csv(ROOT / "results/full/claims.csv", dtype=str, keep_default_na=False)
    claims = claims_of(ledger)
    verdicts = dict(zip(claims["claim"], claims["verdict"], strict=True))
    named = re.findall(
        r"\b([A-Z]\d{0,2}-\d{3}) \(([a-z ]+)\)", " ".join(page("recommendations").split())
    )
    assert len(named) > 30
    assert dict(named) == {name: verdicts[name] for name, _ in named}
