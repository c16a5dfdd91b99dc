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
"""Names of unfinished results (:func:`receval.storage.files.being_written`)."""


def remove_temporary_files(folder: Path) -> list[Path]:
    """Remove the unfinished files of killed runs; call it while no run is active.

    The folder is that of an edition, of raw files or of accepted results. Partial downloads have
    other names and are kept, to be continued.
    """
    removed = []
    for parent, folders, files in os.walk(folder):
        left = [name for name in (*folders, *files) if _BEING_WRITTEN.fullmatch(name)]
        folders[:] = [name for name in folders if name not in left]
        removed += remove_all(Path(parent, name) for name in left)
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
    folders: dict[Path, list[str]] = {}
    for target in targets:
        folders.setdefault(target.parent, []).append(re.escape(target.name))
    for parent, names in folders.items():
        if not parent.is_dir():
            continue
        # A prepared dataset is a folder without its own name until it is complete.
        own = re.compile(rf"(\.?(?:{'|'.join(names)}))?\.[0-9a-f]+\.part")
        remove_all(path for path in parent.iterdir() if own.fullmatch(path.name))


def remove_all(paths: Iterable[Path]) -> list[Path]:
    """Remove files and folders that are not needed; what cannot be removed does no harm."""
    removed = list(paths)
    for path in removed:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            # A process that is ending may remove its own files.
            with suppress(OSError):
                path.unlink()
    return removed
