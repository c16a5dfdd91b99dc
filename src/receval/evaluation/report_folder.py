# SPDX-License-Identifier: MIT
"""The folder of a report: what receval wrote there is replaced whole, and what others wrote stays.

The settings of a report hold the SHA-256 of each of its files, and of what they say themselves. By
these an earlier report is known: of a list of names, as any program may write one, nobody knows
whose they are.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from glob import escape
from pathlib import Path
from typing import Any

from receval.storage.files import replacing, sha256_of
from receval.storage.messages import enumerated, quoted

SETTINGS = "settings.json"
FILES = "files"

_WRITTEN = (".csv", ".html", ".md", ".svg", ".tex")


def settings_text(settings: Mapping[str, Any], digests: Mapping[str, str]) -> str:
    """Return the text of the settings of a report with the digests by which it is known.

    Parameters
    ----------
    digests : mapping of str to str
        SHA-256 of the report's other files, by their names.
    """
    whole = {**settings, FILES: dict(digests)}
    signed = {**digests, SETTINGS: _digest(json.loads(json.dumps(whole)))}
    whole[FILES] = dict(sorted(signed.items()))
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def files_of_report(folder: Path) -> dict[str, str]:
    """Return the files of the report that was last written into a folder, with their SHA-256.

    There are none where the settings are of somebody else, or have been changed since.
    """
    try:
        settings = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
        own = settings[FILES].pop(SETTINGS)
        files = {str(name): str(digest) for name, digest in settings[FILES].items()}
        if own != _digest(settings):
            return {}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}
    # No name leads out of the folder, whoever wrote the settings.
    return {
        name: digest
        for name, digest in files.items()
        if Path(name).name == name and name.endswith(_WRITTEN)
    }


def refuse_files_of_others(folder: Path) -> None:
    """Refuse to write into a folder with files that no report has, or that have been changed.

    A folder that has a report may have further files: they stay. Hidden files do not count.
    """
    if not folder.is_dir():
        return
    earlier = files_of_report(folder)
    if earlier:
        others = [
            name
            for name, digest in earlier.items()
            if not (_is_as_written(folder / name, digest) or _left_over(folder / name, digest))
        ]
    else:
        others = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
    _refuse(folder, others)


@contextmanager
def replacing_report(
    folder: Path, *, force: bool = False, inputs: Collection[Path] = ()
) -> Iterator[Callable[[str], Path]]:
    """Give what names a temporary file for each file of a report.

    All of them take their places when the ``with`` block has ended. Whatever goes wrong before, as
    on a full disk, leaves the earlier report as it was.

    Parameters
    ----------
    force : bool
        Whether to write over files that receval did not write.

    Yields
    ------
    callable
        Takes the name of a file of the report.

    Raises
    ------
    ValueError
        The folder has files of others (:func:`refuse_files_of_others`), or one has the name of a
        file of the report.
    """
    if not force:
        refuse_files_of_others(folder)
    earlier = files_of_report(folder)
    own = {*earlier, SETTINGS} if earlier else set()
    read = {path.resolve() for path in inputs}
    names: list[str] = []
    with ExitStack() as all_files:

        def beside(name: str) -> Path:
            target = folder / name
            if target.resolve() in read:
                raise ValueError(
                    f"{quoted(str(target), 150)} is read by this command, which would write over "
                    "it: name another folder with --out."
                )
            if target.is_dir():
                raise ValueError(
                    f"{quoted(str(target), 150)} is a folder where the report has a file: name "
                    "another folder with --out."
                )
            if not force and name not in own and (target.exists() or target.is_symlink()):
                _refuse(folder, [name])
            names.append(name)
            return all_files.enter_context(replacing(target))

        yield beside
        gone = [
            folder / name
            for name, digest in earlier.items()
            if name not in names and _is_as_written(folder / name, digest)
        ]
    for path in gone:
        path.unlink(missing_ok=True)
    for name, digest in earlier.items():
        for path in _left_over(folder / name, digest):
            path.unlink(missing_ok=True)


def _refuse(folder: Path, names: Sequence[str]) -> None:
    if names:
        raise ValueError(
            f"{quoted(str(folder), 150)} has {enumerated(names)}, which receval did not write, or "
            "which somebody has changed: name another folder with --out, or write there all the "
            "same with --force. Files with other names than those of the report stay."
        )


def _is_as_written(path: Path, digest: str) -> bool:
    """Tell whether a file is as a report was written; one that is gone is nobody else's."""
    if path.is_symlink() or path.is_dir():
        return False
    return not path.exists() or sha256_of(path) == digest


def _left_over(path: Path, digest: str) -> list[Path]:
    """Return what a killed process was about to put in the place of a file of its report.

    Settings take their place first, so that they tell of files that are not there as yet.
    """
    return [
        part
        for part in path.parent.glob(f".{escape(path.name)}.*.part")
        if part.is_file() and not part.is_symlink() and sha256_of(part) == digest
    ]


def _digest(settings: object) -> str:
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()
