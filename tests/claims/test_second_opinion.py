# SPDX-License-Identifier: MIT
"""A second coder sees no verdict of the ledger, and agreement is counted as it is given."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from benchmarks.second_opinion import compare, draw

pytestmark = pytest.mark.costly

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Twelve claims, drawn."""
    monkeypatch.chdir(ROOT)
    draw(tmp_path / "opinion", 12, 7)
    return tmp_path / "opinion"


def ledger_of(folder: Path) -> pd.DataFrame:
    given = pd.read_csv(folder / "verdicts.csv", dtype=str, keep_default_na=False)
    ledger = pd.read_csv(ROOT / "results/full/claims.csv", dtype=str, keep_default_na=False)
    own = ledger[ledger["form"] == ""]
    return given[["claim", "dataset"]].merge(own, on=["claim", "dataset"], validate="one_to_one")


def test_the_second_coder_gets_every_deciding_table_and_no_verdict(drawn: Path) -> None:
    ledger = ledger_of(drawn)
    assert len(ledger) == ledger["claim"].nunique() == 12
    page = (drawn / "claims.md").read_text(encoding="utf-8").partition("\n## ")[2]
    assert all(text not in page for text in ledger["ours"] if len(text) > 12)
    tables = {path.stem for path in (drawn / "tables").iterdir()}
    named = {one for cell in ledger["artifact"] for one in cell.split("; ") if one}
    assert tables == {one.replace("/", "_") for one in named}


def test_a_coder_who_gives_the_ledgers_verdicts_has_a_kappa_of_one(
    drawn: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger = ledger_of(drawn)
    ledger[["claim", "dataset", "verdict", "reason"]].to_csv(drawn / "verdicts.csv", index=False)
    compare(drawn)
    assert capsys.readouterr().out.startswith("agreement 12 of 12 (0.76 to 1.00), kappa 1.000")


def test_a_disagreement_is_named_with_both_verdicts_and_the_coders_reason(
    drawn: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger = ledger_of(drawn)[["claim", "dataset", "verdict"]].assign(reason="")
    other = "does not hold" if ledger.loc[0, "verdict"] == "holds" else "holds"
    first = dict(ledger.loc[0])
    ledger.loc[0, ["verdict", "reason"]] = [other, "It is too small."]
    ledger.to_csv(drawn / "verdicts.csv", index=False)
    capsys.readouterr()
    compare(drawn)
    printed = capsys.readouterr().out
    assert printed.startswith("agreement 11 of 12")
    named = f"{first['claim']} {first['dataset']}: {first['verdict']}; second: {other}"
    assert f"{named}\n  It is too small." in printed
