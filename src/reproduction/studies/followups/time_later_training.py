# SPDX-License-Identifier: MIT
"""What systems recommend, and which are ahead, when more and more later ratings train."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import fixed
from receval.figures.tables import Table, printed
from receval.seeds import integer_seed
from receval.statistics.correlation import kendall_tau_b
from receval.statistics.paired_tests import t_test
from receval.statistics.pairs import LEVEL
from receval.top_lists import NO_ITEM
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from receval.data.ratings import Ratings
    from receval.recommenders.base import Recommender

COLUMNS = (
    "dataset",
    "later_tenths",
    "system",
    "users",
    "ndcg",
    "later_items",
    "affected_users",
    "turned_pairs",
    "tau",
)

TITLES = {
    "pop": "Pop",
    "user-knn": "User kNN",
    "item-knn": "Item kNN",
    "puresvd": "PureSVD",
    "bprmf": "BPRMF",
}


def systems_with_later_ratings(seed: int) -> dict[str, Recommender]:
    """Return the systems by name."""
    from receval.recommenders.bprmf import BPRMF
    from receval.recommenders.knn import ItemKNN, UserKNN
    from receval.recommenders.non_personalised import Popularity
    from receval.recommenders.puresvd import PureSVD

    return {
        "pop": Popularity(),
        "user-knn": UserKNN(neighbours=100),
        "item-knn": ItemKNN(neighbours=100),
        "puresvd": PureSVD(factors=20),
        "bprmf": BPRMF(factors=20, seed=seed),
    }


def tenths_of_time(timestamps: NDArray[np.integer] | NDArray[np.float64]) -> NDArray[np.int64]:
    """Return in which tenth of the ratings each is by time, from 0 on; equal times are in one.

    Examples
    --------
    >>> tenths_of_time(np.array([5, 5, 1, 2, 3, 4, 6, 7, 8, 9])).tolist()
    [5, 5, 0, 1, 2, 3, 6, 7, 8, 9]
    """
    cuts = np.quantile(timestamps, np.arange(1, 10) / 10, method="higher")
    return np.searchsorted(cuts, timestamps, side="right")


def last_of_users(ratings: Ratings, times: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the row of the last rating of each user who has several, the later row of equals."""
    order = np.lexsort((times, ratings.users))
    users = ratings.users[order]
    is_last = np.append(users[1:] != users[:-1], True)
    has_others = np.bincount(ratings.users, minlength=ratings.n_users)[users] > 1
    return order[is_last & has_others]


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    r"""Train the systems with more and more later ratings for one test.

    The last ratings of the users whose last rating is in one tenth of the ratings by time test
    (``tested``, from 0 on). All other ratings of this tenth and of those before it train, and then
    those of one more tenth, two more, and so on. Ratings count as 1 whatever their value. All items
    that the user has not in train are candidates. Datasets without timestamps are left out.

    Parameters of the artifact: ``tested``; ``depth``, the length of lists.

    Columns: dataset; later_tenths (how many tenths after that of the test train); system; users (in
    test); ndcg (mean); later_items (share of the listed items whose first rating by anybody is
    later than the test rating of the user); affected_users (share of the users with such an item in
    their list); turned_pairs (number of pairs of systems of which one is significantly ahead at .05
    by a paired t-test without later tenths, and significantly behind with these); tau (Kendall's
    tau-b with the order of the systems without later tenths).

    Source: Ji, Sun, Zhang and Li (2023), ACM TOIS 41(3), who add years.
    """
    rows = [
        {"dataset": dataset, **row}
        for dataset, ratings in inputs.all_ratings()
        if ratings.timestamps is not None
        for row in _of_dataset(ratings, inputs)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _of_dataset(ratings: Ratings, inputs: ArtifactInputs) -> Iterator[dict[str, object]]:
    from receval.splits.split import matrices_of
    from receval.top_lists import recommended

    assert ratings.timestamps is not None
    times = ratings.timestamps.astype(np.int64)
    tested, depth = int(inputs.parameters["tested"]), int(inputs.parameters["depth"])
    tenths = tenths_of_time(times)
    tests = last_of_users(ratings, times)
    tests = tests[tenths[tests] == tested]
    users = ratings.users[tests]
    if len(users) < 2:
        raise ValueError(
            f"{len(users)} users have their last rating in tenth {tested} by time. Two are needed "
            "for a t-test. Set another value of tested."
        )
    first_times = np.full(ratings.n_items, np.iinfo(np.int64).max)
    np.minimum.at(first_times, ratings.items, times)
    played = replace(ratings, values=np.ones_like(ratings.values))
    in_test = np.zeros(len(ratings), dtype=bool)
    in_test[tests] = True
    seed = integer_seed(inputs.seed, "followups", "later training")
    before: NDArray[np.float64] | None = None
    for later in range(10 - tested):
        (train,) = matrices_of(played, [~in_test & (tenths <= tested + later)])
        values, rows = [], []
        for name, system in systems_with_later_ratings(seed).items():
            model = system.fit(train)
            lists = recommended(model, users, depth, exclude=train, n_items=ratings.n_items)
            listed = lists.items != NO_ITEM
            hits = lists.items == ratings.items[tests][:, None]
            values.append((hits / np.log2(np.arange(2, depth + 2))).sum(axis=1))
            late = listed & (first_times[np.where(listed, lists.items, 0)] > times[tests][:, None])
            rows.append(
                {
                    "later_tenths": later,
                    "system": name,
                    "users": len(users),
                    "ndcg": float(values[-1].mean()),
                    "later_items": float(late.sum() / max(1, listed.sum())),
                    "affected_users": float(late.any(axis=1).mean()),
                }
            )
        now = np.array(values)
        before = now if before is None else before
        pairs = {"turned_pairs": turned_pairs(before, now), "tau": _tau(before, now)}
        yield from ({**row, **pairs} for row in rows)


def turned_pairs(before: NDArray[np.float64], now: NDArray[np.float64]) -> int:
    """Return how many pairs of rows are significantly one way around before, and the other now."""
    ahead = []
    for values in (before, now):
        one, other = np.triu_indices(len(values), 1)
        sign = np.sign(values[one].mean(axis=1) - values[other].mean(axis=1))
        ahead.append(np.where(t_test(values) < LEVEL, sign, 0))
    return int((ahead[0] * ahead[1] < 0).sum())


def _tau(before: NDArray[np.float64], now: NDArray[np.float64]) -> float:
    return float(kendall_tau_b(before.mean(axis=1), now.mean(axis=1)).item())


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print nDCG, and how many users get later items, by the number of later tenths."""
    amounts = sorted(set(results["later_tenths"]))
    found = results.set_index(["dataset", "system", "later_tenths"])
    rows = [
        (
            display.datasets[dataset],
            TITLES[system],
            *(fixed(float(found.loc[(dataset, system, k), "ndcg"]), 3) for k in amounts),
            *(
                fixed(100 * float(found.loc[(dataset, system, k), "affected_users"]), 0)
                for k in amounts
            ),
        )
        for dataset in dict.fromkeys(results["dataset"])
        for system in TITLES
    ]
    heads = [f"nDCG, +{k}" for k in amounts] + [f"Users (%), +{k}" for k in amounts]
    return printed(display, ("Ratings", "System"), heads, rows)
