# SPDX-License-Identifier: MIT
"""The ledger is read whole or refused, and counted."""

from __future__ import annotations

from pathlib import Path

import pytest
from publishing.site_samples import (
    CERTAINTY,
    COLUMNS,
    OTHER_FORM,
    ROOT,
    ROWS,
    claim_row,
    write_certainty,
    write_ledger,
)

from receval.claims import ledger
from receval.claims.verdicts import ClaimVerdict
from receval.publishing.claim_counts import claims_of
from receval.publishing.site.certainty_rows import certainty_of, read_certainty
from receval.publishing.site.verdict_rows import (
    VERDICTS,
    count_verdicts,
    overall_verdicts,
    read_verdict_rows,
    rows_by_artifact,
)
from receval.storage.files import DamagedFileError, read_results


def test_rows_keep_their_order_and_texts(tmp_path: Path) -> None:
    rows = read_verdict_rows(write_ledger(tmp_path / "claims.csv"))
    assert [row.claim for row in rows] == [row["claim"] for row in ROWS]
    assert rows[0].expected == "0.5"
    assert rows[4].artifacts == ()


def test_verdicts_are_counted_in_the_order_in_which_they_are_shown(tmp_path: Path) -> None:
    counts = count_verdicts(read_verdict_rows(write_ledger(tmp_path / "claims.csv")))
    assert counts == {
        "holds": 3,
        "holds in part": 1,
        "depends on the split": 0,
        "does not hold": 1,
        "undecidable here": 1,
        "as defined": 1,
    }


def test_verdicts_on_claims_are_those_of_the_paper_on_the_results() -> None:
    path = ROOT / "results" / "full" / "claims.csv"
    overall = overall_verdicts(read_verdict_rows(path))
    claims = claims_of(read_results(path))
    assert overall == dict(zip(claims["claim"], claims["verdict"], strict=True))


def test_other_forms_of_a_claim_are_not_counted(tmp_path: Path) -> None:
    rows = read_verdict_rows(write_ledger(tmp_path / "claims.csv", [claim_row(), OTHER_FORM]))
    assert sum(count_verdicts(rows).values()) == 1
    assert overall_verdicts(rows) == {"A-001": "holds"}


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


def test_certainty_is_read_whole_or_refused(tmp_path: Path) -> None:
    undecided = {**CERTAINTY, "claim": "A-002", "replications": "0", "holding": "0"}
    path = write_certainty(tmp_path / "certainty.csv", [CERTAINTY, undecided])
    known = read_certainty(path)
    assert list(known) == [("paper2018", "A-001", "ml-1m", "")]
    row, other = read_verdict_rows(
        write_ledger(tmp_path / "claims.csv", [claim_row(), claim_row(claim="A-002")])
    )
    found = certainty_of(row, known)
    assert found is not None
    assert (found.holding, found.replications) == (18, 20)
    assert certainty_of(other, known) is None
    path.write_text("paper,claim\n", encoding="utf-8")
    with pytest.raises(DamagedFileError, match="no column dataset"):
        read_certainty(path)
