# SPDX-License-Identifier: MIT
"""BibTeX entries of receval and the papers, written from ``CITATION.cff`` into README.md."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reproduction.config.reading import read_yaml

BEGIN = "<!-- written by receval repo citation from CITATION.cff -->"
END = "<!-- end of what receval repo citation writes -->"

_ACCENTS = {"\N{COMBINING ACUTE ACCENT}": "'", "\N{COMBINING TILDE}": "~"}
_KINDS = {"article": "article", "conference-paper": "inproceedings"}


def bibtex(citation: Mapping[str, Any]) -> str:
    """Return the BibTeX entries of the software, then of the works that it rebuilds, in ASCII.

    Works that are cited for something else have a ``scope``, and no entry. Keys are the title of
    the software, and for papers the first author's family name with the year, like the names of the
    studies. Unknown accents and kinds of works are refused.

    Examples
    --------
    >>> print(bibtex({
    ...     "title": "receval", "abstract": "Papers, rebuilt.", "version": "1.0.0",
    ...     "date-released": "2026-11-23", "authors": [{"name": "The receval authors"}],
    ... }))
    @software{receval,
      author = {{The receval authors}},
      title = {{receval: Papers, rebuilt}},
      year = {2026}, version = {1.0.0}
    }
    """
    own = {
        "author": _authors(citation["authors"]),
        "title": f"{{{citation['title']}: {citation['abstract'].rstrip('.')}}}",
        "year": str(citation["date-released"])[:4],
        "version": citation["version"],
    }
    entries = [_entry("software", citation["title"], own)]
    works = citation.get("references", ())
    entries += [_paper(work) for work in works if "scope" not in work]
    return "\n".join(entries)


def with_citations(page: str, citation: Mapping[str, Any]) -> str:
    """Return a page with up-to-date entries between its marks."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"README.md has no place for BibTeX. Add the lines {BEGIN} and {END}.")
    return f"{before}{begin}\n```bibtex\n{bibtex(citation)}\n```\n{end}{after}"


def read_citation(path: Path) -> dict[str, Any]:
    """Read a ``CITATION.cff``."""
    return read_yaml(path)


def _paper(work: Mapping[str, Any]) -> str:
    kind = _KINDS.get(work["type"])
    if kind is None:
        raise ValueError(
            f"CITATION.cff: {work['title']} has the type {work['type']}, for which there is no "
            f"BibTeX here. Use {' or '.join(_KINDS)}."
        )
    fields = {
        "author": _authors(work["authors"]),
        "title": f"{{{work['title']}}}",
        "journal": work.get("journal"),
        "booktitle": work.get("collection-title"),
        "year": work["year"],
        "volume": work.get("volume"),
        "number": work.get("issue"),
        "pages": f"{work['start']}--{work['end']}" if "start" in work else None,
        "doi": work.get("doi"),
    }
    family = unicodedata.normalize("NFD", work["authors"][0]["family-names"]).lower()
    return _entry(kind, re.sub(r"[^a-z]", "", family) + str(work["year"]), fields)


def _entry(kind: str, key: str, fields: Mapping[str, object]) -> str:
    """Return an entry: authors, title and venue on separate lines, the rest on one."""
    texts = [f"{name} = {{{_ascii(str(value))}}}" for name, value in fields.items() if value]
    alone = [text for text in texts if text.startswith(("author", "title", "journal", "booktitle"))]
    together = ", ".join(text for text in texts if text not in alone)
    return f"@{kind}{{{key},\n" + ",\n".join(f"  {line}" for line in (*alone, together)) + "\n}"


def _authors(authors: Sequence[Mapping[str, str]]) -> str:
    """Return names for BibTeX; a group is in braces, or its last word would be a family name."""
    return " and ".join(
        f"{{{each['name']}}}"
        if "name" in each
        else f"{each['family-names']}, {each['given-names']}"
        for each in authors
    )


def _ascii(text: str) -> str:
    """Return a text with accents as LaTeX commands, which every BibTeX reads."""
    letters: list[str] = []
    for letter in unicodedata.normalize("NFD", text):
        if letter in _ACCENTS:
            letters[-1] = f"{{\\{_ACCENTS[letter]}{letters[-1]}}}"
        elif letter.isascii():
            letters.append(letter)
        else:
            raise ValueError(
                f"CITATION.cff: {unicodedata.name(letter)} has no LaTeX command here. Add one to "
                "_ACCENTS in reproduction.publishing.citation."
            )
    return "".join(letters)
