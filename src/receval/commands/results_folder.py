# SPDX-License-Identifier: MIT
"""The folder that a command writes: tables, figure, page, and the settings that make it again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from receval import __version__
from receval.comparison.result import EvaluationResult
from receval.figures.latex_tables import save_table
from receval.storage.files import write_atomically, write_results

SETTINGS = "settings.json"
NAMES = ("averages", "pairs")


def write_folder(
    result: EvaluationResult, folder: Path, title: str, command: Mapping[str, Any]
) -> list[Path]:
    """Write all of a result into a folder.

    Parameters
    ----------
    result : EvaluationResult
    folder : Path
        Made where it is missing; files of other names stay.
    title : str
        Of the page.
    command : mapping
        How the command was given (:func:`receval.commands.saved_arguments.kept_arguments`).

    Returns
    -------
    list of Path
        What was written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = [folder / "averages.csv", folder / "per_user.csv"]
    write_results(result.summary(), written[0])
    write_results(result.per_user(), written[1])
    if len(result.systems) > 1:
        written += [folder / "pairs.csv", folder / "groups.csv"]
        write_results(result.compare(), written[2])
        write_results(result.groups(), written[3])
    for name, table in zip(NAMES, result.tables(), strict=False):
        both = folder / f"{name}.md", folder / f"{name}.tex"
        save_table(table, *both)
        written += both
    result.plot(folder / "averages.svg")
    result.report(folder / "report.html", title=title)
    settings = {"receval": __version__, **command, "result": result.settings}
    text = json.dumps(settings, indent=2, ensure_ascii=False)
    write_atomically(folder / SETTINGS, text + "\n")
    return [*written, folder / "averages.svg", folder / "report.html", folder / SETTINGS]
