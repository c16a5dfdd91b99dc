# SPDX-License-Identifier: MIT
"""Statements about a figure, from a paper or our own, with their verdicts in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field, ValidationError, model_validator

from receval.spec_types import Model, NonEmptyText
from receval.storage.messages import joined
from reproduction.claims.ledger import ledger_row
from reproduction.claims.sources import ClaimSources
from reproduction.claims.spec import CheckSpec, ClaimSpec, each_check
from reproduction.claims.verdicts import ClaimVerdict, is_rebuilt
from reproduction.config.reading import sentences

_HELD = {
    ClaimVerdict.HOLDS: "holds",
    ClaimVerdict.HOLDS_IN_PART: "holds in part",
    ClaimVerdict.DEPENDS_ON_SPLIT: "depends on the split",
    ClaimVerdict.DOES_NOT_HOLD: "does not hold",
    ClaimVerdict.AS_DEFINED: "is as defined",
    ClaimVerdict.CONTRADICTS_ITSELF: "contradicts itself",
}
_SEEN = _HELD | {
    ClaimVerdict.HOLDS: "is seen",
    ClaimVerdict.HOLDS_IN_PART: "is seen in part",
    ClaimVerdict.DOES_NOT_HOLD: "is not seen",
}
"""Words for verdicts on statements that no rebuilt paper makes, so that no paper holds or fails."""

_IN_DOUBT = (ClaimVerdict.HOLDS_IN_PART, ClaimVerdict.DOES_NOT_HOLD)

_PARTS = re.compile(r"Not shown by .*?\(\d+ of \d+\)\.")


class OwnStatement(Model):
    """A statement of our own about a figure, decided in the same way as claims.

    Attributes
    ----------
    statement : str
        A sentence.
    checks : tuple of CheckSpec
        Like those of claims (:class:`reproduction.claims.spec.ClaimSpec`); the default artifact is
        the figure.
    """

    statement: NonEmptyText
    checks: Annotated[tuple[CheckSpec, ...], Field(min_length=1)]

    @model_validator(mode="before")
    @classmethod
    def _every_check(cls, values: Any) -> Any:
        if isinstance(values, Mapping) and "checks" in values:
            return {**values, "checks": list(each_check(values["checks"]))}
        return values

    def as_claim(self, artifact: str) -> ClaimSpec:
        """Return the statement as a claim about a figure."""
        return ClaimSpec(
            where=artifact,
            kind="relation",
            statement=self.statement,
            expected="as stated",
            checks=self.checks_on(artifact),
        )

    def checks_on(self, artifact: str) -> tuple[CheckSpec, ...]:
        """Return the checks, with a figure as their default artifact."""
        return tuple(
            check.model_copy(update={"artifact": check.artifact or artifact})
            for check in self.checks
        )

    def judged(self, study: str, artifact: str, sources: ClaimSources) -> list[dict[str, Any]]:
        """Return rows like those of the ledger, one per check."""
        claim, where = self.as_claim(artifact), f"under {study}/{artifact}"
        return [ledger_row(where, claim, check, study, sources) for check in claim.checks]


def own_statement(values: Mapping[str, Any], where: str) -> OwnStatement:
    """Return a statement from plain values."""
    try:
        return OwnStatement.model_validate(values)
    except ValidationError as error:
        said = joined(f"The statement that {where} shows cannot be used:", sentences(error))
        raise ValueError(said) from error


def told_verdicts(
    rows: Sequence[Mapping[str, Any]], title: Callable[[str], str], *, of_paper: bool
) -> list[tuple[str, str]]:
    """Return the verdict on a statement for each dataset, with what explains it.

    The verdict is such as "Holds on ML-1M"; the sentences beside it may be none. ``rows`` are all
    rows of the ledger on one statement. The result of another form is reported if its verdict
    differs. If no dataset decides the statement, the only text says what would decide it.
    ``of_paper`` says whether a rebuilt paper claims it; otherwise verdicts say whether it is seen
    on our data.
    """
    decided = [row for row in rows if row["verdict"] != ClaimVerdict.UNDECIDABLE]
    deciding = {row["dataset"]: row["verdict"] for row in decided if not row["form"]}
    shown = [
        row for row in decided if not row["form"] or row["verdict"] != deciding.get(row["dataset"])
    ]
    if not shown:
        needs = dict.fromkeys(str(row["needs"]) for row in rows if not row["form"])
        return [("Undecidable here", f"it needs {'; '.join(needs)}.")]
    reasons: set[str] = set()
    told = []
    for row in shown:
        # Several datasets and forms may share a reason, which is given once.
        reason = row["reason"] if row["reason"] not in reasons else ""
        why = reason if row["reason"] else _first_part(str(row["detail"]))
        reasons.add(row["reason"])
        told.append((_verdict(row, title, of_paper=of_paper), _sentences(row, why)))
    return told


def _verdict(row: Mapping[str, Any], title: Callable[[str], str], *, of_paper: bool) -> str:
    of_rebuilt = of_paper and is_rebuilt(str(row["paper"]))
    words = (_HELD if of_rebuilt else _SEEN)[ClaimVerdict(row["verdict"])]
    form, on = row["form"], f" on {title(row['dataset'])}" if row["dataset"] else ""
    if not form:
        words = words.removeprefix("is ")
    elif on and form.endswith(on.strip()):
        words, on = f"another form, {form}, {words}", ""
    else:
        words = f"another form, {form}, {words}"
    return f"{words[0].upper()}{words[1:]}{on}"


def _sentences(row: Mapping[str, Any], why: str) -> str:
    # The sentence on other splits also has the number on this split.
    is_number = bool(row["splits"]) and row["published"] not in ("", None)
    ours = "" if is_number else row["ours"]
    in_doubt = ClaimVerdict(row["verdict"]) in _IN_DOUBT
    return _as_sentences((ours, row["splits"], why if in_doubt else ""))


def _first_part(detail: str) -> str:
    """Return which parts of a rule fail, without their own parts."""
    found = _PARTS.match(detail)
    return found[0] if found else detail


def _as_sentences(texts: Iterable[object]) -> str:
    """Return the non-empty texts, each ending in a full stop."""
    said = [str(text) for text in texts if text]
    return " ".join(text if text.endswith(".") else f"{text}." for text in said)
