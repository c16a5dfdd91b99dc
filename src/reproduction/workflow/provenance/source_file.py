# SPDX-License-Identifier: MIT
"""What in a Python source file can change a result, statement by statement.

Files are parsed, never imported.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from reproduction.workflow.provenance.stripping import (
    Stripper,
    names_bound,
    names_read,
    nodes_of,
    runs_for_effect,
    top_level_statements,
)

PACKAGES = ("receval", "reproduction")
"""Whose code results depend on: the library, and the reproduction, which imports it."""

LIBRARY = PACKAGES[0]
LAZY = "lazy_names"
"""Module of the library, and its function, by which packages offer names."""


@dataclass(frozen=True)
class Import:
    """One name brought in from the packages.

    Attributes
    ----------
    module : str
        Full name of the module.
    name : str or None
        The name imported from it, ``*`` for all; None for a plain ``import module``.
    line : int
        Line of the statement, for messages.
    """

    module: str
    name: str | None
    line: int


@dataclass(frozen=True)
class Statement:
    """One top-level statement; an import of several names counts as several statements.

    Attributes
    ----------
    digest : str
        Hash of the stripped syntax tree.
    binds : frozenset of str
        Names that the statement defines in its module.
    uses : frozenset of str
        Names that it reads at any depth, those of removed annotations included: what a parameter
        is declared to be is code that the function calls.
    imports : tuple of Import
        Imports from the packages, those inside functions included.
    runs_for_effect : bool
        True for a statement that is no definition (a call, a loop, an assignment to an element):
        it acts whenever the module is imported, whichever name is asked for.
    """

    digest: str
    binds: frozenset[str]
    uses: frozenset[str]
    imports: tuple[Import, ...]
    runs_for_effect: bool


@dataclass(frozen=True)
class SourceFile:
    """The statements of one file, in order."""

    path: Path
    statements: tuple[Statement, ...]

    @cached_property
    def digest(self) -> str:
        """Hash of all statements."""
        return hash_texts(statement.digest for statement in self.statements)

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """All imports from the packages."""
        return tuple(item for statement in self.statements for item in statement.imports)

    @cached_property
    def names(self) -> frozenset[str]:
        """All names defined at top level."""
        return frozenset(name for statement in self.statements for name in statement.binds)

    def reachable(self, symbol: str) -> list[Statement]:
        """Return the statements that a top-level name depends on, in the order of the file.

        These are its definitions, those of every name they read, transitively, and the
        statements that run for their effect. Names are matched as they are written: a local
        variable named like a definition of the module counts as a use of it.
        """
        chosen = {i for i, s in enumerate(self.statements) if s.runs_for_effect}
        pending = {symbol}.union(*(self.statements[i].uses for i in chosen))
        visited: set[str] = set()
        while pending:
            name = pending.pop()
            visited.add(name)
            for i, statement in enumerate(self.statements):
                if name in statement.binds:
                    chosen.add(i)
                    pending |= statement.uses - visited
        return [self.statements[i] for i in sorted(chosen)]


def hash_texts(texts: Iterable[str]) -> str:
    """Return the SHA-256 of some texts, in hexadecimal; none may hold a zero character."""
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode() + b"\0")
    return digest.hexdigest()


def parse_source(path: Path, content: bytes) -> SourceFile:
    """Parse one source file.

    Left out are comments, layout, docstrings, annotations that nothing reads,
    ``if TYPE_CHECKING`` blocks, ``__version__``, the names that a package offers to others
    (:func:`receval.lazy_names.lazy_names`), and imports from outside the packages that only those
    needed.
    """
    try:
        tree = ast.parse(content)
    except SyntaxError as error:
        raise ValueError(
            f"{path}, line {error.lineno}: not valid Python ({error.msg}), so the code behind "
            "the results cannot be read. Correct the line."
        ) from error
    statements: list[tuple[ast.stmt, Statement]] = []
    read_at_runtime: set[str] = set()
    for original in top_level_statements(tree.body):
        stripper = Stripper()
        for node in stripper.visit_statement(original):
            parts = nodes_of(node)
            names = names_read(parts)
            read_at_runtime |= names
            statement = Statement(
                digest=hash_texts([ast.dump(node)]),
                binds=frozenset(names_bound(node, parts)),
                uses=frozenset(names | stripper.annotation_names),
                imports=tuple(_package_imports(parts, path)),
                runs_for_effect=runs_for_effect(node),
            )
            statements.append((node, statement))
    return SourceFile(
        path,
        tuple(
            statement
            for node, statement in statements
            if not (_is_version(node) or _is_face(node))
            and not _is_unused_outside_import(node, read_at_runtime)
        ),
    )


def _package_imports(parts: list[ast.AST], path: Path) -> Iterable[Import]:
    for part in parts:
        if isinstance(part, ast.Import):
            for alias in part.names:
                if _is_in_package(alias.name):
                    yield Import(alias.name, None, part.lineno)
        elif isinstance(part, ast.ImportFrom):
            if part.level:
                raise ValueError(
                    f"{path}, line {part.lineno}: a relative import. Write the full name, "
                    f'"from {LIBRARY}... import ...": the code behind a result is followed by it.'
                )
            if part.module is not None and _is_in_package(part.module):
                for alias in part.names:
                    yield Import(part.module, alias.name, part.lineno)


def _is_in_package(module: str) -> bool:
    return module.partition(".")[0] in PACKAGES


def _is_version(node: ast.stmt) -> bool:
    # A release is no reason to run everything again.
    return (
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Constant)
        and all(isinstance(t, ast.Name) and t.id == "__version__" for t in node.targets)
    )


def _is_face(node: ast.stmt) -> bool:
    # What packages offer is for others: code of the package takes names from their modules.
    if isinstance(node, ast.ImportFrom):
        return node.module == f"{LIBRARY}.{LAZY}"
    return (
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id == LAZY
    )


def _is_unused_outside_import(node: ast.stmt, read_at_runtime: set[str]) -> bool:
    # Such imports serve annotations alone, unless ``import x as x`` hands the name on.
    if isinstance(node, ast.ImportFrom):
        if node.level or _is_in_package(node.module or ""):
            return False
    elif not isinstance(node, ast.Import) or _is_in_package(node.names[0].name):
        return False
    alias = node.names[0]
    bound = alias.asname or alias.name.partition(".")[0]
    return bound not in read_at_runtime and alias.name not in ("*", alias.asname)
