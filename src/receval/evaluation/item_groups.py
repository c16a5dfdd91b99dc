# SPDX-License-Identifier: MIT
"""Measure systems on the relevant test items of each group of items, such as a genre."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from receval.evaluation.by_user import ValuesByUser, ValuesByUserCollector
from receval.metrics.evaluation import EvaluatedUsers, evaluate, evaluated_lists
from receval.metrics.judged_items import JudgedItems
from receval.metrics.lists import JudgedLists
from receval.metrics.metric import Metric
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol

ValuesOfItemGroups = Mapping[str, Mapping[str, Mapping[str, ValuesByUser]]]
"""Values by feature, group and protocol."""


class ItemGroupCollector:
    """Collects the values of metrics of judged ranks for each group of items.

    In a group, only its items are judged; all others are as if they had no test rating, and the
    lists are the same. Averages are over the users with a relevant test item of the group.
    """

    def __init__(
        self,
        groups: Mapping[str, Mapping[str, NDArray[np.bool_]]],
        metrics: Mapping[str, Metric],
        n_users: int,
        systems: Sequence[str],
        users: EvaluatedUsers,
    ) -> None:
        self._groups = groups
        self._metrics = list(metrics.values())
        self._n_users = n_users
        self._systems = systems
        own_lists = users.endswith("covered")
        self._users: EvaluatedUsers = "relevant-covered" if own_lists else "relevant"
        self._collectors: dict[tuple[str, str, str], ValuesByUserCollector] = {}

    def add(
        self, system: str, name: str, protocol: Protocol, judged: JudgedItems, ranks: JudgedRanks
    ) -> None:
        """Measure a system on one fold, under the protocol of this name."""
        if not self._metrics or judged.items is None:
            return
        for feature, groups in self._groups.items():
            for group, is_member in groups.items():
                # A rank of -1 takes an item out of the test.
                own = np.where(is_member[judged.items], ranks.ranks, -1).astype(np.int32)
                lists = JudgedLists.measured_by(judged, replace(ranks, ranks=own), protocol)
                if not evaluated_lists(lists, self._users).any():
                    continue
                key = (feature, group, name)
                if key not in self._collectors:
                    self._collectors[key] = ValuesByUserCollector(
                        len(self._metrics), self._n_users, self._systems, self._users
                    )
                self._collectors[key].add(system, lists, evaluate(self._metrics, lists))

    def values(self) -> ValuesOfItemGroups:
        """Return the values by feature, group and protocol; groups without a user are left out."""
        found: dict[str, dict[str, dict[str, ValuesByUser]]] = {name: {} for name in self._groups}
        for (feature, group, protocol), collector in self._collectors.items():
            found[feature].setdefault(group, {})[protocol] = collector.values()
        return found
