# SPDX-License-Identifier: MIT
"""Input files that a rule declares for its jobs, found by their contents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from receval.data.ratings import Ratings, table_folder


@dataclass(frozen=True)
class InputFiles:
    """The declared inputs of a job, by content.

    The path of a file, made by the plan, tells what it holds. A job asks for files by names and
    gets declared paths; asking for an undeclared input is an error.
    """

    # .../<dataset>/<table>.parquet and the other files of a prepared dataset.
    ratings: Sequence[Path] = ()
    # .../<dataset>/<split>/split.npz
    splits: Sequence[Path] = ()
    # .../<dataset>/<split>/<system>/ranks.npz
    ranks: Sequence[Path] = ()
    # .../<dataset>/<split>/<system>/models
    models: Sequence[Path] = ()
    # The table of published values, or nothing.
    published: Sequence[Path] = ()
    # .../<system>/search.csv
    searches: Sequence[Path] = ()
    # .../<judgment_sampling>.npz
    judgment_samplings: Sequence[Path] = ()
    # .../<artifact>.csv
    other_results: Sequence[Path] = ()
    # .../<simulation>/<system>.csv
    simulations: Sequence[Path] = ()
    # The verdicts on the claims of the study, or nothing.
    claims: Sequence[Path] = ()

    @cached_property
    def _tables(self) -> dict[Path, Ratings]:
        return {}

    def table(self, dataset: str) -> Ratings:
        """Return the ratings of a dataset, shared by all experiments on it."""
        folder = self.ratings_folder(dataset)
        if folder not in self._tables:
            self._tables[folder] = Ratings.read(folder)
        return self._tables[folder]

    def ratings_folder(self, dataset: str) -> Path:
        """Return the folder of a prepared dataset."""
        tables = [path for path in self.ratings if path.suffix == ".parquet"]
        return table_folder([path for path in tables if path.parent.name == dataset])

    def split_file(self, dataset: str, split: str) -> Path:
        """Return the file of a split."""
        return self._one(self.splits, "the split", dataset, split, "split.npz")

    def ranks_file(self, dataset: str, split: str, system: str) -> Path:
        """Return the file with the judged ranks of a system."""
        return self._one(self.ranks, "the ranks", dataset, split, system, "ranks.npz")

    def models_folder(self, dataset: str, split: str, system: str) -> Path:
        """Return the folder with the models of a system, one per fold."""
        return self._one(self.models, "the models", dataset, split, system, "models")

    def published_file(self) -> Path:
        """Return the table of published values."""
        return self._one(self.published, "the published values")

    def search_file(self, system: str) -> Path:
        """Return the trace of a search for settings."""
        return self._one(self.searches, "the search", system, "search.csv")

    def judgment_sampling_file(self, name: str) -> Path:
        """Return the values of a judgment sampling."""
        return self._one(self.judgment_samplings, "the judgment sampling", f"{name}.npz")

    def results_file(self, artifact: str) -> Path:
        """Return the results of another artifact of the study."""
        return self._one(self.other_results, "the results", f"{artifact}.csv")

    def simulation_file(self, name: str, system: str) -> Path:
        """Return the values of a system in a simulation."""
        return self._one(self.simulations, "the simulation", name, f"{system}.csv")

    def claims_file(self) -> Path:
        """Return the verdicts on the claims of the study."""
        return self._one(self.claims, "the verdicts on claims")

    @staticmethod
    def _one(declared: Sequence[Path], what: str, *end: str) -> Path:
        found = [path for path in declared if path.parts[len(path.parts) - len(end) :] == end]
        if len(found) != 1:
            raise ValueError(
                f"The job reads {what} {'/'.join(end)}, which occurs {len(found)} times among "
                f"the {len(declared)} inputs of this kind that its rule declares. It must occur "
                "once. reproduction.workflow.plan names the inputs of rules."
            )
        return found[0]
