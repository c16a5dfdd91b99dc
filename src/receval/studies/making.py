"""Computing the numbers of an artifact into its tidy CSV."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from receval.studies.input_files import InputFiles
from receval.studies.inputs import ArtifactInputs
from receval.studies.numbers import write_numbers


def compute_artifact(
    *,
    study: str,
    artifact: str,
    description: Mapping[str, Any],
    numbers: Path,
    **inputs: Sequence[Path],
) -> None:
    """Call an artifact's ``data`` and write what it returns.

    Parameters
    ----------
    study, artifact : str
        The module ``receval.studies.<study>.<artifact>``.
    description : mapping
        From :meth:`receval.plan.Plan.description`.
    numbers : Path
        The CSV to write: one row an observation, numbers with ten significant digits.
    **inputs : sequence of Path
        The attributes of :class:`receval.studies.input_files.InputFiles`: all files that may be
        read.

    Raises
    ------
    ValueError
        There are no rows, or the artifact reads what is not among its inputs.
    """
    module = import_module(f"receval.studies.{study}.{artifact}")
    table: pd.DataFrame = module.data(ArtifactInputs.of(InputFiles(**inputs), description))
    if table.empty:
        raise ValueError(f"{study}/{artifact} has no rows: there is nothing to show.")
    write_numbers(table, numbers)
