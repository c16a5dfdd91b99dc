# SPDX-License-Identifier: MIT
"""What a rule hands to the library function that it names, the function takes: all, by name."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from plan.planned import ROOT, plan_of

from reproduction.experiments.input_files import InputFiles
from reproduction.workflow.jobs.run_job import UNUSED_PARAMETERS

RULES_FOLDER = ROOT / "workflow" / "rules"
DIGESTED_BY_CHECKSUMS = {"fetch_raw"}
"""Rules whose results do not depend on how the code makes them."""

UNPACKED: dict[str, Callable[[], dict[str, Any]]] = {
    "artifacts.inputs": lambda: plan_of("demo").artifacts.inputs("bellogin2017", "fig02"),
    "judgment_samplings.inputs": lambda: plan_of("demo").judgment_samplings.inputs(
        "valcarce2020", "items"
    ),
    "claims.index_inputs": lambda: plan_of("demo").claims.index_inputs("valcarce2020"),
    "errata.inputs": lambda: plan_of("demo").errata.inputs(),
    "paper.inputs": lambda: plan_of("demo").paper.inputs(),
    "studies.provenance_inputs": lambda: plan_of("demo").studies.provenance_inputs("valcarce2020"),
    "site.inputs": lambda: plan_of("demo").site.inputs(),
    "datasets.sources": lambda: plan_of("full").datasets.sources(),
}
"""Methods of the parts of plans whose values rules hand on by their names."""


@dataclass(frozen=True)
class Rule:
    """The sections of a rule as calls, and the statements of its body."""

    name: str
    file: str
    sections: dict[str, ast.Call]
    body: tuple[ast.stmt, ...]

    @classmethod
    def read(cls, name: str, text: str, file: str) -> Rule:
        parts = re.split(r"^ {4}(\w+):\s", text, flags=re.M)
        texts = dict(zip(parts[1::2], parts[2::2], strict=True))
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
        """The only thing that the body does: ``JOBS.run(...)``."""
        (statement,) = self.body
        assert isinstance(statement, ast.Expr)
        assert isinstance(statement.value, ast.Call)
        assert ast.unparse(statement.value.func) == "JOBS.run"
        return statement.value

    @property
    def function(self) -> str:
        """The function that the body names, as ``module:name``."""
        named: str = ast.literal_eval(self.call.args[0])
        return named

    def names_under(self, section: str) -> list[str]:
        """Return the names of a section, also those that a plan gives."""
        if section not in self.sections:
            return []
        call = self.sections[section]
        names = [keyword.arg for keyword in call.keywords if keyword.arg is not None]
        for argument in call.args:
            # A file without a name would be no argument of the function.
            assert isinstance(argument, ast.Call), ast.unparse(argument)
            assert ast.unparse(argument.func) == "unpack"
            names += unpacked(argument)
        return names

    def names_in_body(self) -> list[str]:
        """Return the names of the arguments that only the body adds."""
        names: list[str] = []
        for keyword in self.call.keywords:
            names += [keyword.arg] if keyword.arg else unpacked(self._constant(keyword.value))
        return names

    def _constant(self, name: ast.expr) -> ast.expr:
        assigned = re.search(rf"^{ast.unparse(name)} = (.*)$", self.file, re.M)
        assert assigned is not None
        return ast.parse(assigned[1], mode="eval").body


def unpacked(expression: ast.expr) -> list[str]:
    """Return the names of what the one method of a plan in an expression returns."""
    called = {ast.unparse(node) for node in ast.walk(expression) if isinstance(node, ast.Attribute)}
    (method,) = (name for name in UNPACKED if any(one.endswith(f"].{name}") for one in called))
    return list(UNPACKED[method]())


def rules_of(path: Path) -> list[Rule]:
    text = path.read_text(encoding="utf-8")
    found = re.finditer(r"^rule (\w+):\n(.*?)(?=^\S|\Z)", text, re.M | re.S)
    return [Rule.read(match[1], match[2], text) for match in found]


RULES = {rule.name: rule for path in sorted(RULES_FOLDER.glob("*.smk")) for rule in rules_of(path)}


@pytest.fixture(params=RULES)
def rule(request: pytest.FixtureRequest) -> Rule:
    """Each rule of the workflow."""
    return RULES[request.param]


def loaded(rule: Rule) -> Callable[..., object]:
    module, _, name = rule.function.partition(":")
    function: Callable[..., object] = getattr(import_module(module), name)
    return function


def test_all_rules_are_found_and_have_a_body() -> None:
    texts = [path.read_text(encoding="utf-8") for path in RULES_FOLDER.glob("*.smk")]
    assert len(RULES) == sum(len(re.findall(r"\brule\b.*:$", text, re.M)) for text in texts) > 10
    ways = {way for rule in RULES.values() for way in rule.sections}
    assert ways.isdisjoint({"script", "shell", "wrapper", "notebook"})
    assert all(rule.body for rule in RULES.values())


def test_a_body_hands_over_all_that_its_rule_has(rule: Rule) -> None:
    handed = [ast.unparse(argument) for argument in rule.call.args[1:]]
    assert handed == ["input", "output", "params", "log"]
    assert rule.names_under("log") == ["messages", "benchmark"]


def test_a_rule_says_what_its_jobs_do(rule: Rule) -> None:
    (message,) = rule.sections["message"].args
    assert re.match(r"[A-Z][a-z]+ .", ast.literal_eval(message))


@pytest.mark.costly
def test_a_function_takes_what_its_rule_names_and_asks_for_nothing_else(rule: Rule) -> None:
    names = [
        *rule.names_under("input"),
        *rule.names_under("output"),
        *(name for name in rule.names_under("params") if name not in UNUSED_PARAMETERS),
        *rule.names_in_body(),
    ]
    assert len(names) == len(set(names))
    parameters = inspect.signature(loaded(rule)).parameters.values()
    by_name = {one.name: one for one in parameters if one.kind is one.KEYWORD_ONLY}
    others = {one.name: one for one in parameters if one.name not in by_name}
    assert all(one.kind is one.VAR_KEYWORD for one in others.values())
    missing = {name for name, one in by_name.items() if one.default is one.empty} - set(names)
    assert not missing
    unknown = set(names) - set(by_name)
    assert unknown == ({field.name for field in fields(InputFiles)} if others else set())


def test_the_digest_of_a_rule_begins_with_the_function_of_its_body(rule: Rule) -> None:
    params = {keyword.arg: keyword.value for keyword in rule.sections["params"].keywords}
    if rule.name in DIGESTED_BY_CHECKSUMS:
        assert "code" not in params
        return
    asked = [
        node
        for node in ast.walk(params["code"])
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and ast.unparse(node.func).endswith("].code.digest")
    ]
    (call,) = asked
    assert ast.literal_eval(call.args[0]) == rule.function


def test_rules_name_different_functions() -> None:
    assert len({rule.function for rule in RULES.values()}) == len(RULES)


@pytest.mark.parametrize("edition", ["demo", "full"])
def test_inputs_of_artifacts_are_those_that_a_job_can_look_up(edition: str) -> None:
    plan = plan_of(edition, {"network": "on"} if edition == "full" else None)
    kinds = [field.name for field in fields(InputFiles)]
    for study in plan.experiments.studies:
        for artifact in plan.artifacts.made(study):
            assert list(plan.artifacts.inputs(study, artifact)) == kinds
        for judgment_sampling in plan.experiments.studies[study].judgment_samplings:
            assert list(plan.judgment_samplings.inputs(study, judgment_sampling)) == [
                "ratings",
                "splits",
                "ranks",
            ]
