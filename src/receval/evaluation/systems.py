# SPDX-License-Identifier: MIT
"""Train, rank and measure systems on split ratings in one call."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from receval.checked_arguments import checked_arguments
from receval.data.ratings import Ratings
from receval.evaluation.fitted_systems import (
    checked_systems,
    fitted,
    notes_on_clicks,
    notes_on_scores,
    refuse_without_fold_in,
)
from receval.evaluation.groups_of_users import traits_of_users
from receval.evaluation.item_features import ItemFeatures
from receval.evaluation.measurements import FoldLists, FoldPredictions, Measurements
from receval.evaluation.measuring import (
    ChosenUsers,
    GivenMetric,
    Measuring,
    check_rating_scores,
    checked_length,
    named_protocols,
)
from receval.evaluation.methods import number_of_trials
from receval.evaluation.result import EvaluationResult
from receval.evaluation.result_lists import files_of_lists, refuse_equal_files
from receval.evaluation.runs import Depth, RunsOfFolds
from receval.evaluation.tuning_record import notes_on_tuning, tuning_records
from receval.metrics.dialects import Dialect
from receval.metrics.lists import DatasetMetadata, JudgedItems
from receval.metrics.whole_lists.novelty import ages_in_days
from receval.notes import Note
from receval.protocols.evaluation import Scorer, rank_judged
from receval.protocols.kept_lists import KeptLists, KeptPredictions
from receval.protocols.protocol import Protocol, name_in_calls
from receval.splits.split import TRAIN, Fold
from receval.splits.split_ratings import SplitRatings
from receval.storage.files import replacing
from receval.top_lists import TopLists

_LIST_SCHEMA = pa.schema(
    [("user", pa.string()), ("item", pa.string()), ("rank", pa.int32()), ("score", pa.float64())]
)

_LIST_ROWS = 2**19
"""Rows that are collected before they are written as one row group."""

# The descriptions of data and systems that results contain.


def data_settings(ratings: Ratings, folds: Sequence[Fold]) -> dict[str, Any]:
    """Return the numbers of ratings, users and items, and of those of each part per fold.

    Examples
    --------
    >>> from receval.splits.split_ratings import split
    >>> from receval.data.ratings_table import read_ratings
    >>> table = {"user": list("aabb"), "item": list("xyxy")}
    >>> halves = split(read_ratings(table), "user-ratio", train_ratio=0.5)
    >>> data_settings(halves.ratings, list(halves.folds()))
    {'ratings': 4, 'users': 2, 'items': 2, 'training_ratings': [2], 'test_ratings': [2]}
    """
    folded = [0 if fold.fold_in is None else int(fold.fold_in.nnz) for fold in folds]
    return {
        "ratings": len(ratings),
        "users": ratings.n_users,
        "items": ratings.n_items,
        "training_ratings": [int(fold.train.nnz) for fold in folds],
        **({"fold_in_ratings": folded} if any(folded) else {}),
        "test_ratings": [len(fold.test) for fold in folds],
    }


def system_settings(system: Any) -> dict[str, Any]:
    """Return the class of a system, its module if not of receval, and what else it tells.

    That is its parameters, and the number of trials with which it was tuned.

    Examples
    --------
    >>> from receval.recommenders.knn import UserKNN
    >>> system_settings(UserKNN(neighbours=20))["class"]
    'UserKNN'
    """
    parameters = getattr(system, "parameters", None)
    told: dict[str, Any] = {"class": type(system).__name__}
    if isinstance(parameters, dict):
        told["parameters"] = dict(parameters)
    if not type(system).__module__.startswith("receval."):
        told["module"] = type(system).__module__
    if (trials := number_of_trials(system)) is not None:
        told["trials"] = trials
    return told


def _profiles(data: SplitRatings) -> NDArray[np.int64]:
    """Return the number of ratings of each user, without those that a selection leaves out."""
    users = data.ratings.users
    if "unselected_items" in data.parameters:
        users = users[np.logical_or.reduce([codes > 0 for codes in data.parts.codes])]
    return np.bincount(users, minlength=data.ratings.n_users)


def _item_ages(data: SplitRatings, number: int) -> NDArray[np.float64]:
    """Return how many days before the last training rating of a fold items had their first."""
    ratings, is_train = data.ratings, (data.parts.codes[number] & TRAIN) > 0
    assert ratings.timestamps is not None
    return ages_in_days(ratings.items[is_train], ratings.timestamps[is_train], ratings.n_items)


@checked_arguments
def evaluate_systems(
    data: SplitRatings,
    systems: Mapping[str, Any],
    *,
    runs: Mapping[str, object] | None = None,
    depth: Depth = "auto",
    protocols: str | Protocol | Sequence[str | Protocol] = "AR AI-AN",
    metrics: GivenMetric | Sequence[GivenMetric] | None = None,
    relevant: float | Literal["auto"] = "auto",
    users: ChosenUsers = "auto",
    dialect: str | Dialect | None = None,
    lists: int | None = None,
    lists_to: str | Path | None = None,
    keep_models: bool = False,
    rating_scores: str | Sequence[str] = (),
    item_features: object = None,
    item_groups: str | Sequence[str] | None = None,
    progress: Callable[[str, int, int], object] | None = None,
) -> EvaluationResult:
    """Train systems on each fold, rank the test ratings under protocols, and measure the lists.

    Parameters
    ----------
    data : SplitRatings
        From :func:`receval.splits.split_ratings.split`.
    systems : mapping of str to recommender, scorer or array
        Systems by name. A recommender has ``fit(train)`` and ``score(users)`` (see
        docs/library.md). A system with only ``score`` is not trained. An array of shape (n_users,
        n_items) holds all scores, in the order of the codes of ``data.ratings``, with NaN for items
        that must not be recommended. Models of implicit, scikit-learn estimators and LensKit
        pipelines are adapted (:func:`receval.recommenders.adapters.adapt.adapt`). If some were
        tuned (:func:`receval.tuning.tune.tune`), the report says so, and notes tell of the others.
    runs : mapping of str to run, path, data frame or mapping, optional
        Lists that others made for the test users of the same split, by the names of their systems,
        such as those of models that were trained elsewhere on :meth:`.SplitRatings.to_frames`
        (:func:`receval.data.run.read_run`). With several folds, a list with one run per fold. They
        are ranked as systems are: training items are taken out, and so are items that are not in
        the ratings; unlisted items are not ranked. Without ``systems`` there must be runs.
    depth : int, "auto" or "whole"
        The length at which the lists of runs were cut, as for
        :func:`receval.evaluation.runs.evaluate_runs`.
    protocols : str, Protocol or sequence
        Protocols, or their names in the papers (:func:`receval.protocols.protocol.parse_protocol`).
    metrics : str, BaseMetric, function or sequence, optional
        Metrics of judged ranks, of whole lists or of predicted ratings, or their names
        (:func:`receval.metrics.aliases.any_metric`), or functions of the list of a user
        (:func:`receval.metrics.own_metrics.metric_of_function`); by default P, Recall and nDCG at
        10.
    relevant : float or "auto"
        The lowest rating of a relevant test item; by default the rule of the dialect, or without
        one :func:`receval.data.relevance.relevance_threshold`.
    users : {"auto", "tested", "relevant", "all", "covered", "relevant-covered"}
        Which users are averaged (:func:`receval.metrics.evaluation.evaluated_lists`); by default as
        in the dialect, or without one all tested users.
    dialect : str or Dialect, optional
        The tool whose definitions are used, such as ``recbole``
        (:func:`receval.metrics.dialects.dialect`). Metrics are then given and shown by its
        names. Ties are still broken by the protocol.
    lists : int, optional
        Keep the first items of each averaged user's list, at most this many, in the result
        (:meth:`receval.evaluation.result.EvaluationResult.lists`). Under 1R and with sampled
        candidates, these are the lists of all candidates with all relevant items. They take about
        8 bytes per item, user, system, protocol and fold.
    lists_to : path, optional
        Write these lists into this folder instead of keeping them: a Parquet file for each system,
        with folders for protocols and folds if there are several, as
        :meth:`receval.evaluation.result.EvaluationResult.write_runs` does. For data whose lists
        would fill the memory: 1 billion items take 8 GB there.
    keep_models : bool
        Whether the result has the fitted systems, ``result.models``, by name and fold. Each fold
        then trains a copy of the system.
    rating_scores : str or sequence of str
        Names of systems and runs whose scores are ratings, for metrics such as RMSE. Systems with
        an attribute ``predicts_ratings`` that is true need not be named; scores of others only
        order items.
    item_features : path, data frame or Features, or a list of these, optional
        Features of items, such as genres, for metrics with the parameter ``feature``
        (:func:`receval.data.features.read_features`). Metrics leave out items without a value.
    item_groups : str or sequence of str, optional
        Features by whose values items are grouped: metrics of judged ranks are also computed with
        the test items of each group alone, and some of lists with its listed items, for
        :meth:`receval.evaluation.result.EvaluationResult.by_group`.
    progress : callable, optional
        Called before each system is trained on a fold, with its name, the number of trainings done,
        and the total.

    Returns
    -------
    EvaluationResult

    Raises
    ------
    ValueError
        A name is unknown, a system cannot score, no test rating is relevant, a metric cannot be
        computed under a protocol, it needs ratings and the scores of a system are none,
        ``lists_to`` is given without ``lists``, or two systems would have the same file there.

    Examples
    --------
    >>> from receval.splits.split_ratings import split
    >>> from receval.data.ratings_table import read_ratings
    >>> from receval.recommenders.non_personalised import Popularity
    >>> table = {"user": list("aaabbbcc"), "item": list("xyzxyzxy"), "rating": [1] * 8}
    >>> halves = split(read_ratings(table), "user-ratio", train_ratio=0.5)
    >>> result = evaluate_systems(halves, {"Pop": Popularity()}, metrics=["RR", "P@1"])
    >>> result.summary()[["system", "metric", "users"]].to_dict("list")
    {'system': ['Pop', 'Pop'], 'metric': ['RR', 'P@1'], 'users': [3, 3]}
    """
    if lists_to is not None and lists is None:
        raise ValueError("lists_to is given without lists. Say how many items: lists=100.")
    # Read before models of other libraries are adapted.
    tuning = tuning_records(systems)
    if systems or not runs:
        systems = checked_systems(systems, (data.ratings.n_users, data.ratings.n_items))
    others = RunsOfFolds.of(data, runs or {}, systems, depth)
    if lists_to is not None:
        refuse_equal_files([*systems, *others.names], named_protocols(protocols))
    folds = list(data.folds())
    refuse_without_fold_in(systems, folds)
    measuring = Measuring.of(
        np.concatenate([fold.test.values for fold in folds]),
        data.relevance,
        protocols=protocols,
        metrics=metrics,
        relevant=relevant,
        users=users,
        dialect=dialect,
        are_grades=data.are_judgments,
    )
    if measuring.of_ratings or rating_scores:
        rating_scores = check_rating_scores(
            systems, others.by_name, rating_scores, measuring.of_ratings
        )
    timed = [own for own in measuring.of_lists.values() if own.times_needed]
    if timed and data.ratings.timestamps is None:
        timed[0].refuse_without_times()
    features = ItemFeatures.of(
        item_features, item_groups, measuring.metrics.values(), data.ratings.item_ids
    )
    complete = measuring.protocols
    metadata = DatasetMetadata.of(data.ratings, measuring.threshold)
    length_kept, told = checked_length(lists, complete)
    measurements = Measurements(
        measuring,
        [*systems, *others.names],
        data.ratings.user_ids,
        _profiles(data),
        kept=length_kept if lists_to is None else None,
        item_ids=data.ratings.item_ids,
        features=features,
        traits=traits_of_users([fold.train for fold in folds]),
    )
    length = max(measurements.list_length, length_kept or 0)
    ids = data.ratings.user_ids, data.ratings.item_ids
    models: dict[str, list[Any]] = {name: [] for name in systems} if keep_models else {}
    written: list[Path] = []
    notes = notes_on_clicks(systems, data.ratings.values)
    notes += [*notes_on_tuning(tuning, systems, data), *told]
    if measuring.dialect is not None:
        notes.append(_order_of(measuring.dialect))
    unordered: dict[str, Counter[str]] = {}
    for number, fold in enumerate(folds):
        judged = JudgedItems.of(fold.test, measuring.threshold, metadata)
        ages = _item_ages(data, number) if timed else None
        for place, (name, system) in enumerate(systems.items()):
            if progress is not None:
                progress(name, number * len(systems) + place, len(folds) * len(systems))
            if keep_models:
                system = copy.deepcopy(system)
            scorer = fitted(system, fold.learnt, name, complete.values(), fold.fold_in)
            if keep_models:
                models[name].append(scorer.scorer)
            generator_for = data.generator_for(number)
            ranked: Scorer = scorer
            predictions = None
            if measuring.of_ratings:
                ranked = kept = KeptPredictions(ranked, fold)
            with ExitStack() as open_files:
                write = None
                if lists_to is not None:
                    files = files_of_lists(lists_to, name, complete, number, len(folds))
                    write = open_files.enter_context(written_lists(files, *ids, length_kept))
                    written += files.values()
                if length:
                    ranked = keeper = KeptLists(
                        ranked,
                        fold,
                        complete,
                        generator_for,
                        length,
                        write=write,
                        are_held=measurements.list_length > 0,
                    )
                ranks = rank_judged(ranked, fold, list(complete.values()), generator_for)
                if length and measuring.users == "all":
                    keeper.score_others()
            if measuring.of_ratings:
                predictions = FoldPredictions(fold, kept.predictions)
            for protocol, own in zip(complete, ranks, strict=True):
                listed = (
                    FoldLists(keeper.lists(protocol), fold, keeper.candidates(protocol), ages)
                    if measurements.list_length
                    else None
                )
                measurements.add(name, protocol, judged, own, listed, predictions)
            scorer.refuse_no_order(number, len(folds))
            unordered.setdefault(name, Counter()).update(scorer.counts)
        for name, protocol, own, listed, predictions in others.ranked(
            number, fold, measuring, length
        ):
            if lists_to is not None and listed is not None:
                files = files_of_lists(lists_to, name, complete, number, len(folds))
                with written_lists({protocol: files[protocol]}, *ids, length_kept) as write:
                    write(protocol, listed.lists)
                written.append(files[protocol])
            measurements.add(
                name,
                protocol,
                judged,
                own,
                None if listed is None else replace(listed, item_ages=ages),
                predictions,
            )
    notes += others.notes
    notes += notes_on_scores(unordered, len(folds))
    settings = {
        "data": data_settings(data.ratings, folds),
        "split": data.parameters,
        "seed": data.seed,
        "systems": {name: system_settings(system) for name, system in systems.items()},
    }
    if tuning:
        settings["tuning"] = {name: own.as_dict() for name, own in tuning.items()}
    if rating_scores:
        settings["rating_scores"] = rating_scores
    if runs:
        settings |= {"runs": others.sources, "depth": depth}
    if lists_to is None and lists is not None:
        settings["lists"] = lists
    result = measurements.result(
        settings
        | measuring.settings
        | {"protocols": list(map(name_in_calls, complete.values())), **features.settings},
        [*data.notes, *notes],
        [*([] if data.reading is None else [data.reading]), *data.other_reading, *others.reading],
    )
    return replace(
        result,
        tuning=tuning,
        models={name: tuple(own) for name, own in models.items()},
        lists_written=tuple(written),
    )


def _order_of(spoken: Dialect) -> Note:
    text = (
        f"Equal scores are in the order of the protocol. Their order in {spoken.tool}: "
        f"{spoken.ties_in_words}."
    )
    return Note("order-of-equal-scores", text)


@contextmanager
def written_lists(
    files: Mapping[str, Path],
    user_ids: NDArray[np.str_],
    item_ids: NDArray[np.str_],
    length: int | None,
) -> Iterator[Callable[[str, TopLists], None]]:
    """Yield a function that writes the first items of lists under a protocol.

    ``files`` are the Parquet files by protocol; they are in place when the block ends without an
    error. They have the columns ``user``, ``item``, ``rank`` and ``score``, a row per item, and
    users in the order in which they are written. Only some row groups are in memory.
    """
    users, items = (pa.array(ids.tolist(), pa.string()) for ids in (user_ids, item_ids))
    with ExitStack() as all_files:
        writers = {}
        for protocol, path in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            unfinished = all_files.enter_context(replacing(path))
            writers[protocol] = all_files.enter_context(pq.ParquetWriter(unfinished, _LIST_SCHEMA))
        waiting: dict[str, list[pa.Table]] = {protocol: [] for protocol in files}

        def flush(protocol: str) -> None:
            if waiting[protocol]:
                writers[protocol].write_table(pa.concat_tables(waiting[protocol]))
                waiting[protocol].clear()

        def write(protocol: str, lists: TopLists) -> None:
            lists = lists.cut(length or 0)
            rows, positions, own = lists.entries()
            columns = [
                users.take(pa.array(lists.users[rows])),
                items.take(pa.array(own)),
                pa.array((positions + 1).astype(np.int32)),
                pa.array(lists.scores[rows, positions].astype(np.float64)),
            ]
            waiting[protocol].append(pa.Table.from_arrays(columns, schema=_LIST_SCHEMA))
            if sum(len(part) for part in waiting[protocol]) >= _LIST_ROWS:
                flush(protocol)

        yield write
        for protocol in files:
            flush(protocol)
