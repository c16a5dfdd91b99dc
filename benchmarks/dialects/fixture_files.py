# SPDX-License-Identifier: MIT
"""What every program of a tool reads and writes: the lists, and the fixture with the tool's values.

It needs the standard library alone, since each program runs in the environment of its tool.
README.md beside it has the form of both files.
"""

from __future__ import annotations

import json
import math
import platform
import re
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "dialects" / "fixtures"
CUTOFFS = (5, 10)
THRESHOLD = 4  # for tools that have one; 1 makes every rated item relevant

Case = dict[str, Any]
Value = dict[str, Any]
Values = dict[str, Value]


def read_cases() -> dict[str, Case]:
    """Return each case: test, run and train by user, n_items."""
    return json.loads((FIXTURES / "lists.json").read_text(encoding="utf-8"))["cases"]


def number(value: float | None) -> float | None:
    """Return a Python float; None for NaN, which JSON does not have."""
    return None if value is None or math.isnan(value) else float(value)


def value_of(
    mean: float | None, per_user: Mapping[str, float] | None = None, users: int | None = None
) -> dict[str, Any]:
    """Return the entry of one metric; `users` are those of the mean."""
    entry: dict[str, Any] = {"mean": number(mean), "per_user": None, "users": users}
    if per_user is not None:
        entry["per_user"] = {user: number(per_user[user]) for user in sorted(per_user)}
    return entry


def relevant(case: Case, threshold: int = 1) -> dict[str, dict[str, int]]:
    """Return the test without ratings below `threshold`, for tools where every row is relevant.

    A user who has none left is left out, as a filter of the rows of a table does.
    """
    kept = {
        user: {item: rating for item, rating in ratings.items() if rating >= threshold}
        for user, ratings in case["test"].items()
    }
    return {user: ratings for user, ratings in kept.items() if ratings}


def values_of_both_tests(
    case: Case, of_test: Callable[[Case, dict[str, dict[str, int]]], Values]
) -> Values:
    """Return the values for the whole test, and those for its ratings of at least the threshold."""
    values = of_test(case, case["test"])
    above = relevant(case, THRESHOLD)
    if above and above != case["test"]:
        for metric, entry in of_test(case, above).items():
            values[f"{metric} test>={THRESHOLD}"] = entry
    return values


def write_fixture(
    tool: str,
    source: str,
    packages: Iterable[str],
    options: dict[str, Any],
    evaluate: Callable[[Case], Values],
    *,
    tool_version: str | None = None,
    leave_out: Mapping[str, str] | None = None,
    folder: Path = FIXTURES,
) -> None:
    """Evaluate all cases and write the fixture `tool`.json into the folder.

    `packages` are those whose versions the fixture records, the tool first. A case that the tool
    refuses is recorded with the first line of its error; one of `leave_out` with the reason there.
    """
    packages = list(packages)
    values: dict[str, Values] = {}
    refused: dict[str, str] = {}
    for name, case in read_cases().items():
        if leave_out and name in leave_out:
            refused[name] = leave_out[name]
            continue
        try:
            values[name] = evaluate(case)
        except Exception as error:  # what a tool raises is what the fixture is to tell
            refused[name] = (
                f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
            )
    content = {
        "tool": tool,
        "version": tool_version or version(packages[0]),
        "environment": {
            "python": platform.python_version(),
            **{package: version(package) for package in packages},
        },
        "source": source,
        "options": options,
        "values": values,
        "refused": refused,
    }
    (folder / f"{tool}.json").write_text(text_of(content), encoding="utf-8")
    for name in refused:
        print(f"{tool}: case {name} refused: {refused[name]}")
    print(
        f"{tool}: {sum(len(metrics) for metrics in values.values())} values of {len(values)} cases"
    )


def text_of(content: dict[str, Any]) -> str:
    """Return JSON of one line a metric, which differences of versions show."""
    lines = ["{"]
    for key in ("tool", "version", "environment", "source", "options", "refused"):
        lines.append(f'  "{key}": {json.dumps(content[key], ensure_ascii=False)},')
    lines.append('  "values": {')
    cases = []
    for name, metrics in content["values"].items():
        for metric, entry in metrics.items():
            if re.search(r"[@_]10\b", metric):  # values of users at the other cut-off are enough
                entry["per_user"] = None
        rows = [f"      {json.dumps(m)}: {json.dumps(entry)}" for m, entry in metrics.items()]
        cases.append(f'    "{name}": {{\n' + ",\n".join(rows) + "\n    }")
    lines.append(",\n".join(cases))
    lines.append("  }\n}\n")
    return "\n".join(lines)
