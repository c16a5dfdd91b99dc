"""What artifacts are called in print."""

from __future__ import annotations

import re

_KINDS = {"fig": "Figure", "table": "Table"}


def printed_name(artifact: str) -> str:
    """Return ``Figure 2`` for ``fig02``, ``Figure 8, relations`` for ``fig08_relations``.

    An artifact that no paper numbers has no such name: the result is empty.
    """
    named = re.fullmatch(r"(fig|table)0*(\d+)(?:_(\w+))?", artifact)
    if named is None:
        return ""
    kind, number, part = named.groups()
    of_it = f", {part.replace('_', ' ')}" if part else ""
    return f"{_KINDS[kind]} {number}{of_it}"


def heading(artifact: str, title: str) -> str:
    """Return the name in print and the title, as in ``Figure 2: Precision by sparsity``."""
    return ": ".join(part for part in (printed_name(artifact), title) if part)
