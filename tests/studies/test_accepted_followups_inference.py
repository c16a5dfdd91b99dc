# SPDX-License-Identifier: MIT
"""What the accepted results of inference at scale must show by mathematics."""

from __future__ import annotations

import pandas as pd
import pytest
from scipy.stats import binom
from studies.accepted_results import FULL

from receval.statistics.difference_tests import TIES_AT_RANDOM

SYMMETRIC = ("flipped-signs", "matched-users")
CONFIDENCE = 0.99
"""Of all sizes of a population together: accepted results do not change, but with the code."""


def errors_of(population: str, test: str) -> pd.DataFrame:
    table = pd.read_csv(FULL / "followups/inference_errors.csv")
    own = (table["population"] == population) & (table["test"] == test)
    return table[own & (table["metric"] == "all")]


def limits(rows: pd.DataFrame, probability: float) -> tuple[pd.Series, pd.Series]:
    """Return the least and the largest share that chance gives, at all sizes together."""
    tail = (1 - CONFIDENCE) / len(rows) / 2
    tests = rows["tests"]
    low, high = (binom.ppf(end, tests, probability) / tests for end in (tail, 1 - tail))
    return low, high


@pytest.mark.parametrize("population", SYMMETRIC)
def test_the_error_of_the_permutation_test_is_within_its_binomial_interval_at_every_size(
    population: str,
) -> None:
    rows = errors_of(population, TIES_AT_RANDOM)
    assert rows["sampled_users"].tolist() == [50, 100, 200, 500, 1000, 2000, 6040]
    assert (rows["tests"] >= 4500).all()
    low, high = limits(rows, 0.05)
    assert ((low <= rows["error"]) & (rows["error"] <= high)).all()


@pytest.mark.parametrize("population", SYMMETRIC)
def test_the_error_of_the_plain_permutation_test_is_not_above_it(population: str) -> None:
    rows = errors_of(population, "permutation")
    # 51 of 1,024 signs; ties make it reject less.
    _, high = limits(rows, 51 / 1024)
    assert (rows["error"] <= high).all()
    assert (rows["error"] >= 0.04).all()


def test_families_without_a_difference_keep_the_level_when_adjusted() -> None:
    table = pd.read_csv(FULL / "followups/inference_families.csv")
    own = (table["differing"] == "none") & (table["metric"] == "all")
    adjusted = table[own & (table["method"] != "unadjusted")]
    high = binom.ppf(1 - 0.01 / len(adjusted), adjusted["families"], 0.05) / adjusted["families"]
    assert (adjusted["any_false"] <= high).all()
    assert (table.loc[own & (table["method"] == "unadjusted"), "any_false"] > 0.5).all()


def test_more_users_make_more_pairs_significant() -> None:
    table = pd.read_csv(FULL / "followups/inference_effects.csv")
    for test in ("t", "permutation", "bootstrap", "wilcoxon", "sign"):
        shares = table.groupby("sampled_users")[test].mean()
        assert shares.is_monotonic_increasing
