"""Drawing an artifact from its CSV alone."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from receval.studies.look import Look


def read_numbers(path: Path) -> pd.DataFrame:
    """Read an artifact's CSV; empty cells stay empty text."""
    return pd.read_csv(path, keep_default_na=False, na_values=["nan"])


def draw_figure(
    study: str, artifact: str, numbers: Path, look: Mapping[str, Any], svg: Path, pdf: Path
) -> None:
    """Draw a figure as SVG and PDF, byte-stable.

    Parameters
    ----------
    study, artifact : str
        The module ``receval.studies.<study>.<artifact>`` with its ``draw``.
    numbers : Path
        The artifact's CSV.
    look : mapping
        From :meth:`receval.plan.Plan.look`.
    svg, pdf : Path
        Targets.
    """
    from receval.figures.save import save_figure
    from receval.figures.style import figure_style

    module = import_module(f"receval.studies.{study}.{artifact}")
    with figure_style():
        save_figure(module.draw(read_numbers(numbers), Look.of(look)), svg, pdf)


def write_table(
    study: str, artifact: str, numbers: Path, look: Mapping[str, Any], markdown: Path, latex: Path
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
    from receval.figures.tables import save_table

    module = import_module(f"receval.studies.{study}.{artifact}")
    save_table(module.tabulate(read_numbers(numbers), Look.of(look)), markdown, latex)
