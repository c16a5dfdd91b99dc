# SPDX-License-Identifier: MIT
"""Whether prepared datasets are as they were recorded when they were prepared."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from receval.data.ratings import TABLE_FILES
from receval.storage.files import (
    DamagedFileError,
    how_to_make_again,
    refusing_damage,
    sha256_of,
)
from receval.storage.messages import shortened
from reproduction.datasets.prepare import PREPARED_FILES, SUMMARY_FILE


def read_summary(path: Path) -> dict[str, Any]:
    """Return the summary of a prepared dataset."""
    with refusing_damage(path):
        summary: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(summary, dict) or "prepared_files" not in summary:
            raise ValueError("it does not record the prepared files")
    return summary


def is_prepared(folder: Path) -> bool:
    """Return whether a folder has any file of a prepared dataset."""
    return any((folder / name).is_file() for name in PREPARED_FILES)


def not_as_recorded(folder: Path) -> list[str]:
    """Return one sentence for each file of a prepared dataset that is not as recorded."""
    summary = folder / SUMMARY_FILE
    again = how_to_make_again(folder / TABLE_FILES[0])
    try:
        rows = read_summary(summary)["prepared_files"]
        with refusing_damage(summary):
            recorded = {row["name"]: row["sha256"] for row in rows}
    except DamagedFileError as error:
        return [str(error)]
    problems = []
    for name in TABLE_FILES:
        path = folder / name
        try:
            found = sha256_of(path)
        except FileNotFoundError:
            problems.append(f"{path} is missing. {again}")
        except OSError as error:
            problems.append(f"{path} cannot be read ({shortened(str(error), 100)}). {again}")
        else:
            if found != recorded.get(name):
                problems.append(
                    f"{path} is not as recorded in {summary.name}: its SHA-256 is {found}, not "
                    f"{shortened(str(recorded.get(name)), 64)}. {again}"
                )
    return problems


def verification(folder: Path, datasets: Iterable[str]) -> tuple[list[str], bool]:
    """Verify all prepared datasets of an edition.

    Returns
    -------
    tuple of (list of str, bool)
        Lines that say of each dataset whether it is as recorded, and whether all are.
    """
    lines: list[str] = []
    sound = True
    n_prepared = 0
    for dataset in datasets:
        if not is_prepared(folder / dataset):
            lines.append(f"{dataset}: not prepared.")
            continue
        n_prepared += 1
        problems = not_as_recorded(folder / dataset)
        sound = sound and not problems
        lines += [f"{dataset}: {problem}" for problem in problems]
        if not problems:
            lines.append(f"{dataset}: as recorded.")
    if not n_prepared:
        raise ValueError(
            f"No dataset is prepared in {folder}: there is nothing to verify. Run the workflow "
            f"first: snakemake --cores all --config edition={folder.name}."
        )
    return lines, sound
