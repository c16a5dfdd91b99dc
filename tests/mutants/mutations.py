"""Small mistakes that can be made in a source file, each a replacement of a few characters.

A mistake is found in the syntax tree and made in the text, so that lines, comments and layout stay
as they are. Left alone is what no result depends on: docstrings, annotations, decorators, messages
of errors, warnings, imports for types.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

PACKAGES = ("metrics", "protocols", "splits", "statistics", "theory")
"""Packages of which every line is changed. Of the others only what numba compiles."""

KERNELS = "kernels"
"""What the kernels of all other packages are counted as."""

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


@dataclass(frozen=True)
class Mutation:
    """One mistake: the bytes ``start`` to ``end`` of a file below src/receval become ``text``.

    Attributes
    ----------
    group : str
        The package, or ``kernels``: what scores are counted by.
    scope : str
        The function around, by its qualified name; empty for what runs when the module is imported.
    before, after : str
        The changed lines as they are and as they become.
    occurrence : int
        How often the same change of the same line stands further up in the file.
    """

    group: str
    file: str
    line: int
    start: int
    end: int
    text: str
    operator: str
    scope: str
    kernel: bool
    before: str
    after: str
    occurrence: int

    @property
    def key(self) -> str:
        """What identifies the mistake while its line stays as it is, wherever that moves."""
        said = "|".join((self.file, self.before, self.after, str(self.occurrence)))
        return hashlib.sha256(said.encode()).hexdigest()[:16]

    def made_in(self, source: bytes) -> bytes:
        """Return the file with the mistake."""
        return source[: self.start] + self.text.encode() + source[self.end :]


def all_mutations(library: Path) -> dict[str, list[Mutation]]:
    """Return all mutations of a library by their group."""
    groups: dict[str, list[Mutation]] = {}
    for path in sorted(library.rglob("*.py")):
        for mutation in mutations_of(path.read_bytes(), path.relative_to(library).as_posix()):
            groups.setdefault(mutation.group, []).append(mutation)
    return groups


def drawn_mutations(groups: dict[str, list[Mutation]], number: int, seed: int) -> list[Mutation]:
    """Return some of the mutations, the groups in turns.

    Each has its place in the order by a digest of itself and the seed: fewer are the first of more,
    and an edit moves only the mutations of the lines that it changes.
    """

    def place(mutation: Mutation) -> bytes:
        return hashlib.sha256(f"{seed}|{mutation.key}".encode()).digest()

    turns = [
        (turn, group, mutation)
        for group, found in groups.items()
        for turn, mutation in enumerate(sorted(found, key=place))
    ]
    return [mutation for _, _, mutation in sorted(turns, key=lambda turn: turn[:2])[:number]]


def mutations_of(source: bytes, file: str) -> list[Mutation]:
    """Return all mutations of one file, in the order of their places."""
    package = file.split("/")[0]
    finder = _Finder(source)
    finder.visit(ast.parse(source))
    seen: Counter[tuple[str, str]] = Counter()
    found = []
    for start, end, text, operator, scope, kernel in sorted(finder.found):
        if package not in PACKAGES and not kernel:
            continue
        changed = source[:start] + text.encode() + source[end:]
        before = _lines(source, start, end)
        after = _lines(changed, start, start + len(text.encode()))
        found.append(
            Mutation(
                group=package if package in PACKAGES else KERNELS,
                file=file,
                line=source.count(b"\n", 0, start) + 1,
                start=start,
                end=end,
                text=text,
                operator=operator,
                scope=scope,
                kernel=kernel,
                before=before,
                after=after,
                occurrence=seen[before, after],
            )
        )
        seen[before, after] += 1
    return found


def _lines(source: bytes, start: int, end: int) -> str:
    first = source.rfind(b"\n", 0, start) + 1
    last = source.find(b"\n", end)
    return " ".join(source[first : last if last >= 0 else len(source)].decode().split())


class _Finder(ast.NodeVisitor):
    """Gathers changes: start, end, replacement, operator, function around, whether in a kernel."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.found: list[tuple[int, int, str, str, str, bool]] = []
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
        self.found.append((start, end, text, operator, self._scope, self._kernel))

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
