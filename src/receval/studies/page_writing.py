"""Writing a page of text from its CSV alone."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from receval.figures.html_page import as_html_page
from receval.provenance.atomic import write_atomically
from receval.studies.look import Look
from receval.studies.numbers import read_numbers


def write_page(
    *,
    study: str,
    artifact: str,
    numbers: Path,
    look: Mapping[str, Any],
    page: Path,
    shown: Path | None = None,
) -> None:
    """Write a page as Markdown, and for browsers.

    Parameters
    ----------
    study, artifact : str
        The module ``receval.studies.<study>.<artifact>`` with its ``write``.
    numbers : Path
        The artifact's CSV.
    look : mapping
        From :meth:`receval.plan.Plan.look`.
    page : Path
        Target.
    shown : Path, optional
        Target of a page that Snakemake's report shows.
    """
    module = import_module(f"receval.studies.{study}.{artifact}")
    text: str = module.write(read_numbers(numbers), Look.of(look))
    write_atomically(page, text.encode())
    if shown is not None:
        write_atomically(shown, as_html_page(text, str(look["title"])))
