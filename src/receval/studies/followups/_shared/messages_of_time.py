# SPDX-License-Identifier: MIT
"""What the figures of splits by time say."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval.figures.heat_map import two_decimals
from receval.studies._shared.message import DATASETS, Message, in_a_row, sentence
from receval.studies.followups._shared.splits_by_time import NEWEST, RANDOM, percentage

MOST = 0.5
"""The share of the test ratings from which on we speak of most of them."""

GENERATED = "dated-twin"
"""The dataset that stands for no other: nothing changes in it as time goes by."""

OF_USERS = {
    "newest_of_users": "the newest ratings of each user",
    "last_of_users": "the last ones",
}


def leaks_of_splits(results: pd.DataFrame) -> Message:
    """Return the message of leaks: all splits but that at one moment train on the future."""
    said, holds = [], []
    for dataset, own in results.groupby("dataset", sort=False):
        shares = own.groupby(["tested", "scope"])["interactions"].mean()
        least = "at least " if (own["known"] != "seconds").all() else ""
        at_random = shares[RANDOM]
        parts = [
            f"under a random split {least}{_percent(at_random['anybody'], least)} of the test "
            f"ratings have a later training rating, {least}"
            f"{_percent(at_random['same user'], least)} one of the same user"
        ]
        holds.append(at_random["anybody"] > MOST)
        users = [tested for tested in OF_USERS if tested in shares]
        if users:
            own_shares = [_percent(shares[tested, "anybody"]) for tested in users]
            parts.append(
                f"when {in_a_row(OF_USERS[tested] for tested in users)} test, "
                f"{in_a_row(own_shares)} have one, none of the same user"
            )
            holds += [shares[tested, "anybody"] > MOST for tested in users]
            holds += [shares[tested, "same user"] == 0 for tested in users]
        if NEWEST in shares:
            parts.append("when the newest of all test, none has")
            holds.append(bool((shares[NEWEST] == 0).all()))
        said.append(sentence(f"on {_named(str(dataset))} {'; '.join(parts)}"))
    return Message(
        "A bar above is the share of the test ratings for which a system trains on something "
        "later; a bar below says how much of what it trains on is later. No bar is no leak.",
        " ".join(said),
        bool(np.all(holds)),
        claim="A system trains on the future of most test ratings, unless one moment divides the "
        "ratings of all; dividing each user's own ratings in time does not help.",
    )


def orders_under_splits(results: pd.DataFrame) -> Message:
    """Return the message of orders: real ones move with one moment for all, generated ones less."""
    from receval.robustness.fold_orders import taus_between_folds

    shown = results[results["metric"] == results["metric"].iloc[0]]
    said: list[str] = []
    real: list[float] = []
    generated: list[float] = []
    beyond_folds: list[bool] = []
    for (dataset, _), own in shown.groupby(["dataset", "protocol"], sort=False):
        folds = {
            str(tested): rows.pivot_table("value", "fold", "system", sort=False)
            for tested, rows in own.groupby("tested")
        }
        if RANDOM not in folds or NEWEST not in folds or len(folds[RANDOM]) < 2:
            continue
        at_random, newest = folds[RANDOM], folds[NEWEST][folds[RANDOM].columns]
        tau = float(taus_between_folds(at_random, newest).mean())
        among = taus_between_folds(at_random, at_random, same_split=True)
        best = at_random.mean().idxmax()
        place = int(newest.mean().rank(ascending=False)[best])
        said.append(
            sentence(
                f"on {_named(str(dataset))} tau of the orders by random folds and by the newest "
                f"fifth is {two_decimals(tau)}, between two random folds "
                f"{two_decimals(float(among.mean()))}; the best at random is number {place} of "
                f"the {newest.shape[1]} systems on the newest fifth"
            )
        )
        (generated if dataset == GENERATED else real).append(tau)
        if dataset != GENERATED:
            beyond_folds.append(tau < among.min())
    return Message(
        "Each line is a system, the best on top; where lines cross, systems change places between "
        "two splits.",
        " ".join(said),
        bool(real and all(beyond_folds) and all(tau > max(real) for tau in generated)),
        claim="Real systems stand in another order when one moment divides past and future than "
        "when test ratings are drawn at random, far beyond what random folds differ by; the order "
        "moves less where nothing changes as time goes by.",
    )


def _named(dataset: str) -> str:
    """Return the name of a dataset within a sentence."""
    title = DATASETS[dataset]
    return title.lower() if dataset == GENERATED else title


def _percent(share: float, least: str = "") -> str:
    """Return a share in per cent, and what it is at least rounded down."""
    return f"{percentage(100 * share, at_least=bool(least))} %"
