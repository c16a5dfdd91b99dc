# SPDX-License-Identifier: MIT
"""How sure a verdict is: intervals of shares and of predictions, and the table of both."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from reproduction.claims.repetition import ROWS
from reproduction.claims.verdicts import (
    COLUMNS,
    ENOUGH,
    RELEASED,
    ClaimVerdict,
    certainty,
    half_unit,
    prediction_interval,
    verdict_of_splits,
    wilson_interval,
)


def rows_of(*verdicts: str, claim: str = "B-001", **values: list[float]) -> pd.DataFrame:
    """The verdicts of some replications on one claim."""
    own = {"paper": "bellogin2017", "claim": claim, "dataset": "ml-1m", "form": "", "needs": ""}
    rows = pd.DataFrame([{**own, "verdict": verdict} for verdict in verdicts], columns=[*ROWS])
    for name in ("published", "value"):
        rows[name] = values.get(name, [math.nan] * len(verdicts))
    return rows


def only(table: pd.DataFrame) -> dict[Any, Any]:
    """The one row of a table."""
    (row,) = table.to_dict("records")
    return row


@pytest.mark.each("trials", [1, 2, 7, 20, 400])
def test_wilsons_interval_is_scipys(trials: int) -> None:
    for successes in {0, 1, trials // 3, trials}:
        theirs = binomtest(successes, trials).proportion_ci(method="wilson")
        assert wilson_interval(successes, trials) == pytest.approx((theirs.low, theirs.high))


@pytest.mark.each(("successes", "trials"), [(0, 0), (3, 2), (-1, 5)])
def test_what_is_no_share_is_refused(successes: int, trials: int) -> None:
    with pytest.raises(ValueError, match="is not a share"):
        wilson_interval(successes, trials)


def test_the_prediction_interval_of_three_numbers_worked_by_hand() -> None:
    # Mean 2, standard deviation 1, t of two degrees of freedom 4.3027, sqrt(4/3) = 1.1547.
    low, high = prediction_interval([1, 2, 3])
    assert (round(low, 3), round(high, 3)) == (-2.968, 6.968)


def test_a_single_number_predicts_nothing() -> None:
    assert np.isnan(prediction_interval([0.3])).all()


@pytest.mark.parametrize(
    ("verdicts", "counts"),
    [
        # What holds by definition holds, and undecided replications do not count.
        (["holds", "as defined", "holds in part", "does not hold"], (4, 2, 1)),
        (["holds", "undecidable here", "holds"], (2, 2, 0)),
    ],
)
def test_decided_replications_are_counted_by_verdict(
    verdicts: list[str], counts: tuple[int, int, int]
) -> None:
    row = only(certainty(rows_of(*verdicts).assign(needs="a dataset")))
    assert (row["replications"], row["holding"], row["in_part"]) == counts
    assert (row["share"], row["needs"]) == (counts[1] / counts[0], "")


def test_a_claim_that_no_replication_decides_says_what_it_needs() -> None:
    rows = rows_of("undecidable here").assign(needs="the results of fig18")
    row = only(certainty(rows))
    assert (row["replications"], row["needs"]) == (0, "the results of fig18")
    assert math.isnan(row["share"])


@pytest.mark.each(
    ("printed", "half"),
    [(".90", 0.005), ("1.00", 0.005), ("7.0", 0.05), ("-.900", 0.0005), ("1.83 %", 5e-5),
     ("20", 0.5), ("MF > kNN", 0.0), ("> 0.9", 0.0), ("", 0.0), (" %", 0.0)],
)  # fmt: skip
def test_a_printed_number_may_be_off_by_half_a_unit_of_its_last_digit(
    printed: str, half: float
) -> None:
    assert half_unit(printed) == pytest.approx(half)


@pytest.mark.each(
    ("published", "values", "printed", "location", "deviations"),
    [
        # Mean 2 and standard deviation 1: from -2.97 to 6.97.
        (4.0, [1.0, 2.0, 3.0], {}, "inside", 2.0),
        (7.0, [1.0, 2.0, 3.0], {}, "outside", 5.0),
        # A number that never varies has no deviations.
        (7.0, [2.0, 2.0, 2.0], {}, "outside", math.nan),
        # From .0803 on: rounding may have moved a number out.
        (0.08, [0.081, 0.0812, 0.0814], {}, "outside", -6.0),
        (0.08, [0.081, 0.0812, 0.0814], {"B-001": ".08"}, "inside", -6.0),
        (0.08, [0.081, 0.0812, 0.0814], {"B-001": ".0800"}, "outside", -6.0),
    ],
)
def test_a_published_number_is_told_from_our_mean_and_interval(
    published: float, values: list[float], printed: dict[str, str], location: str, deviations: float
) -> None:
    rows = rows_of(*["holds"] * 3, published=[published] * 3, value=values)
    row = only(certainty(rows, printed))
    assert (row["published"], row["mean"]) == (published, np.mean(values))
    assert (row["low"], row["high"]) == prediction_interval(values)
    assert row["location"] == location
    assert row["deviations"] == pytest.approx(deviations, nan_ok=True)


def test_every_claim_has_a_row_in_the_order_of_the_claims() -> None:
    rows = pd.concat([rows_of("holds", claim="B-002"), rows_of("holds", claim="B-001")])
    table = certainty(rows)
    assert list(table["claim"]) == ["B-002", "B-001"]
    assert tuple(table.columns) == COLUMNS


def test_a_number_has_a_place_in_the_interval_and_no_share_of_splits() -> None:
    number = only(certainty(rows_of(*["holds"] * 3, published=[1.0] * 3, value=[1.0, 1.1, 1.2])))
    assert number["replications"] == 3
    assert all(math.isnan(number[name]) for name in ("holding", "in_part", "share", "share_low"))
    order = only(certainty(rows_of(*["holds"] * 3, value=[1.0, 1.1, 1.2])))
    assert (order["holding"], order["share"]) == (3, 1)


def test_why_splits_do_not_decide_stands_beside_what_they_give() -> None:
    why = {("B-001", "ml-1m"): "they are of another design"}
    assert only(certainty(rows_of("holds"), None, why))["beside"] == why["B-001", "ml-1m"]
    assert only(certainty(rows_of("holds", claim="B-002"), None, why))["beside"] == ""


TRIED = {"replications": 20, "holding": 20, "in_part": 0, "location": "", "beside": ""}


@pytest.mark.each(
    ("holding", "in_part", "location", "verdict"),
    [
        (19, 0, "", "holds"),
        (18, 0, "", "depends on the split"),
        # No tolerance decides a number whose splits have an interval.
        ("", "", "outside", "does not hold"),
        ("", "", "inside", "holds"),
        (2, 0, "", "depends on the split"),
        (1, 0, "", "does not hold"),
        (1, 18, "", "holds in part"),
        (0, 10, "", "depends on the split"),
        (0, 1, "", "does not hold"),
    ],
)
@pytest.mark.each("once", [ClaimVerdict.HOLDS, ClaimVerdict.DOES_NOT_HOLD])
def test_all_splits_decide_whatever_one_says(
    once: ClaimVerdict, holding: int | str, in_part: int | str, location: str, verdict: str
) -> None:
    row = {**TRIED, "holding": holding, "in_part": in_part, "location": location}
    assert verdict_of_splits(once, row) == verdict


def test_a_few_splits_decide_nothing() -> None:
    row = {**TRIED, "replications": ENOUGH - 1, "holding": 0}
    assert verdict_of_splits(ClaimVerdict.HOLDS, row) is ClaimVerdict.HOLDS


@pytest.mark.each(
    ("holding", "location", "beside", "failing"),
    [
        (2, "", "they are of another design", "depends on the split"),
        (1, "", "they are of another design", "does not hold"),
        ("", "inside", "they are of another design", "depends on the split"),
        ("", "outside", "they are of another design", "does not hold"),
        (20, "", RELEASED, "does not hold"),
    ],
)
def test_splits_of_another_design_only_say_that_a_failing_claim_may_hold(
    holding: int | str, location: str, beside: str, failing: str
) -> None:
    row = {**TRIED, "holding": holding, "location": location, "beside": beside}
    assert verdict_of_splits(ClaimVerdict.HOLDS, row) is ClaimVerdict.HOLDS
    assert verdict_of_splits(ClaimVerdict.DOES_NOT_HOLD, row) == failing


def test_a_setting_stays_as_defined() -> None:
    assert verdict_of_splits(ClaimVerdict.AS_DEFINED, TRIED) is ClaimVerdict.AS_DEFINED
