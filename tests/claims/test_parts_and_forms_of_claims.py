# SPDX-License-Identifier: MIT
"""Parts of claims that count together, forms told beside them, and cells left out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pydantic import TypeAdapter

from reproduction.claims.cells import ClaimContext, SelectedCells
from reproduction.claims.quantities import Quantity, evaluated
from reproduction.claims.rules.base import in_words
from reproduction.claims.rules.registry import AnyRule
from reproduction.claims.sources import ClaimSources
from reproduction.claims.spec import read_claims
from reproduction.claims.verdicts import ClaimVerdict

HOLDS, PART, FAILS = ClaimVerdict.HOLDS, ClaimVerdict.HOLDS_IN_PART, ClaimVerdict.DOES_NOT_HOLD
CONTEXT = ClaimContext("study", "fig01")
NOTHING = ClaimSources({}, {})


def compared(*pairs: tuple[float, float]) -> dict[str, object]:
    parts = {
        f"part {number}": {"rule": "comparison", "left": left, "sign": "<", "right": right}
        for number, (left, right) in enumerate(pairs)
    }
    return {"rule": "each", "parts": parts}


@pytest.mark.parametrize(
    ("pairs", "apart", "together"),
    [
        (((1, 2), (1, 2)), HOLDS, HOLDS),
        (((1, 2), (2, 1)), PART, FAILS),
        (((2, 1), (2, 1)), FAILS, FAILS),
    ],
)
def test_parts_that_count_together_hold_together_only(
    pairs: tuple[tuple[float, float], ...], apart: ClaimVerdict, together: ClaimVerdict
) -> None:
    for is_together, verdict in ((False, apart), (True, together)):
        rule = {**compared(*pairs), "together": is_together}
        found = TypeAdapter(AnyRule).validate_python(rule).judge(NOTHING, CONTEXT)
        assert found.verdict is verdict


def test_parts_that_hold_in_part_do_so_together_as_well() -> None:
    in_part = compared((1, 2), (2, 1))
    rule = {"rule": "each", "together": True, "parts": {"one": in_part, "two": in_part}}
    assert TypeAdapter(AnyRule).validate_python(rule).judge(NOTHING, CONTEXT).verdict is PART


def test_cells_without_a_value_are_those_of_no_such_row(tmp_path: Path) -> None:
    path = tmp_path / "fig01.csv"
    table = {"k": [1, 2, 3, None], "lists": [5, 4, 0, 5], "value": [0.1, 0.2, None, 0.4]}
    pd.DataFrame(table).convert_dtypes().to_csv(path, index=False)
    sources = ClaimSources({"study/fig01": path}, {})
    cells = SelectedCells(each=("k",), without={"k": "", "lists": 0})
    numbers = cells.evaluate(sources, CONTEXT)
    assert dict(zip(numbers.labels, numbers.values.tolist(), strict=True)) == {
        ("1",): 0.1,
        ("2",): 0.2,
    }
    assert sources.readings[0].cells == "k!=, lists!=0: value by k"
    with pytest.raises(ValueError, match="has no column nothing"):
        SelectedCells(without={"nothing": 1}).evaluate(sources, CONTEXT)


def test_a_logarithm_tells_orders_of_magnitude() -> None:
    quantity = TypeAdapter(Quantity).validate_python({"logarithm": 1e-5})
    assert evaluated(quantity, NOTHING, CONTEXT).number() == pytest.approx(-5)


def test_very_small_numbers_are_printed_with_their_power_of_ten() -> None:
    assert in_words(np.array([0.25, 3.36e-75])) == ".250, 3.36e-75"


def test_checks_are_repeated_for_the_names_that_they_list(tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    path.write_text(
        """
paper: study
claims:
  A-001:
    where: Section 1
    kind: number
    statement: One is less than two.
    expected: less
    checks:
      - each:
          - {dataset: ml-1m, low: 1, high: 2}
          - {dataset: ml-1m, form: exchanged, low: 2, high: 1}
        decide: {rule: comparison, left: "{low}", sign: "<", right: "{high}"}
"""
    )
    checks = read_claims(path).claims["A-001"].checks
    assert [(check.dataset, check.form) for check in checks] == [
        ("ml-1m", ""),
        ("ml-1m", "exchanged"),
    ]
    assert [check.decide.judge(NOTHING, CONTEXT).verdict for check in checks] == [HOLDS, FAILS]
    path.write_text(path.read_text().replace("{low}", "{lowest}"))
    with pytest.raises(ValueError, match="lowest"):
        read_claims(path)
