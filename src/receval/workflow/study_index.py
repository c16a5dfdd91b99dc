# SPDX-License-Identifier: MIT
"""The page of a study: every figure with its caption, how it is read and what it shows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from receval.figures.display import heading, printed_name
from receval.figures.escaping import escape_markdown
from receval.figures.printed_numbers import in_text
from receval.storage.files import read_results, write_atomically

if TYPE_CHECKING:
    import pandas as pd

    from receval.studies._shared.message import Message

NOT_SEEN = "These results do not show it."
CLAIMED = "What the paper's figure shows."
SHOWN_ELSEWHERE = "What the figure shows on real data."
OF_TWINS = (
    "**The data of this edition are synthetic twins: what the figures show says nothing about the "
    "real datasets.**"
)

ROOT = "../../.."
"""From the page of an accepted study to the repository."""

_SYMBOL = re.compile(r"(?<![\w`{])(\|?)([A-Za-z]_\w(?:\^\w)?)(?!\w)(\|?)")
_FORMULA = re.compile(r"(\$`.+?`\$)")
_FILE = re.compile(r"\bdocs/\w+\.md\b|\bREADME\b(?!\.)")


def write_index(
    *, module: str, study: Mapping[str, Any], results: Sequence[Path], index: Path
) -> None:
    """Write the page of a study from the CSVs of its figures.

    Parameters
    ----------
    module : str
        Of the study's messages, with ``MESSAGES`` (:class:`.Message`).
    study : mapping
        From :meth:`receval.workflow.plan.studies.PlannedStudies.page`.
    results : sequence of Path
        The CSVs of its figures that can be made.
    index : Path
        The Markdown to write.

    Raises
    ------
    ValueError
        A figure has no message.
    """
    messages: Mapping[str, Callable[[pd.DataFrame], Message]] = import_module(module).MESSAGES
    tables = {path.stem: path for path in results}
    if missing := [name for name in tables if name not in messages]:
        raise ValueError(
            f"{module} has no message for {', '.join(missing)}: add a function that says how the "
            "figure is read and what it shows, and name it in MESSAGES."
        )
    parts = [f"# {_text(study['title'])}", _text(study["citation"])]
    if study["is_demo"]:
        parts.append(OF_TWINS)
    parts.append(_contents([_heading(artifact) for artifact in study["artifacts"]]))
    for artifact in study["artifacts"]:
        name = artifact["name"]
        message = messages[name](read_results(tables[name])) if name in tables else None
        parts += _section(artifact, _said_of(message, study) if message else None)
    write_atomically(index, ("\n\n".join(parts) + "\n").encode())


def _heading(artifact: Mapping[str, Any]) -> str:
    return in_text(heading(artifact["name"], artifact["title"]))


def _contents(headings: Sequence[str]) -> str:
    """Return a list of links to the sections, by the anchors that GitHub gives them."""
    lines, taken = [], dict[str, int]()
    for title in headings:
        anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        again = taken[anchor] = taken.get(anchor, -1) + 1
        lines.append(f"- [{escape_markdown(title)}](#{anchor}{f'-{again}' if again else ''})")
    return "\n".join(lines)


def _said_of(message: Message, study: Mapping[str, Any]) -> list[str]:
    """Return the paragraphs of a message, which call twins by what they are."""

    def own(text: str) -> str:
        return _text(_as_twins(text, study["datasets"]) if study["is_demo"] else text)

    said = [f"*How to read it.* {_text(message.reading)}"]
    if message.holds:
        beside = "" if study["is_demo"] else message.beside
        finding = " ".join(filter(None, (own(message.finding), _text(beside))))
        return [*said, f"*What it shows.* {finding}"]
    before = CLAIMED if study["is_paper"] else SHOWN_ELSEWHERE
    claim = _text(message.claim or message.finding)
    return [*said, f"*{before}* {claim} **{own(message.partly or NOT_SEEN)}**"]


def _as_twins(text: str, datasets: Sequence[str]) -> str:
    """Return a text on twins that names the datasets which they stand for.

    Examples
    --------
    >>> _as_twins("On ML-1M .5; on the twin of ML-1M .5.", ["ML-1M"])
    'On the twin of ML-1M .5; on the twin of ML-1M .5.'
    """
    names = "|".join(map(re.escape, datasets)) or "(?!)"
    return re.sub(rf"(?<!twin of )(?<![\w-])({names})(?![\w-])", r"the twin of \1", text)


def _section(artifact: Mapping[str, Any], message: Sequence[str] | None) -> Iterator[str]:
    name, title = artifact["name"], _heading(artifact)
    yield f"## {escape_markdown(title)}"
    if message is not None:
        yield f"![{escape_markdown(title)}]({name}.svg)"
    yield _text(artifact["caption"])
    if message is not None:
        yield from message
    # The page of a table or a text is what a reader wants; GitHub shows it.
    words = {"md": f"{printed_name(name) or artifact['title']} (md)"}
    files = (
        f"[{escape_markdown(words.get(suffix, suffix))}]({name}.{suffix})"
        for suffix in artifact["suffixes"]
    )
    yield f"Files: {' · '.join(files)}"


def _text(text: str) -> str:
    """Return a text as GitHub prints it: numbers by one rule, symbols set, files linked."""
    parts = _FORMULA.split(in_text(text))
    marked = (part if _FORMULA.fullmatch(part) else _SYMBOL.sub(_set, part) for part in parts)
    return _FILE.sub(_link, escape_markdown("".join(marked)))


def _set(symbol: re.Match[str]) -> str:
    before, name, after = symbol.groups()
    if before and after:
        # No bars: within a formula they would be escaped, as if for a table.
        return rf"$`\lvert {name} \rvert`$"
    return f"{before}$`{name}`${after}"


def _link(file: re.Match[str]) -> str:
    path = f"{file[0]}.md" if file[0] == "README" else file[0]
    return f"[{file[0]}]({ROOT}/{path})"
