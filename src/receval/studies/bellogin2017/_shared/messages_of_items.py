# SPDX-License-Identifier: MIT
"""Messages of the figures on items and their popularity: 1, 5, 6 and 7."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval.storage.files import real_values
from receval.studies._shared.claim_parts import shown_in_part
from receval.studies._shared.message import DATASETS, Message
from receval.studies.bellogin2017._shared.messages_of_systems import short_value

NEAR_RANDOM = 0.1
"""How far from Random a system may be that stays around it, as a share of what Pop gains."""

FOLLOWS = 0.95
"""Least correlation with Pop of a system that follows it."""

POPULAR = 0.2
"""Share of the items that are called the popular ones."""

FLATTER = "trec-qrels"
"""The judgments of documents, which the paper finds spread more evenly than ratings."""


def message_of_toy(results: pd.DataFrame) -> Message:
    """Say what the options do to the target sets of one user.

    Holds if 1R has one relevant item a list and AR all of them in one, TI leaves out an item of AI,
    and a sample of NN is a part of what AN takes.
    """
    member = results["member"].astype(int) == 1
    sets = {
        (str(protocol), str(name)): set(rows.loc[member, "item"])
        for (protocol, name), rows in results.groupby(["protocol", "set"], sort=False)
    }
    relevant: dict[str, list[int]] = {"AR": [], "1R": []}
    parts = []
    for (protocol, name), items in sets.items():
        if name.startswith("T_u"):
            relevant[protocol[:2]].append(len(items - sets[protocol, "N_u"]))
        if name == "N_u" and protocol.endswith("NN"):
            parts.append((items, sets[protocol.replace("NN", "AN"), "N_u"]))
    left_out = sets["AR AI-AN", "C"] - sets["AR TI-AN", "C"]
    samples = all(sample < everything for sample, everything in parts)
    return Message(
        "Panel (a) has the ratings and the key; in the others, a row is a set of user u and a "
        "filled cell an item in it, black for relevant targets.",
        f"AR has the {max(relevant['AR'])} relevant items of u in one target set, 1R has a target "
        f"set for each, with {max(relevant['1R'])}; TI leaves out {len(left_out)} item without a "
        "test rating, and NN takes a part of the non-relevant items that AN takes.",
        set(relevant["1R"]) == {1} and min(relevant["AR"]) > 1 and bool(left_out) and samples,
        "AR has all relevant items of a user in one target set, 1R each in its own; TI leaves out "
        "items without test ratings, and NN samples the non-relevant items that AN takes whole.",
    )


def message_of_skewness(results: pd.DataFrame) -> Message:
    """Say what skewness does to precision, and how skewed data are (B-031 to B-034, B-045).

    Holds if Pop is below Random without skewness and gains at every step, MF and kNN stay within a
    tenth of Pop's gain from Random, pLSA follows Pop (r of .95), and the popular fifth of the items
    has most of the positive ratings of every dataset, and less of those of documents.
    """
    simulated, parts = _simulated_finding(results)
    shares = _popular_shares(results)
    ratings = [share for dataset, share in shares.items() if dataset != FLATTER]
    positive_holds = all(share > 0.5 for share in ratings)
    if FLATTER in shares:
        positive_holds &= all(shares[FLATTER] < share for share in ratings)
    printed = ", ".join(
        f"{100 * share:.0f} % on {DATASETS[dataset]}" for dataset, share in shares.items()
    )
    positive = (
        f"The {100 * POPULAR:.0f} % most popular items have a large part of the positive ratings: "
        f"{printed}."
    )
    parts.append(
        (
            positive_holds,
            f"of the positive ratings the {100 * POPULAR:.0f} % most popular items have {printed}",
        )
    )
    return Message(
        "Curves of popularity (a, c) bend the more, the more skewed it is; in (b), precision is "
        "measured on ratings without any preferences, so that whatever is above 1/t is bias.",
        " ".join(filter(None, (simulated, positive))),
        all(shown for shown, _ in parts),
        "On ratings without any preferences popularity seems to recommend the better, the more "
        "skewed the popularity of items is, and pLSA follows it, while MF and kNN stay near random "
        "recommendation; in real data the popular items have most of the positive ratings.",
        shown_in_part(parts),
    )


def _simulated_finding(results: pd.DataFrame) -> tuple[str, list[tuple[bool, str]]]:
    """Return what the precision on simulated ratings shows, if there, and in which parts."""
    rows = results[(results["panel"] == "measured") & (results["metric"] == "P@10")]
    rows = rows[rows["protocol"] == "1R TI-NN"]
    if not len(rows):
        return "", []
    rows = rows.assign(value=real_values(rows["value"]), skewness=real_values(rows["skewness"]))
    curves = rows.pivot_table(index="skewness", columns="system", values="value")
    pop, random = curves["pop"], curves["random"]
    gain = pop.iloc[-1] - pop.iloc[0]
    distance = max((curves[name] - random).abs().max() for name in ("mf", "knn-centred"))
    finding = (
        f"Where all items are equally popular, P@10 of Pop is {short_value(pop.iloc[0], 4)}, of "
        f"Random {short_value(random.iloc[0], 4)}; at a skewness of {curves.index[-1]:g} Pop has "
        f"{short_value(pop.iloc[-1], 4)} and pLSA {short_value(curves['plsa'].iloc[-1], 4)}, while "
        f"MF and kNN stay within {short_value(distance, 4)} of Random."
    )
    follows = float(np.corrcoef(pop, curves["plsa"])[0, 1])
    first, last, of_plsa = (
        short_value(float(value), 4)
        for value in (pop.iloc[0], pop.iloc[-1], curves["plsa"].iloc[-1])
    )
    parts = [
        (
            bool(pop.iloc[0] < random.iloc[0] and (pop.diff().dropna() > 0).all()),
            f"P@10 of Pop goes with skewness from {first} (Random "
            f"{short_value(random.iloc[0], 4)}) to {last}",
        ),
        (
            follows >= FOLLOWS,
            f"pLSA goes to {of_plsa}, with a correlation of {short_value(follows)} with Pop where "
            f"we ask for {short_value(FOLLOWS, 2)}",
        ),
        (
            bool(distance <= NEAR_RANDOM * gain),
            f"MF and kNN stay within {short_value(distance, 4)} of Random",
        ),
    ]
    return finding, parts


def _popular_shares(results: pd.DataFrame) -> dict[str, float]:
    """Return the share of positive ratings that the popular items of each dataset have."""
    rows = results[(results["panel"] == "positive") & (results["metric"] == "cumulative share")]
    return {
        str(dataset): float(
            np.interp(POPULAR, real_values(own["item_share"]), real_values(own["rating_share"]))
        )
        for dataset, own in rows.groupby("dataset", sort=False)
    }


def message_of_splits(results: pd.DataFrame) -> Message:
    """Say which ratings test under coin flips and in a uniform test (B-047 and B-048).

    Holds if test ratings follow popularity under coin flips (r of .99), and a uniform test has as
    many for each target item, within one, and none for others.
    """
    uniform = results[results["percentile"].astype(str) == ""]
    flips = results[results["percentile"].astype(str) != ""]
    targets, eta = (float(real_values(uniform[name])[0]) for name in ("target_items", "eta"))
    tests = real_values(uniform["mean_test_ratings"])
    inside = (uniform["last_rank"] <= targets).to_numpy()
    outside = (uniform["first_rank"] > targets).to_numpy()
    correlation = float(
        np.corrcoef(real_values(flips["mean_ratings"]), real_values(flips["mean_test_ratings"]))[
            0, 1
        ]
    )
    even = bool((np.abs(tests[inside] - eta) <= 1).all() and (tests[outside] == 0).all())
    return Message(
        "Items from the most popular on; the dark ground is their test ratings, the light one is "
        "their training ratings. Dotted lines end percentiles (a) and the target items (b).",
        f"Under coin flips test ratings follow popularity (r = {short_value(correlation)}); the "
        f"uniform test has {eta:.1f} for each of {targets:,.0f} items and none for the others.",
        bool(correlation >= 0.99 and even),
        "Where test ratings are drawn at random they follow the popularity of items; a uniform "
        "test has as many for each of its items.",
    )


def message_of_positive_ratios(results: pd.DataFrame) -> Message:
    """Say whether popular items are liked more often (B-052).

    Holds if the ratio falls with the popularity rank (Spearman's correlation of -.3 or below), and
    is at the most popular tenth of the segments at least 1.5 times that at the least popular.
    """
    ratios = real_values(results["positive_ratio"])
    tenth = max(1, len(ratios) // 10)
    popular, rare = ratios[:tenth].mean(), ratios[-tenth:].mean()
    ranks = pd.Series(ratios).rank().to_numpy()
    correlation = float(np.corrcoef(np.arange(len(ratios)), ranks)[0, 1])
    return Message(
        "A point of the line is the share of positive ratings of items of about one popularity, "
        "from the most popular on the left.",
        f"Popular items are liked more often: the ratio is {short_value(popular, 2)} for the most "
        f"popular tenth of the items and {short_value(rare, 2)} for the least popular (Spearman's "
        f"correlation with the rank: {short_value(correlation, 2)}).",
        bool(correlation <= -0.3 and popular >= 1.5 * rare),
        "The more popular an item is, the larger the share of its ratings that are positive.",
    )
