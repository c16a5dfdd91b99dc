"""Drawing a figure from its CSV alone."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from receval.figures.save import save_figure
from receval.figures.style import figure_style
from receval.garbage import collection_put_off
from receval.studies.look import Look
from receval.studies.numbers import read_numbers


def draw_figure(
    *, study: str, artifact: str, numbers: Path, look: Mapping[str, Any], svg: Path, pdf: Path
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
    module = import_module(f"receval.studies.{study}.{artifact}")
    with collection_put_off(), figure_style():
        save_figure(module.draw(read_numbers(numbers), Look.of(look)), svg, pdf)
