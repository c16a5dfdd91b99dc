# SPDX-License-Identifier: MIT
"""Every pair of systems on one's own ratings, under all combinations of eight decisions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal

import numpy as np
import pandas as pd

from receval.checked_arguments import checked_arguments
from receval.data.ratings import Ratings
from receval.data.ratings_table import are_counts
from receval.data.relevance import RelevanceRule
from receval.evaluation.fitted_systems import notes_on_clicks
from receval.evaluation.measuring import FEW_USERS
from receval.evaluation.progress_steps import ProgressSteps
from receval.multiverse.cannot_tell import (
    counts_of_reasons,
    notes_on_universes,
    with_universes_that_cannot_tell,
)
from receval.multiverse.decision_grid import DecisionGrid
from receval.multiverse.decisions import DECISION_NAMES, Configuration
from receval.multiverse.exploration import explore
from receval.multiverse.grids import GridName, grid_of
from receval.multiverse.trained_universes import Factory, TrainedUniverses
from receval.multiverse.universes import UserValues
from receval.notes import Note
from receval.seeds import generator


@dataclass(frozen=True)
class ExploredRatings:
    """The universes of ratings and systems.

    Attributes
    ----------
    universes : DataFrame
        As :func:`receval.multiverse.exploration.explore` returns them, with exact p-values of
        Wilcoxon's test: a row a pair and universe. The ``verdict`` of one that cannot tell is
        ``cannot tell``, for a ``reason`` (:data:`receval.multiverse.cannot_tell.REASONS`).
    per_user : DataFrame
        The values of users in the starting configuration, by ``system`` and ``user``.
    start : Configuration
        The first level of every decision.
    settings : mapping
    notes : tuple of Note
        Which decisions the data does not support, and how many universes cannot tell.
    """

    universes: pd.DataFrame
    per_user: pd.DataFrame
    start: Configuration
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of systems."""
        return list(
            dict.fromkeys(zip(self.universes["first"], self.universes["second"], strict=True))
        )

    def of_pair(self, first: str, second: str) -> pd.DataFrame:
        """Return the universes of a pair of systems."""
        chosen = (self.universes["first"] == first) & (self.universes["second"] == second)
        return self.universes[chosen].reset_index(drop=True)


@checked_arguments
def explore_ratings(
    ratings: Ratings,
    systems: Mapping[str, Factory],
    *,
    grid: GridName | DecisionGrid = "quick",
    relevant: float | Literal["auto"] = "auto",
    seed: int = 1,
    told: ProgressSteps | None = None,
) -> ExploredRatings:
    """Compare all pairs of systems under all combinations of the decisions of an experiment.

    Parameters
    ----------
    ratings : Ratings
        The order of their rows does not matter.
    systems : mapping of str to callable
        Two or more; ``systems[name](seed)`` makes an untrained recommender.
    grid : "quick", "full" or DecisionGrid
        Levels of the decisions (:data:`receval.multiverse.grids.GRIDS`). Of the named ones
        those are left out that the ratings do not support.
    relevant : float or "auto"
        From which rating on a test item is relevant.
    seed : int
    told : callable, optional
        Is told how far the work is: a word, how many steps of it are done, and of how many.

    Returns
    -------
    ExploredRatings

    Raises
    ------
    ValueError
        There are fewer than two systems, nothing is relevant, or a universe has too few users.

    Examples
    --------
    >>> from receval.data.ratings_table import read_ratings
    >>> from receval.recommenders.non_personalised import Popularity, Random
    >>> rng = np.random.default_rng(1)
    >>> users, items = np.nonzero(rng.random((30, 20)) < np.linspace(0.9, 0.1, 20))
    >>> table = {"user": users, "item": items, "rating": rng.integers(1, 6, len(users))}
    >>> systems = {"Pop": lambda seed: Popularity(), "Random": lambda seed: Random(seed)}
    >>> lists = DecisionGrid(lists=["full", "condensed"])
    >>> found = explore_ratings(read_ratings(table), systems, grid=lists)
    >>> found.universes[["lists", "verdict"]].to_dict("list")
    {'lists': ['full', 'condensed'], 'verdict': ['tie', 'tie']}
    """
    if len(systems) < 2:
        raise ValueError(
            f"There is only {', '.join(systems) or 'no system'}: a multiverse compares two or more."
        )
    ratings = ratings.in_order_of_identifiers()
    levels, notes = (grid, ()) if isinstance(grid, DecisionGrid) else grid_of(grid, ratings)
    relevance = RelevanceRule.of(ratings.values, relevant, are_counts=are_counts(ratings))
    threshold = relevance.threshold
    clicks = notes_on_clicks({name: make(seed) for name, make in systems.items()}, ratings.values)
    configurations = levels.configurations()
    universes = TrainedUniverses(ratings, systems, threshold, seed, levels.non_computable)
    pairs = list(combinations(systems, 2))
    start = configurations[0]
    groups: dict[Any, list[Configuration]] = {}
    for each in configurations:
        groups.setdefault((each.selection, each.split), []).append(each)
    found = []
    per_user = pd.DataFrame()
    for number, own in enumerate(groups.values()):
        if told is not None:
            told("splits", number, len(groups))
        # One seed for all splits: the bootstrap draws the same samples of users in each.
        compared = explore(
            own, universes, pairs, generator(seed, "own data", "multiverse"), is_exact=True
        )
        found.append(with_universes_that_cannot_tell(compared, own, universes, pairs))
        if number == 0:
            per_user = _values_of_users(universes, start, ratings)
    if told is not None:
        told("splits", len(groups), len(groups))
    compared = pd.concat(found, ignore_index=True)
    averaged = per_user["user"].nunique()
    few = []
    if averaged < FEW_USERS * ratings.n_users:
        text = f"{averaged:,} of {ratings.n_users:,} users are averaged at the start."
        few.append(Note("few-users", text))
    return ExploredRatings(
        universes=compared,
        per_user=per_user,
        start=start,
        settings={
            "systems": list(systems),
            "grid": grid if isinstance(grid, str) else "own",
            "levels": {
                name: list(dict.fromkeys(each.levels[name] for each in configurations))
                for name in DECISION_NAMES
            },
            "universes": len(configurations),
            "cannot_tell": {
                f"{first}, {second}": counts_of_reasons(own)
                for (first, second), own in compared.groupby(["first", "second"], sort=False)
            },
            "relevant": threshold,
            "seed": seed,
        },
        notes=(*notes, *few, *relevance.notes, *clicks, *notes_on_universes(compared)),
    )


def _values_of_users(
    universes: TrainedUniverses, start: Configuration, ratings: Ratings
) -> pd.DataFrame:
    label = start.metric_label
    frames = []
    for system in universes.systems:
        lists = universes.lists(start, system)
        values = UserValues.of(lists, [label], start.lists).values[0]
        chosen = lists.full.n_judged > 0
        if start.users == "trained":
            chosen = chosen & universes.has_train(start)
        users = np.flatnonzero(chosen)
        frames.append(
            pd.DataFrame(
                {
                    "system": system,
                    "user": ratings.user_ids[users],
                    "metric": label,
                    "value": values[users],
                }
            )
        )
    return pd.concat(frames, ignore_index=True)
