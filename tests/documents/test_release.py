# SPDX-License-Identifier: MIT
"""What a release consists of agrees with the package: recipes, workflows, templates, addresses."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from reproduction.publishing.metadata import descriptions

ROOT = Path(__file__).resolve().parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]
RECIPE: dict[str, Any] = yaml.safe_load(
    (ROOT / "packaging" / "conda" / "recipe.yaml").read_text(encoding="utf-8")
)
RELEASE = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
CONDA_NAMES = {"matplotlib": "matplotlib-base"}


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.costly
@pytest.mark.repository
def test_descriptions_for_other_machines_are_what_their_command_writes() -> None:
    described = descriptions(ROOT)
    outdated = [file for file, text in described.items() if page(file) != text]
    assert outdated == [], "Run receval repo metadata."
    written = {
        path.relative_to(ROOT).as_posix() for path in (ROOT / "metadata").rglob("*.*")
    } - described.keys()
    assert written == set(), "No dataset and no results have these."


def test_the_recipe_needs_what_the_package_needs() -> None:
    needed = [
        re.sub(r"^([a-z-]+)", lambda name: CONDA_NAMES.get(name[1], name[1]) + " ", requirement)
        for requirement in PROJECT["dependencies"]
    ]
    python, *found = RECIPE["requirements"]["run"]
    assert found == needed
    assert python == "python >=${{ python_min }}"
    assert f">={RECIPE['context']['python_min']}" == PROJECT["requires-python"]


def test_the_recipe_is_of_this_version_of_the_package() -> None:
    assert RECIPE["context"]["version"] == PROJECT["version"]
    assert RECIPE["package"]["name"] == PROJECT["name"]
    assert RECIPE["about"]["summary"] == PROJECT["description"]
    assert RECIPE["about"]["license"] == PROJECT["license"]
    assert RECIPE["about"]["repository"] == PROJECT["urls"]["Source"]
    ((command, function),) = PROJECT["scripts"].items()
    assert RECIPE["build"]["python"]["entry_points"] == [f"{command} = {function}"]


def test_addresses_of_the_package_are_of_one_repository_and_of_files_in_it() -> None:
    source = PROJECT["urls"]["Source"]
    assert set(PROJECT["urls"]) == {"Source", "Documentation", "Issues", "Changelog"}
    for address in PROJECT["urls"].values():
        assert address.startswith(source)
        if "/blob/main/" in address:
            assert (ROOT / address.partition("/blob/main/")[2]).is_file(), address


def test_versions_of_the_changelog_fall_and_have_tags_of_their_form() -> None:
    versions = re.findall(r"^## (\d+)\.(\d+)\.(\d+) - \d{4}-\d\d-\d\d$", CHANGELOG, re.MULTILINE)
    numbers = [tuple(map(int, version)) for version in versions]
    assert numbers == sorted(set(numbers), reverse=True)
    headings = re.findall(r"^## .*$", CHANGELOG, re.MULTILINE)
    assert headings[0] == "## Unreleased"
    assert len(headings) == len(numbers) + 1
    content = yaml.safe_load(RELEASE)
    assert content[True] == {"push": {"tags": ["v*"]}}
    assert "tag == f\"v{project['version']}\"" in RELEASE


def test_a_release_is_published_without_a_password_after_all_checks() -> None:
    jobs = yaml.safe_load(RELEASE)["jobs"]
    commands = " ".join(step.get("run", "") for step in jobs["build"]["steps"])
    for check in ("python -m build", "twine check --strict", "check-wheel-contents", "pip install"):
        assert check in commands
    assert jobs["publish"]["needs"] == "build"
    # A job that builds what others wrote may not publish.
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert "run" not in " ".join(key for step in jobs["publish"]["steps"] for key in step)
    assert "secrets" not in RELEASE


def test_templates_ask_for_what_they_require() -> None:
    forms = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
    assert len(forms) > 1
    for form in forms:
        content = yaml.safe_load(form.read_text(encoding="utf-8"))
        if form.name == "config.yml":
            continue
        assert {"name", "description", "body"} <= set(content), form.name
        assert all(
            part["attributes"]["label"] and part["type"] in ("input", "textarea")
            for part in content["body"]
        )
        assert any(part.get("validations", {}).get("required") for part in content["body"])


def test_the_paper_for_joss_has_its_sections_and_its_length() -> None:
    text = page("paper/joss/paper.md")
    _, header, body = text.split("---\n", 2)
    about = yaml.safe_load(header)
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} <= set(about)
    assert re.findall(r"^# (.+)$", body, re.MULTILINE) == [
        "Summary",
        "Statement of need",
        "State of the field",
        "Software design",
        "Research impact statement",
        "AI usage disclosure",
        "Acknowledgements",
        "References",
    ]
    assert 750 <= len(body.split()) <= 1750
    bibliography = page(f"paper/joss/{about['bibliography']}")
    known = set(re.findall(r"^@\w+\{(\w+),", bibliography, re.MULTILINE))
    assert set(re.findall(r"@(\w+)", body)) <= known
