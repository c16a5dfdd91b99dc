"""A configuration in words, as they could stand in a paper's experimental section."""

from __future__ import annotations

from receval.config.decisions import Configuration, MetricDecision
from receval.config.splits import DataSelection


def describe(configuration: Configuration, threshold: float = 4.0) -> str:
    """Return one sentence that says all that was decided.

    Parameters
    ----------
    configuration : Configuration
    threshold : float
        Ratings at or above it are relevant.

    Returns
    -------
    str
        From data selection to the statistical test, in the order of canamares2020, section 3.

    Examples
    --------
    >>> from receval.protocols import Configuration, describe
    >>> print(describe(Configuration()))
    We use all ratings, put each into Train with probability 0.5 and otherwise into Test, leave out
    users without training ratings, ...
    """
    clauses = [
        f"use {_selected(configuration.selection)}",
        _split(configuration),
        {
            "trained": "leave out users without training ratings",
            "all": "keep users without training ratings",
        }[configuration.users],
        {
            "none": "do not rank items that a system cannot score",
            "random": "rank items that a system cannot score behind the others in random order",
            "popularity": (
                "rank items that a system cannot score behind the others by their number of "
                "training ratings"
            ),
            "average": (
                "rank items that a system cannot score behind the others by their average "
                "training rating"
            ),
        }[configuration.non_computable],
        {
            "full": (
                "rank all items outside the user's training ratings and count unrated ones as "
                "non-relevant"
            ),
            "condensed": "condense the rankings to the user's test items",
        }[configuration.lists],
        f"measure {_metric(configuration.metric, threshold)}",
        _average(configuration),
        f"compare systems by {_test(configuration)}",
    ]
    return f"We {', '.join(clauses[:-1])}, and {clauses[-1]}."


def _selected(selection: DataSelection) -> str:
    if selection == DataSelection():
        return "all ratings"
    words = "the ratings"
    if selection.share is not None:
        words = f"a random {100 * selection.share:g}% of the ratings"
    limits = []
    if selection.head_removed is not None:
        limits.append(f"without the {100 * selection.head_removed:g}% most rated items")
    fewest = [
        f"{side}s with at least {number} ratings"
        for side, number in (
            ("user", selection.min_user_ratings),
            ("item", selection.min_item_ratings),
        )
        if number > 1
    ]
    if fewest:
        limits.append(f"of {' and '.join(fewest)}")
    return " ".join([words, *limits])


def _split(configuration: Configuration) -> str:
    share = configuration.split.train_share
    if configuration.split.kind == "random":
        return f"put each into Train with probability {share:g} and otherwise into Test"
    return f"put a random {100 * share:g}% of each user's ratings into Train and the rest into Test"


def _metric(metric: MetricDecision, threshold: float) -> str:
    name = metric.name + (f"@{metric.depth}" if metric.depth else "")
    relevant = f"ratings of at least {threshold:g}"
    gain = {
        "g1": f"gain 1 for {relevant} and 0 for others",
        "g2": "gain (2^(r-1) - 1) / (2^(r_max-1) - 1) for a rating r",
        None: "",
    }[metric.gain]
    going_on = f"phi = {metric.phi:g}" if metric.phi is not None else ""
    if metric.name == "P":
        return f"{name} with {relevant} as relevant"
    if metric.name == "tau":
        return f"Kendall's {name} with the order of the test ratings"
    if metric.name == "RBO":
        return f"{name} ({going_on}) with the order of the test ratings"
    details = " and ".join(word for word in (gain, going_on) if word)
    return f"{name} with {details}"


def _average(configuration: Configuration) -> str:
    words = {
        "mean": "take its mean",
        "median": "take its median",
        "test-weighted": "take its mean weighted by the users' numbers of test ratings",
        "positive-weighted": (
            "take its mean weighted by the users' numbers of relevant test ratings"
        ),
        "geometric": "take its epsilon-adjusted geometric mean",
    }[configuration.aggregation]
    if configuration.coverage == "reduced":
        return f"{words} over the users who get a recommendation"
    return f"{words} over all users with test ratings, 0 for those without a recommendation"


def _test(configuration: Configuration) -> str:
    inner = {"geometric": "t-test of the logarithms", "median": "sign test"}
    return {
        "t": "a two-tailed paired t-test over users",
        "t-log": "a two-tailed paired t-test of the logarithms over users",
        "sign": "a two-tailed sign test over users",
        "wilcoxon": "Wilcoxon's signed-rank test over users",
        "bootstrap": (
            "the share of bootstrap samples of users in which a two-tailed paired "
            f"{inner.get(configuration.aggregation, 't-test')} rejects at .05"
        ),
    }[configuration.test]
