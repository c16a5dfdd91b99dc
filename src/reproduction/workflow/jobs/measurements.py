# SPDX-License-Identifier: MIT
"""Measure systems under judgment sampling, on simulated ratings, and in searches for settings."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.data.ratings import Ratings, table_folder
from receval.metrics.averages import QuasiArithmetic, parse_average
from receval.metrics.lists import JudgedItems, JudgedLists
from receval.metrics.registry import parse
from receval.missing_judgments.incompleteness import AggregatedMetric, IncompleteFold
from receval.missing_judgments.judgment_sampling import SamplingUnit, kept_units
from receval.protocols.evaluation import rank_judged, rank_judged_together
from receval.protocols.protocol import Protocol
from receval.recommenders.base import make
from receval.recommenders.model_grid import ModelGrid, model_grids
from receval.seeds import generator, integer_seed
from receval.splits.random_splits import split_by_random_ratio
from receval.splits.split import Fold, Split, fold
from receval.storage.archives import write_archive
from receval.storage.files import read_results, write_results
from reproduction.experiments.experiment import Experiment, ExperimentDescription, InputFiles
from reproduction.experiments.universes import sample_of_experiment
from reproduction.experiments.values import Measurement, measure, protocol_columns
from reproduction.simulation.skewed_popularity import ShiftedPowerLaw, simulate_ratings
from reproduction.studies._shared.published import published_values

_log = logging.getLogger(__name__)


# Judgment sampling.


@dataclass(frozen=True)
class JudgmentSamplingDescription:
    """Which judgments are removed from some experiments, and what is measured with the others.

    The unit is what is removed together
    (:func:`receval.missing_judgments.judgment_sampling.sampling_order`), and the levels are the
    percentages that are kept, with a number of samples at each. Averages have the labels of the
    metrics whose values over users they average.
    """

    seed: int
    experiments: Mapping[str, ExperimentDescription]
    unit: SamplingUnit
    percents: Sequence[float]
    samples: int
    averages: Mapping[str, Sequence[str]]


def sample_judgments(
    *,
    ratings: Sequence[Path],
    splits: Sequence[Path],
    ranks: Sequence[Path],
    values: Path,
    description: Mapping[str, Any],
) -> None:
    """Measure the systems of some experiments with the judgments left at each level and sample."""
    experiments = {
        name: ExperimentDescription.of(each) for name, each in description["experiments"].items()
    }
    told = JudgmentSamplingDescription(**{**description, "experiments": experiments})
    files = InputFiles(ratings=ratings, splits=splits, ranks=ranks)
    averages = {label: _incremental(label) for label in told.averages}
    names = [(a, m) for a, metrics in told.averages.items() for m in metrics]
    aggregated_metrics = [
        AggregatedMetric(parse(metric), averages[average]) for average, metric in names
    ]
    percents = np.array(told.percents, dtype=np.float64)
    arrays: dict[str, NDArray] = {"percents": percents, "aggregated_metrics": np.array(names)}
    for name, described in told.experiments.items():
        experiment = Experiment(files, described)
        folds = [
            _of_fold(experiment, number, aggregated_metrics, percents, told)
            for number in experiment.folds
        ]
        complete, kept, evaluated_users = (np.stack(parts) for parts in zip(*folds, strict=True))
        arrays[f"{name}/dataset"] = np.array(experiment.dataset)
        arrays[f"{name}/systems"] = np.array(experiment.all_systems)
        arrays[f"{name}/complete"] = complete.mean(axis=0)
        arrays[f"{name}/values"] = kept.mean(axis=0)
        arrays[f"{name}/evaluated_users"] = evaluated_users.sum(axis=0)
    write_archive(values, arrays)


def _incremental(label: str) -> QuasiArithmetic:
    average = parse_average(label)
    if not isinstance(average, QuasiArithmetic):
        raise ValueError(
            f"{label} is not a mean of transformed values. Only such a mean can be updated when "
            "judgments are removed. Use arithmetic, geometric or geometric-adjusted."
        )
    return average


def _of_fold(
    experiment: Experiment,
    number: int,
    aggregated_metrics: list[AggregatedMetric],
    percents: NDArray[np.float64],
    told: JudgmentSamplingDescription,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    if len(experiment.protocols) != 1 or experiment.evaluated_users != "tested":
        raise ValueError(
            f"The experiment on {experiment.dataset} must have one protocol and average over "
            "tested users, because users who lose all judgments leave the average."
        )
    (protocol,) = experiment.protocols
    lists = [experiment.lists(system, protocol, number) for system in experiment.all_systems]
    reduced = IncompleteFold(lists, aggregated_metrics)
    test = experiment.fold(number).test
    complete, _ = reduced.values(np.zeros(len(test), dtype=np.int64), np.array([1]))
    values, evaluated_users = [], []
    for sample in range(told.samples):
        order, n_units = sample_of_experiment(experiment, number, told.unit, sample, told.seed)
        of_sample, users = reduced.values(order, kept_units(n_units, percents))
        values.append(of_sample)
        evaluated_users.append(users)
    _log.info("%s: fold %d, %d samples", experiment.dataset, number + 1, len(values))
    return complete[0], np.stack(values, axis=1), np.stack(evaluated_users, axis=1)


# Simulated ratings.

SEED_NAME = "skewed-popularity"

KEYS = ("dataset", "skewness", "repetition", "protocol", "sampled", "metric")
"""The columns besides the value and the number of lists that it averages."""


@dataclass(frozen=True)
class SimulationDescription:
    """A simulation, and how one system (``module:class``) is measured on it.

    The sizes of a dataset are simulated, a number of times for each skewness of popularity. The
    system learns from a share of the ratings (``train_ratio``).
    """

    seed: int
    dataset: str
    skewness: Sequence[float]
    repetitions: int
    train_ratio: float
    relevance_threshold: float
    protocols: Sequence[Protocol]
    metrics: Sequence[str]
    recommender: str
    parameters: Mapping[str, Any]


def simulate_skewness(
    *, ratings: Sequence[Path], values: Path, description: Mapping[str, Any], system: str
) -> None:
    """Measure one system on ratings without preferences, by the skewness of popularity.

    For every skewness and repetition, ratings of the dataset's size are simulated
    (:mod:`reproduction.simulation.skewed_popularity`), split by coin flips, learned and ranked. The
    seeds of data, split, candidates and ties depend on root seed, dataset, skewness and repetition.
    So they are the same for all systems and do not change when systems are added. Seeds of models
    also depend on the system.

    The CSV has the columns dataset, skewness, repetition (from 1), protocol, sampled (number of
    sampled candidates, empty if all are ranked), metric, value and lists (that the value averages:
    users under AR, relevant test ratings under 1R). Parameters of the system that are not valid are
    refused before any data is read.
    """
    protocols = [Protocol(**protocol) for protocol in description["protocols"]]
    told = SimulationDescription(**{**description, "protocols": protocols})
    folder = table_folder(ratings)
    make(told.recommender, told.parameters, seed=0).check_size(*Ratings.sizes(folder))
    measurement = Measurement(tuple(map(parse, told.metrics)), "all", names=tuple(told.metrics))
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


# Searches for settings.


@dataclass(frozen=True)
class SearchDescription:
    """The settings that a search tries for a system (``module:class``), in this order.

    It compares the metrics with these labels. Ratings at or above the threshold are relevant.
    """

    recommender: str
    settings: Sequence[Mapping[str, Any]]
    metrics: Sequence[str]
    threshold: float


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
    gives exactly these values there. Settings that are not valid are refused before any data is
    read.

    ``accepted`` has the accepted traces of all systems, if the system's is to be taken from them
    (:func:`take_accepted_trace`); else it is empty. The trace is a CSV with one row per setting and
    metric. Columns: system, setting (JSON), metric, published, ours, distance (of the setting),
    chosen (``yes`` or empty).
    """
    told = SearchDescription(**search)
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
        raise _refusal(accepted_file, system, "have other settings than the search tries")
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
        f"{accepted_file} cannot replace the search for the settings of {system}, because its "
        f"rows {reason}. Run the searches (accepted_searches=off)."
    )
