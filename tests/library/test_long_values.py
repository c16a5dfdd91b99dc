# SPDX-License-Identifier: MIT
"""Messages quote what was given, and stay short however long that is."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pytest

import receval as rv
from receval.metrics.averages import parse_average
from receval.metrics.registry import parse
from receval.protocols.protocol import Protocol
from receval.recommenders.base import make

LONG = "x" * 20_000
PLSA = "receval.recommenders.plsa:PLSA"


@pytest.mark.each(
    "refused",
    [
        lambda: make(LONG, {}, seed=1),
        lambda: make(f"receval.{LONG}:X", {}, seed=1),
        lambda: make(PLSA, {"topics": LONG}, seed=1),
        lambda: make(PLSA, {"topics": [["x"]] * 20_000}, seed=1),
        lambda: make(PLSA, {LONG: 1}, seed=1),
        lambda: make("receval.recommenders.bprmf:BPRMF", {"learning_rate": LONG}, seed=1),
        lambda: make("receval.recommenders.rocchio:Rocchio", {"weighting": LONG}, seed=1),
        lambda: make("receval.recommenders.rocchio:Rocchio", {"length_normalised": LONG}, seed=1),
        lambda: parse(LONG),
        lambda: parse(f"P@{'9' * 20_000}"),
        lambda: parse(f"nDCG({'gains=' * 5_000})@10"),
        lambda: parse(f"nDCG(gain={LONG})@10"),
        lambda: parse(f"RBP(phi={LONG})"),
        lambda: parse_average(f"weighted(by={LONG})"),
        lambda: Protocol(LONG),
    ],
    ids=range(15),
)
def test_a_long_value_is_refused_in_a_short_sentence(refused: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"\.\.\.") as raised:
        refused()
    assert len(str(raised.value)) <= 500


@pytest.mark.costly
def test_what_a_notebook_shows_of_results_is_short() -> None:
    rows = [(user, item, 1 + item % 5) for user in range(60) for item in range(9 + user % 9)]
    ratings = rv.read_ratings(pd.DataFrame(rows, columns=["user", "item", "rating"]))
    split = rv.split(ratings, "user-ratio")
    systems = {"Pop": rv.Popularity(), "kNN": rv.UserKNN(5)}
    result = rv.evaluate(split, systems, metrics=["nDCG@5"])
    tuned = rv.tune(split, {"kNN": (rv.UserKNN, {"neighbours": [3, 5]})}, jobs=1)
    run = rv.read_run({"ann": {"x": 1.0}})
    groups, over = result.by_group("activity"), result.distribution()
    for shown in (ratings, split, result, tuned, run, groups, over):
        assert len(repr(shown)) < 400
        assert "array" not in repr(shown)
