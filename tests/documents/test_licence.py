# SPDX-License-Identifier: MIT
"""Every source begins with its licence, to keep it elsewhere; REUSE.toml has that of all files."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KEY = "SPDX-License-Identifier"
IDENTIFIER = f"{KEY}: MIT"
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


def test_every_source_names_its_licence_first_and_once() -> None:
    missing = []
    for path in sources():
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines() or [""]
        first = lines[1] if lines[0].startswith("#!") and len(lines) > 1 else lines[0]
        # Whatever follows the key elsewhere in the file, `reuse lint` reads as a licence, too.
        if first != COMMENTS.get(path.suffix, COMMENTS[".py"]) or text.count(f"{KEY}:") != 1:
            missing.append(path.relative_to(ROOT).as_posix())
    assert missing == [], f"Begin these with the comment {IDENTIFIER}, and write it once."


def annotated(path: str) -> dict[str, str]:
    """Return what REUSE.toml says of a file: its last table that the path fits."""
    content = tomllib.loads((ROOT / "REUSE.toml").read_text(encoding="utf-8"))
    assert content["version"] == 1
    found = {}
    for table in content["annotations"]:
        patterns = [table["path"]] if isinstance(table["path"], str) else table["path"]
        if any(re.fullmatch(in_regular_form(pattern), path) for pattern in patterns):
            found = table
    return found


def in_regular_form(pattern: str) -> str:
    """Return a regular expression: two stars stand for any folders, one star for a name."""
    forms = {"**": ".*", "*": "[^/]*"}
    parts = re.split(r"(\*\*|\*)", pattern)
    return "".join(forms.get(part, re.escape(part)) for part in parts)


@pytest.mark.processes
def test_every_tracked_file_has_a_licence_and_a_holder() -> None:
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        pytest.skip("No git here, or no clone: only git knows which files are tracked.")
    listed = subprocess.run(
        # Also where the clone is another user's.
        ["git", "-c", "safe.directory=*", "ls-files", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    files = listed.stdout.rstrip("\0").split("\0")
    assert {"LICENSE", "config/demo.yaml", "results/full/claims.csv"} <= set(files)
    holder = re.search(r"^Copyright \(c\) (.+)$", (ROOT / "LICENSE").read_text(), re.M)
    assert holder
    for file in files:
        said = annotated(file)
        assert said.get(KEY) == "MIT", file
        assert said["SPDX-FileCopyrightText"] == holder[1], file


def test_the_text_of_the_licence_is_where_reuse_looks_for_it() -> None:
    assert [path.name for path in (ROOT / "LICENSES").iterdir()] == ["MIT.txt"]
    assert (ROOT / "LICENSES/MIT.txt").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_the_identifier_is_the_licence_of_the_package() -> None:
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith("MIT License\n")
    assert 'license = "MIT"\n' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
