"""Computing the numbers of an artifact into its tidy CSV."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from receval.studies.inputs import ArtifactInputs
from receval.studies.numbers import write_numbers


def compute_artifact(
    study: str, artifact: str, folder: Path, description: Mapping[str, Any], target: Path
) -> None:
    """Call an artifact's ``data`` and write what it returns.

    Parameters
    ----------
    study, artifact : str
        The module ``receval.studies.<study>.<artifact>``.
    folder : Path
        The working folder of the edition.
    description : mapping
        From :meth:`receval.plan.Plan.description`.
    target : Path
        The CSV: one row an observation, numbers with ten significant digits.
    """
    module = import_module(f"receval.studies.{study}.{artifact}")
    numbers: pd.DataFrame = module.data(ArtifactInputs.of(folder, description))
    if numbers.empty:
        raise ValueError(f"{study}/{artifact} has no rows: there is nothing to show.")
    write_numbers(numbers, target)
