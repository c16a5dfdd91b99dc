# SPDX-License-Identifier: MIT
"""A second coder sees no verdict of the ledger, and agreement is counted as it is given."""

from __future__ import annotations

import shutil
from contextlib import chdir
from pathlib import Path

import pandas as pd
import pytest

from benchmarks.second_opinion import compare, draw, main, sentences_of

pytestmark = pytest.mark.costly

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def twelve_claims(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("second") / "opinion"
    with chdir(ROOT):
        draw(folder, 12, 7)
    return folder


@pytest.fixture
def drawn(twelve_claims: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Twelve claims, drawn."""
    monkeypatch.chdir(ROOT)
    return Path(shutil.copytree(twelve_claims, tmp_path / "opinion"))


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


def test_agreement_on_the_split_of_the_tables_is_counted_apart(
    drawn: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger = pd.read_csv(ROOT / "results/full/claims.csv", dtype=str, keep_default_na=False)
    own = ledger[(ledger["form"] == "") & ledger["splits"].str.startswith("Holds on")].head(80)
    same = int((own["one_split"] == own["verdict"]).sum())
    assert same < 80
    own.assign(verdict=own["one_split"]).to_csv(drawn / "verdicts.csv", index=False)
    compare(drawn)
    assert f"agreement {same} of 80" in (told := capsys.readouterr().out)
    assert "on the split of the tables 80 of 80" in told


TEXT = """\
1 INTRODUCTION

We compare metrics. {sentence}

2.1 Data

Nothing else is said.
"""


def test_a_blind_coder_sees_the_papers_words_and_neither_rules_nor_how_often_they_are_met(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    for path in (ROOT / "config" / "claims").glob("*20[0-9][0-9].yaml"):
        (tmp_path / f"{path.stem}.txt").write_text(TEXT.format(sentence="Metrics differ."))
    drawing = ["draw", str(tmp_path / "a"), "--claims", "9", "--blind", "--texts", str(tmp_path)]
    assert main(drawing) == 0
    page = (tmp_path / "a" / "claims.md").read_text(encoding="utf-8").partition("\n## ")[2]
    assert page.count("\n> ") == 2 * 9
    assert "(section 1)" in page
    assert not any(word in page for word in ("```", "holding", "decide:", "in_part"))
    assert page.count("What was computed: ") == page.count("Tables: none.") > 0


def test_blind_without_texts_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["draw", str(tmp_path / "a"), "--blind"]) == 1
    assert "--blind and --texts belong together" in capsys.readouterr().err


def test_sentences_are_told_with_their_sections() -> None:
    assert list(sentences_of(TEXT.format(sentence="They\ndiffer a lot."))) == [
        ("section 1", "We compare metrics."),
        ("section 1", "They differ a lot."),
        ("section 2.1", "Nothing else is said."),
    ]
