# SPDX-License-Identifier: MIT
"""Digests that provenance records: which artifacts have other code behind them after an edit."""

from __future__ import annotations

import ast
import re
import shutil
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from plan.planned import ROOT, plan_of, put_raw_files
from plan.test_rules_name_functions import DIGESTED_BY_CHECKSUMS
from rule_files import RULES, Rule, helpers
from workflow.edits import with_changed_function

from reproduction.config.settings import load_settings
from reproduction.config.studies import ArtifactSpec, StudySpec
from reproduction.workflow.plan.plan import Plan

pytestmark = pytest.mark.costly

Artifact = tuple[str, str]


# --- after an edit ----------------------------------------------------------------------------


class EditedCode:
    """A copy of the code, and what the demo's records say of it."""

    def __init__(self, folder: Path) -> None:
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "src", folder / "src", ignore=ignore)
        self.folder = folder
        self.settings = load_settings(ROOT / "config", "demo")
        self.before = self.digests()

    def digests(self) -> dict[tuple[str, str, str], str]:
        plan = Plan(self.settings, self.folder)
        return {
            (study, artifact, of): digest
            for study in self.settings.studies
            for artifact, each in plan.code_digests.of_study(study).items()
            for of, digest in each.items()
        }

    def changed_by(self, module: str, function: str) -> set[tuple[str, str, str]]:
        """Return what is recorded otherwise after an edit, which is then undone."""
        file = self.folder / "src" / f"{module.replace('.', '/')}.py"
        text = file.read_text(encoding="utf-8")
        file.write_text(with_changed_function(text, function), encoding="utf-8")
        after = self.digests()
        file.write_text(text, encoding="utf-8")
        return {key for key in self.before if self.before[key] != after[key]}


def verdicts(code: EditedCode, studies: set[str]) -> set[tuple[str, str, str]]:
    """Return what is recorded of the verdicts on the claims of some papers."""
    return {
        (study, name, "results")
        for study in studies
        for name, spec in code.settings.studies[study].artifacts.items()
        if spec.reads_claims
    }


_WORLD = ("receval.recommenders.plsa:PLSA",)

TRAINED_BY = {"estimated_orders": _WORLD, "estimated_powers": _WORLD}
"""What an artifact trains itself, by its name."""


def is_recorded(
    changed: set[tuple[str, str, str]], code: EditedCode, artifacts: set[Artifact]
) -> bool:
    """Tell whether the numbers of some artifacts are recorded otherwise, and of no other.

    Verdicts by them are, too; others may be, as theorems are worked out by the library.
    """
    of_numbers = changed - verdicts(code, set(code.settings.studies))
    by_them = verdicts(code, {study for study, _ in artifacts})
    return of_numbers == {(*each, "results") for each in artifacts} and by_them <= changed


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> EditedCode:
    return EditedCode(tmp_path_factory.mktemp("edited"))


def artifacts_where(code: EditedCode, kind: str, entry: str) -> set[Artifact]:
    """Return the artifacts in whose numbers the code of a system, split or dataset has a part."""
    plan = Plan(code.settings, code.folder)
    entries = {
        "system": lambda name: [plan.code.recommender_entry(name)],
        "split": lambda name: [plan.code.splitter_entry(name)],
        "dataset": lambda name: [
            plan.datasets.writer_entry(name),
            *plan.datasets.parser_entries(name),
        ],
    }

    def has_part(study: StudySpec, spec: ArtifactSpec) -> bool:
        sampled = [study.judgment_samplings[s].experiments for s in spec.judgment_samplings]
        read = dict.fromkeys([*spec.experiments, *(name for names in sampled for name in names)])
        experiments = [study.experiments[name] for name in read]
        simulations = [code.settings.simulations[name] for name in spec.simulations]
        names = {
            "system": {s for e in experiments for s in e.all_systems}
            | {s for each in simulations for s in each.systems},
            "split": {e.split for e in experiments} | set(spec.all_splits),
            "dataset": {each.dataset for each in (*experiments, *simulations)}
            | {d for d in spec.datasets if plan.datasets.is_available(d)},
        }[kind]
        others = (has_part(study, study.artifacts[name]) for name in spec.results_of)
        named = any(entry in entries[kind](name) for name in names)
        return named or is_imported(study, spec) or any(others)

    def is_imported(study: StudySpec, spec: ArtifactSpec) -> bool:
        """Tell whether the artifact trains the system itself, in a world that it generates."""
        (name,) = (name for name, own in study.artifacts.items() if own is spec)
        return kind == "system" and entry in TRAINED_BY.get(name, ())

    return {
        (name, artifact)
        for name, study in plan.experiments.studies.items()
        for artifact in plan.artifacts.made(name)
        if has_part(study, study.artifacts[artifact])
    }


@pytest.mark.parametrize(
    ("kind", "entry", "function"),
    [
        ("system", "receval.recommenders.plsa:PLSA", "_fit"),
        ("system", "receval.recommenders.wbpr:WBPR", "_fit"),
        # Beside other recommenders in the same module.
        ("system", "receval.recommenders.non_personalised:OptimalRanking", "_order"),
        ("split", "receval.splits.temporal:split_by_time", "split_by_time"),
        ("dataset", "reproduction.datasets.formats.lastfm_1k", "_parse"),
        ("dataset", "reproduction.simulation.writers.lastfm", "write"),
    ],
)
def test_an_edit_changes_the_digests_of_the_artifacts_it_has_a_part_in_and_of_no_other(
    code: EditedCode, kind: str, entry: str, function: str
) -> None:
    expected = artifacts_where(code, kind, entry)
    assert 0 < len(expected) < len(code.before) / 2
    module = entry.partition(":")[0]
    assert is_recorded(code.changed_by(module, function), code, expected)


@pytest.mark.parametrize(
    ("module", "function", "fields"),
    [
        (
            "reproduction.workflow.jobs.systems",
            "rank_system",
            ("experiments", "judgment_samplings"),
        ),
        ("reproduction.workflow.jobs.measurements", "sample_judgments", ("judgment_samplings",)),
        ("reproduction.workflow.jobs.measurements", "simulate_skewness", ("simulations",)),
    ],
)
def test_an_edit_of_a_job_changes_the_digests_of_what_reads_its_files(
    code: EditedCode, module: str, function: str, fields: tuple[str, ...]
) -> None:
    def reads(study: StudySpec, spec: ArtifactSpec) -> bool:
        others = (reads(study, study.artifacts[name]) for name in spec.results_of)
        return any(getattr(spec, field) for field in fields) or any(others)

    made = {key[:2] for key in code.before}
    studies = code.settings.studies
    readers = {(s, a) for s, a in made if reads(studies[s], studies[s].artifacts[a])}
    assert 0 < len(readers) < len(made)
    assert is_recorded(code.changed_by(module, function), code, readers)


def test_an_edit_of_an_artifact_changes_its_own_digest(code: EditedCode) -> None:
    family = "reproduction.studies.bellogin2017.popularity"
    # Figures 6 and 7 have families in the same module.
    assert code.changed_by(family, "draw_fig05") == {("bellogin2017", "fig05", "shown")}
    assert is_recorded(code.changed_by(family, "data_fig05"), code, {("bellogin2017", "fig05")})


# --- beside the rules -------------------------------------------------------------------------


class ReadRules:
    """The rules as their files have them: which of them makes a file, from what, by which code."""

    def __init__(self, plan: Plan) -> None:
        self.known = helpers(
            PLANS={plan.edition: plan},
            unpack=lambda function: function,
            GENERATED="|".join(plan.datasets.generated),
        )
        self.edition = plan.edition
        self.patterns = [
            (self._pattern(rule, node.value), rule)
            for rule in RULES.values()
            for node in ast.walk(rule.sections["output"])
            if isinstance(node, ast.Constant) and str(node.value).startswith("work/")
        ]
        # Artifacts have most of their files in common, and files the expressions of their rule.
        self._making = cache(self._digests_and_inputs)
        self._evaluated = cache(self._evaluate)

    def _pattern(self, rule: Rule, output: str) -> re.Pattern[str]:
        """Return what a rule's output matches, with what it says of generated datasets."""
        own = rule.sections.get("wildcard_constraints")
        constraints = {
            word.arg: eval(compile(ast.Expression(word.value), rule.name, "eval"), self.known)
            for word in (own.keywords if own else ())
            if any(getattr(node, "id", "") == "GENERATED" for node in ast.walk(word.value))
        }

        def group(match: re.Match[str]) -> str:
            return f"(?P<{match[1]}>{constraints.get(match[1], '[a-z0-9_-]+')})"

        return re.compile(re.sub(r"\{(\w+)\}", group, output))

    def digests_behind(self, wanted: str) -> frozenset[str]:
        """Return the digests of the jobs that make a file and all that it is made from."""
        found: set[str] = set()
        files, seen = [wanted], set()
        while files:
            file = files.pop()
            if file in seen or not file.startswith("work/"):
                continue
            seen.add(file)
            digests, inputs = self._making(file)
            found.update(digests)
            files += inputs
        return frozenset(found)

    def _digests_and_inputs(self, file: str) -> tuple[list[str], list[str]]:
        """Return the digest of the job that makes a file, if it has one, and what it reads."""
        rule, wildcards = self._maker(file)
        has_digest = rule.name not in DIGESTED_BY_CHECKSUMS
        digests = self._values(rule, "params", wildcards, only="code")[:1] if has_digest else []
        return digests, self._values(rule, "input", wildcards)

    def _maker(self, file: str) -> tuple[Rule, SimpleNamespace]:
        for pattern, rule in self.patterns:
            if match := pattern.fullmatch(file):
                return rule, SimpleNamespace(**match.groupdict())
        raise AssertionError(f"No rule makes {file}.")

    def _evaluate(self, expression: ast.expr) -> Any:
        return eval(compile(ast.Expression(expression), "rule", "eval"), self.known)

    def _values(
        self, rule: Rule, section: str, wildcards: SimpleNamespace, only: str | None = None
    ) -> list[str]:
        """Return the values of a section, flat: of those that are functions, for some wildcards."""
        if section not in rule.sections:
            return []
        call = rule.sections[section]
        expressions = [*call.args] if only is None else []
        expressions += [word.value for word in call.keywords if only in (None, word.arg)]
        values: list[str] = []
        for expression in expressions:
            value = self._evaluated(expression)
            value = value(wildcards) if callable(value) else value.format(**vars(wildcards))
            groups = value.values() if isinstance(value, dict) else [value]
            for group in groups:
                values += [group] if isinstance(group, str) else group
        return values


@pytest.mark.parametrize("edition", ["demo", "full"])
def test_digests_behind_an_artifact_are_those_of_the_rules_that_make_what_it_reads(
    edition: str,
) -> None:
    put_raw_files("ml-1m", "cm100k")
    plan = plan_of(edition)
    rules = ReadRules(plan)
    for study in plan.settings.studies:
        for artifact in plan.artifacts.made(study):
            wanted = rules.digests_behind(plan.artifacts.results_file(study, artifact))
            assert plan.code_digests.behind(study, artifact) == wanted, (study, artifact)
