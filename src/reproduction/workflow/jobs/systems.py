# SPDX-License-Identifier: MIT
"""Train a system on all folds of a split, and rank with it under all protocols."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from receval.data.ratings import Ratings, table_folder
from receval.protocols.evaluation import rank_judged
from receval.protocols.judged_ranks import JudgedRanks, RanksKey, write_ranks
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

    Attributes
    ----------
    recommender, parameters, seed, names, events, grades_from, order
        As for :func:`train_system`.
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
        model = make(
            self.recommender, self.parameters, integer_seed(self.seed, *self.names, number)
        )
        judged = None
        if model.reads_test:
            judged = self._values_to_learn((data.unbiased or data.test).matrix(n_items))
        met = (data.users_by_appearance, data.items_by_appearance)
        order = met if self.order == "appearance" else None
        return model.fit(self._values_to_learn(data.train), judged, order, users)

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
    """Train a system on every fold, and write one model file per fold.

    Parameters
    ----------
    parameters : mapping
        Arguments of the class; refused, before any data is read, where they are not valid.
    grades_from : float, optional
        The relevance threshold, where the system learns from grades of relevance instead of
        ratings (:func:`receval.recommenders.training_ratings.relevance_grades`).
    order : {"codes", "appearance"}
        The order in which the system meets users and items: that of their codes, or of their
        first appearance in the train file (:class:`receval.splits.split.Fold`).
    """
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

    Parameters
    ----------
    names : tuple of str
        Dataset and split. With the fold, they seed samples and ties, equally for every system.
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
    """Return the model of a fold that :func:`train_system` wrote.

    Raises
    ------
    DamagedFileError
        It is not as it was written, or was trained on another number of users or items.
    """
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
