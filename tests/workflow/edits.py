# SPDX-License-Identifier: MIT
"""Edits of Python sources that change what a function does, or nothing at all."""

from __future__ import annotations

import ast


def with_changed_function(source: str, function: str) -> str:
    """Return a source with one statement more at the start of a function."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name == function:
            first = node.body[1 if ast.get_docstring(node) is not None else 0]
            lines = source.splitlines(keepends=True)
            lines.insert(first.lineno - 1, f"{' ' * first.col_offset}assert True\n")
            return "".join(lines)
    raise ValueError(f"There is no function {function} to change.")


def with_changed_words(source: str) -> str:
    """Return a source with other docstrings and one comment more."""
    lines = source.splitlines(keepends=True)
    for node in ast.walk(ast.parse(source)):
        documented = ast.Module | ast.ClassDef | ast.FunctionDef
        if isinstance(node, documented) and ast.get_docstring(node) is not None:
            line = node.body[0].lineno - 1
            lines[line] = lines[line].replace('"""', '"""In other words: ', 1)
    return "".join([*lines, "# A remark.\n"])
