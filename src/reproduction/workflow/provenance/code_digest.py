# SPDX-License-Identifier: MIT
"""One hash for all the code that a result depends on.

Snakemake reruns a job when its inputs or its parameters change, but does not see edits in
imported modules. A rule whose ``params`` carry such a hash reruns exactly when code
that it reaches has changed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import receval
from reproduction.workflow.provenance.parsed_sources import ParsedSources
from reproduction.workflow.provenance.source_file import PACKAGES, Import, SourceFile, hash_texts

LENGTH = 16
"""Hexadecimal digits of a digest."""

_PARSED = ParsedSources()


def code_digest(*entries: str, root: Path | None = None) -> str:
    """Return a hash of everything in the packages that some entries reach by import.

    The code is looked at anew in every call; for many digests at once there is
    :class:`CodeSnapshot`.
    """
    return CodeSnapshot(root, _PARSED).digest(*entries)


class CodeSnapshot:
    """The code of one repository: each file as it was when it was first asked for.

    Parameters
    ----------
    root : Path, optional
        Repository root, with the packages in ``src``. By default that of the installed
        library: the folder above ``src``, or the current folder where there is no ``src``.

    Attributes
    ----------
    contents : dict of str to bytes
        The sources that were asked for so far, by the names of modules.
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
        self._loaded_by: dict[str, list[tuple[str, str]]] = {}
        self._digests: dict[tuple[str, ...], str] = {}

    def digest(self, *entries: str) -> str:
        """Return a hash of everything in the packages that some entries reach by import.

        Parameters
        ----------
        *entries : str
            Each one of

            - a module, ``"receval.recommenders.plsa"``: it and all that it imports, transitively;
            - one symbol of a module, ``"reproduction.studies.bellogin2017.fig02:data"``: the
              top-level definitions that ``data`` reaches by name, and the modules whose names these
              use.

        Notes
        -----
        The files ``__init__.py`` on the way to a module belong to it. Comments, docstrings, layout
        and type-only code do not count
        (:func:`reproduction.workflow.provenance.source_file.parse_source`). Names in strings, such
        as the class paths of registries, are not followed: pass the modules they name as entries.
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
        if colon:
            self._add_symbol(module, symbol, f'the code entry "{entry}"', parts)
        else:
            self._add_modules([(module, f'the code entry "{entry}"')], parts)

    def _add_symbol(self, module: str, symbol: str, wanted_by: str, parts: dict[str, str]) -> None:
        source = self._module(module, wanted_by)
        if symbol not in source.names:
            raise ValueError(
                f"{source.path} defines no {symbol} at top level, but {wanted_by} asks for it. "
                "Correct the name."
            )
        statements = source.reachable(symbol)
        parts[f"{module}:{symbol}"] = hash_texts(s.digest for s in statements)
        package = module.rpartition(".")[0]
        imports = tuple(item for statement in statements for item in statement.imports)
        above = [(package, wanted_by)] if package else []
        self._add_modules(above + self._imported(imports, source), parts)

    def _add_modules(self, wanted: list[tuple[str, str]], parts: dict[str, str]) -> None:
        """Add modules, the packages above them, and all that these import."""
        while wanted:
            module, wanted_by = wanted.pop()
            if module in parts:
                continue
            source = self._module(module, wanted_by)
            parts[module] = source.digest
            package = module.rpartition(".")[0]
            if package:
                wanted.append((package, wanted_by))
            if module not in self._loaded_by:
                self._loaded_by[module] = self._imported(source.imports, source)
            wanted += self._loaded_by[module]

    def _imported(self, imports: tuple[Import, ...], source: SourceFile) -> list[tuple[str, str]]:
        """Return the modules that import statements load, with the words for a message."""
        modules = []
        for item in imports:
            wanted_by = f"{source.path}, line {item.line},"
            package = self._find(item.module)
            if item.name in (None, "*") or package is None or package.path.name != "__init__.py":
                modules.append((item.module, wanted_by))
                continue
            submodule = f"{item.module}.{item.name}"
            if self._find(submodule) is not None:
                modules.append((submodule, wanted_by))
                continue
            modules.append((item.module, wanted_by))
            if not package.names & {item.name, "*", "__getattr__"}:
                raise ValueError(
                    f"{wanted_by} imports {item.name} from {item.module}, but that package has "
                    f"neither a module nor a definition of this name. Correct the import."
                )
        return modules

    def _module(self, module: str, wanted_by: str) -> SourceFile:
        source = self._find(module)
        if source is None:
            raise ValueError(
                f"There is no module {module} below {self.source_folder}, but {wanted_by} "
                "asks for it. Correct the name, or restore the file (a package needs an "
                "__init__.py)."
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
