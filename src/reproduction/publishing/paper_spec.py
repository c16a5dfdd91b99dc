# SPDX-License-Identifier: MIT
"""Model of ``paper/numbers.yaml``: named numbers, and the claims and errata to list."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, ValidationError, model_validator

from receval.spec_types import ClaimId, Model, NonEmptyText
from receval.storage.messages import joined
from reproduction.claims.errata import ErratumId
from reproduction.claims.quantities import Quantity
from reproduction.config.reading import read_yaml, sentences

NumberName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$")]
"""Name of a number in the text."""

ANY = "any"
"""The study of a number that does not name one."""

Form = Annotated[str, Field(pattern=r"^(words|,?\.[0-9]f|\+\.[0-9]f|\.[0-9]%|p|text)$")]


class PaperNumber(Model):
    """The source of a number in the text: one of the first two keys.

    Attributes
    ----------
    quantity : Quantity, optional
        Cells of results, or computations on them, written as in claims. Besides artifacts there are
        the tables ``ledger/verdicts`` (one row per claim and dataset), ``ledger/claims`` (one row
        per claim), ``ledger/forms`` (decided rows of other forms, ``same`` or not as the claim's
        ``own``), ``ledger/tolerances`` (numbers with a tolerance, and whether ours are within it),
        ``ledger/causes``, ``ledger/errata`` and ``plan/counts``.
    document : str, optional
        A document of the repository in which the number is written.
    pattern : str, optional
        Its only occurrence: a regular expression whose only group is the number.
    study : str
        The default study for settings and artifacts.
    dataset : str, optional
        Only rows of this dataset.
    shown : str
        A format: ``.3f``, ``,.0f``, ``.1%``, ``+.2f``; ``p`` for a p-value with its sign; ``words``
        for a small whole number in words; ``text`` as written in the document.
    on_twins : bool
        Whether synthetic twins can give it, too; if not, the text says so.
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
            raise ValueError("a number has a quantity, or a document and a pattern")
        if (self.document is None) != (self.pattern is None):
            raise ValueError("document and pattern belong together")
        return self


class ListedErratum(Model):
    """An erratum for the paper's table.

    Attributes
    ----------
    erratum : str
    on_twins : bool
        Whether synthetic twins can give its size, too.
    """

    erratum: ErratumId
    on_twins: bool = True


class Cause(Model):
    """A cause, in our judgement, why some claims do not hold.

    Attributes
    ----------
    cause : str
        A few words.
    claims : tuple of str
    """

    cause: NonEmptyText
    claims: tuple[ClaimId, ...]


class PaperSpec(Model):
    """The names that the text of the paper uses.

    Attributes
    ----------
    numbers : dict of str to PaperNumber
    tables : dict of str to tuple of str
        Claims to list beside their verdicts, by the name of the table.
    causes : tuple of Cause
        Causes why claims do not hold, or only in part.
    errata : tuple of ListedErratum
    replications : dict of str to PaperNumber
        Numbers that are read only if there are replications, from the table ``ledger/certainty``,
        which besides its own columns has those of
        :func:`reproduction.publishing.claim_counts.with_outcomes`.
    crossed : dict of str to PaperNumber
        Numbers that are read only if there are runs of the crossed design, from the table
        ``ledger/variance``.
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
                f"two of numbers, replications and crossed have {', '.join(twice)}: rename one"
            )
        return self


def read_paper_spec(path: Path) -> PaperSpec:
    """Read and check ``paper/numbers.yaml``.

    Raises
    ------
    ValueError
        It cannot be read; the message has one sentence per problem, with the key.
    """
    try:
        return PaperSpec.model_validate(read_yaml(path))
    except ValidationError as error:
        raise ValueError(joined(f"{path} cannot be used:", sentences(error))) from error
