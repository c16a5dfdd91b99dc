# SPDX-License-Identifier: MIT
"""Files under the names by which rules declare them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from receval.data.ratings import TABLE_FILES
from reproduction.experiments.experiment import InputFiles


def table_in(folder: Path) -> tuple[Path, ...]:
    """Return the files of a prepared dataset's table, whether or not they are there."""
    return tuple(folder / name for name in TABLE_FILES)


def files_in(folder: Path, **elsewhere: Iterable[Path]) -> InputFiles:
    """Return the inputs of a job that may read all that lies in an edition's folder.

    The folder is laid out as the workflow does; what else there is to read has the names of the
    attributes.
    """
    datasets = sorted(path.parent for path in folder.glob(f"*/{TABLE_FILES[0]}"))
    return InputFiles(
        ratings=[file for dataset in datasets for file in table_in(dataset)],
        raw_files=sorted(folder.glob("*/raw.json")),
        splits=sorted(folder.glob("*/*/split.npz")),
        ranks=sorted(folder.glob("*/*/*/ranks.npz")),
        models=sorted(folder.glob("*/*/*/models")),
        **{kind: tuple(paths) for kind, paths in elsewhere.items()},
    )


def declared(inputs: Mapping[str, Iterable[str]]) -> dict[str, tuple[Path, ...]]:
    """Return what a plan says of a rule's inputs as the job gets it."""
    return {kind: tuple(map(Path, paths)) for kind, paths in inputs.items()}
