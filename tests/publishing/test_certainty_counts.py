# SPDX-License-Identifier: MIT
"""What replications say is counted by paper, kind and verdict, and variance by its source."""

from __future__ import annotations

import pandas as pd

from reproduction.publishing.claim_counts import (
    NO_CAUSE,
    certainty_counts,
    variance_shares,
    with_failures_elsewhere,
    with_outcomes,
)

LEDGER = pd.DataFrame(
    [
        ("B-001", "ml-1m", "", "number", "holds"),
        ("B-002", "ml-1m", "", "order", "holds"),
        ("B-003", "ml-1m", "", "order", "does not hold"),
        ("C-001", "ml-1m", "", "trend", "holds in part"),
        ("C-001", "ml-1m", "text", "trend", "holds"),
        ("C-002", "ml-1m", "", "number", "undecidable here"),
        ("C-003", "ml-1m", "", "order", "holds"),
    ],
    columns=["claim", "dataset", "form", "kind", "one_split"],
)
CERTAINTY = pd.DataFrame(
    [
        ("b", "B-001", "ml-1m", "", 4, "", "outside", ""),
        ("b", "B-002", "ml-1m", "", 4, 2, "", ""),
        ("b", "B-003", "ml-1m", "", 4, 1, "", ""),
        ("c", "C-001", "ml-1m", "", 4, 0, "", ""),
        ("c", "C-001", "ml-1m", "text", 4, 4, "", ""),
        ("c", "C-002", "ml-1m", "", 0, "", "", ""),
        ("c", "C-003", "ml-1m", "", 4, 4, "", "they are of another design"),
    ],
    columns=["paper", "claim", "dataset", "form", "replications", "holding", "location", "beside"],
)
TABLE = with_outcomes(CERTAINTY, LEDGER, {"a draw": ["B-003"]})


def test_a_claim_has_an_outcome_and_what_one_run_says_of_it() -> None:
    repeated = ["outside", "mostly", "rarely", "never"]
    assert TABLE["outcome"].tolist() == [*repeated, "not repeated", "told beside"]
    assert TABLE["cause"].tolist() == ["", "", "a draw", "", "", ""]
    assert TABLE["verdict"].tolist() == LEDGER.loc[LEDGER["form"] == "", "one_split"].tolist()


def test_repeated_verdicts_are_counted_in_groups() -> None:
    found = {(row["group"], row["name"]): row for row in certainty_counts(TABLE)}
    assert list(found) == [
        ("paper", "b"),
        ("paper", "c"),
        ("kind", "numbers"),
        ("kind", "all other kinds"),
        ("verdict", "holds"),
        ("verdict", "holds in part"),
        ("verdict", "does not hold"),
        ("all", "all"),
    ]
    names = ("verdicts", "always", "mostly", "rarely", "never", "inside", "outside")
    assert [found["all", "all"][name] for name in names] == [4, 0, 1, 1, 1, 0, 1]
    assert [found["verdict", "holds"][name] for name in names] == [2, 0, 1, 0, 0, 0, 1]


def test_failures_that_hold_elsewhere_are_counted_by_cause() -> None:
    causes = [{"cause": "a draw", "failing": 1}, {"cause": NO_CAUSE, "failing": 0}]
    counted = with_failures_elsewhere(causes, TABLE)
    assert [row["elsewhere"] for row in counted] == [1, 0]


def test_shares_of_variance_are_means_over_numbers_that_vary() -> None:
    columns = ["artifact", "split", "system", "candidates", "rest"]
    rows = [("b/fig2", 1, 0, 0, 0), ("b/fig2", 0.5, 0.5, 0, 0), ("b/fig3", "", "", "", "")]
    one, of_all = variance_shares(pd.DataFrame(rows, columns=columns))
    assert (one["artifact"], one["numbers"], one["split"], one["system"]) == (
        "b/fig2",
        2,
        0.75,
        0.25,
    )
    assert of_all == {**one, "artifact": "all"}
