# SPDX-License-Identifier: MIT
"""MovieLens 1M from the local mirror, prepared as the workflow prepares it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path

from declared_files import files_in
from real_files import MIRROR, MOVIELENS, needs

from receval.data.ratings import Ratings
from receval.metrics.evaluation import EvaluatedUsers, evaluate, mean
from receval.metrics.lists import JudgedLists
from receval.metrics.registry import parse
from receval.protocols.evaluation import rank_judged
from receval.protocols.protocol import Protocol
from receval.recommenders.base import Recommender, make
from receval.seeds import generator, integer_seed
from receval.splits.kinds import make_split
from receval.splits.split import Fold, Split, fold
from reproduction.config.settings import load_settings
from reproduction.datasets.fetch import obtain
from reproduction.datasets.prepare import prepare
from reproduction.datasets.raw import resolve
from reproduction.studies._shared.inputs import ArtifactDescription, ArtifactInputs

ROOT = Path(__file__).resolve().parents[2]
DATASET = "ml-1m"
SETTINGS = load_settings(ROOT / "config", "full")

needs_movielens = needs(MOVIELENS)


@dataclass(frozen=True)
class MovieLens:
    """The prepared dataset; its folder is an edition's working folder."""

    folder: Path

    @classmethod
    def prepared_in(cls, folder: Path) -> MovieLens:
        """Check and parse the raw files; the counts are checked on the way."""
        spec = SETTINGS.datasets[DATASET]
        found = resolve(DATASET, spec, folder / "raw", [MIRROR], network=False)
        prepare(obtain(DATASET, spec, found, folder / "raw"), spec, folder / DATASET)
        return cls(folder)

    @cached_property
    def ratings(self) -> Ratings:
        """All ratings."""
        return Ratings.read(self.folder / DATASET)

    def inputs(self, **parameters: float) -> ArtifactInputs:
        """Return the inputs of an artifact that reads the ratings."""
        return ArtifactInputs(
            files_in(self.folder), ArtifactDescription(parameters=parameters, datasets=(DATASET,))
        )

    def split(self, name: str) -> Split:
        """Return a configured split with its first fold alone."""
        return _split(self, name)

    def first_fold(self, split: str) -> Fold:
        """Return the first fold of a configured split."""
        return _first_fold(self, split)

    def trained(self, split: str, system: str) -> Recommender:
        """Return a configured system, trained on the first fold of a configured split."""
        return _trained(self, split, system)

    def measured(
        self, split: str, system: str, protocol: Protocol, threshold: float, *labels: str
    ) -> list[float]:
        """Train and rank a configured system on the first fold; return metric values."""
        names = (DATASET, split)
        data = self.first_fold(split)
        model = self.trained(split, system)
        generator_for = partial(generator, SETTINGS.seed, *names, 0)
        (ranks,) = rank_judged(model, data, [protocol], generator_for)
        lists = JudgedLists.of(data.test, ranks, threshold, protocol)
        evaluated_users: EvaluatedUsers = "all"
        return mean(
            evaluate([parse(label) for label in labels], lists), lists, evaluated_users
        ).tolist()


@cache
def _split(movielens: MovieLens, name: str) -> Split:
    # The folds of these splits are drawn one by one, so one is enough.
    spec = SETTINGS.splits[name].model_copy(update={"folds": 1})
    return make_split(movielens.ratings, spec, SETTINGS.seed, DATASET, name, {})


@cache
def _first_fold(movielens: MovieLens, split: str) -> Fold:
    return fold(movielens.ratings, _split(movielens, split), 0)


@cache
def _trained(movielens: MovieLens, split: str, system: str) -> Recommender:
    described = SETTINGS.systems[system]
    seed = integer_seed(SETTINGS.seed, DATASET, split, system, 0)
    model = make(described.recommender, described.parameters, seed)
    return model.fit(_first_fold(movielens, split).train)
