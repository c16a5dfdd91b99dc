# SPDX-License-Identifier: MIT
"""Models of ``config/claims/<paper>.yaml``: a paper's claims, and how they are decided.

The registry of all rules and the rules that combine others are here, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from receval.figures.printed_numbers import as_written
from receval.spec_types import ClaimId, Identifier, Model, NonEmptyText
from receval.storage.messages import enumerated, joined
from reproduction.claims.comparison_rules import (
    ComparisonRule,
    ContradictionRule,
    CrossingRule,
    NumberRule,
    OrderRule,
    Rule,
    SameOrderRule,
    TrendRule,
    names_in,
)
from reproduction.claims.quantities import Quantity
from reproduction.claims.sources import ClaimContext, ClaimSources, NotMeasuredError, Scalar
from reproduction.claims.verdicts import (
    NOT_SHOWN,
    ClaimVerdict,
    Finding,
    begun,
    failing,
    of_splits,
    verdict_of_splits,
)
from reproduction.config.reading import read_yaml, sentences


class EachRule(Rule):
    """Several parts, each decided by its own rule; the claim holds if all do.

    A part that is not measured leaves the claim undecided if it could change the verdict.

    - ``parts``: The rule of each part, by what the part says.
    - ``together``: Whether the parts mean something only together, like the two sides of a
      reversal. If so, the claim fails when one part fails; otherwise it holds in part if any part
      holds.
    """

    rule: Literal["each"]
    parts: Annotated[dict[NonEmptyText, AnyRule], Field(min_length=2)]
    together: bool = False

    def judge(self, sources: ClaimSources, context: ClaimContext) -> Finding:
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
        fails = failing([(f.verdict is ClaimVerdict.HOLDS, name) for name, f in found.items()])
        open_parts = [f"Not measured: {name}." for name in missing]
        detail, parts = (
            " ".join(filter(None, [fails, *(_of_part(*part) for part in said), *open_parts]))
            for said in (
                [(name, part, part.detail) for name, part in found.items()],
                [(name, part, part.only_parts) for name, part in found.items()],
            )
        )
        count = max(len(finding.by_split) for finding in found.values())
        each = [finding.by_split or (finding.verdict,) * count for finding in found.values()]
        by_split = tuple(self._verdict(set(verdicts)) for verdicts in zip(*each, strict=True))
        if count:
            verdict = verdict_of_splits(verdict, of_splits(by_split))
        return Finding(
            verdict,
            "; ".join(f"{name}: {finding.ours}" for name, finding in found.items()),
            self.in_words(),
            detail,
            parts=parts,
            by_split=by_split,
        )

    def in_words(self) -> str:
        rules = dict.fromkeys(part.in_words() for part in self.parts.values())
        return "; ".join(filter(None, rules))

    def why(self, sources: ClaimSources, context: ClaimContext) -> str:
        """Return the rule's reason and those of its parts, once if all parts have the same one."""
        reasons = {name: part.why(sources, context) for name, part in self.parts.items()}
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


def _of_part(name: str, found: Finding, said: str) -> str:
    """Return what is not shown of a part, if anything; one that holds may have exceptions."""
    between = ", but for" if found.verdict is ClaimVerdict.HOLDS else ":"
    return f"{begun(name)}{between} {said.removeprefix(NOT_SHOWN)}" if said else ""


class UnmeasuredRule(Rule):
    """A claim that nothing measured here can decide.

    - ``needs``: What would decide it, as the end of "needs ...".
    """

    rule: Literal["unmeasured"]
    needs: NonEmptyText

    def judge(self, sources: ClaimSources, context: ClaimContext) -> Finding:
        raise NotMeasuredError(self.needs)

    def in_words(self) -> str:
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


ClaimKind = Literal["number", "relation", "trend", "order", "theorem", "setting", "definition"]


def _as_text(value: object) -> object:
    """Return a number as text, since YAML and names in braces turn digits into numbers."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return as_written(float(value)) if is_number else value  # type: ignore[arg-type]


ClaimText = Annotated[str, BeforeValidator(_as_text)]

_NAME = re.compile(r"\{(\w+)\}")


class ValuesOfPaper(Model):
    """What the paper's own values, printed or released, say about a statement.

    - ``found``: ``not given`` if the paper neither prints nor releases such values.
    - ``because``: A sentence on which values these are and what they say.
    """

    found: Literal["consistent", "inconsistent", "not given"]
    because: NonEmptyText


class CheckSpec(Model):
    """How a claim is decided on one dataset.

    - ``dataset``: None if the claim is about any data. In the file, ``datasets`` lists several
      datasets, and ``{dataset}`` in the texts of the check stands for each. ``each`` lists mappings
      of values for names in braces; ``dataset`` and ``form`` among them also set those of the
      check.
    - ``form``: A few words on what the check uses instead of the deciding form, where text and code
      differ or the text leaves a choice. Empty in the deciding check. The verdict on another form
      is reported beside the claim's.
    - ``artifact``: The default artifact of the quantities.
    - ``where``: Which of its rows, for all quantities.
    - ``expected``: The paper's value on this dataset, instead of the claim's.
    - ``reason``: The known reason why the claim does not hold on it.
    - ``needs``: What is missing if the results lack the cells and the claim is not at fault, such
      as a file that not every copy of a dataset has.
    """

    dataset: Identifier | None = None
    form: str = ""
    artifact: str | None = None
    where: dict[str, Scalar | tuple[Scalar, ...]] = Field(default_factory=dict)
    expected: ClaimText | None = None
    reason: str = ""
    needs: str = ""
    in_paper: ValuesOfPaper | None = None
    here: str = ""
    numbers: dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")], Quantity] = Field(
        default_factory=dict
    )
    decide: AnyRule

    @model_validator(mode="after")
    def _sentence_has_its_numbers(self) -> Self:
        if others := names_in(self.here) ^ self.numbers.keys():
            raise ValueError(
                "the sentence here and its numbers must have the same names, but differ in "
                f"{enumerated(sorted(others))}"
            )
        return self


class ClaimSpec(Model):
    """One checkable statement of a paper.

    - ``where``: In the paper.
    - ``statement``: A sentence in our words.
    - ``expected``: The paper's value.
    - ``reason``: The known reason why it does not hold, with the page that explains more.
    - ``in_paper``: What the paper's own values say.
    - ``split_dependent``: Whether the outcome could change with the split or seed; then
      replications repeat it.
    - ``published_on``: The split, by dataset, on whose values the statement is. Where the study
      used another one, because the file of the split is missing, a number is not decided; splits of
      replications decide nothing.
    - ``checks``: One per dataset, and one for each other form that is reported.
    """

    where: NonEmptyText
    kind: ClaimKind
    statement: NonEmptyText
    expected: Annotated[ClaimText, Field(min_length=1)]
    reason: str = ""
    in_paper: ValuesOfPaper | None = None
    split_dependent: bool = True
    published_on: dict[Identifier, Identifier] = Field(default_factory=dict)
    checks: Annotated[tuple[CheckSpec, ...], Field(min_length=1)]


class PaperClaims(Model):
    """All claims of a paper.

    - ``paper``: The study that rebuilds it.
    - ``claims``: In the order of their numbers.
    - ``fitted``: Which systems were fitted to published values of the paper, so that agreement is
      weak evidence.
    - ``systems``: Printed names of systems, by their names in the results.
    """

    paper: Identifier
    systems: dict[str, NonEmptyText] = Field(default={})
    fitted: str = ""
    claims: dict[ClaimId, ClaimSpec]


def read_claims(path: Path) -> PaperClaims:
    """Read the claims of a paper; an error has one sentence per problem.

    The YAML has ``paper``, ``claims`` by number, and ``families``: claims of one form, whose
    ``each`` gives, by number, the values for names in braces in their texts. A text that is only
    such a name becomes the value itself.
    """
    content = read_yaml(path)
    try:
        claims = dict(_all_claims(content))
        spec = PaperClaims.model_validate(
            {key: value for key, value in content.items() if key != "families"}
            | {"claims": {number: claims[number] for number in sorted(claims)}}
        )
    except ValidationError as error:
        raise ValueError(joined(f"{path} cannot be used:", sentences(error))) from error
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise ValueError(f"{path} cannot be used: {error}") from error
    return spec


def _all_claims(content: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    seen: set[str] = set()
    given: list[tuple[str, Any]] = list((content.get("claims") or {}).items())
    for family in content.get("families") or []:
        form = {key: value for key, value in family.items() if key != "each"}
        given += [(number, filled_in(form, values)) for number, values in family["each"].items()]
    for number, claim in given:
        if number in seen:
            raise ValueError(f"the claim {number} is defined twice. Remove one of them.")
        seen.add(number)
        yield number, {**claim, "checks": list(each_check(claim.get("checks") or []))}


def each_check(checks: Iterable[Mapping[str, Any]]) -> Iterator[Any]:
    """Yield each check as written, once per dataset and form."""
    for check in checks:
        rest = {key: value for key, value in check.items() if key not in ("datasets", "each")}
        if "datasets" not in check and "each" not in check:
            yield rest
        for dataset in check.get("datasets", ()):
            yield filled_in(rest, {"dataset": dataset}, others_stay=True) | {"dataset": dataset}
        for values in check.get("each", ()):
            own = {key: values[key] for key in ("dataset", "form") if key in values}
            yield filled_in(rest, values) | own


def filled_in(form: Any, values: Mapping[str, Any], *, others_stay: bool = False) -> Any:
    """Return plain values with names in braces replaced.

    Examples
    --------
    >>> filled_in({"statement": "{x} is {y}", "published": "{y}"}, {"x": "P", "y": 0.5})
    {'statement': 'P is 0.5', 'published': 0.5}
    """
    if isinstance(form, Mapping):
        return {
            filled_in(key, values, others_stay=others_stay): filled_in(
                value, values, others_stay=others_stay
            )
            for key, value in form.items()
        }
    if isinstance(form, list):
        return [filled_in(value, values, others_stay=others_stay) for value in form]
    if not isinstance(form, str):
        return form
    names = _NAME.findall(form)
    if unknown := [name for name in names if name not in values]:
        if others_stay:
            return form
        raise ValueError(
            f"{form!r} names {enumerated(unknown)}, but each has no value for it. Its values are "
            f"{enumerated(list(values))}."
        )
    if _NAME.fullmatch(form):
        return values[names[0]]
    return _NAME.sub(lambda name: str(values[name[1]]), form)


def claims_schema() -> str:
    """Return the JSON schema of a paper's claims, families written out."""
    return json.dumps(PaperClaims.model_json_schema(), indent=1, sort_keys=True) + "\n"
