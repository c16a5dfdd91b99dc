# SPDX-License-Identifier: MIT
"""Random ratings, as the text of a file."""

from __future__ import annotations

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
