"""What the figures of valcarce2020 say of geometric means."""

from __future__ import annotations

import pandas as pd

from receval.figures.heat_map import two_decimals
from receval.studies._shared.message import Message
from receval.studies.metric_studies.message_parts import (
    MAP_READING,
    STABILITY_READING,
    Said,
    all_above,
    at_level,
    behind,
    both,
    message,
    numbers_of,
    taus,
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
            said.append(
                f"G{name} at least {two_decimals(floor.min())} with the floor, at most "
                f"{two_decimals(released.max())} as released"
            )
            holds &= bool(released.max() < floor.min())
        return ", ".join(said), holds

    claim = (
        "GF1 and GMRR agree with all other geometric means where a user without a hit counts as "
        "the floor, and with none of them as much where such a user counts as 1"
    )
    return message(results, MAP_READING, claim, say)


def released_forms_are_least_robust(results: pd.DataFrame) -> Message:
    """Figures 10 and 11: only the released forms are not robust to missing ratings or items."""

    def say(_: str, rows: pd.DataFrame) -> Said:
        table = taus(rows)
        half, holds = all_above(_floored(at_level(table, 50)), 0.9)
        return both((f"{half} with half", holds), _released_behind(table))

    claim = (
        "With half of the judgments all geometric means with the floor keep a tau above .9; GF1* "
        "and GMRR*, in the released form, have the lowest mean taus"
    )
    return message(results, STABILITY_READING.format(kept="fewer judgments"), claim, say)


def popular_items_under_geometric_means(results: pd.DataFrame) -> Message:
    """Figure 12: without the popular items no geometric mean with the floor keeps its order."""

    def say(_: str, rows: pd.DataFrame) -> Said:
        table = taus(rows)
        half, means = _floored(at_level(table, 50)), table.mean()
        best = means.idxmax()
        said = f"highest {two_decimals(half.max())}; highest mean tau G{numbers_of(means, [best])}"
        return said, bool(half.max() < 0.5) and best in RELEASED

    claim = (
        "Without the more popular half of the items no geometric mean with the floor keeps a tau "
        "of .5; here a released form, GF1* or GMRR*, has the highest mean tau"
    )
    return message(results, STABILITY_READING.format(kept="ever less popular items"), claim, say)


def users_under_geometric_means(results: pd.DataFrame) -> Message:
    """Figure 13: in either form geometric means are robust to missing users."""

    def say(_: str, rows: pd.DataFrame) -> Said:
        return all_above(at_level(taus(rows), 50), 0.9)

    claim = "With half of the users every geometric mean, in either form, keeps a tau above .9"
    return message(results, STABILITY_READING.format(kept="fewer users"), claim, say)


def active_users_under_geometric_means(results: pd.DataFrame) -> Message:
    """Figure 14: without the most active users only the released forms lose their order."""

    def say(_: str, rows: pd.DataFrame) -> Said:
        table = taus(rows)
        least, holds = all_above(_floored(table.mean()), 0.8)
        return both((f"{least} with the floor", holds), _released_behind(table))

    claim = (
        "When the users with most test ratings leave, all geometric means with the floor have mean "
        "taus above .8, and GF1* and GMRR*, in the released form, the lowest"
    )
    return message(results, STABILITY_READING.format(kept="less active users"), claim, say)


def _floored(values: pd.Series[float]) -> pd.Series[float]:
    return values[[name for name in values.index if name not in RELEASED]]


def _released_behind(table: pd.DataFrame) -> Said:
    return behind(table.mean(), RELEASED, "GF1* and GMRR*")
