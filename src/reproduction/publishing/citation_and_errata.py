# SPDX-License-Identifier: MIT
"""Written documents: BibTeX entries in README.md, and ``docs/errata.md``.

The entries of receval and the papers are written from ``CITATION.cff``. The errata have the sizes
of their effects in the accepted results.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from reproduction.claims.errata import ERRATA, RESULTS, Erratum, ErratumForm, load_errata, sizes
from reproduction.claims.sources import ClaimSources
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
                "_ACCENTS in reproduction.publishing.citation_and_errata."
            )
    return "".join(letters)


_INTRODUCTION = """\
# Errata

Written by `receval repo errata` from `config/errata.yaml` and accepted results; edit the former.

An *erratum* is a place where a paper's text, its figures or tables and its released code disagree
with each other or with the public data, or where the text leaves open what its figures need
(E-05). We could find these only because the authors say exactly what they did and released data,
code and values, for which we thank them. Most errata are small and change no conclusion.

Each entry has both forms, with the names that receval gives them, and

- **Effect:** its size on our data, MovieLens 1M and CM100k. The artifact in brackets has it;
  `snakemake --cores 2 -- work/full/artifacts/bellogin2017/fig02.csv` makes one again. In the YAML,
  `command` shows each erratum.
- **Certain**, if anyone can see it in what is printed or released; **likely**, if it is inferred
  from that; **open**, if it is only possible.

Released code may be of a library that the authors did not write: E-38 and E-40 to E-43 are about
LibRec 2.0.0. We read the papers as plain text, without figures: what we say about a figure comes
from its caption, the text or released values.

**Please correct us**: name the erratum and what the paper or its code does, or change
`config/errata.yaml` and run `receval repo errata`. Corrections by the authors are most welcome."""

_SHOWN_KINDS = ("metric", "average", "system", "split", "protocol")
"""Kinds of names for readers; columns, settings and functions are only in the YAML."""

_ARTIFACT = re.compile(r"(?:work/full/artifacts|results/full)/(\w+/\w+)\.csv")


def errata_page(config: Path = ERRATA.parent, results: Path = RESULTS) -> str:
    """Return ``docs/errata.md``; an error says which erratum or number cannot be read."""
    errata = load_errata(config / ERRATA.name)
    texts = sizes(errata, ClaimSources.of_folder(results))
    counts = Counter(erratum.certainty for erratum in errata.values())
    counted = ", ".join(f"{counts[word]} {word}" for word in ("certain", "likely", "open"))
    parts = [_INTRODUCTION, f"There are {len(errata)} errata: {counted}."]
    for paper, names in groupby(errata, key=lambda name: errata[name].paper):
        study = read_yaml(config / "studies" / f"{paper}.yaml")
        parts.append(f"## {paper}\n\n{study['citation']}")
        parts += [_section(name, errata[name], texts[name][1]) for name in names]
    return "\n\n".join(parts) + "\n"


def _section(name: str, erratum: Erratum, size: str) -> str:
    one, other = erratum.text.source, erratum.other.source
    artifact = _ARTIFACT.search(erratum.command)
    data = f" (`{artifact[1]}`)" if artifact else ""
    claims = f" ({_claims(erratum.claims)})" if erratum.claims else ""
    lines = [
        _form(one.capitalize(), erratum.text),
        _form("Elsewhere" if one == other else other.capitalize(), erratum.other),
        f"**Effect:** {size}{data}",
        f"**{erratum.certainty.capitalize()}:** {erratum.because}",
    ]
    anchor = f'<a id="{name.lower()}"></a>'
    text = "\n".join(f"- {line}" for line in lines)
    return f"{anchor}\n\n### {name}: {erratum.title}\n\n{erratum.where}{claims}\n\n{text}"


def _claims(claims: Sequence[str]) -> str:
    """Return the numbers of claims, with three or more consecutive ones as a range."""
    rows: list[list[str]] = []
    for claim in claims:
        number = int(claim.rpartition("-")[2])
        if rows and int(rows[-1][-1].rpartition("-")[2]) == number - 1:
            rows[-1].append(claim)
        else:
            rows.append([claim])
    return ", ".join(f"{row[0]} to {row[-1]}" if len(row) > 2 else ", ".join(row) for row in rows)


def _form(whose: str, form: ErratumForm) -> str:
    names = ", ".join(f"`{n.name}`" for n in form.here if n.kind in _SHOWN_KINDS)
    return f"**{whose}:** {form.says}" + (f" ({names})" if names else "")
