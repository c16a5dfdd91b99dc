# SPDX-License-Identifier: MIT
"""The registry of all rules, and the rules that combine others."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from receval.spec_types import NonEmptyText
from reproduction.claims.rules.comparison import ComparisonRule, ContradictionRule, NumberRule, Rule
from reproduction.claims.rules.order import CrossingRule, OrderRule, SameOrderRule, TrendRule
from reproduction.claims.sources import ClaimContext, ClaimSources, NotMeasuredError
from reproduction.claims.verdicts import ClaimVerdict, Finding, failing


class EachRule(Rule):
    """Several parts, each decided by its own rule; the claim holds if all do.

    A part that is not measured leaves the claim undecided if it could change the verdict.

    Attributes
    ----------
    parts : mapping of str to rule
        The rule of each part, by what the part says.
    together : bool
        Whether the parts mean something only together, like the two sides of a reversal. If so, the
        claim fails when one part fails; otherwise it holds in part if any part holds.
    """

    rule: Literal["each"]
    parts: Annotated[dict[NonEmptyText, AnyRule], Field(min_length=2)]
    together: bool = False

    def judge(self, sources: ClaimSources, context: ClaimContext) -> Finding:
        """Return the verdict of all parts."""
        found: dict[str, Finding] = {}
        missing: dict[str, NotMeasuredError] = {}
        for name, part in self.parts.items():
            try:
                found[name] = part.judge(sources, context)
            except NotMeasuredError as error:
                missing[name] = error
        known = {finding.verdict for finding in found.values()}
        verdict = self._verdict(known | {ClaimVerdict.HOLDS} if missing else known)
        if missing and verdict is not self._verdict(known | {ClaimVerdict.DOES_NOT_HOLD}):
            raise next(iter(missing.values()))
        details = [failing([(f.verdict is ClaimVerdict.HOLDS, name) for name, f in found.items()])]
        details += [f"{name}: {f.detail}" for name, f in found.items() if f.detail]
        details += [f"Not measured: {name}." for name in missing]
        return Finding(
            verdict,
            "; ".join(f"{name}: {finding.ours}" for name, finding in found.items()),
            self.in_words(),
            " ".join(filter(None, details)),
        )

    def in_words(self) -> str:
        """Return the rules of the parts, each once."""
        rules = dict.fromkeys(part.in_words() for part in self.parts.values())
        return "; ".join(filter(None, rules))

    def why(self) -> str:
        """Return the rule's reason and those of its parts, once if all parts have the same one."""
        reasons = {name: part.why() for name, part in self.parts.items()}
        named = [f"{name}: {reason}" for name, reason in reasons.items() if reason]
        if len(set(reasons.values())) == 1:
            named = [next(iter(reasons.values()))]
        return "; ".join(filter(None, [self.because, *named]))

    def _verdict(self, parts: set[ClaimVerdict]) -> ClaimVerdict:
        if parts == {ClaimVerdict.HOLDS}:
            return ClaimVerdict.HOLDS
        fails = ClaimVerdict.DOES_NOT_HOLD in parts
        if not self.together:
            fails &= len(parts) == 1
        return ClaimVerdict.DOES_NOT_HOLD if fails else ClaimVerdict.HOLDS_IN_PART


class UnmeasuredRule(Rule):
    """A claim that nothing measured here can decide.

    Attributes
    ----------
    needs : str
        What would decide it, as the end of "needs ...".
    """

    rule: Literal["unmeasured"]
    needs: NonEmptyText

    def judge(self, sources: ClaimSources, context: ClaimContext) -> Finding:
        """Raise an error that says what would decide the claim."""
        raise NotMeasuredError(self.needs)

    def in_words(self) -> str:
        """Return nothing: there is no rule that could decide."""
        return ""


AnyRule = Annotated[
    NumberRule
    | ComparisonRule
    | OrderRule
    | SameOrderRule
    | TrendRule
    | CrossingRule
    | ContradictionRule
    | EachRule
    | UnmeasuredRule,
    Field(discriminator="rule"),
]

EachRule.model_rebuild()
