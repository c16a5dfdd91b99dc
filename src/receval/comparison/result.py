# SPDX-License-Identifier: MIT
"""What comes of measuring systems: tables of averages, of pairs, of users."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.comparison.pair_tests import letters_of_systems, pair_table
from receval.comparison.user_values import UserValues
from receval.seeds import seed_sequence

PERMUTATIONS = 10_000
"""Samples of the permutation test, if nobody says otherwise."""


@dataclass(frozen=True)
class EvaluationResult:
    """Values of systems by protocol, metric and user.

    Attributes
    ----------
    systems, metrics : tuple of str
    values : mapping of str to UserValues
        By the name of the protocol.
    user_ids : ndarray of str, shape (n_users,)
        Identifiers by code.
    settings : mapping
        How it came about: what the same call needs to be made again.
    notes : tuple of str
        What is worth knowing about the data, in sentences.
    """

    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    values: Mapping[str, UserValues]
    user_ids: NDArray[np.str_]
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def summary(self) -> pd.DataFrame:
        """Return the averages, one row a protocol, metric and system.

        Returns
        -------
        DataFrame
            ``mean`` with its 95 % interval from ``low`` to ``high`` over users, and how many
            ``users`` are averaged.
        """
        frames = []
        for protocol, values in self.values.items():
            halves = values.half_intervals
            for number, metric in enumerate(self.metrics):
                means, half = values.means[number], halves[number]
                frames.append(
                    pd.DataFrame(
                        {
                            "protocol": protocol,
                            "metric": metric,
                            "system": list(self.systems),
                            "mean": means,
                            "low": means - half,
                            "high": means + half,
                            "users": values.n_users,
                        }
                    )
                )
        return pd.concat(frames, ignore_index=True)

    def compare(self, *, samples: int = PERMUTATIONS, seed: int = 1) -> pd.DataFrame:
        """Return every pair of systems, one row a protocol, metric and pair.

        Parameters
        ----------
        samples : int
            Of the permutation test.
        seed : int
            Of its signs.

        Returns
        -------
        DataFrame
            As :func:`receval.comparison.pair_tests.pair_table`, with the column ``protocol``.

        Raises
        ------
        ValueError
            There are fewer than two systems.
        """
        if len(self.systems) < 2:
            raise ValueError(
                f"There is only {', '.join(self.systems) or 'no system'}: comparing needs two."
            )
        frames = []
        for protocol, values in self.values.items():
            signs = seed_sequence(seed, "permutation", protocol)
            table = pair_table(values, self.metrics, self.systems, signs, samples)
            table.insert(0, "protocol", protocol)
            frames.append(table)
        return pd.concat(frames, ignore_index=True)

    def groups(self, *, samples: int = PERMUTATIONS, seed: int = 1) -> pd.DataFrame:
        """Return letters: systems that share one are not significantly different.

        Returns
        -------
        DataFrame
            The columns ``protocol``, ``metric``, ``system``, ``mean`` and ``letters``, the best
            system first.
        """
        pairs = self.compare(samples=samples, seed=seed)
        frames = []
        for protocol, values in self.values.items():
            for number, metric in enumerate(self.metrics):
                own = pairs[(pairs["protocol"] == protocol) & (pairs["metric"] == metric)]
                means = values.means[number]
                table = pd.DataFrame(
                    {
                        "protocol": protocol,
                        "metric": metric,
                        "system": list(self.systems),
                        "mean": means,
                        "letters": letters_of_systems(own, means, self.systems),
                    }
                )
                frames.append(table.sort_values("mean", ascending=False, kind="stable"))
        return pd.concat(frames, ignore_index=True)

    def per_user(self) -> pd.DataFrame:
        """Return the values of users, one row a protocol, system and user.

        Returns
        -------
        DataFrame
            The columns ``protocol``, ``system``, ``user``, ``lists`` (how many a user has; under
            P1R their weight) and one for each metric: the mean of the user's lists.
        """
        frames = []
        for protocol, values in self.values.items():
            per_user = values.per_user
            ids = self.user_ids[values.users]
            for number, system in enumerate(self.systems):
                columns: dict[str, Any] = {
                    "protocol": protocol,
                    "system": system,
                    "user": ids,
                    "lists": values.weights,
                }
                columns |= {m: per_user[index, number] for index, m in enumerate(self.metrics)}
                frames.append(pd.DataFrame(columns))
        return pd.concat(frames, ignore_index=True)

    def __str__(self) -> str:
        table = self.summary().pivot_table(
            index=["protocol", "system"], columns="metric", values="mean", sort=False
        )
        return str(table[list(self.metrics)].round(4))
