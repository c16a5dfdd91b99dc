# SPDX-License-Identifier: MIT
"""Save the result of an evaluation in a folder, and load it again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from receval.data.reading import loaded_report, saved_report
from receval.evaluation.by_user import ValuesByUser
from receval.evaluation.repeated_calls import command_settings
from receval.notes import Note
from receval.storage.archives import Archive, write_archive
from receval.storage.files import write_atomically
from receval.storage.saved_folders import (
    read_description,
    refuse_other_files,
    write_description,
)

VALUES_FILE = "values.npz"
SETTINGS_FILE = "settings.json"

SAVED = (
    "systems", "metrics", "values", "user_ids", "settings", "notes", "words", "reading",
    "less_is_better",
)  # fmt: skip
"""The fields of a result that are saved; all others must have a default."""

_PARTS = ("sums", "weights", "users")


def save_result(own: Mapping[str, Any], folder: Path) -> None:
    """Write the fields of a result, by name, into a folder; equal results give equal bytes."""
    refuse_other_files(folder, "result", [VALUES_FILE, SETTINGS_FILE])
    arrays: dict[str, Any] = {"user_ids": own["user_ids"]}
    for number, values in enumerate(own["values"].values()):
        arrays |= {f"{part}{number}": getattr(values, part) for part in _PARTS}
    write_archive(folder / VALUES_FILE, arrays)
    settings = command_settings(own["settings"], own["reading"])
    if settings is None:
        (folder / SETTINGS_FILE).unlink(missing_ok=True)
    else:
        text = json.dumps(settings, indent=2, ensure_ascii=False)
        write_atomically(folder / SETTINGS_FILE, text + "\n")
    content = {
        "systems": own["systems"],
        "metrics": own["metrics"],
        "protocols": list(own["values"]),
        "settings": own["settings"],
        "notes": [(note.code, str(note)) for note in own["notes"]],
        "words": own["words"],
        "reading": [saved_report(report) for report in own["reading"]],
        "less_is_better": own["less_is_better"],
    }
    write_description(folder, "result", content, [VALUES_FILE])


def loaded_result_fields(folder: Path) -> dict[str, Any]:
    """Return the fields of a result that :func:`save_result` wrote, by name."""
    content = read_description(folder, "result")
    with Archive(folder / VALUES_FILE) as archive:
        user_ids = archive.array("user_ids", str, (None,))
        values = {
            protocol: ValuesByUser(
                sums=archive.array(f"sums{number}", np.float64, (None, None, None)),
                weights=archive.array(f"weights{number}", np.float64, (None,)),
                users=archive.array(f"users{number}", np.int64, (None,)),
            )
            for number, protocol in enumerate(content["protocols"])
        }
    return {
        "systems": tuple(content["systems"]),
        "metrics": tuple(content["metrics"]),
        "values": values,
        "user_ids": user_ids,
        "settings": content["settings"],
        "notes": tuple(Note(*own) for own in content["notes"]),
        "words": tuple(content["words"]),
        "reading": tuple(loaded_report(own) for own in content["reading"]),
        "less_is_better": frozenset(content["less_is_better"]),
    }
