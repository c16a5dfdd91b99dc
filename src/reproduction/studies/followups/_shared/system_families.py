# SPDX-License-Identifier: MIT
"""Families of all pairs of systems, some of them without a difference, under several methods."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reproduction.studies.followups._shared.drawn_differences import TEST_LEVEL

SETTINGS = {"none": 1, "some": 3, "all": None}
"""By what share of the pairs differs: groups of systems that users' values are exchanged within,
or None for no exchange."""

QUICK = ("unadjusted", "holm", "benjamini-hochberg", "tukey")
"""Methods by t-tests, and Tukey's."""

SLOW = ("wilcoxon-benjamini-hochberg", "randomised-tukey")
"""Methods that sort differences or permute users."""

METHODS = (*QUICK, *SLOW)


def groups_by_mean(values: NDArray[np.float64], groups: int | None) -> NDArray[np.intp]:
    """Return the group of each system: neighbours by their means, in groups of similar size."""
    n_systems = len(values)
    ranks = np.argsort(np.argsort(-values.mean(axis=1), kind="stable"), kind="stable")
    return ranks * (n_systems if groups is None else groups) // n_systems


def drawn_family(
    values: NDArray[np.float64],
    groups: NDArray[np.intp],
    n_users: int,
    generator: np.random.Generator,
) -> NDArray[np.float64]:
    """Draw users with replacement and exchange the values of each at random within the groups.

    Systems of one group then differ by chance alone.
    """
    users = generator.integers(0, values.shape[1], n_users)
    found = values[:, users]
    for group in range(int(groups.max()) + 1):
        members = np.flatnonzero(groups == group)
        if len(members) > 1:
            found[members] = generator.permuted(found[members], axis=0)
    return found


@dataclass(frozen=True)
class FamilyOutcome:
    """What a method finds in one family."""

    false: int
    """Rejected pairs of systems of one group."""
    true: int
    """Rejected pairs of systems of two groups."""

    @property
    def false_share(self) -> float:
        """Return the share of false ones among the rejected pairs; 0 if there are none."""
        return self.false / max(self.false + self.true, 1)


def rejected_pairs(
    family: NDArray[np.float64], seed: np.random.SeedSequence, *, slow: bool, permutations: int
) -> dict[str, NDArray[np.bool_]]:
    """Return which pairs of systems each method rejects, shape (n_pairs,), by its name."""
    from receval.metrics.averages import MEAN_DECIMALS
    from receval.statistics.multiple_comparisons import benjamini_hochberg, holm
    from receval.statistics.pair_moments import t_test_by_moments
    from receval.statistics.paired_tests import wilcoxon_test
    from receval.statistics.pairs import system_pairs
    from receval.statistics.tukey import honestly_significant_differences, randomised_tukey_hsd

    p_values = t_test_by_moments(family)
    means = family.mean(axis=1)
    first, second = system_pairs(len(family))
    distances = np.abs(means[first] - means[second])
    found = {
        "unadjusted": p_values <= TEST_LEVEL,
        "holm": holm(p_values) <= TEST_LEVEL,
        "benjamini-hochberg": benjamini_hochberg(p_values) <= TEST_LEVEL,
        "tukey": (distances > 0)
        & (distances >= honestly_significant_differences(family, TEST_LEVEL)),
    }
    if slow:
        signed_ranks = wilcoxon_test(family, decimals=MEAN_DECIMALS)
        randomised = randomised_tukey_hsd(family, samples=permutations, seed=seed)
        found["wilcoxon-benjamini-hochberg"] = benjamini_hochberg(signed_ranks) <= TEST_LEVEL
        found["randomised-tukey"] = randomised <= TEST_LEVEL
    return found


def outcome_of_family(rejected: NDArray[np.bool_], same_group: NDArray[np.bool_]) -> FamilyOutcome:
    """Return how many of the rejected pairs are false, and how many true."""
    return FamilyOutcome(int((rejected & same_group).sum()), int((rejected & ~same_group).sum()))
