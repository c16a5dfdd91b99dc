# SPDX-License-Identifier: MIT
"""Generated files in the raw format of Yahoo! R3, for tests of what happens when they are there.

The dataset itself may not be passed on. Beside tests/plan and tests/workflow, which both use it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from simulation.twin_folders import ROOT, ROOT_SEED, shrink

from receval.seeds import generator
from reproduction.config.reading import load_twins
from reproduction.simulation.observation import Observation
from reproduction.simulation.twins import parsed_rows, simulate
from reproduction.simulation.writers import yahoo
from reproduction.workflow.plan.plan import Plan

DATASET = "yahoo-r3"


@dataclass(frozen=True)
class YahooFiles:
    """Raw files of a few users and songs, and what is in them.

    - ``folder``: Holds the train and the test file, and nothing else that was written here.
    - ``observation``: All rows of both files.
    """

    folder: Path
    observation: Observation

    @classmethod
    def put_into(cls, folder: Path) -> YahooFiles:
        """Write the two files into a folder, ``work/raw/yahoo-r3`` or one of a local mirror."""
        simulation = simulate(DATASET, shrink(load_twins(ROOT / "config/twins.yaml")[DATASET]), 1)
        folder.mkdir(parents=True)
        yahoo.write(
            folder,
            simulation.observation,
            simulation.user_ids,
            simulation.item_ids,
            generator(ROOT_SEED, DATASET, "raw files"),
        )
        return cls(folder, simulation.observation)

    @property
    def counts(self) -> dict[str, int]:
        """What a table of statistics says of them: rows that the parser keeps."""
        seen, kept = self.observation, parsed_rows(self.observation)
        known = self._known[kept]
        return {
            "users": len(np.unique(seen.users[kept])),
            "items": len(np.unique(seen.items[kept])),
            "ratings": len(kept),
            "known_ratings": int(known.sum()),
            "unknown_ratings": int((~known).sum()),
        }

    @property
    def changes(self) -> dict[str, Any]:
        """Changes to the configuration under which these files are accepted as the original."""
        everything = np.arange(len(self.observation))
        kept = parsed_rows(self.observation)
        expected = {
            **self._part(kept),
            "rows": len(everything),
            "known": self._part(kept[self._known[kept]]),
            "unknown": self._part(kept[~self._known[kept]]),
            "files": {
                "train": self._part(everything[self._known]),
                "test": self._part(everything[~self._known]),
            },
        }
        return {"datasets": {DATASET: {"expected": expected}}}

    @property
    def _known(self) -> NDArray[np.bool_]:
        assert self.observation.known is not None
        return self.observation.known

    def _part(self, rows: NDArray[np.int64]) -> dict[str, Any]:
        seen = self.observation
        values, counts = np.unique(seen.values[rows].astype(int), return_counts=True)
        return {
            "ratings": len(rows),
            "users": len(np.unique(seen.users[rows])),
            "items": len(np.unique(seen.items[rows])),
            "values": dict(zip(values.tolist(), counts.tolist(), strict=True)),
        }


def artifacts_that_read(plan: Plan, dataset: str) -> list[tuple[str, str]]:
    """Return every figure and table, of any study, that has a panel or a row of a dataset."""
    return [
        (study, artifact)
        for study, spec in plan.settings.studies.items()
        for artifact in spec.artifacts
        if dataset in plan.artifacts.datasets_of(study, artifact)
    ]
