# SPDX-License-Identifier: MIT
"""Write the paper of an edition, with numbers from the results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path


def build_paper(
    *,
    text: Sequence[Path],
    numbers: Path,
    ledger: Path,
    results: Sequence[Path],
    records: Sequence[Path],
    errata: Path,
    documents: Sequence[Path],
    figures: Sequence[Path],
    certainty: Sequence[Path],
    variance: Sequence[Path],
    names_of_figures: Sequence[str],
    counts: Mapping[str, int],
    synthetic: bool,
    pdf: Path,
    table: Path,
    contents: Path,
    configuration: Sequence[Path] = (),
) -> None:
    """Write the paper of an edition.

    Parameters
    ----------
    pdf, table, contents : Path
        The files to write: the paper, its numbers as CSV, and all data that its text reads as JSON.

    Raises
    ------
    ValueError
        A number of the text cannot be read, or the text cannot be set; the message says which.
    """
    from receval.storage.files import write_atomically, write_results
    from reproduction.publishing.paper import (
        PaperInputs,
        paper_numbers,
        read_paper_spec,
        table_of_numbers,
        typeset,
    )
    from reproduction.workflow.provenance.versions import write_json

    found = paper_numbers(
        read_paper_spec(numbers),
        PaperInputs(
            ledger=ledger,
            results=results,
            records=records,
            errata=errata,
            documents=documents,
            certainty=next(iter(certainty), None),
            variance=next(iter(variance), None),
            counts=counts,
            figures=names_of_figures,
            synthetic=synthetic,
        ),
    )
    drawn = dict(zip(names_of_figures, figures, strict=True))
    pages = typeset(text, found, drawn)
    write_json(contents, found)
    write_results(table_of_numbers(found), table)
    write_atomically(pdf, pages)
