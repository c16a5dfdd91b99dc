# SPDX-License-Identifier: MIT
"""Public names of both packages, read from their sources without importing them."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

WIDEST = 88
"""Wider signatures have one line per parameter."""

ROOTS = ("receval", "reproduction")
"""The packages; no two packages in them have the same name."""


@dataclass(frozen=True)
class PublicName:
    """A class, function, method or constant with what its docstring says.

    Attributes
    ----------
    kind : {"class", "function", "method", "property", "constant"}
    name : str
        Within its module, such as ``Ratings.select``.
    signature : str
        As Python, the name included.
    docstring : str
        Empty if there is none.
    members : tuple of PublicName
        Methods and properties of a class.
    """

    kind: str
    name: str
    signature: str
    docstring: str
    members: tuple[PublicName, ...] = ()


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
    def anchor(self) -> str:
        """Prefix of the anchors of its names, on the page of the package."""
        return self.name.partition(".")[2].removeprefix(f"{self.package}.")


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
