# SPDX-License-Identifier: MIT
"""Training one system on all folds of a split, and ranking with it under all protocols."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

from receval.protocols.evaluation import rank_judged
from receval.protocols.judged_ranks import JudgedRanks, RanksKey, write_ranks
from receval.protocols.protocol import Protocol
from receval.ratings import Ratings, table_folder
from receval.recommenders.base import RatingMatrix
from receval.recommenders.model_files import model_file
from receval.recommenders.registry import load, make
from receval.recommenders.training_ratings import ratings_from_plays, relevance_grades
from receval.seeds import generator, integer_seed
from receval.splits.split import Split, fold
from receval.storage.files import DamagedFileError

_log = logging.getLogger(__name__)


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
    """Train a system on every fold and write one model file a fold.

    Parameters
    ----------
    ratings : sequence of Path
        The table of the prepared dataset.
    split : Path
    models : Path
        Folder, written whole or not at all.
    recommender : str
        ``module:class``.
    parameters : mapping
        Arguments of the class; refused, before any data is read, where they are not valid.
    seed : int
        The edition's root seed.
    names : tuple of str
        Dataset, split and system: with the fold they seed the model.
    events : bool
        Whether the values are plays; systems then learn from the ratings of
        :func:`receval.recommenders.training_ratings.ratings_from_plays`.
    grades_from : float, optional
        The relevance threshold, where the system learns from grades of relevance instead of
        ratings (:func:`receval.recommenders.training_ratings.relevance_grades`).
    order : {"codes", "appearance"}
        The order in which the system meets users and items: that of their codes, or of their
        first appearance in the train file (:class:`receval.splits.split.Fold`).

    Notes
    -----
    An oracle also gets the test ratings of the fold: the unbiased ones where there are some.
    """

    def values_to_learn(values: RatingMatrix) -> RatingMatrix:
        if events:
            values = ratings_from_plays(values)
        return values if grades_from is None else relevance_grades(values, grades_from)

    folder = table_folder(ratings)
    make(recommender, parameters, seed=0).check_size(*Ratings.sizes(folder))
    table = Ratings.read(folder)
    folds = Split.read(split)
    # Named by process: a job of a killed run may still be at work beside this one.
    partial = models.with_name(f"{models.name}.{os.getpid()}.part")
    partial.mkdir(parents=True)
    for number in range(folds.n_folds):
        model = make(recommender, parameters, integer_seed(seed, *names, number))
        data = fold(table, folds, number)
        judged = None
        if model.reads_test:
            judged = values_to_learn((data.unbiased or data.test).matrix(table.n_items))
        met = (data.users_by_appearance, data.items_by_appearance)
        model.fit(values_to_learn(data.train), judged, met if order == "appearance" else None)
        model.save(model_file(partial, number))
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
    ratings : sequence of Path
        The table of the prepared dataset.
    split : Path
    models : Path
        Folder with what :func:`receval.workflow.systems.train_system` wrote.
    ranks : Path
        The archive to write, in a folder named for the system.
    recommender : str
        ``module:class``.
    protocols : sequence of mapping
        Each a :class:`receval.protocols.protocol.Protocol` as plain values.
    seed : int
        The edition's root seed.
    names : tuple of str
        Dataset and split: with the fold they seed samples and ties, the same for every system.
    """
    wanted = [Protocol(**protocol) for protocol in protocols]
    table = Ratings.read(table_folder(ratings))
    folds = Split.read(split)
    judged_ranks: dict[RanksKey, JudgedRanks] = {}
    for number in range(folds.n_folds):
        data = fold(table, folds, number)
        model = load(recommender, model_file(models, number))
        if (model.n_users_, model.n_items_) != (table.n_users, table.n_items):
            raise DamagedFileError(
                model_file(models, number),
                f"it was trained on {model.n_users_:,} users and {model.n_items_:,} items, but "
                f"the dataset has {table.n_users:,} and {table.n_items:,}",
            )
        generator_for = partial(generator, seed, *names, number)
        for part in ("test", "unbiased"):
            if part == "unbiased" and data.unbiased is None:
                continue
            ranked = rank_judged(model, data, wanted, generator_for, part)
            for protocol, own in zip(wanted, ranked, strict=True):
                judged_ranks[protocol.key, number, part] = own
        _log.info("fold %d of %d ranked under %d protocols", number + 1, folds.n_folds, len(wanted))
    write_ranks(ranks, judged_ranks, (*names, ranks.parent.name))
