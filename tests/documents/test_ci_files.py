# SPDX-License-Identifier: MIT
"""Hooks, continuous integration and the image run what the Makefile has, and nothing else."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
CONTAINERFILE = (ROOT / "Containerfile").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, flags=re.MULTILINE))


def recipe(target: str) -> list[str]:
    """Return the commands of a target, with the folder of programs written out."""
    (body,) = re.findall(rf"^{target}:.*\n((?:\t.+\n)+)", MAKEFILE, flags=re.MULTILINE)
    return [line.strip().replace("$(BIN)", ".venv/bin") for line in body.splitlines()]


def copied() -> list[str]:
    """Return what is copied into the image before the environment is made."""
    before, _, _ = CONTAINERFILE.partition(" . .\n")
    return [
        name
        for line in re.findall(r"^COPY --chown=receval (\w.+)$", before, flags=re.MULTILINE)
        for name in line.split()[:-1]
    ]


def test_hooks_are_the_commands_of_make_lint() -> None:
    content = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    (repository,) = content["repos"]
    assert repository["repo"] == "local"
    (both,) = recipe("lint")
    assert both.endswith(" types style")
    expected = sorted([*recipe("types"), *recipe("style")])
    assert sorted(hook["entry"] for hook in repository["hooks"]) == expected
    for hook in repository["hooks"]:
        # They look at the whole repository, and install nothing.
        assert (hook["language"], hook["pass_filenames"]) == ("system", False), hook["id"]
        assert "files" not in hook


def test_continuous_integration_runs_ci_run_on_the_oldest_python() -> None:
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    content = yaml.safe_load(text)
    # YAML 1.1 reads the key "on" as true.
    assert set(content[True]) == {"push", "pull_request"}
    job = content["jobs"]["run"]
    assert [step["run"] for step in job["steps"] if "run" in step] == [".ci/run"]
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    used = [step["uses"] for step in job["steps"] if "uses" in step]
    assert all(action.startswith("actions/") for action in used)
    (python,) = [step["with"] for step in job["steps"] if "setup-python" in step.get("uses", "")]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == f">={python['python-version']}"
    assert (python["cache"], python["cache-dependency-path"]) == ("pip", "requirements*.lock")


def test_the_library_is_tested_on_every_python_that_the_package_names() -> None:
    content = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8"))
    job = content["jobs"]["pythons"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = re.findall(r":: (3\.\d+)$", "\n".join(project["classifiers"]), re.MULTILINE)
    assert job["strategy"]["matrix"]["python"] == named
    library, whole = (step for step in job["steps"] if "run" in step)
    # All folders, with the newest versions that each Python has.
    assert library["run"] == "PYTHONPATH=tests python -m minimum_versions --versions newest"
    # The locks are tried, too, where the library's tests fail.
    assert whole == {
        "if": "${{ !cancelled() }}",
        "run": "make quick PYTHON=python && .venv/bin/python -m pip check",
    }
    assert f"<= sys.version_info[:2] <= (3, {named[-1][2:]})" in MAKEFILE


def test_the_website_of_a_version_is_published_where_the_library_page_links_to_it() -> None:
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "pages.yml").read_text("utf-8"))["jobs"]
    *_, made, uploaded = jobs["site"]["steps"]
    assert made == {"run": "make demo"}
    # make demo makes the site, with its inventory of names.
    assert any("all site --config edition=demo" in line for line in recipe("demo"))
    assert uploaded["with"] == {"path": "work/demo/site"}
    assert jobs["publish"]["needs"] == "site"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    owner, name = project["urls"]["Source"].rsplit("/", 2)[1:]
    page = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
    assert f'{{"receval": ("https://{owner}.github.io/{name}/", None)}}' in page


def test_the_code_of_others_is_named_by_its_digest() -> None:
    # A tag may be moved to other code.
    pinned = re.compile(r"uses: [\w/-]+@[0-9a-f]{40} # v\d+(\.\d+)*")
    used = [
        line.strip().removeprefix("- ")
        for file in (ROOT / ".github").rglob("*.y*ml")
        for line in file.read_text(encoding="utf-8").splitlines()
        if "uses:" in line
    ]
    assert used
    assert all(map(pinned.fullmatch, used)), used
    assert re.findall(r"^FROM (.+)$", CONTAINERFILE, flags=re.MULTILINE) == ["${BASE}"]
    (image,) = re.findall(r"^ARG BASE=(.+)$", CONTAINERFILE, flags=re.MULTILINE)
    assert re.fullmatch(r"\S+@sha256:[0-9a-f]{64}", image)


def test_in_the_image_nothing_runs_as_root_but_what_installs_packages() -> None:
    as_root, user, as_user = CONTAINERFILE.partition("\nUSER receval\n")
    assert user
    assert re.findall(r"^RUN (\S+)", as_root, flags=re.MULTILINE) == ["apt-get"]
    assert "\nUSER " not in as_user
    # What is copied belongs to root otherwise, and make could write nothing beside it.
    assert all(
        line.startswith("COPY --chown=receval ")
        for line in as_user.splitlines()
        if line.startswith("COPY")
    )


def test_ci_run_calls_targets_of_the_makefile() -> None:
    called = re.findall(r"\bmake ([a-z-]+)\b", (ROOT / ".ci" / "run").read_text(), re.MULTILINE)
    assert {"lint", "check"} <= set(called) <= TARGETS


def test_the_tests_look_at_the_demo_that_make_check_has_made_before_them() -> None:
    assert re.search(r"^check: demo \S+$", MAKEFILE, re.MULTILINE)
    assert recipe("check") == ["RECEVAL_DEMO=work/demo $(PYTEST)"]
    (edition,) = re.findall(r"--config edition=(\w+)", " ".join(recipe("demo")))
    assert edition == "demo"


def test_ci_run_looks_at_pages_where_a_browser_is_and_goes_on_elsewhere() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    with_one, _, without = script.partition("if has_chromium; then\n")[2].partition("else\n")
    assert re.findall(r"make .*", with_one)[1:] == [
        "make browser-packages",
        "make check --old-file=demo",
    ]
    assert without.startswith("  make check --old-file=demo\n  echo ")
    # It was made before, with a budget of its own.
    assert script.index("make demo\n") < script.index("make check")
    *_, tests = recipe("browser")
    files = re.findall(r"tests/\S+\.py", tests)
    own = ROOT / "tests"
    driven = (f for f in own.rglob("test_*.py") if "started_browser(" in f.read_text("utf-8"))
    assert sorted(files) == sorted(
        f"tests/{f.relative_to(own).as_posix()}" for f in driven if f != Path(__file__)
    )


def test_the_image_makes_the_environment_and_runs_the_commands_of_the_readme() -> None:
    assert ".venv/ready: " in MAKEFILE.replace("$(VENV)", ".venv")
    assert "RUN make .venv/ready\n" in CONTAINERFILE
    named = set(re.findall(r"\bmake ([a-z]+)\b", CONTAINERFILE.replace('["make", "', "make ")))
    first, second = re.findall(r"^ {4}make ([a-z]+)", README, flags=re.MULTILINE)
    assert named == {first, second, "test"} <= TARGETS
    assert CONTAINERFILE.rstrip().endswith(f'CMD ["make", "{first}"]')
    version = re.search(r"^ARG BASE=docker\.io/library/python:(\d\.\d+)-slim@", CONTAINERFILE, re.M)
    assert version
    assert f"Python {version[1]} or newer" in README


def test_the_image_has_what_the_environment_is_made_from() -> None:
    (prerequisites,) = re.findall(r"^\$\(VENV\)/ready: (.+)$", MAKEFILE, flags=re.MULTILINE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {"Makefile", "src", *prerequisites.split()} - {"$(ENVIRONMENT)"}
    # The last step compiles kernels, and `receval repo` asks for the configuration.
    needed |= {"config"}
    needed |= {project["readme"], *project["license-files"]}
    assert set(copied()) == needed
    assert all((ROOT / name).exists() for name in copied())


def test_the_image_gets_nothing_that_git_ignores() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    names = {line.removeprefix("**/").rstrip("/") for line in ignored if not line.startswith("#")}
    git = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    assert names == {".git", *(name.rstrip("/") for name in git)}


@pytest.mark.processes
def test_a_checkout_has_the_same_bytes_however_git_is_set_to_end_lines(tmp_path: Path) -> None:
    for name in (".gitattributes", "README.md", ".ci/run"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    git = ["git", "-c", "core.autocrlf=true"]
    subprocess.run([*git, "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run([*git, "add", "-A"], cwd=tmp_path, check=True, capture_output=True)
    for name in ("README.md", ".ci/run"):
        (tmp_path / name).unlink()
    subprocess.run([*git, "checkout", "-q", "."], cwd=tmp_path, check=True)
    for name in ("README.md", ".ci/run"):
        assert (tmp_path / name).read_bytes() == (ROOT / name).read_bytes()
