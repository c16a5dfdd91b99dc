# SPDX-License-Identifier: MIT
"""Pages of the site for the public names of both packages, read without importing them."""

from __future__ import annotations

import ast
import html
import re
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from textwrap import dedent, indent

from markupsafe import Markup

from reproduction.publishing.site.site_pages import (
    Resolver,
    SiteLinks,
    SitePage,
    highlighted,
    markup,
    rendered,
)

ROOTS = ("receval", "reproduction")
"""The packages whose public names the site shows; no two packages in them have the same name."""

REFERENCE = "api/index.html"
"""Address of the list of public names."""

TASKS = {
    "Read data": ("data",),
    "Split": ("splits",),
    "Evaluate, tune and compare": ("evaluation", "large_runs", "tuning"),
    "Metrics and protocols": ("metrics", "protocols", "receval"),
    "Ask how far to trust it": (
        *("diagnosis", "missing_judgments", "multiverse", "sampled_metrics"),
    ),
    "Recommend": ("recommenders",),
}
"""What names of the library are for, by the packages that define them."""

WIDEST = 88
"""Wider signatures have one line per parameter."""


@dataclass(frozen=True)
class PublicName:
    """A class, function, method, property or constant with what its docstring says.

    The name is that within its module, such as ``Ratings.select``; the signature is Python. Members
    are the methods and properties of a class, bases the classes from which it has more of them.
    """

    kind: str
    name: str
    signature: str
    docstring: str
    members: tuple[PublicName, ...] = ()
    bases: tuple[str, ...] = ()


@dataclass(frozen=True)
class PublicModule:
    """A module: its full name, its docstring, and its public names."""

    name: str
    docstring: str
    names: tuple[PublicName, ...]

    @property
    def package(self) -> str:
        """The package directly below the top-level one, or that one for its own modules."""
        parts = self.name.split(".")
        return parts[1] if len(parts) > 2 else parts[0]

    @property
    def dotted_package(self) -> str:
        """The full name of the package."""
        root = self.name.partition(".")[0]
        return root if self.package == root else f"{root}.{self.package}"

    @property
    def address(self) -> str:
        """The address of its page, on which its names are anchors."""
        return f"api/{self.name}.html"


def read_modules(sources: Iterable[Path], roots: Collection[str] = ROOTS) -> list[PublicModule]:
    """Read the public modules of packages, those without a leading underscore."""
    modules = []
    for path in sorted(sources):
        parts = path.with_suffix("").parts
        names = parts[max(at for at, part in enumerate(parts) if part in roots) :]
        if names[-1] == "__init__" or any(name.startswith("_") for name in names):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        public = tuple(_public(tree.body))
        modules.append(PublicModule(".".join(names), ast.get_docstring(tree) or "", public))
    return modules


def read_packages(sources: Iterable[Path], roots: Collection[str] = ROOTS) -> dict[str, str]:
    """Return the docstrings of the packages directly below the top-level ones, by name."""
    packages = {}
    for path in sorted(sources):
        parts = path.parts
        if parts[-1] == "__init__.py" and parts[-3:-2] and parts[-3] in roots:
            tree = ast.parse(path.read_text(encoding="utf-8"))
            packages[parts[-2]] = ast.get_docstring(tree) or ""
    return packages


def _public(body: Sequence[ast.stmt]) -> Iterator[PublicName]:
    for at, node in enumerate(body):
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield _class(node)
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield _function(node, "", "function")
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            yield from _constants(node, body[at + 1 : at + 2])


def _class(node: ast.ClassDef) -> PublicName:
    functions = [part for part in node.body if isinstance(part, ast.FunctionDef)]
    members = [
        _function(part, f"{node.name}.", "property" if _is_property(part) else "method")
        for part in functions
        if not part.name.startswith("_") and ast.get_docstring(part)
    ]
    return PublicName(
        "class",
        node.name,
        _signature(f"class {node.name}", _parameters(node, functions), ""),
        ast.get_docstring(node) or "",
        tuple(members),
        tuple(map(ast.unparse, node.bases)),
    )


def _parameters(node: ast.ClassDef, functions: Sequence[ast.FunctionDef]) -> list[str]:
    """Return the parameters of a class: those of its constructor, or the fields of a dataclass."""
    for function in functions:
        if function.name == "__init__":
            return _arguments(function)[1:]
    if not any("dataclass" in ast.unparse(one) for one in node.decorator_list):
        return []
    fields = (part for part in node.body if isinstance(part, ast.AnnAssign))
    return [
        f"{ast.unparse(part.target)}: {ast.unparse(part.annotation)}{_default(part.value)}"
        for part in fields
        if "ClassVar" not in ast.unparse(part.annotation)
        and not ast.unparse(part.target).startswith("_")
    ]


def _default(value: ast.expr | None) -> str:
    if value is None:
        return ""
    text = ast.unparse(value)
    return " = ..." if text.startswith("field(") else f" = {text}"


def _is_property(node: ast.FunctionDef) -> bool:
    return any(ast.unparse(one).endswith("property") for one in node.decorator_list)


def _function(node: ast.FunctionDef, prefix: str, kind: str) -> PublicName:
    arguments = _arguments(node)
    if prefix and not any(ast.unparse(one) == "staticmethod" for one in node.decorator_list):
        arguments = arguments[1:]
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    name = f"{prefix}{node.name}"
    signature = f"{name}{result}" if kind == "property" else _signature(name, arguments, result)
    return PublicName(kind, name, signature, ast.get_docstring(node) or "")


def _arguments(node: ast.FunctionDef) -> list[str]:
    whole = ast.unparse(node.args)
    # A comma within brackets does not separate parameters.
    parts, depth = [""], 0
    for character in whole:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def _signature(name: str, arguments: Sequence[str], result: str) -> str:
    line = f"{name}({', '.join(arguments)}){result}"
    if name.startswith("class ") and not arguments:
        return name
    if len(line) <= WIDEST:
        return line
    inner = "".join(f"    {argument},\n" for argument in arguments)
    return f"{name}(\n{inner}){result}"


def _constants(
    node: ast.Assign | ast.AnnAssign, following: Sequence[ast.stmt]
) -> Iterator[PublicName]:
    """Yield an assigned name if a docstring follows it."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    below = following[0] if following else None
    if (
        len(targets) == 1
        and isinstance(targets[0], ast.Name)
        and not targets[0].id.startswith("_")
        and isinstance(below, ast.Expr)
        and isinstance(below.value, ast.Constant)
        and isinstance(below.value.value, str)
    ):
        name = targets[0].id
        value = ast.unparse(node.value) if node.value else ""
        shown = f"{name} = {value}" if len(value) <= WIDEST - len(name) else name
        yield PublicName("constant", name, shown, below.value.value)


def addresses_of_names(modules: Iterable[PublicModule]) -> dict[str, str]:
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
        if not module.names:
            continue
        add(module.name, module.address)
        for public in module.names:
            for one in (public, *public.members):
                add(f"{module.name}.{one.name}", f"{module.address}#{one.name}")
    return {name: address for name, address in addresses.items() if address is not None}


# The inventory of names by which Sphinx links to the site (intersphinx).

INVENTORY = "objects.inv"
"""Address of the inventory."""

_ROLES = {"constant": "data"}


def inventory(
    modules: Sequence[PublicModule], aliases: Mapping[str, str], project: str, version: str
) -> bytes:
    """Return the inventory of public names in version 2 of the form of Sphinx.

    ``aliases`` has full names by those that a package gives them, such as ``receval.evaluate``.
    """
    entries = {}
    for module in modules:
        if not module.names:
            continue
        parts = module.name.split(".")
        for depth in range(1, len(parts)):
            # Packages have no pages, but a place in the list of modules.
            place = f"{REFERENCE}#{'.'.join(parts[:2])}" if depth > 1 else REFERENCE
            entries[".".join(parts[:depth])] = ("module", place)
        entries[module.name] = ("module", module.address)
        for public in module.names:
            for one in (public, *public.members):
                role = _ROLES.get(one.kind, one.kind)
                entries[f"{module.name}.{one.name}"] = (role, f"{module.address}#{one.name}")
    classes = {one.name: (m.name, one) for m in modules for one in m.names if one.kind == "class"}

    def inherited(one: PublicName) -> Iterator[str]:
        for module_name, base in (classes[name] for name in one.bases if name in classes):
            yield from (f"{module_name}.{member.name}" for member in base.members)
            yield from inherited(base)

    for module_name, one in classes.values():
        for name in inherited(one):
            own = f"{module_name}.{one.name}.{name.rpartition('.')[2]}"
            entries.setdefault(own, entries[name])
    for alias, name in aliases.items():
        members = {one: entries[one] for one in entries if one.startswith(f"{name}.")}
        known = {name: entries[name]} if name in entries else {}
        entries |= {alias + one.removeprefix(name): at for one, at in {**known, **members}.items()}
    head = (
        f"# Sphinx inventory version 2\n# Project: {project}\n# Version: {version}\n"
        "# The remainder of this file is compressed using zlib.\n"
    )
    lines = [f"{name} py:{role} 1 {at} -\n" for name, (role, at) in sorted(entries.items())]
    return head.encode() + zlib.compress("".join(lines).encode(), 9)


def read_aliases(sources: Iterable[Path], roots: Collection[str] = ROOTS) -> dict[str, str]:
    """Return the full names behind those that top-level packages load when they are asked for."""
    inits = [path for path in sources if path.name == "__init__.py" and path.parts[-2] in roots]
    calls = [
        (path.parts[-2], node)
        for path in inits
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "lazy_names"
    ]
    return {
        f"{package}.{name}": target.replace(":", ".")
        for package, call in calls
        for name, target in ast.literal_eval(call.args[1]).items()
    }


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
    """Return a docstring as HTML; links to names of the library begin with ``api:``."""
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
    text = _MATH.sub(_formula, text)
    text = _EXAMPLE.sub(lambda m: f"```pycon\n{m[0].rstrip()}\n```\n", text)
    text = _FIELD.sub(r"- **\1:** ", text)
    parts = re.split(r"(```.*?```)", text, flags=re.DOTALL)
    parts[::2] = [_INLINE.sub(_role, part) for part in parts[::2]]
    parts = _CODE.split("".join(parts))
    parts[::2] = [part.replace("<", "&lt;") for part in parts[::2]]
    return "".join(parts)


def _formula(found: re.Match[str]) -> str:
    margin, text = found.groups()
    return f"{margin}```math\n{indent(dedent(text).strip(), margin)}\n{margin}```"


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
    for entry in re.split(r"\n(?=\S)", text.strip("\n")):
        line, _, body = entry.partition("\n")
        name, separator, kind = line.strip().partition(" : ")
        said = f"<code>{html.escape(name)}</code>"
        if separator:
            said += f' <span class="type">{html.escape(kind)}</span>'
        parts.append(f"<dt>{said}</dt><dd>{_prose(dedent(body), resolve)}</dd>")
    return f"<dl>{''.join(parts)}</dl>"


def reference_pages(
    modules: Sequence[PublicModule],
    packages: Mapping[str, str],
    aliases: Mapping[str, str],
    links: SiteLinks,
) -> list[SitePage]:
    """Return a page for every module, and one with the library's names, as called, by task."""
    shown = [module for module in modules if module.names]
    resolve = links.resolver(REFERENCE, "README.md")

    def summary(docstring: str) -> Markup:
        return markup(first_sentence(docstring, resolve))

    by_package = groupby(
        sorted(shown, key=lambda one: (one.dotted_package, one.name)),
        lambda one: one.dotted_package,
    )
    listing = SitePage(
        REFERENCE,
        "Library",
        "reference.html",
        REFERENCE,
        {
            "tasks": {
                task: [(alias, address, summary(docstring)) for alias, address, docstring in names]
                for task, names in _by_task(shown, aliases).items()
            },
            "packages": [
                (
                    name,
                    summary(packages.get(name.partition(".")[2], "")),
                    [
                        (
                            one.name.removeprefix(f"{name}."),
                            one.address,
                            summary(one.docstring),
                            # Constants are on the page of the module.
                            [own.name for own in one.names if not own.name.isupper()],
                        )
                        for one in group
                    ],
                )
                for name, group in by_package
            ],
        },
        "The public names of the library by task, and those of all modules.",
    )
    called = {name: alias for alias, name in aliases.items()}
    return [listing, *(_module_page(module, called, links) for module in shown)]


def _by_task(
    modules: Sequence[PublicModule], aliases: Mapping[str, str]
) -> dict[str, list[tuple[str, str, str]]]:
    """Return the names of the library by task, each with its address and its docstring."""
    defined = {f"{m.name}.{one.name}": (m, one) for m in modules for one in m.names}
    tasks: dict[str, list[tuple[str, str, str]]] = {task: [] for task in TASKS}
    for alias, name in aliases.items():
        if name in defined:
            module, one = defined[name]
            task = next(task for task, own in TASKS.items() if module.package in own)
            address = f"{module.address}#{one.name}"
            tasks[task].append((alias.replace("receval.", "rv.", 1), address, one.docstring))
    return {task: names for task, names in tasks.items() if names}


def _module_page(module: PublicModule, called: Mapping[str, str], links: SiteLinks) -> SitePage:
    resolve = links.resolver(module.address, "README.md")
    values = {
        "module": module,
        "called": {one.name: called.get(f"{module.name}.{one.name}", "") for one in module.names},
        "described": lambda text: markup(docstring_html(text, resolve)),
        "code": lambda signature: markup(highlighted(signature, "python")),
    }
    return SitePage(
        module.address,
        module.name,
        "module.html",
        REFERENCE,
        values,
        f"The public names of {module.name}.",
    )
