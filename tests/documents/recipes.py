# SPDX-License-Identifier: MIT
"""The recipes of CONTRIBUTING.md, and the examples of docs/recipes.md put into a copy."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

RECIPES = ("A dataset", "A twin", "A system", "A metric", "A table", "A figure")


@dataclass(frozen=True)
class Block:
    """Lines of an example, the file of the repository where they go, and the list or table there.

    The name of the latter is empty where the lines go to the file itself.
    """

    path: str
    name: str
    lines: str

    def put_into(self, folder: Path) -> None:
        """Write the lines where docs/recipes.md says that they go."""
        path = folder / self.path
        if not path.exists():
            assert not self.name, f"{self.path} is to have a name {self.name}, but is not there."
            path.write_text(self.lines, encoding="utf-8")
            return
        text = path.read_text(encoding="utf-8")
        if self.name:
            text = with_last(text, self.name, self.lines)
        elif path.suffix == ".yaml":
            text = with_entries(text, self.lines)
        elif path.suffix == ".py":
            text = with_code(text, self.lines)
        else:
            text += self.lines
        path.write_text(text, encoding="utf-8")


def section(text: str, title: str, level: str) -> str:
    """Return what stands under a heading, up to the next one of its level or above."""
    found = re.split(rf"^{level} {re.escape(title)}$", text, flags=re.MULTILINE)
    assert len(found) == 2, f"There are {len(found) - 1} headings {level} {title}."
    return re.split(rf"^#{{2,{len(level)}}} ", found[1], flags=re.MULTILINE)[0]


def steps(title: str) -> str:
    """Return a recipe of CONTRIBUTING.md."""
    return section((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), title, "###")


def blocks(title: str) -> list[Block]:
    """Return the blocks of an example of docs/recipes.md."""
    text = section((ROOT / "docs" / "recipes.md").read_text(encoding="utf-8"), title, "##")
    found = re.findall(r"^```\w+ (\S+) ?(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [Block(path, name, lines) for path, name, lines in found]


def with_last(text: str, name: str, lines: str) -> str:
    """Return a module in which a list or table has the lines as its last."""
    (literal,) = [
        node.value
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        and any(isinstance(each, ast.Name) and each.id == name for each in targets(node))
    ]
    assert isinstance(literal, ast.List | ast.Dict | ast.Set), f"{name} is no list or table."
    assert literal.end_lineno is not None
    assert literal.end_col_offset is not None
    rows = text.splitlines(keepends=True)
    last = rows[literal.end_lineno - 1]
    start, end = last[: literal.end_col_offset - 1], last[literal.end_col_offset - 1 :]
    comma = "," if start.strip() else ""
    rows[literal.end_lineno - 1] = f"{start}{comma}\n{lines}{end}" if comma else f"{lines}{last}"
    return "".join(rows)


def targets(node: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [node.target]


def with_code(text: str, lines: str) -> str:
    """Return a module with the lines at its end, and their imports after its own."""
    imports = [line for line in lines.splitlines() if re.match(r"(?:from|import) ", line)]
    rest = "\n".join(line for line in lines.splitlines() if line not in imports).strip("\n")
    last = max(
        n.end_lineno or 0
        for n in ast.parse(text).body
        if isinstance(n, ast.Import | ast.ImportFrom)
    )
    rows = text.splitlines()
    return "\n".join([*rows[:last], *imports, *rows[last:], "", "", rest, ""])


def with_entries(text: str, lines: str) -> str:
    """Return YAML in which every section has the entries that the lines have under its key."""
    for key, entries in re.findall(r"^([\w-]+:)\n((?:[ ].*\n)+)", lines, flags=re.MULTILINE):
        there = re.search(rf"^{key}\n(?:(?:[ #].*)?\n)*[ ].*\n", text, flags=re.MULTILINE)
        if there is None:
            text = f"{text.rstrip()}\n\n{key}\n{entries}"
        else:
            text = text[: there.end()] + entries + text[there.end() :]
    return text
