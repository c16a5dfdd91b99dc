# SPDX-License-Identifier: MIT
"""The tables of ``docs/dialects.md``: metrics of tools by our labels, and how far these are off."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from receval.metrics.dialects.dialect import Dialect
from receval.metrics.dialects.registry import DIALECTS, dialect
from receval.metrics.dialects.words import USERS_IN_WORDS
from reproduction.publishing.dialect_deviations import SINGLE, is_ours, reason_for
from reproduction.publishing.dialect_fixtures import (
    FixtureValue,
    compared,
    fixture_name,
    fixture_tools,
)

FIXTURES = Path("tests/dialects/fixtures")
START, END = "<!-- begin: receval repo dialects -->", "<!-- end: receval repo dialects -->"

_INTRODUCTION = """\
The tables up to the next section are written by `receval repo dialects` from
`src/receval/metrics/dialects` and from values that the tools gave for random lists
(`tests/dialects/fixtures`); a test compares them. *Deviation* is the largest absolute difference
between a value of the tool and ours."""
_HEADINGS = ("dialect", "relevant", "averaged", "equal scores", "values", "deviation")


def tables_of_dialects(folder: Path = FIXTURES) -> str:
    """Return a table of all dialects, and for each its metrics and what it does not imitate."""
    measured: dict[tuple[str, str], list[FixtureValue]] = {}
    others: dict[str, dict[str, int]] = {}
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
                    "or say why in reproduction.publishing.dialect_deviations."
                )
            if known.tolerance <= SINGLE:
                measured.setdefault((spoken.name, entry.name), []).append(value)
            said = f"{known.why}{_names_in_words(known.metrics)}"
            counts = others.setdefault(spoken.name, {})
            counts[said] = counts.get(said, 0) + 1
    spoken_ones = [dialect(name) for name in DIALECTS]
    rows = [_HEADINGS, ("---",) * len(_HEADINGS)]
    rows += [_row(own, measured) for own in spoken_ones]
    sections = [_section(own, measured, others.get(own.name, {})) for own in spoken_ones]
    return "\n\n".join([_INTRODUCTION, _table(rows), *sections])


def page_of_dialects(page: str, folder: Path = FIXTURES) -> str:
    """Return the page with fresh tables between its marks."""
    pattern = re.compile(f"{re.escape(START)}.*?{re.escape(END)}", flags=re.DOTALL)
    if len(pattern.findall(page)) != 1:
        raise ValueError(f"docs/dialects.md needs the lines {START} and {END}, each once.")
    tables = tables_of_dialects(folder)
    return pattern.sub(lambda _: f"{START}\n\n{tables}\n\n{END}", page)


def _row(own: Dialect, measured: Mapping[tuple[str, str], list[FixtureValue]]) -> tuple[str, ...]:
    values = [value for (name, _), found in measured.items() if name == own.name for value in found]
    relevant = own.relevant_in_words
    if own.threshold_option:
        relevant += f" (`{own.threshold_option}`)"
    said = (f"`{own.name}`", relevant, own.users_in_words, own.ties_in_words)
    if not values:
        return (*said, "not run", "")
    largest = max(value.deviation for value in values)
    # What is left in double precision depends on the processor.
    return (*said, f"{len(values):,}", "< 1e-9" if largest < 1e-9 else "< 1e-6")


def _section(
    own: Dialect,
    measured: Mapping[tuple[str, str], list[FixtureValue]],
    others: Mapping[str, int],
) -> str:
    labels = own.metrics()
    rows = [(own.tool, "receval"), ("---", "---")]
    rows += [(f"`{entry.form}`", f"`{labels[entry.form]}`") for entry in own.entries]
    told = [
        text if text.startswith(own.tool) else f"{text[0].upper()}{text[1:]}"
        for text in own.caveats
    ]
    for entry in own.entries:
        name = f"`{entry.name.partition(' ')[0]}`"
        if entry.users not in (None, own.users):
            told.append(f"{name} averages {USERS_IN_WORDS[entry.users]}")
        if entry.note:
            told.append(f"{name}: {entry.note.rstrip('.')}")
    told += [f"{count} values differ because {said}" for said, count in others.items()]
    if any(name == own.name for name, _ in measured):
        missing = [e.form for e in own.entries if (own.name, e.name) not in measured]
        if missing:
            told.append(f"Not compared: {', '.join(f'`{form}`' for form in missing)}")
    parts = [f"### {own.tool} {own.version}: `{own.name}`", _table(rows)]
    parts.append("\n".join(f"- {text}." for text in dict.fromkeys(told)))
    return "\n\n".join(part for part in parts if part)


def _table(rows: Sequence[tuple[str, ...]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _names_in_words(pattern: str) -> str:
    if pattern == ".*":
        return ""
    return f" (`{pattern.replace('.*', '…').replace('|', ' or ')}`)"
