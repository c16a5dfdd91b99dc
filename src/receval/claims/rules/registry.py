"""All rules, and those that are made of others."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from receval.claims.cells import Place
from receval.claims.evidence import Evidence, NotMeasuredError
from receval.claims.rules.base import Rule
from receval.claims.rules.comparison import ComparisonRule
from receval.claims.rules.crossing import CrossingRule
from receval.claims.rules.number import NumberRule
from receval.claims.rules.order import OrderRule
from receval.claims.rules.same_order import SameOrderRule
from receval.claims.rules.trend import TrendRule
from receval.claims.verdicts import Finding, Verdict, failing
from receval.spec_types import NonEmptyText


class EachRule(Rule):
    """Several parts, each decided by its own rule; the claim holds if all do.

    Attributes
    ----------
    parts : mapping of str to rule
        By what each says.
    """

    rule: Literal["each"]
    parts: Annotated[dict[NonEmptyText, AnyRule], Field(min_length=2)]

    def judge(self, evidence: Evidence, place: Place) -> Finding:
        """Return the verdict of all parts: in part, if any holds at least in part."""
        found = {name: part.judge(evidence, place) for name, part in self.parts.items()}
        verdicts = {finding.verdict for finding in found.values()}
        if verdicts == {Verdict.HOLDS}:
            verdict = Verdict.HOLDS
        elif verdicts & {Verdict.HOLDS, Verdict.HOLDS_IN_PART}:
            verdict = Verdict.HOLDS_IN_PART
        else:
            verdict = Verdict.DOES_NOT_HOLD
        details = [failing([(f.verdict is Verdict.HOLDS, name) for name, f in found.items()])]
        details += [f"{name}: {f.detail}" for name, f in found.items() if f.detail]
        return Finding(
            verdict,
            "; ".join(f"{name}: {finding.ours}" for name, finding in found.items()),
            "; ".join(dict.fromkeys(finding.rule for finding in found.values())),
            " ".join(filter(None, details)),
        )


class UnmeasuredRule(Rule):
    """Nothing that is measured here decides the claim.

    Attributes
    ----------
    needs : str
        What would, as the end of "needs ...".
    """

    rule: Literal["unmeasured"]
    needs: NonEmptyText

    def judge(self, evidence: Evidence, place: Place) -> Finding:
        """Say what would decide it."""
        raise NotMeasuredError(self.needs)


AnyRule = Annotated[
    NumberRule
    | ComparisonRule
    | OrderRule
    | SameOrderRule
    | TrendRule
    | CrossingRule
    | EachRule
    | UnmeasuredRule,
    Field(discriminator="rule"),
]

EachRule.model_rebuild()
