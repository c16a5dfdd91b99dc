# SPDX-License-Identifier: MIT
"""Divide users into groups, by a feature such as gender or by traits of their training ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.data.features import binned, read_features
from receval.data.reading import ReadingReport
from receval.data.shared_identifiers import Meeting, doubts_on
from receval.evaluation.by_user import ValuesByUser
from receval.evaluation.item_features import check_few_groups
from receval.metrics.rating_errors import PredictedRatings, RatingMetric
from receval.metrics.whole_lists.list_metric import MetricOfAllUsers, RecommendedLists
from receval.notes import Note
from receval.storage.messages import quoted

ACTIVITY = "activity"
"""A trait of users: the number of their training ratings."""

POPULARITY_TASTE = "popularity taste"
"""A trait of users: the share of their training ratings that are of popular items."""

HEAD = 0.2
"""The share of the items with training ratings that count as popular."""

DEFAULT_BINS = 3
"""The number of groups of users by a trait."""


def traits_of_users(folds: Sequence[csr_array]) -> dict[str, NDArray[np.float64]]:
    r"""Return numbers by which users can be grouped, from the training ratings of all folds.

    :data:`ACTIVITY` is the number of training ratings of a user, averaged over the folds. With the
    most rated :data:`HEAD` of a fold's items as :math:`H` (of equally popular ones at the border,
    those with smaller codes), :data:`POPULARITY_TASTE` is :math:`|R_{train}(u) \cap H| /
    |R_{train}(u)|`, over all folds. Both are NaN for users without training ratings.

    Source: groups of users by their interest in popular items are those of Abdollahpouri et al.
    (2019), "The unfairness of popularity bias in recommendation".

    Examples
    --------
    >>> train = csr_array(np.array([[1, 1, 0, 0, 0], [1, 0, 0, 0, 0], [1, 0, 1, 1, 1]]))
    >>> {name: own.tolist() for name, own in traits_of_users([train]).items()}
    {'activity': [2.0, 1.0, 4.0], 'popularity taste': [0.5, 1.0, 0.25]}
    """
    n_users = folds[0].shape[0]
    counts, popular = np.zeros(n_users), np.zeros(n_users)
    for train in folds:
        met = np.bincount(train.indices, minlength=train.shape[1])
        n_head = int(np.ceil(HEAD * np.count_nonzero(met)))
        is_head = np.zeros(train.shape[1], dtype=bool)
        is_head[np.argsort(-met, kind="stable")[:n_head]] = True
        owners = np.repeat(np.arange(n_users), np.diff(train.indptr))
        counts += np.bincount(owners, minlength=n_users)
        popular += np.bincount(owners, weights=is_head[train.indices], minlength=n_users)
    has_any = counts > 0
    share = np.full(n_users, np.nan)
    np.divide(popular, counts, out=share, where=has_any)
    return {ACTIVITY: np.where(has_any, counts / len(folds), np.nan), POPULARITY_TASTE: share}


MeasuredPart = RecommendedLists | PredictedRatings
"""What a metric measures of a system on one fold."""


@dataclass(frozen=True)
class MeasuredTogether:
    """Metrics of all users at once, and what they measured, to measure users of a group again.

    ``parts`` are by the name of the metric, the protocol and the system, one for each fold.
    """

    metrics: Mapping[str, MetricOfAllUsers | RatingMetric]
    parts: Mapping[tuple[str, str, str], Sequence[MeasuredPart]]

    def sums(self, metric: str, protocol: str, system: str, users: NDArray) -> NDArray[np.float64]:
        """Return the sums over folds of the pseudo-values of some users, measured without others.

        The users are given by ascending code. A metric that is not defined for them on a fold
        raises a :class:`.MissingValueError`.
        """
        found = np.zeros(len(users))
        for whole in self.parts[metric, protocol, system]:
            part = whole.of_users(users)
            if len(part.users):
                values = self.metrics[metric].per_user(part)  # type: ignore[arg-type]
                found[np.searchsorted(users, part.users)] += values
        return found


@dataclass(frozen=True)
class GroupsOfUsers:
    """The groups of all users: the place of each user's group among the labels, or -1."""

    name: str
    labels: tuple[str, ...]
    places: NDArray[np.int64]
    notes: tuple[Note, ...] = ()
    reading: tuple[ReadingReport, ...] = ()

    @classmethod
    def of(
        cls,
        users: object,
        groups: str | int | None,
        user_ids: NDArray[np.str_],
        is_averaged: NDArray[np.bool_],
        traits: Mapping[str, NDArray[np.float64]],
    ) -> GroupsOfUsers:
        """Group users by a trait or by a feature, as :meth:`.EvaluationResult.by_group` says."""
        if isinstance(users, str) and users.replace("-", " ") in (ACTIVITY, POPULARITY_TASTE):
            found = cls._of_trait(users.replace("-", " "), groups, traits)
        else:
            found = cls._of_feature(users, groups, user_ids)
        lacking = int((found.places[is_averaged] < 0).sum())
        if not lacking:
            return found
        if lacking == is_averaged.sum():
            raise ValueError(
                f"None of the {lacking:,} averaged users has a {found.name}, so there is no group."
            )
        text = (
            f"{lacking:,} of {int(is_averaged.sum()):,} averaged users have no {found.name}, and "
            "are in no group."
        )
        return replace(found, notes=(*found.notes, Note("users-without-group", text)))

    @classmethod
    def _of_trait(
        cls, name: str, groups: str | int | None, traits: Mapping[str, NDArray[np.float64]]
    ) -> GroupsOfUsers:
        if isinstance(groups, str):
            raise ValueError(
                f"groups is {quoted(groups)}, but for groups by {name} it is their number, such as "
                f"{DEFAULT_BINS}."
            )
        number = DEFAULT_BINS if groups is None else groups
        if number < 2:
            raise ValueError(f"groups is {number}, but there must be at least 2 groups.")
        values = traits.get(name)
        if values is None or not np.isfinite(values).any():
            raise ValueError(
                f"Groups by {name} need the training ratings of users, which are not known. Give "
                "them to evaluate_runs with train=..., or group users by a feature."
            )
        labels, places = binned(values, number)
        check_few_groups(name, labels)
        return cls(name, labels, places)

    @classmethod
    def _of_feature(
        cls, users: object, groups: str | int | None, user_ids: NDArray[np.str_]
    ) -> GroupsOfUsers:
        if groups is not None and not isinstance(groups, str):
            raise ValueError(
                f"groups is {groups}, but for a table of users it is the name of a feature. Divide "
                "numbers into bins with read_features(..., bins=...)."
            )
        if isinstance(users, str) and not Path(users).exists():
            raise ValueError(
                f"There is no file {quoted(users, 150)} to group users by. Give the path of a "
                "table of users and its feature, such as by_group('users.dat', 'gender'), a data "
                f"frame, or {quoted(ACTIVITY)} or {quoted(POPULARITY_TASTE)}."
            )
        if isinstance(users, pd.Series):
            users = users.rename_axis("user").rename(users.name or "group").reset_index()
        read = read_features(users, of="users", features=None if groups is None else [groups])
        source = f"features ({read.reading.source})"
        doubts = doubts_on(Meeting("user", source, "evaluated data", read.ids, user_ids))
        name = read.name(groups)
        labels = read.values[name]
        check_few_groups(name, labels)
        own = read.single_values(name)
        places = np.minimum(np.searchsorted(read.ids, user_ids), len(read.ids) - 1)
        of_users = np.where(read.ids[places] == user_ids, own[places], -1)
        return cls(name, labels, of_users, tuple(doubts), (read.reading,))

    def values(
        self, values: Mapping[str, ValuesByUser], metrics: NDArray[np.int64]
    ) -> dict[str, dict[str, ValuesByUser]]:
        """Divide values by protocol into those of each group that has a user."""
        found: dict[str, dict[str, ValuesByUser]] = {}
        for place, label in enumerate(self.labels):
            for protocol, whole in values.items():
                is_member = self.places[whole.users] == place
                if is_member.any():
                    found.setdefault(label, {})[protocol] = whole.of_members(is_member, metrics)
        return found
