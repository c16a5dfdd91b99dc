# SPDX-License-Identifier: MIT
"""Model of a page of the site, and the parts that all pages share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from reproduction.publishing.site.links import relative
from reproduction.publishing.site.markdown_pages import anchor_of

DEMO = "demo"
"""The edition with synthetic data; every page of its site says so."""


@dataclass(frozen=True)
class SitePage:
    """A page of the site before rendering.

    Attributes
    ----------
    address : str
        From the top of the site.
    title : str
        Title of the window, without the name of the site; empty for the first page.
    template : str
        Name of its template.
    part : str
        Address of the part of the site that it belongs to, which is marked in the navigation.
    values : mapping
        What the template shows.
    description : str
        A sentence that describes the page in search results.
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
