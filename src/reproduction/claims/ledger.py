# SPDX-License-Identifier: MIT
"""The ledger: the verdicts on all claims, one row per claim and dataset, and their words.

Below are statements about a figure, from a paper or our own, with their verdicts in words, and the
report in a terminal: counts by outcome, or the details of some claims.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from textwrap import wrap
from typing import Annotated, Any

import pandas as pd
from pydantic import Field, ValidationError, model_validator
from tabulate import tabulate

from receval.figures.printed_numbers import as_written
from receval.spec_types import Model, NonEmptyText
from receval.storage.files import read_results
from receval.storage.messages import enumerated, how_many, joined
from reproduction.claims.comparison_rules import ContradictionRule, told
from reproduction.claims.quantities import evaluated
from reproduction.claims.sources import (
    ClaimContext,
    ClaimSources,
    MissingCellsError,
    NotMeasuredError,
)
from reproduction.claims.spec import CheckSpec, ClaimSpec, PaperClaims, each_check, read_claims
from reproduction.claims.verdicts import (
    ENOUGH,
    IN_PAPER,
    KEYS,
    NOT_SHOWN,
    ClaimVerdict,
    Finding,
    begun,
    is_rebuilt,
    of_five_papers,
    of_newer,
    of_splits,
    overall_in_paper,
    overall_verdict,
    told_needs,
    told_of_splits,
    verdict_in_words,
    verdict_of_splits,
)
from reproduction.config.reading import sentences


@dataclass(frozen=True)
class LedgerRow:
    """One claim on one dataset: a row of ``claims.csv``, all of it text.

    - ``claim``, ``paper``, ``where``, ``kind``, ``statement``, ``dataset``, ``expected``: What the
      paper says, and where.
    - ``form``: Another form of the claim, whose verdict is shown beside the claim's and not
      counted.
    - ``in_paper``, ``printed``: What the paper's own values say about it, in a word and in a
      sentence.
    - ``published``, ``value``, ``low``, ``high``, ``ours``: The paper's number, ours and its
      interval, and a sentence on ours.
    - ``rule``, ``because``, ``verdict``, ``detail``, ``reason``, ``needs``: How and why it was
      decided in this way, and the result.
    - ``one_split``, ``splits``: The verdict of the single split, and a sentence on other splits.
    - ``artifact``, ``cells``: What decided it.
    """

    claim: str
    paper: str
    where: str
    kind: str
    statement: str
    dataset: str
    form: str
    expected: str
    in_paper: str
    printed: str
    published: str
    value: str
    low: str
    high: str
    ours: str
    rule: str
    because: str
    verdict: str
    one_split: str
    splits: str
    detail: str
    reason: str
    needs: str
    artifact: str
    cells: str


COLUMNS = tuple(field.name for field in fields(LedgerRow))
"""Columns of the ledger's CSV; docs/claims.md describes them."""

OF_INTERVAL = "in the interval in which one more split is expected"
"""How splits decide a number."""

_BY_DEFINITION = ("setting", "definition")


def judge(check: CheckSpec, claim: ClaimSpec, paper: str, sources: ClaimSources) -> Finding:
    """Decide a claim on one dataset."""
    sources.forget()
    if isinstance(check.decide, ContradictionRule):
        # The text alone decides it, whatever data are available.
        return check.decide.judge(sources, ClaimContext(paper))
    if check.dataset and not sources.has(paper, check.dataset):
        return _undecidable(check, f"the dataset {check.dataset}")
    split = claim.published_on.get(check.dataset or "")
    # Anything else can be judged on other folds, too, though these do not decide it.
    if split and claim.kind == "number" and split not in sources.splits(paper, check.dataset):
        return _undecidable(check, f"the folds of which the published number is ({split})")
    try:
        finding = check.decide.judge(sources, _context(check, paper))
    except NotMeasuredError as error:
        return _undecidable(check, str(error))
    except MissingCellsError:
        if not check.needs:
            raise
        return _undecidable(check, check.needs)
    if finding.verdict is ClaimVerdict.HOLDS and claim.kind in _BY_DEFINITION:
        return replace(finding, verdict=ClaimVerdict.AS_DEFINED)
    return finding


def _context(check: CheckSpec, paper: str) -> ClaimContext:
    return ClaimContext(paper, check.artifact, check.dataset, check.where)


def _undecidable(check: CheckSpec, needs: str) -> Finding:
    rule = check.decide
    published = rule.published_number()
    return Finding(ClaimVerdict.UNDECIDABLE, "", rule.in_words(), needs, published)


def judged_claims(
    papers: Iterable[PaperClaims], sources: ClaimSources, certainty: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Return the ledger of some papers.

    ``certainty`` has the columns :data:`reproduction.claims.verdicts.COLUMNS`. If enough splits
    were tried, they decide instead of the single split of the sources.
    """
    rows = [
        _in_print(ledger_row(number, claim, check, paper.paper, sources), paper.systems)
        for paper in papers
        for number, claim in paper.claims.items()
        for check in claim.checks
    ]
    if certainty is not None:
        known = {tuple(row[key] for key in KEYS): row for row in certainty.to_dict("records")}
        rows = [_by_splits(row, known.get(tuple(row[key] for key in KEYS))) for row in rows]
    for row in rows:
        if row["verdict"] in (ClaimVerdict.HOLDS, ClaimVerdict.AS_DEFINED):
            row["reason"] = ""
        is_number = not math.isnan(row["published"]) and re.fullmatch(r"[^a-z]+", row["ours"])
        if is_number and row["rule"] != OF_INTERVAL:
            row["ours"] = _number_in_sentence(row)
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _number_in_sentence(row: Mapping[str, Any]) -> str:
    """Return our number beside the paper's, with its unit."""
    expected = row["expected"].replace(" %", "%")
    unit = " %" if expected == f"{as_written(row['published'])}%" else ""
    return f"Here it is {row['ours']}{unit}; the paper has {row['expected']}."


def _in_print(row: dict[str, Any], systems: Mapping[str, str]) -> dict[str, Any]:
    """Return a row with the printed names of systems, and of metrics without parameters."""
    for column in ("ours", "detail"):
        text = re.sub(r"\(\w+=[^()]*\)", "", row[column])
        row[column] = re.sub(r"[\w-]+", lambda word: systems.get(word[0], word[0]), text)
    return row


def _by_splits(row: dict[str, Any], found: Mapping[Hashable, Any] | None) -> dict[str, Any]:
    """Return a row with the verdict of all splits that were tried, if there are enough."""
    if found is None or row["verdict"] == ClaimVerdict.UNDECIDABLE:
        return row
    if not int(found["replications"] or 0):
        # Splits were not tried, or they lack the cells that decide this claim.
        return row
    verdict = verdict_of_splits(ClaimVerdict(row["verdict"]), found)
    splits = told_of_splits(row["value"], found, verdict)
    told: dict[str, Any] = {"verdict": str(verdict), "splits": splits}
    if found["location"] and not found["beside"]:
        told |= {"low": float(found["low"]), "high": float(found["high"])}
        if int(found["replications"]) >= ENOUGH:
            # The tolerance and how far the single split is off decide nothing.
            told |= {"rule": OF_INTERVAL, "because": "", "detail": ""}
    if verdict in (ClaimVerdict.HOLDS, ClaimVerdict.AS_DEFINED):
        told["detail"] = ""
    return row | told


def ledger_row(
    number: str, claim: ClaimSpec, check: CheckSpec, paper: str, sources: ClaimSources
) -> dict[str, Any]:
    """Return the row of a claim on one dataset; its readings stay in the sources."""
    try:
        finding = judge(check, claim, paper, sources)
    except ValueError as error:
        on = f" on {check.dataset}" if check.dataset else ""
        raise ValueError(f"The claim {number}{on} cannot be judged: {error}") from error
    is_undecidable = finding.verdict is ClaimVerdict.UNDECIDABLE
    has_reason = not is_undecidable and not sources.is_reduced(paper)
    splits = of_splits(finding.by_split)
    readings = list(dict.fromkeys(sources.readings))
    printed = check.in_paper or claim.in_paper
    here = "" if is_undecidable else _here(check, paper, sources)
    # A sentence has our numbers in their units.
    detail = finding.only_parts if here else finding.detail
    return {
        "claim": number,
        "paper": paper,
        "where": claim.where,
        "kind": claim.kind,
        "statement": claim.statement,
        "dataset": check.dataset or "",
        "form": check.form,
        "expected": check.expected or claim.expected,
        "in_paper": printed.found if printed else "",
        "printed": printed.because if printed else "",
        "published": finding.published,
        "value": finding.value,
        "low": finding.low,
        "high": finding.high,
        "ours": "" if is_undecidable else here or finding.ours,
        "rule": finding.rule,
        "because": check.decide.why(sources.aside(), _context(check, paper)),
        "verdict": str(finding.verdict),
        "one_split": str(finding.verdict),
        "splits": told_of_splits(float("nan"), splits) if finding.by_split else "",
        "detail": "" if is_undecidable else detail,
        # Reasons are known for the real data only.
        "reason": (check.reason or claim.reason) if has_reason else "",
        "needs": finding.detail if is_undecidable else "",
        "artifact": "; ".join(dict.fromkeys(r.source for r in readings if r.source)),
        "cells": "; ".join(dict.fromkeys(reading.cells for reading in readings)),
    }


def _here(check: CheckSpec, paper: str, sources: ClaimSources) -> str:
    """Return the sentence of a check with its numbers; empty if a number is missing."""
    context = _context(check, paper)
    # Numbers in a sentence decide nothing, so they are not listed among the deciding cells.
    aside = sources.aside()
    try:
        numbers = {
            name: evaluated(quantity, aside, context).number()
            for name, quantity in check.numbers.items()
        }
    except NotMeasuredError:
        return ""
    # For example an average over no users, in the demo.
    return "" if any(map(math.isnan, numbers.values())) else told(check.here, numbers)


def claims_of(ledger: pd.DataFrame) -> pd.DataFrame:
    """Return one row per claim, with the verdict over the ``datasets`` on which it is decided.

    ``in_paper`` is what the paper's own values say
    (:func:`reproduction.claims.verdicts.overall_in_paper`).
    """
    own = ledger[ledger["form"] == ""]
    rows = [
        (
            claim,
            rows["paper"].iloc[0],
            rows["kind"].iloc[0],
            overall_in_paper(list(rows["in_paper"])) or "not given",
            int((rows["verdict"] != ClaimVerdict.UNDECIDABLE).sum()),
            overall_verdict(list(rows["verdict"])),
        )
        for claim, rows in own.groupby("claim", sort=False)
    ]
    return pd.DataFrame(rows, columns=["claim", "paper", "kind", "in_paper", "datasets", "verdict"])


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

_PARTS = re.compile(rf"{NOT_SHOWN}.*?\(\d+ of \d+\)\.")


class OwnStatement(Model):
    """A statement of our own about a figure, decided in the same way as claims.

    - ``statement``: A sentence.
    - ``checks``: Like those of claims (:class:`reproduction.claims.spec.ClaimSpec`); the default
      artifact is the figure.
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
        why = reason
        if not row["reason"]:
            # Which parts of a rule fail, without their own parts.
            failing = _PARTS.match(str(row["detail"]))
            why = failing[0] if failing else str(row["detail"])
        reasons.add(row["reason"])
        told.append((_verdict(row, title, of_paper=of_paper), _sentences(row, why)))
    return told


def told_in_short(
    rows: Sequence[Mapping[str, Any]], title: Callable[[str], str], *, of_paper: bool
) -> list[tuple[str, str]]:
    """Return verdicts as :func:`told_verdicts` does, without reasons.

    The first has the sentences on its dataset up to the first number, if there is one; others have
    none. Of other forms only those are told whose verdict is the contrary.
    """
    shown = [row for row in rows if row["verdict"] != ClaimVerdict.UNDECIDABLE and not row["form"]]
    if not shown:
        return told_verdicts(rows, title, of_paper=of_paper)[:1]
    first = shown[0]
    sentences = re.split(r"(?<=\.) (?=[A-Z])", str(first["ours"]))
    numbered = [n for n, said in enumerate(sentences, 1) if any(map(str.isdigit, said))]
    is_told = bool(numbered) or not first["dataset"]
    said = " ".join(sentences[: min(numbered, default=1)]).rstrip(".")
    told = [(_verdict(first, title, of_paper=of_paper), said and f"{said}.")] if is_told else []
    # What else has no dataset is of generated data, as its own sentence says.
    others = [(row["verdict"], row["dataset"]) for row in shown[is_told:] if row["dataset"]]
    for verdict in dict.fromkeys(verdict for verdict, _ in others):
        titles = ", ".join(title(dataset) for own, dataset in others if own == verdict)
        row = {**first, "verdict": verdict, "dataset": re.sub(", (?=[^,]*$)", " and ", titles)}
        told.append((_verdict(row, str, of_paper=of_paper), ""))
    contrary = {ClaimVerdict.HOLDS: ClaimVerdict.DOES_NOT_HOLD}
    contrary |= {other: one for one, other in contrary.items()}
    opposite = {row["dataset"]: contrary.get(ClaimVerdict(row["verdict"])) for row in shown}
    forms = [row for row in rows if row["form"] and row["verdict"] == opposite.get(row["dataset"])]
    return told + [(_verdict(row, title, of_paper=of_paper), "") for row in forms]


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
    """Return our number, what splits say, and why it is in doubt, each ending in a full stop."""
    # The sentence on other splits also has the number on this split.
    is_number = bool(row["splits"]) and row["published"] not in ("", None)
    in_doubt = ClaimVerdict(row["verdict"]) in _IN_DOUBT
    texts = ("" if is_number else row["ours"], row["splits"], why if in_doubt else "")
    said = [str(text) for text in texts if text]
    return " ".join(text if text.endswith(".") else f"{text}." for text in said)


def report_of_claims(
    claims: Path,
    results: Path,
    numbers: Sequence[str] = (),
    elsewhere: Mapping[str, str] | None = None,
) -> str:
    """Judge claims and return what to print."""
    papers = [read_claims(path) for path in sorted(claims.glob("*.yaml"))]
    sources = ClaimSources.of_folder(results)
    if not sources.results:
        raise ValueError(
            f"There are no results in {results.as_posix()}. Run the workflow first, or omit "
            "--fresh to judge by the accepted results."
        )
    known = [number for paper in papers for number in paper.claims]
    if unknown := [number for number in numbers if number not in known]:
        raise ValueError(
            f"There is no claim {enumerated(unknown)}. Claims have numbers such as "
            f"{enumerated(known[:3])}. config/claims has all of them."
        )
    accepted = results / "certainty.csv"
    certainty = read_results(accepted) if accepted.exists() else None
    if not numbers:
        return _counts(judged_claims(papers, sources, certainty))
    reminders = reminders_of(papers)
    told = []
    for paper in papers:
        for number in (number for number in paper.claims if number in numbers):
            only = paper.model_copy(update={"claims": {number: paper.claims[number]}})
            rows = judged_claims([only], sources, certainty).to_dict("records")
            told.append(_fitted(list(_told(rows, reminders[number], elsewhere or {}))))
    return "\n\n".join(told) + "\n"


LINES, COLUMNS_OF_A_LINE = 12, 80
"""How many lines are printed on a claim, and how long they are."""

_CUT = " …"

_SHORTENED = ("decided by", "in the paper", "why not", "keep in mind", "statement", "outcome")
"""The texts on a claim in the order in which they are cut where the lines are not enough."""


def _fitted(texts: Sequence[tuple[str, str]]) -> str:
    """Return texts of these kinds in lines; where lines are not enough, texts end early.

    Examples
    --------
    >>> len(_fitted([("outcome", "word " * 90), ("why not", "word " * 200)]).splitlines())
    12
    """
    wrapped = [wrap(text, COLUMNS_OF_A_LINE, subsequent_indent="    ") for _, text in texts]
    sizes = [len(lines) for lines in wrapped]
    for kind in _SHORTENED:
        own = [at for at, (of, _) in enumerate(texts) if of == kind]
        while sum(sizes) > LINES and max((sizes[at] for at in own), default=1) > 1:
            sizes[max(own, key=lambda at: sizes[at])] -= 1
    return "\n".join(
        line for own, size in zip(wrapped, sizes, strict=True) for line in _cut(own, size)
    )


def _cut(lines: Sequence[str], size: int) -> list[str]:
    """Return the first lines; the last one says that others follow."""
    if size >= len(lines):
        return list(lines)
    *most, last = lines[:size]
    while len(last) > COLUMNS_OF_A_LINE - len(_CUT):
        last = last.rpartition(" ")[0]
    return [*most, f"{last.rstrip(' ,;:')}{_CUT}"]


def reminders_of(papers: Sequence[PaperClaims]) -> dict[str, tuple[str, ...]]:
    """Return clauses that qualify the verdict on each claim."""
    artifacts = {
        number: {(paper.paper, check.artifact) for check in claim.checks if check.artifact}
        for paper in papers
        for number, claim in paper.claims.items()
    }
    reminders: dict[str, tuple[str, ...]] = {}
    for paper in papers:
        for number, claim in paper.claims.items():
            others = sum(not artifacts[number].isdisjoint(of) for of in artifacts.values()) - 1
            told = f"the same artifact decides {how_many(others, 'other claim')}, and no verdict"
            reminders[number] = (
                *([paper.fitted] if paper.fitted and claim.split_dependent else ()),
                *([f"{told} is corrected for their number"] if others > 0 else ()),
            )
    return reminders


def _told(
    rows: Sequence[Mapping[Any, Any]], reminders: Sequence[str], elsewhere: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield what is known about a claim, with one text per outcome, after what the text is."""
    first = rows[0]
    yield "statement", f"{first['claim']} ({first['where']}): {first['statement']}"
    printed: dict[str, dict[str, None]] = {}
    for row in rows if first["in_paper"] else ():
        printed.setdefault(f"{row['in_paper']}. {row['printed']}", {})[row["dataset"]] = None
    # With several texts, each says which datasets it is about.
    on = [f"{', '.join(names)}: " if len(printed) > 1 else "" for names in printed.values()]
    said = " ".join(map("".join, zip(on, printed, strict=True)))
    if paper := "; ".join(filter(None, (first["expected"], said))):
        yield "in the paper", f"  in the paper: {paper}"
    # One line for all datasets with the same outcome, such as missing ones.
    outcomes: dict[str, list[Mapping[Any, Any]]] = {}
    for row in rows:
        outcomes.setdefault(_outcome(row), []).append(row)
    for outcome, own in outcomes.items():
        needs = dict.fromkeys(
            told_needs(row["needs"], elsewhere).replace(" by `make reproduce`", "") for row in own
        )
        # A form such as "on MovieLens 1M" names the dataset itself.
        named = ((r["dataset"] * (not r["form"].startswith("on ")), r["form"]) for r in own)
        on = [", ".join(filter(None, names)) or "any data" for names in named]
        told = ", ".join(filter(None, (outcome.rstrip("."), *needs)))
        yield "outcome", f"  {'; '.join(on)}: {told}."
    # A missing dataset has its own reasons, which decide nothing.
    decided = [row for row in rows if row["verdict"] != ClaimVerdict.UNDECIDABLE] or rows
    rules = dict.fromkeys(row["rule"] for row in decided if row["rule"])
    artifacts = dict.fromkeys(row["artifact"] for row in rows if row["artifact"])
    reasons = "; ".join(dict.fromkeys(row["because"] for row in decided if row["because"]))
    if by := "; ".join([*rules, *artifacts]):
        yield "decided by", f"  decided by: {by}{f', because {reasons}' if reasons else ''}"
    if why := " ".join(dict.fromkeys(row["reason"] for row in decided if row["reason"])):
        yield "why not", f"  why not: {why}"
    if reminders:
        yield "keep in mind", f"  keep in mind: {'; '.join(reminders)}."


def _outcome(row: Mapping[Any, Any]) -> str:
    # The sentence on all splits begins with the number on this split.
    only_splits = row["splits"] and row["published"] == row["published"]
    ours = row["splits"] if only_splits else f"{row['splits']} {_sentence(row['ours'])}"
    told = (f"{verdict_in_words(row['paper'], row['verdict'])}.", ours, row["detail"])
    return " ".join(part.strip() for part in told if part.strip())


def _sentence(text: str) -> str:
    return f"{begun(text).rstrip('.')}." if text else ""


def _counts(ledger: pd.DataFrame) -> str:
    """Count the statements by outcome, in the paper and in our rebuild."""
    claims = claims_of(ledger)
    verdicts = list(map(str, ClaimVerdict))
    five, newer = of_five_papers(claims), of_newer(claims)
    rebuilt = newer["paper"].map(is_rebuilt).astype(bool)
    tables = {
        "in the paper": _table(five, "in_paper", IN_PAPER),
        "rebuilt here": _table(five, "verdict", verdicts),
        "newer papers, in the paper": _table(newer[rebuilt], "in_paper", IN_PAPER),
        "newer papers, rebuilt here": _table(newer[rebuilt], "verdict", verdicts),
        "newer papers that are not rebuilt": _table(newer[~rebuilt], "verdict", verdicts),
    }
    return "\n\n".join(f"{name}\n{table}" for name, table in tables.items() if table) + "\n"


def _table(claims: pd.DataFrame, column: str, words: Sequence[str]) -> str:
    """Count the claims of each paper by the words in a column; empty without claims."""
    if not len(claims):
        return ""
    counts = pd.crosstab(claims["paper"], claims[column])
    columns = [word for word in words if word in counts.columns]
    rows = [[paper, *map(int, counts.loc[paper, columns])] for paper in claims["paper"].unique()]
    if len(rows) > 1:
        rows.append(["all", *map(int, counts[columns].sum())])
    heads = [verdict_in_words(rows[0][0], word) for word in columns]
    return tabulate(rows, headers=["", *heads], tablefmt="simple")
