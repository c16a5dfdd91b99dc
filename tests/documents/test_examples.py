"""The examples in docstrings of the library run, and give what they show.

Modules are found by their text, so that only those with examples are imported. An example may leave
out a part of its output as "..." and break lines as it likes.
"""

from __future__ import annotations

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[2] / "src"
PROMPT = re.compile(r"^ *>>> ", flags=re.MULTILINE)
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def modules_with_examples() -> list[str]:
    return [
        ".".join(path.relative_to(SOURCES).with_suffix("").parts).removesuffix(".__init__")
        for path in sorted((SOURCES / "receval").rglob("*.py"))
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
