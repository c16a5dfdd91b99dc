# SPDX-License-Identifier: MIT
"""What a release does before anything is built (``.github/workflows/release.yml``).

    python packaging/release.py check v1.1.0 ADDRESS   refuse a tag that may not be published
    python packaging/release.py page v1.1.0            make README.md the page of the registry
    python packaging/release.py notes v1.1.0           print the section of CHANGELOG.md

ADDRESS is that of the repository in which this runs.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

BEFORE = re.compile(r"^No package registry has it yet.*?(?=\n\n)", re.MULTILINE | re.DOTALL)
"""What README.md says about installation until there is a release."""

INSTALLED = "Install it with `pip install receval`. You need Linux and Python 3.11 or newer."
"""What the registry's page says instead."""

_ADDRESS = re.compile(r'(src="|!\[[^\]]*\]\(|href="|\]\()(?![a-z]+:|#)([^")\s]+)')
"""A relative address behind what it belongs to: a picture, or a link."""


def sections(changelog: str) -> dict[str, str]:
    """Return the text of each section of the changelog by its heading, the newest first."""
    parts = re.split(r"^## (.+)\n", changelog, flags=re.MULTILINE)[1:]
    return {heading: text.strip() for heading, text in zip(parts[::2], parts[1::2], strict=True)}


def problems(tag: str, address: str, project: Mapping[str, Any], changelog: str) -> Iterator[str]:
    """Yield why a tag of the repository at an address may not be published, as sentences."""
    version = project["version"]
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        yield f"pyproject.toml has the version {version}, which is one of development."
    if tag != f"v{version}":
        yield f"The tag is {tag}, and pyproject.toml has the version {version}."
    if project["urls"]["Source"] != address:
        yield f"This is {address}, and [project.urls] names {project['urls']['Source']}."
    texts = sections(changelog)
    if texts.pop("Unreleased", ""):
        yield "CHANGELOG.md has lines below Unreleased. Put them below the version's heading."
    newest, *older = (heading.partition(" - ")[0] for heading in texts)
    if newest != version:
        yield f"The newest version of CHANGELOG.md is {newest}, that of pyproject.toml {version}."
    moved = "### Results changed" in next(iter(texts.values()))
    if moved and older and newest.rpartition(".")[0] == older[0].rpartition(".")[0]:
        yield f"Results have changed since {older[0]}, so {newest} must be a new minor version."


def registry_page(page: str, source: str, tag: str) -> str:
    """Return README.md with addresses at a tag, and with the command that installs a release."""
    page, found = BEFORE.subn(INSTALLED, page)
    if found != 1:
        raise ValueError(
            "README.md has no paragraph that begins with 'No package registry has it yet', which "
            "is replaced here. If it was changed, change BEFORE in packaging/release.py, too."
        )

    def absolute(found: re.Match[str]) -> str:
        kind = "raw" if found[1].startswith(("src", "!")) else "blob"
        return f"{found[1]}{source}/{kind}/{tag}/{found[2]}"

    return _ADDRESS.sub(absolute, page)


def main() -> None:
    """Do what was asked for; exit with the reasons why a tag is refused."""
    task, tag, *rest = sys.argv[1:]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    if task == "check":
        (address,) = rest
        sys.exit("\n".join(problems(tag, address, project, changelog)) or 0)
    if task == "page":
        file = ROOT / "README.md"
        file.write_text(
            registry_page(file.read_text("utf-8"), project["urls"]["Source"], tag), "utf-8"
        )
    elif task == "notes":
        (text,) = (
            text
            for heading, text in sections(changelog).items()
            if heading.startswith(f"{tag.removeprefix('v')} - ")
        )
        print(text)
    else:
        sys.exit(f"{task} is not a task of this program: check, page or notes.")


if __name__ == "__main__":
    main()
