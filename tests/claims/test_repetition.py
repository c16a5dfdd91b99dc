# SPDX-License-Identifier: MIT
"""The verdicts of one replication, and which accepted ones stay beside fresh ones."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from claims.made_up import STUDY, sources_of, values_of

from reproduction.claims.repetition import (
    NUMBERS,
    ROWS,
    ReplicationLabel,
    all_replications,
    judged_replication,
    repeated_checks,
)
from reproduction.claims.spec import PaperClaims, read_claims

LABEL = ReplicationLabel("r01", 7, "abc")
SEEDS = {"r01": 7, "r02": 8, "r03": 9}

CLAIMS = f"""
paper: {STUDY}
claims:
  B-001:
    where: Section 1
    kind: relation
    statement: MF is ahead of Pop.
    expected: MF > Pop
    checks:
      - datasets: [ml-1m, netflix]
        artifact: fig01
        decide:
          rule: comparison
          left: {{where: {{system: mf}}}}
          sign: ">"
          right: {{product: [{{where: {{system: pop}}}}, {{setting: config/splits}}]}}
  B-002:
    where: Section 1
    kind: setting
    statement: There is one split.
    expected: 1
    split_dependent: false
    checks:
      - decide:
          rule: number
          ours: {{setting: config/splits}}
          published: 1
"""


@pytest.fixture
def claims(tmp_path: Path) -> PaperClaims:
    """Two claims, of which one hangs on splits."""
    path = tmp_path / "claims.yaml"
    path.write_text(CLAIMS)
    return read_claims(path)


def table(*rows: tuple[str, ...]) -> pd.DataFrame:
    """Rows of replications from (claim, replication, seed, verdict, value, judged_by, code)."""
    names = ("claim", "replication", "seed", "verdict", "value", "judged_by", "code")
    own = {"paper": STUDY, "dataset": "ml-1m", "form": "", "published": "", "needs": ""}
    filled = [{**own, **dict(zip(names, row, strict=True))} for row in rows]
    return pd.DataFrame(filled, columns=[*ROWS])


def replications(rows: pd.DataFrame, claim: str = "B-001") -> list[str]:
    """The replications whose rows are there of a claim."""
    return list(rows.loc[rows["claim"] == claim, "replication"])


def test_only_claims_that_hang_on_splits_are_repeated_on_the_datasets_named(
    claims: PaperClaims,
) -> None:
    found = [(number, check.dataset) for number, _, check in repeated_checks(claims, ["ml-1m"])]
    assert found == [("B-001", "ml-1m")]


def test_a_replication_has_a_row_a_claim_and_the_numbers_that_decide_it(
    claims: PaperClaims, tmp_path: Path
) -> None:
    sources = sources_of(tmp_path, values_of(mf=0.3, pop=0.2), splits=1)
    rows, numbers = judged_replication(claims, ["ml-1m"], sources, LABEL)
    (row,) = rows.to_dict("records")
    assert tuple(rows.columns) == ROWS
    assert (row["replication"], row["seed"], row["code"], row["verdict"]) == (
        "r01",
        7,
        "abc",
        "holds",
    )
    assert tuple(numbers.columns) == NUMBERS
    assert list(numbers["value"]) == [0.3, 0.2]
    assert set(numbers["artifact"]) == {f"{STUDY}/fig01"}


def test_what_a_replication_leaves_out_is_undecided_and_no_error(
    claims: PaperClaims, tmp_path: Path
) -> None:
    sources = sources_of(tmp_path, values_of(mf=0.3), edition="full-r01", splits=1)
    rows, _ = judged_replication(claims, ["ml-1m"], sources, LABEL)
    assert list(rows["verdict"]) == ["undecidable here"]
    assert "which replications leave out" in rows["needs"].iloc[0]


def test_fresh_rows_take_the_place_of_accepted_ones() -> None:
    fresh = table(("B-001", "r01", "7", "holds", ".2", "x", "abc"))
    accepted = table(
        ("B-001", "r01", "7", "does not hold", ".1", "x", "abc"),
        ("B-001", "r02", "8", "holds", ".3", "x", "abc"),
    )
    found = all_replications(fresh, accepted, SEEDS)
    assert replications(found) == ["r01", "r02"]
    assert list(found["verdict"]) == ["holds", "holds"]
    assert list(found["value"]) == [".2", ".3"]


def test_accepted_rows_of_other_code_go() -> None:
    fresh = table(("B-001", "r01", "7", "holds", ".2", "x", "new"))
    accepted = table(("B-001", "r02", "8", "holds", ".3", "x", "old"))
    assert replications(all_replications(fresh, accepted, SEEDS)) == ["r01"]


def test_accepted_rows_of_other_code_stay_where_a_replication_gives_the_same_again() -> None:
    fresh = table(("B-001", "r01", "7", "holds", ".2", "x", "new"))
    accepted = table(
        ("B-001", "r01", "7", "holds", ".2", "x", "old"),
        ("B-001", "r02", "8", "holds", ".3", "x", "old"),
        ("B-001", "r03", "9", "holds", ".4", "x", "older"),
    )
    found = all_replications(fresh, accepted, SEEDS)
    assert replications(found) == ["r01", "r02"]
    assert list(found["code"]) == ["new", "old"]


def test_one_number_that_moved_makes_all_rows_of_that_code_go() -> None:
    fresh = table(
        ("B-001", "r01", "7", "holds", ".2", "x", "new"),
        ("B-003", "r01", "7", "holds", ".5", "x", "new"),
    )
    accepted = table(
        ("B-001", "r01", "7", "holds", ".2", "x", "old"),
        ("B-003", "r01", "7", "holds", ".6", "x", "old"),
        ("B-001", "r02", "8", "holds", ".3", "x", "old"),
    )
    assert replications(all_replications(fresh, accepted, SEEDS)) == ["r01"]


def test_accepted_rows_of_a_claim_that_is_decided_otherwise_now_go() -> None:
    fresh = table(
        ("B-001", "r01", "7", "holds", ".2", "other", "abc"),
        ("B-003", "r01", "7", "holds", ".5", "x", "abc"),
    )
    accepted = table(
        ("B-001", "r02", "8", "holds", ".2", "x", "abc"),
        ("B-003", "r02", "8", "holds", ".5", "x", "abc"),
    )
    found = all_replications(fresh, accepted, SEEDS)
    assert replications(found) == ["r01"]
    assert replications(found, "B-003") == ["r01", "r02"]


def test_accepted_rows_of_another_root_seed_go() -> None:
    fresh = table(("B-001", "r01", "7", "holds", ".2", "x", "abc"))
    accepted = table(
        ("B-001", "r02", "99", "holds", ".2", "x", "abc"),
        ("B-001", "r77", "8", "holds", ".2", "x", "abc"),
    )
    assert replications(all_replications(fresh, accepted, SEEDS)) == ["r01"]


def test_without_accepted_rows_fresh_ones_stand_in_the_order_of_claims() -> None:
    fresh = table(
        ("B-003", "r02", "8", "holds", ".2", "x", "abc"),
        ("B-001", "r02", "8", "holds", ".2", "x", "abc"),
        ("B-001", "r01", "7", "holds", ".2", "x", "abc"),
    )
    found = all_replications(fresh, None, SEEDS)
    assert list(zip(found["claim"], found["replication"], strict=True)) == [
        ("B-001", "r01"),
        ("B-001", "r02"),
        ("B-003", "r02"),
    ]
