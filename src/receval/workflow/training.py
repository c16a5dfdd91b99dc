"""Training one system on all folds of a split."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from receval.ratings import Ratings, table_folder
from receval.recommenders.base import RatingMatrix
from receval.recommenders.registry import make
from receval.recommenders.training_ratings import ratings_from_plays, relevance_grades
from receval.seeds import integer_seed
from receval.splits.split import Split, fold

_log = logging.getLogger(__name__)


def model_file(folder: Path, number: int) -> Path:
    """Return the file of the model of a fold."""
    return folder / f"fold{number}.npz"


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
