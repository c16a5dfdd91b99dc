# SPDX-License-Identifier: MIT
"""Compare all pairs of systems on a user's own ratings under all combinations of decisions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from inspect import signature
from itertools import combinations
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.checked_arguments import checked_arguments
from receval.data.ratings import Ratings
from receval.data.reading import ReadingReport, readings_of
from receval.data.relevance import RelevanceRule, negative_ratings_notes, relevance_in_words
from receval.evaluation.fitted_systems import ProgressSteps, notes_on_clicks
from receval.evaluation.measurements import FEW_USERS
from receval.metrics.gains import HIGHEST_EXPONENT
from receval.metrics.lists import DatasetMetadata, JudgedItems, JudgedLists
from receval.multiverse.comparisons import UserValues
from receval.multiverse.decisions import DECISION_NAMES, Configuration, DecisionGrid, SplitDecision
from receval.multiverse.exploration import (
    Universes,
    counts_of_reasons,
    explore,
    grouped,
    notes_on_universes,
    with_universes_that_cannot_tell,
)
from receval.multiverse.verdicts import CANNOT_TELL, index_of_universe
from receval.notes import Note
from receval.protocols.evaluation import rank_judged
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import NonComputable
from receval.recommenders.base import Recommender
from receval.recommenders.training_ratings import clicked_training
from receval.seeds import generator, integer_seed
from receval.splits.kinds import RandomRatio, SelectionSpec, Temporal, UserRatio, make_split
from receval.splits.selection import selected_ratings
from receval.splits.split import Fold, Split, fold
from receval.splits.split_ratings import SplitRatings, split_with_random_ties
from receval.storage.messages import how_many

MOST_PRINTED = 6
"""The most pairs of systems that are printed; a multiverse then prints in ten lines."""

TIMELY = 0.8
"""The share of the ratings before the moment at which a split along time is cut."""

FEWEST_BEFORE_AND_AFTER = 20
"""The fewest users with ratings before and after this moment for such a split."""


@dataclass(frozen=True, repr=False)
class ExploredRatings:
    """The universes of given ratings and systems.

    ``universes`` has one row per pair and universe, as from
    :func:`receval.multiverse.exploration.explore`, with exact p-values of Wilcoxon's test. The
    ``verdict`` of a universe that cannot tell systems apart is ``cannot tell``, with a ``reason``
    (:data:`receval.multiverse.exploration.REASONS`). ``per_user`` has the values of users in the
    starting configuration, the first level of every decision, by ``system`` and ``user``. It
    prints in ten lines. Notes are on decisions that the data do not support, and on universes that
    cannot tell. ``reading`` tells how the ratings were read, and ``words`` which of them are
    relevant.
    """

    universes: pd.DataFrame
    per_user: pd.DataFrame
    start: Configuration
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    reading: tuple[ReadingReport, ...] = ()
    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        n = len(self.universes) // max(1, len(self.pairs))
        told = [
            f"Multiverse of {how_many(n, 'universe')}, how many of them with each verdict; the "
            "start is",
            self.start.name,
        ]
        for first, second in self.pairs[:MOST_PRINTED]:
            own = self.of_pair(first, second)
            counts = own["verdict"].value_counts()
            shown = {"first": f"{first} wins", "tie": "neither", "second": f"{second} wins"}
            shown |= {CANNOT_TELL: CANNOT_TELL}
            parts = [f"{words} {counts.get(name, 0):,}" for name, words in shown.items()]
            at_start = shown[str(own["verdict"].iloc[index_of_universe(own, self.start)])]
            told.append(f"{first} and {second}: {', '.join(parts)}; at the start {at_start}")
        if (more := len(self.pairs) - MOST_PRINTED) > 0:
            told.append(f"and {how_many(more, 'more pair')}")
        told.append("All: .universes; of two systems: .of_pair; tables: multiverse_report")
        return "\n".join(told)

    __repr__ = __str__

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of systems."""
        return list(
            dict.fromkeys(zip(self.universes["first"], self.universes["second"], strict=True))
        )

    def of_pair(self, first: str, second: str) -> pd.DataFrame:
        """Return the universes of a pair of systems.

        Parameters
        ----------
        first, second : str
            The names of two compared systems, in the order of the columns of these names.
        """
        chosen = (self.universes["first"] == first) & (self.universes["second"] == second)
        return self.universes[chosen].reset_index(drop=True)


# Grids of the eight decisions, reduced to what given ratings support.

GridName = Literal["quick", "full"]

_EVALUATION: dict[str, Any] = {
    "users": ["trained", "all"],
    "lists": ["full", "condensed"],
    "metric": [
        {"name": "nDCG", "depth": 10, "gain": "g1"},
        {"name": "nDCG", "depth": 10, "gain": "g2"},
        {"name": "P", "depth": 10},
        {"name": "RBP", "depth": None},
        {"name": "RBO", "depth": None},
        {"name": "tau", "depth": None},
    ],
    "coverage": ["full", "reduced"],
}

GRIDS: dict[GridName, dict[str, Any]] = {
    "quick": {
        **_EVALUATION,
        "selection": [{}, {"head_removed": 0.05}],
        "split": [{"kind": "random", "train_ratio": 0.5}, {"kind": "random", "train_ratio": 0.8}],
        "non_computable": ["none", "popularity"],
        "aggregation": ["mean", "median", "test-weighted", "geometric"],
        "test": ["t", "t-log", "sign", "wilcoxon"],
    },
    "full": {
        **_EVALUATION,
        "selection": [
            {},
            {"share": 0.5},
            {"head_removed": 0.05},
            {"min_user_ratings": 50, "min_item_ratings": 50},
        ],
        "split": [
            {"kind": "random", "train_ratio": 0.5},
            {"kind": "random", "train_ratio": 0.2},
            {"kind": "random", "train_ratio": 0.8},
            {"kind": "user", "train_ratio": 0.8},
        ],
        "non_computable": ["none", "random", "popularity", "average"],
        "aggregation": ["mean", "median", "test-weighted", "positive-weighted", "geometric"],
        "test": ["t", "t-log", "sign", "wilcoxon", "bootstrap"],
    },
}
"""Levels by decision; the first ones are the starting configuration of Cañamares et al. (2020). The
full grid is that of the repository's own multiverse, with 20,480 universes."""

_GRADED_METRICS = ("RBO", "tau")


def grid_of(name: GridName, ratings: Ratings) -> tuple[DecisionGrid, tuple[Note, ...]]:
    """Return a grid without the levels that the ratings do not support, and notes on these."""
    if name not in GRIDS:
        raise ValueError(f"There is no grid {name!r}; there are {' and '.join(GRIDS)}.")
    levels = dict(GRIDS[name])
    notes = []
    if len(np.unique(ratings.values)) < 2:
        levels["metric"] = [
            metric
            for metric in levels["metric"]
            if metric["name"] not in _GRADED_METRICS and metric.get("gain") != "g2"
        ]
        notes.append(
            "All ratings are the same. The exponential gain, RBO and Kendall's tau (C2) need "
            "different ratings and are left out."
        )
        notes.append(
            "All ratings are relevant, so condensed lists (C1) would have only relevant items. "
            "They are left out."
        )
        levels["lists"] = ["full"]
    elif ratings.values.max() <= 1 or ratings.values.max() > HIGHEST_EXPONENT:
        levels["metric"] = [own for own in levels["metric"] if own.get("gain") != "g2"]
        notes.append(
            "No rating is above 1, so the exponential gain (C2) is 0 for all of them. It is left "
            "out."
            if ratings.values.max() <= 1
            else f"The highest rating is {ratings.values.max():,g}. The exponential gain (C2) is "
            "2 to this power, which is too large for a number. It is left out."
        )
    own, why = _splits_by_time(ratings)
    levels["split"] = [*levels["split"], *own]
    notes += why
    most = min(int(np.bincount(codes).max()) for codes in (ratings.users, ratings.items))
    if name == "full" and most < 50:
        levels["selection"] = [own for own in levels["selection"] if "min_user_ratings" not in own]
        notes.append(
            "No user or no item has 50 ratings, so the selection of those with 50 (A1) is left out."
        )
    return DecisionGrid.model_validate(levels), tuple(
        Note("decision-left-out", text) for text in notes
    )


def _splits_by_time(ratings: Ratings) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the level of a split along time, if the ratings have times, or why there is none."""
    if ratings.timestamps is None:
        return [], []
    moment = np.sort(ratings.timestamps)[int(TIMELY * len(ratings))]
    if ratings.timestamps.min() == ratings.timestamps.max():
        return [], ["All ratings have the same time. The split along time (A2) is left out."]
    is_before = ratings.timestamps < moment
    both = np.intersect1d(ratings.users[is_before], ratings.users[~is_before])
    if len(both) < FEWEST_BEFORE_AND_AFTER:
        return [], [
            f"Only {how_many(len(both), 'user')} rated both before and after the moment until "
            f"which {TIMELY:.0%} of the ratings were made. The split along time (A2) is left "
            "out."
        ]
    return [{"kind": "time", "train_ratio": TIMELY}], []


# Universes made on demand from ratings and recommenders, without a workflow.

NON_COMPUTABLE: tuple[NonComputable, ...] = ("none", "random", "popularity", "average")

Factory = Callable[[int], Recommender]
"""Creates an untrained recommender from a seed."""


class TrainedUniverses(Universes):
    """Universes of given ratings and systems, split, trained and ranked on demand.

    Every split (A1, A2) is made once, every system is trained on it once, and all `policies` for
    items without a score (B2), which must name all that will be requested, are ranked together.
    Only the last split is kept, so request configurations split by split, as
    :func:`receval.multiverse.exploration.explore` does.

    ``systems[name](seed)`` creates an untrained recommender, and the seed is the root of these.
    Ratings from the threshold on are relevant. `own` is the split of the kind ``own``, of the same
    ratings. Of several folds, the first is taken; a selection (A1) leaves out ratings of both of
    its parts.

    Examples
    --------
    Ratings of 30 items by 20 users, half of which are relevant:

    >>> rng = np.random.default_rng(1)
    >>> users, items = np.nonzero(rng.random((20, 30)) < 0.5)
    >>> ratings = Ratings(
    ...     users=users.astype(np.int32),
    ...     items=items.astype(np.int32),
    ...     values=rng.integers(3, 5, len(users)).astype(np.float32),
    ...     user_ids=np.arange(20).astype(np.str_),
    ...     item_ids=np.arange(30).astype(np.str_),
    ... )
    >>> from receval.recommenders.non_personalised import Popularity
    >>> from receval.recommenders.knn import UserKNN
    >>> systems = {"kNN": lambda seed: UserKNN(5), "Pop": lambda seed: Popularity()}
    >>> universes = TrainedUniverses(ratings, systems, threshold=4)
    >>> ranks = universes.lists(Configuration(), "Pop")
    >>> int(universes.has_train(Configuration()).sum())  # users who trained
    20
    """

    def __init__(
        self,
        ratings: Ratings,
        systems: Mapping[str, Factory],
        threshold: float,
        seed: int = 0,
        policies: tuple[NonComputable, ...] = NON_COMPUTABLE,
        own: SplitRatings | None = None,
    ) -> None:
        self.ratings = ratings
        self.systems = systems
        self.threshold = threshold
        self.seed = seed
        self.policies = policies
        self._own = own
        self._metadata = DatasetMetadata.of(ratings, threshold)
        self._made: tuple[SelectionSpec, SplitDecision] | None = None

    def lists(self, configuration: Configuration, system: str) -> JudgedLists:
        """Return a system's full lists; see :meth:`.Universes.lists`."""
        if system not in self.systems:
            raise ValueError(f"There is no system {system}; there are {', '.join(self.systems)}.")
        if configuration.non_computable not in self.policies:
            raise ValueError(
                f"The policy {configuration.non_computable} was not asked for; the policies are "
                f"{', '.join(self.policies)}."
            )
        self._split(configuration)
        if system not in self._ranked:
            self._ranked[system] = self._rank(configuration, system)
        judged_ranks = self._ranked[system][configuration.non_computable]
        return JudgedLists.measured_by(self._judged, judged_ranks, configuration.protocol)

    def has_train(self, configuration: Configuration) -> NDArray[np.bool_]:
        """Return which users have training ratings."""
        self._split(configuration)
        trained: NDArray[np.bool_] = np.diff(self._fold.train.indptr) > 0
        return trained

    def _split(self, configuration: Configuration) -> None:
        decided = (configuration.selection, configuration.split)
        if decided == self._made:
            return
        self._fold: Fold = fold(self.ratings, self._parts(*decided), 0)
        self._judged = JudgedItems.of(self._fold.test, self.threshold, self._metadata)
        self._ranked: dict[str, dict[NonComputable, JudgedRanks]] = {}
        self._made = decided

    def _parts(self, selection: SelectionSpec, decided: SplitDecision) -> Split:
        """Return which ratings train and test."""
        share = decided.train_ratio
        if decided.kind == "own":
            if self._own is None:
                raise ValueError(
                    "The grid has the split 'own', but only ratings are given. Give a split of "
                    "them (split)."
                )
            rng_for = partial(generator, self.seed, "ratings", "split")
            kept = selected_ratings(self.ratings, rng_for, **selection.model_dump())
            codes = tuple(np.where(kept, one, np.uint8(0)) for one in self._own.parts.codes[:1])
            return replace(self._own.parts, codes=codes)
        if decided.kind == "time":
            by_time = Temporal(kind="temporal", test_share=1 - share, selection=selection)
            return split_with_random_ties(self.ratings, by_time, self.seed)[0]
        spec: RandomRatio | UserRatio
        if decided.kind == "random":
            spec = RandomRatio(kind="random-ratio", train_ratio=share, selection=selection)
        else:
            spec = UserRatio(kind="user-ratio", train_ratio=share, selection=selection)
        # With one name for all splits, a training rating of one share is in train for every larger
        # share.
        return make_split(self.ratings, spec, self.seed, "ratings", "split", {})

    def _rank(self, configuration: Configuration, system: str) -> dict[NonComputable, JudgedRanks]:
        recommender = self.systems[system](integer_seed(self.seed, "ratings", "split", system, 0))
        recommender.fit(clicked_training(recommender, self._fold.train))
        protocols = [
            configuration.replace(non_computable=policy, coverage="full").protocol
            for policy in self.policies
        ]
        generator_for = partial(generator, self.seed, "ratings", "split", 0)
        ranked = rank_judged(recommender, self._fold, protocols, generator_for)
        return dict(zip(self.policies, ranked, strict=True))


@checked_arguments
def explore_ratings(
    ratings: Ratings | SplitRatings,
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
    ratings : Ratings or SplitRatings
        The ratings; the order of rows does not matter. A split of them (its first fold) becomes the
        first level of the splits, so that the starting configuration is of one's own split. Splits
        along time are another level of the named grids if there are timestamps.
    systems : mapping of str to callable
        Two or more systems; ``systems[name](seed)`` creates an untrained recommender.
    grid : "quick", "full" or DecisionGrid
        Levels of the decisions (:data:`receval.multiverse.explore_ratings.GRIDS`). A named grid
        leaves out levels that the ratings do not support.
    relevant : float or "auto"
        The lowest rating of a relevant test item.
    seed : int
        The seed of splits, samples and systems.
    told : callable, optional
        Called with the progress: a word, the number of steps done, and the total.

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
            f"There is {' '.join(['only', *systems]) if systems else 'no system'}, but a "
            "multiverse compares two or more."
        )
    for name, make in systems.items():
        try:
            signature(make).bind(seed)
        except TypeError:
            raise ValueError(
                f"systems[{name!r}] must be a function of a seed that returns an untrained system, "
                "such as lambda seed: WRMF(seed=seed), since each universe trains its own."
            ) from None
    own_split = ratings if isinstance(ratings, SplitRatings) else None
    if own_split is not None and next(iter(own_split.folds())).fold_in is not None:
        raise ValueError(
            "The split holds users out, and systems are given some of their ratings after "
            "training, which universes do not do. Give a split of the ratings of all users."
        )
    reading = readings_of(ratings)
    # Splits are in this order already.
    rated = ratings.ratings if isinstance(ratings, SplitRatings) else ratings
    ratings = rated if own_split is not None else rated.in_order_of_identifiers()
    levels, notes = (grid, ()) if isinstance(grid, DecisionGrid) else grid_of(grid, ratings)
    if own_split is not None:
        others = [one for one in levels.split if one.kind != "own"]
        levels = levels.model_copy(update={"split": (SplitDecision(kind="own"), *others)})
    of_test = own_split.test_reading if own_split is not None else next(iter(reading), None)
    relevance = RelevanceRule.of(ratings.values, relevant, reading=of_test)
    threshold = relevance.threshold
    clicks = notes_on_clicks({name: make(seed) for name, make in systems.items()}, ratings.values)
    configurations = levels.configurations()
    universes = TrainedUniverses(
        ratings, systems, threshold, seed, levels.non_computable, own_split
    )
    pairs = list(combinations(systems, 2))
    start = configurations[0]
    of_splits = grouped(configurations, "selection", "split")
    found = []
    per_user = pd.DataFrame()
    for number, own in enumerate(of_splits):
        if told is not None:
            told("splits", number, len(of_splits))
        # With one seed for all splits, the bootstrap draws the same samples of users in each.
        compared = explore(
            own, universes, pairs, generator(seed, "own data", "multiverse"), is_exact=True
        )
        found.append(with_universes_that_cannot_tell(compared, own, universes, pairs))
        if number == 0:
            per_user = _values_of_users(universes, start, ratings)
    if told is not None:
        told("splits", len(of_splits), len(of_splits))
    compared = pd.concat(found, ignore_index=True)
    averaged = per_user["user"].nunique()
    few = []
    if averaged < FEW_USERS * ratings.n_users:
        text = (
            f"Only {averaged:,} of {ratings.n_users:,} users are averaged in the starting "
            "configuration."
        )
        few.append(Note("few-users", text))
    return ExploredRatings(
        reading=reading,
        words=(relevance_in_words(ratings.values, threshold, "ratings"),),
        universes=compared,
        per_user=per_user,
        start=start,
        settings={
            "systems": list(systems),
            "grid": grid if isinstance(grid, str) else "own",
            **({} if own_split is None else {"split": own_split.parameters}),
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
        notes=(
            *(*notes, *few, *relevance.notes, *negative_ratings_notes(ratings.values)),
            *(*clicks, *notes_on_universes(compared)),
        ),
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
