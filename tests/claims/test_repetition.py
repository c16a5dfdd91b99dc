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
    digest_of_check,
    judged_replication,
    repeated_checks,
    told_beside,
)
from reproduction.claims.spec import PaperClaims, read_claims
from reproduction.config.settings import load_settings

ROOT = Path(__file__).resolve().parents[2]

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


def row(claim: str, replication: str, value: str, code: str, **others: str) -> tuple[str, ...]:
    """The cells of a row; a replication has its seed, unless another one is given."""
    seed = others.get("seed", str(SEEDS.get(replication, 8)))
    verdict, judged_by = others.get("verdict", "holds"), others.get("judged_by", "x")
    return (claim, replication, seed, verdict, value, judged_by, code)


FRESH = row("B-001", "r01", ".2", "new")


@pytest.mark.each(
    ("fresh", "accepted", "kept"),
    [
        pytest.param(
            [FRESH],
            [row("B-001", "r01", ".1", "new"), row("B-001", "r02", ".3", "new")],
            [("B-001", "r01", ".2"), ("B-001", "r02", ".3")],
            id="fresh rows take the place of accepted ones",
        ),
        pytest.param(
            [FRESH],
            [row("B-001", "r02", ".3", "old")],
            [("B-001", "r01", ".2")],
            id="accepted rows of other code go",
        ),
        pytest.param(
            [FRESH],
            [
                row("B-001", "r01", ".2", "old"),
                row("B-001", "r02", ".3", "old"),
                row("B-001", "r03", ".4", "older"),
            ],
            [("B-001", "r01", ".2"), ("B-001", "r02", ".3")],
            id="they stay where a replication gives the same again",
        ),
        pytest.param(
            [FRESH, row("B-003", "r01", ".5", "new")],
            [
                row("B-001", "r01", ".2", "old"),
                row("B-003", "r01", ".6", "old"),
                row("B-001", "r02", ".3", "old"),
            ],
            [("B-001", "r01", ".2"), ("B-003", "r01", ".5")],
            id="one number that moved makes all rows of that code go",
        ),
        pytest.param(
            [FRESH, row("B-003", "r01", ".5", "new")],
            [
                row("B-001", "r01", ".2", "old"),
                row("B-003", "r01", "", "old", verdict="undecidable here"),
                row("B-001", "r02", ".3", "old"),
            ],
            [("B-001", "r01", ".2"), ("B-001", "r02", ".3"), ("B-003", "r01", ".5")],
            id="a claim that was undecidable and is decided now makes none go",
        ),
        pytest.param(
            [row("B-001", "r01", ".2", "new", judged_by="y"), row("B-003", "r01", ".5", "new")],
            [row("B-001", "r02", ".2", "new"), row("B-003", "r02", ".5", "new")],
            [("B-001", "r01", ".2"), ("B-003", "r01", ".5"), ("B-003", "r02", ".5")],
            id="accepted rows of a claim that is decided otherwise now go",
        ),
        pytest.param(
            [FRESH],
            [row("B-001", "r02", ".2", "new", seed="99"), row("B-001", "r77", ".2", "new")],
            [("B-001", "r01", ".2")],
            id="accepted rows of another root seed go",
        ),
        pytest.param(
            [row("B-003", "r02", ".2", "new"), row("B-001", "r02", ".2", "new"), FRESH],
            None,
            [("B-001", "r01", ".2"), ("B-001", "r02", ".2"), ("B-003", "r02", ".2")],
            id="without accepted rows fresh ones stand in the order of claims",
        ),
        pytest.param(
            [row("B-001", "r100", ".2", "new"), row("B-001", "r02", ".2", "new")],
            None,
            [("B-001", "r02", ".2"), ("B-001", "r100", ".2")],
            id="r100 comes after all with two digits",
        ),
    ],
)
def test_accepted_rows_stay_beside_fresh_ones_if_they_would_come_out_the_same(
    fresh: list[tuple[str, ...]],
    accepted: list[tuple[str, ...]] | None,
    kept: list[tuple[str, ...]],
) -> None:
    known = None if accepted is None else table(*accepted)
    found = all_replications(table(*fresh), known, SEEDS)
    columns = (found[name] for name in ("claim", "replication", "value"))
    assert list(zip(*columns, strict=True)) == kept


def test_rows_of_a_dataset_that_no_fresh_replication_has_stay() -> None:
    other = table(row("B-001", "r01", ".1", "old")).assign(dataset="cm100k")
    gone = table(row("B-002", "r01", ".1", "new"), row("B-001", "r02", ".1", "old"))
    found = all_replications(table(FRESH), pd.concat([other, gone], ignore_index=True), SEEDS)
    assert list(zip(found["dataset"], found["replication"], found["value"], strict=True)) == [
        ("cm100k", "r01", ".1"),
        ("ml-1m", "r01", ".2"),
    ]


def test_splits_are_told_beside_where_the_design_is_another_or_the_folds_were_released(
    claims: PaperClaims,
) -> None:
    assert told_beside([claims], {}) == {}
    told = told_beside([claims], {STUDY: "each is one fold"})
    assert told == {
        ("B-001", "ml-1m"): "each is one fold",
        ("B-001", "netflix"): "each is one fold",
        ("B-002", ""): "each is one fold",
    }
    released = claims.claims["B-001"].model_copy(update={"published_on": {"ml-1m": "theirs"}})
    paper = claims.model_copy(update={"claims": {"B-001": released}})
    assert told_beside([paper], {}) == {
        ("B-001", "ml-1m"): "the statement is on the values of released folds"
    }


def test_only_the_splits_of_one_study_are_of_another_design() -> None:
    studies = load_settings(ROOT / "config", "full").replications.studies
    assert [name for name, own in studies.items() if own.beside] == ["valcarce2020"]


def test_accepted_replications_that_decide_are_judged_by_the_present_rules() -> None:
    rows = pd.read_csv(ROOT / "results/full/replications.csv", dtype=str, keep_default_na=False)
    rules = {
        (number, check.dataset or "", check.form or "", digest_of_check(claim, check))
        for paper in map(read_claims, sorted((ROOT / "config/claims").glob("*.yaml")))
        for number, claim in paper.claims.items()
        for check in claim.checks
    }
    decided = rows[~rows["verdict"].str.startswith("undecidable")]
    keys = zip(*(decided[name] for name in ("claim", "dataset", "form", "judged_by")), strict=True)
    assert len(decided) > 1000
    assert sorted(set(keys) - rules) == []
