# SPDX-License-Identifier: MIT
"""Count how often each system wins, and which decisions change the winner."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval.multiverse.cannot_tell import telling
from receval.multiverse.decisions import DECISION_NAMES, Configuration
from receval.multiverse.verdicts import (
    VERDICTS,
    explained,
    index_of_universe,
    verdict_shares,
)


def wins_by_level(universes: pd.DataFrame) -> pd.DataFrame:
    """Return how often each system of a pair wins, in all universes and per level.

    Returns
    -------
    DataFrame
        The columns ``decision`` and ``level`` (empty for all universes), ``universes`` (their
        number), ``cannot_tell`` (the number that cannot tell systems apart), and the shares
        ``first``, ``tie`` and ``second`` among the others, NaN if there are none.
    """
    rows = [{"decision": "", "level": "", **shares_that_tell(universes)}]
    for decision in DECISION_NAMES:
        for level in dict.fromkeys(universes[decision]):
            own = universes[universes[decision] == level]
            rows.append({"decision": decision, "level": level, **shares_that_tell(own)})
    return pd.DataFrame(rows)


def shares_that_tell(universes: pd.DataFrame) -> dict[str, float]:
    """Return the number of universes, how many cannot tell, and the shares among the others.

    Examples
    --------
    >>> verdicts = ["first", "tie", "cannot tell", "cannot tell"]
    >>> shares_that_tell(pd.DataFrame({"verdict": verdicts}))
    {'universes': 4, 'cannot_tell': 2, 'first': 0.5, 'tie': 0.5, 'second': 0.0}
    """
    able = telling(universes)
    shares: dict[str, float] = dict.fromkeys(VERDICTS.values(), np.nan)
    if len(able):
        shares = {verdict: float(share) for verdict, share in verdict_shares(able).items()}
    return {"universes": len(universes), "cannot_tell": len(universes) - len(able), **shares}


def flips_by_decision(universes: pd.DataFrame) -> pd.DataFrame:
    r"""Return how often a change of a single decision changes the winner.

    Parameters
    ----------
    universes : DataFrame
        The universes of one pair. Those that cannot tell are not counted.

    Returns
    -------
    DataFrame
        One row per ``decision`` with at least two levels: ``neighbours``, the number of pairs of
        universes that differ only in it; the share of these in which the verdict ``changes``, and
        in which it is ``reversed`` (a different system wins); and ``explained``, the share of the
        variance of the verdict (1, 0, -1) that the decision alone explains
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

    If an aggregation does not allow the test of the start, its own tests are included.

    Returns
    -------
    DataFrame
        ``decision`` and ``level``, which are empty for the start, then the columns of the
        universes.
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
