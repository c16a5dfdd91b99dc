"""The page of a study: every figure with its caption, how it is read and what it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from receval.figures.display import heading
from receval.figures.escaping import escape_markdown
from receval.storage.files import read_results, write_atomically

if TYPE_CHECKING:
    import pandas as pd

    from receval.studies._shared.message import Message

NOT_SEEN = "These results do not show it."
OF_TWINS = (
    "**The data of this edition are synthetic twins: what the figures show says nothing about the "
    "real datasets.**"
)


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
    parts = [f"# {escape_markdown(study['title'])}", escape_markdown(study["citation"])]
    if study["is_demo"]:
        parts.append(OF_TWINS)
    for artifact in study["artifacts"]:
        name = artifact["name"]
        message = messages[name](read_results(tables[name])) if name in tables else None
        parts += _section(artifact, message)
    write_atomically(index, ("\n\n".join(parts) + "\n").encode())


def _section(artifact: Mapping[str, Any], message: Message | None) -> Iterator[str]:
    name, title = artifact["name"], heading(artifact["name"], artifact["title"])
    yield f"## {escape_markdown(title)}"
    if message is not None:
        yield f"![{escape_markdown(title)}]({name}.svg)"
    yield escape_markdown(artifact["caption"])
    if message is not None:
        yield f"*How to read it.* {escape_markdown(message.reading)}"
        if message.holds:
            yield f"*What it shows.* {escape_markdown(message.finding)}"
        else:
            claim = escape_markdown(message.claim or message.finding)
            yield f"*What the paper's figure shows.* {claim} **{NOT_SEEN}**"
    files = " · ".join(f"[{suffix}]({name}.{suffix})" for suffix in artifact["suffixes"])
    yield f"Files: {files}"
