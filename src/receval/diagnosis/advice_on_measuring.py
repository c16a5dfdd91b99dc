# SPDX-License-Identifier: MIT
"""Which metrics, tests and judgments to use, and what to report: rules and their reasons."""

from __future__ import annotations

from receval.diagnosis.advice import Advice, as_percent
from receval.diagnosis.advice_on_data import SAME_ORDER
from receval.diagnosis.findings import DataFindings
from receval.figures.printed_numbers import fixed, significant
from receval.storage.messages import how_many

MOST_P_VALUE = 0.25
"""Mean p-value of all pairs of systems, above which a metric hardly tells any apart."""

PERMUTATIONS = 10_000


def advice_on_metrics(found: DataFindings) -> Advice:
    """Choose the metric with the best ranks by power and by robustness together, then a second.

    Ranks are added; of equal sums the metric that tells systems apart better comes first. The
    second metric is of another kind than the first, and no multiple of it.
    """
    order = metrics_in_order(found.metrics)
    best = order[0]
    same_as = dict(found.equal_metrics)
    second = next(
        (
            own
            for own in order
            if own[0].split("@")[0] != best[0].split("@")[0]
            and same_as.get(own[0], own[0]) != same_as.get(best[0], best[0])
        ),
        None,
    )
    if best[1] > MOST_P_VALUE * found.pairs:
        return Advice(
            "Metrics",
            "No metric is recommended: these ratings are too few to tell systems apart.",
            f"Under the best of them, {best[0]}, the p-values of {found.pairs} pairs of systems "
            f"are {fixed(best[1] / found.pairs, 2)} on average.",
        )
    names = best[0] if second is None else f"{best[0]}; {second[0]} is reported beside it"
    worst = order[-1]
    return Advice(
        "Metrics",
        f"The main metric is {names}.",
        f"Over {found.pairs} pairs of systems the p-values of {best[0]} add up to "
        f"{significant(best[1])}, and with a tenth of the test ratings it keeps their order with "
        f"Kendall's tau {fixed(best[2], 2)}: together the best of {len(order)} metrics. The last "
        f"is {worst[0]} ({significant(worst[1])} and {fixed(worst[2], 2)}).",
    )


def metrics_in_order(
    metrics: tuple[tuple[str, float, float], ...],
) -> list[tuple[str, float, float]]:
    """Return metrics from the best to the worst by the sum of two ranks.

    Parameters
    ----------
    metrics : tuple of (str, float, float)
        Label, sum of p-values (lower is better), Kendall's tau (higher is better; NaN is worst).

    Examples
    --------
    >>> metrics = (("RR@10", 0.9, 0.6), ("P@10", 0.1, 0.8), ("nDCG@10", 0.2, 0.9))
    >>> [label for label, _, _ in metrics_in_order(metrics)]
    ['P@10', 'nDCG@10', 'RR@10']
    """
    powers = [round(power, 3) for _, power, _ in metrics]
    taus = [-1.0 if tau != tau else round(tau, 3) for _, _, tau in metrics]

    def rank_sum(number: int) -> tuple[int, float]:
        better = sum(power < powers[number] for power in powers)
        steadier = sum(tau > taus[number] for tau in taus)
        return better + steadier, powers[number]

    return [metrics[number] for number in sorted(range(len(metrics)), key=rank_sum)]


def advice_on_test(found: DataFindings) -> Advice:
    """Test all pairs over users, and say how small a difference so many users can show."""
    return Advice(
        "Significance",
        f"All pairs of systems are compared by a paired permutation test over users "
        f"({PERMUTATIONS:,} samples, two-sided), with Holm's correction for the number of pairs "
        "and with 95 % intervals of the differences.",
        f"Averages are over {how_many(found.test_users, 'user')}. By the spread of differences "
        "between the systems tried here, a difference of "
        f"{significant(found.smallest_difference, 2)} in {found.precision} is the smallest that "
        "one test at .05 finds in four of five experiments.",
    )


def advice_on_disliked_items(found: DataFindings) -> Advice | None:
    """Ask for a metric of disliked items where it tells something else, and warn of it."""
    tau = found.disliked_agreement
    if tau is None:
        return None
    if tau >= SAME_ORDER:
        return Advice(
            "Disliked items",
            "Metrics of disliked items are not needed beside those of liked ones.",
            f"antiP@10 orders the systems as P@10 does (Kendall's tau {fixed(tau, 2)}).",
        )
    return Advice(
        "Disliked items",
        "Disliked items that are recommended are reported (antiP@10) and not taken for a verdict.",
        f"antiP@10 orders the systems otherwise than P@10 (Kendall's tau {fixed(tau, 2)}): popular "
        "items collect liking and disliking ratings alike"
        + (
            ", and the unbiased judgments say which of the two to trust."
            if found.unbiased_judgments
            else ", and without unbiased judgments nobody can say which of the two misleads."
        ),
    )


def advice_on_judgments(found: DataFindings) -> Advice:
    """Say what unbiased judgments show, or that there are none."""
    tau, anti = found.unbiased_agreement, found.unbiased_anti_agreement
    if not found.unbiased_judgments or tau is None or tau != tau:
        return Advice(
            "Unbiased judgments",
            "All values are observed ones: they are measured by ratings that users chose to give.",
            "There are no judgments of items drawn at random. To estimate real values, some users "
            "would have to rate items that are drawn for them (Yahoo! R3 has ten of each of 5,400 "
            "users), given as a second table.",
        )
    by_anti = "" if anti is None or anti != anti else f", {fixed(anti, 2)} by antiP@10"
    text = f"by {found.unbiased_judgments:,} judgments of items that were drawn at random"
    return Advice(
        "Unbiased judgments",
        f"Systems are compared {text}; observed values stand beside them."
        if tau < SAME_ORDER
        else f"Observed values are confirmed {text}.",
        f"Observed and unbiased order of the systems have Kendall's tau {fixed(tau, 2)} by P@10"
        f"{by_anti}.",
    )


def advice_on_reporting(found: DataFindings) -> Advice:
    """Name what a reader needs to compare values with those of other data."""
    sparsity = (
        ""
        if found.sparsity_share is None
        else f" Removing half of the test ratings changes Pop's lead over Random as if "
        f"{as_percent(min(1.0, max(0.0, found.sparsity_share)))} of it were the density of the "
        "test: "
        "values of other data, or of another share of test ratings, are not comparable."
    )
    return Advice(
        "Report",
        f"Reported are the size of the data ({how_many(found.users, 'user')}, "
        f"{how_many(found.items, 'item')}, {how_many(found.ratings, 'rating')}), Random and Pop as "
        "baselines, how many users are averaged, and the seeds.",
        f"The density is {significant(found.density, 2)}, and Random's expected P@10 by all items "
        f"{significant(found.random_all_items)}.{sparsity}",
    )
