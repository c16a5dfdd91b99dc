# SPDX-License-Identifier: MIT
"""Digests of plugins: packages beside this one, whose code results depend on as well."""

from __future__ import annotations

from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path

from reproduction.workflow.provenance.source_file import hash_texts


def digest_of_package(package: str) -> str:
    """Return a digest of all Python files of an installed package, which is not imported."""
    # However lines end in a checkout.
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
            f"There is no package {package}, which the configuration names code of: install it "
            "where the workflow runs."
        )
    folders = [Path(folder) for folder in spec.submodule_search_locations or ()]
    files = [(path, folder) for folder in folders for path in sorted(folder.rglob("*.py"))]
    if not folders and spec.origin is not None and spec.origin.endswith(".py"):
        files = [(Path(spec.origin), Path(spec.origin).parent)]
    if not files:
        raise ValueError(
            f"The package {package} has no Python files, by which to see that its code has changed."
        )
    return [(path.relative_to(folder).as_posix(), path.read_bytes()) for path, folder in files]
