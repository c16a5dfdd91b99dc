"""Ranking one trained system on all folds of a split, under all protocols."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from receval.protocols.evaluation import rank_judged
from receval.protocols.judged_ranks import JudgedRanks, RanksKey, write_ranks
from receval.protocols.protocol import Protocol
from receval.ratings import Ratings, table_folder
from receval.recommenders.registry import load
from receval.seeds import generator
from receval.splits.split import Split, fold
from receval.workflow.training import model_file

_log = logging.getLogger(__name__)


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
        Folder with what :func:`receval.workflow.training.train_system` wrote.
    ranks : Path
        The archive to write.
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
    outcomes: dict[RanksKey, JudgedRanks] = {}
    for number in range(folds.n_folds):
        data = fold(table, folds, number)
        model = load(recommender, model_file(models, number))
        generator_for = partial(generator, seed, *names, number)
        for part in ("test", "unbiased"):
            if part == "unbiased" and data.unbiased is None:
                continue
            ranked = rank_judged(model, data, wanted, generator_for, part)
            for protocol, outcome in zip(wanted, ranked, strict=True):
                outcomes[protocol.key, number, part] = outcome
        _log.info("fold %d of %d ranked under %d protocols", number + 1, folds.n_folds, len(wanted))
    write_ranks(ranks, outcomes)
