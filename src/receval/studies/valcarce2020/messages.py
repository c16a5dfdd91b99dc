"""What the figures of valcarce2020 say."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from receval.figures.heat_map import two_decimals
from receval.studies._shared.message import Message
from receval.studies.metric_studies.geometric_messages import (
    active_users_under_geometric_means,
    geometric_metrics_agree,
    popular_items_under_geometric_means,
    released_forms_are_least_robust,
    users_under_geometric_means,
)
from receval.studies.metric_studies.message_parts import (
    MAP_READING,
    P_VALUE_READING,
    STABILITY_READING,
    Said,
    ahead,
    all_above,
    at_level,
    behind,
    both,
    mean_agreement,
    message,
    numbers_of,
    power,
    taus,
)

TOP_HEAVY = ("MRR", "ERR")


def agreement_of_nine(results: pd.DataFrame) -> Message:
    """Figure 1: MRR and ERR agree with each other and least with the rest."""

    def say(dataset: str, rows: pd.DataFrame) -> Said:
        means = mean_agreement(rows)
        if dataset == "beeradvocate":
            return behind(means, ["bpref"])
        pairs = rows.set_index(["metric_a", "metric_b"])["tau"]
        mutual = pairs[TOP_HEAVY]
        text, holds = behind(means, TOP_HEAVY)
        said = f"{text}, with each other {two_decimals(mutual)}"
        return said, holds and mutual > means.max()

    claim = (
        "MRR and ERR agree with each other and least with the other metrics; on BeerAdvocate it is "
        "bpref that agrees least"
    )
    return message(results, MAP_READING, claim, say)


def power_of_nine(results: pd.DataFrame) -> Message:
    """Figure 2: nDCG is among the metrics with the most discriminative power."""

    def say(dataset: str, rows: pd.DataFrame) -> Said:
        ranks = power(rows).rank(method="min")
        text = f"rank {ranks['nDCG']:.0f}, after {_named(ranks, ranks['nDCG'])}"
        return text, bool(ranks["nDCG"] <= (5 if dataset == "beeradvocate" else 3))

    claim = (
        "nDCG is one of the three metrics that tell the systems apart best, and on BeerAdvocate "
        "one of the five"
    )
    return message(results, P_VALUE_READING, claim, say)


def _named(ranks: pd.Series[float], below: float) -> str:
    return ", ".join(ranks[ranks < below].sort_values().index) or "none"


def robust_to_missing_ratings(results: pd.DataFrame) -> Message:
    """Figure 3: all metrics are robust to missing ratings, P, F1 and nDCG most."""

    def say(_: str, rows: pd.DataFrame) -> Said:
        table = taus(rows)
        half, holds = all_above(at_level(table, 50), 0.9)
        return both((f"{half} with half", holds), ahead(table.mean(), ["P", "F1", "nDCG"]))

    claim = (
        "With half of the test ratings every metric keeps a tau above .9, and P, F1 and nDCG have "
        "the highest mean taus"
    )
    return message(results, STABILITY_READING.format(kept="fewer test ratings"), claim, say)


def precision_falls_in_a_line(results: pd.DataFrame) -> Message:
    """Figure 4: the values of P fall in a straight line, those of no other metric do."""

    def say(_: str, rows: pd.DataFrame) -> Said:
        values = rows.pivot_table(
            index="kept_percent", columns="metric", values="value", sort=False
        )
        values = values.sort_index()
        levels = values.index.to_numpy(dtype=np.float64)
        share = (levels - levels[0]) / (levels[-1] - levels[0])
        first, last = values.iloc[0], values.iloc[-1]
        bends = pd.Series(
            {
                name: np.abs(
                    values[name] - (first[name] + share * (last[name] - first[name]))
                ).max()
                / last[name]
                for name in values
            }
        )
        return behind(bends, ["P"])

    claim = (
        "The values of P fall in a straight line and those of all other metrics in a curve: the "
        "largest distance from the line, as a share of the value under all judgments"
    )
    reading = (
        "Each line is the mean of a metric over the systems under fewer test ratings: its form, "
        "and not its height, is what to compare."
    )
    return message(results, reading, claim, say)


def robust_to_missing_items(results: pd.DataFrame) -> Message:
    """Figure 5: P and F1 are the most robust to missing items, MRR and ERR the least."""

    def say(_: str, rows: pd.DataFrame) -> Said:
        means = taus(rows).mean()
        return both(ahead(means, ["P", "F1"]), behind(means, TOP_HEAVY))

    claim = (
        "P and F1 have the highest mean taus when random items leave the test set, MRR and ERR the "
        "lowest"
    )
    return message(results, STABILITY_READING.format(kept="fewer items"), claim, say)


def robust_to_missing_popular_items(results: pd.DataFrame) -> Message:
    """Figure 6: without the popular items the order is lost, by MRR and ERR first."""

    def say(_: str, rows: pd.DataFrame) -> Said:
        table = taus(rows)
        means = table.mean()
        best = means.nlargest(2)
        text, holds = behind(means, TOP_HEAVY)
        turned = f"least tau {two_decimals(table.min().min())}"
        said = f"{text}, best {numbers_of(best, best.index)}, {turned}"
        return said, holds and "P" in best.index and bool(table.min().min() < 0)

    claim = (
        "Without the most popular items taus fall below 0: MRR and ERR have the lowest means, and "
        "P one of the two highest"
    )
    return message(results, STABILITY_READING.format(kept="ever less popular items"), claim, say)


def robust_to_missing_users(results: pd.DataFrame) -> Message:
    """Figure 7: all metrics are very robust to missing users."""

    def say(_: str, rows: pd.DataFrame) -> Said:
        return all_above(at_level(taus(rows), 20), 0.9)

    claim = "With a fifth of the users every metric keeps a tau above .9"
    return message(results, STABILITY_READING.format(kept="fewer users"), claim, say)


def robust_to_missing_active_users(results: pd.DataFrame) -> Message:
    """Figure 8: without the most active users MRR and ERR are the most robust, P and F1 least."""

    def say(_: str, rows: pd.DataFrame) -> Said:
        means = taus(rows).mean()
        return both(ahead(means, TOP_HEAVY), behind(means, ["P", "F1"]))

    claim = (
        "When the users with most test ratings leave, the picture turns round: MRR and ERR have "
        "the highest mean taus, P and F1 the lowest"
    )
    return message(results, STABILITY_READING.format(kept="less active users"), claim, say)


MESSAGES: Mapping[str, Callable[[pd.DataFrame], Message]] = {
    "fig01": agreement_of_nine,
    "fig02": power_of_nine,
    "fig03": robust_to_missing_ratings,
    "fig04": precision_falls_in_a_line,
    "fig05": robust_to_missing_items,
    "fig06": robust_to_missing_popular_items,
    "fig07": robust_to_missing_users,
    "fig08": robust_to_missing_active_users,
    "fig09": geometric_metrics_agree,
    "fig10": released_forms_are_least_robust,
    "fig11": released_forms_are_least_robust,
    "fig12": popular_items_under_geometric_means,
    "fig13": users_under_geometric_means,
    "fig14": active_users_under_geometric_means,
}
"""By the names of the figures."""
