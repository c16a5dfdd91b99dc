# SPDX-License-Identifier: MIT
"""Where in a source a small mistake can be made, found in its syntax tree.

Left alone is what no result depends on: docstrings, annotations, decorators, messages of errors,
warnings, imports for types.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import NamedTuple

BINARY: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "//"),
    ast.Pow: ("**", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.BitXor: ("^", "&"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
}

COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: (r"is\s+not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: (r"not\s+in", "in"),
}

OPPOSITES = {
    one: other
    for pair in (
        ("min", "max"),
        ("minimum", "maximum"),
        ("fmin", "fmax"),
        ("argmin", "argmax"),
        ("nanmin", "nanmax"),
        ("floor", "ceil"),
        ("any", "all"),
        ("zeros", "ones"),
        ("zeros_like", "ones_like"),
    )
    for one, other in (pair, pair[::-1])
}
BUILT_IN = {"min", "max", "any", "all"}

REMOVABLE = {"axis", "kind", "ddof", "side", "minlength", "keepdims", "initial"} | {
    "key",
    "method",
    "reverse",
    "right",
    "stable",
    "where",
}
"""Keyword arguments without which a call still works, and may give something else."""

SILENT = {"warnings", "logging", "logger", "log"}
"""Names whose calls only say something."""

NUMERIC = re.compile(r"float|int|Array|ndarray|csr|csc")


class Change(NamedTuple):
    """A replacement of the bytes from start to end, in a function of that qualified name."""

    start: int
    end: int
    text: str
    operator: str
    scope: str
    kernel: bool


class Finder(ast.NodeVisitor):
    """Gathers the changes of one source.

    - ``found``: In no order.
    """

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.found: list[Change] = []
        self._lines = [0, *(match.end() for match in re.finditer(rb"\n", source))]
        self._names: list[str] = []
        self._scope = ""
        self._kernel = False

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._names.append(node.name)
        self._visit_all(node.body)
        self._names.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        outer = self._scope, self._kernel
        self._kernel |= any("njit" in ast.unparse(made) for made in node.decorator_list)
        if not self._scope:
            self._scope = ".".join([*self._names, node.name])
        defaults = [default for default in node.args.kw_defaults if default is not None]
        self._visit_all([*node.args.defaults, *defaults])
        # What is negated must be a number; a kernel's type is inferred from all its returns.
        if node.returns is not None and NUMERIC.search(ast.unparse(node.returns)):
            for inner in ast.walk(node):
                if isinstance(inner, ast.Return):
                    self._negate(inner.value)
        self._visit_all(node.body)
        self._scope, self._kernel = outer

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        if not any(isinstance(to, ast.Name) and to.id == "__all__" for to in node.targets):
            self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        if "TYPE_CHECKING" not in ast.unparse(node.test):
            self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        """Leave the messages of errors alone."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Leave formatted texts alone."""

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in BINARY:
            sign, other = BINARY[type(node.op)]
            self._between(node.left, node.right, re.escape(sign), other, "arithmetic")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if type(node.op) in BINARY:
            sign, other = BINARY[type(node.op)]
            self._between(node.target, node.value, re.escape(f"{sign}="), f"{other}=", "assignment")
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        sides = [node.left, *node.comparators]
        for left, right, sign in zip(sides, sides[1:], node.ops, strict=False):
            self._between(left, right, *COMPARISONS[type(sign)], "comparison")
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        word, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:], strict=False):
            self._between(left, right, word, other, "boolean")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        removed = {ast.Not: ("not", "negation"), ast.USub: ("-", "sign")}.get(type(node.op))
        if removed:
            start = self._start(node)
            self._add(start, start + len(removed[0]), "", removed[1])
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self._replace(node, str(not node.value), "constant")
        elif isinstance(node.value, int | float):
            for other in (node.value + 1, node.value - 1):
                self._replace(node, repr(other) if other >= 0 else f"({other!r})", "constant")

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in BUILT_IN and isinstance(node.ctx, ast.Load):
            self._replace(node, OPPOSITES[node.id], "opposite")

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr in OPPOSITES:
            end = self._end(node)
            self._add(end - len(node.attr), end, OPPOSITES[node.attr], "opposite")
        self.generic_visit(node)

    def visit_Slice(self, node: ast.Slice) -> None:
        self._shift(node.lower, "+", "slice")
        self._shift(node.upper, "-", "slice")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        called = ast.unparse(node.func)
        if called.split(".")[0] in SILENT:
            return
        if called == "range":
            *starts, stop = node.args[:2]
            self._shift(stop, "-", "range")
            for start in starts:
                self._shift(start, "+", "range")
        arguments: list[ast.expr | ast.keyword] = [*node.args, *node.keywords]
        arguments.sort(key=self._start)
        for index, argument in enumerate(arguments):
            if isinstance(argument, ast.keyword) and argument.arg in REMOVABLE:
                self._remove(arguments, index)
        self.generic_visit(node)

    def visit_Break(self, node: ast.Break) -> None:
        self._replace(node, "continue", "loop")

    def visit_Continue(self, node: ast.Continue) -> None:
        self._replace(node, "break", "loop")

    def _visit_all(self, nodes: Iterable[ast.AST]) -> None:
        for node in nodes:
            self.visit(node)

    def _start(self, node: ast.expr | ast.stmt | ast.keyword) -> int:
        return self._lines[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr | ast.stmt | ast.keyword) -> int:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._lines[node.end_lineno - 1] + node.end_col_offset

    def _add(self, start: int, end: int, text: str, operator: str) -> None:
        self.found.append(Change(start, end, text, operator, self._scope, self._kernel))

    def _replace(self, node: ast.expr | ast.stmt, text: str, operator: str) -> None:
        self._add(self._start(node), self._end(node), text, operator)

    def _between(
        self, left: ast.expr, right: ast.expr, pattern: str, text: str, operator: str
    ) -> None:
        """Replace an operator, which stands between its operands, their brackets and comments."""
        start = self._end(left)
        gap = re.sub(
            rb"#.*", lambda comment: b" " * len(comment[0]), self.source[start : self._start(right)]
        )
        if sign := re.search(pattern.encode(), gap):
            self._add(start + sign.start(), start + sign.end(), text, operator)

    def _shift(self, node: ast.expr | None, sign: str, operator: str) -> None:
        """Move an end by one; one that is a number is moved as all numbers are."""
        if node is None or isinstance(node, ast.Constant | ast.Starred):
            return
        start, end = self._start(node), self._end(node)
        self._add(start, end, f"({self.source[start:end].decode()}) {sign} 1", operator)

    def _negate(self, node: ast.expr | None) -> None:
        if node is None or isinstance(node, ast.Tuple | ast.Dict | ast.List | ast.Compare):
            return
        if isinstance(node, ast.Constant) and not isinstance(node.value, float):
            return
        start, end = self._start(node), self._end(node)
        self._add(start, end, f"-({self.source[start:end].decode()})", "sign")

    def _remove(self, arguments: list[ast.expr | ast.keyword], index: int) -> None:
        argument = arguments[index]
        if index + 1 < len(arguments):
            span = self._start(argument), self._start(arguments[index + 1])
        elif index:
            span = self._end(arguments[index - 1]), self._end(argument)
        else:
            span = self._start(argument), self._end(argument)
        self._add(*span, "", "argument")
