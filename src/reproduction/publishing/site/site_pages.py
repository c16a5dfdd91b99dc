# SPDX-License-Identifier: MIT
"""Pages of the site: their model, the links between them, what all share, and their Markdown.

Markdown is rendered with GitHub's anchors, formulas, and links to pages of the site.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree

from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from reproduction.publishing.html_page import formulas_in

Resolver = Callable[[str], str | None]
"""Returns the address of a link on the site, or None if the site does not have it."""

# Parts that GitHub requires its own marks for may be written without them.
_BARE_FORMULA = re.compile(r"(?<![\w$`\\])\$(?=[^\s`$])([^$`\n]*[\\{][^$`\n]*?)(?<=\S)\$(?![\w$`])")
_FENCED = re.compile(r"(^```.*?^```[ ]*$)", re.MULTILINE | re.DOTALL)
_ATTRIBUTE = re.compile(r"""(?<=\s)(href|src|srcset)="([^"]*)\"""")


_MENTIONED = re.compile(r"(?<![\w-])((?:[BCM]|V18|V20)-\d{3}|E-\d{2})(?![\w-])")
_IMAGE_WITHOUT_FILE = re.compile(r"""<img\b[^>]*\ssrc=""[^>]*>""")

_FORMATTER = HtmlFormatter(nowrap=True)

NAME = "api:"
"""Prefix of a query to a resolver for a name of the library."""

MENTION = "mention:"
"""Prefix of a query for a claim or an erratum that a text names without a link."""


@dataclass(frozen=True)
class PageHeading:
    """A heading: its level from 1 to 6, its anchor, and its text in HTML."""

    level: int
    anchor: str
    text: str


@dataclass(frozen=True)
class RenderedText:
    """Markdown turned into HTML, and the headings in it."""

    body: str
    headings: tuple[PageHeading, ...]

    @property
    def title(self) -> str:
        """The text of the first heading, in HTML; empty if there is none."""
        return self.headings[0].text if self.headings else ""


def anchor_of(title: str) -> str:
    """Return the anchor that GitHub gives a heading with this text.

    Examples
    --------
    >>> anchor_of("Figure 1: Cut-offs of nDCG (P@10)")
    'figure-1-cut-offs-of-ndcg-p10'
    """
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")


def highlighted(code: str, language: str) -> str:
    """Return code as HTML, with classes for its parts if the language is known."""
    inner: str = highlight(code, _lexer(language or "text"), _FORMATTER)
    return f'<pre class="code"><code>{inner.rstrip()}</code></pre>\n'


@cache
def _lexer(language: str) -> Lexer:
    try:
        return get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        return _lexer("text")


def rendered(text: str, resolve: Resolver, *, shift: int = 0, prefix: str = "") -> RenderedText:
    """Return Markdown as HTML.

    The text is CommonMark with tables, as GitHub reads it: formulas within ``$`` and a backquote,
    or in a block of the language math.
    """
    parts = _FENCED.split(text)
    parts[::2] = [_BARE_FORMULA.sub(r"$`\1`$", part) for part in parts[::2]]
    tokens = _parser().parse("".join(parts))
    state = _Rendering(resolve, shift, prefix)
    state.prepare(tokens)
    body: str = _parser().renderer.render(tokens, _parser().options, {})
    return RenderedText(body, tuple(state.headings))


def rendered_inline(text: str, resolve: Resolver) -> str:
    """Return one paragraph of Markdown as HTML, without the paragraph tags."""
    body = rendered(text, resolve).body.strip()
    return body.removeprefix("<p>").removesuffix("</p>")


# Formulas as MathML, which browsers display natively.

_SIZE = re.compile(r"\\(?:[bB]igg?[lr]?|textstyle|displaystyle)(?![A-Za-z])")
_DOTS = re.compile(r"\\dots(?![a-z])")
_INDEXED = {"msub", "msup", "msubsup"}
_LETTER = re.compile(r"[A-Za-z]")
_PRODUCT = re.compile(r"[a-z][A-Z]")


def formula(latex: str, *, block: bool = False) -> str:
    """Return a formula of LaTeX as MathML.

    Consecutive letters are one name, such as rank or TP, as in all our formulas; a small letter
    before a capital is a product.

    Examples
    --------
    >>> formula("TP_k")
    '<math><msub><mi>TP</mi><mi>k</mi></msub></math>'
    """
    # Browsers size brackets and sums themselves.
    known = _DOTS.sub(r"\\ldots", _SIZE.sub("", latex.strip()))
    try:
        markup = tex2mathml(known, as_block=block)
    except (MathError, AttributeError) as error:
        # docutils stumbles over a line break in a formula, such as a doubled backslash.
        raise ValueError(
            f"The formula {latex.strip()!r} cannot be typeset: {error} Write it with other "
            "commands."
        ) from error
    # The namespace is implied in HTML, and the function application sign is invisible. Few fonts
    # have the first of these two signs for the difference of sets.
    markup = markup.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "").replace("⧵", "∖")
    root = ElementTree.fromstring(markup.replace("&ApplyFunction;", "\u2061"))
    for element in root.iter():
        if element.text and not element.text.strip():
            element.text = None
        element.tail = None
    for element in root.iter():
        if element.tag in ("math", "mrow", "mtd"):
            _join_letters(element)
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=False)


def _join_letters(element: ElementTree.Element) -> None:
    run: list[ElementTree.Element] = []
    for child in [*element, None]:
        letter = child[0] if child is not None and child.tag in _INDEXED else child
        is_name = letter is not None and _is_name(letter)
        if is_name and letter is not None:
            run.append(letter)
        # An index ends the name that it belongs to.
        if not is_name or letter is not child:
            _join(element, run)
            run = []


def _join(element: ElementTree.Element, run: list[ElementTree.Element]) -> None:
    name = "".join(letter.text or "" for letter in run)
    if len(run) < 2 or _PRODUCT.fullmatch(name):
        return
    *before, last = run
    last.text = name
    for letter in before:
        element.remove(letter)


def _is_name(element: ElementTree.Element) -> bool:
    return element.tag == "mi" and bool(_LETTER.fullmatch(element.text or ""))


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    rules = parser.renderer.rules  # type: ignore[attr-defined]
    rules |= {
        "fence": _fence,
        "code_block": _code_block,
        "table_open": lambda *_: '<div class="box"><table>\n',
        "table_close": lambda *_: "</table></div>\n",
        "formula": lambda tokens, at, *_: formula(tokens[at].content),
        "finished": lambda tokens, at, *_: tokens[at].content,
    }
    return parser


def _fence(tokens: Sequence[Token], at: int, *_: Any) -> str:
    token = tokens[at]
    if token.info.strip() == "math":
        return f'<div class="formula box">{formula(token.content, block=True)}</div>\n'
    return highlighted(token.content, token.info.strip())


def _code_block(tokens: Sequence[Token], at: int, *_: Any) -> str:
    text = tokens[at].content
    return highlighted(text, "pycon" if text.startswith(">>> ") else "text")


@dataclass
class _Rendering:
    resolve: Resolver
    shift: int
    prefix: str
    headings: list[PageHeading] = field(default_factory=list)
    taken: dict[str, int] = field(default_factory=dict)

    def prepare(self, tokens: list[Token]) -> None:
        """Change tokens in place: links, formulas, anchors of headings."""
        for at, token in enumerate(tokens):
            if token.type == "inline":
                token.children = self._inline(token.children or [])
            elif token.type == "html_block":
                token.content = self._attributes(token.content)
            elif token.type == "th_open" and not tokens[at + 1].content:
                # An empty cell is not a header for a screen reader.
                token.tag = tokens[at + 2].tag = "td"
            elif token.type == "heading_open":
                self._heading(token, tokens[at + 1], tokens[at + 2])

    def _inline(self, children: list[Token], *, is_heading: bool = False) -> list[Token]:
        links: list[bool] = []
        # A link within a link would end it.
        is_linked = is_heading
        shown: list[Token] = []
        for token in children:
            plain = token.type == "text" and not links and not is_linked
            shown += self._mentions(token) if plain else [token]
            if token.type == "html_inline" and re.match("</?a[ >]", token.content):
                is_linked = is_heading or token.content[1] == "a"
            if token.type == "link_open":
                self._open(token, links)
            elif token.type == "link_close" and not links.pop():
                token.tag = "span"
            elif token.type == "image":
                shown[-1:] = self._image(token, is_linked=is_linked or bool(links))
            elif token.type == "html_inline":
                token.content = self._attributes(token.content)
        for code in formulas_in(shown):
            code.type = "formula"
        return shown

    def _mentions(self, text: Token) -> list[Token]:
        """Return a text with links to the claims and errata that it names."""
        tokens = []
        for part in _MENTIONED.split(text.content):
            address = self.resolve(MENTION + part) if _MENTIONED.fullmatch(part) else None
            content = f'<a href="{html.escape(address)}">{part}</a>' if address else part
            kind = "finished" if address else "text"
            tokens.append(Token(kind, "", 0, content=content))
        return tokens

    def _image(self, token: Token, *, is_linked: bool) -> list[Token]:
        """Return a picture in a link to itself, which opens it in full size."""
        address = self.resolve(str(token.attrs["src"]))
        if address is None:
            # A figure of the other edition could be mistaken for one of this.
            token.type = "text"
            return [token]
        token.attrs |= {"src": address, "loading": "lazy"}
        if is_linked:
            return [token]
        opening = f'<a class="picture" href="{html.escape(address)}">'
        ends = [Token("finished", "", 0, content=end) for end in (opening, "</a>")]
        return [ends[0], token, ends[1]]

    def _open(self, token: Token, links: list[bool]) -> None:
        target = self.resolve(str(token.attrs["href"]))
        links.append(target is not None)
        if target is None:
            token.tag, token.attrs = "span", {"class": "in-repository"}
        else:
            token.attrs["href"] = target

    def _attributes(self, markup: str) -> str:
        def own(found: re.Match[str]) -> str:
            target = self.resolve(html.unescape(found[2]))
            return f'{found[1]}="{html.escape(target or "")}"'

        found = _ATTRIBUTE.sub(own, markup)
        found = _IMAGE_WITHOUT_FILE.sub("", found).replace(' href=""', "")
        return re.sub(r"<img\b(?![^>]*\bloading=)", '<img loading="lazy"', found)

    def _heading(self, opening: Token, inline: Token, closing: Token) -> None:
        # The anchor is made from the printed text, without marks of emphasis and code.
        plain = "".join(child.content for child in inline.children or [])
        anchor = self.prefix + anchor_of(plain)
        again = self.taken[anchor] = self.taken.get(anchor, -1) + 1
        anchor = f"{anchor}-{again}" if again else anchor
        # A page has one title; a second one in its text becomes a section.
        self.shift += opening.tag == "h1" and len(self.headings) > 0 and self.shift == 0
        level = min(6, int(opening.tag[1]) + self.shift)
        opening.tag = closing.tag = f"h{level}"
        opening.attrs["id"] = anchor
        inline.children = self._inline(inline.children or [], is_heading=True)
        parser = _parser()
        renderer = cast("RendererHTML", parser.renderer)
        text = renderer.renderInline(inline.children, parser.options, {})
        self.headings.append(PageHeading(level, anchor, text))
        # The new token is prepared again later, and does not change then.
        mark = f'<a class="anchor" href="#{anchor}" aria-label="Link to this section">#</a>'
        inline.children = [Token("finished", "", 0, content=text)]
        if level > 1:
            inline.children.append(Token("finished", "", 0, content=mark))


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


def without_tags(html: str) -> str:
    """Return the text in HTML."""
    return re.sub(r"<[^>]+>", "", html)


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
