# SPDX-License-Identifier: MIT
"""Training, ranking and measuring systems on split ratings, in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, runtime_checkable
from typing import Protocol as Interface

import numpy as np
from scipy.sparse import csr_array

from receval.adapters.adapt import adapt
from receval.adapters.scores import GivenScores
from receval.comparison.by_user import ValuesByUserCollector
from receval.comparison.named import named_metrics, named_protocols
from receval.comparison.relevance import relevance_threshold
from receval.comparison.result import EvaluationResult
from receval.comparison.splitting import SplitRatings
from receval.metrics.evaluation import EvaluatedUsers, evaluate
from receval.metrics.judged_items import DatasetMetadata, JudgedItems
from receval.metrics.lists import JudgedLists
from receval.metrics.metric import Metric
from receval.protocols.evaluation import Scorer, rank_judged
from receval.protocols.protocol import Protocol
from receval.storage.messages import enumerated, quoted


@runtime_checkable
class Trainable(Interface):
    """A recommender: it learns from ratings, then scores all items for some users."""

    def fit(self, train: csr_array) -> Any:
        """Learn from ratings, shape (n_users, n_items); what is returned scores."""
        ...


def evaluate_systems(
    data: SplitRatings,
    systems: Mapping[str, Any],
    *,
    protocols: str | Protocol | Sequence[str | Protocol] = "AR AI-AN",
    metrics: str | Metric | Sequence[str | Metric] = ("P@10", "Recall@10", "nDCG@10"),
    relevant: float | Literal["auto"] = "auto",
    users: EvaluatedUsers = "tested",
) -> EvaluationResult:
    """Train systems on each fold, rank the test ratings under protocols, and measure the lists.

    Parameters
    ----------
    data : SplitRatings
        From :func:`receval.comparison.splitting.split`.
    systems : mapping of str to recommender, scorer or array
        By their names. A recommender has ``fit(train)`` and ``score(users)`` (see docs/library.md);
        what has ``score`` alone is not trained; an array of shape (n_users, n_items) has the scores
        of all, NaN for items that are not to be recommended, in the order of the codes of
        ``data.ratings``. Models of implicit, estimators of scikit-learn and pipelines of LensKit
        are taken as they are (:func:`receval.adapters.adapt.adapt`).
    protocols : str, Protocol or sequence
        Names as the papers write them (:func:`receval.protocols.names.parse_protocol`).
    metrics : str, Metric or sequence
        Names (:func:`receval.metrics.usual_names.metric_of_usual_name`).
    relevant : float or "auto"
        From which rating on a test item is relevant
        (:func:`receval.comparison.relevance.relevance_threshold`).
    users : {"tested", "relevant", "all", "covered"}
        Who is averaged (:func:`receval.metrics.evaluation.evaluated_lists`).

    Returns
    -------
    EvaluationResult

    Raises
    ------
    ValueError
        A name is unknown, a system cannot score, no test rating is relevant, or a metric cannot be
        computed under a protocol.

    Examples
    --------
    >>> from receval.comparison.splitting import split
    >>> from receval.interchange.ratings_table import read_ratings
    >>> from receval.recommenders.non_personalised import Popularity
    >>> table = {"user": list("aaabbbcc"), "item": list("xyzxyzxy"), "rating": [1] * 8}
    >>> halves = split(read_ratings(table), "user-ratio", train_ratio=0.5)
    >>> result = evaluate_systems(halves, {"Pop": Popularity()}, metrics=["RR", "P@1"])
    >>> result.summary()[["system", "metric", "users"]].to_dict("list")
    {'system': ['Pop', 'Pop'], 'metric': ['RR', 'P@1'], 'users': [3, 3]}
    """
    if not systems:
        raise ValueError("There is no system to evaluate: name at least one.")
    chosen_protocols = named_protocols(protocols)
    chosen_metrics = named_metrics(metrics)
    n_users, n_items = data.ratings.n_users, data.ratings.n_items
    systems = {name: adapt(system) for name, system in systems.items()}
    for name, system in systems.items():
        _check_system(name, system, (n_users, n_items))
    folds = list(data.folds())
    threshold = relevance_threshold(np.concatenate([fold.test.values for fold in folds]), relevant)
    complete = {
        name: protocol.with_threshold(threshold) for name, protocol in chosen_protocols.items()
    }
    metadata = DatasetMetadata.of(data.ratings, threshold)
    collectors = {
        name: ValuesByUserCollector(len(chosen_metrics), n_users, tuple(systems), users)
        for name in complete
    }
    for number, fold in enumerate(folds):
        judged = JudgedItems.of(fold.test, threshold, metadata)
        for name, system in systems.items():
            scorer = _fitted(system, fold.train)
            ranks = rank_judged(scorer, fold, list(complete.values()), data.generator_for(number))
            for (own_name, protocol), own in zip(complete.items(), ranks, strict=True):
                lists = JudgedLists.measured_by(judged, own, protocol)
                collectors[own_name].add(
                    name, lists, evaluate(list(chosen_metrics.values()), lists)
                )
    return EvaluationResult(
        systems=tuple(systems),
        metrics=tuple(chosen_metrics),
        values={name: collector.values() for name, collector in collectors.items()},
        user_ids=data.ratings.user_ids,
        settings={
            "split": data.description,
            "seed": data.seed,
            "protocols": list(complete),
            "metrics": list(chosen_metrics),
            "relevant": threshold,
            "users": users,
        },
    )


def _check_system(name: str, system: Any, shape: tuple[int, int]) -> None:
    if isinstance(system, GivenScores):
        if system.shape != shape:
            raise ValueError(
                f"The scores of {quoted(name)} have the shape {system.shape}; they must be of all "
                f"users and items, {shape}, in the order of the ratings' codes."
            )
    elif not callable(getattr(system, "score", None)):
        there = [method for method in ("fit", "predict", "recommend") if hasattr(system, method)]
        raise ValueError(
            f"The system {quoted(name)} is a {type(system).__name__}, which has no score(users) "
            f"(it has {enumerated(there) or 'none of fit, predict, recommend'}). Give an object "
            "with score(users), an array of scores, or a run to evaluate_runs."
        )


def _fitted(system: Any, train: csr_array) -> Scorer:
    if isinstance(system, Trainable):
        fitted = system.fit(train)
        system = system if fitted is None else fitted
    scorer: Scorer = system
    return scorer
