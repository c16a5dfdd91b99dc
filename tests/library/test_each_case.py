# SPDX-License-Identifier: MIT
"""A test of many cases runs each of them by itself, and says which ones failed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from each_case import each, tries
from hypothesis import settings


def parts_of(test: Callable[..., None], name: str) -> list[Any]:
    """The parameters that a test of cases has."""
    (mark,) = (own for own in test.pytestmark if own.args[0] == f"part_{name}")
    return mark.args[1]


def test_all_cases_run_and_those_that_failed_are_named() -> None:
    seen = []

    @each("number", [1, 2, 3, 4])
    @each("letter, sign", [("a", "+"), pytest.param("b", "-", id="b")])
    def test(number: int, letter: str, sign: str) -> None:
        seen.append((number, letter, sign))
        assert number < 3, "large"
        if number == 2:
            pytest.fail("even")

    rows = {f"part_{name}": parts_of(test, name)[0].values[0] for name in ("number", "letter")}
    with pytest.raises(pytest.fail.Exception, match="even") as caught:
        test(**rows)
    assert seen == [(n, *pair) for n in (1, 2, 3, 4) for pair in (("a", "+"), ("b", "-"))]
    inner, outer = caught.value.__notes__
    assert inner == "2 of 2 cases failed:\n    'a', '+'\n    b"
    assert outer == "3 of 4 cases failed:\n    2\n    3\n    4"


@pytest.mark.each("name", ["a", "b"])
def test_a_case_has_its_own_folder_and_patches(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not list(tmp_path.iterdir())
    assert "RECEVAL_CASE" not in os.environ
    (tmp_path / "file").touch()
    monkeypatch.setenv("RECEVAL_CASE", name)


def test_a_test_is_skipped_if_all_its_cases_are() -> None:
    @each("number", [1, 2], ids=["one", "two"])
    def test(number: int, least: int) -> None:
        if number >= least:
            pytest.skip("as asked")

    (part,) = parts_of(test, "number")
    test(least=2, part_number=part.values[0])
    with pytest.raises(pytest.skip.Exception, match="as asked"):
        test(least=1, part_number=part.values[0])


def test_cases_with_marks_are_a_test_of_their_own() -> None:
    @each("number", [1, pytest.param(2, marks=pytest.mark.costly), 3], ids=str)
    def test(number: int) -> None:
        pass

    plain, marked = parts_of(test, "number")
    assert plain.values == ([(None, (1,)), (None, (3,))],)
    assert marked.values == ([(None, (2,))],)
    assert [own.name for own in marked.marks] == ["costly"]
    assert not plain.marks


def test_wrong_cases_are_refused() -> None:
    with pytest.raises(AssertionError, match="There is no case of a, b"):
        each("a, b", [])
    with pytest.raises(AssertionError, match="not all are arguments"):
        each("a", [1])(lambda: None)


@pytest.mark.each("name, few, many", [("quick", 6, 10), ("test", 6, 60), ("faults", 200, 2000)])
def test_a_profile_has_more_examples_of_dear_properties_too(name: str, few: int, many: int) -> None:
    at_first = settings.get_current_profile_name()
    settings.load_profile(name)
    try:
        assert [tries(6).max_examples, tries(60).max_examples] == [few, many]
    finally:
        settings.load_profile(at_first)


def test_no_property_has_the_same_number_of_examples_under_all_profiles() -> None:
    paths = Path(__file__).parents[1].rglob("*.py")
    fixed = {path.name for path in paths if re.search(r"max_examples=\w", path.read_text("utf-8"))}
    assert fixed == {"conftest.py", "each_case.py"}
