# SPDX-License-Identifier: MIT
"""What a rule hands to the library function that it names, the function takes: all, by name."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from dataclasses import fields
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from plan.planned import demo, plan_of
from rule_files import RULES, RULES_FOLDER, Rule, helpers

from reproduction.experiments.experiment import InputFiles
from reproduction.workflow.jobs.run_job import UNUSED_PARAMETERS

DIGESTED_BY_CHECKSUMS = {"fetch_raw"}
"""Rules whose results do not depend on how the code makes them."""

UNPACKED: dict[str, Callable[[], dict[str, Any]]] = {
    "artifacts.inputs": lambda: demo().artifacts.inputs("bellogin2017", "fig02"),
    "judgment_samplings.inputs": lambda: demo().judgment_samplings.inputs("valcarce2020", "items"),
    "claims.index_inputs": lambda: demo().claims.index_inputs("valcarce2020"),
    "errata.inputs": lambda: demo().errata.inputs(),
    "paper.inputs": lambda: demo().paper.inputs(),
    "studies.provenance_inputs": lambda: demo().studies.provenance_inputs("valcarce2020"),
    "site.inputs": lambda: demo().site.inputs(),
    "datasets.sources": lambda: plan_of("full").datasets.sources(),
}
"""Methods of the parts of plans whose values rules hand on by their names."""


def unpacked(expression: ast.expr) -> list[str]:
    """Return the names of what the one method of a plan in an expression returns."""
    called = {ast.unparse(node) for node in ast.walk(expression) if isinstance(node, ast.Attribute)}
    (method,) = (name for name in UNPACKED if any(one.endswith(f".{name}") for one in called))
    return list(UNPACKED[method]())


def names_under(rule: Rule, section: str) -> list[str]:
    """Return the names of a section, also those that a plan gives."""
    if section not in rule.sections:
        return []
    call = rule.sections[section]
    names = [keyword.arg for keyword in call.keywords if keyword.arg is not None]
    for argument in call.args:
        # A file without a name would be no argument of the function.
        assert isinstance(argument, ast.Call), ast.unparse(argument)
        assert ast.unparse(argument.func) == "unpack"
        names += unpacked(argument)
    return names


def names_in_body(rule: Rule) -> list[str]:
    """Return the names of the arguments that only the body adds."""
    names: list[str] = []
    for keyword in rule.call.keywords:
        if keyword.arg:
            names.append(keyword.arg)
            continue
        assigned = re.search(rf"^{ast.unparse(keyword.value)} = (.*)$", rule.file, re.M)
        assert assigned is not None
        names += unpacked(ast.parse(assigned[1], mode="eval").body)
    return names


each_rule = pytest.mark.each("rule", RULES.values(), ids=lambda rule: rule.name)


def test_all_rules_are_found_and_have_a_body() -> None:
    texts = [path.read_text(encoding="utf-8") for path in RULES_FOLDER.glob("*.smk")]
    assert len(RULES) == sum(len(re.findall(r"^ *rule\b.*:$", text, re.M)) for text in texts) > 10
    ways = {way for rule in RULES.values() for way in rule.sections}
    assert ways.isdisjoint({"script", "shell", "wrapper", "notebook"})
    assert all(rule.body for rule in RULES.values())
    assert len({rule.function for rule in RULES.values()}) == len(RULES)


@each_rule
def test_a_body_hands_over_all_that_its_rule_has(rule: Rule) -> None:
    handed = [ast.unparse(argument) for argument in rule.call.args[1:]]
    assert handed == ["input", "output", "params", "log"]
    assert names_under(rule, "log") == ["messages", "benchmark"]


@each_rule
def test_a_rule_says_what_its_jobs_do(rule: Rule) -> None:
    assert re.match(r"[A-Z][a-z]+ .", rule.message)


@pytest.mark.costly
@each_rule
def test_a_function_takes_what_its_rule_names_and_asks_for_nothing_else(rule: Rule) -> None:
    names = [
        *names_under(rule, "input"),
        *names_under(rule, "output"),
        *(name for name in names_under(rule, "params") if name not in UNUSED_PARAMETERS),
        *names_in_body(rule),
    ]
    assert len(names) == len(set(names))
    module, _, name = rule.function.partition(":")
    function = getattr(import_module(f"reproduction.workflow.jobs.{module}"), name)
    parameters = inspect.signature(function).parameters.values()
    by_name = {one.name: one for one in parameters if one.kind is one.KEYWORD_ONLY}
    others = {one.name: one for one in parameters if one.name not in by_name}
    assert all(one.kind is one.VAR_KEYWORD for one in others.values())
    missing = {name for name, one in by_name.items() if one.default is one.empty} - set(names)
    assert not missing
    unknown = set(names) - set(by_name)
    assert unknown == ({field.name for field in fields(InputFiles)} if others else set())


@each_rule
def test_the_digest_of_a_rule_begins_with_the_function_of_its_body(rule: Rule) -> None:
    params = {keyword.arg: keyword.value for keyword in rule.sections["params"].keywords}
    if rule.name in DIGESTED_BY_CHECKSUMS:
        assert "code" not in params
        return
    asked = params["code"]
    assert isinstance(asked, ast.Call)
    assert ast.unparse(asked.func) == "digest_of"
    assert ast.literal_eval(asked.args[0]) == rule.function


def test_digests_and_calls_are_of_the_same_function() -> None:
    calls: list[Any] = []
    known = helpers(PLANS={"full": demo()}, JOBS=SimpleNamespace(run=lambda *a: calls.append(a)))
    known["run_job"]("systems:train_system", "its files")
    assert calls == [("reproduction.workflow.jobs.systems:train_system", "its files")]
    code = demo().code
    entry = code.recommender_entry("pop")
    digest = known["digest_of"]("systems:train_system", lambda wildcards: [entry])
    assert digest(SimpleNamespace()) == code.digest(calls[0][0], entry)


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
