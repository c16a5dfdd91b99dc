"""The names of modules and classes are words of docs/glossary.md, or plain English."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")

PLAIN = frozenset(
    word
    for line in (
        Path(__file__).with_name("plain_words.txt").read_text(encoding="utf-8").splitlines()
    )
    if not line.startswith("#")
    for word in line.split()
)
"""Words that need no definition."""

INSTEAD = {
    "place": "rank, or index",
    "look": "display style",
    "duel": "paired comparison",
    "evidence": "signed 1 - p",
    "removal": "judgment sampling",
    "turn": "order",
    "walk": "pass",
    "fact": "metadata",
    "companion": "auxiliary file",
    "averaged": "evaluated users, or the name of the algorithm",
    "opposed": "anti-popular",
    "anova": "type II sums of squares",
    "reduction": "judgment subsampling",
    "self": "rank stability",
    "util": "what it does",
    "helper": "what it does",
    "misc": "what it does",
}
"""Words that were given up, and what says it better."""

WHOLE = {
    "numbers": "results table",
    "measure": "aggregated metric",
    "averages": "what they average",
}
"""Words that say too little as the whole name of a class."""

WORLD = ("simulation", "theory")
"""Where a world is a simulated one; elsewhere it was a universe."""


class Name(NamedTuple):
    """The name of a module, folder or class, its words, and the package it is in."""

    name: str
    words: tuple[str, ...]
    package: str
    is_class: bool


def words_of(name: str) -> tuple[str, ...]:
    """Split a name of either form, leaving out the names of studies and artifacts."""
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]*|[a-z0-9]+", name)
    words = (part.lower() for part in parts)
    return tuple(w for w in words if not re.fullmatch(r"(?:fig|table)\d+|[a-z]+20\d\d|\d+", w))


@cache
def glossary() -> frozenset[str]:
    """Return the words of all terms, and those that stand for them in names."""
    rows = re.findall(r"^\| (?!term |---)(.+?) \|(.*?)\|", PAGE, flags=re.MULTILINE)
    words = {word for term, _ in rows for word in re.findall(r"[a-z0-9]+", term.lower())}
    codes = (code for _, cell in rows for code in re.findall(r"`(\w+)`", cell))
    return frozenset(words.union(*(code.split("_") for code in codes)))


def is_known(word: str) -> bool:
    """Return whether a word, or the other number of it, is in the glossary or plain."""
    forms = {word, f"{word}s", word.removesuffix("s"), word.removesuffix("es")}
    return bool(forms & (glossary() | PLAIN))


def names() -> Iterator[Name]:
    library = ROOT / "src" / "receval"
    for path in sorted(library.rglob("*.py")):
        *folders, module = path.relative_to(library).with_suffix("").parts
        package = folders[0] if folders else ""
        for name in (*folders, module):
            if name != "__init__":
                yield Name(name, words_of(name), package, is_class=False)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                yield Name(node.name, words_of(node.name), package, is_class=True)


@pytest.fixture(scope="module")
def all_names() -> list[Name]:
    """All names; every process imports this module, and one of them reads the sources."""
    return sorted(set(names()))


def test_every_word_of_a_name_is_in_the_glossary_or_plain(all_names: list[Name]) -> None:
    unknown = {word: name.name for name in all_names for word in name.words if not is_known(word)}
    assert not unknown, (
        "These words of names are neither in docs/glossary.md nor plain: "
        + ", ".join(f"{word} ({name})" for word, name in unknown.items())
        + ". Use a term of the glossary, or define them there (the second column is for words that "
        "stand for a term); plain_words.txt is for plain English."
    )


def test_words_that_were_given_up_stay_away(all_names: list[Name]) -> None:
    found = [
        f"{name.name}: say {INSTEAD[form]}"
        for name in all_names
        for word in name.words
        for form in {word, word.removesuffix("s")} & INSTEAD.keys()
    ]
    found += [f"{n.name}: say {WHOLE[n.words[0]]}" for n in all_names if says_too_little(n)]
    found += [
        f"{name.name}: say universe"
        for name in all_names
        if {"world", "worlds"} & set(name.words) and name.package not in WORLD
    ]
    assert found == []


def says_too_little(name: Name) -> bool:
    return name.is_class and len(name.words) == 1 and name.words[0] in WHOLE


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("rank_stability", ("rank", "stability")),
        ("NDCGCard", ("ndcg", "card")),
        ("_OneLineEnd", ("one", "line", "end")),
        ("fig08_relations", ("relations",)),
        ("cm100k", ("cm100k",)),
    ],
)
def test_names_are_split_into_words(name: str, words: tuple[str, ...]) -> None:
    assert words_of(name) == words


def test_a_word_of_nobody_is_noticed() -> None:
    assert not is_known("frobnicator")
    assert not is_known("duel")
    assert is_known("universe")
    assert is_known("ranks")


def test_every_term_has_a_meaning_and_is_defined_once() -> None:
    rows = re.findall(r"^\| (?!term |---)(.+?) \|.*?\| (.*?) \|.*\|$", PAGE, flags=re.MULTILINE)
    assert len(rows) == len(re.findall(r"^\| (?!term |---)", PAGE, flags=re.MULTILINE)) > 100
    terms = [term for term, _ in rows]
    assert [term for term in terms if terms.count(term) > 1] == []
    assert [term for term, meaning in rows if not meaning.endswith((".", "?", ":"))] == []


def test_the_list_of_plain_words_holds_nothing_that_the_glossary_has() -> None:
    assert sorted(PLAIN & glossary()) == []
