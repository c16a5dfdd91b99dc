# SPDX-License-Identifier: MIT
"""Save a split with its ratings in a folder, and load it again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from receval.data.ratings import TABLE_FILES, Ratings
from receval.data.reading import loaded_report, saved_report
from receval.notes import Note
from receval.splits.split import Metadatum, Split
from receval.storage.archives import Archive, write_archive
from receval.storage.saved_folders import (
    as_tuples,
    read_description,
    refuse_other_files,
    write_description,
)

SPLIT_FILE = "split.npz"
VALUES_FILE = "all_values.npz"
FILES = (*TABLE_FILES, SPLIT_FILE, VALUES_FILE)
"""The files of a saved split besides its description, ``split.json``."""


def save_split(own: Mapping[str, Any], folder: Path) -> None:
    """Write the fields of a split, by name, into a folder; equal splits give equal bytes."""
    refuse_other_files(folder, "split", FILES)
    own["ratings"].write(folder)
    own["parts"].write(folder / SPLIT_FILE)
    has_values = own["all_values"] is not None and own["all_values"] is not own["ratings"].values
    if has_values:
        write_archive(folder / VALUES_FILE, {"values": np.asarray(own["all_values"])})
    else:
        (folder / VALUES_FILE).unlink(missing_ok=True)
    content = {
        "description": own["description"],
        "seed": own["seed"],
        "parameters": own["parameters"],
        "notes": [(note.code, str(note)) for note in own["notes"]],
        "reading": None if own["reading"] is None else saved_report(own["reading"]),
        "other_reading": [saved_report(report) for report in own["other_reading"]],
        "has_values": has_values,
    }
    files = [name for name in FILES if has_values or name != VALUES_FILE]
    write_description(folder, "split", content, files)


def _tuples_of(
    metadata: Mapping[str, Metadatum], parameters: Mapping[str, Any]
) -> dict[str, Metadatum]:
    """Return the metadata that are among the parameters, whose tuples JSON made lists."""
    return {name: own for name, own in metadata.items() if name in parameters}


def loaded_split_fields(folder: Path) -> dict[str, Any]:
    """Return the fields of a split that :func:`save_split` wrote, by name."""
    content = read_description(folder, "split")
    ratings = Ratings.read(folder)
    all_values = ratings.values
    if content["has_values"]:
        with Archive(folder / VALUES_FILE) as archive:
            all_values = archive.array("values")
    parts = Split.read(folder / SPLIT_FILE)
    return {
        "ratings": ratings,
        "parts": Split(tuple(parts.codes), parts.metadata),
        "description": as_tuples(content["description"]),
        "seed": content["seed"],
        "parameters": {
            **content["parameters"],
            **_tuples_of(parts.metadata, content["parameters"]),
        },
        "reading": None if content["reading"] is None else loaded_report(content["reading"]),
        "notes": tuple(Note(*own) for own in content["notes"]),
        "all_values": all_values,
        "other_reading": tuple(loaded_report(own) for own in content["other_reading"]),
    }
