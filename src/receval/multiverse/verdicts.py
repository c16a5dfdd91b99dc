# SPDX-License-Identifier: MIT
"""Analyse the verdicts of universes: shares of wins, explained variance, single changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
import pandas as pd

from receval.multiverse.decisions import DECISION_NAMES, Configuration
from receval.statistics.anova import ExplainedVariance, explained_variance
from receval.statistics.pairs import LEVEL
from receval.storage.files import real_values

MOST_SAMPLES = 0.5
"""A difference is significant if more than this share of bootstrap samples reject."""

Verdict = Literal["first", "tie", "second"]
FIRST, TIE, SECOND = 1, 0, -1
VERDICTS: Mapping[int, Verdict] = {FIRST: "first", TIE: "tie", SECOND: "second"}

RESPONSES = ("effect", "verdict")
"""The variables to explain: the standardised difference, and the winner as 1, 0 or -1."""

_NUMBER_OF_VERDICT = {name: number for number, name in VERDICTS.items()}


def index_of_universe(universes: pd.DataFrame, configuration: Configuration) -> int:
    """Return the index of a configuration among universes."""
    same = np.ones(len(universes), dtype=bool)
    for name, level in configuration.levels.items():
        same &= universes[name].astype(str).to_numpy() == level
    if not same.any():
        raise ValueError(
            f"The universe {configuration.name} is not among the {len(universes)} universes: add "
            "its levels to the grid."
        )
    return int(np.argmax(same))


def with_verdicts(universes: pd.DataFrame) -> pd.DataFrame:
    """Add verdicts to universes read from a file, derived from the signed 1 - p.

    Files do not store verdicts: between processors a number may change a little, but a verdict near
    the level of significance would flip.
    """
    certain = np.where(universes["test"] == "bootstrap", MOST_SAMPLES, 1.0 - LEVEL)
    signed_one_minus_p = real_values(universes["signed_one_minus_p"])
    signs = np.where(np.abs(signed_one_minus_p) > certain, np.sign(signed_one_minus_p), 0).astype(
        int
    )
    return universes.assign(verdict=[VERDICTS[sign] for sign in signs.tolist()])


def verdict_shares(universes: pd.DataFrame) -> dict[str, float]:
    """Return the shares of universes in which the first system, neither, or the second wins."""
    counts = universes["verdict"].value_counts()
    return {verdict: counts.get(verdict, 0) / len(universes) for verdict in VERDICTS.values()}


def explained(universes: pd.DataFrame, response: str) -> ExplainedVariance:
    """Return how much of the variance of a response the decisions and their pairs explain.

    Parameters
    ----------
    universes : DataFrame
        The universes of one pair of systems, from :func:`receval.multiverse.exploration.explore`.
    response : {"effect", "verdict"}
        The standardised difference, which is the same for universes that differ only in their test;
        or the winner.

    Raises
    ------
    ValueError
        The response is unknown, or the universes are of several pairs of systems.
    """
    if response not in RESPONSES:
        raise ValueError(
            f"Of a universe {' or '.join(RESPONSES)} can be explained, not {response!r}."
        )
    _check_pair(universes)
    if response == "verdict":
        values = universes["verdict"].map(_NUMBER_OF_VERDICT).to_numpy(dtype=np.float64)
        used, names = universes, DECISION_NAMES
    else:
        names = tuple(name for name in DECISION_NAMES if name != "test")
        used = universes.drop_duplicates(subset=list(names))
        values = used["effect"].to_numpy(dtype=np.float64)
    factors = {name: used[name].to_numpy(dtype=str) for name in names}
    return explained_variance(factors, values[None, :])


def start_of(universes: pd.DataFrame, start: Configuration | None = None) -> pd.Series:
    """Return the universe of the starting configuration of canamares2020.

    Raises
    ------
    ValueError
        The configuration is not among the universes, or they are of several pairs of systems.
    """
    _check_pair(universes)
    return universes.iloc[index_of_universe(universes, start or Configuration())]


def single_changes(universes: pd.DataFrame) -> pd.DataFrame:
    """Return the universes that are one decision away from the starting configuration.

    An aggregation (C3) that does not allow the test of the start has its own test: the t-test of
    logarithms for the geometric mean, the sign test for the median.

    Returns
    -------
    DataFrame
        ``decision`` and ``level``, then the columns of the universes. The start comes first, with
        both empty.
    """
    start = start_of(universes)
    levels = {name: str(start[name]) for name in DECISION_NAMES}
    natural = {"geometric": "t-log", "median": "sign"}
    itself = universes[_agrees(universes, levels, DECISION_NAMES)].head(1)
    rows = [itself.assign(decision="", level="")]
    for decision in DECISION_NAMES:
        others = [name for name in DECISION_NAMES if name not in (decision, "test")]
        near = universes[
            _agrees(universes, levels, others) & (universes[decision] != levels[decision])
        ]
        if decision != "test":
            wanted = near["aggregation"].map(lambda name: natural.get(name, levels["test"]))
            near = near[near["test"] == wanted]
        rows.append(near.assign(decision=decision, level=near[decision]))
    changed = pd.concat(rows, ignore_index=True)
    return changed[["decision", "level", *universes.columns]]


def _check_pair(universes: pd.DataFrame) -> None:
    names = [name for name in ("first", "second") if name in universes]
    if names and len(pairs := universes[names].drop_duplicates()) > 1:
        printed = "; ".join(" and ".join(pair) for pair in pairs.itertuples(index=False))
        raise ValueError(
            f"The universes are of {len(pairs)} pairs of systems ({printed}): choose those of one."
        )


def _agrees(universes: pd.DataFrame, levels: dict[str, str], decisions: Sequence[str]) -> pd.Series:
    same = pd.Series(True, index=universes.index)
    for decision in decisions:
        same &= universes[decision].astype(str) == levels[decision]
    return same
