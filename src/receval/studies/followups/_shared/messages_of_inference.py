# SPDX-License-Identifier: MIT
"""What the figures of inference at scale say."""

from __future__ import annotations

import pandas as pd

from receval.figures.printed_numbers import fixed, significant
from receval.statistics.difference_tests import TIES_AT_RANDOM
from receval.storage.files import real_values
from receval.studies._shared.message import Message
from receval.studies.followups._shared.drawn_differences import ALL, TEST_LEVEL

OF_MEANS = ("t", "permutation", "bootstrap")
"""Tests of the mean difference."""

OF_RANKS = ("wilcoxon", "sign")
"""Tests that see only ranks or signs of differences."""

ALIKE = 0.03
"""Shares of rejected tests that differ by less are about the same."""


def errors_of_tests(results: pd.DataFrame) -> Message:
    """Return the message of errors: tests of ranks reject equal means, more so with more users."""
    together = _together(results)
    users = int(together["sampled_users"].max())
    exact = together[together["population"] != "equal-means"]
    exact = exact[exact["test"] == TIES_AT_RANDOM]
    last = together[
        (together["population"] == "equal-means") & (together["sampled_users"] == users)
    ]
    error, low, high = (last.set_index("test")[name] for name in ("error", "low", "high"))
    inside = ((exact["low"] <= TEST_LEVEL) & (exact["high"] >= TEST_LEVEL)).sum()
    return Message(
        "A line is the share of tests that reject although no system is better: it should lie on "
        "the dashed line, .05.",
        f"Where both systems have the same mean but differences are skewed, Wilcoxon's test "
        f"rejects {fixed(error['wilcoxon'], 2)} and the sign test {fixed(error['sign'], 2)} of the "
        f"tests of {users:,} users, the t, permutation and bootstrap test "
        f"{fixed(error['t'], 3)}, {fixed(error['permutation'], 3)} and "
        f"{fixed(error['bootstrap'], 3)}; where differences are symmetric, .05 is in the interval "
        f"of the permutation test with ties at random in {inside} of {len(exact)} cases.",
        bool(
            min(low[name] for name in OF_RANKS) > max(high[name] for name in OF_MEANS)
            and inside >= 0.8 * len(exact)
        ),
        claim="With many users Wilcoxon's test and the sign test reject equal means much more "
        "often than the t, permutation and bootstrap test.",
    )


def power_of_tests(results: pd.DataFrame) -> Message:
    """Return the message of power: tests of means are alike, and ahead in the end."""
    together = _together(results)
    power = together.pivot_table(
        index=["planted_effect", "sampled_users"], columns="test", values="power"
    )
    spread = power[[*OF_MEANS]].max(axis=1) - power[[*OF_MEANS]].min(axis=1)
    effect, users = power.index[0][0], int(together["sampled_users"].max())
    last = power.loc[(effect, users)]
    return Message(
        "A line is the share of tests that find a planted difference: the higher, the better, as "
        "long as the test does not reject where there is none.",
        f"The t, permutation and bootstrap test never differ by more than "
        f"{fixed(spread.max(), 3)}; with {users:,} users they find the least difference in "
        f"{fixed(last['t'], 2)}, {fixed(last['permutation'], 2)} and {fixed(last['bootstrap'], 2)} "
        f"of the tests, Wilcoxon's in {fixed(last['wilcoxon'], 2)} and the sign test in "
        f"{fixed(last['sign'], 2)}.",
        bool(
            spread.max() <= ALIKE
            and min(last[name] for name in OF_MEANS) > max(last[name] for name in OF_RANKS)
        ),
        claim="The t, permutation and bootstrap test have the same power, and with many users more "
        "than tests of ranks and signs.",
    )


def families_of_pairs(results: pd.DataFrame) -> Message:
    """Return the message of families: adjusting costs little with many users."""
    together = _together(results)
    users = int(together["sampled_users"].max())
    cells = together.set_index(["differing", "sampled_users", "method"])
    unadjusted, holm, stepped = (
        cells.xs(name, level="method") for name in ("unadjusted", "holm", "benjamini-hochberg")
    )
    kept = holm.loc[("all", users), "found"] / unadjusted.loc[("all", users), "found"]
    at_first = int(together["sampled_users"].min())
    first = holm.loc[("all", at_first), "found"] / unadjusted.loc[("all", at_first), "found"]
    false = unadjusted.loc[("none", users), "any_false"]
    adjusted = max(own.loc[("none", users), "any_false"] for own in (holm, stepped))
    shares = stepped.loc["some", "false_share"]
    return Message(
        "A line is the share of families with a false difference, of false ones among those that "
        "are found, or of pairs found, under one method.",
        f"Where no pair differs, {fixed(false, 2)} of the unadjusted families of {users:,} users "
        f"have a significant one, and at most {fixed(adjusted, 2)} of those adjusted by Holm or by "
        f"Benjamini and Hochberg; Holm's method finds {100 * first:.0f} % of what unadjusted tests "
        f"find with {at_first:,} users and {100 * kept:.0f} % with {users:,}.",
        bool(
            false > 0.5
            and adjusted <= 2 * TEST_LEVEL
            and shares.max() <= TEST_LEVEL
            and kept > first
        ),
        claim="Without adjustment most families without a difference have a significant pair, and "
        "with many users adjusting costs little power.",
    )


def effects_of_pairs(results: pd.DataFrame) -> Message:
    """Return the message of effects: with all users nearly every pair differs significantly."""
    shares = results.groupby("sampled_users")["permutation"].mean()
    users, fewest = int(shares.index.max()), int(shares.index.min())
    full = results[results["sampled_users"] == users]
    found = full[full["permutation"] == 1]
    needed = pd.Series(real_values(full["users_needed"])).dropna()
    largest = float(needed.groupby(full["metric"].to_numpy()[needed.index]).max().min())
    return Message(
        "A line is a metric: which share of the pairs of systems is significant, which effects "
        "are, and for which share of the pairs so many users suffice.",
        f"Of all pairs, under all metrics, {fixed(shares[fewest], 2)} differ significantly with "
        f"{fewest:,} users and {fixed(shares[users], 2)} with {users:,}, where a difference of "
        f"{significant(100 * float(found['relative_difference'].min()), 2)} % of the mean, or of "
        f"{fixed(found['effect'].min(), 3)} standard deviations, can be significant; for all pairs "
        f"that differ at all to be found with a probability of .8, the most discriminative metric "
        f"needs {largest:,.0f} users and the least {needed.max():,.0f}.",
        bool(shares.is_monotonic_increasing and shares[users] > 0.9),
        claim="With all users nearly every pair of systems differs significantly, however little.",
    )


def _together(results: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of all metrics together, numbers as numbers."""
    own = results[results["metric"] == ALL].copy()
    for name in {"error", "power", "low", "high", "any_false", "false_share", "found"}:
        if name in own:
            own[name] = real_values(own[name])
    return own
