# SPDX-License-Identifier: MIT
"""Small mistakes that can be made in a source file, each a replacement of a few characters.

A mistake is found in the syntax tree and made in the text, so that lines, comments and layout stay
as they are (``changes.py`` has the kinds of mistakes).
"""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from mutants.changes import Finder

PACKAGES = ("metrics", "protocols", "splits", "statistics", "theory")
"""Packages of which every line is changed. Of the others, and of what other tools mean by metrics
(``metrics/dialects.py``), only what numba compiles."""

COUNTED_AS = {
    "evaluation/lexicographic_pairs.py": "metrics",
    "evaluation/summed_values.py": "statistics",
    "sampled_metrics/sampled_candidates.py": "theory",
    "sampled_metrics/weighted_candidates.py": "theory",
}
"""Modules of formulas that lie beside what uses them."""

KERNELS = "kernels"
"""What the kernels of all other packages are counted as."""


@dataclass(frozen=True)
class Mutation:
    """One mistake: the bytes ``start`` to ``end`` of a file below src/receval become ``text``.

    - ``group``: The package, or ``kernels``: what scores are counted by.
    - ``scope``: The function around, by its qualified name; empty for what runs when the module is
      imported.
    - ``before``, ``after``: The changed lines as they are and as they become.
    - ``occurrence``: How often the same change of the same line stands further up in the file.
    """

    group: str
    file: str
    line: int
    start: int
    end: int
    text: str
    operator: str
    scope: str
    kernel: bool
    before: str
    after: str
    occurrence: int

    @property
    def key(self) -> str:
        """What identifies the mistake while its line stays as it is, wherever that moves."""
        return key_of(self.file, self.before, self.after, self.occurrence)

    def made_in(self, source: bytes) -> bytes:
        """Return the file with the mistake."""
        return source[: self.start] + self.text.encode() + source[self.end :]


def key_of(file: str, before: str, after: str, occurrence: int) -> str:
    """Return what identifies a mutation, by attributes of it."""
    said = "|".join((file, before, after, str(occurrence)))
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def all_mutations(library: Path) -> dict[str, list[Mutation]]:
    """Return all mutations of a library by their group."""
    groups: dict[str, list[Mutation]] = {}
    for path in sorted(library.rglob("*.py")):
        for mutation in mutations_of(path.read_bytes(), path.relative_to(library).as_posix()):
            groups.setdefault(mutation.group, []).append(mutation)
    return groups


def drawn_mutations(groups: dict[str, list[Mutation]], number: int, seed: int) -> list[Mutation]:
    """Return some of the mutations, the groups in turns.

    Each has its place in the order by a digest of itself and the seed: fewer are the first of more,
    and an edit moves only the mutations of the lines that it changes.
    """

    def place(mutation: Mutation) -> bytes:
        return hashlib.sha256(f"{seed}|{mutation.key}".encode()).digest()

    shuffled = [sorted(groups[group], key=place) for group in sorted(groups)]
    drawn = [mutation for row in zip_longest(*shuffled) for mutation in row if mutation is not None]
    return drawn[:number]


def mutations_of(source: bytes, file: str) -> list[Mutation]:
    """Return all mutations of one file, in the order of their places."""
    package = COUNTED_AS.get(file, file.split("/")[0])
    if file == "metrics/dialects.py":
        package = "dialects"
    finder = Finder(source)
    finder.visit(ast.parse(source))
    seen: Counter[tuple[str, str]] = Counter()
    found = []
    for start, end, text, operator, scope, kernel in sorted(finder.found):
        if package not in PACKAGES and not kernel:
            continue
        changed = source[:start] + text.encode() + source[end:]
        before = _lines(source, start, end)
        after = _lines(changed, start, start + len(text.encode()))
        found.append(
            Mutation(
                group=package if package in PACKAGES else KERNELS,
                file=file,
                line=source.count(b"\n", 0, start) + 1,
                start=start,
                end=end,
                text=text,
                operator=operator,
                scope=scope,
                kernel=kernel,
                before=before,
                after=after,
                occurrence=seen[before, after],
            )
        )
        seen[before, after] += 1
    return found


def _lines(source: bytes, start: int, end: int) -> str:
    first = source.rfind(b"\n", 0, start) + 1
    last = source.find(b"\n", end)
    return " ".join(source[first : last if last >= 0 else len(source)].decode().split())
