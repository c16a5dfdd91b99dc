# SPDX-License-Identifier: MIT
"""Pages of the site for the repository's documents and the library's reference."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path, PurePosixPath
from textwrap import dedent, indent
from typing import Any

from reproduction.publishing.site.links import SiteLinks
from reproduction.publishing.site.markdown_pages import Resolver, highlighted, rendered
from reproduction.publishing.site.public_names import PublicModule, PublicName
from reproduction.publishing.site.site_pages import SitePage, markup

DOCUMENTS, REFERENCE, ERRATA = "docs/index.html", "api/index.html", "errata.html"
"""Addresses of the lists of documents and of packages, and of the errata."""

ERRATA_SOURCE = "docs/errata.md"

GROUPS = {
    "Guides": {
        "README": "What receval is, and the two commands that make everything.",
        "library": "A program that compares recommenders on any table of ratings.",
        "running": "Commands, options, and making one thing again.",
        "datasets": "Which there are, and how to get those that must be asked for.",
        "reading_results": "What the files are, and how fresh results are compared with them.",
        "recipes": "A dataset, its twin, a system, a metric, a table and a figure, step by step.",
        "cluster": "Running on a Slurm cluster.",
        "CONTRIBUTING": "How to change the project, and the rules that keep results correct.",
    },
    "What was found": {
        "claims": "How verdicts are reached, and how a claim is written.",
        "replications": "How often each claim holds under other root seeds.",
        "biases": "Sparsity and popularity biases of metrics: what holds, what differs, and why.",
        "robustness": "Which metrics and cut-offs are robust and tell systems apart.",
        "false_positives": "Popularity bias in metrics that count what users dislike.",
        "decisions": "Eight choices of an offline experiment, and who wins under each.",
        "fidelity": "How close the recommenders come to the values published for them.",
        "implementations": "The same algorithms by other packages.",
        "time_and_bias": "Splits along time, popular candidates, estimates without bias of choice.",
        "followups": "What newer papers say of the same questions, and what is seen of it here.",
        "unbiased_tests": "What tests by randomly drawn items can decide.",
    },
    "Reference": {
        "metrics": "Every metric: formula, denominator, missing lists, ties, source.",
        "studies": "The five papers, what came after, our own questions, and their artifacts.",
        "recommenders": "The systems of the papers, by family.",
        "glossary": "Every term, and what the papers and the field call it.",
        "architecture": "Packages, rules, and where to put what.",
        "reliability": "What receval promises when data is damaged or runs are killed.",
        "snakemake_scheduler": "What scheduling costs, and how that is avoided.",
        "CHANGELOG": "What changed, and which results moved.",
    },
}
"""Documents by purpose, each with a line; others are listed under "More"."""

TITLES = {"README": "Read me first", "CHANGELOG": "Changes"}
"""Names in the list for documents with less informative titles."""


def document_address(source: str) -> str:
    """Return the address of a document.

    Examples
    --------
    >>> document_address("docs/metrics.md"), document_address("CHANGELOG.md")
    ('docs/metrics.html', 'docs/changelog.html')
    """
    if source == ERRATA_SOURCE:
        return ERRATA
    return f"docs/{PurePosixPath(source).stem.lower()}.html"


def document_pages(documents: Mapping[str, Path], links: SiteLinks) -> list[SitePage]:
    """Return a page for every document, and a page that lists them."""
    pages, listed = [], dict[str, dict[str, str]]()
    for source, path in documents.items():
        address = document_address(source)
        text = path.read_text(encoding="utf-8")
        shown = rendered(text, links.resolver(address, source))
        title = _plain(shown.title) or source
        is_errata = address == ERRATA
        if not is_errata:
            stem = PurePosixPath(source).stem
            lines = {name: line for group in GROUPS.values() for name, line in group.items()}
            summary = lines.get(stem, "")
            listed[stem] = {
                "title": TITLES.get(stem, title),
                "address": address,
                "summary": summary,
            }
        pages.append(
            SitePage(
                address,
                title,
                "document.html",
                ERRATA if is_errata else DOCUMENTS,
                {
                    "body": markup(shown.body),
                    "contents": [
                        (heading.level, heading.anchor, markup(_plain(heading.text)))
                        for heading in shown.headings
                        if heading.level in (2, 3)
                    ],
                    "source": source,
                    "is_errata": is_errata,
                },
                f"{title}: a document of receval.",
            )
        )
    groups = {name: [listed[s] for s in stems if s in listed] for name, stems in GROUPS.items()}
    named = {stem for stems in GROUPS.values() for stem in stems}
    groups["More"] = [entry for stem, entry in listed.items() if stem not in named]
    values = {"groups": {name: entries for name, entries in groups.items() if entries}}
    listing = SitePage(DOCUMENTS, "Documents", "documents.html", DOCUMENTS, values, "Documents.")
    return [listing, *pages]


# Numpydoc docstrings as Markdown and HTML.

LISTS = ("Parameters", "Attributes", "Returns", "Yields", "Raises")
"""Sections whose entries have a name or type, and a description below."""

_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
_MATH = re.compile(r"^([ ]*)\.\. math::(.*(?:\n(?:\1[ ]+\S.*|[ ]*(?=\n\1[ ]+\S)))*)", re.MULTILINE)
_EXAMPLE = re.compile(r"^(?:>>> .*(?:\n.+)*\n?)+", re.MULTILINE)
_TABLE = re.compile(r"^(=+(?: +=+)+)\n((?:.+\n)+?)\1$", re.MULTILINE)
_FIELD = re.compile(r"^:([A-Z][\w ]*): ", re.MULTILINE)
_CODE = re.compile(r"(```.*?```|\$`[^`]+`\$|`[^`\n]+`)", re.DOTALL)
_INLINE = re.compile(r":(\w+):`([^`]+)`|``((?:[^`]|`(?!`))+)``")


def docstring_html(text: str, resolve: Resolver) -> str:
    """Return a docstring as HTML.

    Parameters
    ----------
    resolve : callable
        Returns the target of a link; a name of the library is ``api:`` and the name.
    """
    head, *rest = _SECTION.split(text)
    parts = [_prose(head, resolve)]
    for title, body in zip(rest[::2], rest[1::2], strict=True):
        inner = _entries(body, resolve) if title in LISTS else _prose(body, resolve)
        parts.append(f'<div class="section"><p class="of">{html.escape(title)}</p>{inner}</div>')
    return "".join(parts)


def first_sentence(text: str, resolve: Resolver) -> str:
    """Return the first paragraph of a docstring as HTML, without the marks of a paragraph."""
    body = _prose(text.partition("\n\n")[0], resolve).strip()
    return body.removeprefix("<p>").removesuffix("</p>")


def docstring_markdown(text: str) -> str:
    r"""Return the reStructuredText of docstrings as Markdown.

    Examples
    --------
    >>> docstring_markdown("A :class:`.Metric` of ``n`` lists, :math:`r_k < 2`.")
    'A [`Metric`](api:.Metric) of `n` lists, $`r_k < 2`$.'
    """
    text = _TABLE.sub(_table, text)
    text = _MATH.sub(lambda m: f"{m[1]}```math\n{_block(m[2], m[1])}\n{m[1]}```", text)
    text = _EXAMPLE.sub(lambda m: f"```pycon\n{m[0].rstrip()}\n```\n", text)
    text = _FIELD.sub(r"- **\1:** ", text)
    parts = re.split(r"(```.*?```)", text, flags=re.DOTALL)
    parts[::2] = [_INLINE.sub(_role, part) for part in parts[::2]]
    return _outside_code("".join(parts), lambda part: part.replace("<", "&lt;"))


def _block(text: str, margin: str) -> str:
    return indent(dedent(text).strip(), margin)


def _role(found: re.Match[str]) -> str:
    role, name, code = found.groups()
    if code is not None:
        return f"`{code}`"
    if role == "math":
        return f"$`{' '.join(name.split())}`$"
    printed = name.lstrip("~.")
    if name.startswith(("~", ".")):
        printed = printed if name.startswith(".") else printed.rpartition(".")[2]
    return f"[`{printed}`](api:{name.lstrip('~')})"


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    parts = _CODE.split(text)
    parts[::2] = map(change, parts[::2])
    return "".join(parts)


def _table(found: re.Match[str]) -> str:
    """Return a simple table, which lacks a head, with a head."""
    spans = [(m.start(), m.end()) for m in re.finditer("=+", found[1])]
    ends = [start for start, _ in spans[1:]]
    rows: list[list[str]] = []
    for line in found[2].splitlines():
        cells = [
            line[start:end].strip() for (start, _), end in zip(spans, [*ends, None], strict=True)
        ]
        if cells[0]:
            rows.append(cells)
        else:
            rows[-1] = [f"{a} {b}".strip() for a, b in zip(rows[-1], cells, strict=True)]
    width = len(spans)
    escaped = ["| " + " | ".join(c.replace("|", r"\|") for c in row) + " |" for row in rows]
    return "\n".join(["|" + " |" * width, "|" + " --- |" * width, *escaped])


def _prose(text: str, resolve: Resolver) -> str:
    return rendered(docstring_markdown(text.strip()), resolve).body


def _entries(text: str, resolve: Resolver) -> str:
    parts = []
    for line, body in _split_entries(text):
        name, separator, kind = line.partition(" : ")
        said = f"<code>{html.escape(name)}</code>"
        if separator:
            said += f' <span class="type">{html.escape(kind)}</span>'
        parts.append(f"<dt>{said}</dt><dd>{_prose(body, resolve)}</dd>")
    return f"<dl>{''.join(parts)}</dl>"


def _split_entries(text: str) -> Iterator[tuple[str, str]]:
    for entry in re.split(r"\n(?=\S)", text.strip("\n")):
        line, _, body = entry.partition("\n")
        yield line.strip(), dedent(body)


def reference_pages(
    modules: Sequence[PublicModule], packages: Mapping[str, str], links: SiteLinks
) -> list[SitePage]:
    """Return a page for every package of the code, and a page that lists them."""
    by_package = {
        name: list(group)
        for name, group in groupby(
            sorted(modules, key=lambda one: (one.package, one.name)), lambda one: one.package
        )
    }
    shown = [(name, group) for name, group in by_package.items() if any(m.names for m in group)]
    resolve = links.resolver(REFERENCE, "README.md")
    listing = SitePage(
        REFERENCE,
        "Library",
        "reference.html",
        REFERENCE,
        {
            "packages": [
                {
                    "name": group[0].dotted_package,
                    "address": f"api/{name}.html",
                    "summary": markup(first_sentence(packages.get(name, ""), resolve)),
                    "modules": len(group),
                }
                for name, group in shown
            ]
        },
        "The library under the workflow, by package.",
    )
    pages = [_package_page(name, group, packages.get(name, ""), links) for name, group in shown]
    return [listing, *pages]


def _package_page(
    name: str, modules: Sequence[PublicModule], docstring: str, links: SiteLinks
) -> SitePage:
    address = f"api/{name}.html"
    resolve = links.resolver(address, "README.md")
    return SitePage(
        address,
        modules[0].dotted_package,
        "package.html",
        REFERENCE,
        {
            "name": modules[0].dotted_package,
            "docstring": markup(docstring_html(docstring, resolve)),
            "modules": [
                {
                    "name": module.name,
                    "short": module.anchor,
                    "anchor": module.anchor,
                    "docstring": markup(docstring_html(module.docstring, resolve)),
                    "names": [_name(public, module, resolve) for public in module.names],
                }
                for module in modules
            ],
        },
        f"The public names of {modules[0].dotted_package}.",
    )


def _name(public: PublicName, module: PublicModule, resolve: Resolver) -> dict[str, Any]:
    return {
        "kind": public.kind,
        "name": public.name,
        "anchor": f"{module.anchor}.{public.name}",
        # A class without parameters needs only its heading.
        "signature": markup(highlighted(public.signature, "python"))
        if public.signature != f"class {public.name}"
        else "",
        "docstring": markup(docstring_html(public.docstring, resolve)),
        "members": [_name(member, module, resolve) for member in public.members],
    }


def _plain(html: str) -> str:
    return re.sub(r"<[^>]+>", "", html)
