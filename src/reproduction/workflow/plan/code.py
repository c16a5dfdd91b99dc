# SPDX-License-Identifier: MIT
"""Digests of the code that the results of each job depend on."""

from __future__ import annotations

import atexit
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from receval.arithmetic import settings_in_effect
from receval.splits.kinds import SPLITTERS
from reproduction.config.reading import OWN, package_of
from reproduction.config.settings import Settings
from reproduction.config.studies import ExperimentSpec
from reproduction.workflow.plan.publishing import PlannedClaims
from reproduction.workflow.plan.studies import COMPUTING, SHOWING, PlannedArtifacts
from reproduction.workflow.provenance.code_digest import (
    LENGTH,
    CodeBehind,
    CodeSnapshot,
    ParsedSources,
    digest_of_package,
    hash_of_source,
    sources_of_package,
)
from reproduction.workflow.provenance.source_file import hash_texts
from reproduction.workflow.provenance.versions import versions

Digests = frozenset[str]

JOBS = "reproduction.workflow.jobs"
"""The package of the functions that rules call."""


class PlannedCode:
    """Digests of the code that jobs reach, and of code that the configuration names."""

    def __init__(self, settings: Settings, root: Path, known: PlannedCode | None = None) -> None:
        self.settings = settings
        self.root = root
        self._known = known
        self._entries: dict[str, tuple[str, ...]] = known._entries if known else {}
        # A plan asks for most of them hundreds of times. Those of plugins are left out:
        # files_of_package keeps what they are made from.
        self._digests: dict[tuple[str, ...], str] = known._digests if known else {}

    def digest(self, *entries: str) -> str:
        """Return the digest of the function that a rule names and of modules it loads by name.

        The versions of libraries count as code, so results are made again when they change, and the
        recorded versions hold for every result. A plugin counts as a whole: imports between its
        modules are not followed.
        """
        if entries in self._digests:
            return self._digests[entries]
        plugins = {entry for entry in entries if package_of(entry) not in OWN}
        digests = [self._snapshot.digest(*(entry for entry in entries if entry not in plugins))]
        digests += sorted(digest_of_package(package) for package in {*map(package_of, plugins)})
        digest = digests[0] if len(digests) == 1 else hash_texts(digests)[:LENGTH]
        whole = f"{digest}-{_versions_digest()}"
        self._entries[whole] = entries
        if not plugins:
            self._digests[entries] = whole
        return whole

    def of_job(self, function: str, *entries: str) -> str:
        """Return the digest of a job (``module:function``) and of modules it loads by name."""
        return self.digest(f"{JOBS}.{function}", *entries)

    def behind(self, digest: str) -> CodeBehind | None:
        """Return the code behind a digest that :meth:`digest` has returned; None for any other."""
        if digest not in self._entries:
            return None
        entries = self._entries[digest]
        own = tuple(entry for entry in entries if package_of(entry) in OWN)
        plugins = tuple(sorted({*map(package_of, entries)} - {*OWN}))
        modules = {part.partition(":")[0] for part in self._snapshot.parts(*own)}
        contents = {name: self._snapshot.contents[name] for name in modules}
        for package in plugins:
            contents |= sources_of_package(package)
        hashes = {name: _hash_of_source(content) for name, content in contents.items()}
        return CodeBehind(own, self._snapshot.digest(*own), hashes, plugins)

    def folded(self, digests: Iterable[str]) -> str:
        """Return one digest of several, which changes when one of them does."""
        return f"{hash_texts(sorted(digests))[:LENGTH]}-{_versions_digest()}"

    @cached_property
    def _snapshot(self) -> CodeSnapshot:
        if self._known is not None:
            return self._known._snapshot
        return CodeSnapshot(self.root, _sources_kept_in(self.root.absolute()))

    def splitter_entry(self, split: str) -> str:
        """Return the function that makes a split."""
        return SPLITTERS[self.settings.splits[split].kind]

    def recommender_entry(self, system: str) -> str:
        """Return a system's class."""
        return self.settings.systems[system].recommender


@dataclass(frozen=True, eq=False)
class CodeDigests:
    """Digests of the code behind artifacts, which make jobs run again after an edit.

    Every digest is a parameter of a rule, so every plan computes all of them, and tests compare
    them with the rules. For systems that are divided into shards, they are those of the undivided
    jobs, whose results have the same bytes: records do not depend on the division.
    """

    settings: Settings
    artifacts: PlannedArtifacts
    claims: PlannedClaims
    code: PlannedCode

    def of_study(self, study: str) -> dict[str, dict[str, str]]:
        """Return the digests of each artifact of a study that can be made.

        ``results`` is of all code behind its numbers (:meth:`behind`), ``shown`` of the code that
        shows them.
        """
        digests = {}
        for name in self.artifacts.made(study):
            showing, _ = SHOWING[self.artifacts.spec(study, name).kind]
            digests[name] = {
                "results": self.code.folded(self.behind(study, name)),
                "shown": self.code.of_job(showing, self.artifacts.showing_function(study, name)),
            }
        return digests

    def behind(self, study: str, artifact: str) -> Digests:
        """Return the digests of all jobs behind an artifact's CSV, including its own.

        Only available data counts: a system that would be trained on absent datasets only does not
        contribute to the numbers.
        """
        artifacts, spec = self.artifacts, self.artifacts.spec(study, artifact)
        own = self.code.of_job(COMPUTING, *artifacts.results_entries(study, artifact))
        return frozenset([own]).union(
            *map(self._prepared, artifacts.present_datasets(study, artifact)),
            *(self._split(*pair) for pair in artifacts.splits_of_its_own(spec)),
            self._ranked(artifacts.experiments.present(study, spec.experiments).values()),
            *(self._sampled(study, name) for name in spec.judgment_samplings),
            *map(self._simulated, spec.simulations),
            self._searched() if spec.reads_searches else (),
            *(self.behind(study, other) for other in artifacts.results_read(study, artifact)),
            self._judged(study) if spec.reads_claims else (),
        )

    def _judged(self, study: str) -> Digests:
        """Return the digests of the jobs behind the verdicts on a paper's claims."""
        own = (
            self.code.of_job("claims:judge_claims", *self.claims.code_entries()),
            self.code.of_job("artifacts:record_provenance"),
        )
        read = self.claims.artifacts_read(study)
        return frozenset(own).union(*(self.behind(study, name) for name in read))

    def _prepared(self, dataset: str) -> Digests:
        """Return the digests of the jobs that make and parse the raw files of a dataset."""
        datasets = self.artifacts.datasets
        found = {self.code.of_job("data:prepare_ratings", *datasets.parser_entries(dataset))}
        # Fetched files are identified by checksums.
        if datasets.is_generated(dataset):
            writer = datasets.writer_entry(dataset)
            found.add(self.code.of_job("data:generate_twin", writer))
        return frozenset(found)

    def _split(self, dataset: str, split: str) -> Digests:
        made = self.code.of_job("data:split_ratings", self.code.splitter_entry(split))
        return self._prepared(dataset) | {made}

    def _ranked(self, experiments: Iterable[ExperimentSpec]) -> Digests:
        """Return the digests of all jobs behind the judged ranks of some experiments."""
        found: set[str] = set()
        for experiment in experiments:
            found |= self._split(experiment.dataset, experiment.split)
            for system in experiment.all_systems:
                recommender = self.code.recommender_entry(system)
                found |= {
                    self.code.of_job(f"systems:{job}", recommender)
                    for job in ("train_system", "rank_system")
                }
        return frozenset(found)

    def _sampled(self, study: str, judgment_sampling: str) -> Digests:
        samplings = self.artifacts.judgment_samplings
        names = samplings.spec(study, judgment_sampling).experiments
        metrics = samplings.metric_entries(study, judgment_sampling)
        sampled = self.code.of_job("measurements:sample_judgments", *metrics)
        return self._ranked(self.artifacts.experiments.present(study, names).values()) | {sampled}

    def _simulated(self, simulation: str) -> Digests:
        simulations = self.artifacts.simulations
        metrics = simulations.metric_entries(simulation)
        recommenders = map(self.code.recommender_entry, simulations.files(simulation))
        return frozenset(
            self.code.of_job("measurements:simulate_skewness", recommender, *metrics)
            for recommender in recommenders
        )

    def _searched(self) -> Digests:
        searches = self.settings.searches
        metrics = self.artifacts.searches.metric_entries()
        recommenders = map(self.code.recommender_entry, searches.systems)
        return self._split(searches.dataset, searches.split).union(
            self.code.of_job("measurements:search_settings", recommender, *metrics)
            for recommender in recommenders
        )


@cache
def _sources_kept_in(root: Path) -> ParsedSources:
    """Return the cache of parsed sources that this run adds to, in Snakemake's own folder."""
    sources = ParsedSources(root / ".snakemake" / "parsed_sources.json")
    atexit.register(sources.save)
    return sources


_hash_of_source = cache(hash_of_source)


@cache
def _versions_digest() -> str:
    used: dict[str, object] = {**versions(), "arithmetic": settings_in_effect()}
    used.pop("snakemake", None)
    return hashlib.sha256(json.dumps(used, sort_keys=True).encode()).hexdigest()[:8]
