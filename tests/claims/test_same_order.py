# SPDX-License-Identifier: MIT
"""The rule that two quantities order things alike, and what it is asked of."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pydantic import TypeAdapter

from reproduction.claims.cells import ClaimContext
from reproduction.claims.quantities import Quantity, evaluated
from reproduction.claims.rules.order import SameOrderRule
from reproduction.claims.sources import ClaimSources

QUANTITY: TypeAdapter[Quantity] = TypeAdapter(Quantity)


@pytest.fixture
def evidence(tmp_path: Path) -> ClaimSources:
    (tmp_path / "study").mkdir()
    table = pd.DataFrame(
        [
            ["P", 100, "a", 3.0, 1.0, 0.2],
            ["P", 100, "b", 2.0, 0.2, 1.0],
            ["P", 50, "a", 1.5, 1.0, 0.01],
            ["P", 50, "b", 1.0, 0.01, 1.0],
            ["AP", 100, "a", 0.3, 1.0, 0.01],
            ["AP", 100, "b", 0.4, 0.01, 1.0],
        ],
        columns=["metric", "kept", "system", "value", "p_a", "p_b"],
    )
    table.to_csv(tmp_path / "study" / "fig.csv", index=False)
    return ClaimSources.of_folder(tmp_path)


PLACE = ClaimContext("study", "fig", where={"kept": 100})
VALUES = {"where": {"metric": "AP"}, "each": ["metric", "system"]}
REFERENCE = {"where": {"metric": "P"}, "each": ["system"]}


def test_things_that_change_places_are_named(evidence: ClaimSources) -> None:
    rule = SameOrderRule(rule="same-order", values=VALUES, reference=REFERENCE)
    found = rule.judge(evidence, PLACE)
    assert (found.verdict, found.detail) == ("does not hold", "In another order: AP: a and b.")


def test_differences_that_are_not_significant_do_not_count(evidence: ClaimSources) -> None:
    chances = {
        name: {"where": {"metric": "P"}, "column": f"p_{name}", "each": ["system"]}
        for name in ("a", "b")
    }
    rule = SameOrderRule(
        rule="same-order", values=VALUES, reference=REFERENCE, p_reference={"named": chances}
    )
    assert rule.judge(evidence, PLACE).verdict == "holds"


def test_the_same_order_elsewhere_holds(evidence: ClaimSources) -> None:
    halved = {"where": {"metric": "P", "kept": 50}, "each": ["kept", "system"]}
    rule = SameOrderRule(rule="same-order", values=halved, reference=REFERENCE)
    found = rule.judge(evidence, PLACE)
    assert (found.verdict, found.ours) == ("holds", "0 of 1 pairs change places")


def test_orders_of_other_things_are_refused(evidence: ClaimSources) -> None:
    rule = SameOrderRule(
        rule="same-order",
        values=VALUES,
        reference={"where": {"metric": "P", "system": "a"}, "each": ["system"]},
    )
    with pytest.raises(ValueError, match="One order is of a, b, the other of a: select"):
        rule.judge(evidence, PLACE)


def test_quantities_side_by_side_have_their_names_as_last_labels(evidence: ClaimSources) -> None:
    named = {
        name: {"where": {"metric": "P"}, "column": f"p_{name}", "each": ["system"]}
        for name in ("a", "b")
    }
    found = evaluated(QUANTITY.validate_python({"named": named}), evidence, PLACE)
    assert found.labels == (("a", "a"), ("b", "a"), ("a", "b"), ("b", "b"))
    np.testing.assert_allclose(found.values, [1, 0.2, 0.2, 1])


def test_a_quantity_overrides_the_rows_that_its_check_selects(evidence: ClaimSources) -> None:
    rows = {"where": {"metric": "P", "kept": 50}, "each": ["system"]}
    found = evaluated(QUANTITY.validate_python(rows), evidence, PLACE)
    np.testing.assert_allclose(found.values, [1.5, 1.0])


def test_rows_that_a_check_selects_are_not_asked_of_another_artifact(
    evidence: ClaimSources,
) -> None:
    rows = {"artifact": "study/fig", "where": {"metric": "P"}, "column": "value", "take": "count"}
    found = evaluated(QUANTITY.validate_python(rows), evidence, PLACE)
    assert found.number() == 4
