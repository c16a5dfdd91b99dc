# SPDX-License-Identifier: MIT
"""The common cut-off, against all cut-offs that there are."""

from __future__ import annotations

import numpy as np
import pytest

from receval.metrics.registry import parse
from receval.sampled_metrics.sampled_candidates import SamplingOdds
from receval.sampled_metrics.sampled_moments import AuditedMoments
from reproduction.studies.followups.sampled_cutoffs import common_cutoffs

POOL = 40


def odds_of(rng: np.random.Generator, depth: int) -> SamplingOdds:
    above = rng.integers(0, depth, 30)
    above[0] = -1
    users = np.zeros(30, dtype=np.int64)
    return SamplingOdds(
        users, np.full(30, 5.0, np.float32), above, users, np.array([POOL]), True, 4.0, 5.0
    )


@pytest.mark.parametrize("sampled", [3, 10, POOL])
def test_no_other_cut_off_is_nearer_to_the_sampled_values(sampled: int) -> None:
    rng = np.random.default_rng(sampled)
    odds = {"a": odds_of(rng, 10), "b": odds_of(rng, 25), "c": odds_of(rng, POOL)}
    metrics = {f"Recall@{k}": parse(f"Recall@{k}") for k in (1, 2)}
    moments = AuditedMoments(odds, metrics, 1, None)
    table = common_cutoffs(moments, sampled)
    assert len(table) == 6
    for metric, own in table.groupby("metric"):
        expected = moments.at(sampled)[0][list(metrics).index(metric)]
        np.testing.assert_allclose(own["expected"], expected)

        def full(cutoff: int) -> np.ndarray:
            ranks = [one.above + 1 for one in odds.values()]
            return np.array([((own > 0) & (own <= cutoff)).mean() for own in ranks])

        losses = [((full(cutoff) - expected) ** 2).sum() for cutoff in range(POOL + 2)]
        best = int(own["common_cutoff"].iloc[0])
        assert losses[best] == pytest.approx(min(losses), abs=1e-14)
        np.testing.assert_allclose(own["at_common"], full(best))
        if sampled == POOL:
            assert best == own["cutoff"].iloc[0]


def test_metrics_that_are_no_steps_have_none() -> None:
    odds = {"a": odds_of(np.random.default_rng(1), 10)}
    moments = AuditedMoments(odds, {"RR": parse("RR")}, 1, None)
    assert common_cutoffs(moments, 3).empty
