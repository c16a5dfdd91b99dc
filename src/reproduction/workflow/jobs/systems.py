# SPDX-License-Identifier: MIT
"""Train and rank a system, whole or in shards of its folds and users."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from receval.data.ratings import Ratings, table_folder
from receval.protocols.evaluation import rank_judged
from receval.protocols.judged_ranks import JudgedRanks, RanksKey, join_ranks, write_ranks
from receval.protocols.protocol import Protocol
from receval.recommenders.base import RatingMatrix, Recommender, load, make, model_file
from receval.recommenders.training_ratings import ratings_from_plays, relevance_grades
from receval.seeds import GeneratorFor, generator, integer_seed
from receval.splits.split import Fold, Split, fold
from receval.storage.files import DamagedFileError, being_written

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Training:
    """How a system is trained on a fold, in any job.

    The class has parameters, which :meth:`check` refuses where they are not valid. From
    ``grades_from`` on, a rating is relevant, where the system learns from grades of relevance
    instead of ratings (:func:`receval.recommenders.training_ratings.relevance_grades`). The system
    meets users and items in the order of their codes, or of their first appearance in the train
    file (:class:`receval.splits.split.Fold`).
    """

    recommender: str
    parameters: Mapping[str, Any]
    seed: int
    names: tuple[str, str, str]
    events: bool = False
    grades_from: float | None = None
    order: Literal["codes", "appearance"] = "codes"

    def check(self, folder: Path) -> None:
        """Refuse invalid parameters, or a table of the wrong size, before any rating is read."""
        make(self.recommender, self.parameters, seed=0).check_size(*Ratings.sizes(folder))

    def fitted(
        self, data: Fold, number: int, n_items: int, users: range | None = None
    ) -> Recommender:
        """Return the system trained on a fold, for all users or for some consecutive ones.

        An oracle also gets the test ratings of the fold: the unbiased ones where there are some.
        """
        learnt = self._values_to_learn(data.learnt)
        met = (data.users_by_appearance, data.items_by_appearance)
        order = met if self.order == "appearance" else None
        seed = integer_seed(self.seed, *self.names, number)
        model = make(self.recommender, self.parameters, seed)
        judged = None
        if model.reads_test:
            judged = self._values_to_learn((data.unbiased or data.test).matrix(n_items))
        model.fit(learnt, judged, order, users)
        if data.fold_in is not None:
            model.fold_in(self._values_to_learn(data.fold_in))
        return model

    def _values_to_learn(self, values: RatingMatrix) -> RatingMatrix:
        if self.events:
            values = ratings_from_plays(values)
        return values if self.grades_from is None else relevance_grades(values, self.grades_from)


def train_system(
    *,
    ratings: Sequence[Path],
    split: Path,
    models: Path,
    recommender: str,
    parameters: Mapping[str, Any],
    seed: int,
    names: tuple[str, str, str],
    events: bool = False,
    grades_from: float | None = None,
    order: Literal["codes", "appearance"] = "codes",
) -> None:
    """Train a system on every fold (:class:`Training`), and write one model file per fold."""
    folder = table_folder(ratings)
    training = Training(recommender, parameters, seed, names, events, grades_from, order)
    training.check(folder)
    table = Ratings.read(folder)
    folds = Split.read(split)
    # A unique name, because a job of a killed run may still be writing.
    partial = being_written(models.parent, models.name)
    partial.mkdir(parents=True)
    for number in range(folds.n_folds):
        data = fold(table, folds, number)
        training.fitted(data, number, table.n_items).save(model_file(partial, number))
        _log.info("%s: fold %d of %d trained", names[-1], number + 1, folds.n_folds)
    shutil.rmtree(models, ignore_errors=True)
    partial.replace(models)


def rank_system(
    *,
    ratings: Sequence[Path],
    split: Path,
    models: Path,
    ranks: Path,
    recommender: str,
    protocols: Sequence[Mapping[str, Any]],
    seed: int,
    names: tuple[str, str],
) -> None:
    """Write the judged ranks of a system.

    Dataset, split and fold seed samples and ties, equally for every system.
    """
    wanted = [Protocol(**protocol) for protocol in protocols]
    table = Ratings.read(table_folder(ratings))
    folds = Split.read(split)
    judged_ranks: dict[RanksKey, JudgedRanks] = {}
    for number in range(folds.n_folds):
        data = fold(table, folds, number)
        model = trained_model(recommender, model_file(models, number), table)
        generator_for = partial(generator, seed, *names, number)
        judged_ranks |= ranked_fold(model, data, number, wanted, generator_for)
        _log.info("fold %d of %d ranked under %d protocols", number + 1, folds.n_folds, len(wanted))
    write_ranks(ranks, judged_ranks, (*names, ranks.parent.name))


def trained_model(recommender: str, file: Path, table: Ratings) -> Recommender:
    """Return the model of a fold that :func:`train_system` wrote, if it is of this dataset."""
    model = load(recommender, file)
    if (model.n_users_, model.n_items_) != (table.n_users, table.n_items):
        raise DamagedFileError(
            file,
            f"it was trained on {model.n_users_:,} users and {model.n_items_:,} items, but "
            f"the dataset has {table.n_users:,} and {table.n_items:,}",
        )
    return model


def ranked_fold(
    model: Recommender,
    data: Fold,
    number: int,
    protocols: Sequence[Protocol],
    generator_for: GeneratorFor,
    users: range | None = None,
) -> dict[RanksKey, JudgedRanks]:
    """Return the judged ranks of a trained system on a fold, by protocol and part."""
    found: dict[RanksKey, JudgedRanks] = {}
    for part, judgments in (("test", data.test), ("unbiased", data.unbiased)):
        if judgments is None:
            continue
        ranked = rank_judged(model, data, protocols, generator_for, part, users=users)
        for protocol, judged in zip(protocols, ranked, strict=True):
            own = judged if users is None else judged.of_users(users, judgments.indptr)
            found[protocol.key, number, part] = own
    return found


# A system's folds and users, divided among several jobs (shards).


def user_shards(ratings_of_users: ArrayLike, n_shards: int) -> list[range]:
    """Divide users into shards of consecutive ones that take about as long each.

    A user costs ``1 / n_users + ratings of the user / all ratings``. The first term is the same for
    all users: a neighbourhood compares each with all others, and ranking scores all items. The
    second grows with the user's ratings, in train or test, as do products of vectors and judgments.
    A shard ends after the user with whom the cumulative cost reaches the shard's part of the sum.
    Ratings are counted in train and test together, so that the division is the same for all splits
    and folds of a dataset, and on every machine.

    Examples
    --------
    The last user has rated as much as the three others together:

    >>> user_shards([2, 2, 2, 6], 2)
    [range(0, 3), range(3, 4)]
    """
    numbers = np.asarray(ratings_of_users, dtype=np.int64)
    n_users, n_ratings = len(numbers), int(numbers.sum())
    if n_users < n_shards:
        raise ValueError(
            f"{n_users} users cannot be divided into {n_shards} shards. Use at most as many "
            "shards as users."
        )
    # Whole numbers, so that rounding cannot move a border.
    costs = np.cumsum(numbers * n_users + n_ratings) if n_ratings else np.arange(1, n_users + 1)
    parts = [-(-number * int(costs[-1]) // n_shards) for number in range(1, n_shards)]
    ends = [0, *(np.searchsorted(costs, parts) + 1).tolist(), n_users]
    for number in range(1, n_shards):
        # Every shard keeps at least one user, even if one user costs more than a shard.
        lowest, highest = ends[number - 1] + 1, n_users - (n_shards - number)
        ends[number] = min(max(ends[number], lowest), highest)
    return [range(*pair) for pair in pairwise(ends)]


def folds_and_users(
    n_folds: int, ratings_of_users: ArrayLike, shard: tuple[int, int]
) -> list[tuple[int, range]]:
    """Return the folds of a shard, each with its users.

    Folds are divided first, which costs nothing. The users of a fold are divided only if there are
    more shards than folds, as evenly as possible. If the numbers are uneven, the last folds have
    one part more than the first, because splits by ratios train the most on them.

    Examples
    --------
    Three folds in two shards, and in four:

    >>> folds_and_users(3, [2, 2], (1, 2))
    [(0, range(0, 2)), (2, range(0, 2))]
    >>> [folds_and_users(3, [2, 2], (number, 4)) for number in (2, 3, 4)]
    [[(1, range(0, 2))], [(2, range(0, 1))], [(2, range(1, 2))]]
    """
    number, n_shards = shard
    n_users = len(np.asarray(ratings_of_users))
    if n_shards <= n_folds:
        return [(each, range(n_users)) for each in range(number - 1, n_folds, n_shards)]
    fewest, more = divmod(n_shards, n_folds)
    if n_users * n_folds < n_shards:
        raise ValueError(
            f"{n_folds} folds of {n_users} users cannot be divided into {n_shards} shards. Use "
            f"at most {n_users * n_folds} (shards in config.yaml)."
        )
    place = number - 1
    for fold_number in range(n_folds):
        parts = fewest + (fold_number >= n_folds - more)
        if place < parts:
            break
        place -= parts
    return [(fold_number, user_shards(ratings_of_users, parts)[place])]


def rank_shard(
    *,
    ratings: Sequence[Path],
    split: Path,
    models: Sequence[Path],
    ranks: Path,
    recommender: str,
    parameters: Mapping[str, Any],
    protocols: Sequence[Mapping[str, Any]],
    system_seed: int,
    candidate_seed: int,
    names: tuple[str, str, str],
    shard: tuple[int, int],
    events: bool = False,
    grades_from: float | None = None,
    order: Literal["codes", "appearance"] = "codes",
) -> None:
    """Write the judged ranks of one shard: some folds, or some users of one fold.

    Without models, the system is first trained on each fold for the users of the shard, and the
    model stays in memory until the fold is ranked. Stored neighbourhoods of all users would take
    more disk space and time than anything else in a study. It trains on whole folds, or for some
    users if its class can.
    """
    folder = table_folder(ratings)
    training = Training(recommender, parameters, system_seed, names, events, grades_from, order)
    training.check(folder)
    wanted = [Protocol(**protocol) for protocol in protocols]
    table = Ratings.read(folder)
    folds = Split.read(split)
    of_users = np.bincount(table.users, minlength=table.n_users)
    judged_ranks: dict[RanksKey, JudgedRanks] = {}
    for number, users in folds_and_users(folds.n_folds, of_users, shard):
        data = fold(table, folds, number)
        if models:
            model = trained_model(recommender, model_file(models[0], number), table)
        else:
            # Many systems can only learn for all users.
            some = users if len(users) < table.n_users else None
            model = training.fitted(data, number, table.n_items, some)
        generator_for = partial(generator, candidate_seed, *names[:2], number)
        judged_ranks |= ranked_fold(model, data, number, wanted, generator_for, users)
        _log.info(
            "fold %d of %d ranked for users %d to %d",
            *(number + 1, folds.n_folds, users.start, users.stop - 1),
        )
    write_ranks(ranks, judged_ranks, names)


def join_shards(*, shards: Sequence[Path], ranks: Path) -> None:
    """Write the judged ranks of all users from those of all shards."""
    join_ranks(ranks, shards)
