"""What the results of jobs depend on beside files and configuration: the code that makes them."""

from __future__ import annotations

import atexit
import hashlib
import json
from functools import cache, cached_property
from pathlib import Path

from receval.config.settings import Settings
from receval.provenance.code_digest import CodeSnapshot
from receval.provenance.parsed_sources import ParsedSources
from receval.provenance.versions import versions
from receval.splits.kinds import SPLITTERS


class PlannedCode:
    """Digests of the code that jobs reach, and the modules that the configuration names.

    Parameters
    ----------
    settings : Settings
        The edition's configuration.
    root : Path
        The repository.
    """

    def __init__(self, settings: Settings, root: Path) -> None:
        self.settings = settings
        self.root = root

    def digest(self, *entries: str) -> str:
        """Return the digest of the function that a rule names and of modules it loads by name.

        The versions of the libraries under them count as code: a result of other versions is made
        again, and the recorded versions are those of every result.
        """
        return f"{self._snapshot.digest(*entries)}-{_versions_digest()}"

    @cached_property
    def _snapshot(self) -> CodeSnapshot:
        return CodeSnapshot(self.root, _sources_kept_in(self.root.absolute()))

    def splitter_entry(self, split: str) -> str:
        """Return the module that makes a split."""
        return SPLITTERS[self.settings.splits[split].kind].partition(":")[0]

    def recommender_entry(self, system: str) -> str:
        """Return the module of a system's class."""
        return self.settings.systems[system].recommender.partition(":")[0]


@cache
def _sources_kept_in(root: Path) -> ParsedSources:
    """Return the sources that earlier runs have parsed; what this one parses goes to them.

    They lie with what Snakemake keeps for itself, where that is: a library makes no folders.
    """
    sources = ParsedSources(root / ".snakemake" / "parsed_sources.json")
    atexit.register(sources.save)
    return sources


@cache
def _versions_digest() -> str:
    used = {name: version for name, version in versions().items() if name != "snakemake"}
    return hashlib.sha256(json.dumps(used, sort_keys=True).encode()).hexdigest()[:8]
