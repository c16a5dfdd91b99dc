# SPDX-License-Identifier: MIT
"""Messages quote what was given, and stay short however long that is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from receval.metrics.averages import parse_average
from receval.metrics.registry import parse
from receval.protocols.protocol import Protocol
from receval.recommenders.base import make

LONG = "x" * 20_000
PLSA = "receval.recommenders.plsa:PLSA"


@pytest.mark.parametrize(
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
