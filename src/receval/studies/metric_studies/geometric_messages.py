# SPDX-License-Identifier: MIT
"""What the figures of valcarce2020 say of geometric means."""

from __future__ import annotations

import pandas as pd

from receval.figures.heat_map import two_decimals
from receval.studies._shared.message import Message, in_a_row
from receval.studies.metric_studies.message_parts import (
    MAP_READING,
    STABILITY_READING,
    DatasetFinding,
    all_above,
    at_level,
    behind,
    by_dataset,
    highest,
    lowest,
    message,
    numbers_of,
    of_groups,
    range_of,
    taus,
    where,
)

RELEASED = ("F1*", "MRR*")
"""The released forms, GF1* and GMRR* in the figures."""

LAST = "GF1* and GMRR* keep the order worst"

_TURNED = (
    "over all levels they are not the two least robust, as the paper has it: with fewer items all "
    "orders turn round"
)


def geometric_metrics_agree(results: pd.DataFrame) -> Message:
    """Figure 9: GF1 and GMRR differ from the other metrics in the released form alone."""

    def say(_: str, rows: pd.DataFrame) -> DatasetFinding:
        pairs = rows.set_index(["average", "metric_a", "metric_b"])["tau"].sort_index()
        others = [name for name in dict.fromkeys(rows["metric_a"]) if name not in ("F1", "MRR")]
        rest = rows[
            (rows["average"] == "released")
            & rows["metric_a"].isin(others)
            & rows["metric_b"].isin(others)
            & (rows["metric_a"] != rows["metric_b"])
        ]["tau"]
        said, less, least = [], True, True
        for name in ("F1", "MRR"):
            floor, released = (pairs[form, name][others] for form in ("geometric", "released"))
            said.append(f"{range_of(floor)} and {range_of(released)} for G{name}")
            less &= bool((released < floor).all())
            least &= bool(released.mean() < rest.mean())
        mutual = pairs["released", "F1", "MRR"]
        own = rows.set_index(["average", "metric_a"])["tau"]["arithmetic to released"]
        text = (
            f"taus with the other metrics (which have {range_of(rest)} with each other) are, in "
            f"the two forms, {in_a_row(said)}; GF1* has {two_decimals(mutual)} with GMRR*; "
            f"with their own arithmetic means they have {two_decimals(own['F1'])} and "
            f"{two_decimals(own['MRR'])}"
        )
        parts = {
            "GF1* and GMRR* agree less with the other metrics than these with each other": least,
            "they agree with each other as the others do": bool(mutual >= rest.min()),
        }
        return DatasetFinding(text, parts, ours=less and least)

    finding = (
        "GF1 and GMRR agree with every other geometric mean less in the released form, where a "
        "user without a hit counts as 1, than where such a user counts as the floor"
    )
    claim = (
        "All geometric means agree with each other but GF1 and GMRR, which agree with each other "
        "alone"
    )
    return message(results, MAP_READING, finding, say, _not_alike(results), claim)


def _not_alike(results: pd.DataFrame) -> str:
    """Say where GF1 and GMRR agree less with each other than the other metrics do."""
    released = results[results["average"] == "released"]
    pairs = released.set_index(["dataset", "metric_a", "metric_b"])["tau"]
    alike = [bool(pairs[name, "F1", "MRR"] >= 0.8) for name in by_dataset(results)]
    return "" if all(alike) else "in the paper GF1 and GMRR agree with each other"


def missing_ratings_under_geometric_means(results: pd.DataFrame) -> Message:
    """Figure 10: only the released forms are not robust to missing ratings."""
    return _released_least_robust(results, "test ratings")


def missing_items_under_geometric_means(results: pd.DataFrame) -> Message:
    """Figure 11: only the released forms are not robust to missing items."""
    return _released_least_robust(results, "items")


def _released_least_robust(results: pd.DataFrame, what: str) -> Message:
    def say(_: str, rows: pd.DataFrame) -> DatasetFinding:
        table = taus(rows)
        half, means = _floored(at_level(table, 50)), table.mean()
        said = (
            f"the least tau with half of them is, with the floor, that of {_lowest(half)}, and "
            f"mean taus are {_of_forms(means)}"
        )
        last = behind(means, RELEASED)
        parts = {
            LAST: last,
            "GP and GnDCG nearly keep the order with half of them": all_above(
                half[["P", "nDCG"]], 0.9
            ),
        }
        return DatasetFinding(said, parts, ours=all_above(half, 0.9) and last)

    finding = (
        f"With half of the {what} all geometric means with the floor nearly keep the order of the "
        "systems; GF1* and GMRR*, in the released form, keep it worst"
    )
    claim = (
        f"With fewer {what} GF1 and GMRR keep the order of the systems worst, and GP and GnDCG "
        "keep it well"
    )
    reading = STABILITY_READING.format(when=f"with fewer {what}")
    return message(results, reading, finding, say, claim=claim)


def popular_items_under_geometric_means(results: pd.DataFrame) -> Message:
    """Figure 12: without the popular items no geometric mean with the floor keeps its order."""

    def say(_: str, rows: pd.DataFrame) -> DatasetFinding:
        table = taus(rows)
        half, early = _floored(at_level(table, 50)), at_level(table, 90)
        drop, first = bool(half.max() < 0.5), behind(early, RELEASED)
        said = (
            f"with nine tenths of the items taus are {_of_forms(early)}; {_levels_of_last(table)}; "
            f"with half of the items the highest tau with the floor is that of {_highest(half)}"
        )
        parts = {
            "with half of the items no geometric mean with the floor keeps the order": drop,
            "with nine tenths of them GF1* and GMRR* are the two least robust": first,
        }
        return DatasetFinding(said, parts, ours=drop and first)

    finding = (
        "Without the most popular items all geometric means soon lose the order of the systems, "
        "GF1* and GMRR*, in the released form, first"
    )
    claim = (
        "Without the most popular items all geometric means soon lose the order of the systems, "
        "and GF1 and GMRR keep it worst"
    )
    reading = STABILITY_READING.format(when="without the most popular items")
    note = where(results, lambda means: not behind(means, RELEASED), _TURNED)
    return message(results, reading, finding, say, note, claim)


def users_under_geometric_means(results: pd.DataFrame) -> Message:
    """Figure 13: in either form geometric means are robust to missing users."""

    def say(_: str, rows: pd.DataFrame) -> DatasetFinding:
        table = taus(rows)
        half, means = at_level(table, 50), table.mean()
        kept = all_above(half, 0.9)
        said = (
            f"the least tau is then that of {_lowest(half)}, and mean taus over all levels are "
            f"{_of_forms(means)}"
        )
        parts = {
            "with half of them all keep it well": kept,
            LAST: behind(means, RELEASED),
        }
        return DatasetFinding(said, parts, ours=kept)

    finding = (
        "With half of the users every geometric mean, in either form, nearly keeps the order of "
        "the systems"
    )
    claim = (
        "With fewer users GF1 and GMRR keep the order of the systems worst, and all keep it well"
    )
    reading = STABILITY_READING.format(when="with fewer users")
    return message(results, reading, finding, say, _not_last(results), claim)


def active_users_under_geometric_means(results: pd.DataFrame) -> Message:
    """Figure 14: without the most active users only the released forms lose their order."""

    def say(_: str, rows: pd.DataFrame) -> DatasetFinding:
        means = taus(rows).mean()
        last = behind(means, RELEASED)
        shown = means.rename({name: f"G{name}" for name in means.index})
        said = (
            f"mean taus are {_of_forms(means)}, with {numbers_of(shown, ['GP', 'GnDCG'])} among "
            "these, to be compared with P and nDCG in figure 8"
        )
        parts = {
            LAST: last,
            "GP and GnDCG mostly keep it": all_above(means[["P", "nDCG"]], 0.8),
        }
        return DatasetFinding(said, parts, ours=all_above(_floored(means), 0.8) and last)

    finding = (
        "When the users with most test ratings leave, geometric means with the floor mostly keep "
        "the order of the systems; GF1* and GMRR*, in the released form, keep it worst"
    )
    claim = (
        "When the users with most test ratings leave, GF1 and GMRR keep the order of the systems "
        "worst, and GP and GnDCG keep it better than P and nDCG in figure 8"
    )
    reading = STABILITY_READING.format(when="without the most active users")
    return message(results, reading, finding, say, claim=claim)


def _levels_of_last(table: pd.DataFrame) -> str:
    """Say at which levels the released forms are the two least robust: those that follow on."""
    last = [level for level in table.index if behind(table.loc[level].round(9), RELEASED)]
    levels = list(table.index)
    runs: list[list[float]] = []
    for level in last:
        before = runs and levels.index(level) == levels.index(runs[-1][-1]) + 1
        if before:
            runs[-1].append(level)
        else:
            runs.append([level])
    if not runs:
        return "at no level GF1* and GMRR* are the last two"
    run = max(runs, key=len)
    span = f"from {run[0]:g} to {run[-1]:g} %" if len(run) > 1 else f"at {run[0]:g} %"
    return f"GF1* and GMRR* are the last two {span} of the items"


def _lowest(values: pd.Series[float]) -> str:
    return f"G{lowest(values)}"


def _highest(values: pd.Series[float]) -> str:
    return f"G{highest(values)}"


def _of_forms(means: pd.Series[float]) -> str:
    named = {name: f"G{name}" for name in RELEASED}
    return of_groups(means.rename(named), list(named.values()), others="those with the floor")


def _not_last(results: pd.DataFrame) -> str:
    """Say where the released forms are not the two least robust, as in the paper's text."""
    said = "GF1* and GMRR* are not the two least robust, as they are in all scenarios of the paper"
    return where(results, lambda means: not behind(means, RELEASED), said)


def _floored(values: pd.Series[float]) -> pd.Series[float]:
    return values[[name for name in values.index if name not in RELEASED]]
