# SPDX-License-Identifier: MIT
"""How user coverage relates to Coverage@1 and to both averages (canamares2020, section 3.9).

Each function returns the largest gap between two quantities over random judgments, where some users
get no list; 0 if they are equal.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from receval.metrics.evaluation import evaluate
from receval.metrics.lists import JudgedLists
from receval.metrics.registry import parse
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.seeds import generator
from receval.splits.split import Judgments

USERS, ITEMS = 60, 30
SYSTEMS = 20
METRICS = ("P@10", "nDCG(gain=binary)@10")


@cache
def _values_of_users() -> NDArray[np.float64]:
    """Return user coverage, Coverage@1 and the metrics of the users of some random systems."""
    rng = generator(0, "canamares2020", "user coverage")
    labels = ("UserCoverage", "Coverage@1", *METRICS)
    values = np.empty((SYSTEMS, len(labels), USERS))
    for system in values:
        judged = rng.random((USERS, ITEMS)) < 0.3
        users, items = np.nonzero(judged)
        judgments = Judgments.from_pairs(
            users, items, rng.integers(1, 6, len(users)), n_users=USERS
        )
        has_list = rng.random(USERS) < rng.random()
        order = np.argsort(rng.random((USERS, ITEMS)), axis=1) + 1
        ranks = JudgedRanks(
            np.where(has_list[users], order[users, items], 0).astype(np.int32),
            lengths=np.where(has_list, ITEMS, 0).astype(np.int32),
            candidates=np.full(USERS, ITEMS, dtype=np.int32),
        )
        lists = JudgedLists.of(judgments, ranks, 4.0, Protocol())
        system[:] = evaluate([parse(label) for label in labels], lists)
    return values


def gap_of_coverage_at_1() -> float:
    """Return the largest gap between user coverage and Coverage@1."""
    means = _values_of_users().mean(axis=2)
    return float(np.abs(means[:, 0] - means[:, 1]).max())


def gap_of_reduced_average() -> float:
    """Return the largest gap between the reduced average and user coverage times the full one."""
    full, reduced, covered = _averages()
    return float(np.abs(reduced - covered * full).max())


def gap_of_full_average() -> float:
    """Return the largest gap between the full average and user coverage times the reduced one."""
    full, reduced, covered = _averages()
    return float(np.abs(full - covered * reduced).max())


def _averages() -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the full and the reduced average of each metric and system, and the user coverage."""
    values = _values_of_users()
    covered, of_metrics = values[:, :1] > 0, values[:, 2:]
    full = of_metrics.mean(axis=2)
    reduced = of_metrics.sum(axis=2, where=covered) / covered.sum(axis=2)
    return full, reduced, covered.mean(axis=2)
