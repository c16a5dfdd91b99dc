# SPDX-License-Identifier: MIT
"""Sentences with numbers of results in them, as errata and claims have them in their YAML."""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import Formatter


def names_in(text: str) -> set[str]:
    """Return the names for which numbers stand in a text.

    Examples
    --------
    >>> sorted(names_in("{ours:.3f} against {theirs:.0%}"))
    ['ours', 'theirs']
    """
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def told(text: str, numbers: Mapping[str, float]) -> str:
    """Return a text with its numbers as in print: without the zero before the point.

    Examples
    --------
    >>> told("{ours:.3f} of {share:.1%}", {"ours": 0.25, "share": 0.5})
    '.250 of 50.0 %'
    """
    return text.format_map({name: _Printed(value) for name, value in numbers.items()})


class _Printed(float):
    """A number that is shown as in print."""

    def __format__(self, form: str) -> str:
        shown = re.sub(r"^(-?)0\.", r"\1.", float(self).__format__(form))
        return re.sub(r"^-", "−", shown).replace("%", " %")
