# SPDX-License-Identifier: MIT
"""Random ratings and runs, as commands read them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd


def random_ratings(n_users: int, n_items: int, share: float | np.ndarray, seed: int = 1) -> str:
    """Return random ratings from 1 to 5 of a share of all pairs, as CSV."""
    rng = np.random.default_rng(seed)
    users, items = np.nonzero(rng.random((n_users, n_items)) < share)
    values = rng.integers(1, 6, len(users))
    table = pd.DataFrame({"user": users, "item": items, "rating": values})
    text: str = table.to_csv(index=False)
    return text


def write_ratings_and_runs() -> None:
    """Write ratings, judgments and two runs to the current folder."""
    rng = np.random.default_rng(1)
    users, items = np.nonzero(rng.random((20, 12)) < 0.6)
    values = rng.integers(1, 6, len(users))
    pd.DataFrame({"user": users, "item": items, "rating": values}).to_csv("r.csv", index=False)
    judged = [f"u{user} 0 d{item} {(user + item) % 2}" for user in range(4) for item in range(6)]
    Path("test.qrels").write_text("\n".join(judged) + "\n", encoding="utf-8")
    for name in ("a.run", "b.run"):
        scores = rng.random((4, 6))
        rows = [f"u{u} Q0 d{i} 0 {scores[u, i]} x" for u in range(4) for i in range(6)]
        Path(name).write_text("\n".join(rows) + "\n", encoding="utf-8")
