# SPDX-License-Identifier: MIT
"""Docstrings in numpydoc's form, as Markdown and HTML."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from textwrap import dedent, indent

from reproduction.publishing.site.markdown_pages import Resolver, rendered

LISTS = ("Parameters", "Attributes", "Returns", "Yields", "Raises")
"""Sections whose entries are a name or a type, and what is said of it below."""

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
        Where a link leads; that to a name of the library is ``api:`` and the name.
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
    r"""Return reStructuredText, as docstrings have it, as Markdown.

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
    """Return a simple table, which has no head here, with one."""
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
