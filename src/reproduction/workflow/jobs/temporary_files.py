# SPDX-License-Identifier: MIT
"""Remove the unfinished files and folders that killed runs and jobs leave behind."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_BEING_WRITTEN = re.compile(r"(models|\..*)?\.[0-9a-f]+\.part")
"""Names of unfinished results
(:func:`receval.storage.files.being_written`)."""


def remove_leftovers(folder: Path) -> list[Path]:
    """Remove the unfinished files of killed runs; call it while no run is active.

    Parameters
    ----------
    folder : Path
        Of an edition, of raw files or of accepted results. Partial downloads have other names and
        are kept, to be continued.
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
    """Set the dates of files that are in the future to now; call it while no run is active.

    Otherwise Snakemake would reject everything made from such a file as older than its input, and
    remove it. All of them get the same date, so that files made from each other stay valid.
    """
    dated = []
    for parent, folders, files in os.walk(folder):
        if Path(parent) == folder and "raw" in folders:
            folders.remove("raw")
        for path in (Path(parent, name) for name in files):
            # Snakemake reports files whose date cannot be set.
            with suppress(OSError):
                if path.lstat().st_mtime > now:
                    os.utime(path, (now, now), follow_symlinks=False)
                    dated.append(path)
    return sorted(dated)


def remove_parts_of(targets: Iterable[Path]) -> None:
    """Remove unfinished versions of some files and folders; call it before they are made.

    On a cluster, the time limit or the failure of a node may have killed an earlier attempt in this
    run. Snakemake has locked these files, so no other process writes them.
    """
    for parent, names in _by_folder(targets).items():
        if not parent.is_dir():
            continue
        any_of_them = "|".join(map(re.escape, names))
        # A prepared dataset is a folder without its own name until it is complete.
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
    """Remove files that are not needed; a file that cannot be removed does no harm."""
    for path in paths:
        # A process that is ending may remove its own files.
        with suppress(OSError):
            path.unlink()
