# SPDX-License-Identifier: MIT
"""The rules of the workflow as their files have them."""

from __future__ import annotations

import ast
import re
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RULES_FOLDER = Path(__file__).resolve().parents[1] / "workflow" / "rules"


@dataclass(frozen=True)
class Rule:
    """The sections of a rule as calls, and the statements of its body."""

    name: str
    file: str
    sections: dict[str, ast.Call]
    body: tuple[ast.stmt, ...]

    @classmethod
    def read(cls, name: str, text: str, file: str) -> Rule:
        _, *parts = re.split(r"^ {4}(\w+):\s", text, flags=re.M)
        texts = dict(zip(parts[::2], parts[1::2], strict=True))
        body = ast.parse(textwrap.dedent(texts.pop("run", ""))).body
        # What stands under a section has the syntax of arguments.
        sections = {}
        for section, arguments in texts.items():
            call = ast.parse(f"section(\n{arguments}\n)", mode="eval").body
            assert isinstance(call, ast.Call)
            sections[section] = call
        return cls(name, file, sections, tuple(body))

    @property
    def call(self) -> ast.Call:
        """The only thing that the body does: ``run_job(...)``."""
        (statement,) = self.body
        assert isinstance(statement, ast.Expr)
        assert isinstance(statement.value, ast.Call)
        assert ast.unparse(statement.value.func) == "run_job"
        return statement.value

    @property
    def function(self) -> str:
        """The function that the body names, as ``module:name`` in the folder of jobs."""
        named: str = ast.literal_eval(self.call.args[0])
        return named

    @property
    def message(self) -> str:
        """What the rule says of its jobs, with wildcards in braces."""
        (message,) = self.sections["message"].args
        said: str = ast.literal_eval(message)
        return said


def rules_of(path: Path) -> list[Rule]:
    text = path.read_text(encoding="utf-8")
    found = re.finditer(r"^rule (\w+):\n(.*?)(?=^\S|\Z)", text, re.M | re.S)
    return [Rule.read(match[1], match[2], text) for match in found]


RULES = {rule.name: rule for path in sorted(RULES_FOLDER.glob("*.smk")) for rule in rules_of(path)}


def helpers(**known: Any) -> dict[str, Any]:
    """Return what rules call, which works with the names that are known."""
    exec((RULES_FOLDER / "common.smk").read_text(encoding="utf-8"), known)
    return known
