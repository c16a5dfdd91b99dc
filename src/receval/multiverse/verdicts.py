# SPDX-License-Identifier: MIT
"""Count how often each system wins, and find the decisions that change or explain the winner."""

from __future__ import annotations

from collections.abc import Mapping
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

CANNOT_TELL = "cannot tell"
"""The verdict of a universe that cannot tell systems apart (:mod:`.exploration`)."""

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


def telling(universes: pd.DataFrame) -> pd.DataFrame:
    """Return the universes that can tell systems apart."""
    return universes[universes["verdict"] != CANNOT_TELL]


def verdict_shares(universes: pd.DataFrame) -> dict[str, float]:
    """Return the shares of universes in which the first system, neither, or the second wins."""
    counts = universes["verdict"].value_counts()
    return {verdict: counts.get(verdict, 0) / len(universes) for verdict in VERDICTS.values()}


def explained(universes: pd.DataFrame, response: str) -> ExplainedVariance:
    """Return how much of the variance of a response the decisions and their pairs explain.

    The universes are those of one pair of systems, from
    :func:`receval.multiverse.exploration.explore`. The response is the standardised difference,
    which is the same for universes that differ only in their test; or the winner.
    """
    if response not in RESPONSES:
        raise ValueError(f"The response is {response!r}; it must be {' or '.join(RESPONSES)}.")
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


def single_changes(universes: pd.DataFrame) -> pd.DataFrame:
    """Return the universes that are one decision away from the starting configuration.

    They are those of :func:`changes_from_start`, but an aggregation (C3) that does not allow the
    test of the start has one test: the t-test of logarithms for the geometric mean, the sign test
    for the median. The columns begin with ``decision`` and ``level``.
    """
    _check_pair(universes)
    changed = changes_from_start(universes, Configuration())
    own_tests = {"geometric": "t-log", "median": "sign"}
    tests = changed["aggregation"].map(own_tests).fillna(Configuration().test)
    shown = changed[changed["decision"].isin(["", "test"]) | (changed["test"] == tests)]
    return shown.reset_index(drop=True)[["decision", "level", *universes.columns]]


def _check_pair(universes: pd.DataFrame) -> None:
    names = [name for name in ("first", "second") if name in universes]
    if names and len(pairs := universes[names].drop_duplicates()) > 1:
        printed = "; ".join(" and ".join(pair) for pair in pairs.itertuples(index=False))
        raise ValueError(
            f"The universes are those of {len(pairs)} pairs of systems ({printed}). Choose the "
            "universes of one pair."
        )


def wins_by_level(universes: pd.DataFrame) -> pd.DataFrame:
    """Return how often each system of a pair wins, in all universes and per level.

    The columns are ``decision`` and ``level`` (empty for all universes), ``universes`` (their
    number), ``cannot_tell`` (the number that cannot tell systems apart), and the shares ``first``,
    ``tie`` and ``second`` among the others, NaN if there are none.
    """
    rows = [{"decision": "", "level": "", **shares_that_tell(universes)}]
    for decision in DECISION_NAMES:
        for level in dict.fromkeys(universes[decision]):
            own = universes[universes[decision] == level]
            rows.append({"decision": decision, "level": level, **shares_that_tell(own)})
    return pd.DataFrame(rows)


def shares_that_tell(universes: pd.DataFrame) -> dict[str, float]:
    """Return the number of universes, how many cannot tell, and the shares among the others."""
    able = telling(universes)
    shares: dict[str, float] = dict.fromkeys(VERDICTS.values(), np.nan)
    if len(able):
        shares = {verdict: float(share) for verdict, share in verdict_shares(able).items()}
    return {"universes": len(universes), "cannot_tell": len(universes) - len(able), **shares}


def flips_by_decision(universes: pd.DataFrame) -> pd.DataFrame:
    r"""Return how often a change of a single decision changes the winner.

    The universes are of one pair; those that cannot tell are not counted. There is one row per
    ``decision`` with at least two levels: ``neighbours``, the number of pairs of universes that
    differ only in it; the share of these in which the verdict ``changes``, and in which it is
    ``reversed`` (a different system wins); and ``explained``, the share of the variance of the
    verdict (1, 0, -1) that the decision alone explains
    (:func:`receval.multiverse.verdicts.explained`), NaN if all verdicts are the same. An
    aggregation that needs another test has no neighbours by aggregation alone.

    Examples
    --------
    Condensed lists change the verdict under both metrics, and reverse it under one. The metric
    changes it only on condensed lists:

    >>> same = dict.fromkeys(DECISION_NAMES, "x")
    >>> decided = [("full", "P"), ("full", "RR"), ("condensed", "P"), ("condensed", "RR")]
    >>> rows = [{**same, "lists": lists, "metric": metric} for lists, metric in decided]
    >>> universes = pd.DataFrame(rows).assign(verdict=["first", "first", "second", "tie"])
    >>> flips_by_decision(universes)[["changes", "reversed"]].to_numpy().tolist()
    [[1.0, 0.5], [0.5, 0.0]]
    """
    universes = telling(universes)
    decisions = [name for name in DECISION_NAMES if len(set(universes[name])) > 1]
    shares = {}
    if decisions and len(universes) > 1:
        variance = explained(universes, "verdict")
        shares = dict(zip(variance.names, variance.alone[0], strict=True))
    rows = []
    outcomes = pd.DataFrame({name: universes["verdict"] == name for name in VERDICTS.values()})
    for decision in decisions:
        others = [name for name in DECISION_NAMES if name != decision]
        counts = outcomes.groupby([universes[name] for name in others], sort=False).sum()
        first, tie, second = (
            counts[name].to_numpy(dtype=np.int64) for name in ("first", "tie", "second")
        )
        total = first + tie + second
        neighbours = int((total * (total - 1) // 2).sum())
        opposed = int((first * second).sum())
        changed = opposed + int((tie * (first + second)).sum())
        rows.append(
            {
                "decision": decision,
                "neighbours": neighbours,
                "changes": changed / neighbours if neighbours else np.nan,
                "reversed": opposed / neighbours if neighbours else np.nan,
                "explained": float(shares.get(decision, np.nan)),
            }
        )
    return pd.DataFrame(
        rows, columns=["decision", "neighbours", "changes", "reversed", "explained"]
    )


def changes_from_start(universes: pd.DataFrame, start: Configuration) -> pd.DataFrame:
    """Return the start, and the universes that differ from it in one decision.

    If an aggregation does not allow the test of the start, its own tests are included. The columns
    ``decision`` and ``level`` are empty for the start.
    """
    place = index_of_universe(universes, start)
    levels = {name: start.levels[name] for name in DECISION_NAMES}
    differs = pd.DataFrame({name: universes[name] != levels[name] for name in DECISION_NAMES})
    rows = [universes.iloc[[place]].assign(decision="", level="")]
    for decision in DECISION_NAMES:
        others = differs.drop(columns=decision)
        near = differs[decision] & ~others.drop(columns="test", errors="ignore").any(axis=1)
        if decision != "test":
            same_test = near & ~differs["test"]
            # Levels that do not allow the test of the start.
            lone = ~universes[decision].isin(universes.loc[same_test, decision])
            near = same_test | (near & lone)
        rows.append(universes[near].assign(decision=decision, level=universes[near][decision]))
    return pd.concat(rows, ignore_index=True)
