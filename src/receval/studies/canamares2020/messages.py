# SPDX-License-Identifier: MIT
"""What each figure of canamares2020 says, checked on its results."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.storage.files import real_values
from receval.studies._shared.claim_parts import shown_in_part
from receval.studies._shared.message import Message, sentence
from receval.studies.canamares2020._shared.curve_messages import (
    KNN,
    MF,
    Curve,
    crosses_once,
    curves_by_panel,
    lead_of_knn,
    name_of,
    number,
    percent_in_tenths,
    short,
    who_is_ahead,
    whole_percent,
)
from receval.studies.canamares2020._shared.overlap_message import overlap_message

SEE = "(docs/decisions.md)"
"""Where it is explained what differs from the paper."""


def of_fig01(results: pd.DataFrame) -> Message:
    """Return the message of the cumulative distributions: a long tail of users and items."""
    parts, holds, most_parts = [], [], []
    for dataset, own in results.groupby("dataset", sort=False):
        shares = {
            side: float(rows.loc[rows["ratings"] <= 100, "share"].iloc[-1])
            for side, rows in own.groupby("side", sort=False)
        }
        parts.append(
            f"on {name_of(dataset)} {whole_percent(shares['user'])} of the users and "
            f"{whole_percent(shares['item'])} of the items have 100 ratings or less"
        )
        # As many as half have few ratings, and some have ten times as many.
        most = own.groupby("side")["ratings"].max()
        holds.append((min(shares.values()) > 0.3, bool(most.min() >= 1000)))
        most_parts.append(
            f"on {name_of(dataset)} {most['user']:,.0f} of one user and {most['item']:,.0f} of one "
            "item"
        )
    return Message(
        "A curve is at the share of users (left) or items (right) with at most so many ratings: "
        "the sooner it rises, the longer the tail.",
        f"Users and items have long tails: {'; '.join(parts)}.",
        all(few and many for few, many in holds),
        "Users and items have long tails: about half of the users and of the items have few "
        "ratings, and some have many.",
        shown_in_part(
            [
                (all(few for few, _ in holds), "; ".join(parts)),
                (
                    all(many for _, many in holds),
                    f"where we ask for 1,000, the most ratings are {'; '.join(most_parts)}",
                ),
            ]
        ),
    )


def of_fig02(results: pd.DataFrame) -> Message:
    """Return the message of full lists by train ratio: kNN ahead first, then MF."""
    panels = dict(curves_by_panel(results, "train_ratio"))
    parts = [
        (crosses_once(curves), who_is_ahead(dataset, curves, "ratio"))
        for dataset, curves in panels.items()
    ]
    ahead = "; ".join(clause for _, clause in parts)
    return Message(
        "A line is a system, each point a split; higher is better.",
        f"Which of kNN and MF is better depends on the train ratio: {ahead}.",
        all(crosses for crosses, _ in parts),
        "kNN outperforms MF where few ratings are for training, and MF outperforms kNN where many "
        "are.",
        shown_in_part(parts),
    )


def of_fig03(results: pd.DataFrame) -> Message:
    """Return the message of unrated items: most at both ends, and about half or more."""
    parts = []
    for dataset, curves in curves_by_panel(results, "train_ratio"):
        valleys, clauses = [], []
        for system in (KNN, MF):
            across, values = curves[system]
            lowest = int(values.argmin())
            valleys.append(0 < lowest < len(values) - 1)
            *most, last = (
                f"{percent_in_tenths(values[place])} at {short(across[place])}"
                for place in dict.fromkeys((0, lowest, len(values) - 1))
            )
            clauses.append(f"{system} on {dataset} {', '.join(most)} and {last}")
        clauses.append(_below_half(dataset, curves))
        parts.append((all(valleys), "; ".join(clauses)))
    shares = "; ".join(clause for _, clause in parts)
    return Message(
        "A line is the share of a system's first ten items that the user has not rated: the higher "
        "it is, the less the evaluation knows of what it judges.",
        f"The unrated share of the top 10 is largest at small and at large train ratios: {shares}.",
        all(shown for shown, _ in parts),
        "At no train ratio is less than half of the top ten unrated, and most of it is at small "
        "and at large ratios.",
        shown_in_part(parts),
    )


def _below_half(dataset: str, curves: Mapping[str, Curve]) -> str:
    """Say where less than half is unrated: the paper has that nowhere (C-009)."""
    parts = []
    for system, (across, values) in curves.items():
        below = across[values < 0.5]
        if len(below):
            ends = dict.fromkeys(map(short, (below.min(), below.max())))
            parts.append(f"with {system} at {' to '.join(ends)}")
        else:
            parts.append(f"with {system} nowhere (least {percent_in_tenths(values.min())})")
    least = min(float(values.min()) for _, values in curves.values())
    if least >= 0.5:
        return f"on {dataset} it is never below 50 % (least {percent_in_tenths(least)})"
    return f"on {dataset} it is below 50 %, as it never is in the paper, {', '.join(parts)} {SEE}"


def of_fig04(results: pd.DataFrame) -> Message:
    """Return the message of condensed lists: better with more training, whoever is ahead."""
    rising: list[tuple[bool, str]] = []
    crossing: list[tuple[bool, str]] = []
    peaks = []
    for dataset, curves in curves_by_panel(results, "train_ratio"):
        for system in (KNN, MF):
            across, values = curves[system]
            best = int(values.argmax())
            rises = bool(values[-1] > values[0]) and _mostly_rises(values)
            peaks.append(across[best])
            after = f", then {number(values[-1])} at {short(across[-1])}"
            clause = (
                f"{system} on {dataset} from {number(values[0])} at ratio {short(across[0])} to "
                f"{number(values[best])} at {short(across[best])}"
                f"{after * (best < len(values) - 1)}"
            )
            rising.append((rises, clause))
        if dataset == name_of("ml-1m"):
            # The paper has no crossover on Netflix.
            crossing = [(crosses_once(curves), who_is_ahead(dataset, curves, "ratio"))]
    falls = f" up to {short(min(peaks))}, then falls a little {SEE}"
    last = real_values(results["train_ratio"]).max()
    rule = f"nDCG@10 rises with the train ratio{falls * bool(min(peaks) < last)}"
    parts = "; ".join(clause for _, clause in (*rising, *crossing))
    values_rising = "; ".join(clause for _, clause in rising)
    return Message(
        "A line is a system, each point a split; higher is better.",
        f"On condensed lists {rule}: {parts}.",
        all(shown for shown, _ in (*rising, *crossing)),
        "On condensed lists nDCG@10 rises with the train ratio, and on ML-1M kNN and MF "
        "still change places.",
        shown_in_part([(all(shown for shown, _ in rising), f"{rule}: {values_rising}"), *crossing]),
    )


def of_fig05(results: pd.DataFrame) -> Message:
    """Return the message of ranks in full lists: only the first three are in the top ten."""
    complete = results[results["evaluated_users"] == "complete"]
    parts = []
    for dataset, curves in curves_by_panel(complete, "depth"):
        within = {system: int((ranks <= 10).sum()) for system, (_, ranks) in curves.items()}
        (across, of_mf), of_knn = curves[MF], curves[KNN][1]
        shown = bool(of_mf[-1] > 50 and of_knn[-1] < of_mf[-1]) and min(
            within[KNN], within[MF]
        ) < len(across)
        counts = [f"{count} with {system}" for system, count in within.items()]
        parts.append(
            (
                shown,
                f"on {dataset} the first items of condensed lists, {', '.join(counts[:-1])} and "
                f"{counts[-1]}, are on average in the full top 10, and the tenth is at rank "
                f"{of_knn[-1]:.0f} with kNN and {of_mf[-1]:.0f} with MF",
            )
        )
    ranks = "; ".join(clause for _, clause in parts)
    return Message(
        "A line is the mean rank that the first, second, ... item of a condensed list has in the "
        "full list; at or below the dotted line it is in the top 10.",
        f"Condensed lists show items that are far down in full ones, farther with MF than with "
        f"kNN: {ranks}.",
        all(shown for shown, _ in parts),
        "Only the first few items of condensed lists are in the top ten of the full ones; the "
        "others are far down, farther with MF than with kNN.",
        shown_in_part(parts),
    )


def of_fig06(results: pd.DataFrame) -> Message:
    """Return the message of depths: kNN is ahead at small ones on ML-1M, MF at large ones."""
    parts = []
    for experiment, own in results.groupby("experiment", sort=False):
        few = " with k = 100 and ratio .8" * (experiment == "netflix-few-neighbours")
        ((dataset, curves),) = curves_by_panel(own, "cutoff")
        if experiment == "netflix":
            # Here the paper sees no crossover.
            signs = np.sign(lead_of_knn(curves))
            shown = bool((signs == signs[0]).all())
        else:
            shown = crosses_once(curves)
        parts.append((shown, who_is_ahead(f"{dataset}{few}", curves, "depth")))
    ahead = "; ".join(clause for _, clause in parts)
    return Message(
        "A line is a system by the depth of nDCG; higher is better.",
        f"Who is ahead depends on the depth: {ahead}.",
        all(shown for shown, _ in parts),
        "kNN is ahead of MF at small depths on ML-1M and MF at large ones; on Netflix they "
        "change places only where kNN has fewer neighbours and more training ratings.",
        shown_in_part(parts),
    )


def of_fig07(results: pd.DataFrame) -> Message:
    """Return the message of items without a score: more neighbours pay where these are left out."""
    by_policy = {
        str(policy): rows.sort_values("neighbours")["value"].to_numpy(dtype=float)
        for policy, rows in results[results["metric"].str.startswith("nDCG")].groupby("policy")
    }
    rises = {policy: float(values[-1] - values[0]) for policy, values in by_policy.items()}
    none, random, popular = (by_policy[name] for name in ("none", "random", "popularity"))
    average = by_policy["average"]
    best = sorted(results["neighbours"].astype(int).unique())[int(average.argmax())]
    parts = [
        (
            _rises(none),
            "where items without a score are left out, nDCG@10 grows with k from "
            f"{number(none[0])} to {number(none[-1])}",
        ),
        (
            _rises(random) and rises["random"] < rises["none"],
            f"in random order from {number(random[0])} to {number(random[-1])}",
        ),
        (
            not _rises(popular),
            f"by popularity it {'grows' if _rises(popular) else 'does not grow'} at every step "
            f"({', '.join(number(value) for value in popular)})",
        ),
        (
            int(average.argmax()) == 0,
            f"by average rating k = {best} is best ({number(average.max())})",
        ),
    ]
    return Message(
        "A bar is nDCG@10 with k neighbours, a cross its Coverage@10; higher is better.",
        sentence("; ".join(clause for _, clause in parts)),
        all(shown for shown, _ in parts),
        "More neighbours pay where items without a score are left out, less where these stand in "
        "random order, not at every step where they stand by popularity, and one neighbour is best "
        "where they stand by their average rating.",
        shown_in_part(parts),
    )


def _rises(values: NDArray[np.float64]) -> bool:
    return bool((np.diff(values) > 0).all())


def _mostly_rises(values: NDArray[np.float64]) -> bool:
    """Tell whether at most one step in four goes down."""
    return bool((np.diff(values) > 0).mean() >= 0.75)


MESSAGES: Mapping[str, Callable[[pd.DataFrame], Message]] = {
    "fig01": of_fig01,
    "fig02": of_fig02,
    "fig03": of_fig03,
    "fig04": of_fig04,
    "fig05": of_fig05,
    "fig06": of_fig06,
    "fig07": of_fig07,
    "fig08": overlap_message,
}
