# SPDX-License-Identifier: MIT
"""Relations between metrics that hold on any lists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics.examples import ONE, THRESHOLD, Case, judgments_of, lists_of, random_cases, ranks
from metrics.forms import ALL

from receval.metrics.evaluation import evaluate, evaluated_lists, mean
from receval.metrics.lists import JudgedLists
from receval.metrics.ndcg import NDCG, DiscountedGain
from receval.metrics.registry import parse

SEEDS = st.integers(0, 100_000)
CUTOFFS = st.integers(1, 45)


def measured(lists: JudgedLists, *labels: str) -> np.ndarray:
    return evaluate([parse(label) for label in labels], lists)


@given(seed=SEEDS, cutoff=CUTOFFS)
def test_precision_and_antiprecision_are_what_unjudged_places_leave(seed: int, cutoff: int) -> None:
    lists = lists_of(random_cases(seed))
    for end in (f"@{cutoff}", f"(condensed=true)@{cutoff}", f"(depth=5)@{cutoff}"):
        p, anti, unjudged = measured(lists, f"P{end}", f"antiP{end}", f"Unjudged{end}")
        np.testing.assert_allclose(p + anti, 1 - unjudged, atol=1e-14)


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


@given(seed=SEEDS, cutoff=CUTOFFS)
def test_special_parameters_give_the_simpler_metric(seed: int, cutoff: int) -> None:
    lists = lists_of(random_cases(seed))
    for special, simple in (
        (f"StratifiedRecall(gamma=0)@{cutoff}", f"Recall@{cutoff}"),
        (f"P(depth={cutoff})", f"P(denominator=filled)@{cutoff}"),
        (f"P(denominator=filled)@{cutoff}", f"P(depth={cutoff})"),
        ("nDCG(ideal=all)", "nDCG"),
        ("FilledRanks@1", "UserCoverage"),
        ("Coverage@7", "FilledRanks@7"),
        (f"UserCoverage@{cutoff}", "UserCoverage"),
    ):
        one, other = measured(lists, special, simple)
        np.testing.assert_allclose(one, other, rtol=1e-14, err_msg=special)


@given(seed=SEEDS, cutoff=st.none() | CUTOFFS, form=st.sampled_from(["valcarce", "trec_eval"]))
def test_infap_is_ap_where_every_item_is_judged(seed: int, cutoff: int | None, form: str) -> None:
    end = "" if cutoff is None else f"@{cutoff}"
    inferred, ap = measured(
        lists_of(random_cases(seed)),
        f"infAP(condensed=true,form={form}){end}",
        f"AP(condensed=true){end}",
    )
    np.testing.assert_allclose(inferred, ap, atol=2e-5)


def best_first(cases: list[Case]) -> list[Case]:
    return [
        Case(tuple(sorted(c.ratings, key=lambda item: -c.ratings[item])), c.ratings, c.metadata)
        for c in cases
    ]


@given(seed=SEEDS, cutoff=st.integers(1, 5))
def test_a_list_in_the_ideal_order_scores_1(seed: int, cutoff: int) -> None:
    cases = [case for case in best_first(random_cases(seed)) if len(case.relevant) >= cutoff]
    if not cases:
        return
    labels = ["nDCG", "AP", "bpref", "RR", "Recall", "StratifiedRecall", "RBO", f"RBO@{cutoff}"]
    labels += [f"P@{cutoff}", f"nDCG@{cutoff}", f"nDCG(gain=exp)@{cutoff}"]
    values = measured(lists_of(cases), *labels)
    for label, row in zip(labels, values, strict=True):
        np.testing.assert_allclose(row, 1.0, rtol=1e-12, err_msg=label)


@given(seed=SEEDS, cutoff=st.none() | CUTOFFS, phi=st.sampled_from([0.3, 0.8, 0.99]))
def test_rbp_lies_between_itself_and_itself_plus_its_residual(
    seed: int, cutoff: int | None, phi: float
) -> None:
    end = "" if cutoff is None else f"@{cutoff}"
    lists = lists_of(random_cases(seed))
    low, residual, longer = measured(
        lists, f"RBP(phi={phi}){end}", f"RBPresidual(phi={phi}){end}", f"RBP(phi={phi})"
    )
    assert (residual >= 0).all()
    assert (low + residual <= 1 + 1e-12).all()
    assert (low <= longer + 1e-12).all()
    assert (longer <= low + residual + 1e-12).all()


@given(seed=SEEDS)
@pytest.mark.costly
def test_every_metric_lies_between_0_and_1_on_whole_stars_and_tau_from_minus_1(seed: int) -> None:
    unbounded = {"Hit(form=count)"} | {
        form.label
        for form in ALL
        if (form.name == "RBP" and form.gain not in ("binary", "exp-normalised"))
        # Precisions at all ranks, divided by what may be less than their number; a normalised
        # gain of an item that is not relevant, over what relevant items alone could add.
        or (form.name == "AP" and form.terms == "ranks" and form.denominator != "cutoff")
        or (form.name == "RBP" and form.gain != "binary" and form.denominator == "best")
    }
    # Of GAUC the mean lies there, not what each user adds to it.
    metrics = [m.at(5) for m in ALL if m.label not in unbounded and m.name != "GAUC"]
    values = evaluate(metrics, lists_of(random_cases(seed, step=1.0)))
    for metric, row in zip(metrics, values, strict=True):
        if metric.name == "tau":
            assert row.min() >= -1
        else:
            # Without a bound in the numerator a relevant item may subtract.
            assert row.min() >= 0 or metric.label.startswith("bpref(form=bellogin)"), metric.label
        assert row.max() <= 1 + 1e-12, metric.label


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
