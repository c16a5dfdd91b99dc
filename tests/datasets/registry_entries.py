# SPDX-License-Identifier: MIT
"""Small registry entries for tests of finding, fetching and preparing."""

from __future__ import annotations

import copy
from pathlib import Path

from reproduction.config.reading import load_datasets
from reproduction.datasets.spec import DatasetSpec

ROOT = Path(__file__).resolve().parents[2]
REGISTRY = ROOT / "config" / "datasets.yaml"

PLAIN: dict[str, object] = {
    "title": "Small dataset",
    "short_title": "Small",
    "licence": "None.",
    "citation": "Nobody.",
    "page": "https://example.org/small",
    "access": "manual",
    "instructions": "Ask for it.",
    "scale": {"minimum": 1, "maximum": 5, "step": 1},
    "relevance_threshold": 4,
    "variants": [
        {
            "name": "dat",
            "parser": "reproduction.datasets.formats.movielens:parse_dat",
            "files": [{"name": "ratings.dat"}],
        }
    ],
}


def entry(**changes: object) -> dict[str, object]:
    """Return a valid entry with some keys changed; a value of None removes the key."""
    changed = copy.deepcopy(PLAIN) | changes
    return {key: value for key, value in changed.items() if value is not None}


def spec(**changes: object) -> DatasetSpec:
    """Return the entry as a model."""
    return DatasetSpec.model_validate(entry(**changes))


def registry() -> dict[str, DatasetSpec]:
    """Return the repository's registry."""
    return load_datasets(REGISTRY)
