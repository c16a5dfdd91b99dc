# SPDX-License-Identifier: MIT
"""Errata: places where a paper's text, its figures or tables and its released code disagree."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import Annotated, Literal, Self

import numpy as np
import pandas as pd
from pydantic import Field, TypeAdapter, ValidationError, model_validator

from receval.spec_types import ClaimId, Model, NonEmptyText
from receval.storage.messages import joined, quoted
from reproduction.claims.comparison_rules import names_in, told
from reproduction.claims.quantities import Quantity, evaluated
from reproduction.claims.sources import ClaimContext, ClaimSources, NotMeasuredError
from reproduction.claims.verdicts import in_prose
from reproduction.config.reading import read_yaml, sentences

ERRATA = Path("config/errata.yaml")

RESULTS = Path("results/full")
"""The accepted results that errata are measured on."""

Paper = Literal[
    "bellogin2017", "valcarce2018", "valcarce2020", "canamares2020", "menamaldonado2021"
]

ErratumId = Annotated[str, Field(pattern=r"^E-[0-9]{2}$")]


CommandLine = Annotated[str, Field(pattern=r"^(receval|snakemake|python) \S")]


_FUNCTION = r"^(receval|reproduction)(\.\w+)+:\w+(\.\w+)*$"


class ErratumName(Model):
    """The name of a form in the library or its configuration, under one of these keys.

    - ``metric``, ``average``, ``system``, ``split``, ``protocol``: A metric's or an average's
      label; names of ``config/``; a protocol's name.
    - ``column``: A column of accepted results: ``study/artifact: column``.
    - ``setting``: Keys of a file of ``config/``, joined by slashes.
    - ``function``: ``module:name``.
    """

    metric: NonEmptyText | None = None
    average: NonEmptyText | None = None
    system: NonEmptyText | None = None
    split: NonEmptyText | None = None
    protocol: NonEmptyText | None = None
    column: Annotated[str, Field(pattern=r"^\w+/\w+: \w+$")] | None = None
    setting: NonEmptyText | None = None
    function: Annotated[str, Field(pattern=_FUNCTION)] | None = None

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if len(self.model_fields_set) != 1:
            raise ValueError(
                f"a name must have exactly one of the keys {', '.join(type(self).model_fields)}"
            )
        return self

    @property
    def kind(self) -> str:
        """The key that is set."""
        (kind,) = self.model_fields_set
        return kind

    @property
    def name(self) -> str:
        """The value of the key."""
        return str(getattr(self, self.kind))


class ErratumForm(Model):
    """One of the two forms that disagree.

    - ``form``: A short name for it.
    - ``says``: What the text says, or what the other form shows or does, in sentences.
    - ``source``: Where the form is found.
    - ``here``: Its names in the library or its configuration; empty if neither has it.
    """

    form: NonEmptyText
    says: NonEmptyText
    source: Literal[
        "text",
        "cited method",
        "release's intention",
        "definition",
        "proof",
        "figure",
        "caption",
        "table",
        "data",
        "released code",
    ] = "text"
    here: tuple[ErratumName, ...] = ()


class ErratumSize(Model):
    """The size of the effect on our data: two texts with numbers, or why there are none.

    - ``numbers``: The numbers by name, written like those of claims.
    - ``short``: For the paper's table of errata. ``{name:.3f}`` stands for a number here and in
      ``shown``.
    - ``shown``: Sentences with the numbers.
    - ``missing``: Instead of numbers: why our data cannot show the effect, or that there is none.
    """

    numbers: dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")], Quantity] = Field(
        default_factory=dict
    )
    short: NonEmptyText
    shown: NonEmptyText | None = None
    missing: NonEmptyText | None = None

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        measured = {bool(self.numbers), self.shown is not None, self.missing is None}
        if len(measured) > 1:
            raise ValueError("a size must have either numbers and shown, or missing")
        if used := (names_in(self.short) | names_in(self.shown or "")) ^ self.numbers.keys():
            names = ", ".join(sorted(used))
            raise ValueError(
                f"the texts and the numbers must have the same names, but differ in {names}"
            )
        return self


class Erratum(Model):
    """A place where a paper disagrees with itself, its data or its released code.

    - ``where``: In the paper: section, figure, table.
    - ``text``, ``other``: What the text says, and what contradicts it.
    - ``command``: A command that shows it.
    - ``because``: The reason, in a sentence.
    - ``claims``: Numbers of the claims that it concerns.
    """

    paper: Paper
    where: NonEmptyText
    title: NonEmptyText
    text: ErratumForm
    other: ErratumForm
    size: ErratumSize
    command: CommandLine
    certainty: Literal["certain", "likely", "open"]
    because: NonEmptyText
    claims: tuple[ClaimId, ...] = ()

    def numbers(self, sources: ClaimSources) -> dict[str, float]:
        """Return the numbers of the size by name; an error says which one cannot be read."""
        found: dict[str, float] = {}
        for name, quantity in self.size.numbers.items():
            try:
                found[name] = evaluated(quantity, sources, ClaimContext(self.paper)).number()
            except NotMeasuredError as error:
                raise ValueError(
                    f"number {name} needs {error}. Correct the number, or accept the results "
                    "first (receval repo accept --edition full)."
                ) from error
            except ValueError as error:
                raise ValueError(f"number {name}: {error}") from error
        return found

    def size_texts(self, sources: ClaimSources) -> tuple[str, str]:
        """Return the short and the long text of the size, with numbers read from the results."""
        numbers = self.numbers(sources)
        shown = self.size.shown or self.size.missing or ""
        return told(self.size.short, numbers), told(shown, numbers)


def load_errata(path: Path = ERRATA) -> dict[str, Erratum]:
    """Read and check ``config/errata.yaml``; an error has one sentence per problem."""
    try:
        errata = TypeAdapter(dict[ErratumId, Erratum]).validate_python(read_yaml(path))
    except ValidationError as error:
        raise ValueError(joined(f"{path} cannot be used:", sentences(error))) from error
    for before, found in pairwise(errata):
        if found <= before:
            raise ValueError(
                f"{path}: {quoted(found)} comes after {before}, but errata must be numbered in "
                "the order of the file. (The number of a withdrawn erratum is not used again.)"
            )
    return errata


def sizes(errata: Mapping[str, Erratum], sources: ClaimSources) -> dict[str, tuple[str, str]]:
    """Return the short and the long text of the size of each erratum."""
    texts = {}
    for name, erratum in errata.items():
        try:
            texts[name] = erratum.size_texts(sources)
        except ValueError as error:
            raise ValueError(f"{ERRATA}: {name}, {error}") from error
    return texts


# The numbers of all errata as a table, from the results of one run.

COLUMNS = ("erratum", "paper", "certainty", "number", "value", "missing")
"""Columns of ``errata.csv``; docs/claims.md describes them."""


def errata_table(errata: Mapping[str, Erratum], sources: ClaimSources) -> pd.DataFrame:
    """Return the numbers of the sizes of errata, one row per number or per erratum without any.

    A comparison with accepted results then shows which number moved and by how much, which rounded
    texts would hide or exaggerate. A number that cannot be read from these results, because twins
    and runs without some dataset lack rows that errata select, has no value, and ``missing`` says
    why. If the accepted results have the number, this is drift. ``receval repo errata`` requires
    every number.
    """
    rows = [row for name, erratum in errata.items() for row in _rows(name, erratum, sources)]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _rows(name: str, erratum: Erratum, sources: ClaimSources) -> Iterator[tuple[object, ...]]:
    own = (name, erratum.paper, erratum.certainty)
    if not erratum.size.numbers:
        yield (*own, "", np.nan, "")
    for number, quantity in erratum.size.numbers.items():
        yield (*own, number, *_measured(quantity, erratum.paper, sources))


def _measured(quantity: Quantity, paper: str, sources: ClaimSources) -> tuple[float, str]:
    """Return the number and an empty text, or no number and what is missing."""
    try:
        value = evaluated(quantity, sources, ClaimContext(paper)).number()
    except (NotMeasuredError, ValueError) as error:
        return float("nan"), str(error)
    return value, "" if np.isfinite(value) else "the cell is empty"


# ``docs/errata.md``, with the sizes of the effects in the accepted results.

_INTRODUCTION = """\
# Errata

<!-- Generated by `receval repo errata` from results and `config/errata.yaml`; edit that. -->

An *erratum* is a place where a [paper](../README.md#citing)'s text, its figures or tables and its
released code disagree with each other or with the public data, or where the text leaves open what
its figures need (E-05). We could find these only because the authors released data, code and
values, for which we thank them. Most errata are small and change no conclusion.

Each entry has both forms, with the names that receval gives them, and

- **Effect:** its size on our data, MovieLens 1M and CM100k, from the artifact in brackets
  ([how to make one](running.md#making-one-thing-again)). The YAML has a `command` that shows it.
- **Certain**, if anyone can see it in what is printed or released; **likely**, if it is inferred
  from that; **open**, if it is only possible.

E-38 and E-40 to E-43 are about LibRec 2.0.0, which the authors did not write. We read the papers as
plain text: what we say about a figure comes from its caption, the text or released values.

**Please correct us**, by changing `config/errata.yaml`. Corrections by the authors are most
welcome."""

_SHOWN_KINDS = ("metric", "average", "system", "split", "protocol")
"""Kinds of names for readers; columns, settings and functions are only in the YAML."""

_ARTIFACT = re.compile(r"(?:work/full/artifacts|results/full)/(\w+/\w+)\.csv")


def errata_page(config: Path = ERRATA.parent, results: Path = RESULTS) -> str:
    """Return ``docs/errata.md``; an error says which erratum or number cannot be read."""
    errata = load_errata(config / ERRATA.name)
    texts = sizes(errata, ClaimSources.of_folder(results))
    counts = Counter(erratum.certainty for erratum in errata.values())
    counted = ", ".join(f"{counts[word]} {word}" for word in ("certain", "likely", "open"))
    parts = [_INTRODUCTION, f"There are {len(errata)} errata: {counted}."]
    for paper, names in groupby(errata, key=lambda name: errata[name].paper):
        parts.append(f"## {in_prose(paper)}")
        parts += [_section(name, errata[name], texts[name][1]) for name in names]
    return "\n\n".join(parts) + "\n"


def _section(name: str, erratum: Erratum, size: str) -> str:
    one, other = erratum.text.source, erratum.other.source
    artifact = _ARTIFACT.search(erratum.command)
    data = f" (`{artifact[1]}`)" if artifact else ""
    claims = f" ({_claims(erratum.claims)})" if erratum.claims else ""
    lines = [
        _form(one.capitalize(), erratum.text),
        _form("Elsewhere" if one == other else other.capitalize(), erratum.other),
        f"**Effect:** {size}{data}",
        f"**{erratum.certainty.capitalize()}:** {erratum.because}",
    ]
    anchor = f'<a id="{name.lower()}"></a>'
    text = "\n".join(f"- {line}" for line in lines)
    return f"{anchor}\n\n### {name}: {erratum.title}\n\n{erratum.where}{claims}\n\n{text}"


def _claims(claims: Sequence[str]) -> str:
    """Return the numbers of claims, with three or more consecutive ones as a range."""
    rows: list[list[str]] = []
    for claim in claims:
        number = int(claim.rpartition("-")[2])
        if rows and int(rows[-1][-1].rpartition("-")[2]) == number - 1:
            rows[-1].append(claim)
        else:
            rows.append([claim])
    return ", ".join(f"{row[0]} to {row[-1]}" if len(row) > 2 else ", ".join(row) for row in rows)


def _form(whose: str, form: ErratumForm) -> str:
    names = ", ".join(f"`{n.name}`" for n in form.here if n.kind in _SHOWN_KINDS)
    return f"**{whose}:** {form.says}" + (f" ({names})" if names else "")
