# SPDX-License-Identifier: MIT
"""The lists of the 21 systems, their users' values, and what the authors released of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.data.ratings import Ratings
from receval.metrics.evaluation import evaluate
from receval.metrics.lists import DatasetMetadata, JudgedItems, JudgedLists
from receval.metrics.registry import parse
from receval.protocols.judged_ranks import read_ranks
from receval.protocols.protocol import Protocol
from receval.splits.split import Fold, Split, fold
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b

RELEASED = Path(__file__).with_name("released_values.csv")
METRICS = {
    "P": "P@100", "Recall": "Recall@100", "F1": "F1@100", "MAP": "AP@100", "nDCG": "nDCG@100",
    "MRR": "RR@100", "ERR": "ERR@100", "bpref": "bpref@100", "infAP": "infAP@100",
}  # fmt: skip
# The measures of the released tool, in the same order.
TOOL = ("set_P", "set_recall", "set_F", "map", "ndcg", "recip_rank", "err", "bpref", "infAP2")
LABELS = tuple(METRICS.values())
THRESHOLD = 4
METRIC_NAMES = list(METRICS)


class TestedUsers(NamedTuple):
    """Values of shape (n_metrics, n_systems, n_users), numbers of test and of relevant ratings."""

    values: NDArray[np.float64]
    test_ratings: NDArray[np.int64]
    relevant: NDArray[np.int64]


def released_values() -> tuple[list[str], dict[int, NDArray[np.float64]]]:
    """Return the systems, and their values (n_metrics, n_systems) by the share of items kept."""
    table = pd.read_csv(RELEASED, comment="#")
    systems = list(dict.fromkeys(table["system"]))
    by_level = {
        int(level): rows.set_index("system").loc[systems, list(METRICS)].to_numpy().T
        for level, rows in table.groupby("kept_percent")
    }
    return systems, by_level


def lists_of(
    prepared: Path, split: str, systems: list[str], ranked: Path | None = None
) -> list[tuple[Fold, list[JudgedLists]]]:
    """Return the lists of the systems on every fold of a split of the prepared dataset."""
    ranked = ranked or prepared
    ratings, parts = Ratings.read(prepared), Split.read(ranked / split / "split.npz")
    metadata, protocol = DatasetMetadata.of(ratings, THRESHOLD), Protocol()
    found = []
    for number in range(parts.n_folds):
        data = fold(ratings, parts, number)
        judged = JudgedItems.of(data.test, THRESHOLD, metadata)
        lists = []
        for system in systems:
            path, owner = ranked / split / system / "ranks.npz", ("ml-1m", split, system)
            ranks = read_ranks(path, protocol.key, number, "test", owner)
            lists.append(JudgedLists.measured_by(judged, ranks, protocol))
        found.append((data, lists))
    return found


def measured_users(
    data: Fold, lists: list[JudgedLists], labels: Sequence[str] = LABELS
) -> TestedUsers:
    """Measure every system on the users with test ratings."""
    sizes = np.diff(data.test.indptr)
    users = np.repeat(np.arange(len(sizes)), sizes)
    relevant = np.bincount(users[data.test.values >= THRESHOLD], minlength=len(sizes))
    metrics = [parse(label) for label in labels]
    values = np.stack([evaluate(metrics, each) for each in lists], axis=1)
    tested = sizes > 0
    return TestedUsers(values[:, :, tested], sizes[tested], relevant[tested])


def means_over_folds(folds: list[tuple[Fold, list[JudgedLists]]]) -> NDArray[np.float64]:
    """Return the values of users, each averaged over the folds that test the user."""
    n_users, n_systems = folds[0][0].test.n_users, len(folds[0][1])
    sums, counts = np.zeros((len(METRICS), n_systems, n_users)), np.zeros(n_users)
    for data, lists in folds:
        tested = np.diff(data.test.indptr) > 0
        sums[:, :, tested] += measured_users(data, lists).values
        counts += tested
    return np.asarray(sums[:, :, counts > 0] / counts[counts > 0])


SYSTEMS, RELEASED = released_values()
ALL = list(range(len(SYSTEMS)))
# Those that no setting brings near the published values (docs/fidelity.md).
FOUR = [SYSTEMS.index(name) for name in ("nncosngbr-ub", "nncosngbr-ib", "svd", "bprmf")]


def tau(complete: NDArray[np.float64], reduced: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return tau by metric, and by level, of values (n_metrics, n_systems[, n_levels])."""
    pairs = zip(complete, reduced, strict=True)
    found = [kendall_tau_b(one, other.T, TOLERANCE_OF_MEANS) for one, other in pairs]
    return np.stack([np.ravel(each) for each in found]).squeeze()


def line(label: str, numbers: NDArray[np.float64], digits: int = 3) -> None:
    print(f"{label:44}", *(f"{number:7.{digits}f}" for number in numbers), flush=True)


def heading(title: str) -> None:
    print(f"\n{title:44}", *(f"{name:>7}" for name in METRIC_NAMES))
