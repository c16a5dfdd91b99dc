# SPDX-License-Identifier: MIT
"""What killed runs and jobs leave behind: files and folders that were being written."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_BEING_WRITTEN = re.compile(r"(models|\..*)?\.[0-9a-f]+\.part")
"""Names under which results are written until they are whole
(:func:`receval.storage.files.being_written`)."""


def remove_leftovers(folder: Path) -> list[Path]:
    """Remove what was half written when a run was killed; call it while no run is alive.

    Parameters
    ----------
    folder : Path
        Of an edition, of raw files or of accepted results. Parts of downloads have other names, and
        go on where they ended.
    """
    removed = []
    for parent, folders, files in os.walk(folder):
        left = [name for name in folders if _BEING_WRITTEN.fullmatch(name)]
        for name in left:
            shutil.rmtree(Path(parent, name), ignore_errors=True)
            folders.remove(name)
        left_files = [Path(parent, name) for name in files if _BEING_WRITTEN.fullmatch(name)]
        remove_files(left_files)
        removed += [*(Path(parent, name) for name in left), *left_files]
    return removed


def date_back(folder: Path, now: float) -> list[Path]:
    """Give files that came from the future the date of now; call it while no run is alive.

    Snakemake fails, and removes, whatever is made from such a file: it is older. All of them get
    one date, so that what was made from each other stays as it is.
    """
    dated = []
    for parent, folders, files in os.walk(folder):
        if Path(parent) == folder and "raw" in folders:
            folders.remove("raw")
        for path in (Path(parent, name) for name in files):
            # What cannot be dated is Snakemake's to speak of.
            with suppress(OSError):
                if path.lstat().st_mtime > now:
                    os.utime(path, (now, now), follow_symlinks=False)
                    dated.append(path)
    return sorted(dated)


def remove_parts_of(targets: Iterable[Path]) -> None:
    """Remove what was half written of some files and folders; call it before they are made.

    On a cluster an attempt may have been killed in this very run, by the time limit or with its
    node. Nobody else writes these files: Snakemake has locked them.
    """
    for parent, names in _by_folder(targets).items():
        if not parent.is_dir():
            continue
        any_of_them = "|".join(map(re.escape, names))
        # A prepared dataset is a folder without a name of its own until it is whole.
        own = re.compile(rf"(\.?(?:{any_of_them}))?\.[0-9a-f]+\.part")
        for path in parent.iterdir():
            if own.fullmatch(path.name):
                if path.is_dir():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    remove_files([path])


def _by_folder(targets: Iterable[Path]) -> dict[Path, list[str]]:
    folders: dict[Path, list[str]] = {}
    for target in targets:
        folders.setdefault(target.parent, []).append(target.name)
    return folders


def remove_files(paths: Iterable[Path]) -> None:
    """Remove files that nobody needs; one that cannot be removed stays, and does no harm."""
    for path in paths:
        # A process that is about to end may still remove its own.
        with suppress(OSError):
            path.unlink()
