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

    A part that is not measured leaves the claim undecided unless another part refutes it.

    Attributes
    ----------
    parts : mapping of str to rule
        By what each says.
    together : bool
        Whether the parts say something together only, as the two sides of a reversal do: then the
        claim does not hold if one part does not. Otherwise it holds in part if any part does.
    """

    rule: Literal["each"]
    parts: Annotated[dict[NonEmptyText, AnyRule], Field(min_length=2)]
    together: bool = False

    def judge(self, evidence: Evidence, place: Place) -> Finding:
        """Return the verdict of all parts: in part, if any holds at least in part."""
        found: dict[str, Finding] = {}
        missing: dict[str, NotMeasuredError] = {}
        for name, part in self.parts.items():
            try:
                found[name] = part.judge(evidence, place)
            except NotMeasuredError as error:
                missing[name] = error
        verdicts = {finding.verdict for finding in found.values()}
        if missing and verdicts <= {Verdict.HOLDS}:
            raise next(iter(missing.values()))
        if verdicts == {Verdict.HOLDS}:
            verdict = Verdict.HOLDS
        else:
            fails = Verdict.DOES_NOT_HOLD in verdicts
            if not self.together:
                fails &= len(verdicts) == 1
            verdict = Verdict.DOES_NOT_HOLD if fails else Verdict.HOLDS_IN_PART
        details = [failing([(f.verdict is Verdict.HOLDS, name) for name, f in found.items()])]
        details += [f"{name}: {f.detail}" for name, f in found.items() if f.detail]
        details += [f"Not measured: {name}." for name in missing]
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
