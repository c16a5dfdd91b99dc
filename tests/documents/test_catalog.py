# SPDX-License-Identifier: MIT
"""The repository is as the Snakemake workflow catalog asks for, and what it shows there is so."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from reproduction.config.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / "config"
PAGE = (CONFIG / "README.md").read_text(encoding="utf-8")
CATALOG: dict[str, Any] = yaml.safe_load(
    (ROOT / ".snakemake-workflow-catalog.yml").read_text(encoding="utf-8")
)


def first_cells(head: str) -> list[str]:
    """Return what stands in code in the first column of the table with a heading."""
    table = PAGE.partition(f"| {head} |")[2].partition("\n\n")[0]
    return re.findall(r"^\| `([^`]+)` \|", table, flags=re.MULTILINE)


def test_the_catalog_finds_the_workflow_and_its_texts() -> None:
    assert (ROOT / "workflow" / "Snakefile").is_file()
    assert list((ROOT / "workflow" / "rules").glob("*.smk"))
    readme = (ROOT / "README.md").read_text(encoding="utf-8").lower()
    assert "snakemake" in readme
    assert "workflow" in readme


def test_the_catalog_is_told_what_it_asks_for() -> None:
    (usage,) = CATALOG.values()
    assert set(usage) == {"mandatory-flags", "software-stack-deployment"}
    assert set(usage["mandatory-flags"]) == {"desc", "flags"}
    deployment = usage["software-stack-deployment"]
    assert set(deployment) == {"conda", "apptainer", "apptainer+conda", "report"}
    assert all(isinstance(value, bool) for value in deployment.values())


def test_its_page_has_every_key_that_may_be_given_and_its_value() -> None:
    content = yaml.safe_load((CONFIG / "config.yaml").read_text(encoding="utf-8"))
    keys = first_cells("key")
    assert sorted(keys) == sorted(content)
    assert set(keys) <= set(Settings.model_fields)
    shown = dict(re.findall(r"^\| `(\w+)` \| `([^`]+)` \|", PAGE, flags=re.MULTILINE))
    assert shown.keys() == content.keys()
    for key, value in content.items():
        default = yaml.safe_load(shown[key])
        assert default == value or default == [value], key


def test_its_page_has_every_file() -> None:
    files = {path.relative_to(CONFIG).as_posix() for path in CONFIG.rglob("*") if path.is_file()}
    own = {"README.md", "config.yaml", "schema.json", "claims/schema.json"}
    listed = first_cells("file")
    patterns = {re.sub(r"<\w+>", "*", name) for name in listed if not name.endswith("/")}
    found = {path.relative_to(CONFIG).as_posix() for p in patterns for path in CONFIG.glob(p)}
    folders = tuple(name for name in listed if name.endswith("/"))
    assert folders == ("published/",)
    missing = {name for name in files - found - own if not name.startswith(folders)}
    assert missing == set()
    assert all(list(CONFIG.glob(pattern)) for pattern in patterns)


def test_the_snakefile_of_the_catalog_is_the_one_of_the_repository() -> None:
    text = (ROOT / "workflow" / "Snakefile").read_text(encoding="utf-8")
    assert re.findall(r"^include: (.+)$", text, flags=re.MULTILINE) == ['"../Snakefile"']
