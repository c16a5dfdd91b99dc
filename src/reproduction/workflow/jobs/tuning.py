# SPDX-License-Identifier: MIT
"""Recover unpublished settings of systems: search a grid for the closest to published values."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from receval.data.ratings import Ratings, table_folder
from receval.metrics.judged_items import JudgedItems
from receval.metrics.lists import JudgedLists
from receval.metrics.registry import parse
from receval.protocols.evaluation import rank_judged_together
from receval.protocols.protocol import Protocol
from receval.recommenders.base import make
from receval.recommenders.model_grid import ModelGrid, model_grids
from receval.seeds import generator, integer_seed
from receval.splits.split import Split, fold
from receval.storage.files import read_results, write_results
from reproduction.experiments.tidy_values import Measurement, measure
from reproduction.studies._shared.published import published_values
from reproduction.workflow.plan.job_descriptions import SearchDescription

_log = logging.getLogger(__name__)


def search_settings(
    *,
    ratings: Sequence[Path],
    split: Path,
    published: Path,
    accepted: Sequence[Path],
    trace: Path,
    search: Mapping[str, Any],
    seed: int,
    names: tuple[str, str, str],
) -> None:
    r"""Try all settings of a system on the first fold and record how close each comes.

    The distance of a setting is the root mean square of the relative differences of the metrics
    that the search looks at,

    .. math:: d = \sqrt{\frac{1}{|M|} \sum_{m \in M}
              \left(\frac{m_{ours}}{m_{published}} - 1\right)^2}

    and the first setting with the smallest distance is chosen. Lists are AllItems (AR AI-AN),
    averaged over users with test ratings. The seeds are those of the studies, so the chosen setting
    gives exactly these values there.

    Parameters
    ----------
    accepted : sequence of Path
        The accepted traces of all systems, if the system's is to be taken from them
        (:func:`take_accepted_trace`); else nothing.
    trace : Path
        CSV with one row per setting and metric. Columns: system, setting (JSON), metric, published,
        ours, distance (of the setting), chosen (``yes`` or empty).

    Raises
    ------
    ValueError
        If a setting is not valid (before any data is read) or a published value is missing.
    """
    told = SearchDescription.of(search)
    if accepted:
        take_accepted_trace(accepted[0], published, told, names, trace)
        return
    dataset, split_name, system = names
    untrained = [make(told.recommender, setting, seed=0) for setting in told.settings]
    wanted = published_values(published, names, told.metrics)
    folder = table_folder(ratings)
    for model in untrained:
        model.check_size(*Ratings.sizes(folder))
    data = fold(Ratings.read(folder), Split.read(split), 0)
    measurement = Measurement(tuple(map(parse, told.metrics)), "tested")
    protocol = Protocol()
    judged = JudgedItems.of(data.test, told.threshold)
    generator_for = partial(generator, seed, dataset, split_name, 0)
    own_seed = integer_seed(seed, *names, 0)
    tables: dict[int, pd.DataFrame] = {}
    for positions in model_grids(untrained):
        tried = [told.settings[position] for position in positions]
        together = ModelGrid([make(told.recommender, setting, own_seed) for setting in tried])
        together.fit(data.train)
        ranked = rank_judged_together(together, data, [protocol], generator_for)
        for position, setting, (judged_ranks,) in zip(positions, tried, ranked, strict=True):
            lists = JudgedLists.measured_by(judged, judged_ranks, protocol)
            ours = measure(lists, measurement).values[0]
            distance = float(np.sqrt(np.mean((ours / wanted - 1) ** 2)))
            _log.info("%s %s: distance %.4f", system, setting, distance)
            tables[position] = pd.DataFrame(
                {
                    "system": system,
                    "setting": json.dumps(setting, sort_keys=True),
                    "metric": list(told.metrics),
                    "published": wanted,
                    "ours": ours,
                    "distance": distance,
                }
            )
    rows = pd.concat([tables[position] for position in sorted(tables)], ignore_index=True)
    best = rows["setting"].iloc[int(rows["distance"].argmin())]
    rows["chosen"] = np.where(rows["setting"] == best, "yes", "")
    write_results(rows, trace)


def take_accepted_trace(
    accepted_file: Path,
    published_file: Path,
    search: SearchDescription,
    names: tuple[str, str, str],
    target: Path,
) -> None:
    """Write the accepted trace of a system's search, if it is of the same search.

    There must be one accepted row for each setting and metric in the order of the search, with the
    same published values, and the nearest setting must be chosen. Data, split, seed and the code of
    the recommender are not in the trace and are not compared. So an accepted trace is no evidence
    that a new search would give the same.
    """
    system, metrics = names[2], list(search.metrics)
    accepted = read_results(accepted_file)
    trace = accepted[accepted["system"] == system].reset_index(drop=True)
    settings = [json.dumps(setting, sort_keys=True) for setting in search.settings]
    if trace["setting"].tolist() != [setting for setting in settings for _ in metrics]:
        raise _refusal(accepted_file, system, "have other settings than are to be tried")
    if trace["metric"].tolist() != metrics * len(settings):
        raise _refusal(accepted_file, system, f"have other metrics than {', '.join(metrics)}")
    published = np.tile(published_values(published_file, names, metrics), len(settings))
    if not np.allclose(trace["published"].to_numpy(np.float64), published, rtol=1e-9, atol=0):
        raise _refusal(accepted_file, system, f"have other published values than {published_file}")
    nearest = trace["setting"].iloc[int(trace["distance"].argmin())]
    if (trace["chosen"] == "yes").tolist() != (trace["setting"] == nearest).tolist():
        raise _refusal(accepted_file, system, f"do not choose the nearest setting, {nearest}")
    write_results(trace, target)


def _refusal(accepted_file: Path, system: str, reason: str) -> ValueError:
    return ValueError(
        f"{accepted_file} cannot stand for the search for the settings of {system}: its rows "
        f"{reason}. Run the searches."
    )
