# SPDX-License-Identifier: MIT
"""The paper as a PDF: typst on a folder that holds what the text may read, and no more."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

CONTENTS = "contents.json"
FIGURES = "figures"
_TIMESTAMP = 0
"""Nothing in the file tells when it was made."""


def typeset(
    text: Sequence[Path], contents: Mapping[str, Any], figures: Mapping[str, Path]
) -> bytes:
    """Return the PDF of a text.

    Raises
    ------
    ValueError
        The text cannot be compiled, or typst has something to say of it: what, and where.
    """
    try:
        import typst
    except ModuleNotFoundError as error:
        raise ValueError(
            "The paper is set by typst, which is not installed: install the environment of the "
            'repository (requirements.lock), or pip install "receval[workflow]".'
        ) from error
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in text:
            (folder / path.name).write_bytes(path.read_bytes())
        (folder / FIGURES).mkdir()
        for figure, path in figures.items():
            (folder / FIGURES / f"{figure}.pdf").write_bytes(path.read_bytes())
        (folder / CONTENTS).write_text(json.dumps(contents), encoding="utf-8")
        try:
            pdf, warnings = typst.compile_with_warnings(
                folder / text[0].name,
                root=folder,
                ignore_system_fonts=True,
                format="pdf",
                timestamp=_TIMESTAMP,
            )
        except typst.TypstError as error:
            said = f"{error.message} {' '.join(error.hints)} {' '.join(error.trace)}"
            raise ValueError(f"{text[0]} cannot be set: {_brief(said, folder)}") from error
        if warnings:
            said = " ".join(f"{warning.message}" for warning in warnings)
            raise ValueError(f"{text[0]} is not set as it should be: {_brief(said, folder)}")
    return bytes(pdf)


def _brief(said: str, folder: Path) -> str:
    """Return what typst says without the folder in which it worked."""
    return " ".join(said.replace(str(folder), "").split())
