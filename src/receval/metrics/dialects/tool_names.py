# SPDX-License-Identifier: MIT
"""Metrics' names as tools and their users write them, taken apart."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from receval.storage.messages import quoted

_FORM = re.compile(
    r"\s*(?P<name>rbp\.\d+|[A-Za-z][\w -]*?)"
    r"(?:[@_.:](?P<before>\d+))?"
    r"(?:\((?P<inside>[^@]*)\))?"
    r"(?:@(?P<after>\d+))?"
    r"(?P<options>(?:\s+\S+=\S+)*)\s*"
)


@dataclass(frozen=True)
class ToolName:
    """A name such as ``NDCG@5 gain=rating``, in parts.

    Attributes
    ----------
    plain : str
        Small letters without signs, such as ``ndcg``.
    cutoff, depth : int or None
    condensed : bool
        Whether only judged items count (``judged_only=True``).
    options : frozenset of str
        Such as ``gain=rating``, in small letters.
    """

    plain: str
    cutoff: int | None
    depth: int | None
    condensed: bool
    options: frozenset[str]

    @classmethod
    @cache
    def of(cls, text: str) -> ToolName:
        """Read a name in any of the forms ``P_5``, ``P@5``, ``P.5``, ``P(5)``, ``P(rel=1)@5``.

        Raises
        ------
        ValueError
            It is of no such form.

        Examples
        --------
        >>> name = ToolName.of("NDCG@5 gain=rating")
        >>> name.plain, name.cutoff, sorted(name.options)
        ('ndcg', 5, ['gain=rating'])
        >>> ToolName.of("map_cut_10").plain, ToolName.of("NDCG(5)").cutoff
        ('mapcut', 5)
        """
        match = _FORM.fullmatch(text)
        if match is None:
            raise ValueError(
                f"{quoted(text)} is not a metric's name; write it as ndcg@10, with options behind: "
                "NDCG@10 gain=rating."
            )
        # Options in brackets may have brackets of their own: weight=LogRankWeight(offset=1).
        inside = re.split(r",\s*(?![^()]*\))", match["inside"]) if match["inside"] else []
        options = [part.strip() for part in inside] + match["options"].split()
        numbers = [part for part in options if re.fullmatch(r"(?:[kn]=)?\d+", part)]
        cutoffs = [match["before"], match["after"], *(part.split("=")[-1] for part in numbers)]
        given = [int(cutoff) for cutoff in cutoffs if cutoff]
        depths = [part for part in options if re.fullmatch(r"depth=\d+", part)]
        if len(given) > 1 or len(depths) > 1 or 0 in given:
            raise ValueError(f"{quoted(text)} must have one cut-off, of at least 1, or none.")
        others = {_plain_option(part) for part in options if part not in (*numbers, *depths)}
        return cls(
            plain_tool_name(match["name"]),
            given[0] if given else None,
            int(depths[0].partition("=")[2]) if depths else None,
            "judged_only=true" in others,
            frozenset(others - {"judged_only=true"}),
        )

    def means(self, names: Iterable[str]) -> bool:
        """Whether it is one of some names, each with its options behind a space."""
        known = map(ToolName.of, names)
        return any((one.plain, one.options) == (self.plain, self.options) for one in known)


def plain_tool_name(name: str) -> str:
    """Return a name in small letters, without signs."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _plain_option(option: str) -> str:
    return re.sub(r"['\"\s]", "", option).lower()
