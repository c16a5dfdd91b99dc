# SPDX-License-Identifier: MIT
"""Link names from the repository and the library to pages of the site."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping

from reproduction.publishing.site.markdown_pages import MENTION, NAME, Resolver
from reproduction.publishing.site.public_names import PublicModule

_ELSEWHERE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//)")
_DOCUMENT = re.compile(r"\bdocs/[\w/]+\.md\b")


class SiteLinks:
    """Link targets of the site, by the names that texts of the repository use.

    Parameters
    ----------
    pages : mapping of str to str
        Address on the site, perhaps with an anchor, by path in the repository. A part of a file
        with its own page also has an entry by path and anchor.
    """

    def __init__(
        self,
        pages: Mapping[str, str],
        modules: Iterable[PublicModule] = (),
        mentions: Mapping[str, str] | None = None,
    ) -> None:
        self.pages = dict(pages)
        self._names = _addresses_by_suffix(modules)
        self._mentions = dict(mentions or {})

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


def _addresses_by_suffix(modules: Iterable[PublicModule]) -> dict[str, str]:
    """Return the address of every public name by each of its unique suffixes."""
    addresses: dict[str, str | None] = {}

    def add(name: str, address: str) -> None:
        parts = name.split(".")
        for start in range(len(parts)):
            suffix = ".".join(parts[start:])
            same = addresses.setdefault(suffix, address) == address
            # The full name is always unambiguous.
            addresses[suffix] = address if same or start == 0 else None

    for module in modules:
        page = f"api/{module.package}.html"
        add(module.name, f"{page}#{module.anchor}")
        for public in module.names:
            for one in (public, *public.members):
                add(f"{module.name}.{one.name}", f"{page}#{module.anchor}.{one.name}")
    return {name: address for name, address in addresses.items() if address is not None}
