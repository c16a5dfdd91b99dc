"""What the figures of valcarce2020 say of geometric means."""

from __future__ import annotations

import pandas as pd

from receval.figures.heat_map import two_decimals
from receval.studies._shared.message import Message, in_a_row
from receval.studies.metric_studies.message_parts import (
    MAP_READING,
    STABILITY_READING,
    Said,
    all_above,
    at_level,
    behind,
    message,
    numbers_of,
    of_groups,
    range_of,
    taus,
    where,
)

RELEASED = ("F1*", "MRR*")
"""The released forms, GF1* and GMRR* in the figures."""


def geometric_metrics_agree(results: pd.DataFrame) -> Message:
    """Figure 9: GF1 and GMRR differ from the other metrics in the released form alone."""

    def say(_: str, rows: pd.DataFrame) -> Said:
        pairs = rows.set_index(["average", "metric_a", "metric_b"])["tau"].sort_index()
        others = [name for name in dict.fromkeys(rows["metric_a"]) if name not in ("F1", "MRR")]
        said, holds = [], True
        for name in ("F1", "MRR"):
            floor, released = (pairs[form, name][others] for form in ("geometric", "released"))
            said.append(f"{range_of(floor)} and {range_of(released)} for G{name}")
            holds &= bool(released.max() < floor.min())
        mutual = two_decimals(pairs["released", "F1", "MRR"])
        text = (
            f"taus with the other metrics (without GF1 and GMRR) are, in the two forms, "
            f"{in_a_row(said)}, and GF1* has {mutual} with GMRR*"
        )
        return text, holds

    claim = (
        "GF1 and GMRR agree with the other geometric means where a user without a hit counts as "
        "the floor, and less in the released form, where such a user counts as 1"
    )
    return message(results, MAP_READING, claim, say)


def missing_ratings_under_geometric_means(results: pd.DataFrame) -> Message:
    """Figure 10: only the released forms are not robust to missing ratings."""
    return _released_least_robust(results, "test ratings")


def missing_items_under_geometric_means(results: pd.DataFrame) -> Message:
    """Figure 11: only the released forms are not robust to missing items."""
    return _released_least_robust(results, "items")


def _released_least_robust(results: pd.DataFrame, what: str) -> Message:
    def say(_: str, rows: pd.DataFrame) -> Said:
        table = taus(rows)
        half, means = _floored(at_level(table, 50)), table.mean()
        said = (
            f"the least tau with half of them is {two_decimals(half.min())} with the floor, and "
            f"mean taus are {_of_forms(means)}"
        )
        return said, all_above(half, 0.9) and behind(means, RELEASED)

    claim = (
        f"With half of the {what} all geometric means with the floor nearly keep the order of the "
        "systems; GF1* and GMRR*, in the released form, keep it worst"
    )
    return message(results, STABILITY_READING.format(when=f"with fewer {what}"), claim, say)


def popular_items_under_geometric_means(results: pd.DataFrame) -> Message:
    """Figure 12: without the popular items no geometric mean with the floor keeps its order."""

    def say(_: str, rows: pd.DataFrame) -> Said:
        table = taus(rows)
        half, means = _floored(at_level(table, 50)), table.mean()
        best = means.idxmax()
        said = (
            f"their highest tau is then {two_decimals(half.max())}, and the highest mean tau of "
            f"all is that of G{numbers_of(means, [best])}"
        )
        return said, bool(half.max() < 0.5) and best in RELEASED

    claim = (
        "Without the more popular half of the items no geometric mean with the floor keeps the "
        "order of the systems"
    )
    reading = STABILITY_READING.format(when="without the most popular items")
    return message(results, reading, claim, say, _not_last(results))


def users_under_geometric_means(results: pd.DataFrame) -> Message:
    """Figure 13: in either form geometric means are robust to missing users."""

    def say(_: str, rows: pd.DataFrame) -> Said:
        half = at_level(taus(rows), 50)
        return f"the least tau is then {two_decimals(half.min())}", all_above(half, 0.9)

    claim = (
        "With half of the users every geometric mean, in either form, nearly keeps the order of "
        "the systems"
    )
    reading = STABILITY_READING.format(when="with fewer users")
    return message(results, reading, claim, say, _not_last(results))


def active_users_under_geometric_means(results: pd.DataFrame) -> Message:
    """Figure 14: without the most active users only the released forms lose their order."""

    def say(_: str, rows: pd.DataFrame) -> Said:
        means = taus(rows).mean()
        holds = all_above(_floored(means), 0.8) and behind(means, RELEASED)
        return f"mean taus are {_of_forms(means)}", holds

    claim = (
        "When the users with most test ratings leave, geometric means with the floor mostly keep "
        "the order of the systems; GF1* and GMRR*, in the released form, keep it worst"
    )
    reading = STABILITY_READING.format(when="without the most active users")
    return message(results, reading, claim, say)


def _of_forms(means: pd.Series[float]) -> str:
    named = {name: f"G{name}" for name in RELEASED}
    return of_groups(means.rename(named), list(named.values()), others="those with the floor")


def _not_last(results: pd.DataFrame) -> str:
    """Say where the released forms are not the two least robust, as in the paper's text."""
    said = "GF1* and GMRR* are not the two least robust, as they are in all scenarios of the paper"
    return where(results, lambda means: not behind(means, RELEASED), said)


def _floored(values: pd.Series[float]) -> pd.Series[float]:
    return values[[name for name in values.index if name not in RELEASED]]
