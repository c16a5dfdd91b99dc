# SPDX-License-Identifier: MIT
"""Rule: a paper gives different numbers for the same thing."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from receval.figures.printed_numbers import as_written
from receval.spec_types import NonEmptyText
from receval.storage.messages import enumerated
from reproduction.claims.cells import ClaimContext
from reproduction.claims.rules.base import Rule
from reproduction.claims.sources import ClaimSources
from reproduction.claims.verdicts import ClaimVerdict, Finding


class ContradictionRule(Rule):
    """The paper gives different numbers for the same thing, which no data can all match.

    The text alone decides it: it needs neither results nor a dataset.

    Attributes
    ----------
    mentions : dict of str to float
        Each number, by its place in the paper.
    """

    rule: Literal["contradiction"]
    mentions: Annotated[dict[NonEmptyText, float], Field(min_length=2)]

    def judge(self, sources: ClaimSources, context: ClaimContext) -> Finding:
        """Return whether the numbers differ."""
        said = enumerated([f"{as_written(n)} ({where})" for where, n in self.mentions.items()])
        differ = len(set(self.mentions.values())) > 1
        verdict = ClaimVerdict.CONTRADICTS_ITSELF if differ else ClaimVerdict.HOLDS
        return Finding(verdict, f"The paper gives {said}.", self.in_words())

    def in_words(self) -> str:
        """Return what is compared."""
        return "the paper's own numbers of the same thing"
