# SPDX-License-Identifier: MIT
"""What a release consists of agrees with the package: recipes, workflows, templates, addresses."""

from __future__ import annotations

import importlib.util
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


def program(name: str) -> Any:
    """Return a program of the repository that no package has."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "packaging" / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


release = program("release")


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
    system, python, *found = RECIPE["requirements"]["run"]
    assert system == "__linux"
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


def test_nobody_is_told_to_install_an_extra_before_a_registry_has_the_package() -> None:
    files = [*ROOT.glob("docs/**/*.md"), ROOT / "README.md", *ROOT.glob("src/**/*.py")]
    extra = re.compile(r"(?:'|install )receval\[")
    told = [file.name for file in files if extra.search(file.read_text(encoding="utf-8"))]
    assert told == [], "Name the packages themselves."


def test_versions_of_the_changelog_fall_and_have_tags_of_their_form() -> None:
    versions = re.findall(r"^## (\d+)\.(\d+)\.(\d+) - \d{4}-\d\d-\d\d$", CHANGELOG, re.MULTILINE)
    numbers = [tuple(map(int, version)) for version in versions]
    assert numbers == sorted(set(numbers), reverse=True)
    headings = re.findall(r"^## .*$", CHANGELOG, re.MULTILINE)
    assert headings[0] == "## Unreleased"
    assert len(headings) == len(numbers) + 1
    assert yaml.safe_load(RELEASE)[True] == {"push": {"tags": ["v*"]}}


AT = "https://example.org/receval"
CHANGES = "# Changelog\n\n## Unreleased\n\n## 1.1.0 - 2027-01-01\n\n### Added\n\n- A.\n"
OLDER = "\n## 1.0.0 - 2026-11-23\n\n- B.\n"


def why_not(tag: str, version: str, changes: str = CHANGES + OLDER, address: str = AT) -> str:
    project = {"version": version, "urls": {"Source": AT}}
    return " ".join(release.problems(tag, address, project, changes))


def test_a_tag_is_published_if_version_changelog_and_repository_agree() -> None:
    assert why_not("v1.1.0", "1.1.0") == ""
    assert "The tag is v1.0.0" in why_not("v1.0.0", "1.1.0")
    assert "names https://example.org/receval" in why_not("v1.1.0", "1.1.0", address="https://a.b")
    assert "is 1.0.0, that of pyproject.toml 1.1.0" in why_not(
        "v1.1.0", "1.1.0", "## Unreleased\n" + OLDER
    )
    assert "one of development" in why_not("v1.1.0.dev0", "1.1.0.dev0")


def test_a_release_is_refused_while_changes_are_below_unreleased() -> None:
    left = CHANGES.replace("## Unreleased\n", "## Unreleased\n\n- C.\n")
    assert why_not("v1.1.0", "1.1.0", left).startswith("CHANGELOG.md has lines below Unreleased")


def test_a_moved_result_asks_for_a_minor_version() -> None:
    moved = CHANGES.replace("### Added", "### Results changed")
    assert why_not("v1.1.0", "1.1.0", moved + OLDER) == ""
    patched = (moved + OLDER).replace("1.1.0", "1.0.1")
    assert why_not("v1.0.1", "1.0.1", patched).endswith("must be a new minor version.")


def test_this_version_is_published_or_known_to_be_one_of_development() -> None:
    version = PROJECT["version"]
    found = list(release.problems(f"v{version}", PROJECT["urls"]["Source"], PROJECT, CHANGELOG))
    assert (found == []) == bool(re.fullmatch(r"\d+\.\d+\.\d+", version)), found
    # What is being made is at least a minor version if a result has moved.
    released = re.findall(r"^## (\d+\.\d+)\.\d+ - ", CHANGELOG, re.MULTILINE)
    if "### Results changed" in release.sections(CHANGELOG)["Unreleased"]:
        assert not version.startswith(f"{released[0]}.")


def test_the_page_of_the_registry_has_addresses_at_the_tag_and_the_command_of_a_release() -> None:
    shown = release.registry_page(page("README.md"), AT, "v1.1.0")
    targets = re.findall(r'(?:\]\(|href="|src=")([^")\s]+)', shown)
    assert len(targets) > 70
    assert [target for target in targets if not target.startswith("https://")] == []
    ours = [target for target in targets if target.startswith(f"{AT}/")]
    paths = [re.sub(rf"^{AT}/(?:blob|raw)/v1\.1\.0/([^#]+).*$", r"\1", one) for one in ours]
    assert [path for path in paths if not (ROOT / path).is_file()] == []
    assert re.findall(r'src="(.+?)"', shown) == [
        f"{AT}/raw/v1.1.0/results/full/multiverse/universes_in_short.svg"
    ]
    assert "pip install receval" in shown
    assert "No package registry" not in shown
    with pytest.raises(ValueError, match="has no paragraph that begins with"):
        release.registry_page("# receval\n", AT, "v1.1.0")


def test_a_release_is_published_without_a_password_after_all_checks() -> None:
    jobs = yaml.safe_load(RELEASE)["jobs"]
    commands = [step["run"] for step in jobs["build"]["steps"] if "run" in step]
    order = (
        *("release.py check", "make quick", "release.py page", "python -m build"),
        *(
            "twine check --strict",
            "check-wheel-contents dist",
            "install dist/*.whl",
            "dist/*.tar.gz",
        ),
    )
    places = [next(at for at, text in enumerate(commands) if part in text) for part in order]
    assert places == sorted(places)
    # Whoever publishes next year gets the same tools.
    (tools,) = (text for text in commands if text.startswith("python -m pip install"))
    assert all("==" in tool for tool in tools.split()[4:])
    assert jobs["publish"]["needs"] == "build"
    # A job that builds what others wrote may not publish.
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert "run" not in " ".join(key for step in jobs["publish"]["steps"] for key in step)
    assert jobs["release"]["needs"] == "publish"
    assert jobs["release"]["permissions"] == {"contents": "write"}
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
