# SPDX-License-Identifier: MIT
"""Every source begins with its licence, so that a file that is taken elsewhere keeps it."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
IDENTIFIER = "SPDX-License-Identifier: MIT"
COMMENTS = {
    **dict.fromkeys((".py", ".smk", ".toy"), f"# {IDENTIFIER}"),
    **dict.fromkeys((".js", ".typ"), f"// {IDENTIFIER}"),
    ".css": f"/* {IDENTIFIER} */",
}
FOLDERS = (
    *("benchmarks", "config", "docs", "envs", "paper", "profiles", "src", "tests", "workflow"),
)


def sources() -> list[Path]:
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    files += [path for path in ROOT.iterdir() if path.is_file()]
    return sorted(p for p in files if p.name == "Snakefile" or p.suffix in COMMENTS)


def test_sources_of_all_kinds_are_found() -> None:
    found = sources()
    assert {path.suffix for path in found} == {*COMMENTS, ""}
    assert {ROOT / "Snakefile", ROOT / "workflow" / "Snakefile", Path(__file__)} <= set(found)


def test_every_source_names_its_licence_first() -> None:
    missing = []
    for path in sources():
        lines = path.read_text(encoding="utf-8").splitlines() or [""]
        first = lines[1] if lines[0].startswith("#!") and len(lines) > 1 else lines[0]
        if first != COMMENTS.get(path.suffix, COMMENTS[".py"]):
            missing.append(path.relative_to(ROOT).as_posix())
    assert missing == [], f"Begin these with the comment {IDENTIFIER}."


def test_the_identifier_is_the_licence_of_the_package() -> None:
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith("MIT License\n")
    assert 'license = "MIT"\n' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("suffix", sorted(COMMENTS))
def test_the_identifier_is_a_comment_of_its_own_line(suffix: str) -> None:
    assert COMMENTS[suffix].strip("#/* ") == IDENTIFIER
