"""The decisions of universes as rows of tiles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from receval.figures.decision_rows import Decision
from receval.multiverse.decision_titles import decision_title, level_title


def decisions_of(universes: pd.DataFrame, names: Sequence[str]) -> list[Decision]:
    """Return how each universe took each decision, levels in the order of their first appearance.

    Decisions that all universes took alike are left out: there is nothing to see.
    """
    found = []
    for name in names:
        codes, levels = pd.factorize(universes[name].astype(str))
        if len(levels) > 1:
            titles = tuple(level_title(name, level) for level in levels)
            found.append(Decision(decision_title(name), titles, np.asarray(codes)))
    return found
