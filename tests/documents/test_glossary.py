# SPDX-License-Identifier: MIT
"""Names are words of docs/glossary.md or of metrics, or plain English, and mean one thing."""

from __future__ import annotations

import ast
import csv
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

pytestmark = pytest.mark.repository

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [ROOT / "src" / package for package in ("receval", "reproduction")]
PAGE = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
METRICS = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")


def words_in(name: str) -> frozenset[str]:
    """Return the words of a list beside this file."""
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


PLAIN = words_in("plain_words.txt")
"""Words that need no definition."""

PLAIN_OF_COLUMNS = words_in("plain_words_of_columns.txt")
"""Words that need none in the columns of results."""

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
    "reduction": "judgment sampling",
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
"""Words that say too little as the whole name of a class, a type or a column."""

WORLD = ("simulation",)
"""Where a world is a simulated one; elsewhere it was a universe."""

ALSO_PLAIN = {
    "averaged_first": "says over what a value is averaged first, not whose lists enter the average",
}
"""Names in which a word that was given up is plain English, and why."""

ONE_INTERFACE = {"data", "draw", "tabulate", "write", "parse", "parse_archive", "identifiers"}
"""Functions that artifacts, formats and writers have under one name, to be found by it; `parse`
reads raw files in formats, and labels in the registry of metrics."""

OF_FAMILY = re.compile("(data|draw|tabulate|write)_(fig|table)[0-9]+|data_values|tabulate_values")
"""The same in modules of several families."""

ONE_TYPE = {"Row"}
"""Types of the same rows in several modules."""


class Name(NamedTuple):
    """A public name, its words, the module that has it, and what it names."""

    name: str
    words: tuple[str, ...]
    module: str
    kind: str

    @property
    def package(self) -> str:
        """The package of the module."""
        return self.module.partition("/")[0]


def words_of(name: str) -> tuple[str, ...]:
    """Split a name of either form, leaving out the names of studies and artifacts."""
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]*|[a-z0-9]+", name)
    words = (part.lower() for part in parts)
    return tuple(w for w in words if not re.fullmatch(r"(?:fig|table)\d+|[a-z]+20\d\d|\d+", w))


class Row(NamedTuple):
    """A row of the glossary; only tables for readers of the code have words in names."""

    term: str
    in_names: str
    meaning: str
    elsewhere: str


@cache
def rows() -> tuple[Row, ...]:
    """Return the rows of all tables of the page."""
    lines = re.findall(r"^\| (?!term \||---)(.+) \|$", PAGE, flags=re.MULTILINE)
    cells = [[cell.strip() for cell in f"{line} ".split("|")] for line in lines]
    return tuple(Row(term, rest[0] if len(rest) == 3 else "", *rest[-2:]) for term, *rest in cells)


@cache
def glossary() -> frozenset[str]:
    """Return the words of all terms, and those that stand for them in names."""
    words = {word for row in rows() for word in re.findall(r"[a-z0-9]+", row.term.lower())}
    codes = (code for row in rows() for code in re.findall(r"`(\w+)`", row.in_names))
    return frozenset(words.union(*(code.split("_") for code in codes)))


@cache
def words_of_metrics() -> frozenset[str]:
    """Return the words of the names of metrics."""
    names = re.findall(r"^(?:### `|- \*\*Other names:\*\* )(.*?)`?$", METRICS, flags=re.MULTILINE)
    return frozenset(word for name in names for word in words_of(name))


def is_known(word: str) -> bool:
    """Return whether a word, or the other number of it, is in the glossary or plain."""
    forms = {word, f"{word}s", word.removesuffix("s"), word.removesuffix("es")}
    return bool(forms & (glossary() | words_of_metrics() | PLAIN))


def names() -> Iterator[Name]:
    """Yield the names of modules, and what is defined in them, private classes included."""
    for path in (path for source in SOURCES for path in sorted(source.rglob("*.py"))):
        *folders, own = path.relative_to(ROOT / "src").with_suffix("").parts[1:]
        module = "/".join((*folders, own))
        for name in (*folders, own):
            if name != "__init__":
                yield Name(name, words_of(name), module, "module")
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                yield Name(node.name, words_of(node.name), module, "class")
            elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                kind = "function" if node in tree.body else "method"
                yield Name(node.name, words_of(node.name), module, kind)
        for name in (name for node in tree.body for name in assigned(node)):
            kind = "constant" if name.isupper() else "type"
            yield Name(name, words_of(name), module, kind)


def assigned(statement: ast.stmt) -> Iterator[str]:
    """Yield the public names that a statement gives values."""
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    for node in (node for target in targets for node in ast.walk(target)):
        if isinstance(node, ast.Name) and not node.id.startswith("_"):
            yield node.id


def columns() -> Iterator[Name]:
    """Yield the columns of accepted results, but for those that tables print as they are."""
    for path in sorted((ROOT / "results").rglob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            header = next(csv.reader(file))
        for name in header:
            # What stands after p_against_ or value_ is the name of a system.
            if re.fullmatch(r"(?!p_against_|value_)[a-z0-9_]+", name):
                yield Name(name, words_of(name), path.parent.name, "column")


@pytest.fixture(scope="module")
def all_names() -> list[Name]:
    """All names; every process imports this module, and one of them reads the sources."""
    return sorted({*names(), *columns()})


@pytest.mark.costly
def test_every_word_of_a_name_is_in_the_glossary_or_plain(all_names: list[Name]) -> None:
    of_modules = [name for name in all_names if name.kind in ("module", "class")]
    unknown = {word: name.name for name in of_modules for word in name.words if not is_known(word)}
    assert not unknown, (
        "These words of names are neither in docs/glossary.md nor plain: "
        + ", ".join(f"{word} ({name})" for word, name in unknown.items())
        + ". Use a term of the glossary, or define them there (its last table has a column for "
        "words that stand for a term); plain_words.txt has plain English and names of algorithms."
    )


def test_every_word_of_a_column_is_in_the_glossary_or_plain(all_names: list[Name]) -> None:
    of_results = [name for name in all_names if name.kind == "column"]
    unknown = {
        word: f"{name.name} of {name.module}"
        for name in of_results
        for word in name.words
        if not is_known(word) and word not in PLAIN_OF_COLUMNS
    }
    assert unknown == {}


def test_words_that_were_given_up_stay_away(all_names: list[Name]) -> None:
    chosen = [name for name in all_names if name.name not in ALSO_PLAIN]
    found = [
        f"{name.name}: say {INSTEAD[form]}"
        for name in chosen
        for word in name.words
        for form in {word, word.removesuffix("s")} & INSTEAD.keys()
    ]
    found += [f"{n.name}: say {WHOLE[n.words[0]]}" for n in chosen if says_too_little(n)]
    found += [
        f"{name.name}: say universe"
        for name in chosen
        if {"world", "worlds"} & set(name.words) and name.package not in WORLD
    ]
    assert found == []


def says_too_little(name: Name) -> bool:
    return (
        name.kind in ("class", "type", "column") and len(name.words) == 1 and name.words[0] in WHOLE
    )


def test_a_public_class_type_or_function_has_its_name_alone(all_names: list[Name]) -> None:
    where: dict[str, set[str]] = {}
    for name in all_names:
        if name.kind in ("class", "type", "function") and not name.name.startswith("_"):
            where.setdefault(name.name, set()).add(name.module)
    twice = {name: modules for name, modules in where.items() if len(modules) > 1}
    assert {
        name: modules
        for name, modules in twice.items()
        if name not in ONE_INTERFACE | ONE_TYPE and not OF_FAMILY.fullmatch(name)
    } == {}


@pytest.mark.each(
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
    assert len(rows()) == len(re.findall(r"^\| (?!term \||---)", PAGE, flags=re.MULTILINE)) > 100
    terms = [row.term for row in rows()]
    assert [term for term in terms if terms.count(term) > 1] == []
    assert [row.term for row in rows() if not row.meaning.endswith((".", "?", ":"))] == []


def test_the_list_of_plain_words_holds_nothing_that_the_glossary_has() -> None:
    assert sorted((PLAIN | PLAIN_OF_COLUMNS) & glossary()) == []
    assert sorted(PLAIN & PLAIN_OF_COLUMNS) == []
