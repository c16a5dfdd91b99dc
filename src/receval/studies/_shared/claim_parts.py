# SPDX-License-Identifier: MIT
"""Which parts of a claim results show, and which they do not, in a sentence."""

from __future__ import annotations

from collections.abc import Iterable


def shown_in_part(clauses: Iterable[tuple[bool, str]]) -> str:
    """Return a sentence on what results show and what they do not.

    Parameters
    ----------
    clauses : iterable of (bool, str)
        Whether the results show a part of a claim, and what they have there, true in either case;
        in the order of the claim.

    Examples
    --------
    >>> shown_in_part([(True, "Pop gains, .1"), (False, "kNN is third")])
    'Shown: Pop gains, .1. Not as claimed: kNN is third.'
    >>> shown_in_part([(False, "kNN is third")])
    'Not as claimed: kNN is third.'
    """
    parts: dict[bool, list[str]] = {True: [], False: []}
    for is_shown, clause in clauses:
        parts[is_shown].append(clause)
    heads = {True: "Shown", False: "Not as claimed"}
    return " ".join(f"{heads[kind]}: {'; '.join(own)}." for kind, own in parts.items() if own)
