"""Ranking one trained system on all folds of a split, under all protocols."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from receval.protocols.evaluation import rank_judged
from receval.protocols.judged_ranks import JudgedRanks, RanksKey, write_ranks
from receval.protocols.protocol import Protocol
from receval.ratings import Ratings
from receval.recommenders.registry import load
from receval.recommenders.training import model_file
from receval.seeds import generator
from receval.splits.split import Split, fold

_log = logging.getLogger(__name__)


def rank_system(
    ratings_folder: Path,
    split_file: Path,
    models_folder: Path,
    recommender: str,
    protocols: Sequence[Protocol],
    root_seed: int,
    names: tuple[str, str],
    ranks_file: Path,
) -> None:
    """Write the judged ranks of a system.

    Parameters
    ----------
    ratings_folder, split_file
        The prepared dataset and its split.
    models_folder : Path
        What :func:`receval.recommenders.training.train_system` wrote.
    recommender : str
        ``module:class``.
    protocols : sequence of Protocol
    root_seed : int
    names : tuple of str
        Dataset and split: with the fold they seed samples and ties, the same for every system.
    ranks_file : Path
    """
    ratings = Ratings.read(ratings_folder)
    split = Split.read(split_file)
    outcomes: dict[RanksKey, JudgedRanks] = {}
    for number in range(split.n_folds):
        data = fold(ratings, split, number)
        model = load(recommender, model_file(models_folder, number))
        generator_for = partial(generator, root_seed, *names, number)
        for part in ("test", "unbiased"):
            if part == "unbiased" and data.unbiased is None:
                continue
            ranked = rank_judged(model, data, protocols, generator_for, part)
            for protocol, outcome in zip(protocols, ranked, strict=True):
                outcomes[protocol.key, number, part] = outcome
        _log.info(
            "fold %d of %d ranked under %d protocols", number + 1, split.n_folds, len(protocols)
        )
    write_ranks(ranks_file, outcomes)
