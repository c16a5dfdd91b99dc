"""Telling the locks of a running workflow from those that a killed one left behind."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import IO

_held: list[IO[str]] = []


def remove_stale_locks(folder: Path) -> list[Path]:
    """Remove the locks of runs that are no more; call it at the start of every run.

    Snakemake locks its outputs with files. They outlive a run that was killed, and the next one
    refuses to start until somebody unlocks the folder by hand. A lock of the operating system ends
    with its process, however that ends. So every run holds one, shared, until it ends, and whoever
    can have it alone for a moment knows that no other run is alive.

    Parameters
    ----------
    folder : Path
        Snakemake's own folder, ``.snakemake``; made where it is missing.

    Returns
    -------
    list of Path
        The files removed; none while another run is alive, or where the system or the file system
        has no such locks (Snakemake's own then decide alone).
    """
    if sys.platform == "win32":
        return []
    import fcntl  # not on Windows

    folder.mkdir(parents=True, exist_ok=True)
    handle = (folder / "run.lock").open("a+", encoding="utf-8")
    removed: list[Path] = []
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        pass
    except OSError:
        handle.close()
        return removed
    else:
        removed = sorted((folder / "locks").glob("*.lock"))
        for lock in removed:
            lock.unlink(missing_ok=True)
    # The operating system drops the lock when the file is closed, so the process keeps it open.
    fcntl.flock(handle, fcntl.LOCK_SH)
    _held.append(handle)
    return removed
