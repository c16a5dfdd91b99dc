# SPDX-License-Identifier: MIT
"""What each figure of the systems says, checked on its results."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from receval.figures.printed_numbers import fixed
from receval.storage.files import real_values
from receval.studies._shared.message import Message
from receval.studies.systems._shared.printed_metrics import printed_metric

NAMES = {
    "librec-wrmf": "LibRec's WRMF",
    "librec-plsa": "LibRec's PLSA",
    "librec-slim": "LibRec's SLIM",
    "librec-userknn": "LibRec's user kNN",
    "librec-itemknn": "LibRec's item kNN",
    "nncosngbr-ub": "NNCosNgbr-UB",
    "nncosngbr-ib": "NNCosNgbr-IB",
    "librec-svdpp": "SVD++",
}
"""Algorithms and systems as the figures call them."""

CLOSE = 0.05
"""Relative difference up to which a value agrees with the published one."""


def of_fidelity(results: pd.DataFrame) -> Message:
    """Return the message of fidelity: most values are within five per cent, LibRec's exact.

    Values that the search for settings has seen are no evidence and do not count.
    """
    measured = results.assign(relative_difference=real_values(results["relative_difference"]))
    measured = measured[measured["relative_difference"].notna()]
    parts, holds = [], []
    for study, own in measured.groupby("study", sort=False):
        unseen = own[own["searched"] != "yes"]
        differences = unseen["relative_difference"].abs()
        n_close, farthest = int((differences <= CLOSE).sum()), unseen.loc[differences.idxmax()]
        name = NAMES.get(farthest["system"], farthest["system"])
        seen = len(own) - len(unseen)
        without = f" that no search has seen (and {seen} that it has)" * (seen > 0)
        parts.append(
            f"of {study} {n_close} of {len(unseen)} ({100 * n_close / len(unseen):.0f} %) values"
            f"{without}, the farthest {_percent(float(differences.max()))} away ({name}, "
            f"{printed_metric(str(farthest['metric']))})"
        )
        holds.append(n_close >= 0.75 * len(unseen))
    return Message(
        "A mark is a metric of a system: at 0 our value is the published one; hollow marks, which "
        "the search for settings looked at, are no evidence.",
        f"Most of our values are within five per cent of the published ones: {'; '.join(parts)}.",
        all(holds),
        claim="The values of most systems are within five per cent of the published ones.",
    )


def of_implementations(results: pd.DataFrame) -> Message:
    """Return the message of implementations: most of them agree, and some do not."""
    means = results[(results["fold"] == "mean") & (results["metric"] == "P@10")]
    own = means[means["package"] == "receval"].set_index("algorithm")["value"].astype(float)
    others = means[~means["package"].isin(["receval"])]
    gaps = {
        str(row["algorithm"]): (str(row["package"]), float(row["value"]))
        for row in others.to_dict("records")
    }
    relative = {
        name: abs(value - own[name]) / own[name] for name, (_, value) in gaps.items() if name in own
    }
    nearest = min(relative, key=relative.__getitem__)
    farthest = max(relative, key=relative.__getitem__)
    ours, (package, other) = own[farthest], gaps[farthest]
    close = [name for name, gap in relative.items() if gap <= 0.01]
    return Message(
        "A row is an algorithm, a mark its value by one package, farther right is better; in the "
        "last panel, the share of a list that is also in receval's.",
        f"Of {len(relative)} algorithms {len(close)} have the same P@10 within one per cent, "
        f"whoever implements them: {NAMES.get(nearest, nearest)} differs least "
        f"({_percent(relative[nearest])}), {NAMES.get(farthest, farthest)} most "
        f"({_percent(relative[farthest])}: {fixed(ours, 3)} by receval, "
        f"{fixed(other, 3)} by {package}).",
        len(close) >= len(relative) / 2,
        claim="Most algorithms have the same precision, whoever implements them.",
    )


def _percent(share: float) -> str:
    percent = 100 * share
    if percent < 0.05:
        return "less than .05 %"
    # As many digits as the figure's enlarged axis has.
    return f"{fixed(percent, 1 if percent >= 0.1 else 2)} %"


MESSAGES: Mapping[str, Callable[[pd.DataFrame], Message]] = {
    "fidelity": of_fidelity,
    "implementations": of_implementations,
}
