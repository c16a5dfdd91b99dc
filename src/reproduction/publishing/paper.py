# SPDX-License-Identifier: MIT
"""Numbers, tables and verdicts for the text of the paper, read from results."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
import pandas as pd
from pydantic import Field, ValidationError, model_validator

from receval.figures.printed_numbers import fixed, p_value
from receval.spec_types import ClaimId, Model, NonEmptyText
from receval.storage.files import read_results, real_values
from receval.storage.messages import enumerated, joined
from receval.storage.saved_folders import receval_version
from reproduction.claims.errata import Erratum, ErratumId, load_errata
from reproduction.claims.ledger import claims_of
from reproduction.claims.quantities import Quantity, evaluated
from reproduction.claims.sources import ClaimContext, ClaimSources, NotMeasuredError
from reproduction.claims.verdicts import ClaimVerdict, of_five_papers, of_newer
from reproduction.config.reading import read_yaml, sentences
from reproduction.publishing.claim_counts import (
    certainty_counts,
    counts_by_cause,
    failing_claims,
    in_print,
    variance_shares,
    verdict_counts,
    with_failures_elsewhere,
    with_outcomes,
)

_WORDS = (
    "none one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
)
_LISTED = ("claim", "paper", "where", "statement", "dataset", "expected", "ours", "verdict")


# ``paper/numbers.yaml``: named numbers, and the claims and errata to list.

NumberName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$")]
"""Name of a number in the text."""

ANY = "any"
"""The study of a number that does not name one."""

Form = Annotated[str, Field(pattern=r"^(words|,?\.[0-9]f|\+\.[0-9]f|\.[0-9]%|p|text)$")]


class PaperNumber(Model):
    """The source of a number in the text: one of the first two keys.

    - ``quantity``: Cells of results, or computations on them, written as in claims. Besides
      artifacts there are the tables ``ledger/verdicts`` (one row per claim and dataset),
      ``ledger/claims`` (one row per claim), ``ledger/forms`` (decided rows of other forms, ``same``
      or not as the claim's ``own``), ``ledger/tolerances`` (numbers with a tolerance, and whether
      ours are within it), ``ledger/causes``, ``ledger/errata`` and ``plan/counts``.
    - ``document``: A document of the repository in which the number is written.
    - ``pattern``: Its only occurrence: a regular expression whose only group is the number.
    - ``study``: The default study for settings and artifacts.
    - ``dataset``: Only rows of this dataset.
    - ``shown``: A format: ``.3f``, ``,.0f``, ``.1%``, ``+.2f``; ``p`` for a p-value with its sign;
      ``words`` for a small whole number in words; ``text`` as written in the document.
    - ``on_twins``: Whether synthetic twins can give it, too; if not, the text says so.
    """

    quantity: Quantity | None = None
    document: NonEmptyText | None = None
    pattern: NonEmptyText | None = None
    study: NonEmptyText = ANY
    dataset: NonEmptyText | None = None
    shown: Form = ".3f"
    on_twins: bool = True

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        if (self.quantity is None) == (self.document is None):
            raise ValueError("a number must have either a quantity, or a document and a pattern")
        if (self.document is None) != (self.pattern is None):
            raise ValueError("document and pattern must be given together")
        return self


class ListedErratum(Model):
    """An erratum for the paper's table.

    - ``on_twins``: Whether synthetic twins can give its size, too.
    """

    erratum: ErratumId
    on_twins: bool = True


class Cause(Model):
    """A cause, in our judgement, why some claims do not hold.

    - ``cause``: A few words.
    """

    cause: NonEmptyText
    claims: tuple[ClaimId, ...]


class PaperSpec(Model):
    """The names that the text of the paper uses.

    - ``tables``: Claims to list beside their verdicts, by the name of the table.
    - ``causes``: Causes why claims do not hold, or only in part.
    - ``replications``: Numbers that are read only if there are replications, from the table
      ``ledger/certainty``, which besides its own columns has those of
      :func:`reproduction.publishing.claim_counts.with_outcomes`.
    - ``crossed``: Numbers that are read only if there are runs of the crossed design, from the
      table ``ledger/variance``.
    """

    numbers: dict[NumberName, PaperNumber]
    tables: dict[NumberName, tuple[ClaimId, ...]]
    causes: tuple[Cause, ...]
    errata: tuple[ListedErratum, ...]
    replications: dict[NumberName, PaperNumber] = Field(default_factory=dict)
    crossed: dict[NumberName, PaperNumber] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _names_are_told_apart(self) -> Self:
        names = [*self.numbers, *self.replications, *self.crossed]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(
                f"two of numbers, replications and crossed have {', '.join(twice)}. Rename one "
                "of them"
            )
        return self


def read_paper_spec(path: Path) -> PaperSpec:
    """Read and check ``paper/numbers.yaml``; an error has one sentence per problem."""
    try:
        return PaperSpec.model_validate(read_yaml(path))
    except ValidationError as error:
        raise ValueError(joined(f"{path} cannot be used:", sentences(error))) from error


# Sources of the paper's numbers: results, the ledger, errata, the plan, replications.

CERTAINTY = "ledger/certainty"
VARIANCE = "ledger/variance"

_DIGITS = 6
"""Words for a distance in tolerances."""


@dataclass(frozen=True)
class PaperInputs:
    """The files of an edition that the paper is made from.

    The ledger, ``claims.csv``, is in the folder with the folders of the studies, which have the
    results and the records of provenance. Documents are those in which numbers are written.
    ``certainty`` and ``variance`` are tables of the replications, if any. ``counts`` are those of
    the plan, ``figures`` the names of the available drawings in the text, and ``synthetic`` says
    whether the data are twins.
    """

    ledger: Path
    results: Sequence[Path]
    records: Sequence[Path]
    errata: Path
    documents: Sequence[Path] = ()
    certainty: Path | None = None
    variance: Path | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    figures: Sequence[str] = ()
    synthetic: bool = False


class NumberSources(ClaimSources):
    """Results of an edition, and tables derived from them."""

    def __init__(self, inputs: PaperInputs, tables: Mapping[str, pd.DataFrame]) -> None:
        super().__init__(
            {f"{path.parent.name}/{path.stem}": path for path in inputs.results},
            {path.parent.name: path for path in inputs.records},
        )
        self._made = tables

    def table(self, artifact: str) -> pd.DataFrame:
        return self._made[artifact] if artifact in self._made else super().table(artifact)

    def has(self, study: str, dataset: str) -> bool:
        # A number without a study is from the tables on all studies.
        return study == ANY or super().has(study, dataset)

    def missing(self, study: str, what: str, there: str) -> Exception:
        # Each number says whether twins lack it, so anything else that is missing is an error.
        return ValueError(f"there is no {what}, only {there}. Correct paper/numbers.yaml.")


def _other_forms(ledger: pd.DataFrame) -> pd.DataFrame:
    """Return the decided verdicts on other forms, with that on the claim (``own``)."""
    keys = ["claim", "dataset"]
    own = ledger.loc[ledger["form"] == "", [*keys, "verdict"]].rename(columns={"verdict": "own"})
    forms = ledger[(ledger["form"] != "") & (ledger["verdict"] != ClaimVerdict.UNDECIDABLE)]
    found = forms.merge(own, on=keys, how="left")
    same = np.where(found["verdict"] == found["own"], "yes", "no")
    return found.assign(same=same)


def _in_tolerances(ledger: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers that are judged by a tolerance, with distances in tolerances.

    ``within_half``, ``within`` and ``within_twice`` are ``yes`` or ``no``.
    """
    names = ("published", "value", "rule")
    if not {*names} <= set(ledger.columns):
        return pd.DataFrame(columns=["claim", "within_half", "within", "within_twice"])
    own = ledger[(ledger["form"] == "") & (ledger["verdict"] != ClaimVerdict.UNDECIDABLE)]
    tolerance = real_values(own["rule"].str.extract(r"^within ([\d.]+)$")[0])
    off = np.abs(real_values(own["value"]) - real_values(own["published"]))
    with np.errstate(divide="ignore", invalid="ignore"):
        # Ends belong to a tolerance, regardless of the last digit of a difference.
        times = np.round(off / tolerance, _DIGITS)
    widths = {"within_half": 0.5, "within": 1.0, "within_twice": 2.0}
    said = {name: np.where(times <= width, "yes", "no") for name, width in widths.items()}
    return own.assign(**said)[~np.isnan(times)].reset_index(drop=True)


def paper_numbers(spec: PaperSpec, inputs: PaperInputs) -> dict[str, Any]:
    """Return all that the text of the paper reads, as plain values.

    Each number has its ``value``, how it is ``shown`` (empty if twins cannot give it), and its
    ``source``. If a number cannot be read or a claim is missing, an error says which and what to
    do.
    """
    judged = read_results(inputs.ledger)
    ledger = of_five_papers(judged)
    claims = claims_of(ledger)
    errata = load_errata(inputs.errata)
    causes_of = {cause.cause: cause.claims for cause in spec.causes}
    causes = counts_by_cause(claims, causes_of)
    replications = _replications(inputs, ledger, causes_of)
    if CERTAINTY in replications:
        causes = with_failures_elsewhere(causes, replications[CERTAINTY])
    newer = claims_of(of_newer(judged))
    sources = NumberSources(
        inputs,
        {
            "ledger/verdicts": ledger[ledger["form"] == ""].reset_index(drop=True),
            "ledger/claims": claims,
            "ledger/newer": newer,
            "ledger/forms": _other_forms(ledger),
            "ledger/tolerances": _in_tolerances(ledger),
            "ledger/causes": pd.DataFrame(causes),
            "ledger/errata": pd.DataFrame(
                [(name, e.paper, e.certainty, bool(e.size.numbers)) for name, e in errata.items()],
                columns=["erratum", "paper", "certainty", "measured"],
            ),
            "plan/counts": pd.DataFrame(inputs.counts.items(), columns=["of", "value"]),
            **replications,
        },
    )
    documents = {path.name: path for path in inputs.documents}
    numbers = {
        **spec.numbers,
        **(spec.replications if CERTAINTY in replications else {}),
        **(spec.crossed if VARIANCE in replications else {}),
    }
    return {
        "version": receval_version(),
        "synthetic": inputs.synthetic,
        "replicated": CERTAINTY in replications,
        "crossed": VARIANCE in replications,
        "numbers": {
            name: _number(name, number, sources, documents, synthetic=inputs.synthetic)
            for name, number in numbers.items()
        },
        "papers": verdict_counts(claims, "paper"),
        "kinds": verdict_counts(claims, "kind"),
        "verdicts": {
            claim: verdict
            for of in (claims, newer)
            for claim, verdict in zip(of["claim"], of["verdict"], strict=True)
        },
        "failing": failing_claims(ledger),
        "tables": {name: _listed(name, judged, ids) for name, ids in spec.tables.items()},
        "errata": _errata(spec.errata, errata, sources, synthetic=inputs.synthetic),
        "causes": causes,
        "certainty": certainty_counts(replications[CERTAINTY]) if CERTAINTY in replications else [],
        "variance": [
            {n: shown_number(v, ".0%") if isinstance(v, float) else v for n, v in row.items()}
            for row in (variance_shares(replications[VARIANCE]) if VARIANCE in replications else [])
        ],
        "figures": list(inputs.figures),
    }


def _replications(
    inputs: PaperInputs, ledger: pd.DataFrame, causes: Mapping[str, Sequence[str]]
) -> dict[str, pd.DataFrame]:
    """Return the available tables of replications, by their names among the sources."""
    found = {}
    if inputs.certainty is not None:
        found[CERTAINTY] = with_outcomes(read_results(inputs.certainty), ledger, causes)
    if inputs.variance is not None:
        rows = read_results(inputs.variance)
        # A number that never varies has no shares of sources.
        found[VARIANCE] = rows[~np.isnan(real_values(rows["split"]))].reset_index(drop=True)
    return found


def table_of_numbers(contents: Mapping[str, Any]) -> pd.DataFrame:
    """Return the numbers of the text with their sources, one row per number: ``receval.csv``."""
    rows = [
        (name, number["source"], number["value"], number["shown"])
        for name, number in contents["numbers"].items()
    ]
    return pd.DataFrame(rows, columns=["name", "source", "value", "printed"])


def _number(
    name: str,
    number: PaperNumber,
    sources: ClaimSources,
    documents: Mapping[str, Path],
    *,
    synthetic: bool,
) -> dict[str, Any]:
    """Return a number with its value, how it is shown, and where it comes from."""
    if synthetic and not number.on_twins:
        return {"value": None, "shown": "", "source": "none on twins"}
    try:
        if number.quantity is None:
            return _written(number, documents)
        sources.forget()
        context = ClaimContext(number.study, None, number.dataset)
        value = evaluated(number.quantity, sources, context).number()
        if not np.isfinite(value):
            raise ValueError("the cell is empty. Select another one.")
    except (NotMeasuredError, ValueError) as error:
        said = f"it needs {error}." if isinstance(error, NotMeasuredError) else str(error)
        raise ValueError(f"The paper's number {name} cannot be read: {said}") from error
    read = (f"{r.source} {r.cells}".strip() for r in sources.readings)
    return {
        "value": value,
        "shown": shown_number(value, number.shown),
        "source": "; ".join(dict.fromkeys(read)),
    }


def shown_number(value: float, form: str) -> str:
    """Return a number as shown in the text; the forms are those of :class:`PaperNumber`.

    Examples
    --------
    >>> [shown_number(value, form) for value, form in ((0.3125, ".2f"), (20480, ",.0f"))]
    ['.31', '20,480']
    >>> shown_number(5, "words"), shown_number(1e-7, "p"), shown_number(0.631, "p")
    ('five', '< .001', '= .631')
    """
    if form == "words" and float(value).is_integer() and 0 <= value < len(_WORDS):
        return _WORDS[int(value)]
    if form == "p":
        said = p_value(value)
        return said if said.startswith("<") else f"= {said}"
    decimals = int(re.sub(r"\D", "", form) or 0)
    if form.endswith("%"):
        return f"{fixed(100 * value, decimals)}\N{NO-BREAK SPACE}%"
    return fixed(value, decimals, signed=form.startswith("+"))


def _written(number: PaperNumber, documents: Mapping[str, Path]) -> dict[str, Any]:
    """Return a number that is written in a document of the repository."""
    asked, pattern = str(number.document), str(number.pattern)
    path = documents.get(Path(asked).name)
    if path is None:
        raise ValueError(
            f"the document {asked} is not among those that the paper reads "
            f"({enumerated(documents) or 'none'}). List it in paper/sources.yaml."
        )
    places = re.findall(pattern, path.read_text(encoding="utf-8"))
    if len(places) != 1:
        raise ValueError(
            f"{asked} has {len(places) or 'no'} place{'s' * (len(places) != 1)} with "
            f"{pattern!r}, but exactly one is needed. Correct the pattern."
        )
    text = str(places[0])
    value = float(text.replace(",", "")) if re.fullmatch(r"[\d,]*\.?\d+", text) else None
    return {"value": value, "shown": text, "source": f"{asked}: {pattern}"}


def _listed(name: str, ledger: pd.DataFrame, ids: Sequence[str]) -> list[dict[str, str]]:
    """Return the decided rows of the ledger on some claims."""
    own = ledger[ledger["form"] == ""]
    if unknown := sorted(set(ids) - set(own["claim"])):
        raise ValueError(
            f"The paper's table {name} lists {enumerated(unknown)}, which the ledger does not "
            "have. Correct paper/numbers.yaml."
        )
    order = {claim: place for place, claim in enumerate(ids)}
    rows = own[own["claim"].isin(list(ids))]
    rows = rows.iloc[np.argsort(rows["claim"].map(order).to_numpy(), kind="stable")]
    decided = rows[rows["verdict"] != "undecidable here"]
    rows = decided if set(decided["claim"]) == set(ids) else rows
    return [{key: in_print(str(row[key])) for key in _LISTED} for row in rows.to_dict("records")]


def _errata(
    chosen: Sequence[ListedErratum],
    errata: Mapping[str, Erratum],
    sources: ClaimSources,
    *,
    synthetic: bool,
) -> list[dict[str, str]]:
    """Return some errata with the sizes of their effects here; empty if twins have none."""
    found = []
    for entry in chosen:
        if entry.erratum not in errata:
            raise ValueError(
                f"The paper lists the erratum {entry.erratum}, which config/errata.yaml does not "
                "have. Correct paper/numbers.yaml."
            )
        erratum = errata[entry.erratum]
        try:
            is_measured = entry.on_twins or not synthetic
            size = erratum.size_texts(sources)[0] if is_measured else ""
        except ValueError as error:
            raise ValueError(
                f"The size of the erratum {entry.erratum} cannot be read: {error}"
            ) from error
        found.append(
            {
                "erratum": entry.erratum,
                "paper": erratum.paper,
                "where": erratum.where,
                "title": in_print(erratum.title),
                "size": in_print(size),
                "certainty": erratum.certainty,
            }
        )
    return found


# The paper as a PDF: typst runs in a folder that has only what the text may read.

CONTENTS = "contents.json"
FIGURES = "figures"
_TIMESTAMP = 0
"""The file does not contain its time of creation."""


def typeset(
    text: Sequence[Path], contents: Mapping[str, Any], figures: Mapping[str, Path]
) -> bytes:
    """Compile a text with typst and return the PDF; warnings are errors, too."""
    try:
        import typst
    except ModuleNotFoundError as error:
        raise ValueError(
            "The paper is typeset by typst, which is not installed. Install the environment of the "
            'repository (requirements.lock), or pip install "receval[workflow]".'
        ) from error
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in text:
            (folder / path.name).write_bytes(path.read_bytes())
        (folder / FIGURES).mkdir()
        for figure, path in figures.items():
            (folder / FIGURES / f"{figure}.pdf").write_bytes(path.read_bytes())
        (folder / CONTENTS).write_text(json.dumps(contents), encoding="utf-8")
        try:
            pdf, warnings = typst.compile_with_warnings(
                folder / text[0].name,
                root=folder,
                ignore_system_fonts=True,
                format="pdf",
                timestamp=_TIMESTAMP,
            )
        except typst.TypstError as error:
            said = f"{error.message} {' '.join(error.hints)} {' '.join(error.trace)}"
            raise ValueError(f"{text[0]} cannot be typeset: {_brief(said, folder)}") from error
        if warnings:
            said = " ".join(f"{warning.message}" for warning in warnings)
            raise ValueError(f"{text[0]} was typeset with warnings: {_brief(said, folder)}")
    return bytes(pdf)


def _brief(said: str, folder: Path) -> str:
    """Return typst's messages without the folder in which it ran."""
    return " ".join(said.replace(str(folder), "").split())
