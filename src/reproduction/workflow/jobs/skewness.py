# SPDX-License-Identifier: MIT
"""Train, rank and measure a system on simulated ratings of increasing skewness."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from receval.data.ratings import Ratings, table_folder
from receval.metrics.lists import JudgedLists
from receval.metrics.registry import parse
from receval.protocols.evaluation import rank_judged
from receval.recommenders.registry import make
from receval.seeds import generator, integer_seed
from receval.splits.random_splits import split_by_random_ratio
from receval.splits.split import Fold, fold
from receval.storage.files import write_results
from reproduction.experiments.tidy_values import Measurement, measure, protocol_columns
from reproduction.simulation.skewed_popularity import ShiftedPowerLaw, simulate_ratings
from reproduction.workflow.plan.job_descriptions import SimulationDescription

_log = logging.getLogger(__name__)

SEED_NAME = "skewed-popularity"

KEYS = ("dataset", "skewness", "repetition", "protocol", "sampled", "metric")
"""The columns besides the value and the number of lists that it averages."""


def simulate_skewness(
    *, ratings: Sequence[Path], values: Path, description: Mapping[str, Any], system: str
) -> None:
    """Measure one system on ratings without preferences, by the skewness of popularity.

    For every skewness and repetition, ratings of the dataset's size are simulated
    (:mod:`reproduction.simulation.skewed_popularity`), split by coin flips, learned and ranked. The
    seeds of data, split, candidates and ties depend on root seed, dataset, skewness and repetition.
    So they are the same for all systems and do not change when systems are added. Seeds of models
    also depend on the system.

    Parameters
    ----------
    values : Path
        CSV with the columns dataset, skewness, repetition (from 1), protocol, sampled (number of
        sampled candidates, empty if all are ranked), metric, value and lists (that the value
        averages: users under AR, relevant test ratings under 1R).

    Raises
    ------
    ValueError
        If a parameter of the system is not valid, which is found before any data is read, or the
        law cannot be fitted to the dataset.
    """
    told = SimulationDescription.of(description)
    folder = table_folder(ratings)
    make(told.recommender, told.parameters, seed=0).check_size(*Ratings.sizes(folder))
    measurement = Measurement(tuple(map(parse, told.metrics)), "all", names=told.metrics)
    source = Ratings.read(folder)
    law = ShiftedPowerLaw.fit(np.bincount(source.items, minlength=source.n_items))
    rows: list[dict[str, Any]] = []
    for skewness in told.skewness:
        for repetition in range(told.repetitions):
            names = (told.dataset, SEED_NAME, f"{skewness:g}", repetition)
            generator_for = partial(generator, told.seed, *names)
            data = _simulated(source, law, skewness, told.train_ratio, generator_for)
            model = make(told.recommender, told.parameters, integer_seed(told.seed, *names, system))
            model.fit(data.train)
            ranked = rank_judged(model, data, told.protocols, generator_for)
            for protocol, judged_ranks in zip(told.protocols, ranked, strict=True):
                lists = JudgedLists.of(data.test, judged_ranks, told.relevance_threshold, protocol)
                rows += measure(
                    lists,
                    measurement,
                    dataset=told.dataset,
                    skewness=skewness,
                    repetition=repetition + 1,
                    **protocol_columns(protocol),
                ).rows()
        _log.info("%s: skewness %g measured", system, skewness)
    write_results(pd.DataFrame(rows)[[*KEYS, "value", "lists"]], values)


def _simulated(
    source: Ratings,
    law: ShiftedPowerLaw,
    skewness: float,
    train_ratio: float,
    generator_for: partial[np.random.Generator],
) -> Fold:
    counts = law.with_skewness(skewness, source.n_items, len(source)).counts(
        source.n_items, source.n_users, len(source)
    )
    ratings = simulate_ratings(source, counts, generator_for("ratings"))
    split = split_by_random_ratio(
        ratings, partial(generator_for, "split"), train_ratio=train_ratio, folds=1
    )
    return fold(ratings, split, 0)
