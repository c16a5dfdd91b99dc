# SPDX-License-Identifier: MIT
"""Make Snakemake start and end faster by skipping work that is not needed.

No other code of ours is loaded so early. docs/snakemake_scheduler.md explains each step.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path, PurePath
from typing import IO, Any

# Import snakemake.api first, as Snakemake does, because its modules import one another.
import snakemake.api
import snakemake.dag
import snakemake.io.fmt
import snakemake.jobs
import snakemake.rules
from snakemake.common import get_appdirs
from snakemake.io import AnnotatedString, _IOFile
from snakemake.sourcecache import LocalSourceFile, SourceCache
from snakemake_interface_common.plugin_registry import PluginRegistryBase
from snakemake_interface_report_plugins.registry import ReportPluginRegistry

from reproduction.workflow.jobs.interpreter import collect_rarely

DRY = frozenset({"-n", "--dry-run", "--dryrun"})
"""Options with which a run only shows its plan, and makes no report."""

ASK_FOR_FLAGS = (snakemake.dag, snakemake.io, snakemake.io.fmt, snakemake.jobs, snakemake.rules)
"""Modules that check flags of every file of every job, with an imported ``is_flagged``."""

ASKS_FOR_REPORTS = ("-h", "--h", "--rep")
"""Prefixes of options that name a reporter or list the options of all reporters."""


def start_quickly(command: Sequence[str]) -> None:
    """Make a run of Snakemake start and end faster; other programs are not changed."""
    program, *words = command
    if "snakemake" not in (PurePath(program).name, PurePath(program).parent.name):
        return
    collect_rarely()
    _have_a_cache()
    if "numpy" not in sys.modules:
        _load_yaml_without_numpy()
    LocalSourceFile.get_cache_path = placing(LocalSourceFile.get_cache_path)
    SourceCache._open = opening(SourceCache._open)
    for module in ASK_FOR_FLAGS:
        module.is_flagged = flagging(module.is_flagged)
    if DRY.intersection(words) and not any(word.startswith(ASKS_FOR_REPORTS) for word in words):
        # Installed reporters are still found; only Snakemake's own is not loaded.
        ReportPluginRegistry.collect_plugins = PluginRegistryBase.collect_plugins


def _have_a_cache() -> None:
    """Use a cache folder beside Snakemake's records if the user's cache is not writable."""
    folder = Path(get_appdirs().user_cache_dir)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        pass
    else:
        if os.access(folder, os.W_OK):
            return
    own = Path(".snakemake", "cache")
    os.environ["XDG_CACHE_HOME"] = str(own.absolute())
    os.environ.setdefault("MPLCONFIGDIR", str(own.absolute() / "matplotlib"))
    print(
        f"The cache in {folder.parent} is not writable, so {own} is used instead. Set "
        "XDG_CACHE_HOME to use another folder.",
        file=sys.stderr,
    )


def _load_yaml_without_numpy() -> None:
    """Load the reader of profiles without numpy, which it only uses for values that no text has."""
    sys.modules["numpy"] = None  # type: ignore[assignment]
    try:
        import_module("yte.value_handler")
    finally:
        del sys.modules["numpy"]


def is_plain(path: str) -> bool:
    """Return whether a path is absolute and has no special characters."""
    return PurePath(path).is_absolute() and not {":", "%", "~", "\\"}.intersection(path)


def placing(usual: Callable[[Any], str]) -> Callable[[Any], str]:
    """Return a faster function for the cache path of a source, if its path is plain."""

    def place(source: Any) -> str:
        path = str(source.get_path_or_uri(secret_free=True))
        return f"file{path}" if is_plain(path) else usual(source)

    return place


def opening(usual: Callable[..., IO[Any]]) -> Callable[..., IO[Any]]:
    """Return a function that opens a source, directly if its path is plain."""

    def open_source(cache: Any, source: Any, mode: str, encoding: str | None = None) -> IO[Any]:
        path = str(source.get_path_or_uri(secret_free=False))
        if isinstance(source, LocalSourceFile) and is_plain(path):
            # Snakemake reports files that cannot be opened.
            with suppress(OSError):
                return Path(path).open(mode, encoding=None if "b" in mode else encoding)
        return usual(cache, source, mode, encoding)

    return open_source


def flagging(usual: Callable[[Any, str], bool]) -> Callable[[Any, str], bool]:
    """Return a faster check whether a file has a flag, which decides by Snakemake's classes."""

    def is_flagged(value: Any, flag: str) -> bool:
        kind = type(value)
        if kind is str:
            return False
        if kind is _IOFile or kind is AnnotatedString:
            return bool(value.flags.get(flag))
        return usual(value, flag)

    return is_flagged
