"""What each figure of canamares2020 says, checked on its results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.figures.style import short_number
from receval.storage.files import real_values
from receval.studies._shared.message import Message

TITLES = {"ml-1m": "MovieLens", "netflix": "Netflix"}
"""Datasets as the paper calls them."""

KNN, MF = "knn", "ranksys-mf"


def of_fig01(results: pd.DataFrame) -> Message:
    """Return the message of the cumulative distributions: a long tail of users and items."""
    parts, holds = [], []
    for dataset, own in results.groupby("dataset", sort=False):
        shares = {
            side: float(rows.loc[rows["ratings"] <= 100, "share"].iloc[-1])
            for side, rows in own.groupby("side", sort=False)
        }
        parts.append(
            f"on {_title(dataset)} {_percent(shares['user'])} of the users and "
            f"{_percent(shares['item'])} of the items have 100 ratings or less"
        )
        # As many as half have few ratings, and some have ten times as many.
        most = own.groupby("side")["ratings"].max()
        holds.append(min(shares.values()) > 0.3 and most.min() >= 1000)
    return Message(
        "A curve is at the share of users (left) or items (right) with at most so many ratings: "
        "the sooner it rises, the longer the tail.",
        f"Users and items have long tails: {'; '.join(parts)}.",
        all(holds),
    )


def of_fig02(results: pd.DataFrame) -> Message:
    """Return the message of full lists by train ratio: kNN ahead first, then MF."""
    parts, holds = _crossovers(results, "train_ratio", "tested")
    return Message(
        "A line is a system, each point a split; higher is better.",
        f"With few training ratings kNN outperforms MF, with many MF kNN: {'; '.join(parts)}.",
        all(holds),
    )


def of_fig03(results: pd.DataFrame) -> Message:
    """Return the message of unrated items: about half or more, and most at both ends."""
    parts, holds = [], []
    for dataset, system, across, values in _curves(results, "train_ratio", (KNN, MF)):
        lowest = int(values.argmin())
        holds.append(0 < lowest < len(values) - 1)
        parts.append(
            f"{_name(system)} on {_title(dataset)} {_number(values[0])} at ratio "
            f"{_number(across[0])}, {_number(values[lowest])} at {_number(across[lowest])} and "
            f"{_number(values[-1])} at {_number(across[-1])}"
        )
    return Message(
        "A line is the share of a system's first ten items that the user has not rated; less is "
        "better for the evaluation.",
        "About half of the top 10 or more is unrated, and most at small and at large ratios: "
        f"{'; '.join(parts)}.",
        all(holds),
    )


def of_fig04(results: pd.DataFrame) -> Message:
    """Return the message of condensed lists: better with more training, whoever is ahead."""
    parts, holds = [], []
    for dataset, system, _, values in _curves(results, "train_ratio", (KNN, MF)):
        holds.append(values[-1] > values[0] and _mostly_rises(values))
        parts.append(
            f"{_name(system)} on {_title(dataset)} from {_number(values[0])} to "
            f"{_number(values[-1])}"
        )
    first = results[results["dataset"] == "ml-1m"]
    if len(first):
        crossing, kept = _crossovers(first, "train_ratio", "tested")
        parts += crossing
        holds += kept
    return Message(
        "A line is a system, each point a split; higher is better.",
        "On condensed lists nDCG@10 rises with the train ratio, and on MovieLens the crossover "
        f"of kNN and MF remains: {'; '.join(parts)}.",
        all(holds),
    )


def of_fig05(results: pd.DataFrame) -> Message:
    """Return the message of ranks in full lists: only the first three are in the top ten."""
    complete = results[results["evaluated_users"] == "complete"]
    parts, holds = [], []
    for dataset, own in complete.groupby("dataset", sort=False):
        curves = {s: (x, y) for _, s, x, y in _curves(own, "depth", (KNN, MF))}
        across, of_mf = curves[MF]
        of_knn = next(y for system, (_, y) in curves.items() if system != MF)
        within = int((np.minimum(of_knn, of_mf) <= 10).sum())
        holds.append(of_mf[-1] > 50 and of_knn[-1] < of_mf[-1] and within < len(across))
        parts.append(
            f"on {_title(dataset)} the first {within} of condensed lists are, on average, in the "
            f"full top 10, and the tenth is at rank {of_knn[-1]:.0f} with kNN and "
            f"{of_mf[-1]:.0f} with MF"
        )
    return Message(
        "A line is the mean rank that the first, second, ... item of a condensed list has in the "
        "full list; at or below the dotted line it is in the top 10.",
        f"Condensed lists show items that are far down in full ones, farther with MF than with "
        f"kNN: {'; '.join(parts)}.",
        all(holds),
    )


def of_fig06(results: pd.DataFrame) -> Message:
    """Return the message of depths: kNN is ahead at small ones on MovieLens, MF at large ones."""
    parts, holds = [], []
    for experiment, own in results.groupby("experiment", sort=False):
        crossing, kept = _crossovers(own, "cutoff", None, "depth")
        few = " with k = 100 and ratio .8" * (experiment == "netflix-few-neighbours")
        if experiment == "netflix":
            # Here the paper sees no crossover.
            gaps = _gaps(own, "cutoff")[1]
            holds.append(bool((np.sign(gaps) == np.sign(gaps[0])).all()))
        else:
            holds += kept
        parts += [part + few for part in crossing]
    return Message(
        "A line is a system by the depth of nDCG; higher is better.",
        f"Who is ahead depends on the depth: {'; '.join(parts)}.",
        all(holds),
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
        f"{_number(none[0])} to {_number(none[-1])}; in random order from "
        f"{_number(random[0])} to {_number(random[-1])}; "
        f"by average rating k = 1 is best ({_number(by_policy['average'][0])}).",
        holds,
    )


def of_fig08(results: pd.DataFrame) -> Message:
    """Return the message of the shortfall: the reduced average rises as users are lost."""
    parts, holds = [], []
    for dataset, own in results.groupby("dataset", sort=False):
        curves = {}
        for name, metric, average in (
            ("reduced", "P@10", "reduced"),
            ("full", "P@10", "full"),
            ("users", "UserCoverage", "full"),
        ):
            rows = own[(own["metric"] == metric) & (own["average"] == average)]
            points = real_values(rows[["minimum_overlap", "value"]])
            curves[name] = points[~np.isnan(points).any(axis=1)]
        if not all(map(len, curves.values())):
            # Nobody gets a recommendation.
            holds.append(False)
            continue
        ends = {name: (curve[0, 1], curve[-1, 1]) for name, curve in curves.items()}
        holds.append(
            ends["reduced"][1] > ends["reduced"][0]
            and ends["full"][1] < ends["full"][0]
            and ends["users"][1] < ends["users"][0]
        )
        parts.append(
            f"on {_title(dataset)}, from overlap {curves['users'][0, 0]:.0f} to "
            f"{curves['users'][-1, 0]:.0f}, the users whom kNN serves fall from "
            f"{_percent(ends['users'][0])} to {_percent(ends['users'][1])} and its full average "
            f"from {_number(ends['full'][0])} to {_number(ends['full'][1])}, while its reduced "
            f"average rises from {_number(ends['reduced'][0])} to {_number(ends['reduced'][1])}"
        )
    return Message(
        "Above, P@10 of kNN over all users (full) and over those who get a recommendation "
        "(reduced), and of MF; higher is better. Below, the share of users who get one.",
        f"The reduced average rewards that difficult users are left out: {'; '.join(parts)}.",
        all(holds),
    )


def _curves(
    results: pd.DataFrame, across: str, systems: Sequence[str]
) -> list[tuple[str, str, NDArray[np.float64], NDArray[np.float64]]]:
    """Return dataset, system, x and y of each curve of kNN and MF, x in its order."""
    if "evaluated_users" in results and "tested" in set(results["evaluated_users"]):
        results = results[results["evaluated_users"] == "tested"]
    found = []
    for (dataset, system), rows in results.groupby(["dataset", "system"], sort=False):
        if system == MF or (str(system).startswith(KNN) and KNN in systems):
            points = real_values(rows.sort_values(across)[[across, "value"]])
            found.append((str(dataset), str(system), points[:, 0], points[:, 1]))
    return found


def _gaps(own: pd.DataFrame, across: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how far kNN is ahead of MF at each x of a panel."""
    curves = {system: (x, y) for _, system, x, y in _curves(own, across, (KNN, MF))}
    x, of_mf = curves[MF]
    of_knn = next(y for system, (_, y) in curves.items() if system != MF)
    return x, of_knn - of_mf


def _crossovers(
    results: pd.DataFrame, across: str, users: str | None, what: str = "ratio"
) -> tuple[list[str], list[bool]]:
    """Say for each dataset who is ahead at both ends, and whether kNN is first and MF last."""
    if users is not None:
        results = results[results["evaluated_users"] == users]
    parts, holds = [], []
    for dataset, own in results.groupby("dataset", sort=False):
        x, gaps = _gaps(own, across)
        signs = np.sign(gaps)
        ahead = ["kNN" if sign > 0 else "MF" for sign in (signs[0], signs[-1])]
        changes = int((np.diff(signs) != 0).sum())
        holds.append(signs[0] > 0 > signs[-1] and changes == 1)
        ends = [f"{what} {_number(end)}" for end in (x[0], x[-1])]
        margins = [_number(abs(float(gap)), 3) for gap in (gaps[0], gaps[-1])]
        parts.append(
            f"on {_title(dataset)} {ahead[0]} is ahead by {margins[0]} at {ends[0]} and "
            f"{ahead[1]} by {margins[1]} at {ends[1]}"
        )
    return parts, holds


def _rises(values: NDArray[np.float64]) -> bool:
    return bool((np.diff(values) > 0).all())


def _mostly_rises(values: NDArray[np.float64]) -> bool:
    """Tell whether at most one step in four goes down."""
    return bool((np.diff(values) > 0).mean() >= 0.75)


def _title(dataset: object) -> str:
    return TITLES.get(str(dataset), str(dataset))


def _name(system: str) -> str:
    return "MF" if system == MF else "kNN"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _number(value: float, digits: int = 3) -> str:
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return short_number(text or "0")


MESSAGES: Mapping[str, Callable[[pd.DataFrame], Message]] = {
    "fig01": of_fig01,
    "fig02": of_fig02,
    "fig03": of_fig03,
    "fig04": of_fig04,
    "fig05": of_fig05,
    "fig06": of_fig06,
    "fig07": of_fig07,
    "fig08": of_fig08,
}
