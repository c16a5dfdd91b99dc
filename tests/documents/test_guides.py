# SPDX-License-Identifier: MIT
"""What the guides in docs/ list is all there is, and what they name exists."""

from __future__ import annotations

import inspect
import re
import runpy
from pathlib import Path
from typing import get_args

import pytest

import receval as rv
from receval.diagnosis.diagnose import Diagnosis
from receval.multiverse.explore_ratings import ExploredRatings
from receval.splits.given_parts import split_of_parts
from receval.splits.kinds import SPLITTERS, SplitSpec
from reproduction.config.settings import load_settings

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = load_settings(ROOT / "config", "full")
DOCUMENTS = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "CITATION.cff",
    "docs/datasets.md",
    "docs/library.md",
    "docs/reading_results.md",
    "docs/recommenders.md",
    "docs/running.md",
    "docs/studies.md",
)

RENAMED = {"floors"}
"""Targets under the names that they had when CHANGELOG.md told of them."""


def text_of(document: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8")


def test_datasets_got_by_hand_have_their_files_and_places() -> None:
    page = text_of("docs/datasets.md")
    manual = {n: spec for n, spec in SETTINGS.datasets.items() if spec.access == "manual"}
    assert manual
    for name, spec in manual.items():
        for variant in spec.variants:
            for file in variant.files:
                assert f"`work/raw/{name}/{file.name}`" in page
            if variant.pattern:
                assert f"`work/raw/{name}/`" in page
        assert spec.page in page


def test_options_are_keys_of_the_configuration() -> None:
    commands = re.findall(
        r"^ {4}snakemake .*--config (.*)$", text_of("docs/running.md"), re.MULTILINE
    )
    options = {name for given in commands for name in re.findall(r"(\w+)=", given)}
    assert len(options) > 5
    assert options <= set(type(SETTINGS).model_fields)


@pytest.mark.each("document", DOCUMENTS)
def test_commands_are_targets_of_the_makefile(document: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):", text_of("Makefile"), flags=re.MULTILINE))
    text = text_of(document)
    named = set(
        re.findall(r"^ {4}make ([a-z][a-z-]*)|`make ([a-z][a-z-]*)", text, flags=re.MULTILINE)
    )
    old = RENAMED if document == "CHANGELOG.md" else set()
    assert {name for pair in named for name in pair if name} <= targets | old


@pytest.mark.each("document", DOCUMENTS)
def test_every_path_of_the_repository_that_is_named_exists(document: str) -> None:
    folders = "src|config|tests|workflow|envs|profiles|benchmarks"
    named = re.findall(rf"`((?:{folders})/[\w./-]*)`", text_of(document))
    assert named or document not in ("README.md", "CONTRIBUTING.md")
    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.each("document", DOCUMENTS)
def test_documents_name_no_place_of_one_machine(document: str) -> None:
    assert not re.search(r"(?<![\w.`/<>-])/(?:home|root|work|tmp|usr|opt|mnt)/", text_of(document))


@pytest.mark.repository
def test_the_page_of_arguments_is_what_docstrings_say() -> None:
    page = runpy.run_path(str(ROOT / "docs/arguments/write_page.py"))
    assert page["page"]() == text_of("docs/arguments.md")


def test_every_public_argument_is_explained_below_its_function() -> None:
    _, *parts = re.split(r"^### `(.*)`$", text_of("docs/arguments.md"), flags=re.MULTILINE)
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    extended = {"Dialect", "ListMetric", "Metric", "Recommender"}
    made = {"EvaluationResult", "GroupedResult", "SplitRatings", "TuningResult"}
    public = {f"rv.{name}": getattr(rv, name) for name in set(rv.__all__) - extended - made}
    results = [getattr(rv, name) for name in made]
    for kind in (*results, Diagnosis, ExploredRatings):
        methods = dict(inspect.getmembers(kind, inspect.isfunction))
        public |= {f"{kind.__name__}.{m}": own for m, own in methods.items() if m[0] != "_"}
    for method in ("recommend", "fold_in"):
        public[f"Recommender.{method}"] = getattr(rv.Recommender, method)
    lacking = [
        (name, argument)
        for name, called in public.items()
        for argument in inspect.signature(called).parameters
        if argument != "self" and not _is_explained(argument, sections.get(name, ""))
    ]
    assert len(public) > 60
    assert lacking == [("rv.evaluate_large_runs", "options")]
    assert _is_explained("run_columns", sections["rv.evaluate_large_runs"])
    given = set(inspect.signature(split_of_parts).parameters) - {"source", "options"}
    assert {"use_validation", "trained_pairs"} < given
    for kind in SPLITTERS:
        (model,) = (
            own
            for own in get_args(SplitSpec)
            if kind in get_args(own.model_fields["kind"].annotation)
        )
        named = given if kind == "predefined" else set(model.model_fields) - {"kind", "selection"}
        assert [own for own in named if not _is_explained(own, sections[kind])] == [], kind


def _is_explained(argument: str, section: str) -> bool:
    """Tell whether a row of a table has the argument and, in its last cell, a meaning."""
    row = re.search(rf"^\| `\**{argument}` \|.*$", section, re.MULTILINE)
    return row is not None and len(re.split(r"(?<!\\)\|", row[0])[-2].strip()) >= 8
