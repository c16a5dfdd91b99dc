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
    """Return the message of winners by level: two levels of one decision turn the majority."""
    levels = results[results["decision"] != ""]
    leads = (levels["first"] - levels["second"]).groupby(levels["decision"], sort=False)
    # Of all decisions the one whose levels leave both systems ahead by most.
    turn = pd.DataFrame({"most": leads.max(), "least": -leads.min()}).min(axis=1)
    own = levels[levels["decision"] == turn.idxmax()]
    lead = own["first"] - own["second"]
    parts = [
        f"kNN wins {_percent(row['first'])} and MF {_percent(row['second'])} with "
        f"{level_title(row['decision'], row['level'])}"
        for row in (own.loc[lead.idxmax()], own.loc[lead.idxmin()])
    ]
    return Message(
        f"A bar is cut into the universes that kNN wins, those with {NO_DIFFERENCE}, and those "
        "that MF wins; the number on the right is how many universes there are.",
        "A single decision can turn who wins more universes. Of "
        f"{decision_title(str(turn.idxmax()))}, {'; '.join(parts)}.",
        bool(turn.max() > 0),
        claim="A single decision can turn who wins more universes.",
    )


def of_explained(results: pd.DataFrame) -> Message:
    """Return the message of what decides: the data and their split."""
    alone = results[(results["other"] == "") & results["decision"].isin(list(DECISIONS))]
    parts, holds = [], []
    for response, title in (("effect", "the difference"), ("verdict", "who wins")):
        own = alone[alone["response"] == response]
        # A test has no part in a difference.
        shares = pd.Series(real_values(own["explained"]), index=own["decision"]).dropna()
        first, second, *others = shares.sort_values(ascending=False, kind="stable").index
        least = [name for name in ("metric", "test") if name in others]
        named = [f"{decision_title(name)} {_percent(shares[name])}" for name in (second, *least)]
        parts.append(
            f"of {title} {decision_title(first)} explains {_percent(shares[first])}, "
            f"{', '.join(named[:-1])} and {named[-1]}"
        )
        holds.append({first, second} == {"selection", "split"})
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
