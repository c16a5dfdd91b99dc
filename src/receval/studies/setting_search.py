"""Recovering settings that were never published: the closest to published values on a grid."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from receval.metrics.aggregation import mean
from receval.metrics.evaluation import evaluate
from receval.metrics.judged_items import JudgedItems
from receval.metrics.lists import JudgedLists
from receval.metrics.parse import parse
from receval.protocols.evaluation import rank_judged_together
from receval.protocols.protocol import Protocol
from receval.ratings import Ratings
from receval.recommenders.family import Family, families
from receval.recommenders.registry import make
from receval.seeds import generator, integer_seed
from receval.splits.split import Split, fold
from receval.studies.numbers import write_numbers
from receval.studies.published import published_values

_log = logging.getLogger(__name__)


def search_settings(
    ratings_folder: Path,
    split_file: Path,
    published_file: Path,
    search: Mapping[str, Any],
    root_seed: int,
    names: tuple[str, str, str],
    target: Path,
) -> None:
    r"""Try all settings of a system on the first fold and record how close each comes.

    The distance of a setting is the root mean square of the relative differences of the metrics
    that the search looks at,

    .. math:: d = \sqrt{\frac{1}{|M|} \sum_{m \in M}
              \left(\frac{m_{ours}}{m_{published}} - 1\right)^2}

    and the smallest is chosen, of equal ones the first. Lists are AllItems (AR AI-AN), averaged
    over users with test ratings; seeds are those with which the system is trained, so the chosen
    setting gives these very values in the studies.

    Parameters
    ----------
    ratings_folder, split_file : Path
        The prepared dataset and its split.
    published_file : Path
        See :func:`receval.studies.published.read_published`.
    search : mapping
        ``recommender`` (``module:class``), ``settings`` (list of parameters), ``metrics`` (labels)
        and ``threshold`` (ratings at or above it are relevant).
    root_seed : int
    names : tuple of str
        Dataset, split and system.
    target : Path
        CSV with one row a setting and metric. Columns: system, setting (JSON), metric, published,
        ours, distance (of the setting), chosen (``yes`` or empty).

    Raises
    ------
    ValueError
        If a setting is not valid (before any data is read) or a published value is missing.
    """
    dataset, split_name, system = names
    untrained = [make(search["recommender"], setting, seed=0) for setting in search["settings"]]
    published = published_values(published_file, names, search["metrics"])
    for model in untrained:
        model.check_size(*Ratings.sizes(ratings_folder))
    ratings = Ratings.read(ratings_folder)
    data = fold(ratings, Split.read(split_file), 0)
    metrics = [parse(label) for label in search["metrics"]]
    protocol = Protocol()
    judged = JudgedItems.of(data.test, search["threshold"])
    generator_for = partial(generator, root_seed, dataset, split_name, 0)
    seed = integer_seed(root_seed, *names, 0)
    tables: dict[int, pd.DataFrame] = {}
    for positions in families(untrained):
        tried = [search["settings"][position] for position in positions]
        together = Family([make(search["recommender"], setting, seed) for setting in tried])
        together.fit(data.train)
        ranked = rank_judged_together(together, data, [protocol], generator_for)
        for position, setting, (outcome,) in zip(positions, tried, ranked, strict=True):
            lists = JudgedLists.measured_by(judged, outcome, protocol)
            ours = mean(evaluate(metrics, lists), lists, "tested")
            distance = float(np.sqrt(np.mean((ours / published - 1) ** 2)))
            _log.info("%s %s: distance %.4f", system, setting, distance)
            tables[position] = pd.DataFrame(
                {
                    "system": system,
                    "setting": json.dumps(setting, sort_keys=True),
                    "metric": search["metrics"],
                    "published": published,
                    "ours": ours,
                    "distance": distance,
                }
            )
    trace = pd.concat([tables[position] for position in sorted(tables)], ignore_index=True)
    best = trace["setting"].iloc[int(trace["distance"].argmin())]
    trace["chosen"] = np.where(trace["setting"] == best, "yes", "")
    write_numbers(trace, target)
