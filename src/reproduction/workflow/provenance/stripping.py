# SPDX-License-Identifier: MIT
"""Syntax trees without what cannot change a result."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

Function = TypeVar("Function", ast.FunctionDef, ast.AsyncFunctionDef)


class Stripper(ast.NodeTransformer):
    """Removes docstrings, ``pass``, annotations that nothing reads and type-checking blocks.

    Comments and layout are not part of a syntax tree in the first place. Annotations stay where
    they act: on the fields of a class (dataclasses, pydantic) and on decorated functions, whose
    decorator may read them. The result is meant for hashing, not for compiling: emptied bodies
    stay empty.

    Attributes
    ----------
    annotation_names : set of str
        Names met in the annotations removed so far.
    """

    def __init__(self) -> None:
        self.annotation_names: set[str] = set()
        self._in_class_body = False

    def visit(self, node: ast.AST) -> Any:
        """Strip a node; an expression, of which all stays, is not even looked through."""
        return node if isinstance(node, ast.expr) else super().visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Strip a function."""
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        """Strip a coroutine."""
        return self._function(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Strip a class, but keep its annotated fields."""
        return self._visit_inside(node, in_class_body=True)

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        """Put the branch that runs in the place of an ``if TYPE_CHECKING``."""
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
        """Remove a docstring or any other constant standing alone."""
        return None if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_Pass(self, node: ast.Pass) -> None:
        """Remove ``pass``, which stands where a docstring may have stood."""

    def visit_statement(self, node: ast.stmt) -> list[ast.stmt]:
        """Return what is left of one statement: nothing, itself, or the branch that runs."""
        kept = self.visit(node)
        if kept is None:
            return []
        return kept if isinstance(kept, list) else [kept]

    def _function(self, node: Function) -> ast.AST:
        if not node.decorator_list:
            self._forget(node.returns)
            node.returns = None
            arguments: ast.arguments = node.args
            for argument in (
                *arguments.posonlyargs,
                *arguments.args,
                *arguments.kwonlyargs,
                arguments.vararg,
                arguments.kwarg,
            ):
                if argument is not None:
                    self._forget(argument.annotation)
                    argument.annotation = None
        return self._visit_inside(node, in_class_body=False)

    def _visit_inside(self, node: ast.AST, in_class_body: bool) -> ast.AST:
        outside, self._in_class_body = self._in_class_body, in_class_body
        try:
            return self.generic_visit(node)
        finally:
            self._in_class_body = outside

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
    """Return a node and all below it, as :func:`ast.walk` yields them, in half the time."""
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
    """Return the names that a piece of code, given as its nodes, reads or declares global."""
    names: set[str] = set()
    for part in parts:
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Store):
            names.add(part.id)
        elif isinstance(part, ast.Global):
            names.update(part.names)
    return names


def names_bound(node: ast.stmt, parts: Iterable[ast.AST]) -> set[str]:
    """Return the names that a top-level statement, given with its nodes, defines in its module."""
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
