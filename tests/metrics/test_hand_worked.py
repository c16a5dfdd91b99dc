# SPDX-License-Identifier: MIT
"""Values worked by hand: the example of examples.py, and the cases that it does not have."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest
from metrics.examples import METADATA, THRESHOLD, example, lists_of, one_user, random_cases, ranks

from receval.metrics.evaluation import evaluate
from receval.metrics.lists import JudgedLists
from receval.metrics.registry import METRICS, parse
from receval.protocols.protocol import Protocol
from receval.splits.split import Judgments

IDEAL_AT_4 = 5 + 4 / log2(3) + 4 / log2(4) + 2 / log2(5)
DCG_AT_4 = 5 + 2 / log2(3) + 4 / log2(5)
EPSILON = 1e-5


@pytest.mark.each(
    ("label", "expected"),
    [
        ("P@1", 1.0),
        ("P@3", 1 / 3),
        ("P@4", 2 / 4),
        ("P@20", 2 / 20),
        ("P(denominator=filled)@20", 2 / 8),
        ("P", 2 / 8),
        ("P(condensed=true)@3", 2 / 3),
        ("P(condensed=true,denominator=filled)@5", 2 / 4),
        ("P(depth=3)@4", 1 / 4),
        ("P(depth=3)", 1 / 3),
        ("P(condensed=true,depth=2)@3", 1 / 3),
        ("antiP@2", 1 / 2),
        ("antiP@7", 2 / 7),
        ("antiP(condensed=true)@4", 2 / 4),
        ("antiP(condensed=true,denominator=filled)@9", 2 / 4),
        ("Recall@4", 2 / 3),
        ("Fallout@6", 1 / 2),
        ("Fallout", 1.0),
        # 16, 4 and 1 positive ratings: weights of 1/4, 1/2 and 1.
        ("StratifiedRecall@1", (1 / 4) / (7 / 4)),
        ("StratifiedRecall@4", (3 / 4) / (7 / 4)),
        ("StratifiedRecall(gamma=inf)@4", (5 / 16) / (21 / 16)),
        ("StratifiedRecall(gamma=0)@4", 2 / 3),
        # P = 1/2 and Recall = 2/3; P = 1/4 and Recall = 2/3.
        ("F1@4", 4 / 7),
        ("F1", 4 / 11),
        ("F1@20", 4 / 23),
        ("AP@3", 1 / 3),
        ("AP@4", (1 + 2 / 4) / 3),
        ("RR@4", 1.0),
        ("antiRR@1", 0.0),
        ("antiRR@2", 1 / 2),
        ("antiRR", 1 / 2),
        ("FilledRanks@4", 1.0),
        ("FilledRanks@16", 0.5),
        ("FilledRanks(depth=3)@4", 3 / 4),
        ("UserCoverage", 1.0),
        ("Unjudged@4", 1 / 4),
        ("Unjudged@16", 12 / 16),
        ("Unjudged", 4 / 8),
        ("AverageRecall@4", (1 / 3 + 1 / 3 + 1 / 3 + 2 / 3) / 4),
        ("AverageRecall(terms=hits)@4", (1 / 3 + 2 / 3) / 3),
        ("AverageRecall(terms=hits)@2", (1 / 3) / 2),
        ("DCG@4", DCG_AT_4),
        ("DCG(discount=log-after-2)@4", 5 + 2 + 4 / 2),
        ("nDCG(discount=reciprocal)@4", (5 + 2 / 2 + 4 / 4) / (5 + 4 / 2 + 4 / 3 + 2 / 4)),
        ("nDCG@4", DCG_AT_4 / IDEAL_AT_4),
        ("nDCG(ideal=all)@4", DCG_AT_4 / (IDEAL_AT_4 + 1 / log2(6))),
        ("nDCG(gain=binary)@2", 1 / (1 + 1 / log2(3))),
        ("nDCG(gain=exp)@2", (31 + 3 / log2(3)) / (31 + 15 / log2(3))),
        ("nDCG(gain=exp-normalised)@2", (15 + 1 / log2(3)) / (15 + 7 / log2(3))),
        ("nDCG(gain=relevant)@2", 5 / (5 + 4 / log2(3))),
        ("nDCG(gain=steps)@2", 2 / (2 + 1 / log2(3))),
        # 5 stars stay 5, and 4 become 2.
        ("nDCG(gain=cm100k)@2", 5 / (5 + 2 / log2(3))),
        # 2 stars lose 2, 1 star loses 3.
        ("nDCL@1", 0.0),
        ("nDCL@2", (2 / log2(3)) / (3 + 2 / log2(3))),
        ("nDCL@7", (2 / log2(3) + 3 / 3) / (3 + 2 / log2(3))),
        ("nDCL(loss=cm100k)@2", (1 / log2(3)) / (2 + 1 / log2(3))),
        ("nDCL(loss=binary)@2", (1 / log2(3)) / (1 + 1 / log2(3))),
        # 5, 2, 4 and 1 stars satisfy with 31/32, 3/32, 15/32 and 1/32.
        ("ERR@1", 31 / 32),
        ("ERR@2", 31 / 32 + 1 / 32 * 3 / 32 / 2),
        ("ERR@4", 31 / 32 + 1 / 32 * (3 / 32 / 2 + 29 / 32 * 15 / 32 / 4)),
        ("ERR", 31 / 32 + 1 / 32 * (3 / 32 / 2 + 29 / 32 * (15 / 32 / 4 + 17 / 32 * 1 / 32 / 7))),
        # One of two items judged non-relevant is above the second of three relevant ones.
        ("bpref@1", 1 / 3),
        ("bpref", (1 + (1 - 1 / 2)) / 3),
        ("infAP@4", (1 + 1 / 4 + 3 / 4 * (1 + EPSILON) / (2 + 2 * EPSILON)) / 3),
        ("infAP(form=trec_eval)@4", (1 + 1 / 4 + 3 / 4 * (2 / 3) * (1 / 2)) / 3),
        ("infAP(form=bellogin)@4", (1 + 1 / 4 + 3 / 4 * (2 / 3) * (2 / 3)) / 3),
        ("RBP(phi=0.5)@4", 0.5 * (1 + 1 / 8)),
        ("RBP(gain=rating,phi=0.5)@4", 0.5 * (5 + 2 / 2 + 4 / 8)),
        # Ranks 1, 2, 4 are judged; without a cut-off also rank 7.
        ("RBPresidual(phi=0.5)@4", 1 - 0.5 * (1 + 1 / 2 + 1 / 8)),
        ("RBPresidual(phi=0.5)", 1 - 0.5 * (1 + 1 / 2 + 1 / 8 + 1 / 64)),
        # 5, 2, 4, 1 stars against 5, 4, 2, 1: the agreement is 1, 1/2, 1, 1.
        ("RBO(condensed=true,phi=0.5)@2", 1 / 2 + 1 / 4 * 1 / 2 + 1 / 4 * 1 / 2),
        ("RBO(condensed=true,phi=0.5)", 1 / 2 + 1 / 4 * 1 / 2 + 1 / 8 + 1 / 16 + 1 / 16),
        # 5, 2, 4, 1 stars: only 2 above 4 is the wrong way; the full list has rank 3 empty.
        ("tau(condensed=true)@1", 0.0),
        ("tau(condensed=true)@2", 1.0),
        ("tau(condensed=true)@3", (2 - 1) / 3),
        ("tau(condensed=true)", (5 - 1) / 6),
        ("tau@3", 1.0),
        ("tau@6", (2 - 1) / 3),
        ("tau", (5 - 1) / 6),
        ("tau(condensed=true,depth=3)@4", 1.0),
    ],
)
def test_hand_worked_values(label: str, expected: float) -> None:
    assert evaluate([parse(label)], example())[0, 0] == pytest.approx(expected, rel=1e-14)


def test_a_list_without_judged_items_scores_0_unless_it_measures_what_is_unknown() -> None:
    values = evaluate([parse(f"{name}@5") for name in METRICS], example())
    for name, (_, not_ranked, nothing_judged) in zip(METRICS, values, strict=True):
        if name in ("GAUC", "PercentileRank"):
            continue  # A list without anything relevant has the weight 0.
        assert not_ranked == nothing_judged == parse(name).missing, name


@pytest.mark.each("name", ["PercentileRank", "Unjudged", "RBPresidual", "Accuracy", "AP"])
def test_a_missing_list_of_a_user_with_relevant_items_has_the_value_that_notes_tell(
    name: str,
) -> None:
    missing = one_user([5, 1], [0, 0], 0)
    assert evaluate([parse(name)], missing)[0, 0] == parse(name).missing


def test_err_of_numbers_of_plays_does_not_overflow() -> None:
    metadata = type(METADATA)(5000.0, np.ones(2, dtype=np.int64))
    values = evaluate([parse("ERR")], one_user([5000, 4999], [2, 1], 5, metadata))
    assert values[0, 0] == pytest.approx(1 / 2 + 1 / 2 * 1 / 2)


# Two relevant items and two others in the order o r o r: of four pairs, one is in order.
@pytest.mark.each(
    ("label", "expected"),
    [
        ("AUC", 1 / 4),
        ("AUC@2", 1 / 4),
        ("AUC@1", 0.0),
        ("AUC(denominator=reachable)@1", 0.0),
        ("AUC(others=one-more)", (2 / 3 + 1 / 3) / 2),
        # The first has one of two others above, the last both: log(2) / log(10) and 0.
        ("logAUC(least=0.1)", np.log10(2) / 2),
        ("PartialAUC@1", 0.0),
        ("PartialAUC@3", (2 / 3 + 1 / 3) / 2),
        ("PartialAUC(relevant=first)@1", 0.0),
        ("PartialAUC(relevant=first)@2", (1 / 2 + 0) / 2),
        ("ListAUC@3", 1 / 2),
        ("ListAUC@1", 0.0),
        ("PercentileRank", (1 / 3 + 3 / 3) / 2),
        ("PercentileRank(denominator=items)", (1 / 4 + 3 / 4) / 2),
        ("PercentileRank@2", (1 / 3 + 1) / 2),
        ("Accuracy@2", 2 / 4),
        ("MCC@3", (1 * 0 - 2 * 1) / np.sqrt(3 * 2 * 2 * 1)),
    ],
)
def test_areas_under_curves_of_a_list_of_four(label: str, expected: float) -> None:
    lists = one_user([5, 5], [2, 4], 4)
    assert evaluate([parse(label)], lists)[0, 0] == pytest.approx(expected, rel=1e-14)


@pytest.mark.each(
    ("label", "expected"),
    [
        # Of user 0, 1 of 2 pairs is in order, of user 1 all; users 2 and 3 have no pairs.
        ("GAUC", (3 * 0.5 + 2 * 1) / (3 + 2)),
        ("GAUC(weight=relevant)", (1 * 0.5 + 2 * 1) / (1 + 2)),
        ("GAUC(weight=equal)", 0.75),
        # Of the judged items alone, users 0 and 1 have one pair and none.
        ("GAUC(condensed=true)", 0.5),
    ],
)
def test_weighted_areas_leave_out_users_without_pairs(label: str, expected: float) -> None:
    judgments = Judgments.from_pairs(
        [0, 0, 0, 1, 1, 2, 3], [1, 2, 3, 1, 2, 1, 1], [5, 1, 1, 5, 5, 1, 5], n_users=4
    )
    found = ranks([2, 1, 3, 1, 2, 1, 1], [3, 3, 3, 1])
    lists = JudgedLists.of(judgments, found, THRESHOLD, Protocol())
    values = evaluate([parse(label)], lists)
    assert values.mean() == pytest.approx(expected, rel=1e-14)


@pytest.mark.each(
    ("label", "wanted"),
    [
        ("FilledRanks", "FilledRanks@10"),
        ("ERR", "highest rating"),
        ("nDCG(gain=exp-normalised)", "highest rating"),
        ("RBP(gain=exp-normalised)", "highest rating"),
        ("StratifiedRecall", "positive ratings"),
    ],
)
def test_a_metric_that_lacks_what_it_needs_says_so(label: str, wanted: str) -> None:
    with pytest.raises(ValueError, match=wanted):
        evaluate([parse(label)], one_user([5], [1], 1, metadata=None))


def test_normalised_gains_are_refused_where_no_rating_exceeds_1() -> None:
    metadata = type(METADATA)(1.0, np.ones(1, dtype=np.int64))
    with pytest.raises(ValueError, match="Choose another gain"):
        evaluate([parse("nDCG(gain=exp-normalised)")], one_user([1], [1], 1, metadata))


def test_a_relevant_item_without_positive_ratings_counts_as_one_with_one() -> None:
    # Found is the item of 4 positive ratings, missed the one of none: weights 4^-1/2 and 1.
    some = type(METADATA)(5.0, np.array([4, 0]))
    found = one_user([5, 5], [1, 0], 3, some)
    metric = parse("StratifiedRecall(gamma=1.0)@2")
    assert evaluate([metric], found)[0, 0] == pytest.approx(0.5 / 1.5)
    none = type(METADATA)(5.0, np.array([0, 0]))
    with pytest.raises(ValueError, match="No relevant item has a positive rating in the dataset"):
        evaluate([metric], one_user([5, 5], [1, 0], 3, none))


def test_areas_are_those_of_scikit_learn_and_of_sums_of_ranks() -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="the extra sklearn has it")
    cases = [case for case in random_cases(5) if case.listed]
    values = evaluate([parse("AUC"), parse("GAUC(weight=relevant)")], lists_of(cases))
    pairs = weights = 0.0
    for case, value in zip(cases, values[0], strict=True):
        found = [item in case.relevant for item in case.listed]
        relevant, length = sum(found), len(found)
        if 0 < relevant < length:
            area = metrics.roc_auc_score(found, range(length, 0, -1))
            # Relevant items that are not listed have no pair in order.
            assert value == pytest.approx(area * relevant / len(case.relevant), rel=1e-12)
            if relevant == len(case.relevant):
                ranks_found = sum(k for k, one in enumerate(found, 1) if one)
                right = relevant * (length + 1) - relevant * (relevant + 1) / 2 - ranks_found
                assert value == pytest.approx(right / relevant / (length - relevant), rel=1e-12)
        if case.relevant and set(case.listed) - case.relevant:
            pairs += value * len(case.relevant)
            weights += len(case.relevant)
    assert values[1].mean() == pytest.approx(pairs / weights, rel=1e-12)
