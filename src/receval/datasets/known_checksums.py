"""Checksums of files that are known from an earlier look, until the file changes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from receval.datasets.checksums import sha256_of
from receval.storage.atomic import write_atomically


class KnownChecksums:
    """SHA-256 of files, each computed once for a modification time and a size.

    Parameters
    ----------
    file : Path
        JSON where they are kept. A file that is not there, or is none of ours, is begun anew.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._known = self._read()

    def of(self, path: Path) -> str:
        """Return the SHA-256 of a file in hexadecimal."""
        return self.of_all([path])[path]

    def of_all(self, paths: Sequence[Path]) -> dict[Path, str]:
        """Return the SHA-256 of files in hexadecimal, by path.

        What is new is kept once for all of them: a dataset may have thousands. Where it cannot be
        kept it is computed again the next time.
        """
        found, news = {}, False
        for path in paths:
            status = path.stat()
            signature = f"{status.st_mtime_ns}-{status.st_size}"
            known = self._known.get(path.as_posix(), {})
            if signature not in known:
                # Of a file only its present state: what it was before does not come back.
                known = self._known[path.as_posix()] = {signature: sha256_of(path)}
                news = True
            found[path] = known[signature]
        if news:
            text = json.dumps(self._known, indent=2, sort_keys=True)
            with suppress(OSError):
                write_atomically(self._file, f"{text}\n")
        return found

    def _read(self) -> dict[str, dict[str, str]]:
        try:
            content = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        ours = isinstance(content, dict) and all(isinstance(v, dict) for v in content.values())
        return content if ours else {}
