# SPDX-License-Identifier: MIT
"""Compute one hash of all code that a result depends on.

Snakemake reruns a job when its inputs or its parameters change, but does not see edits in imported
modules. A rule with such a hash in its ``params`` reruns exactly when code that it reaches has
changed.

A job's process is checked to have loaded the same code that its run was planned with. A run is
planned with the code at its beginning, but its jobs load modules later. If code is edited in
between and the edit is undone, results of the edited code would have the digest of the original
code, and no later run would make them again.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, MappingProxyType, ModuleType
from typing import Any

import receval
from receval.storage.files import write_atomically
from receval.storage.messages import enumerated
from reproduction.workflow.provenance import source_file
from reproduction.workflow.provenance.source_file import (
    PACKAGES,
    Import,
    SourceFile,
    Statement,
    hash_texts,
    parse_source,
)

LENGTH = 16
"""Hexadecimal digits of a digest."""


# Parsed source files by their content, kept from one process to the next.
#
# Parsing the package takes seconds, but reading and hashing its files takes a hundredth of a
# second. So a new plan parses only edited files. Entries are found by the hash of the whole file,
# never by name or time. So an edit within a tick of the clock, a copy with old times or another
# checkout cannot give the statements of other code.

LIMIT = 2000
"""Maximum number of entries in the file: some versions of a few hundred sources."""


_PARSED_HERE: dict[str, SourceFile] = {}
"""What this process has parsed, for all its plans: a copy of the code has mostly the same files.

It has no bound, since a process makes few plans.
"""


class ParsedSources:
    """Parsed source files, in memory and, if wanted, in a file.

    The file is only a cache. If it is missing, broken, of another version of the parser or of
    Python, or cannot be written, this only costs time. If several processes write it, each adds to
    the existing entries, and the last one to replace it wins.
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
                source = _PARSED_HERE.get(key) or parse_source(path, content)
                _PARSED_HERE[key] = source
                self._has_news = True
            self._parsed[key] = source
        return source if source.path == path else replace(source, path=path)

    def save(self) -> None:
        """Add newly parsed sources to the file, if its folder exists."""
        if self._file is None or not self._has_news or not self._file.parent.is_dir():
            return
        entries: dict[str, Any] = {key: each.statements for key, each in self._parsed.items()}
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
        return None if entry is None else _as_source_file(path, entry)


def _heading(body: str) -> str:
    """Return the first line of the file: the parser that wrote it, and a checksum of the rest."""
    return f"{_parser()} {hashlib.sha256(body.encode()).hexdigest()}"


def _parser() -> str:
    """Return a name for this parser: its code and the version of Python."""
    digest = hashlib.sha256(sys.version.encode())
    for file in (source_file.__file__, __file__):
        digest.update(Path(file).read_bytes())
    return digest.hexdigest()


def _read(file: Path) -> dict[str, Any]:
    """Return the entries of a file; none if it is missing, broken or of another parser."""
    try:
        heading, _, body = file.read_text(encoding="utf-8").partition("\n")
    except (OSError, UnicodeDecodeError):
        return {}
    if heading != _heading(body):
        return {}
    entries: dict[str, Any] = json.loads(body)
    return entries


def _as_source_file(path: Path, statements: list[Any]) -> SourceFile:
    """Return the statements as they were before JSON made lists of all tuples."""
    return SourceFile(
        path,
        tuple(
            Statement(
                digest, (*binds,), (*uses,), tuple(Import(*one) for one in imports), for_effect
            )
            for digest, binds, uses, imports, for_effect in statements
        ),
    )


Needed = tuple[str, str | None, str]
"""A module, one symbol of it (None for all, "" for its effects alone), and who asks for it."""


class CodeSnapshot:
    """The code of one repository, with each file as it was when it was first read.

    The packages are in ``src`` of the root. By default that is the root of the installed library:
    the folder above ``src``, or the current folder where there is no ``src``. ``contents`` has the
    sources read so far, by module name.
    """

    def __init__(
        self,
        root: Path | None = None,
        parsed: ParsedSources | None = None,
        loaded: Mapping[str, bytes] = MappingProxyType({}),
    ) -> None:
        self.source_folder, self.root = _locate(root)
        self.contents: dict[str, bytes] = {}
        self._loaded = loaded
        self._parsed = ParsedSources() if parsed is None else parsed
        self._modules: dict[str, SourceFile | None] = {}
        self._needed: dict[str, tuple[str, list[Needed]]] = {}
        self._effects: dict[str, list[str]] = {}
        self._direct: dict[str, list[tuple[str, str]]] = {}
        self._digests: dict[tuple[str, ...], str] = {}

    def digest(self, *entries: str) -> str:
        """Return a hash of all code in the packages that some entries reach by import.

        Each entry is one of

        - a module, ``"receval.recommenders.plsa"``: it and all that it imports, transitively;
        - one symbol of a module, ``"reproduction.studies.bellogin2017.fig02:data"``: the top-level
          definitions that ``data`` reaches by name, in its own file and in those from which they
          import names.

        So an edit changes only the digests of what it can affect, however modules are divided. What
        a file does when it is imported counts for all that import it. The files ``__init__.py`` on
        the way to a module belong to it. Comments, docstrings, layout and type-only code do not
        count (:func:`reproduction.workflow.provenance.source_file.parse_source`). Names in strings,
        such as the class paths of registries, are not followed: pass the modules they name as
        entries.
        """
        if entries not in self._digests:
            pairs = (text for pair in sorted(self.parts(*entries).items()) for text in pair)
            self._digests[entries] = hash_texts(pairs)[:LENGTH]
        return self._digests[entries]

    def parts(self, *entries: str) -> dict[str, str]:
        """Return the digests of the code that some entries reach, by module or symbol."""
        parts: dict[str, str] = {}
        for entry in entries:
            self._add_entry(entry, parts)
        return parts

    def _add_entry(self, entry: str, parts: dict[str, str]) -> None:
        module, colon, symbol = entry.partition(":")
        if not re.fullmatch(rf"({'|'.join(PACKAGES)})(\.\w+)*(:\w+)?", entry):
            raise ValueError(
                f'The code entry "{entry}" is neither a module of {" or ".join(PACKAGES)} '
                f'("{PACKAGES[0]}.x.y") nor one symbol of a module ("{PACKAGES[0]}.x.y:name").'
            )
        wanted_by = f'the code entry "{entry}"'
        if colon and symbol not in (source := self._module(module, wanted_by)).names:
            raise ValueError(
                f"{source.path} does not define {symbol} at top level, but {wanted_by} names it. "
                "Correct the name."
            )
        self._add([(module, symbol if colon else None, wanted_by)], parts)

    def _add(self, wanted: list[Needed], parts: dict[str, str]) -> None:
        """Add modules or their symbols, the packages above them, and all that these import."""
        while wanted:
            module, symbol, wanted_by = wanted.pop()
            part = module if symbol is None else f"{module}:{symbol}"
            if part in parts:
                continue
            if part not in self._needed:
                self._needed[part] = self._read_part(module, symbol, wanted_by)
            parts[part], needed = self._needed[part]
            wanted += needed

    def _read_part(
        self, module: str, symbol: str | None, wanted_by: str
    ) -> tuple[str, list[Needed]]:
        """Return the digest of a module or of one symbol of it, and what that needs."""
        source = self._module(module, wanted_by)
        statements = source.statements if symbol is None else source.reachable(symbol)
        imports = tuple(item for statement in statements for item in statement.imports)
        needed = self._imported(imports, source)
        if symbol:
            # Python runs the whole file for one name, and all that it imports.
            needed += [(other, "", wanted_by) for other in self._with_effects(module, wanted_by)]
        package = module.rpartition(".")[0]
        if package:
            needed.append((package, None, wanted_by))
        return hash_texts(statement.digest for statement in statements), needed

    def _with_effects(self, module: str, wanted_by: str) -> list[str]:
        """Return the modules that an import of one runs, and that do more than define names."""
        if module not in self._effects:
            found, pending = {module: wanted_by}, [(module, wanted_by)]
            while pending:
                for other, by in self._loaded_by(*pending.pop()):
                    if other not in found:
                        found[other] = by
                        pending.append((other, by))
            self._effects[module] = [
                name for name, by in found.items() if self._module(name, by).has_effects
            ]
        return self._effects[module]

    def _loaded_by(self, module: str, wanted_by: str) -> list[tuple[str, str]]:
        """Return the modules that a module imports itself, and which of its lines do."""
        if module not in self._direct:
            source = self._module(module, wanted_by)
            needed = self._imported(source.imports, source)
            self._direct[module] = [(other, by) for other, _, by in needed]
        return self._direct[module]

    def _imported(self, imports: tuple[Import, ...], source: SourceFile) -> list[Needed]:
        """Return the modules or symbols that import statements load, and which of these do."""
        needed: list[Needed] = []
        for item in imports:
            wanted_by = f"{source.path}, line {item.line},"
            found = self._find(item.module)
            if item.name in (None, "*") or found is None:
                needed.append((item.module, None, wanted_by))
            elif found.path.name != "__init__.py":
                # A name that the file does not define itself comes from a star or from elsewhere.
                known = item.name if item.name in found.names else None
                needed.append((item.module, known, wanted_by))
            elif self._find(submodule := f"{item.module}.{item.name}") is not None:
                needed.append((submodule, None, wanted_by))
            elif found.names & {item.name, "*", "__getattr__"}:
                needed.append((item.module, None, wanted_by))
            else:
                raise ValueError(
                    f"{wanted_by} imports {item.name} from {item.module}, but that package has "
                    f"neither a module nor a definition of this name. Correct the import."
                )
        return needed

    def _module(self, module: str, wanted_by: str) -> SourceFile:
        source = self._find(module)
        if source is None:
            raise ValueError(
                f"There is no module {module} in {self.source_folder}, but {wanted_by} names it. "
                "Correct the name, or restore the file (a package needs an __init__.py)."
            )
        return source

    def _find(self, module: str) -> SourceFile | None:
        if module not in self._modules:
            base = self.source_folder.joinpath(*module.split("."))
            # A package hides a module of the same name, as in Python itself.
            source = self._read(module, base / "__init__.py")
            if source is None and module not in PACKAGES:
                source = self._read(module, base.with_name(f"{base.name}.py"))
            self._modules[module] = source
        return self._modules[module]

    def _read(self, module: str, path: Path) -> SourceFile | None:
        try:
            content = path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        self.contents[module] = self._loaded.get(module, content)
        return self._parsed.of(path, self.contents[module])


def _locate(root: Path | None) -> tuple[Path, Path]:
    """Return the folder of the packages and the root of the repository."""
    if root is not None:
        return root / "src", root
    source_folder = Path(receval.__file__).parents[1]
    return source_folder, source_folder.parent if source_folder.name == "src" else Path.cwd()


# Digests of plugins: other packages with code that results depend on.


def digest_of_package(package: str) -> str:
    """Return a digest of all Python files of an installed package, without importing it."""
    # Line ends depend on the checkout.
    files = ((path, content.replace(b"\r\n", b"\n")) for path, content in files_of_package(package))
    return hash_texts(text for path, content in files for text in (path, content.decode()))


def sources_of_package(package: str) -> dict[str, bytes]:
    """Return the Python files of an installed package, as they were first read, by module."""
    files = {
        path.removesuffix(".py").replace("/", "."): file for path, file in files_of_package(package)
    }
    if files.keys() == {package}:
        return files
    modules = {f"{package}.{name}": content for name, content in files.items()}
    return {name.removesuffix(".__init__"): content for name, content in modules.items()}


@cache
def files_of_package(package: str) -> list[tuple[str, bytes]]:
    """Return the Python files of an installed package by their paths in it, read once."""
    spec = PathFinder.find_spec(package)
    if spec is None:
        raise ValueError(
            f"The configuration names code of the package {package}, which is not installed. "
            "Install it where the workflow runs."
        )
    folders = [Path(folder) for folder in spec.submodule_search_locations or ()]
    files = [(path, folder) for folder in folders for path in sorted(folder.rglob("*.py"))]
    if not folders and spec.origin is not None and spec.origin.endswith(".py"):
        files = [(Path(spec.origin), Path(spec.origin).parent)]
    if not files:
        raise ValueError(
            f"The package {package} has no Python files, so changes of its code cannot be detected."
        )
    return [(path.relative_to(folder).as_posix(), path.read_bytes()) for path, folder in files]


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
