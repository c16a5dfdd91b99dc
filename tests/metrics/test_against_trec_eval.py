# SPDX-License-Identifier: MIT
"""Every metric that trec_eval has, on random runs, against trec_eval."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from each_case import tries
from hypothesis import given
from hypothesis import strategies as st
from metrics.trec_eval_runs import (
    COUNTED,
    CUTOFFS,
    THRESHOLD,
    cut,
    judged_alone,
    lists_of,
    random_run,
    trec_eval,
)
from trec_eval_oracle import pytrec_eval

from receval.metrics.averages import FLOOR, Geometric
from receval.metrics.evaluation import aggregate, evaluate, evaluated_lists
from receval.metrics.lists import JudgedLists
from receval.metrics.registry import parse

SEEDS = st.integers(0, 100_000)
CUT_BY_BOTH = {"P": "P", "Recall": "recall", "nDCG": "ndcg_cut", "AP": "map_cut"}
WHOLE = {
    "P": "set_P",
    "Recall": "set_recall",
    "F1": "set_F",
    "AP": "map",
    "nDCG": "ndcg",
    "RR": "recip_rank",
    "bpref": "bpref",
    "infAP(form=trec_eval)": "infAP",
}
"""Metrics without a cut-off, and trec_eval's measures of the whole run."""


def assert_equal(
    pairs: dict[str, str], lists: JudgedLists, expected: dict[str, np.ndarray]
) -> None:
    """Compare values of all users; a user without a list has 0."""
    values = evaluate([parse(label) for label in pairs], lists)
    for (ours, theirs), row in zip(pairs.items(), values, strict=True):
        reference = np.nan_to_num(expected[theirs], nan=0.0)
        np.testing.assert_allclose(row, reference, atol=1e-12, err_msg=f"{ours}, {theirs}")


def changed(label: str, **parameters: Any) -> str:
    return replace(parse(label), **parameters).label


def with_cutoffs(names: dict[str, str]) -> dict[str, str]:
    return {f"{ours}@{n}": f"{theirs}_{n}" for ours, theirs in names.items() for n in CUTOFFS}


@given(seed=SEEDS, half_stars=st.booleans())
def test_whole_lists_and_every_cutoff_of_trec_eval_equal_trec_eval(
    seed: int, half_stars: bool
) -> None:
    run = random_run(seed, half_stars=half_stars)
    measures = {f"{theirs}.{COUNTED}" for theirs in CUT_BY_BOTH.values()} | set(WHOLE.values())
    pairs = with_cutoffs(CUT_BY_BOTH) | WHOLE | {"nDCG(ideal=all)": "ndcg"}
    assert_equal(pairs, lists_of(run), trec_eval(run, measures))


@given(seed=SEEDS, half_stars=st.booleans(), depth=st.sampled_from(CUTOFFS))
def test_a_depth_equals_trec_eval_on_runs_of_that_depth(
    seed: int, half_stars: bool, depth: int
) -> None:
    run = random_run(seed, half_stars=half_stars)
    expected = trec_eval(cut(run, depth), set(WHOLE.values()))
    pairs = {changed(ours, depth=depth): theirs for ours, theirs in WHOLE.items()}
    assert_equal(pairs, lists_of(run), expected)


@given(seed=SEEDS, cutoff=st.sampled_from(CUTOFFS))
def test_cutoffs_that_trec_eval_does_not_have_equal_it_on_cut_runs(seed: int, cutoff: int) -> None:
    # P, F1 and nDCG change with the cut-off as well as with the depth.
    names = {name: WHOLE[name] for name in ("RR", "bpref", "infAP(form=trec_eval)", "AP", "Recall")}
    run = random_run(seed)
    lists = lists_of(run)
    pairs = {f"{ours}@{cutoff}": theirs for ours, theirs in names.items()}
    assert_equal(pairs, lists, trec_eval(cut(run, cutoff), set(names.values())))
    for ours in names:
        by_cutoff, by_depth = evaluate(
            [parse(f"{ours}@{cutoff}"), parse(changed(ours, depth=cutoff))], lists
        )
        np.testing.assert_array_equal(by_cutoff, by_depth)


GAINS = {
    "exp": lambda rating: 2**rating - 1,
    "exp-normalised": lambda rating: 2 ** (rating - 1) - 1,  # 15 times ours
    "binary": lambda rating: rating >= THRESHOLD,
    "relevant": lambda rating: rating if rating >= THRESHOLD else 0,
    "steps": lambda rating: max(rating - 3, 0),
}
LOSSES = {"binary": lambda rating: rating < THRESHOLD, "steps": lambda rating: max(4 - rating, 0)}


@pytest.mark.parametrize("gain", GAINS)
@tries(15)
@given(seed=SEEDS)
def test_other_gains_equal_trec_eval_on_mapped_judgments(gain: str, seed: int) -> None:
    run = random_run(seed)
    expected = trec_eval(run, {f"ndcg_cut.{COUNTED}", "ndcg"}, GAINS[gain], 1)
    pairs = with_cutoffs({f"nDCG(gain={gain})": "ndcg_cut"}) | {f"nDCG(gain={gain})": "ndcg"}
    assert_equal(pairs, lists_of(run), expected)


@pytest.mark.parametrize("loss", LOSSES)
@tries(15)
@given(seed=SEEDS)
def test_metrics_of_the_disliked_equal_trec_eval_with_judgments_turned_round(
    loss: str, seed: int
) -> None:
    run = random_run(seed)
    measures = {f"ndcg_cut.{COUNTED}", "ndcg", f"P.{COUNTED}", f"recall.{COUNTED}", "recip_rank"}
    expected = trec_eval(run, measures, LOSSES[loss], 1)
    cut_by_both = {f"nDCL(loss={loss})": "ndcg_cut", "antiP": "P", "Fallout": "recall"}
    pairs = with_cutoffs(cut_by_both) | {f"nDCL(loss={loss})": "ndcg", "antiRR": "recip_rank"}
    assert_equal(pairs, lists_of(run), expected)


@given(seed=SEEDS)
def test_condensed_metrics_equal_trec_eval_on_runs_without_unjudged_items(seed: int) -> None:
    run = random_run(seed)
    measures = {f"{theirs}.{COUNTED}" for theirs in CUT_BY_BOTH.values()} | set(WHOLE.values())
    pairs = {
        changed(label, condensed=True): theirs
        for label, theirs in (with_cutoffs(CUT_BY_BOTH) | WHOLE).items()
    }
    assert_equal(pairs, lists_of(run), trec_eval(judged_alone(run), measures))


@given(seed=SEEDS)
def test_geometric_means_equal_trec_evals(seed: int) -> None:
    run = random_run(seed)
    lists = lists_of(run)
    logarithms = trec_eval(run, {"gm_map", "gm_bpref"})
    values = evaluate([parse("AP"), parse("bpref")], lists)
    covered = aggregate(values, lists, Geometric(), "covered")
    everyone = aggregate(values, lists, Geometric(), "tested")
    listed = evaluated_lists(lists, "covered")
    for row, measure in enumerate(("gm_map", "gm_bpref")):
        assert np.isnan(logarithms[measure][~listed]).all()
        theirs = logarithms[measure][listed].tolist()
        expected = pytrec_eval.compute_aggregated_measure(measure, theirs)
        assert covered[row] == pytest.approx(expected, rel=1e-12)
        # trec_eval -c adds the logarithm of the floor for users without a list.
        missing = [np.log(FLOOR)] * int((~listed).sum())
        expected = pytrec_eval.compute_aggregated_measure(measure, theirs + missing)
        assert everyone[row] == pytest.approx(expected, rel=1e-12)
