"""What each figure of canamares2020 says, checked on its results."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.storage.files import real_values
from receval.studies._shared.message import Message
from receval.studies.canamares2020._shared.curve_messages import (
    KNN,
    MF,
    Curve,
    crosses_once,
    curves_by_panel,
    lead_of_knn,
    name_of,
    number,
    short,
    who_is_ahead,
    whole_percent,
)
from receval.studies.canamares2020._shared.overlap_message import overlap_message

SEE = "(docs/decisions.md)"
"""Where it is explained what differs from the paper."""


def of_fig01(results: pd.DataFrame) -> Message:
    """Return the message of the cumulative distributions: a long tail of users and items."""
    parts, holds = [], []
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
        holds.append(min(shares.values()) > 0.3 and most.min() >= 1000)
    return Message(
        "A curve is at the share of users (left) or items (right) with at most so many ratings: "
        "the sooner it rises, the longer the tail.",
        f"Users and items have long tails: {'; '.join(parts)}.",
        all(holds),
        "Users and items have long tails: about half of the users and of the items have few "
        "ratings.",
    )


def of_fig02(results: pd.DataFrame) -> Message:
    """Return the message of full lists by train ratio: kNN ahead first, then MF."""
    panels = dict(curves_by_panel(results, "train_ratio"))
    parts = [who_is_ahead(dataset, curves, "ratio") for dataset, curves in panels.items()]
    return Message(
        "A line is a system, each point a split; higher is better.",
        f"Which of kNN and MF is better depends on the train ratio: {'; '.join(parts)}.",
        all(map(crosses_once, panels.values())),
        "kNN outperforms MF where few ratings are for training, and MF outperforms kNN where many "
        "are.",
    )


def of_fig03(results: pd.DataFrame) -> Message:
    """Return the message of unrated items: most at both ends, and about half or more."""
    parts, holds = [], []
    for dataset, curves in curves_by_panel(results, "train_ratio"):
        for system in (KNN, MF):
            across, values = curves[system]
            lowest = int(values.argmin())
            holds.append(0 < lowest < len(values) - 1)
            parts.append(
                f"{system} on {dataset} {number(values[0])} at ratio {short(across[0])}, "
                f"{number(values[lowest])} at {short(across[lowest])} and {number(values[-1])} at "
                f"{short(across[-1])}"
            )
        parts.append(_below_half(dataset, curves))
    return Message(
        "A line is the share of a system's first ten items that the user has not rated: the higher "
        "it is, the less the evaluation knows of what it judges.",
        "The unrated share of the top 10 is largest at small and at large train ratios: "
        f"{'; '.join(parts)}.",
        all(holds),
        "More of the top ten is unrated at small and at large train ratios than in between.",
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
            parts.append(f"with {system} nowhere (least {number(values.min())})")
    least = min(float(values.min()) for _, values in curves.values())
    if least >= 0.5:
        return f"on {dataset} it is never below .5 (least {number(least)})"
    return f"on {dataset} it is below .5, as it never is in the paper, {', '.join(parts)} {SEE}"


def of_fig04(results: pd.DataFrame) -> Message:
    """Return the message of condensed lists: better with more training, whoever is ahead."""
    parts, holds = [], []
    peaks = []
    for dataset, curves in curves_by_panel(results, "train_ratio"):
        for system in (KNN, MF):
            across, values = curves[system]
            best = int(values.argmax())
            holds.append(values[-1] > values[0] and _mostly_rises(values))
            peaks.append(across[best])
            after = f", then {number(values[-1])} at {short(across[-1])}"
            parts.append(
                f"{system} on {dataset} from {number(values[0])} at ratio {short(across[0])} to "
                f"{number(values[best])} at {short(across[best])}"
                f"{after * (best < len(values) - 1)}"
            )
        if dataset == name_of("ml-1m"):
            # The paper has no crossover on Netflix.
            parts.append(who_is_ahead(dataset, curves, "ratio"))
            holds.append(crosses_once(curves))
    falls = f" up to {short(min(peaks))}, then falls a little {SEE}"
    last = real_values(results["train_ratio"]).max()
    return Message(
        "A line is a system, each point a split; higher is better.",
        "On condensed lists nDCG@10 rises with the train ratio"
        f"{falls * bool(min(peaks) < last)}: {'; '.join(parts)}.",
        all(holds),
        "On condensed lists nDCG@10 rises with the train ratio, and on ML-1M kNN and MF "
        "still change places.",
    )


def of_fig05(results: pd.DataFrame) -> Message:
    """Return the message of ranks in full lists: only the first three are in the top ten."""
    complete = results[results["evaluated_users"] == "complete"]
    parts, holds = [], []
    for dataset, curves in curves_by_panel(complete, "depth"):
        across, of_mf = curves[MF]
        of_knn = curves[KNN][1]
        within = int((np.minimum(of_knn, of_mf) <= 10).sum())
        holds.append(of_mf[-1] > 50 and of_knn[-1] < of_mf[-1] and within < len(across))
        parts.append(
            f"on {dataset} the first {within} of condensed lists are, on average, in the full top "
            f"10, and the tenth is at rank {of_knn[-1]:.0f} with kNN and {of_mf[-1]:.0f} with MF"
        )
    return Message(
        "A line is the mean rank that the first, second, ... item of a condensed list has in the "
        "full list; at or below the dotted line it is in the top 10.",
        f"Condensed lists show items that are far down in full ones, farther with MF than with "
        f"kNN: {'; '.join(parts)}.",
        all(holds),
        "Only the first few items of condensed lists are in the top ten of the full ones; the "
        "others are far down, farther with MF than with kNN.",
    )


def of_fig06(results: pd.DataFrame) -> Message:
    """Return the message of depths: kNN is ahead at small ones on ML-1M, MF at large ones."""
    parts, holds = [], []
    for experiment, own in results.groupby("experiment", sort=False):
        few = " with k = 100 and ratio .8" * (experiment == "netflix-few-neighbours")
        ((dataset, curves),) = curves_by_panel(own, "cutoff")
        if experiment == "netflix":
            # Here the paper sees no crossover.
            signs = np.sign(lead_of_knn(curves))
            holds.append(bool((signs == signs[0]).all()))
        else:
            holds.append(crosses_once(curves))
        parts.append(who_is_ahead(f"{dataset}{few}", curves, "depth"))
    return Message(
        "A line is a system by the depth of nDCG; higher is better.",
        f"Who is ahead depends on the depth: {'; '.join(parts)}.",
        all(holds),
        "kNN is ahead of MF at small depths on ML-1M and MF at large ones; on Netflix they "
        "change places only where kNN has fewer neighbours and more training ratings.",
    )


def of_fig07(results: pd.DataFrame) -> Message:
    """Return the message of items without a score: more neighbours pay where these are left out."""
    by_policy = {
        str(policy): rows.sort_values("neighbours")["value"].to_numpy(dtype=float)
        for policy, rows in results[results["metric"].str.startswith("nDCG")].groupby("policy")
    }
    rises = {policy: float(values[-1] - values[0]) for policy, values in by_policy.items()}
    none, random = by_policy["none"], by_policy["random"]
    holds = (
        _rises(none)
        and _rises(random)
        and rises["random"] < rises["none"]
        and not _rises(by_policy["popularity"])
        and int(by_policy["average"].argmax()) == 0
    )
    return Message(
        "A bar is nDCG@10 with k neighbours, a cross its Coverage@10; higher is better.",
        "Where items without a score are left out, nDCG@10 grows with k from "
        f"{number(none[0])} to {number(none[-1])}; in random order from "
        f"{number(random[0])} to {number(random[-1])}; "
        f"by average rating k = 1 is best ({number(by_policy['average'][0])}).",
        holds,
        "More neighbours pay where items without a score are left out, less where these stand in "
        "random order, and one neighbour is best where they stand by their average rating.",
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
