# SPDX-License-Identifier: MIT
"""Many cases of one rule in one test: ``@pytest.mark.each``, with the arguments of parametrize.

A property that is dear to try has fewer examples than others: ``@tries(15)``.

A plugin of pytest, loaded by ``conftest.py``. pytest takes some milliseconds of the processor for
each test that it collects, sets up and reports, and most cases of a rule take less than one.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

Test = Callable[..., None]
PARAMETERS = type(pytest.param())
FAILURES = (Exception, pytest.fail.Exception)
"""What a case fails with: ``pytest.fail`` raises what is no ``Exception``."""


def pytest_pycollect_makeitem(collector: Any, name: str, obj: object) -> Any:
    """Collect a test with this mark as one test of all cases."""
    marks = [mark for mark in getattr(obj, "pytestmark", []) if mark.name == "each"]
    if not marks or not inspect.isfunction(obj):
        return None
    for mark in marks:
        obj = each(*mark.args, **mark.kwargs)(obj)
    obj.pytestmark = [mark for mark in obj.pytestmark if mark.name != "each"]  # type: ignore[attr-defined]
    setattr(collector.obj, name, obj)
    return collector.ihook.pytest_pycollect_makeitem(collector=collector, name=name, obj=obj)


def each(
    names: str | Sequence[str],
    cases: Iterable[Any],
    ids: Iterable[str] | Callable[[Any], str] = repr,
) -> Callable[[Test], Test]:
    """Run a test once for each case, as one test; the arguments are those of ``parametrize``.

    All cases run. The first failure is raised, with a note on which cases failed. Each case has a
    folder of its own as ``tmp_path``, and what it patches with ``monkeypatch`` ends with it. It
    shares all other fixtures with the other cases. A case may skip itself; the test is skipped if
    all cases do. Cases with marks are a test of their own, with these marks.
    """
    own = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    cases = list(cases)
    labels = [None] * len(cases) if callable(ids) else list(ids)
    by_marks: dict[tuple[str, ...], list[tuple[str | None, Sequence[Any]]]] = {}
    marks_of: dict[tuple[str, ...], Any] = {(): ()}
    for label, case in zip(labels, cases, strict=True):
        row, kind = case if len(own) > 1 else (case,), ()
        if isinstance(case, PARAMETERS):
            row, label, kind = case.values, label or case.id, tuple(m.name for m in case.marks)
            marks_of[kind] = case.marks
        by_marks.setdefault(kind, []).append((label, row))
    assert by_marks, f"There is no case of {', '.join(own)}."
    part = f"part_{own[0]}"

    def decorated(test: Test) -> Test:
        @wraps(test)
        def run(*positional: object, **given: Any) -> None:
            rows = given.pop(part)
            failures, skipped = [], []
            for number, (label, row) in enumerate(rows):
                arguments = {**given, **dict(zip(own, row, strict=True))}
                try:
                    _run_case(test, positional, arguments, f"case{number}")
                except pytest.skip.Exception as error:
                    skipped.append(error)
                except FAILURES as error:
                    told = map(ids if callable(ids) else repr, row)
                    failures.append((label or ", ".join(told)[:300], error))
            if failures:
                failed = "\n    ".join(label for label, _ in failures)
                first = failures[0][1]
                first.add_note(f"{len(failures)} of {len(rows)} cases failed:\n    {failed}")
                raise first
            if len(skipped) == len(rows):
                raise skipped[0]

        signature = inspect.signature(test)
        left = [one for one in signature.parameters.values() if one.name not in own]
        assert len(left) == len(signature.parameters) - len(own), f"{own}: not all are arguments."
        left.append(inspect.Parameter(part, inspect.Parameter.KEYWORD_ONLY))
        run.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        parts = [
            pytest.param(rows, marks=marks_of[kind], id=f"{len(rows)} cases")
            for kind, rows in by_marks.items()
        ]
        return pytest.mark.parametrize(part, parts)(run)

    return decorated


def _run_case(
    test: Test, positional: tuple[object, ...], arguments: dict[str, Any], name: str
) -> None:
    folder = arguments.get("tmp_path")
    if isinstance(folder, Path):
        arguments["tmp_path"] = folder / name
        arguments["tmp_path"].mkdir()
    if "monkeypatch" in arguments:
        with arguments["monkeypatch"].context() as arguments["monkeypatch"]:
            test(*positional, **arguments)
    else:
        test(*positional, **arguments)


def tries(examples: int) -> settings:
    """Set how many examples `make test` tries of a dear property; `make faults` tries 33 times.

    `make quick` tries no more than of others. What pytest is asked for, the profile of hypothesis,
    is known before it imports tests.
    """
    own, usual = settings().max_examples, settings.get_profile("test").max_examples
    return settings(max_examples=min(examples, own) if own < usual else examples * own // usual)
