# SPDX-License-Identifier: MIT
"""The page of a study, ``index.md``, taken apart: what stands there of each artifact."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from receval.storage.files import refusing_damage

_FILE = re.compile(r"\]\(([a-z0-9_]+)\.([a-z]+)\)")
_PICTURE = re.compile(r"^!\[.*\]\(.+\.svg\)$")
_RULE = re.compile(r"^\|(?:\s*:?-+:?\s*\|)+$")


@dataclass(frozen=True)
class StudySection:
    """What the page of a study has of one artifact.

    Attributes
    ----------
    name : str
        Of the artifact.
    heading : str
        Markdown.
    has_picture : bool
        Whether it is a figure.
    paragraphs : tuple of str
        Markdown: the caption, how it is read, what it shows.
    suffixes : tuple of str
        Of its files, in their order.
    """

    name: str
    heading: str
    has_picture: bool
    paragraphs: tuple[str, ...]
    suffixes: tuple[str, ...]


@dataclass(frozen=True)
class StudyText:
    """The page of a study: title, citation, and a section for each artifact."""

    title: str
    citation: str
    sections: tuple[StudySection, ...]


def read_study_text(index: Path) -> StudyText:
    """Read the page that :func:`reproduction.workflow.jobs.study_index.write_index` has written."""
    with refusing_damage(index):
        head, *sections = re.split(r"^## ", index.read_text(encoding="utf-8"), flags=re.MULTILINE)
        blocks = head.strip().split("\n\n")
        if len(blocks) < 2 or not blocks[0].startswith("# "):
            raise ValueError("it does not begin with the title and the citation of its study")
        return StudyText(blocks[0][2:], blocks[1], tuple(map(_section, sections)))


def _section(text: str) -> StudySection:
    heading, *blocks = text.strip().split("\n\n")
    files = _FILE.findall(blocks[-1]) if blocks and blocks[-1].startswith("Files: ") else []
    if not files:
        raise ValueError(f"the section {heading!r} does not end with its files")
    has_picture = bool(_PICTURE.match(blocks[0]))
    return StudySection(
        name=files[0][0],
        heading=heading,
        has_picture=has_picture,
        paragraphs=tuple(blocks[has_picture:-1]),
        suffixes=tuple(suffix for _, suffix in files),
    )


def shown_part(markdown: str) -> str:
    r"""Return a table or page without the title and caption that stand above it on the site.

    Examples
    --------
    >>> shown_part("**Title**\n\nCaption.\n\n| a |\n|---|\n| 1 |\n\nAbsent: b.")
    '| a |\n|---|\n| 1 |'
    >>> shown_part("# Title\n\nText.")
    'Text.'
    """
    blocks = markdown.strip().split("\n\n")
    # The caption on the site says what is absent, too.
    blocks = [block for block in blocks if not block.startswith("Absent: ")]
    if blocks[0].startswith("# "):
        return "\n\n".join(blocks[1:])
    tables = [at for at, block in enumerate(blocks) if _has_rule(block)]
    return "\n\n".join(blocks[tables[0] :]) if tables else "\n\n".join(blocks[1:])


def table_rows(markdown: str) -> int:
    """Return the number of rows of all tables in Markdown, heads left out."""
    lines = markdown.splitlines()
    return sum(line.startswith("|") for line in lines) - 2 * sum(map(_has_rule, lines))


def _has_rule(block: str) -> bool:
    return any(_RULE.match(line) for line in block.splitlines())
