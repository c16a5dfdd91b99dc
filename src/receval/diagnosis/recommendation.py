# SPDX-License-Identifier: MIT
"""Recommend how to design an experiment with these ratings, in sentences from fixed rules.

The numbers that decide are computed from the tables of a diagnosis.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

from receval.data.ratings import Ratings
from receval.figures.printed_numbers import fixed, significant
from receval.splits.random_splits import ceiling_of_share
from receval.statistics.pairs import system_pairs
from receval.storage.messages import how_many


@dataclass(frozen=True, kw_only=True)
class SplitFindings:
    """Findings on ratings that decide on the split; None is what they do not allow to measure.

    The training ratings of ``own_future`` and the cold users and items, which have no training
    ratings, are those of a random split and of a split of the whole dataset by time.
    """

    testable_users: float  # share of users with a test rating if a fifth of each user's is tested
    own_future: float | None  # share of test ratings with a later training rating of the user
    temporal_cold_users: float | None  # share of the test ratings that are of cold users
    temporal_cold_items: float | None
    temporal_test_users: int | None  # users with training and test ratings

    @property
    def recommended_split(self) -> str:
        """The name of the recommended split, one of :data:`.COMPARED_SPLITS`.

        It is by time if there are timestamps and a random split leaks, otherwise within users.

        ==================================================================  ========================
        data                                                                split
        ==================================================================  ========================
        no timestamps, or hardly any test rating has its user's future in   random, a fifth of each
        train (:data:`MUCH_FUTURE`)                                         user's ratings
        the same, but many users too short for it (:data:`MOST_TESTABLE`)   one rating of each user
        timestamps                                                          by time, of all ratings
        timestamps, but most of the test would be of users without          by time, of each user
        training (:data:`MANY_COLD`) or few users left (:data:`FEW_USERS`)
        ==================================================================  ========================
        """
        if self.own_future is None or self.own_future < MUCH_FUTURE:
            return "leave-out" if self.testable_users < MOST_TESTABLE else "user-ratio"
        cold, left = self.temporal_cold_users, self.temporal_test_users
        is_too_cold = cold is None or left is None or cold > MANY_COLD or left < FEW_USERS
        return "temporal, by user" if is_too_cold else "temporal"


@dataclass(frozen=True, kw_only=True)
class DataFindings(SplitFindings):
    """Findings on ratings that decide on the design of an experiment.

    Shares are between 0 and 1; agreements are Kendall's tau between two orders of systems; None
    means that these ratings do not allow the measurement.
    """

    users: int
    items: int
    ratings: int
    density: float
    item_gini: float  # Gini coefficient of the ratings of items
    threshold: float  # ratings at or above it are relevant
    relevant_share: float
    different_values: int
    random_all_items: float  # expected P@10 of Random under AR AI-AN
    random_one_relevant: float  # the same under 1R TI-NN
    sampled_agreement: float  # orders with all and with sampled candidates
    pop_ratio: float  # Pop's P@10 over Random's, under AR TI-AN
    popularity_share: float | None  # of the logarithm of this ratio, gone with levelled popularity
    sparsity_share: float | None  # how far Pop's lead is proportional to the density of the test
    metrics: tuple[tuple[str, float, float], ...]  # label, sum of p-values, tau with a tenth
    equal_metrics: tuple[tuple[str, str], ...]  # a metric, and one of which it is a multiple
    pairs: int  # of systems, over which p-values are summed
    test_users: int  # who are averaged
    precision: str  # label of the precision of the smallest difference
    smallest_difference: float  # that a paired test with these users finds in four of five cases
    disliked_agreement: float | None  # orders by observed liked and disliked items
    unbiased_judgments: int  # number of judgments of randomly drawn items
    unbiased_agreement: float | None  # orders by observed and unbiased precision
    unbiased_anti_agreement: float | None  # the same for anti-precision


# Rules and reasons for which metrics, tests and judgments to use, and what to report.

MOST_P_VALUE = 0.25
"""Above this mean p-value over all pairs of systems, a metric hardly discriminates."""

PERMUTATIONS = 10_000


@dataclass(frozen=True)
class Advice:
    """One sentence of an experimental section, ready for a paper, and what was measured for it."""

    subject: str
    sentence: str
    reason: str


def as_percent(share: float) -> str:
    """Return a share as per cent with as many digits as a sentence needs.

    Examples
    --------
    >>> as_percent(0.5), as_percent(0.0447), as_percent(0.0001)
    ('50 %', '4.5 %', 'less than .1 %')
    """
    percent = 100 * share
    if 0 < percent < 0.1:
        return "less than .1 %"
    return f"{fixed(percent, 0 if percent >= 10 or percent == 0 else 1)} %"


def advice_on_metrics(found: DataFindings) -> Advice:
    """Recommend the metric with the best ranks in power and robustness together, and a second.

    The two ranks are added; ties go to the more discriminative metric. The second metric is of
    another kind than the first, and not a multiple of it.
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
        f"Over {found.pairs} pairs of systems, the p-values of {best[0]} add up to "
        f"{significant(best[1])}, and with a tenth of the test ratings it keeps the order of the "
        f"systems with Kendall's tau {fixed(best[2], 2)}. Together, these make it the best of "
        f"{len(order)} metrics. The last is {worst[0]} ({significant(worst[1])} and "
        f"{fixed(worst[2], 2)}).",
    )


def metrics_in_order(
    metrics: tuple[tuple[str, float, float], ...],
) -> list[tuple[str, float, float]]:
    """Return metrics from best to worst by the sum of two ranks.

    A metric is its label, its sum of p-values (lower is better) and its Kendall's tau (higher is
    better; NaN is worst).
    """
    powers = [round(power, 3) for _, power, _ in metrics]
    taus = [-1.0 if tau != tau else round(tau, 3) for _, _, tau in metrics]

    def rank_sum(number: int) -> tuple[int, float]:
        better = sum(power < powers[number] for power in powers)
        steadier = sum(tau > taus[number] for tau in taus)
        return better + steadier, powers[number]

    return [metrics[number] for number in sorted(range(len(metrics)), key=rank_sum)]


def advice_on_test(found: DataFindings) -> Advice:
    """Recommend testing all pairs over users, and state the smallest detectable difference."""
    return Advice(
        "Significance",
        f"All pairs of systems are compared by a paired permutation test over users "
        f"({PERMUTATIONS:,} samples, two-sided), with Holm's correction for the number of pairs "
        "and with 95 % intervals of the differences.",
        f"Averages are over {how_many(found.test_users, 'user')}. Given the spread of differences "
        "between the systems tried here, a difference of "
        f"{significant(found.smallest_difference, 2)} in {found.precision} is the smallest that "
        "one test at .05 finds in four of five experiments.",
    )


# Rules and reasons for how to split ratings, which items to rank, and what is relevant.

MUCH_FUTURE = 0.05
"""From this share of test ratings with later training ratings of the user, a random split leaks."""

MANY_COLD = 0.5
"""Above this share of test ratings of users without training ratings, a split of the whole dataset
by time mostly tests systems on unknown users."""

FEW_USERS = 200
"""Below this number of testable users, a split of the whole dataset by time leaves too few."""

MOST_TESTABLE = 0.8
"""If a smaller share of users has enough ratings to test a fifth, one rating per user is tested."""

SAME_ORDER = 0.9
"""From this Kendall's tau on, two orders of systems count as the same."""

MUCH_POPULARITY = 0.25
"""From this share of Pop's ratio due to popularity on, a levelled design is recommended too."""


def advice_on_split(found: DataFindings) -> Advice:
    """Recommend :attr:`SplitFindings.recommended_split`."""
    name = found.recommended_split
    if name in ("user-ratio", "leave-out"):
        why = (
            "there are no timestamps that order ratings, so no split by time can be made, and "
            "leakage cannot be measured"
            if found.own_future is None
            else f"only {as_percent(found.own_future)} of the test ratings have a later training "
            "rating of the same user"
        )
        if name == "leave-out":
            return Advice(
                "Split",
                "One random rating of each user is used for testing and the others for training, "
                "in five repetitions (leave-out).",
                f"{_sentence(why)}. If a fifth of the ratings were used for testing, only "
                f"{as_percent(found.testable_users)} of the users would have a test rating.",
            )
        return Advice(
            "Split",
            "A random fifth of each user's ratings is used for testing and the rest for "
            "training, in five repetitions (user-ratio, train_ratio=0.8, folds=5).",
            f"{_sentence(why)}. With this split, {as_percent(found.testable_users)} of the users "
            "have a test rating.",
        )
    leak = (
        f"Under a random split, {as_percent(found.own_future or 0.0)} of the test ratings are "
        "older than a training rating of the same user"
    )
    cold = found.temporal_cold_users
    left = found.temporal_test_users
    if name == "temporal, by user" or cold is None or left is None:
        measured = (
            "and no split of the whole dataset by time could be made"
            if cold is None or left is None
            else f"and under a split of the whole dataset by time, {as_percent(cold)} of them are "
            f"of users without training ratings, which leaves {how_many(left, 'user')}"
        )
        return Advice(
            "Split",
            "The last fifth of each user's ratings is used for testing and the earlier ones for "
            "training (temporal, scope=user).",
            f"{leak}, {measured}. The future of other users is still in train.",
        )
    items = found.temporal_cold_items or 0.0
    return Advice(
        "Split",
        "The newest fifth of all ratings is used for testing and the earlier ones for training "
        "(temporal, scope=all); users and items without training ratings are counted and reported.",
        f"{leak}; under a split by time, none are. Of the test ratings, {as_percent(cold)} are "
        f"then of users without training ratings and {as_percent(items)} of items without "
        f"training ratings. {how_many(left, 'user')} with training ratings can be tested.",
    )


def advice_on_protocol(found: DataFindings) -> Advice:
    """Recommend ranking all items; the reason says whether samples would keep the order here."""
    same = found.sampled_agreement >= SAME_ORDER
    return Advice(
        "Protocol",
        "Systems rank all items that the user has not rated in train (AR AI-AN); no candidates are "
        "sampled.",
        "With sampled candidates (1R TI-NN), the order of the systems tried here "
        + (
            f"is nearly the same (Kendall's tau {fixed(found.sampled_agreement, 2)}), so sampling "
            "gains nothing, and values are not comparable: "
            if same
            else f"changes (Kendall's tau {fixed(found.sampled_agreement, 2)}), and so do values: "
        )
        + f"Random's expected P@10 is {significant(found.random_all_items)} with all items and "
        f"{significant(found.random_one_relevant)} with samples.",
    )


def advice_on_popularity(found: DataFindings) -> Advice:
    """Recommend a design that levels popularity if much of Pop's lead is due to popularity."""
    share = found.popularity_share
    ratio = f"Pop has {significant(found.pop_ratio)} times the P@10 of Random (AR TI-AN)"
    if share is None:
        return Advice(
            "Popularity",
            "Popularity is a baseline among the systems.",
            f"{ratio}. How much of this is due to popularity cannot be measured, because there is "
            "no lead, or no design that levels popularity.",
        )
    if share < MUCH_POPULARITY:
        return Advice(
            "Popularity",
            "Popularity is a baseline among the systems.",
            f"{ratio}. Levelling popularity removes only {as_percent(max(share, 0.0))} of this "
            "factor on a logarithmic scale, so other designs would add little.",
        )
    return Advice(
        "Popularity",
        "Results are also reported with popularity levelled (1R on a uniform test, or P1R), with "
        "popularity as a baseline in both.",
        f"{ratio}. On a logarithmic scale, {as_percent(min(share, 1.0))} of this factor "
        "disappears when all target items have the same number of test ratings. This part of "
        "the lead only rewards recommending popular items. The Gini coefficient of items is "
        f"{fixed(found.item_gini, 2)}.",
    )


def advice_on_relevance(found: DataFindings) -> Advice:
    """State the relevance threshold, and how many ratings are relevant."""
    if found.different_values == 1:
        return Advice(
            "Relevance",
            "All test ratings are relevant.",
            "All ratings have the same value, so liked items cannot be told from disliked ones.",
        )
    return Advice(
        "Relevance",
        f"Test ratings of {found.threshold:g} or more are relevant.",
        f"{as_percent(found.relevant_share)} of the ratings are relevant, and there are "
        f"{found.different_values} different values. The other ratings are judged but not "
        "relevant."
        if found.relevant_share < 1
        else "All ratings are relevant.",
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def advice_on_disliked_items(found: DataFindings) -> Advice | None:
    """Recommend a metric of disliked items, with a warning, if it orders systems differently."""
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
        "Recommendations of disliked items are reported (antiP@10) but do not decide which system "
        "is better.",
        f"antiP@10 orders the systems differently from P@10 (Kendall's tau {fixed(tau, 2)}). "
        "Popular items collect ratings from users who like them and from users who do not. "
        + (
            "The unbiased judgments show which of the two metrics to trust."
            if found.unbiased_judgments
            else "Without unbiased judgments, nobody can say which of the two metrics misleads."
        ),
    )


def advice_on_judgments(found: DataFindings) -> Advice:
    """State what unbiased judgments show, or that there are none."""
    tau, anti = found.unbiased_agreement, found.unbiased_anti_agreement
    if (n_judgments := found.unbiased_judgments) and (tau is None or tau != tau):
        return Advice(
            "Unbiased judgments",
            "All values are observed values: the unbiased judgments do not order the systems.",
            f"By the {how_many(n_judgments, 'judgment')} of items drawn at random, all systems "
            "have the same P@10. More of them, or other ones, are needed.",
        )
    if not found.unbiased_judgments or tau is None or tau != tau:
        return Advice(
            "Unbiased judgments",
            "All values are observed values: they are measured with ratings that users chose to "
            "give.",
            "There are no judgments of items drawn at random. To estimate real values, some users "
            "would have to rate items that are drawn for them (Yahoo! R3 has ten of each of 5,400 "
            "users). Give such ratings as a second table.",
        )
    by_anti = "" if anti is None or anti != anti else f" and {fixed(anti, 2)} by antiP@10"
    text = f"by {found.unbiased_judgments:,} judgments of items that were drawn at random"
    return Advice(
        "Unbiased judgments",
        f"Systems are compared {text}; observed values are reported beside them."
        if tau < SAME_ORDER
        else f"Observed values are confirmed {text}.",
        f"The observed and the unbiased order of the systems have Kendall's tau {fixed(tau, 2)} "
        f"by P@10{by_anti}.",
    )


def advice_on_reporting(found: DataFindings) -> Advice:
    """State what readers need to compare values with those on other data."""
    sparsity = (
        ""
        if found.sparsity_share is None
        else " Removing half of the test ratings changes Pop's lead over Random as if "
        f"{as_percent(min(1.0, max(0.0, found.sparsity_share)))} of it were due to the density of "
        "the test. Values on other data, or with another share of test ratings, are not "
        "comparable."
    )
    return Advice(
        "Report",
        "The following are reported: the size of the data "
        f"({how_many(found.users, 'user')}, {how_many(found.items, 'item')}, "
        f"{how_many(found.ratings, 'rating')}), Random and Pop as baselines, the number of users "
        "averaged, and the seeds.",
        f"The density is {significant(found.density, 2)}, and Random's expected P@10 with all "
        f"items is {significant(found.random_all_items)}.{sparsity}",
    )


def recommendation(found: DataFindings) -> list[Advice]:
    """Return the recommended experimental section, sentence by sentence.

    It is on data, split, protocol, popularity, relevance, metrics, test, judgments and what else to
    report. Subjects that do not apply are left out.
    """
    rules: tuple[Callable[[DataFindings], Advice | None], ...] = (
        advice_on_split,
        advice_on_protocol,
        advice_on_popularity,
        advice_on_relevance,
        advice_on_metrics,
        advice_on_test,
        advice_on_disliked_items,
        advice_on_judgments,
        advice_on_reporting,
    )
    return [advice for rule in rules if (advice := rule(found)) is not None]


LEVEL, POWER = 0.05, 0.8


def share_of_testable_users(ratings: Ratings) -> float:
    """Return the share of users with a test rating if a fifth of each user's ratings is tested."""
    sizes = np.bincount(ratings.users, minlength=ratings.n_users)
    return float(np.mean(sizes > ceiling_of_share(sizes, 0.8)))


def split_findings(
    ratings: Ratings, cold: pd.DataFrame, future: pd.DataFrame | None
) -> SplitFindings:
    """Return the numbers that decide on the split, from tables of cold start and leakage."""
    cold = cold.set_index("split")
    random = "user-ratio" if "user-ratio" in cold.index else "random-ratio"
    own_future = None
    if future is not None and {random, "temporal, by user"}.issubset(future["split"]):
        # If equal timestamps leave most of the order to chance, no split by time was made.
        own_future = float(future.set_index("split").loc[random, "own_future"])
    if "temporal" not in cold.index:
        by_time: dict[str, Any] = dict.fromkeys(
            ("temporal_cold_users", "temporal_cold_items", "temporal_test_users")
        )
    else:
        row = cold.loc["temporal"]
        by_time = {
            "temporal_cold_users": float(row["cold_user_share"]),
            "temporal_cold_items": float(row["cold_item_share"]),
            "temporal_test_users": int(row["test_users"] - row["cold_users"]),
        }
    testable = share_of_testable_users(ratings)
    return SplitFindings(testable_users=testable, own_future=own_future, **by_time)


def smallest_difference(values: np.ndarray, n_users: int | None = None) -> float:
    r"""Return the difference of means that a paired test detects in four of five experiments.

    .. math:: (z_{1 - \alpha / 2} + z_{1 - \beta})\, s / \sqrt n

    Here :math:`s` is the standard deviation of the users' differences (the median over pairs of
    systems), :math:`\alpha = .05` two-sided and :math:`1 - \beta = .8`. By default, n is the number
    of users with values. This is the normal approximation (Sakai 2018, "Laboratory experiments in
    information retrieval", chapter 6, on sample sizes).

    Examples
    --------
    Equal numbers of differences of 1 and -1 have a standard deviation of nearly 1:

    >>> values = np.array([[1.0, 0.0] * 200, [0.0, 1.0] * 200])
    >>> round(smallest_difference(values), 3)
    0.14
    """
    first, second = system_pairs(len(values))
    if not len(first) or values.shape[1] < 2:
        return float("nan")
    spreads = np.std(values[first] - values[second], axis=1, ddof=1)
    factor = ndtri(1 - LEVEL / 2) + ndtri(POWER)
    return float(factor * np.median(spreads) / np.sqrt(n_users or values.shape[1]))


def data_findings(
    ratings: Ratings,
    threshold: float,
    splits: SplitFindings,
    tables: Mapping[str, Any],
    *,
    unbiased_judgments: int,
    differences: np.ndarray,
    sampled_agreement: float,
) -> DataFindings:
    """Return the numbers that decide on the design of an experiment with these ratings.

    The tables are those of a :class:`.Diagnosis`; ``differences`` are the values of users under
    the shallow precision, shape (n_systems, n_users).
    """
    size = tables["size"].set_index("quantity")["value"]
    designs = tables["designs"].set_index("design")
    shares, metrics = tables["shares"], tables["metrics"]
    cold = tables["cold"].set_index("split")
    test_users = int(cold.loc[splits.recommended_split, "test_users"])
    return DataFindings(
        **asdict(splits),
        users=ratings.n_users,
        items=ratings.n_items,
        ratings=len(ratings),
        density=float(size["density"]),
        item_gini=float(size["item_gini"]),
        threshold=threshold,
        relevant_share=float(size["relevant_share"]),
        different_values=int(size["different_values"]),
        random_all_items=float(designs.loc["AR AI-AN", "random_expected"]),
        random_one_relevant=float(designs.loc["1R TI-NN", "random_expected"]),
        sampled_agreement=sampled_agreement,
        pop_ratio=float(designs.loc["AR TI-AN", "ratio"]),
        popularity_share=_first(shares["popularity_share"]),
        sparsity_share=_first(shares["sparsity_share"][shares["design"].str.startswith("AR")]),
        metrics=tuple(zip(metrics["metric"], metrics["p_value_sum"], metrics["tau"], strict=True)),
        equal_metrics=tuple(
            (metric, other)
            for metric, other in zip(metrics["metric"], metrics["same_as"], strict=True)
            if metric != other
        ),
        pairs=int(metrics["pairs"].iloc[0]),
        test_users=test_users,
        precision=str(metrics["metric"].iloc[0]),
        smallest_difference=smallest_difference(differences, test_users),
        disliked_agreement=_tau(tables["agreement"], "liked with disliked, observed", "P@10"),
        unbiased_judgments=unbiased_judgments,
        unbiased_agreement=_tau(tables["agreement"], "observed with unbiased", "P@10"),
        unbiased_anti_agreement=_tau(tables["agreement"], "observed with unbiased", "antiP@10"),
    )


def _tau(agreement: pd.DataFrame | None, comparison: str, metric: str) -> float | None:
    if agreement is None:
        return None
    is_wanted = (agreement["comparison"] == comparison) & (agreement["metric"] == metric)
    return _first(agreement["tau"][is_wanted])


def _first(values: pd.Series) -> float | None:
    """Return the first value that is there."""
    there = values.dropna()
    return float(there.iloc[0]) if len(there) else None
