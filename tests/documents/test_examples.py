# SPDX-License-Identifier: MIT
"""The examples in docstrings of the library run, and give what they show.

Modules are found by their text, so that only those with examples are imported. An example may leave
out a part of its output as "..." and break lines as it likes. What the documents import has one.
"""

from __future__ import annotations

import ast
import doctest
import re
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src"
PROMPT = re.compile(r"^ *>>> ", flags=re.MULTILINE)
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

BLOCK = re.compile(r"^```python ?(\S*)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
"""A program in a document, and the file that docs/recipes.md puts it into."""

WITHOUT = {
    "RatingMatrix": "another name of scipy's csr_array",
    "ArtifactInputs": "reads files that only a run makes; docs/recipes.md shows its use",
    "values_by_fold": "takes an experiment of such files",
    "SINGLE_COLUMN": "a width in inches",
    **dict.fromkeys(("new_figure", "line", "label_lines"), "draws; docs/recipes.md shows its use"),
}
"""Names without an example, and why."""


def modules_with_examples() -> list[str]:
    return [
        ".".join(path.relative_to(SOURCES).with_suffix("").parts).removesuffix(".__init__")
        for package in ("receval", "reproduction")
        for path in sorted((SOURCES / package).rglob("*.py"))
        if PROMPT.search(path.read_text(encoding="utf-8"))
    ]


def test_some_modules_have_examples() -> None:
    assert modules_with_examples()


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # an example may write files
    module = import_module(name)
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    for example in doctest.DocTestFinder(exclude_empty=True).find(module):
        runner.run(example, out=said.append)
    assert runner.tries > 0, f"{name} has examples that are in no docstring of its own names."
    assert runner.failures == 0, "".join(said)


def imported_by_documents() -> list[tuple[str, str]]:
    """Return the modules and names of receval that the documents' programs import."""
    documents = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    blocks = [block for page in documents for block in BLOCK.findall(page.read_text("utf-8"))]
    # What docs/recipes.md adds to a copy of the repository is not in this one.
    added = {path.removeprefix("src/").removesuffix(".py").replace("/", ".") for path, _ in blocks}
    imports = {
        (node.module, alias.name)
        for _, program in blocks
        for node in ast.walk(ast.parse(program))
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith(("receval", "reproduction"))
        for alias in node.names
    }
    return sorted(
        (module, name)
        for module, name in imports
        if module not in added and f"{module}.{name}" not in added
    )


@cache
def examples_of(module: str) -> list[tuple[str, str]]:
    """Return the examples in a module's docstrings: of what they are, and their source."""
    path = SOURCES.joinpath(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = [("", ast.get_docstring(tree))]
    for outer in tree.body:
        if isinstance(outer, ast.ClassDef | ast.FunctionDef):
            # A class has the examples of its methods, too.
            documented += [
                (outer.name, ast.get_docstring(node))
                for node in ast.walk(outer)
                if isinstance(node, ast.ClassDef | ast.FunctionDef)
            ]
    parse = doctest.DocTestParser().get_examples
    return [(of, example.source) for of, text in documented for example in parse(text or "")]


def test_what_documents_import_is_found() -> None:
    imported = {name for _, name in imported_by_documents()}
    assert imported >= {"evaluate", "explore", "simulate", "Recommender", *WITHOUT}


@pytest.mark.each(
    ("module", "name"), [each for each in imported_by_documents() if each[1] not in WITHOUT]
)
def test_what_documents_import_has_an_example(module: str, name: str) -> None:
    home = getattr(import_module(module), name).__module__
    package = home.rpartition(".")[0]
    used = re.compile(rf"\b{name}\b")
    assert any(
        of == name or used.search(source) for of, source in examples_of(home) + examples_of(package)
    ), (
        f"{name}, which the documents import, is used in no example of {home} or of its package: "
        "write one, or say in WITHOUT why there is none."
    )
