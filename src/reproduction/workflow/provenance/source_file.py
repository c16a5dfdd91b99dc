# SPDX-License-Identifier: MIT
"""Parse Python source files into the statements that can change a result.

Files are parsed, never imported.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

PACKAGES = ("receval", "reproduction")
"""The packages whose code results depend on."""

LIBRARY = PACKAGES[0]
LAZY = "lazy_names"
"""Module and function of the library by which packages export names."""


class Import(NamedTuple):
    """One name brought in from the packages by a statement.

    The name is ``*`` for all, and None for a plain ``import module``. The line is for messages.
    """

    module: str
    name: str | None
    line: int


# Syntax trees without what cannot change a result.


class Stripper(ast.NodeTransformer):
    """Removes docstrings, ``pass``, type-checking blocks and annotations without effect.

    Syntax trees have no comments or layout. Annotations stay where they have an effect: on the
    fields of a class (dataclasses, pydantic) and on decorated functions, whose decorator may read
    them. The result is only for hashing and cannot be compiled, because empty bodies stay empty.
    ``annotation_names`` has the names in the annotations removed so far.
    """

    def __init__(self) -> None:
        self.annotation_names: set[str] = set()
        self._in_class_body = False

    def visit(self, node: ast.AST) -> Any:
        """Strip a node; expressions are not visited, because all of them stay."""
        return node if isinstance(node, ast.expr) else super().visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        if not node.decorator_list:
            self._forget(node.returns)
            node.returns = None
            for argument in nodes_of(node.args):
                if isinstance(argument, ast.arg):
                    self._forget(argument.annotation)
                    argument.annotation = None
        return self._visit_inside(node, in_class_body=False)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815 - ast's name

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._visit_inside(node, in_class_body=True)

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        """Replace an ``if TYPE_CHECKING`` by the branch that runs."""
        branch = runtime_branch(node)
        if branch is None:
            return self.generic_visit(node)
        return [kept for child in branch for kept in self.visit_statement(child)]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        """Turn an annotated variable into a plain one; a field of a class stays."""
        if self._in_class_body:
            return self.generic_visit(node)
        self._forget(node.annotation)
        if node.value is None:
            return None
        return ast.Assign(targets=[self.visit(node.target)], value=self.visit(node.value))

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        """Remove a docstring or another constant that is a statement."""
        return None if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_Pass(self, node: ast.Pass) -> None:
        """Remove ``pass``, which stands where a docstring may have stood."""

    def visit_statement(self, node: ast.stmt) -> list[ast.stmt]:
        """Return the rest of a statement: nothing, itself, or the branch that runs."""
        kept = self.visit(node)
        if kept is None:
            return []
        return kept if isinstance(kept, list) else [kept]

    def _visit_inside(self, node: ast.AST, in_class_body: bool) -> ast.AST:
        outside, self._in_class_body = self._in_class_body, in_class_body
        stripped = self.generic_visit(node)
        self._in_class_body = outside
        return stripped

    def _forget(self, annotation: ast.expr | None) -> None:
        if annotation is not None:
            self.annotation_names |= names_read(nodes_of(annotation))


def runtime_branch(node: ast.stmt) -> list[ast.stmt] | None:
    """Return the branch of an ``if TYPE_CHECKING`` that runs; None for any other statement."""
    if not isinstance(node, ast.If):
        return None
    if _is_type_checking(node.test):
        return node.orelse
    if isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not):
        return node.body if _is_type_checking(node.test.operand) else None
    return None


def top_level_statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield a module's statements, one name per import, without type-checking blocks."""
    for node in body:
        branch = runtime_branch(node)
        if branch is not None:
            yield from top_level_statements(branch)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield ast.copy_location(ast.Import([alias]), node)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield ast.copy_location(ast.ImportFrom(node.module, [alias], node.level), node)
        else:
            yield node


def nodes_of(node: ast.AST) -> list[ast.AST]:
    """Return a node and all below it, like :func:`ast.walk` in half the time."""
    nodes = [node]
    for each in nodes:
        for name in each._fields:
            value = getattr(each, name, None)
            if isinstance(value, ast.AST):
                nodes.append(value)
            elif isinstance(value, list):
                nodes += [item for item in value if isinstance(item, ast.AST)]
    return nodes


def names_read(parts: Iterable[ast.AST]) -> set[str]:
    """Return the names that some nodes read or declare global."""
    names: set[str] = set()
    for part in parts:
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Store):
            names.add(part.id)
        elif isinstance(part, ast.Global):
            names.update(part.names)
    return names


def names_bound(node: ast.stmt, parts: Iterable[ast.AST]) -> set[str]:
    """Return the names that a top-level statement defines in its module."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    names: set[str] = set()
    for part in parts:
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(part.name)
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            names.add(part.id)
        elif isinstance(part, ast.Import | ast.ImportFrom):
            names.update(alias.asname or alias.name.partition(".")[0] for alias in part.names)
    return names


def runs_for_effect(node: ast.stmt) -> bool:
    """Return whether a statement does more than define names."""
    if isinstance(node, ast.Assign):
        return not all(map(_is_name_target, node.targets))
    if isinstance(node, ast.AnnAssign | ast.AugAssign):
        return not _is_name_target(node.target)
    if isinstance(node, ast.ImportFrom):
        return any(alias.name == "*" for alias in node.names)
    definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Import
    return not isinstance(node, definition)


def _is_type_checking(test: ast.expr) -> bool:
    name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", None)
    return name == "TYPE_CHECKING"


def _is_name_target(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple | ast.List):
        return all(map(_is_name_target, target.elts))
    if isinstance(target, ast.Starred):
        return _is_name_target(target.value)
    return isinstance(target, ast.Name)


class Statement(NamedTuple):
    """One top-level statement; an import of several names counts as several statements."""

    digest: str
    """Hash of the stripped syntax tree."""

    binds: tuple[str, ...]
    """Names that the statement defines in its module."""

    uses: tuple[str, ...]
    """Names that it reads at any depth, including those in removed annotations, because the
    function calls code of the declared types."""

    imports: tuple[Import, ...]
    """Imports from the packages, including those inside functions."""

    runs_for_effect: bool
    """True for a statement that is not a definition (a call, a loop, an assignment to an element).
    It acts whenever the module is imported, whichever name is needed."""


@dataclass(frozen=True)
class SourceFile:
    """The statements of one file, in order."""

    path: Path
    statements: tuple[Statement, ...]

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """All imports from the packages."""
        return tuple(item for statement in self.statements for item in statement.imports)

    @cached_property
    def names(self) -> frozenset[str]:
        """All names defined at top level."""
        return frozenset(name for statement in self.statements for name in statement.binds)

    @cached_property
    def has_effects(self) -> bool:
        """Whether importing the file does more than define names."""
        return any(statement.runs_for_effect for statement in self.statements)

    def reachable(self, symbol: str = "") -> list[Statement]:
        """Return the statements that a top-level name depends on, in the order of the file.

        These are its definitions, those of every name they read, transitively, and the
        statements that run for their effect; without a name, these alone. Names are compared as
        text: a local variable named like a definition of the module counts as a use of it.
        """
        chosen = {i for i, s in enumerate(self.statements) if s.runs_for_effect}
        pending = {symbol}.union(*(self.statements[i].uses for i in chosen))
        visited: set[str] = set()
        while pending:
            name = pending.pop()
            visited.add(name)
            for i in self._bound_by.get(name, ()):
                chosen.add(i)
                pending |= {*self.statements[i].uses} - visited
        return [self.statements[i] for i in sorted(chosen)]

    @cached_property
    def _bound_by(self) -> dict[str, list[int]]:
        """The numbers of the statements that define each name."""
        found: dict[str, list[int]] = {}
        for i, statement in enumerate(self.statements):
            for name in statement.binds:
                found.setdefault(name, []).append(i)
        return found


def hash_texts(texts: Iterable[str]) -> str:
    """Return the SHA-256 of some texts, in hexadecimal; none may hold a zero character."""
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode() + b"\0")
    return digest.hexdigest()


def parse_source(path: Path, content: bytes) -> SourceFile:
    """Parse one source file.

    It leaves out comments, layout, docstrings, annotations that are not used at run time, ``if
    TYPE_CHECKING`` blocks, ``__version__``, the names that a package exports
    (:func:`receval.lazy_names.lazy_names`), and imports from outside the packages that only these
    needed.
    """
    try:
        tree = ast.parse(content)
    except SyntaxError as error:
        raise ValueError(
            f"{path}, line {error.lineno}: the line is not valid Python ({error.msg}), so the "
            "code behind the results cannot be read. Correct the line."
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
                binds=tuple(sorted(names_bound(node, parts))),
                uses=tuple(sorted(names | stripper.annotation_names)),
                imports=tuple(_package_imports(parts, path)),
                runs_for_effect=runs_for_effect(node),
            )
            statements.append((node, statement))
    return SourceFile(
        path,
        tuple(
            statement
            for node, statement in statements
            if not _is_for_users(node) and not _is_unused_outside_import(node, read_at_runtime)
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
                    f'"from {LIBRARY}... import ...", by which the code behind a result is found.'
                )
            if part.module is not None and _is_in_package(part.module):
                for alias in part.names:
                    yield Import(part.module, alias.name, part.lineno)


def _is_in_package(module: str) -> bool:
    return module.partition(".")[0] in PACKAGES


def _is_for_users(node: ast.stmt) -> bool:
    """Return whether a statement gives the version, or names that a package exports.

    A new release should not make everything run again, and code of the package imports names from
    their modules.
    """
    if isinstance(node, ast.ImportFrom):
        return node.module == f"{LIBRARY}.{LAZY}"
    if not isinstance(node, ast.Assign):
        return False
    if isinstance(node.value, ast.Constant):
        return all(isinstance(t, ast.Name) and t.id == "__version__" for t in node.targets)
    return isinstance(node.value, ast.Call) and getattr(node.value.func, "id", "") == LAZY


def _is_unused_outside_import(node: ast.stmt, read_at_runtime: set[str]) -> bool:
    # Such imports are only for annotations, unless ``import x as x`` re-exports the name.
    if isinstance(node, ast.ImportFrom):
        if node.level or _is_in_package(node.module or ""):
            return False
    elif not isinstance(node, ast.Import) or _is_in_package(node.names[0].name):
        return False
    alias = node.names[0]
    bound = alias.asname or alias.name.partition(".")[0]
    return bound not in read_at_runtime and alias.name not in ("*", alias.asname)
