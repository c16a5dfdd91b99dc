# SPDX-License-Identifier: MIT
"""The table at the top of ``docs/dialects.md``: labels, and how far they are from the tools."""

from __future__ import annotations

import re
from pathlib import Path

from tabulate import tabulate

from receval.dialects.dialect import ToolMetric
from receval.dialects.fixtures import FixtureValue, compared, fixture_name, fixture_tools
from receval.dialects.known_deviations import SINGLE, is_ours, reason_for
from receval.dialects.registry import DIALECTS, dialect

FIXTURES = Path("tests/dialects/fixtures")
START, END = "<!-- begin: receval repo dialects -->", "<!-- end: receval repo dialects -->"

_INTRODUCTION = """\
Written by `receval repo dialects` from the dialects in `src/receval/dialects` and the values that
the tools themselves gave for random lists (`tests/dialects/fixtures`); a test holds both to each
other.
`rv.dialect("recbole")` has the definitions, `receval runs --dialect recbole` computes them.

*Deviation* is the largest absolute difference between a value of the tool, of a user or an average,
and ours, over *values* that were compared; `-` where the tool was not run."""


def table_of_dialects(folder: Path = FIXTURES) -> str:
    """Return the table in Markdown, with what is not the same below it.

    Parameters
    ----------
    folder : Path
        With the fixtures.

    Raises
    ------
    ValueError
        A fixture has values that its dialect does not explain.
    """
    measured: dict[tuple[str, str], list[FixtureValue]] = {}
    others: dict[str, int] = {}
    for tool in fixture_tools(folder):
        spoken = dialect(tool)
        values, _ = compared(tool, folder)
        names = dict.fromkeys(value.name for value in values)
        entries = {name: spoken.entry(fixture_name(name)[0]) for name in names}
        for value in values:
            entry = entries[value.name]
            if is_ours(value):
                measured.setdefault((spoken.name, entry.name), []).append(value)
                continue
            known = reason_for(value)
            if known is None:
                raise ValueError(
                    f"{value.name} of {tool} is {value.theirs} for {value.user or 'the average'} "
                    f"of the case {value.case}, and {value.ours} in its dialect: mend the dialect, "
                    "or say why in receval.dialects.known_deviations."
                )
            if known.tolerance <= SINGLE:
                measured.setdefault((spoken.name, entry.name), []).append(value)
            said = f"{spoken.tool} {spoken.version}, {_names_in_words(known.metrics)}: {known.why}"
            others[said] = others.get(said, 0) + 1
    rows = [
        _row(name, entry, measured.get((name, entry.name), []))
        for name in DIALECTS
        for entry in dialect(name).entries
    ]
    headers = ("dialect", "metric", "ours", "deviation", "values")
    table = tabulate(rows, headers=headers, tablefmt="github", disable_numparse=True)
    notes = "\n".join(f"- {said} ({count} values)." for said, count in others.items())
    return f"{_INTRODUCTION}\n\n{table}\n\nNot the same, or not to the last digit:\n\n{notes}"


def page_of_dialects(page: str, folder: Path = FIXTURES) -> str:
    """Return the page with a fresh table between its marks.

    Raises
    ------
    ValueError
        The page lacks the marks.
    """
    pattern = re.compile(f"{re.escape(START)}.*?{re.escape(END)}", flags=re.DOTALL)
    if len(pattern.findall(page)) != 1:
        raise ValueError(f"docs/dialects.md needs the lines {START} and {END}, each once.")
    table = table_of_dialects(folder)
    return pattern.sub(lambda _: f"{START}\n\n{table}\n\n{END}", page)


def _row(name: str, entry: ToolMetric, values: list[FixtureValue]) -> tuple[str, ...]:
    ours = dialect(name).metrics()[entry.form]
    if not values:
        return name, f"`{entry.form}`", f"`{ours}`", "-", "-"
    largest = max(value.deviation for value in values)
    # What is left in double precision depends on the processor.
    shown = "< 1e-9" if largest < 1e-9 else "< 1e-6"
    return name, f"`{entry.form}`", f"`{ours}`", shown, str(len(values))


def _names_in_words(pattern: str) -> str:
    return (
        "all metrics" if pattern == ".*" else f"`{pattern.replace('.*', '…').replace('|', ' or ')}`"
    )
