# SPDX-License-Identifier: MIT
"""Systems that train in seconds, on which a diagnosis tries metrics, and random precision."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from receval.data.ratings import Ratings
from receval.metrics.evaluation import evaluate, mean
from receval.metrics.lists import DatasetMetadata, JudgedItems, JudgedLists
from receval.metrics.precision_and_recall import Precision
from receval.notes import Note
from receval.protocols.evaluation import rank_judged
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol, parse_protocol
from receval.recommenders.base import make
from receval.recommenders.non_personalised import Popularity, Random
from receval.recommenders.training_ratings import clicked_training
from receval.seeds import generator, integer_seed
from receval.splits.split import Fold
from receval.splits.split_ratings import SplitRatings, split
from receval.theory.precision import (
    TargetDensities,
    random_precision,
    random_precision_within_percentiles,
)

BASELINES: Mapping[str, tuple[str, Mapping[str, Any]]] = MappingProxyType(
    {
        "Random": ("receval.recommenders.non_personalised:Random", {}),
        "Pop": ("receval.recommenders.non_personalised:Popularity", {}),
        "ItemKNN 20": ("receval.recommenders.knn:ItemKNN", {"neighbours": 20}),
        "ItemKNN 100": ("receval.recommenders.knn:ItemKNN", {"neighbours": 100}),
        "UserKNN 20": ("receval.recommenders.knn:UserKNN", {"neighbours": 20}),
        "UserKNN 100": ("receval.recommenders.knn:UserKNN", {"neighbours": 100}),
        "PureSVD 10": ("receval.recommenders.puresvd:PureSVD", {"factors": 10}),
        "PureSVD 50": ("receval.recommenders.puresvd:PureSVD", {"factors": 50}),
        "WRMF 20": ("receval.recommenders.wrmf:WRMF", {"factors": 20, "iterations": 8}),
    }
)
"""Class and parameters of each system by its name in tables. No system is tuned."""


@dataclass(frozen=True)
class BaselineLists:
    """The recommendations of the systems on one fold: lists by protocol, then by system.

    Lists for the unbiased judgments of the fold are by system; there are none without judgments.
    """

    systems: tuple[str, ...]
    fold: Fold
    lists: list[list[JudgedLists]]
    unbiased: list[JudgedLists]


def fitting_baselines(n_users: int, n_items: int) -> list[str]:
    """Return the names of the systems for which a matrix is large enough."""
    most = min(n_users, n_items)
    return [name for name, (_, own) in BASELINES.items() if own.get("factors", 0) < most]


def untrained_baselines(names: Iterable[str], seed: int) -> dict[str, Any]:
    """Return the systems of some names."""
    return {name: make(*BASELINES[name], integer_seed(seed, "diagnosis", name)) for name in names}


def ranked_baselines(
    data: SplitRatings,
    fold: Fold,
    protocols: list[Protocol],
    threshold: float,
    seed: int,
    begin: Callable[[str], object],
) -> BaselineLists:
    """Train the systems that fit, after telling the name of each, and rank the judged items."""
    metadata = DatasetMetadata.of(data.ratings, threshold)
    judged = JudgedItems.of(fold.test, threshold, metadata)
    generator_for = data.generator_for(0)
    names = fitting_baselines(data.ratings.n_users, data.ratings.n_items)
    systems = untrained_baselines(names, seed)
    lists: list[list[JudgedLists]] = [[] for _ in protocols]
    unbiased_lists = []
    for name in names:
        begin(name)
        system = systems[name].fit(clicked_training(systems[name], fold.train))
        ranks = rank_judged(system, fold, protocols, generator_for)
        for of_protocol, own, protocol in zip(lists, ranks, protocols, strict=True):
            of_protocol.append(JudgedLists.measured_by(judged, own, protocol))
        if fold.unbiased is not None:
            unbiased = JudgedItems.of(fold.unbiased, threshold, metadata)
            [own] = rank_judged(system, fold, protocols[:1], generator_for, part="unbiased")
            unbiased_lists.append(JudgedLists.measured_by(unbiased, own, protocols[0]))
    return BaselineLists(tuple(names), fold, lists, unbiased_lists)


CUTOFF = 10

SAMPLED = 99
"""The number of candidates besides the relevant item, if there are enough items."""

PERCENTILES = 10

ITEMS_PER_PERCENTILE = 4 * CUTOFF
"""The fewest items per percentile; with few items there are fewer percentiles."""

HALVES = 5
"""The number of random halves of the test ratings over which values are averaged."""


@dataclass(frozen=True)
class ExperimentDesign:
    """A split and a protocol, by the names of Bellogín et al. (2017), such as ``AR TI-AN``.

    The protocol has its threshold if it needs one. Popularity is levelled if all target items have
    the same number of test ratings (UAR, U1R), or compete with items of the same popularity (P1R).
    """

    name: str
    data: SplitRatings
    fold: Fold
    protocol: Protocol
    threshold: float
    levels_popularity: bool


def experiment_designs(
    ratings: Ratings, data: SplitRatings, threshold: float, seed: int
) -> tuple[list[ExperimentDesign], list[Note]]:
    """Return the designs that these ratings allow, and notes on why others are left out.

    ``data`` is the split of the designs that do not level popularity. Ratings at or above the
    threshold are relevant; a uniform test contains only these.
    """
    sampled = min(SAMPLED, max(1, ratings.n_items // 4))
    names = ["AR AI-AN", "AR TI-AN", f"AR TI-NN sampled={sampled}", f"1R TI-NN sampled={sampled}"]
    fold = next(data.folds())
    chosen = [(parse_protocol(name), False) for name in names]
    percentiles = min(PERCENTILES, ratings.n_items // ITEMS_PER_PERCENTILE)
    notes: list[Note] = []
    if percentiles > 1:
        within = min(sampled, ratings.n_items // percentiles // 2)
        name = f"P1R TI-NN sampled={within} percentiles={percentiles}"
        chosen.append((parse_protocol(name), True))
    else:
        text = (
            f"P1R is left out, because {ratings.n_items} items are too few for popularity "
            f"percentiles of {ITEMS_PER_PERCENTILE} items. In smaller ones, the first {CUTOFF} "
            "items would say nothing."
        )
        notes.append(Note("design-left-out", text))
    designs = [_design("", data, fold, protocol, threshold, levels) for protocol, levels in chosen]
    try:
        uniform = split(ratings, "uniform-test", seed=seed, folds=1, tests_from=threshold)
    except ValueError as error:
        notes.append(Note("design-left-out", f"UAR and U1R are left out. {error}"))
        return designs, notes
    uniform_fold = next(uniform.folds())
    for name in ("AR TI-AN", f"1R TI-NN sampled={sampled}"):
        protocol = parse_protocol(name)
        designs.append(_design("U", uniform, uniform_fold, protocol, threshold, True))
    return designs, notes


def precision_of_designs(designs: list[ExperimentDesign], seed: int) -> pd.DataFrame:
    r"""Measure Random and Pop under each design, with all test ratings and with half of them.

    Random's expectation is computed, not sampled. Half of the test ratings are removed as in figure
    4 of Bellogín et al. (2017). The items stay candidates, so only the density of the test changes.

    Each row has ``design``, ``levels_popularity``, ``lists`` (target sets), ``t`` (their harmonic
    mean size), ``rho`` (the mean share of relevant items in them), ``random_expected`` (P@10) with
    its ``random_standard_error``, ``random``, ``pop``, ``lead`` (Pop minus Random's expectation),
    ``ratio`` (Pop over Random's expectation), and ``lead_with_half`` the test ratings, NaN if
    relevance decides which candidates are sampled (Bellogín et al. 2017, equations 4 and 5, and
    figures 2, 4 and 8).

    Notes
    -----
    Bellogín et al. (2017), equations 4 and 5, and figures 2, 4 and 8.
    """
    rows = []
    by_fold: dict[int, list[ExperimentDesign]] = {}
    for design in designs:
        by_fold.setdefault(id(design.fold), []).append(design)
    for own in by_fold.values():
        fold, data = own[0].fold, own[0].data
        measured = []
        for system in (Random(seed=integer_seed(seed, "diagnosis", "random")), Popularity()):
            system.fit(clicked_training(system, fold.train))
            protocols = [design.protocol for design in own]
            measured.append(rank_judged(system, fold, protocols, data.generator_for(0)))
        rows += [
            _row(design, random_ranks, pop_ranks, seed)
            for design, random_ranks, pop_ranks in zip(own, *measured, strict=True)
        ]
    return pd.DataFrame(rows)


def _row(
    design: ExperimentDesign, random_ranks: JudgedRanks, pop_ranks: JudgedRanks, seed: int
) -> dict[str, object]:
    fold, protocol, threshold = design.fold, design.protocol, design.threshold
    if protocol.percentiles is not None:
        expected = random_precision_within_percentiles(fold, protocol, threshold, CUTOFF)
        sizes = rho = float("nan")
        n_lists = int(np.sum(fold.test.values >= threshold))
    else:
        densities = TargetDensities.of(fold, protocol, threshold)
        expected = random_precision(densities, CUTOFF)
        sizes, rho, n_lists = densities.t, densities.rho, len(densities.sizes)
    lists = [
        JudgedLists.of(fold.test, own, threshold, protocol) for own in (random_ranks, pop_ranks)
    ]
    random, pop = (
        float(mean(evaluate([Precision(cutoff=CUTOFF)], own), own, "all")[0]) for own in lists
    )
    return {
        "design": design.name,
        "levels_popularity": design.levels_popularity,
        "lists": n_lists,
        "t": sizes,
        "rho": rho,
        "random_expected": expected.mean,
        "random_standard_error": expected.standard_error,
        "random": random,
        "pop": pop,
        "lead": pop - expected.mean,
        "ratio": pop / expected.mean if expected.mean > 0 else float("nan"),
        "lead_with_half": _lead_with_half(design, pop_ranks, seed),
    }


def _lead_with_half(design: ExperimentDesign, ranks: JudgedRanks, seed: int) -> float:
    protocol, test, threshold = design.protocol, design.fold.test, design.threshold
    all_relevant = protocol.relevant == "AR"
    if protocol.percentiles is not None or (all_relevant and protocol.sampled is not None):
        return float("nan")
    relevant = test.values >= threshold
    hits = relevant & (ranks.ranks > 0) & (ranks.ranks <= CUTOFF)
    leads = []
    for number in range(HALVES):
        order = generator(seed, "diagnosis", "half", number).permutation(len(test))
        kept = order < len(test) // 2
        if not (relevant & kept).any():
            continue
        lists = test.n_users if all_relevant else int((relevant & kept).sum())
        pop = int((hits & kept).sum()) / (CUTOFF * lists)
        densities = TargetDensities.of(design.fold, protocol, threshold, kept)
        leads.append(pop - random_precision(densities, CUTOFF).mean)
    return float(np.mean(leads)) if leads else float("nan")


def _design(
    prefix: str,
    data: SplitRatings,
    fold: Fold,
    protocol: Protocol,
    threshold: float,
    levels_popularity: bool,
) -> ExperimentDesign:
    complete = protocol.with_threshold(threshold)
    name = prefix + complete.name
    return ExperimentDesign(name, data, fold, complete, threshold, levels_popularity)


# How much of Pop's lead over Random is due to the density of the test, and how much to popularity.

PAIRS_OF_DESIGNS = (("AR TI-AN", "UAR TI-AN"), ("1R TI-NN", "U1R TI-NN"), ("1R TI-NN", "P1R TI-NN"))
"""Designs, each with the design that levels popularity."""


def popularity_or_sparsity(designs: pd.DataFrame) -> pd.DataFrame:
    r"""Split Pop's lead over Random into sparsity and popularity.

    Pop's precision is that of Random, which is the density of relevant items in the target sets,
    times a factor, Pop's *ratio* :math:`L`. The two shares show how the data affect both:

    .. math::

        s = 2 \Big(1 - \frac{lead_{half}}{lead}\Big), \qquad
        p = 1 - \frac{\ln L_{levelled}}{\ln L}

    - *Sparsity* :math:`s`: how much the lead (Pop minus Random) falls with the density of the
      test, when half of the test ratings are removed. It is 1 if the lead is proportional to the
      density, as under AR, and 0 if the lead does not change, as under 1R.
    - *Popularity* :math:`p`: the share of the ratio, on a logarithmic scale, that disappears when
      all target items have the same number of test ratings (UAR, U1R), or compete with items of
      the same popularity (P1R). The rest, :math:`1 - p`, is not due to the number of ratings:
      popular items have a higher share of relevant ratings, and are not candidates for users who
      have them in train.

    There is a row for each of :data:`PAIRS_OF_DESIGNS` that was measured. A share is NaN if Pop is
    not ahead of Random, since there is no lead to split. The two biases are defined in sections 4
    and 5 of Bellogín et al. (2017) and measured in figures 4 and 8; these two shares, which
    summarise its figures, are ours.
    """
    measured = designs.set_index("design")
    rows = []
    for name, levelled in PAIRS_OF_DESIGNS:
        if name not in measured.index or levelled not in measured.index:
            continue
        own, flat = measured.loc[name], measured.loc[levelled, "ratio"]
        lead, ratio = own["lead"], own["ratio"]
        sparsity = popularity = math.nan
        if lead > 0 and ratio > 1:
            sparsity = 2 * (1 - own["lead_with_half"] / lead)
            if flat > 0:
                popularity = 1 - math.log(flat) / math.log(ratio)
        rows.append((name, levelled, lead, sparsity, ratio, flat, popularity))
    columns = ("design", "levelled", "lead", "sparsity_share", "ratio", "levelled_ratio")
    return pd.DataFrame(rows, columns=[*columns, "popularity_share"])
