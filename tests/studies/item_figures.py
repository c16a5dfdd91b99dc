# SPDX-License-Identifier: MIT
"""Inputs of the figures of items and of pairs of items, from a few ratings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from studies.prepared import family_of, inputs_of, ratings_of

from receval.data.ratings import Ratings
from receval.splits.split import Split
from reproduction.config.settings import load_settings
from reproduction.studies._shared.inputs import ArtifactInputs

STUDY = "menamaldonado2021"
ROOT = Path(__file__).resolve().parents[2]
SPECS = load_settings(ROOT / "config", "full").studies[STUDY].artifacts
FIGURES = {
    name: family_of(STUDY, name) for name in ("fig05", "fig06", "fig07", "fig09", "fig10", "fig15")
}

# Items: rated by 3 of 4 users, 2 of them liked it; by 2, 1 liked it; by 1, who liked it; by nobody;
# by all four. The last two are left out. Popularity 3/4, 2/4, 1/4, average ratings 2/3, 1/2, 1.
SMALL = ratings_of(
    [
        *[(0, 0, 5), (1, 0, 4), (2, 0, 1)],
        *[(0, 1, 4), (3, 1, 2)],
        *[(1, 2, 5)],
        *[(user, 4, 5) for user in range(4)],
    ],
    n_users=4,
    n_items=5,
)


def with_known(ratings: Ratings, seed: int = 5) -> Ratings:
    """Mark a third of the ratings as of items that the user knew, the liked ones more often."""
    rng = np.random.default_rng(seed)
    known = rng.random(len(ratings)) < np.where(ratings.values >= 3, 0.5, 0.2)
    rows = zip(ratings.users, ratings.items, ratings.values.tolist(), strict=True)
    return ratings_of(rows, ratings.n_users, ratings.n_items, known.tolist())


def inputs_for(
    artifact: str,
    folder: Path,
    datasets: dict[str, Ratings],
    folds: Sequence[np.ndarray] = (),
    **parameters: Any,
) -> ArtifactInputs:
    splits = []
    for name in datasets if folds else ():
        target = folder / name / "random-folds"
        target.mkdir(parents=True)
        Split(tuple(codes.astype(np.uint8) for codes in folds), {}).write(target / "split.npz")
        splits.append((name, "random-folds"))
    return inputs_of(
        folder,
        datasets,
        splits=splits,
        absent=[name for name in SPECS[artifact].datasets if name not in datasets],
        **{**SPECS[artifact].parameters, **parameters},
    )


def stated(results: pd.DataFrame, column: str, **where: str) -> dict[str, float]:
    """Return the numbers that are stated, by their statements."""
    rows = results[results["statement"] != ""]
    for name, value in where.items():
        rows = rows[rows[name] == value]
    assert rows["statement"].is_unique
    return dict(zip(rows["statement"], rows[column], strict=True))


# Items of three judges: of each, how many like it, and how many of these and of the others know
# it: 1, 1 and 1; 2, 1 and 0; 0, 0 and 1; 2, 0 and 0; 3, 1 and 0. Nobody judged the last item.
JUDGED = ratings_of(
    [
        *[(0, 0, 4), (1, 0, 1), (2, 0, 1)],
        *[(0, 1, 3), (1, 1, 4), (2, 1, 2)],
        *[(0, 2, 1), (1, 2, 2), (2, 2, 1)],
        *[(0, 3, 4), (1, 3, 3), (2, 3, 2)],
        *[(0, 4, 4), (1, 4, 3), (2, 4, 4)],
    ],
    n_users=3,
    n_items=6,
    known=[
        *[True, True, False],
        *[True, False, False],
        *[True, False, False],
        *[False, False, False],
        *[True, False, False],
    ],
)
