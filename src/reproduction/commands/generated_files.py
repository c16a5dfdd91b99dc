# SPDX-License-Identifier: MIT
"""``receval repo schema``, ``metrics``, ``warnings`` and others: write generated files.

What is written about notes, studies and citations is here, too.
"""

from __future__ import annotations

import argparse
import ast
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from receval import notes
from receval.notes import GRAVITIES, MOST_SHOWN, NOTES

_SELF = "reproduction.commands.generated_files"

GENERATED: dict[str, tuple[str, dict[str, str]]] = {
    "schema": (
        "write config/schema.json and config/claims/schema.json from the models of the "
        "configuration",
        {
            "config/schema.json": "reproduction.config.settings:json_schema",
            "config/claims/schema.json": "reproduction.claims.spec:claims_schema",
        },
    ),
    "metrics": (
        "write docs/metrics.md from the docstrings",
        {"docs/metrics.md": "reproduction.publishing.metric_cards:document"},
    ),
    "errata": (
        "write docs/errata.md from config/errata.yaml",
        {"docs/errata.md": "reproduction.claims.errata:errata_page"},
    ),
    "dialects": (
        "write the tables of docs/dialects.md",
        {"docs/dialects.md": "reproduction.publishing.dialects_page:page_of_dialects"},
    ),
    "warnings": (
        "write docs/warnings.md from the code",
        {"docs/warnings.md": f"{_SELF}:notes_page"},
    ),
    "studies": (
        "write the artifacts of docs/studies.md from config/studies",
        {"docs/studies.md": f"{_SELF}:page_of_studies"},
    ),
    "citation": (
        "write the BibTeX of README.md from CITATION.cff",
        {"README.md": f"{_SELF}:page_with_citations"},
    ),
}
"""What each task does, and the functions that return the text of its files."""

_IN_PART = ("dialects", "studies", "citation")
"""Tasks that write a part of a page, whose functions take the page."""


def write_generated(name: str, _: argparse.Namespace) -> int:
    """Write the files of a task anew, and say so."""
    from receval.storage.files import write_atomically

    for file, function in GENERATED[name][1].items():
        module, attribute = function.split(":")
        made = getattr(import_module(module), attribute)
        path = Path(file)
        write_atomically(path, made(path.read_text("utf-8")) if name in _IN_PART else made())
        print(f"wrote {file}")
    return 0


def page_of_studies(page: str) -> str:
    """Return a page whose table has the artifacts of each study in its last column."""
    from reproduction.config.settings import load_settings

    for study, spec in load_settings(Path("config"), "full").studies.items():
        cell = ", ".join(_ranges(list(spec.artifacts)))
        row = re.compile(rf"^(\| `{study}` \|)[^|\n]*\|$", flags=re.MULTILINE)
        page, found = row.subn(rf"\1 {cell} |", page)
        if not found:
            raise ValueError(f"docs/studies.md has no row for {study}. Add one by hand.")
    return page


def _ranges(artifacts: Sequence[str]) -> Iterator[str]:
    """Yield names of artifacts, and three or more consecutive numbers of one name as a range.

    Examples
    --------
    >>> list(_ranges(["table1", "table2", "fig01", "fig02", "fig03", "values"]))
    ['`table1`, `table2`', '`fig01` to `fig03`', '`values`']
    """
    rows: list[list[str]] = []
    for name in artifacts:
        stem = name.rstrip("0123456789")
        number = name[len(stem) :]
        if number and rows and rows[-1][-1] == f"{stem}{int(number) - 1:0{len(number)}}":
            rows[-1].append(name)
        else:
            rows.append([name])
    for row in rows:
        yield f"`{row[0]}` to `{row[-1]}`" if len(row) > 2 else ", ".join(f"`{n}`" for n in row)


# The BibTeX entries of receval and the papers in README.md.

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
    from reproduction.publishing.metadata import full_title

    own = {
        "author": _authors(citation["authors"]),
        "title": f"{{{full_title(citation)}}}",
        "year": str(citation["date-released"])[:4],
        "version": citation["version"],
    }
    entries = [_entry("software", citation["title"], own)]
    works = citation.get("references", ())
    entries += [_paper(work) for work in works if "scope" not in work]
    return "\n".join(entries)


def page_with_citations(page: str) -> str:
    """Return a page with up-to-date entries between its marks."""
    from reproduction.config.reading import read_yaml

    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"README.md has no place for BibTeX. Add the lines {BEGIN} and {END}.")
    entries = bibtex(read_yaml(Path("CITATION.cff")))
    return f"{before}{begin}\n```bibtex\n{entries}\n```\n{end}{after}"


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
        (
            f"{{{each['name']}}}"
            if "name" in each
            else f"{each['family-names']}, {each['given-names']}"
        )
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
                f"_ACCENTS in {_SELF}."
            )
    return "".join(letters)


# docs/warnings.md lists every kind of note beside results and every error message.

SOURCES = Path(notes.__file__).parent

REFUSING = (
    "cli",
    "data",
    "evaluation",
    "recommenders/adapters",
    "diagnosis",
    "multiverse/exploration.py",
    "multiverse/explore_ratings.py",
    "multiverse/multiverse_report.py",
    "sampled_metrics",
    "missing_judgments/propensities.py",
    "missing_judgments/estimators.py",
    "missing_judgments/judgment_sampling.py",
    "protocols",
    "splits",
    "metrics",
    "checked_arguments.py",
)
"""Packages and modules whose errors concern data of the user."""

GAP = "…"
"""Placeholder for a part of a message that depends on the data."""


_INTRODUCTION = f"""\
# Notes and refusals

Generated by `receval repo warnings` from `src/receval/notes.py` and the messages in the sources.

A *note* is a sentence beside results that says what may mislead. It ends with its code, such as
`(tied-times)`, by which you find it here.

| where | which notes |
| --- | --- |
| the terminal, and the top of `report.html` | the gravest first, at most {MOST_SHOWN} |
| the end of `report.html` | the others |
| `settings.json`, and `result.notes` in Python | all of them |

With `--strict`, a command refuses results that have a misleading or doubtful note."""

_REFUSALS = f"""\
## Refusals

What cannot be evaluated is refused before anything is written. The message says what is wrong, in
which file and line or for which argument, and what to change. In Python a refusal is a `ValueError`
(for files also an `OSError`) with the same message. [reading.md](reading.md)
explains what files must look like. `{GAP}` stands for a file, a line, a name or a value."""


def notes_page() -> str:
    """Return the page: kinds of notes, the most serious first, then error messages."""
    parts = [_INTRODUCTION]
    for gravity, meaning in GRAVITIES.items():
        rows = [
            f"| `{code}` | {kind.reason} | {kind.remedy} |"
            for code, kind in NOTES.items()
            if kind.gravity == gravity
        ]
        head = ["| code | why it matters | what to do |", "| --- | --- | --- |"]
        parts += [f"## {gravity.capitalize()}: {meaning}", "\n".join([*head, *rows])]
    parts.append(_REFUSALS)
    for title, messages in documented_refusals().items():
        parts += [f"**{title}**", "\n".join(f"- {message}" for message in messages)]
    return "\n\n".join(parts) + "\n"


def documented_refusals() -> dict[str, list[str]]:
    """Return the messages of errors by the first line of their module's docstring."""
    found: dict[str, list[str]] = {}
    places = [SOURCES / name for name in REFUSING]
    files = (file for p in places for file in ([p] if p.is_file() else sorted(p.rglob("*.py"))))
    # Dialects, a part of the metrics, come before them.
    for file in dict.fromkeys(files):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        if messages := list(dict.fromkeys(_messages(tree))):
            about = (ast.get_docstring(tree) or file.stem).splitlines()[0].rstrip(".")
            found.setdefault(about, []).extend(messages)
    return found


def _messages(tree: ast.Module) -> Iterator[str]:
    made = {own.name: own for own in ast.walk(tree) if isinstance(own, ast.FunctionDef)}
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args):
            continue
        spoken = [node.exc.args[0]]
        for call in (node.exc, spoken[0]):
            if isinstance(call, ast.Call) and (maker := made.get(_name(call))):
                returned = [one for one in ast.walk(maker) if isinstance(one, ast.Return)]
                spoken += [one.value for one in returned if one.value is not None]
        for one in spoken:
            inner = one.args[0] if isinstance(one, ast.Call) and one.args else one
            text = " ".join(_text(inner).split())
            # A message that another function builds has no text here.
            if len(text.replace(GAP, "").split()) > 2:
                yield text.replace("|", "\\|").replace("*", "\\*")


def _name(call: ast.Call) -> str:
    """Return the name of a called function or method."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _text(node: ast.expr) -> str:
    """Return the text of an expression, with gaps for values that are not constant."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(map(_text, node.values))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _text(node.left) + _text(node.right)
    return GAP
