# SPDX-License-Identifier: MIT
"""What parameters that tools need refuse, and values of one tool that no dialect has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from receval.metrics.dialects import Dialect
from receval.metrics.registry import parse
from reproduction.publishing.dialects_page import lists_of_case, values_by_user

FIXTURES = Path(__file__).with_name("fixtures")
ANY = Dialect("any", "any", "1", (), ())


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
        assert {user: ours[user] for user in found} == pytest.approx(found, abs=1e-12)
