# SPDX-License-Identifier: MIT
"""Audit sampled metrics: compare them with full ranking, over all possible samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.checked_arguments import checked_arguments
from receval.data.ratings import Ratings
from receval.data.ratings_table import read_ratings, read_test_data
from receval.data.reading import ReadingReport, readings_of
from receval.data.relevance import RelevanceRule
from receval.data.run import read_run
from receval.evaluation.fitted_systems import ProgressSteps, ranked_folds
from receval.evaluation.identifiers import (
    SharedCodes,
    TrainedPairs,
    check_that_identifiers_meet,
    without_trained_pairs,
)
from receval.evaluation.measuring import named_metrics_of_ranks
from receval.metrics.judged_items import DatasetMetadata, JudgedItems
from receval.metrics.lists import JudgedLists
from receval.metrics.metric import Metric
from receval.notes import Note
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.listed_ranks import rank_listed
from receval.protocols.protocol import Protocol
from receval.sampled_metrics.audit_result import SamplingAudit
from receval.sampled_metrics.rank_corrections import corrected_values
from receval.sampled_metrics.sampled_candidates import SamplingOdds
from receval.sampled_metrics.sampled_moments import AuditedMoments, full_cutoffs, order_changes
from receval.seeds import generator
from receval.splits.split import Fold
from receval.splits.split_ratings import SplitRatings
from receval.storage.messages import quoted

_SIZES = [size * 10**power for power in range(1, 9) for size in (1, 2, 5)]


@checked_arguments
def audit_samples(
    test: object,
    runs: Mapping[str, Any],
    *,
    sampled: int = 100,
    train: object = None,
    trained_pairs: TrainedPairs = "refuse",
    metrics: str | Metric | Sequence[str | Metric] = ("Recall@10", "nDCG@10", "RR"),
    relevant: float | Literal["auto"] = "auto",
    told: ProgressSteps | None = None,
) -> SamplingAudit:
    r"""Compare metrics on sampled candidates with those on all, over all samples.

    Every relevant test rating is ranked among non-relevant items: all of them (1R AN), or a sample
    of s (1R NN), drawn without replacement and independently for each rating and system. If K of M
    candidates are above the item, a sample has :math:`H \sim Hypergeometric(M, K, s)` candidates
    above it, so the mean and variance of a sampled metric are computed as sums, without simulation.
    The probability that two systems swap assumes that the difference of their averages is normal,

    .. math:: \Pr[\text{other order}] = \Phi\left(-\mathrm{sign}(d)\,
        \frac{E_1 - E_2}{\sqrt{V_1 + V_2}}\right)

    with d their difference under full ranking, and E and V the means and variances over samples.

    Parameters
    ----------
    test : path, data frame, mapping, Ratings or SplitRatings
        Judgments or held-out ratings; or a split, on whose folds systems are trained.
    runs : mapping of str to run, path, data frame or mapping; or to recommender
        Lists of all candidates of each user. With a split, systems: recommenders, scorers or
        arrays of scores, as :func:`receval.evaluation.systems.evaluate_systems` takes them.
    sampled : int
        The number s of sampled candidates, at least 1.
    train : path, data frame, mapping or Ratings, optional
        Training ratings, whose items are not candidates; not needed with a split.
    trained_pairs : {"refuse", "drop"}
        Whether test pairs that are also in the training data are refused or removed from the test.
    metrics : str, Metric or sequence
        Metrics that depend only on the rank of the one relevant item.
    relevant : float or "auto"
        The lowest rating of a relevant test item.
    told : callable, optional
        Called to report progress: a word, the number of steps done, and the total number of steps.

    Returns
    -------
    SamplingAudit

    Raises
    ------
    ValueError
        A list is not complete, a system cannot score, a metric depends on more than the rank, no
        test rating is relevant, or ``sampled`` is below 1.
    TableError
        A file cannot be used.

    Notes
    -----
    Krichene and Rendle (2020), "On sampled metrics for item recommendation", KDD; Li, Jin, Gao and
    Liu (2020), "On sampling top-K recommendation evaluation", KDD.

    Examples
    --------
    The relevant item is second of three: it is first in half of the samples of one candidate.

    >>> test = {"user": ["ann"], "item": ["y"], "rating": [5]}
    >>> runs = {"mine": {"ann": {"x": 3.0, "y": 2.0, "z": 1.0}}}
    >>> audit = audit_samples(test, runs, sampled=1, metrics="P@1")
    >>> audit.values[["full", "expected", "sd"]].to_numpy().tolist()
    [[0.0, 0.5, 0.5]]
    """
    if sampled < 1:
        raise ValueError(
            f"{sampled} candidates cannot be sampled. Set sampled to 1 or more, for example 100."
        )
    chosen = named_metrics_of_ranks(metrics)
    if isinstance(test, SplitRatings):
        if train is not None:
            raise ValueError(
                "A split has its own training ratings. Leave out train=, or give the test ratings "
                "as a table, with runs."
            )
        odds, user_ids, relevance, notes, reading = odds_of_systems(test, runs, relevant)
    else:
        odds, user_ids, relevance, notes, reading = odds_of_runs(
            test, runs, train, relevant, trained_pairs
        )
    largest = int(max(own.pools[own.users].max(initial=0) for own in odds.values()))
    if not largest:
        raise ValueError(
            "No user with a relevant item has a candidate that is not relevant, so there is "
            "nothing to sample. Give the scores of all items."
        )
    first = next(iter(odds.values()))
    pools, tested = first.pools[first.users], first.users % len(user_ids)
    if n_short := len(np.unique(tested[pools < sampled])):
        text = (
            f"{n_short:,} of {len(np.unique(tested)):,} users have fewer than {sampled:,} items to "
            f"draw from; the smallest number is {pools.min():,}. For these users, all items are "
            "ranked."
        )
        notes = [*notes, Note("fewer-candidates", text)]
    moments = AuditedMoments(odds, chosen, len(user_ids), told)
    full = moments.full
    sizes = sorted({*(size for size in _SIZES if size < largest), min(sampled, largest), largest})
    for number, size in enumerate(sizes):
        if told is not None:
            told("numbers of negatives", number, len(sizes))
        moments.at(size)
    if told is not None:
        told("numbers of negatives", len(sizes), len(sizes))
    pairs, swaps = order_changes(moments, sizes, min(sampled, largest), largest)
    names = pd.MultiIndex.from_product([chosen, odds], names=["metric", "system"])
    at = moments.at(min(sampled, largest))
    values = pd.DataFrame({"full": full.ravel()}, index=names).reset_index()
    values = values.assign(negatives=sampled, expected=at[0].ravel(), sd=np.sqrt(at[1]).ravel())
    curve = pd.concat(
        pd.DataFrame({"expected": mean.ravel(), "sd": np.sqrt(variance).ravel()}, index=names)
        .reset_index()
        .assign(negatives=size)
        for size, (mean, variance) in ((size, moments.at(size)) for size in sizes)
    )
    return SamplingAudit(
        values=values.assign(relevant_items=len(first.users)),
        corrections=corrected_values(moments, sampled),
        cutoffs=full_cutoffs(moments, sampled),
        curve=curve[["metric", "system", "negatives", "expected", "sd"]].reset_index(drop=True),
        pairs=pairs,
        swaps=swaps,
        by_user=_by_user(moments, sampled, user_ids),
        settings={
            "sampled": sampled,
            "metrics": list(chosen),
            "relevant": relevance.threshold,
            "relevant_items": len(first.users),
            "largest_number_of_negatives": largest,
        },
        notes=tuple(notes),
        reading=reading,
        words=(relevance.words,),
    )


def _by_user(moments: AuditedMoments, sampled: int, user_ids: NDArray[np.str_]) -> pd.DataFrame:
    frames = []
    for system in moments.odds:
        expected = moments.items(system, sampled)
        counts = np.bincount(moments.owners, minlength=len(user_ids))
        users = np.flatnonzero(counts)
        for column, metric in enumerate(moments.metrics):
            sums = [
                np.bincount(moments.owners, weights=values[:, column], minlength=len(user_ids))
                for values in (moments.full_items[system], expected)
            ]
            full, mean = (total[users] / counts[users] for total in sums)
            frames.append(
                pd.DataFrame(
                    {
                        "metric": metric,
                        "system": system,
                        "user": user_ids[users],
                        "relevant_items": counts[users],
                        "full": full,
                        "expected": mean,
                    }
                )
            )
    return pd.concat(frames, ignore_index=True)


SampledRuns = tuple[
    dict[str, SamplingOdds],
    NDArray[np.str_],
    RelevanceRule,
    list[Note],
    tuple[ReadingReport, ...],
]
"""Odds by run, identifiers of users, which ratings are relevant, notes, and how data were read."""


def odds_of_runs(
    test: object,
    runs: Mapping[str, object],
    train: object = None,
    relevant: float | Literal["auto"] = "auto",
    trained_pairs: TrainedPairs = "refuse",
) -> SampledRuns:
    """Read runs, and return the sampling odds of their relevant items.

    The arguments are those of :func:`receval.evaluation.runs.evaluate_runs`; runs must rank all
    candidates of every user with test ratings. Also returned are the identifiers of the users,
    which test ratings are relevant, notes, and how the data were read.
    """
    if not runs:
        raise ValueError("There is no run to audit: name at least one.")
    judged = read_test_data(test)
    training = train if isinstance(train, Ratings) or train is None else read_ratings(train)
    read = {name: read_run(source) for name, source in runs.items()}
    doubts, meeting = check_that_identifiers_meet(judged.ratings, training, read)
    sources = zip((judged, training, *read.values()), ("", *meeting), strict=True)
    reading = tuple(
        replace(own, meeting=words) for source, words in sources for own in readings_of(source)
    )
    judged, notes = without_trained_pairs(judged, training, trained_pairs)
    relevance = RelevanceRule.of_runs(judged, training, relevant)
    threshold = relevance.threshold
    notes += [*relevance.notes, *doubts]
    codes = SharedCodes.of(judged.ratings, training, list(read.values()))
    fold = codes.fold(judged.ratings, training)
    metadata = DatasetMetadata.of(codes.dataset(judged.ratings, training), threshold)
    items = JudgedItems.of(fold.test, threshold, metadata)
    protocol = replace(Protocol("AR", "AI"), ties="index").with_threshold(threshold)
    odds = {}
    for name, run in read.items():
        listed, _ = codes.listed(run)
        ranks = rank_listed(listed, fold, protocol, partial(generator, 1, "runs"))
        _check_whole(name, ranks, fold, codes.user_ids)
        lists = JudgedLists.measured_by(items, ranks, protocol)
        odds[name] = SamplingOdds.of(fold, lists, protocol)
    return odds, codes.user_ids, relevance, notes, reading


def odds_of_systems(
    data: SplitRatings, systems: Mapping[str, Any], relevant: float | Literal["auto"] = "auto"
) -> SampledRuns:
    """Train systems, and return what :func:`odds_of_runs` does.

    The codes of users in fold n are shifted by n times the number of users, so the identifiers are
    by code, modulo the number of users.

    Examples
    --------
    >>> from receval.splits.split_ratings import split
    >>> from receval.recommenders.non_personalised import Popularity
    >>> table = {"user": list("aaabbb"), "item": list("xyzxyz"), "rating": [1] * 6}
    >>> halves = split(read_ratings(table), "user-ratio", train_ratio=0.5)
    >>> odds, *_ = odds_of_systems(halves, {"Pop": Popularity()})
    >>> odds["Pop"].pools.tolist(), len(odds["Pop"].above)
    ([0, 0], 2)
    """
    relevance = data.relevance(relevant)
    threshold = relevance.threshold
    protocol = Protocol("AR", "AI").with_threshold(threshold)
    metadata = DatasetMetadata.of(data.ratings, threshold)
    found: dict[str, list[SamplingOdds]] = {}
    for ranked in ranked_folds(data, systems, protocol, threshold):
        items = JudgedItems.of(ranked.data.test, threshold, metadata)
        for name, ranks in ranked.test.items():
            lists = JudgedLists.measured_by(items, ranks, protocol)
            found.setdefault(name, []).append(SamplingOdds.of(ranked.data, lists, protocol))
    odds = {name: SamplingOdds.of_all_folds(own) for name, own in found.items()}
    notes = [*data.notes, *relevance.notes]
    return odds, data.ratings.user_ids, relevance, notes, readings_of(data)


def _check_whole(name: str, ranks: JudgedRanks, fold: Fold, user_ids: NDArray[np.str_]) -> None:
    tested = np.diff(fold.test.indptr) > 0
    missing = np.where(tested, ranks.candidates - ranks.lengths, 0)
    if not missing.any():
        return
    worst = int(missing.argmax())
    train_hint = (
        "" if fold.train.nnz else ", or give the training data, so that items in it are left out"
    )
    raise ValueError(
        f"The lists of {quoted(name)} are incomplete. The list of user {user_ids[worst]} has "
        f"{ranks.lengths[worst]:,} of {ranks.candidates[worst]:,} candidates, and "
        f"{int((missing > 0).sum()):,} of {int(tested.sum()):,} lists lack some. What a sample "
        "would find among the missing ones is not known. Give runs with the scores of all "
        f"items{train_hint}."
    )
