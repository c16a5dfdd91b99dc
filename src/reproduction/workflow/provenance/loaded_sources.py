# SPDX-License-Identifier: MIT
"""Check that a job's process has loaded the same code that its run was planned with.

A run is planned with the code at its beginning, but its jobs load modules later. If code is edited
in between and the edit is undone, results of the edited code would have the digest of the original
code, and no later run would make them again.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from receval.storage.messages import enumerated
from reproduction.workflow.provenance.code_digest import CodeSnapshot
from reproduction.workflow.provenance.source_file import PACKAGES


class EditedCodeError(Exception):
    """A job's process has loaded code that differs from the code that its run was planned with."""


@dataclass(frozen=True)
class CodeBehind:
    """The code behind a job when its run was planned.

    The digest is that of the entries of our packages
    (:meth:`reproduction.workflow.provenance.code_digest.CodeSnapshot.digest`). ``sources`` has
    hashes of the files of all modules that the job may load. Plugins are other packages, which
    count as a whole.
    """

    entries: tuple[str, ...]
    digest: str
    sources: Mapping[str, str] = field(repr=False)
    plugins: tuple[str, ...] = ()


def hash_of_source(content: bytes) -> str:
    """Return the SHA-256 of a file of source, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


class LoadedSources(MetaPathFinder):
    """Keeps the sources of the modules that this process loads, and their hashes, by name."""

    def __init__(self) -> None:
        self.contents: dict[str, bytes] = {}
        self.hashes: dict[str, str] = {}
        self._packages: set[str] = set()

    def keep(self, packages: Collection[str] = PACKAGES) -> None:
        """Keep the sources of some packages from now on, including modules already loaded."""
        new = set(packages) - self._packages
        self._packages |= new
        for name, module in list(sys.modules.items()):
            path = getattr(module, "__file__", None) or ""
            if name.partition(".")[0] in new and path.endswith(".py"):
                # No plan can name a module whose file has gone.
                with suppress(OSError):
                    self.note(name, Path(path).read_bytes())
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)

    def note(self, name: str, content: bytes) -> None:
        """Record the source of a module."""
        self.contents[name] = content
        self.hashes[name] = hash_of_source(content)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module as Python does, and record its source if it is in one of the packages."""
        if name.partition(".")[0] not in self._packages:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _NotingLoader(spec.loader.name, spec.loader.path, self)
        return spec


class _NotingLoader(SourceFileLoader):
    """Loads a module from its file, and records its content."""

    def __init__(self, name: str, path: str, loaded: LoadedSources) -> None:
        super().__init__(name, path)
        self._loaded = loaded

    def get_code(self, fullname: str) -> CodeType | None:
        path, before = Path(self.path), None
        # Python loads compiled code instead of an unchanged source.
        while (content := path.read_bytes()) != before:
            before = content
            code = super().get_code(fullname)
        self._loaded.note(fullname, content)
        return code


LOADED = LoadedSources()
"""The sources of this process; nothing is kept before :meth:`LoadedSources.keep` is called."""


@contextmanager
def as_planned(code: CodeBehind | None) -> Iterator[None]:
    """Raise an error before or after a job if its code is not that of the plan."""
    if code is None:
        yield
        return
    LOADED.keep((*PACKAGES, *code.plugins))
    _check(code)
    yield
    _check(code)


def _check(code: CodeBehind) -> None:
    edited = sorted(
        name
        for name, planned in code.sources.items()
        if LOADED.hashes.get(name, planned) != planned
    )
    if not edited:
        return
    own = [name for name in edited if name.partition(".")[0] in PACKAGES]
    # An edit may concern only comments, or code that the job does not call.
    if own == edited:
        with suppress(ValueError):
            if CodeSnapshot(loaded=LOADED.contents).digest(*code.entries) == code.digest:
                return
    raise EditedCodeError(
        f"{enumerated(edited)} was edited during the run, so this result would be of code that "
        "the run was not planned with. The result is not kept. Start the run again."
    )
