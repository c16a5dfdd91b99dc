# SPDX-License-Identifier: MIT
"""Words that were given up stand nowhere but where a reason keeps them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]

READ = (
    "src/receval/**/*.py",
    "src/reproduction/**/*.py",
    "tests/**/*.py",
    "workflow/**/*",
    "config/**/*.yaml",
    "docs/**/*.md",
    "docs/**/*.py",
    "benchmarks/*.py",
    "README.md",
    "CONTRIBUTING.md",
)

NAMES_THE_OLD_WORDS = (
    # What others call it.
    "docs/glossary.md",
    # What is forbidden.
    "tests/documents/test_glossary.py",
    "tests/documents/test_old_words.py",
)


NO_LETTER_BEFORE = "(?<![a-z])"
"""How most patterns begin, which leaves nothing to look for first."""


class OldWord(NamedTuple):
    """A word that was given up: how it is found, what to say, and where it stays.

    The keys of ``stays`` are patterns of paths, its values the reasons.
    """

    pattern: str
    instead: str
    stays: dict[str, str] = {}  # noqa: RUF012 - nobody changes it


_SEEDS = "a name, from which seeds come"
_SIMULATED = "a simulated world, of which all is known"
OLD_WORDS = (
    OldWord(
        r"(?<![a-z])worlds?(?![a-z])",
        "universe, of the multiverse; data that a simulation knows all of is a world",
        {
            "src/reproduction/simulation/*.py": _SIMULATED,
            "tests/simulation/*.py": _SIMULATED,
            "config/twins.yaml": _SIMULATED,
            "config/claims/followups.yaml": _SIMULATED,
            "src/reproduction/studies/followups/estimated_*.py": _SIMULATED,
            "tests/studies/test_followups_estimates.py": _SIMULATED,
            "tests/plan/test_code_digests.py": _SIMULATED,
            "docs/followups.md": _SIMULATED,
            "docs/unbiased_tests.md": _SIMULATED,
            "docs/false_positives.md": _SIMULATED,
            "docs/time_and_bias.md": _SIMULATED,
            "tests/documents/test_pages.py": _SIMULATED,
            "tests/missing_judgments/*.py": _SIMULATED,
            "tests/theory/*.py": _SIMULATED,
            "tests/sampled_metrics/*_candidates.py": _SIMULATED,
            "src/reproduction/studies/menamaldonado2021/lemma_cases.py": _SIMULATED,
            "config/studies/menamaldonado2021.yaml": _SIMULATED,
            "tests/studies/test_tables_of_menamaldonado2021.py": _SIMULATED,
        },
    ),
    OldWord(r"(?<![a-z])given[ _-]splits?(?![a-z])|given with unbiased", "predefined split"),
    OldWord(
        r"(?<![a-z])train(?:ing)?[ _]shares?(?![a-z])",
        "train ratio",
        {"src/receval/splits/split_ratings.py": "what others call it is understood, too"},
    ),
    OldWord(r"training[ _]ratios?(?![a-z])", "train ratio"),
    OldWord(
        r"(?<![a-z])training-shares(?![a-z])",
        "train ratio",
        {
            "config/splits.yaml": _SEEDS,
            "config/studies/canamares2020.yaml": _SEEDS,
            "config/studies/multiverse.yaml": _SEEDS,
            "tests/config/test_settings.py": _SEEDS,
            "benchmarks/unrated_places.py": _SEEDS,
        },
    ),
    OldWord(
        r"(?<![a-z])removals?(?![a-z])",
        "judgment sampling",
        {
            "src/reproduction/experiments/universes.py": _SEEDS,
            "tests/missing_judgments/test_measured_samplings.py": _SEEDS,
            "docs/robustness.md": "plain English for what is done to the test ratings",
        },
    ),
    OldWord(r"(?<![a-z])self[ _-]correlations?(?![a-z])", "rank stability"),
    OldWord(r"(?<![a-z])(?:the|its|a)[ _]looks?(?![a-z-])", "display style"),
    OldWord(r"(?<![a-z])duels?(?![a-z])", "paired comparison"),
    OldWord(r"(?<![a-z])turns?(?=, n_units| = |_)", "order"),
    OldWord(r"averaged[_-](?:users|lists)|n_averaged|/averaged(?![a-z])", "evaluated users"),
    OldWord(
        r"averaged[_-]slim",
        "librec_slim",
        {
            "config/systems.yaml": _SEEDS,
            "config/studies/systems.yaml": _SEEDS,
            "docs/fidelity.md": "the name of the system",
            "config/errata.yaml": "the name of the system",
            "docs/errata.md": "the name of the system",
        },
    ),
    OldWord(r"common_ratings_knn", "librec_knn"),
    OldWord(
        r"opposed[_-]\w|-opposed(?![a-z])",
        "anti-popular familiarity",
        {
            "config/splits.yaml": _SEEDS,
            "config/demo.yaml": _SEEDS,
            "config/replications.yaml": _SEEDS,
            "config/studies/menamaldonado2021.yaml": _SEEDS,
            "config/errata.yaml": "the name of the experiment",
            "docs/unbiased_tests.md": "the name of the split",
            "benchmarks/drawn_taus.py": "the names of the split and of the experiment",
            "tests/**/*.py": "the names of the split and of the experiment",
        },
    ),
    OldWord(
        r"functional[ _]anova",
        "type II sums of squares",
        {"src/receval/statistics/anova.py": "the title of a paper"},
    ),
    OldWord(r"(?<![a-z])companions?(?![a-z])", "auxiliary file"),
    OldWord(r"(?-i:\bFACTS\b|\b[A-Z]\w*Facts\b)", "metadata"),
    OldWord(
        r"(?-i:Reductions?\b)|_reductions?\b|reductions? of (?:the )?judg|(?:single|first)_walk",
        "judgment sampling; fused pass",
    ),
    OldWord(r"\bn_measures\b|\"measure\"", "aggregated metric"),
    OldWord(r"\bplace=f?\"|\.place\b|\[\"place\"\]", "position, rank or index"),
    OldWord(r"\buser_values\b", "means_of_users, or UserValues of the multiverse"),
    OldWord(r"\b(?:split|drift|Split|Drift)_?[cC]onfig\b|\bDataSelection\b", "Spec"),
)


@cache
def texts() -> dict[str, tuple[str, str]]:
    """Return all files that are read, also in small letters, by their paths in the repository."""
    paths = {path for pattern in READ for path in ROOT.glob(pattern) if path.is_file()}
    by_name = {path.relative_to(ROOT).as_posix(): path for path in sorted(paths)}
    read = {name: path.read_text(encoding="utf-8") for name, path in by_name.items()}
    return {name: (t, t.lower()) for name, t in read.items() if name not in NAMES_THE_OLD_WORDS}


@cache
def places(pattern: str) -> list[tuple[str, int]]:
    """Return path and line of every occurrence.

    Looking for either letter, and at what stands before, is slow: files with the word come first.
    """
    word = re.compile(pattern.removeprefix(NO_LETTER_BEFORE).lower())
    return [
        (path, text.count("\n", 0, match.start()) + 1)
        for path, (text, small) in texts().items()
        if word.search(small)
        for match in re.finditer(pattern, text, flags=re.IGNORECASE)
    ]


@pytest.mark.repository
@pytest.mark.parametrize("word", OLD_WORDS, ids=lambda word: word.instead)
def test_an_old_word_stands_only_where_a_reason_keeps_it_that_is_needed(word: OldWord) -> None:
    kept = {path.relative_to(ROOT).as_posix() for glob in word.stays for path in ROOT.glob(glob)}
    found = [
        f"{path}:{line}: say {word.instead}"
        for path, line in places(word.pattern)
        if path not in kept
    ]
    assert found == []
    where = {path for path, _ in places(word.pattern)}
    for pattern in word.stays:
        named = {path.relative_to(ROOT).as_posix() for path in ROOT.glob(pattern)}
        assert where & named, f"Nothing needs the reason for {pattern}."
