# SPDX-License-Identifier: MIT
"""What tools divide by and sum, worked by hand on one list."""

from __future__ import annotations

import json
from math import log2
from pathlib import Path

import numpy as np
import pytest

from receval.metrics.dialects import Dialect
from receval.metrics.registry import parse
from reproduction.publishing.dialects_page import lists_of_case, values_by_user

# Five relevant items of which two are in a list of four, at ranks 2 and 3; the cut-off is 10 or 3.
CASE = {
    "test": {"ann": {"a": 5, "b": 4, "c": 4, "d": 5, "e": 4, "f": 1}},
    "run": {"ann": [["x", 4.0], ["b", 3.0], ["a", 2.0], ["f", 1.0]]},
}
FIXTURES = Path(__file__).with_name("fixtures")
ANY = Dialect("any", "any", "1", (), ())
FROM_4 = Dialect("own", "own", "1", (), (), relevant=4.0)
BOTH_HITS = 1 / 2 + 2 / 3


def measured(label: str) -> float:
    return values_by_user(parse(label), *lists_of_case(FROM_4, CASE))["ann"]


@pytest.mark.each(
    ("label", "expected"),
    [
        ("P@10", 2 / 10),
        ("P(denominator=filled)@10", 2 / 4),
        ("Recall@3", 2 / 5),
        ("Recall(denominator=reachable)@3", 2 / 3),
        ("Recall(denominator=reachable)@10", 2 / 5),
        ("AP@10", BOTH_HITS / 5),
        ("AP(denominator=reachable)@3", BOTH_HITS / 3),
        ("AP(denominator=listed)@10", BOTH_HITS / 4),
        ("AP(denominator=hits)@10", BOTH_HITS / 2),
        ("AP(denominator=cutoff)@10", BOTH_HITS / 10),
        # The precisions at ranks 1 to 5: 0, 1/2, 2/3, 2/4, 2/5.
        ("AP(denominator=cutoff,terms=ranks)@5", (1 / 2 + 2 / 3 + 2 / 4 + 2 / 5) / 5),
        ("AP(denominator=cutoff,terms=ranks)", (1 / 2 + 2 / 3 + 2 / 4) / 4),
        ("Hit@1", 0.0),
        ("Hit@2", 1.0),
        ("Hit(form=count)@10", 2.0),
        ("Rprec", 2 / 5),
        ("Rprec@2", 1 / 5),
        ("RBP(phi=0.5)@10", 0.5 * (0.5 + 0.25)),
        ("RBP(denominator=best,phi=0.5)@10", 0.375 / (1 - 0.5**4)),
    ],
)
def test_values_are_those_worked_by_hand(label: str, expected: float) -> None:
    assert measured(label) == pytest.approx(expected, abs=1e-12)


@pytest.mark.each(
    ("parameters", "gains", "best"),
    [
        # Gains at ranks 2 and 3, and of the ideal list.
        ("gain=binary", (1, 1), (1, 1, 1, 1, 1)),
        ("gain=relevant", (4, 5), (5, 5, 4, 4, 4)),
        ("gain=exp-relevant", (15, 31), (31, 31, 15, 15, 15)),
        ("gain=exp-steps", (1, 3), (3, 3, 1, 1, 1)),
        ("gain=exp-steps-from-0", (31, 63), (63, 63, 31, 31, 31)),
        ("gain=binary,ideal=filled", (1, 1), (1, 1, 1, 1)),
        ("gain=relevant,ideal=listed", (4, 5), (5, 4)),
        ("gain=binary,ideal=ranks", (1, 1), (1,) * 10),
    ],
)
@pytest.mark.each("discount", ["log", "log-after-2"])
def test_ndcg_is_that_worked_by_hand(
    parameters: str, gains: tuple[int, int], best: tuple[int, ...], discount: str
) -> None:
    ranks = np.arange(1, 11)
    logarithms = np.log2(ranks + 1 if discount == "log" else np.maximum(ranks, 2))
    ideal = float((np.array(best) / logarithms[: len(best)]).sum())
    found = gains[0] / logarithms[1] + gains[1] / logarithms[2]
    label = f"nDCG(discount={discount},{parameters})@10"
    assert measured(label) == pytest.approx(found / ideal, abs=1e-12)
    if discount == "log":
        assert logarithms[1] == log2(3)


def test_a_relevant_item_at_every_rank_is_of_one_gain() -> None:
    with pytest.raises(ValueError, match=r"Write nDCG\(gain=binary,ideal=ranks\)"):
        parse("nDCG(ideal=ranks)@10")


@pytest.mark.each("case", ["plain", "short", "ties", "binary"])
def test_ndcg_of_the_listed_judged_items_is_that_of_clayrs(case: str) -> None:
    lists = json.loads((FIXTURES / "lists.json").read_text(encoding="utf-8"))["cases"][case]
    theirs = json.loads((FIXTURES / "clayrs.json").read_text(encoding="utf-8"))["values"][case]
    for name, label in (
        ("NDCG@5", "nDCG(condensed=true,ideal=listed)@5"),
        ("NDCG gains=exponential", "nDCG(condensed=true,gain=exp,ideal=listed)"),
    ):
        ours = values_by_user(parse(label), *lists_of_case(ANY, lists))
        found = {
            user: value for user, value in theirs[name]["per_user"].items() if value is not None
        }
        assert found
        assert {user: ours[user] for user in found} == pytest.approx(found, abs=1e-9)
