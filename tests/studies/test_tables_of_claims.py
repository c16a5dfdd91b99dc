# SPDX-License-Identifier: MIT
"""Verdicts beside a study's figures: which rows of the ledger, and how they are printed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from studies.prepared import display_of, saved

from receval.figures.tables import LONGEST_CELL, to_markdown
from receval.storage.files import write_results
from reproduction.claims.ledger import COLUMNS
from reproduction.experiments.experiment import InputFiles
from reproduction.studies._shared import tables
from reproduction.studies._shared.inputs import ArtifactDescription, ArtifactInputs

ROW = dict.fromkeys(COLUMNS, "") | {
    "paper": "canamares2020",
    "statement": "kNN is ahead.",
    "dataset": "ml-1m",
    "ours": "0.452 against 0.407",
    "rule": "more",
    "verdict": "holds",
}


def ledger(*rows: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame([ROW | row for row in rows], columns=list(COLUMNS))


def data(folder: Path, rows: pd.DataFrame, wanted: Any) -> pd.DataFrame:
    write_results(rows, folder / "claims.csv")
    inputs = InputFiles(claims=[folder / "claims.csv"])
    described = ArtifactDescription.of({"parameters": {"claims": wanted}})
    return tables.data_claims(ArtifactInputs(inputs, described))


def printed(
    folder: Path, rows: pd.DataFrame, study: str, artifact: str, edition: str = "demo"
) -> Any:
    return tables.tabulate_claims(saved(rows, folder), display_of(study, artifact, edition=edition))


def test_a_view_has_the_rows_of_the_claims_it_names(tmp_path: Path) -> None:
    rows = ledger({"claim": "C-001"}, {"claim": "C-002"}, {"claim": "C-002", "form": "MF (text)"})
    assert data(tmp_path, rows, "all")["claim"].tolist() == ["C-001", "C-002", "C-002"]
    found = data(tmp_path, rows, ["C-002"])
    assert found["claim"].tolist() == ["C-002", "C-002"]
    assert "paper" not in found.columns


def test_a_claim_that_is_not_in_the_ledger_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="has no verdict on C-009: correct the numbers"):
        data(tmp_path, ledger({"claim": "C-001"}), ["C-001", "C-009"])


def test_decided_claims_are_printed_and_a_note_names_the_others(tmp_path: Path) -> None:
    rows = ledger(
        {"claim": "C-001"},
        {"claim": "C-001", "form": "MF (text)", "verdict": "does not hold"},
        {"claim": "C-002", "dataset": "netflix", "verdict": "undecidable here"},
        {"claim": "C-003", "dataset": "", "verdict": "as defined"},
    )
    table = printed(tmp_path, rows, "canamares2020", "relations")
    # What another form gives is in the CSV alone.
    assert [row[:3] for row in table.rows] == [
        ("holds", "C-001", "ML-1M twin"),
        ("as defined", "C-003", "\N{EN DASH}"),
    ]
    assert table.rows[0][4:] == ("more", ".452 against .407")
    assert table.notes == ("Not decided, for want of data, on Netflix twin: C-002.",)


def test_numbers_stand_beside_the_published_ones(tmp_path: Path) -> None:
    rows = ledger({"claim": "M-034", "published": 0.617, "expected": ".617", "ours": "0.633"})
    table = printed(tmp_path, rows, "menamaldonado2021", "taus", "full")
    assert [column.header for column in table.columns][-2:] == ["Published", "Ours"]
    assert table.rows[0][-2:] == (".617", ".633")


def test_long_texts_are_cut_to_the_length_of_a_cell(tmp_path: Path) -> None:
    rows = ledger({"claim": "C-001", "ours": "long " * 80, "statement": "words " * 60})
    table = printed(tmp_path, rows, "canamares2020", "relations")
    assert all(len(cell) <= LONGEST_CELL for cell in table.rows[0])
    assert "| C-001" in to_markdown(table)
