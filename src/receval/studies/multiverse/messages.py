# SPDX-License-Identifier: MIT
"""What each figure of the multiverse says, checked on its results."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from receval.figures.printed_numbers import fixed
from receval.multiverse.decisions import DECISIONS
from receval.multiverse.description import NO_DIFFERENCE, decision_title, level_title
from receval.storage.files import real_values
from receval.studies._shared.message import Message

NAMES = {"knn-user": "kNN", "ranksys-mf": "MF", "ranksys-mf-text": "MF (text)", "pop": "Pop"}
"""Systems as the figures call them."""


DATA, MEASURES = ("selection", "split"), ("metric", "test")
"""Decisions on the data and their split, and those on the metric and the test."""


def of_universes(results: pd.DataFrame) -> Message:
    """Return the message of the specification curve: both systems are ahead somewhere."""
    ahead = float((results["difference"] > 0).mean())
    behind = float((results["difference"] < 0).mean())
    return Message(
        "From left to right all universes, from those where MF is far ahead to those where kNN is; "
        "a tile is as dark as its level of a decision is frequent there.",
        f"The same two systems can be shown in either order: of {len(results):,} universes kNN is "
        f"ahead in {_percent(ahead)}, MF in {_percent(behind)}.",
        min(ahead, behind) >= 0.1,
        claim="The same two systems can be shown in either order, each in many universes.",
    )


def of_shares(results: pd.DataFrame) -> Message:
    """Return the message of winners by level: two levels of one decision turn who wins more."""
    levels = results[results["decision"] != ""]
    levels = levels.assign(lead=levels["first"] - levels["second"])
    turned = {
        name: (own.loc[own["lead"].idxmax()], own.loc[own["lead"].idxmin()])
        for name, own in levels.groupby("decision", sort=False)
    }
    # Each system's lead under the level that is best for it: the smaller of the two counts.
    decision = max(turned, key=lambda name: min(turned[name][0]["lead"], -turned[name][1]["lead"]))
    parts = [
        f"kNN wins {_percent(row['first'])} and MF {_percent(row['second'])} with "
        f"{level_title(decision, row['level'])}"
        for row in turned[decision]
    ]
    best, worst = turned[decision]
    return Message(
        f"A bar is cut into the universes that kNN wins, those with {NO_DIFFERENCE}, and those "
        "that MF wins; the number on the right is how many universes there are.",
        "A single decision can turn who wins more universes: by "
        f"{decision_title(decision)}, {', but '.join(parts)}.",
        bool(best["lead"] > 0 > worst["lead"]),
        claim="A single decision can turn who wins more universes.",
    )


def of_explained(results: pd.DataFrame) -> Message:
    """Return the message of what decides: the data and their split, more than metric or test."""
    alone = results[(results["other"] == "") & results["decision"].isin(list(DECISIONS))]
    parts, holds = [], []
    for response, title in (("effect", "the difference"), ("verdict", "who wins")):
        own = alone[alone["response"] == response]
        # A test has no part in a difference.
        shares = pd.Series(real_values(own["explained"]), index=own["decision"]).dropna()
        least = float(shares[list(DATA)].min())
        measures = [name for name in MEASURES if name in shares.index]
        others = [
            str(name)
            for name in shares.sort_values(ascending=False, kind="stable").index
            if name not in (*DATA, *measures) and shares[name] >= least
        ]
        *most, last = (
            f"{_percent(shares[name])} by {decision_title(name)}" for name in (*DATA, *measures)
        )
        beside = " and ".join(
            f"{_percent(shares[name])} by {decision_title(name)}" for name in others
        )
        also = f" (and {beside})" if beside else ""
        parts.append(f"{title} is explained {', '.join(most)} and {last}{also}")
        holds.append(bool(least > shares[measures].max()))
    return Message(
        "A cell is the percentage of the variance that a decision (in a frame) or a pair of them "
        "explains; the darker, the more.",
        f"The data and their split decide more than metric or test: {'; '.join(parts)}.",
        all(holds),
        claim="The data and their split decide more than metric or test.",
    )


def of_pairs(results: pd.DataFrame) -> Message:
    """Return the message of all pairs: no pair has one order in all universes."""
    both = results[["wins", "losses"]].min(axis=1)
    closest, clearest = results.loc[both.idxmax()], results.loc[both.idxmin()]
    parts = [
        f"{NAMES.get(row['first'], row['first'])} wins {_percent(row['wins'])} against "
        f"{NAMES.get(row['second'], row['second'])}, which wins {_percent(row['losses'])}"
        for row in (closest, clearest)
    ]
    return Message(
        f"A bar is cut into the universes that the left system wins, those with {NO_DIFFERENCE}, "
        "and those that the right one wins; beside it, what each decision explains of their "
        "difference.",
        f"Each system of each pair wins some universes: {'; '.join(parts)}.",
        bool((both > 0).all()),
        claim="Each system of each pair wins some universes.",
    )


def _percent(share: float) -> str:
    """Print a share with one decimal, as the figures do."""
    return "less than .05 %" if 0 < share < 0.0005 else f"{fixed(100 * share, 1)} %"


MESSAGES: Mapping[str, Callable[[pd.DataFrame], Message]] = {
    "universes": of_universes,
    "shares": of_shares,
    "explained": of_explained,
    "pairs": of_pairs,
}
