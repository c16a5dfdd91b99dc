# SPDX-License-Identifier: MIT
"""The page of recommendations rests on verdicts that the ledger has."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

from reproduction.claims.ledger import claims_of

ROOT = Path(__file__).resolve().parents[2]
PAGE = " ".join((ROOT / "docs/recommendations.md").read_text(encoding="utf-8").split())
PARTS = re.split(r" ## \d+\. ", PAGE)[1:]


def test_each_recommendation_has_its_evidence_and_says_how_sure_it_is() -> None:
    assert len(PARTS) == 10
    for part in PARTS:
        assert "*Evidence:*" in part
        assert re.search(r"\*How sure:\* (sure|fairly sure|an indication)\b", part), part


def test_every_verdict_of_the_page_is_that_of_the_ledger() -> None:
    ledger = pd.read_csv(ROOT / "results/full/claims.csv", dtype=str, keep_default_na=False)
    claims = claims_of(ledger)
    verdicts = dict(zip(claims["claim"], claims["verdict"], strict=True))
    named = re.findall(r"\b([A-Z]\d{0,2}-\d{3}) \(([a-z ]+)\)", PAGE)
    assert len(named) > 30
    assert dict(named) == {name: verdicts[name] for name, _ in named}
