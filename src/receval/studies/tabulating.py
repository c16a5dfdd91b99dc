"""Writing a table from its CSV alone."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from receval.figures.html_page import as_html_page
from receval.figures.tables import Table, save_table, to_markdown
from receval.provenance.atomic import write_atomically
from receval.studies.artifact_names import heading
from receval.studies.look import Look
from receval.studies.numbers import read_numbers


def write_table(
    *,
    study: str,
    artifact: str,
    numbers: Path,
    look: Mapping[str, Any],
    markdown: Path,
    latex: Path,
    shown: Path | None = None,
) -> None:
    """Write a table as Markdown and TeX, and for browsers.

    Parameters
    ----------
    study, artifact : str
        The module ``receval.studies.<study>.<artifact>`` with its ``tabulate``.
    numbers : Path
        The artifact's CSV.
    look : mapping
        From :meth:`receval.plan.Plan.look`.
    markdown, latex : Path
        Targets.
    shown : Path, optional
        Target of a page that Snakemake's report shows.
    """
    module = import_module(f"receval.studies.{study}.{artifact}")
    table: Table = module.tabulate(read_numbers(numbers), Look.of(look))
    save_table(table, markdown, latex)
    if shown is not None:
        write_atomically(shown, as_html_page(to_markdown(table), heading(artifact, table.title)))
