"""Who wins a universe, and how often."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
import pandas as pd

from receval.multiverse.decisions import Configuration
from receval.storage.tidy_csv import real_values

LEVEL = 0.05
"""A difference is significant if its p-value is below it."""

MOST_SAMPLES = 0.5
"""A difference is significant if more than this share of bootstrap samples reject."""

Verdict = Literal["first", "tie", "second"]
FIRST, TIE, SECOND = 1, 0, -1
VERDICTS: Mapping[int, Verdict] = {FIRST: "first", TIE: "tie", SECOND: "second"}


def index_of_universe(universes: pd.DataFrame, configuration: Configuration) -> int:
    """Return the place of a configuration among universes.

    Raises
    ------
    ValueError
        It is not among them.
    """
    same = np.ones(len(universes), dtype=bool)
    for name, level in configuration.levels.items():
        same &= universes[name].astype(str).to_numpy() == level
    if not same.any():
        raise ValueError(
            f"The universe {configuration.name} is not among the {len(universes)} universes: add "
            "its levels "
            "to the grid."
        )
    return int(np.argmax(same))


def with_verdicts(universes: pd.DataFrame) -> pd.DataFrame:
    """Return universes read from a file with their verdicts, which follow from the evidence.

    A file has the evidence alone: a number may move a little from processor to processor, a verdict
    near the level of significance would jump.
    """
    certain = np.where(universes["test"] == "bootstrap", MOST_SAMPLES, 1.0 - LEVEL)
    signed_one_minus_p = real_values(universes["signed_one_minus_p"])
    signs = np.where(np.abs(signed_one_minus_p) > certain, np.sign(signed_one_minus_p), 0).astype(
        int
    )
    return universes.assign(verdict=[VERDICTS[sign] for sign in signs.tolist()])


def verdict_shares(universes: pd.DataFrame) -> dict[str, float]:
    """Return in which share of the universes the first system wins, neither, and the second."""
    counts = universes["verdict"].value_counts()
    return {verdict: counts.get(verdict, 0) / len(universes) for verdict in VERDICTS.values()}
