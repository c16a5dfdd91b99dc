# SPDX-License-Identifier: MIT
"""Generated ratings for the tests of splits, and the real ones where they are there."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from real_files import CM100K, MIRROR

from receval.data.ratings import Ratings
from receval.seeds import generator


def rng_for(choice: int | str) -> np.random.Generator:
    return generator(1, "generated", "split", choice)


def ratings_of(
    pairs: list[tuple[int, int]],
    n_users: int,
    n_items: int,
    timestamps: list[int] | None = None,
    known: list[bool] | None = None,
    values: list[float] | None = None,
) -> Ratings:
    """Return ratings of some pairs; where a pair is repeated, they are plays."""
    users, items = np.array(pairs, dtype=np.int32).reshape(-1, 2).T.copy()
    return Ratings(
        users=users,
        items=items,
        values=np.array(values if values is not None else [3.0] * len(pairs), dtype=np.float32),
        user_ids=np.array([f"u{user}" for user in range(n_users)]),
        item_ids=np.array([f"i{item}" for item in range(n_items)]),
        timestamps=None if timestamps is None else np.array(timestamps, dtype=np.int64),
        known=None if known is None else np.array(known, dtype=bool),
        events=len(set(pairs)) < len(pairs),
    )


@st.composite
def any_ratings(draw: st.DrawFn, plays: bool = False) -> Ratings:
    """Up to 60 ratings of up to 6 users and 8 items; plays may repeat a pair."""
    n_users = draw(st.integers(1, 6))
    n_items = draw(st.integers(1, 8))
    pair = st.tuples(st.integers(0, n_users - 1), st.integers(0, n_items - 1))
    pairs = draw(st.lists(pair, min_size=1, max_size=60, unique=not plays))
    n = len(pairs)
    return ratings_of(
        pairs,
        n_users,
        n_items,
        timestamps=draw(st.lists(st.integers(0, 9), min_size=n, max_size=n)),
        known=draw(st.lists(st.booleans(), min_size=n, max_size=n)),
        values=draw(st.lists(st.integers(0, 5).map(float), min_size=n, max_size=n)),
    )


def skewed_ratings(n_users: int = 200, n_items: int = 60) -> Ratings:
    """Return a few thousand ratings whose items differ much in popularity."""
    rng = np.random.default_rng(7)
    wanted = rng.random((n_users, n_items)) < 0.9 / np.sqrt(1 + np.arange(n_items))
    users, items = np.nonzero(wanted)
    order = rng.permutation(len(users))
    return ratings_of(
        list(zip(users[order].tolist(), items[order].tolist(), strict=True)),
        n_users,
        n_items,
        timestamps=rng.integers(0, 500, len(users)).tolist(),
        known=(rng.random(len(users)) < 0.3).tolist(),
        values=rng.integers(1, 6, len(users)).astype(float).tolist(),
    )


def ranks_drawn(owners: list[int], rng: np.random.Generator) -> list[int]:
    """Number the rows of each owner in the order of a permutation, from 0."""
    met: Counter[int] = Counter()
    ranks = [0] * len(owners)
    for row in rng.permutation(np.arange(len(owners), dtype=np.int32)).tolist():
        ranks[row] = met[owners[row]]
        met[owners[row]] += 1
    return ranks


def cm100k() -> Ratings:
    table = pd.read_csv(
        MIRROR / CM100K,
        sep="\t",
        header=None,
        names=["user", "item", "value", "known"],
    )
    return _coded(table)


def _coded(table: pd.DataFrame) -> Ratings:
    users, user_ids = pd.factorize(table["user"])
    items, item_ids = pd.factorize(table["item"])
    return Ratings(
        users=users.astype(np.int32),
        items=items.astype(np.int32),
        values=table["value"].to_numpy(np.float32),
        user_ids=user_ids.to_numpy().astype(np.str_),
        item_ids=item_ids.to_numpy().astype(np.str_),
        known=table["known"].to_numpy() == 1 if "known" in table else None,
    )
