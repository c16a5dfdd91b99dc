# SPDX-License-Identifier: MIT
"""Folders in which splits and results are saved: what they hold, and by which version."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from receval.storage.files import DamagedFileError, refusing_damage, sha256_of, write_atomically
from receval.storage.messages import enumerated, quoted, shortened

Loaded = TypeVar("Loaded")

_DIGESTS = "digests"


def write_description(
    folder: Path, kind: str, content: Mapping[str, Any], files: Collection[str]
) -> None:
    """Write ``<kind>.json``, which describes the other files of a saved folder, last of all.

    It holds the version of receval, the content in its order, and digests of the files, so
    that equal contents give equal bytes.
    """
    described = {
        "receval": receval_version(),
        "kind": kind,
        "content": content,
        _DIGESTS: {name: sha256_of(folder / name) for name in sorted(files)},
    }
    text = json.dumps(described, indent=1, ensure_ascii=False, default=_plain)
    write_atomically(folder / f"{kind}.json", text + "\n")


def loaded_fields(folder: Path, kind: str, fields_of: Callable[[dict[str, Any]], Loaded]) -> Loaded:
    """Return what a function makes of the content of ``<kind>.json``.

    The version and all files are checked before: a folder without such content, written by a
    version of receval whose content is another one, or with a damaged file is refused.
    """
    path = folder / f"{kind}.json"
    if not path.is_file():
        raise ValueError(
            f"{quoted(str(folder), 150)} is not a folder with a saved {kind}: it has no "
            f"{path.name}. Name a folder that save() of receval has written."
        )
    with refusing_damage(path):
        described = json.loads(path.read_text(encoding="utf-8"))
        written, content, digests = (described[name] for name in ("receval", "content", _DIGESTS))
        if described["kind"] != kind or not isinstance(content, dict):
            raise ValueError(f"it does not describe a {kind}")
    version = receval_version()
    if str(written).partition(".")[0] != version.partition(".")[0]:
        raise ValueError(
            f"{quoted(str(folder), 150)} was saved by receval {shortened(str(written))}, but this "
            f"is receval {version}, which may read it differently. Install receval "
            f"{str(written).partition('.')[0]}, or save the {kind} again."
        )
    for name, digest in digests.items():
        with refusing_damage(folder / name):
            if sha256_of(folder / name) != digest:
                raise DamagedFileError(folder / name, f"it is not the file of {path.name}")
    try:
        return fields_of(content)
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        # The files are those that were written, so what is missing was not written then.
        if isinstance(error, DamagedFileError) and written == version:
            raise
        lacking = str(error.args[0]) if isinstance(error, KeyError) else str(error)
        is_same = written == version
        by = f"receval {shortened(str(written))}"
        advice = "Save" if is_same else "Install the version that saved it, or save"
        raise ValueError(
            f"{quoted(str(folder), 150)} was saved by {'an earlier state of ' * is_same}{by}, and "
            f"this receval {version} cannot read it: it saves a {kind} in another form "
            f"({shortened(lacking)}). {advice} the {kind} again."
        ) from error


def receval_version() -> str:
    """Return the version of receval, which jobs of workflows must not depend on."""
    return str(import_module("receval").__version__)


def refuse_other_files(folder: Path, kind: str, own: Collection[str]) -> None:
    """Refuse to save into a folder that has files of others, and make it if it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    others = sorted({path.name for path in folder.iterdir()} - {*own, f"{kind}.json"})
    if others:
        raise ValueError(
            f"{quoted(str(folder), 150)} has files that are not of a saved {kind}: "
            f"{enumerated(others, 60)}. Choose a new or an empty folder."
        )


def as_tuples(value: Any) -> Any:
    """Return a value from JSON with tuples instead of lists.

    Examples
    --------
    >>> as_tuples({"shares": [0.5, 0.8], "kind": "user-ratio"})
    {'shares': (0.5, 0.8), 'kind': 'user-ratio'}
    """
    if isinstance(value, dict):
        return {name: as_tuples(own) for name, own in value.items()}
    return tuple(map(as_tuples, value)) if isinstance(value, list) else value


def _plain(value: Any) -> Any:
    """Return a value that JSON does not know as one that it knows."""
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        return value.item()
    if isinstance(value, set | frozenset):
        return sorted(value)
    return value.tolist() if hasattr(value, "tolist") else str(value)
