"""One hash for all the code that a result depends on.

Snakemake reruns a job when its inputs, its parameters or its script change, but does not see
edits in imported modules. A rule whose ``params`` carry such a hash reruns exactly when code
that it reaches has changed.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import receval
from receval.provenance.source_file import PACKAGE, Import, SourceFile, hash_texts, parse_source

LENGTH = 16
"""Hexadecimal digits of a digest."""

Signature = tuple[int, int] | None
"""Modification time in nanoseconds and size of a file; None for one that does not exist."""

_sources: dict[str, tuple[Signature, SourceFile]] = {}
_digests: dict[tuple[str, ...], tuple[dict[str, Signature], str]] = {}


def code_digest(*entries: str, root: Path | None = None) -> str:
    """Return a hash of everything in the package that some entries reach by import.

    Parameters
    ----------
    *entries : str
        Each one of

        - a module, ``"receval.recommenders.plsa"``: it and all that it imports, transitively;
        - one symbol of a module, ``"receval.studies.bellogin2017.fig02:data"``: the top-level
          definitions that ``data`` reaches by name, and the modules whose names these use.
    root : Path, optional
        Repository root, with the package in ``src/receval``. By default that of the installed
        package: the folder above ``src``, or the current folder where there is no ``src``.

    Returns
    -------
    str
        Hexadecimal digits of the SHA-256 of the sorted pairs (name, stripped syntax tree).

    Raises
    ------
    ValueError
        For an unknown module, symbol or script, a relative import, or invalid Python.

    Notes
    -----
    The files ``__init__.py`` on the way to a module belong to it. Comments, docstrings, layout
    and type-only code do not count (:func:`receval.provenance.source_file.parse_source`).
    Names in strings, such as the class paths of registries, are not followed: pass the modules
    they name as entries. Each file is read once in a process, and again when its modification
    time or size changes.
    """
    package_folder, root = _locate(root)
    key = (str(package_folder), str(root), *entries)
    if key in _digests:
        signatures, digest = _digests[key]
        if all(_signature(path) == signature for path, signature in signatures.items()):
            return digest
    closure = _Closure(package_folder, root)
    for entry in entries:
        closure.add_entry(entry)
    _digests[key] = (closure.signatures, closure.digest())
    return _digests[key][1]


class _Closure:
    """The code reached so far, by name, and the files looked at on the way."""

    def __init__(self, package_folder: Path, root: Path) -> None:
        self.package_folder = package_folder
        self.root = root
        self.parts: dict[str, str] = {}
        self.signatures: dict[str, Signature] = {}

    def digest(self) -> str:
        pairs = (text for pair in sorted(self.parts.items()) for text in pair)
        return hash_texts(pairs)[:LENGTH]

    def add_entry(self, entry: str) -> None:
        module, colon, symbol = entry.partition(":")
        if not re.fullmatch(rf"{PACKAGE}(\.\w+)*(:\w+)?", entry):
            raise ValueError(
                f'The code entry "{entry}" is neither a module of {PACKAGE} ("{PACKAGE}.x.y") nor '
                f'one symbol of a module ("{PACKAGE}.x.y:name").'
            )
        if colon:
            self._add_symbol(module, symbol, f'the code entry "{entry}"')
        else:
            self._add_modules([(module, f'the code entry "{entry}"')])

    def _add_symbol(self, module: str, symbol: str, wanted_by: str) -> None:
        source = self._module(module, wanted_by)
        if symbol not in source.names:
            raise ValueError(
                f"{source.path} defines no {symbol} at top level, but {wanted_by} asks for it. "
                "Correct the name."
            )
        statements = source.reachable(symbol)
        self.parts[f"{module}:{symbol}"] = hash_texts(s.content for s in statements)
        package = module.rpartition(".")[0]
        imports = tuple(item for statement in statements for item in statement.imports)
        self._add_modules(
            ([(package, wanted_by)] if package else []) + self._imported(imports, source)
        )

    def _add_modules(self, wanted: list[tuple[str, str]]) -> None:
        """Add modules, the packages above them, and all that these import."""
        while wanted:
            module, wanted_by = wanted.pop()
            if module in self.parts:
                continue
            source = self._module(module, wanted_by)
            self.parts[module] = source.digest
            package = module.rpartition(".")[0]
            if package:
                wanted.append((package, wanted_by))
            wanted += self._imported(source.imports, source)

    def _imported(self, imports: tuple[Import, ...], source: SourceFile) -> list[tuple[str, str]]:
        """Return the modules that import statements load, with the words for a message."""
        modules = []
        for item in imports:
            wanted_by = f"{source.path}, line {item.line},"
            submodule = f"{item.module}.{item.name}"
            if item.name is not None and item.name != "*" and self._find(submodule) is not None:
                modules.append((submodule, wanted_by))
                continue
            modules.append((item.module, wanted_by))
            package = self._find(item.module)
            if item.name in (None, "*") or package is None or package.name != "__init__.py":
                continue
            if not self._module(item.module, wanted_by).names & {item.name, "*", "__getattr__"}:
                raise ValueError(
                    f"{wanted_by} imports {item.name} from {item.module}, but that package has "
                    f"neither a module nor a definition of this name. Correct the import."
                )
        return modules

    def _module(self, module: str, wanted_by: str) -> SourceFile:
        path = self._find(module)
        source = None if path is None else self._read(path)
        if source is None:
            raise ValueError(
                f"There is no module {module} below {self.package_folder.parent}, but {wanted_by} "
                "asks for it. Correct the name, or restore the file (a package needs an "
                "__init__.py)."
            )
        return source

    def _find(self, module: str) -> Path | None:
        base = self.package_folder.joinpath(*module.split(".")[1:])
        # A package hides a module of the same name, as in Python itself.
        candidates = [base / "__init__.py"]
        if module != PACKAGE:
            candidates.append(base.with_name(f"{base.name}.py"))
        for path in candidates:
            if self._look(path) is not None:
                return path
        return None

    def _look(self, path: Path) -> Signature:
        text = str(path)
        if text not in self.signatures:
            self.signatures[text] = _signature(text)
        return self.signatures[text]

    def _read(self, path: Path) -> SourceFile | None:
        signature = self._look(path)
        if signature is None:
            return None
        cached = _sources.get(str(path))
        if cached is None or cached[0] != signature:
            cached = _sources[str(path)] = (signature, parse_source(path))
        return cached[1]


def _locate(root: Path | None) -> tuple[Path, Path]:
    """Return the folder of the package and the root of the repository."""
    if root is not None:
        return root / "src" / PACKAGE, root
    package_folder = Path(receval.__file__).parent
    source_folder = package_folder.parent
    return package_folder, source_folder.parent if source_folder.name == "src" else Path.cwd()


def _signature(path: str) -> Signature:
    try:
        status = os.stat(path)  # noqa: PTH116
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status.st_mtime_ns, status.st_size
