# SPDX-License-Identifier: MIT
"""Parsed source files by their content, kept from one process to the next.

Parsing the package takes seconds, reading and hashing its files a hundredth of one. So a plan that
is made again parses only what was edited. Because an entry is found by the hash of the whole file,
never by name or time, nothing that can happen to files (an edit within a tick of the clock, a copy
with old times, another checkout, a branch) makes it give the statements of other code.
"""

from __future__ import annotations

import hashlib
import json
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from receval.storage.files import write_atomically
from reproduction.workflow.provenance import source_file, stripping
from reproduction.workflow.provenance.source_file import Import, SourceFile, Statement, parse_source

LIMIT = 2000
"""Most entries kept in the file: some editions of a few hundred sources."""


class ParsedSources:
    """Parsed source files, in memory and, if wanted, in a file.

    The file is a convenience: one that is missing, broken, of another version of the parser or of
    Python, or that cannot be written, costs time and nothing else. Of several processes that write
    it, each adds to what is there, and the last one to replace it wins.
    """

    def __init__(self, file: Path | None = None) -> None:
        # A process may change its folder before it saves.
        self._file = None if file is None else file.absolute()
        self._stored: dict[str, Any] | None = None
        self._parsed: dict[str, SourceFile] = {}
        self._has_news = False

    def of(self, path: Path, content: bytes) -> SourceFile:
        """Return the statements of a source file."""
        key = hashlib.sha256(content).hexdigest()
        source = self._parsed.get(key)
        if source is None:
            source = self._stored_source(key, path)
            if source is None:
                source = parse_source(path, content)
                self._has_news = True
            self._parsed[key] = source
        return source if source.path == path else replace(source, path=path)

    def save(self) -> None:
        """Put what was parsed into the file, if there is news and the file's folder exists."""
        if self._file is None or not self._has_news or not self._file.parent.is_dir():
            return
        entries = {key: _as_json(source) for key, source in self._parsed.items()}
        for key, entry in _read(self._file).items():
            if len(entries) >= LIMIT:
                break
            entries.setdefault(key, entry)
        body = json.dumps(entries, separators=(",", ":"))
        with suppress(OSError):
            write_atomically(self._file, f"{_heading(body)}\n{body}")
            self._has_news = False

    def _stored_source(self, key: str, path: Path) -> SourceFile | None:
        if self._stored is None:
            self._stored = {} if self._file is None else _read(self._file)
        entry = self._stored.get(key)
        return None if entry is None else _from_json(path, entry)


def _heading(body: str) -> str:
    """Return the first line of the file: who wrote it, and a checksum of the rest."""
    return f"{_parser()} {hashlib.sha256(body.encode()).hexdigest()}"


def _parser() -> str:
    """Return a name for what parses here: this code, and the Python whose trees it reads."""
    digest = hashlib.sha256(sys.version.encode())
    for file in (source_file.__file__, stripping.__file__, __file__):
        digest.update(Path(file).read_bytes())
    return digest.hexdigest()


def _read(file: Path) -> dict[str, Any]:
    """Return the entries of a file; none of one that is missing, broken or somebody else's."""
    try:
        heading, _, body = file.read_text(encoding="utf-8").partition("\n")
    except (OSError, UnicodeDecodeError):
        return {}
    if heading != _heading(body):
        return {}
    entries: dict[str, Any] = json.loads(body)
    return entries


def _as_json(source: SourceFile) -> list[Any]:
    return [
        [
            statement.digest,
            sorted(statement.binds),
            sorted(statement.uses),
            [[item.module, item.name, item.line] for item in statement.imports],
            statement.runs_for_effect,
        ]
        for statement in source.statements
    ]


def _from_json(path: Path, statements: list[Any]) -> SourceFile:
    return SourceFile(
        path,
        tuple(
            Statement(
                digest=digest,
                binds=frozenset(binds),
                uses=frozenset(uses),
                imports=tuple(Import(*item) for item in imports),
                runs_for_effect=runs_for_effect,
            )
            for digest, binds, uses, imports, runs_for_effect in statements
        ),
    )
