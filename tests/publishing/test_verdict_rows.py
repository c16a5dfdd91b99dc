# SPDX-License-Identifier: MIT
"""The ledger is read whole or refused, and counted."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from publishing.site_samples import (
    COLUMNS,
    OTHER_FORM,
    ROOT,
    ROWS,
    claim_row,
    write_ledger,
)

from receval.storage.files import DamagedFileError, read_results
from reproduction.claims import ledger
from reproduction.claims.certainty import told_of_splits
from reproduction.claims.ledger import claims_of
from reproduction.claims.verdicts import ClaimVerdict
from reproduction.publishing.ledger_claims import (
    VERDICTS,
    claims_in,
    here_counts,
    read_verdict_rows,
    rows_by_artifact,
    splits_in_short,
)


def test_rows_keep_their_order_and_texts(tmp_path: Path) -> None:
    rows = read_verdict_rows(write_ledger(tmp_path / "claims.csv"))
    assert [row.claim for row in rows] == [row["claim"] for row in ROWS]
    assert rows[0].expected == "0.5"
    assert rows[4].artifacts == ()


def test_verdicts_are_counted_in_the_order_in_which_they_are_shown(tmp_path: Path) -> None:
    rows = read_verdict_rows(write_ledger(tmp_path / "claims.csv"))
    counts = here_counts(claims_in(rows))
    assert list(counts) == list(VERDICTS)
    assert {verdict: n for verdict, n in counts.items() if n} == {
        "holds": 3,
        "holds in part": 1,
        "does not hold": 1,
        "as defined": 1,
    }


def test_verdicts_on_claims_are_those_of_the_paper_on_the_results() -> None:
    path = ROOT / "results" / "full" / "claims.csv"
    overall = {claim.number: claim.verdict for claim in claims_in(read_verdict_rows(path))}
    claims = claims_of(read_results(path))
    assert overall == dict(zip(claims["claim"], claims["verdict"], strict=True))


def test_other_forms_of_a_claim_are_not_counted(tmp_path: Path) -> None:
    rows = read_verdict_rows(write_ledger(tmp_path / "claims.csv", [claim_row(), OTHER_FORM]))
    (claim,) = claims_in(rows)
    assert (len(claim.rows), len(claim.own), claim.verdict) == (2, 1, "holds")


@pytest.mark.parametrize(
    ("value", "short"),
    [
        (math.nan, "17 of 20 splits"),
        (0.91, "17 of 20 splits"),
    ],
)
def test_what_is_said_of_splits_is_understood_in_short(value: float, short: str) -> None:
    row = {"replications": 20, "holding": 17, "in_part": 2, "location": ""}
    if not math.isnan(value):
        row |= {"location": "outside", "published": 0.97, "mean": 0.94, "low": 0.9, "high": 0.95}
    assert splits_in_short(told_of_splits(value, row)) == short


def test_verdicts_and_columns_are_those_of_the_ledger() -> None:
    assert list(VERDICTS) == [str(verdict) for verdict in ClaimVerdict]
    assert tuple(ledger.COLUMNS) == tuple(COLUMNS)


def test_a_row_hangs_on_each_of_its_artifacts(tmp_path: Path) -> None:
    row = claim_row(artifact="paper2018/fig01; systems/fidelity")
    rows = read_verdict_rows(write_ledger(tmp_path / "claims.csv", [row]))
    assert list(rows_by_artifact(rows)) == [("paper2018", "fig01"), ("systems", "fidelity")]


def test_an_unknown_verdict_is_refused_with_its_line(tmp_path: Path) -> None:
    path = write_ledger(tmp_path / "claims.csv", [claim_row(), claim_row(verdict="perhaps")])
    with pytest.raises(DamagedFileError, match="line 3: 'perhaps' is no verdict"):
        read_verdict_rows(path)


def test_a_ledger_without_a_column_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "claims.csv"
    path.write_text("claim,paper\nA-001,paper2018\n", encoding="utf-8")
    with pytest.raises(DamagedFileError, match="has no column artifact, because, cells"):
        read_verdict_rows(path)
