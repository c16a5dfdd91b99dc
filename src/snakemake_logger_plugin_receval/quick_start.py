# SPDX-License-Identifier: MIT
"""What Snakemake does before it reads the Snakefile, without what nobody asked for.

No other code of ours is loaded so early. Why, and what each costs: docs/snakemake_scheduler.md.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path, PurePath
from typing import IO, Any

# The first import is Snakemake's own first one: its modules import one another.
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

from reproduction.workflow.jobs.garbage import collect_rarely

DRY = frozenset({"-n", "--dry-run", "--dryrun"})
"""With these a run only shows its plan, and makes no report."""

ASK_FOR_FLAGS = (snakemake.dag, snakemake.io, snakemake.io.fmt, snakemake.jobs, snakemake.rules)
"""Modules that ask of every file of every job for its flags, by a name of their own."""

ASKS_FOR_REPORTS = ("-h", "--h", "--rep")
"""How options begin that name the reporters, or list the options of all of them."""


def start_quickly(command: Sequence[str]) -> None:
    """Let a run of Snakemake begin, and end, without what it does not need.

    Parameters
    ----------
    command : sequence of str
        The program and the words after it; nothing is changed in another program.
    """
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
        # Reporters that somebody has installed are still found: Snakemake's own is not loaded.
        ReportPluginRegistry.collect_plugins = PluginRegistryBase.collect_plugins


def _have_a_cache() -> None:
    """Name a folder beside Snakemake's records where the user's cache cannot be written."""
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
        f"No cache can be kept in {folder.parent}: {own} takes its place; XDG_CACHE_HOME names "
        "another folder.",
        file=sys.stderr,
    )


def _load_yaml_without_numpy() -> None:
    """Load what reads profiles; for values that no text has it would load numpy."""
    sys.modules["numpy"] = None  # type: ignore[assignment]
    try:
        import_module("yte.value_handler")
    finally:
        del sys.modules["numpy"]


def is_plain(path: str) -> bool:
    """Return whether a path is absolute, and nothing in it may stand for something else."""
    return PurePath(path).is_absolute() and not {":", "%", "~", "\\"}.intersection(path)


def placing(usual: Callable[[Any], str]) -> Callable[[Any], str]:
    """Return what tells where the copy of a source lies: by its path, if that is plain."""

    def place(source: Any) -> str:
        path = str(source.get_path_or_uri(secret_free=True))
        return f"file{path}" if is_plain(path) else usual(source)

    return place


def opening(usual: Callable[..., IO[Any]]) -> Callable[..., IO[Any]]:
    """Return what opens a source: a file with a plain path as Python does."""

    def open_source(cache: Any, source: Any, mode: str, encoding: str | None = None) -> IO[Any]:
        path = str(source.get_path_or_uri(secret_free=False))
        if isinstance(source, LocalSourceFile) and is_plain(path):
            # What cannot be opened is Snakemake's to say.
            with suppress(OSError):
                return Path(path).open(mode, encoding=None if "b" in mode else encoding)
        return usual(cache, source, mode, encoding)

    return open_source


def flagging(usual: Callable[[Any, str], bool]) -> Callable[[Any, str], bool]:
    """Return what tells whether a file has a flag: of Snakemake's own classes by their class."""

    def is_flagged(value: Any, flag: str) -> bool:
        kind = type(value)
        if kind is str:
            return False
        if kind is _IOFile or kind is AnnotatedString:
            return bool(value.flags.get(flag))
        return usual(value, flag)

    return is_flagged
