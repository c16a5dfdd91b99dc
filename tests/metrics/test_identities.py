# SPDX-License-Identifier: MIT
"""Relations between metrics that hold on any lists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics.examples import ONE, THRESHOLD, Case, judgments_of, lists_of, random_cases, ranks

from receval.metrics.evaluation import evaluate, evaluated_lists, mean
from receval.metrics.lists import JudgedLists
from receval.metrics.ndcg import NDCG, DiscountedGain
from receval.metrics.registry import parse

SEEDS = st.integers(0, 100_000)
CUTOFFS = st.integers(1, 45)


def measured(lists: JudgedLists, *labels: str) -> np.ndarray:
    return evaluate([parse(label) for label in labels], lists)


@pytest.mark.costly
@given(seed=SEEDS, cutoff=st.none() | CUTOFFS)
def test_under_1r_metrics_of_one_relevant_item_coincide(seed: int, cutoff: int | None) -> None:
    judgments = judgments_of(random_cases(seed))
    found = np.random.default_rng(seed).integers(0, 21, len(judgments))
    found[judgments.values < THRESHOLD] = 0
    lists = JudgedLists.of(judgments, ranks(found.tolist(), [20] * 7), THRESHOLD, ONE)
    end = "" if cutoff is None else f"@{cutoff}"
    ap, rr, recall = measured(lists, f"AP{end}", f"RR{end}", f"Recall{end}")
    np.testing.assert_array_equal(ap, rr)
    np.testing.assert_array_equal(recall, rr > 0)
    if cutoff is not None:
        (p,) = measured(lists, f"P{end}")
        np.testing.assert_allclose(p, recall / cutoff)


def best_first(cases: list[Case]) -> list[Case]:
    return [
        Case(tuple(sorted(c.ratings, key=lambda item: -c.ratings[item])), c.ratings, c.metadata)
        for c in cases
    ]


@given(seed=SEEDS)
def test_the_full_average_is_the_covered_one_times_the_covered_share(seed: int) -> None:
    lists = lists_of(random_cases(seed))
    values = measured(lists, "P@10", "nDCG@10", "AP", "ERR")
    tested, covered = (evaluated_lists(lists, who) for who in ("tested", "covered"))
    if not covered.any():
        return
    share = covered.sum() / tested.sum()
    full, reduced = mean(values, lists, "tested"), mean(values, lists, "covered")
    np.testing.assert_allclose(full, share * reduced, rtol=1e-12)


@pytest.mark.parametrize("gain", ["rating", "binary", "exp"])
@given(seed=SEEDS, cutoff=st.none() | CUTOFFS)
def test_dcg_is_ndcg_times_that_of_the_best_list(gain: str, seed: int, cutoff: int | None) -> None:
    cases = random_cases(seed)
    metrics = [kind(gain=gain, cutoff=cutoff) for kind in (DiscountedGain, NDCG)]
    plain, normalised = evaluate(metrics, lists_of(cases))
    best = evaluate(metrics[:1], lists_of(best_first(cases)))[0]
    np.testing.assert_allclose(plain, normalised * best, rtol=1e-12)
