# SPDX-License-Identifier: MIT
"""Every link of the documents to a file, a picture or a heading of the repository has its end."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in ("*.md", "docs/*.md", "config/*.md", "benchmarks/*.md")
    for path in ROOT.glob(pattern)
)
LINK = re.compile(r"\]\(([^)\s]+)\)|(?:href|src)=\"([^\"]+)\"")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", flags=re.MULTILINE | re.DOTALL)


@cache
def anchors(path: Path) -> frozenset[str]:
    """Return what a link to a page may have behind "#": GitHub's names of headings, and others."""
    text = path.read_text(encoding="utf-8")
    found: list[str] = re.findall(r"<a id=\"([^\"]+)\"", text)
    for heading in re.findall(r"^#+ (.+)$", CODE.sub(_without_code_blocks, text), re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", words).strip().replace(" ", "-")
        again = sum(
            each == name or re.fullmatch(rf"{name}-\d+", each) is not None for each in found
        )
        found.append(f"{name}-{again}" if again else name)
    return frozenset(found)


def _without_code_blocks(match: re.Match[str]) -> str:
    return "" if match[0].startswith("```") else match[0]


@pytest.mark.each("document", DOCUMENTS)
def test_every_link_has_its_end(document: str) -> None:
    page = ROOT / document
    text = CODE.sub("", page.read_text(encoding="utf-8"))
    missing = []
    for target in ("".join(pair) for pair in LINK.findall(text)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        end = page.parent / name if name else page
        if not end.exists() or (anchor and anchor not in anchors(end)):
            missing.append(target)
    assert missing == []


def test_links_are_found() -> None:
    assert "README.md" in DOCUMENTS
    assert "adding-something" in anchors(ROOT / "CONTRIBUTING.md")
