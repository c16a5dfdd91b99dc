"""Writing a table from its CSV alone."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from receval.figures.tables import save_table
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
) -> None:
    """Write a table as Markdown and TeX.

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
    """
    module = import_module(f"receval.studies.{study}.{artifact}")
    save_table(module.tabulate(read_numbers(numbers), Look.of(look)), markdown, latex)
