"""What each figure of the systems says, checked on its results."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from receval.figures.style import short_number
from receval.storage.files import real_values
from receval.studies._shared.message import Message

NAMES = {
    "librec-wrmf": "LibRec's WRMF",
    "librec-plsa": "LibRec's PLSA",
    "librec-slim": "LibRec's SLIM",
    "librec-userknn": "LibRec's user kNN",
    "librec-itemknn": "LibRec's item kNN",
}
"""Algorithms as the figure calls them."""

CLOSE = 0.05
"""Relative difference up to which a value agrees with the published one."""


def of_fidelity(results: pd.DataFrame) -> Message:
    """Return the message of fidelity: most values are within five per cent, LibRec's exact."""
    parts, holds = [], []
    for study, own in results.groupby("study", sort=False):
        differences = abs(real_values(own["relative_difference"]))
        differences = differences[differences == differences]
        close = float((differences <= CLOSE).mean())
        parts.append(
            f"of {study} {100 * close:.0f} % of {len(differences)} values, the farthest "
            f"{_percent(float(differences.max()))} away"
        )
        holds.append(close >= 0.75)
    return Message(
        "A mark is a metric of a system: at 0 our value is the published one, and in the grey band "
        "within five per cent of it.",
        f"Most of our values are within five per cent of the published ones: {'; '.join(parts)}.",
        all(holds),
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
        "A row is an algorithm, a mark its value by one package; on the right, the share of a list "
        "that is also in receval's.",
        f"Of {len(relative)} algorithms {len(close)} have the same P@10 within one per cent, "
        f"whoever implements them: {NAMES.get(nearest, nearest)} differs least "
        f"({_percent(relative[nearest])}), {NAMES.get(farthest, farthest)} most "
        f"({_percent(relative[farthest])}: {short_number(f'{ours:.3f}')} by receval, "
        f"{short_number(f'{other:.3f}')} by {package}).",
        len(close) >= len(relative) / 2,
    )


def _percent(share: float) -> str:
    percent = 100 * share
    if percent < 0.05:
        return "less than .05 %"
    text = f"{percent:.0f}" if percent >= 9.95 else f"{percent:.1f}".removeprefix("0")
    return f"{text} %"


MESSAGES: Mapping[str, Callable[[pd.DataFrame], Message]] = {
    "fidelity": of_fidelity,
    "implementations": of_implementations,
}
