# SPDX-License-Identifier: MIT
"""Pages of the site: their model, the links between them, and the parts that all of them share."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from reproduction.publishing.site.markdown_pages import MENTION, NAME, Resolver, anchor_of

DEMO = "demo"
"""The edition with synthetic data; every page of its site says so."""


@dataclass(frozen=True)
class SitePage:
    """A page of the site before rendering.

    The address is that from the top of the site. The title, that of the window, is without the name
    of the site, and empty for the first page. ``part`` is the address of the part of the site that
    is marked in the navigation, and the description a sentence for search results.
    """

    address: str
    title: str
    template: str
    part: str
    values: Mapping[str, Any] = field(default_factory=dict)
    description: str = ""


class PageWriter:
    """Turns pages into HTML."""

    def __init__(
        self, templates: Path, edition: str, navigation: Sequence[tuple[str, str]]
    ) -> None:
        self._environment = Environment(
            loader=FileSystemLoader(templates),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        self._environment.filters["anchor"] = anchor_of
        self._edition = edition
        self._navigation = navigation

    def html(self, page: SitePage) -> str:
        """Return the page as HTML."""

        def to(address: str) -> str:
            return relative(address, page.address)

        template = self._environment.get_template(page.template)
        return template.render(
            page=page,
            to=to,
            edition=self._edition,
            is_demo=self._edition == DEMO,
            navigation=[(label, to(a), a == page.part) for label, a in self._navigation],
            **page.values,
        )


def markup(html: str) -> Markup:
    """Mark our own HTML, so that templates do not escape it."""
    return Markup(html)


# Links from the names that texts of the repository use to pages of the site.

_ELSEWHERE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//)")
_DOCUMENT = re.compile(r"\bdocs/[\w/]+\.md\b")


class SiteLinks:
    """Link targets of the site, by the names that texts of the repository use.

    ``pages`` has the address on the site, perhaps with an anchor, by path in the repository. A part
    of a file with its own page also has an entry by path and anchor. ``names`` and ``mentions`` are
    those of the library, and of claims and errata.
    """

    def __init__(
        self,
        pages: Mapping[str, str],
        names: Mapping[str, str] | None = None,
        mentions: Mapping[str, str] | None = None,
    ) -> None:
        self.pages = pages
        self._names = names or {}
        self._mentions = mentions or {}

    def resolver(self, page: str, source: str) -> Resolver:
        """Return a function that resolves the links in a text for a page of the site."""

        def resolve(link: str) -> str | None:
            if link.startswith((NAME, MENTION)):
                name = link.partition(":")[2]
                known = self._names if link.startswith(NAME) else self._mentions
                address = known.get(name.lstrip("."))
                return relative(address, page) if address else None
            if _ELSEWHERE.match(link) or link.startswith("#"):
                return link
            path, _, anchor = link.partition("#")
            named = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
            if anchor and (address := self.pages.get(f"{named}#{anchor}")):
                return relative(address, page)
            address = self.pages.get(named)
            if address is None:
                return None
            return relative(f"{address}#{anchor}" if anchor else address, page)

        return resolve

    def with_documents(self, text: str) -> str:
        """Turn names of documents in a plain text into Markdown links from the top folder.

        Examples
        --------
        >>> SiteLinks({"docs/biases.md": "docs/biases.html"}).with_documents("See docs/biases.md.")
        'See [docs/biases.md](docs/biases.md).'
        """

        def link(found: re.Match[str]) -> str:
            return f"[{found[0]}]({found[0]})" if found[0] in self.pages else found[0]

        return _DOCUMENT.sub(link, text)


def relative(address: str, page: str) -> str:
    """Return the relative address from one page of the site to another.

    Examples
    --------
    >>> relative("ledger.html#B-001", "studies/bellogin2017.html"), relative("a/b.svg", "a/c.html")
    ('../ledger.html#B-001', 'b.svg')
    """
    path, mark, anchor = address.partition("#")
    if path == page and anchor:
        return f"#{anchor}"
    return posixpath.relpath(path, posixpath.dirname(page) or ".") + mark + anchor
