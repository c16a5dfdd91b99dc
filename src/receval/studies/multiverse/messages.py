"""What each figure of the multiverse says, checked on its results."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from receval.multiverse.decisions import DECISIONS
from receval.multiverse.description import decision_title, level_title
from receval.storage.files import real_values
from receval.studies._shared.message import Message

NAMES = {"knn-user": "kNN", "ranksys-mf": "MF", "ranksys-mf-text": "MF (text)", "pop": "Pop"}
"""Systems as the figures call them."""


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
    )


def of_shares(results: pd.DataFrame) -> Message:
    """Return the message of winners by level: some levels turn the majority."""
    levels = results[results["decision"] != ""]
    leads = levels["first"] - levels["second"]
    best, worst = levels.loc[leads.idxmax()], levels.loc[leads.idxmin()]
    parts = [
        f"kNN wins {_percent(row['first'])} and MF {_percent(row['second'])} under "
        f"{decision_title(row['decision'])}: {level_title(row['decision'], row['level'])}"
        for row in (best, worst)
    ]
    return Message(
        "A bar is cut into the universes that kNN wins, that neither wins, and that MF wins; the "
        "number on the right is how many universes there are.",
        f"A single decision can turn who wins most universes: {'; '.join(parts)}.",
        bool(leads.max() > 0 > leads.min()),
    )


def of_explained(results: pd.DataFrame) -> Message:
    """Return the message of what decides: the data and their split."""
    alone = results[(results["other"] == "") & results["decision"].isin(list(DECISIONS))]
    parts, holds = [], []
    for response, title in (("effect", "the difference"), ("verdict", "who wins")):
        own = alone[alone["response"] == response]
        shares = pd.Series(real_values(own["explained"]), index=own["decision"])
        first, second = shares.sort_values(ascending=False, kind="stable").index[:2]
        parts.append(
            f"of {title} {decision_title(first)} explains {_percent(shares[first])} and "
            f"{decision_title(second)} {_percent(shares[second])}"
        )
        holds.append({first, second} == {"selection", "split"})
    return Message(
        "A cell is the percentage of the variance that a decision (in a frame) or a pair of them "
        "explains; the darker, the more.",
        f"The data and their split decide more than metric or test: {'; '.join(parts)}.",
        all(holds),
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
        "A bar is cut into the universes that the left system wins, that neither wins, and that "
        "the right one wins; beside it, what each decision explains of their difference.",
        f"Each system of each pair wins some universes: {'; '.join(parts)}.",
        bool((both > 0).all()),
    )


def _percent(share: float) -> str:
    percent = 100 * share
    return f"{percent:.0f} %" if percent >= 9.95 or percent == 0 else f"{percent:.1f} %"


MESSAGES: Mapping[str, Callable[[pd.DataFrame], Message]] = {
    "universes": of_universes,
    "shares": of_shares,
    "explained": of_explained,
    "pairs": of_pairs,
}
