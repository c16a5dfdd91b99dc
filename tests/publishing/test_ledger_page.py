# SPDX-License-Identifier: MIT
"""The page of the ledger: counts of verdicts, and a row for each."""

from __future__ import annotations

import pandas as pd

from receval.claims.ledger import COLUMNS
from receval.publishing.ledger_page import OF_NEWER, OF_TWINS, ledger_page

ROW = dict.fromkeys(COLUMNS, "") | {
    "claim": "B-001",
    "paper": "bellogin2017",
    "where": "Section 3.3",
    "statement": "Pop is at 0.25, which is |T| <= 5.",
    "dataset": "ml-1m",
    "ours": "0.2501",
    "verdict": "holds",
}
ROWS = pd.DataFrame(
    [
        ROW,
        ROW | {"form": "as released", "verdict": "does not hold", "detail": "Off by 0.1."},
        ROW | {"dataset": "netflix", "verdict": "undecidable here", "needs": "the dataset netflix"},
        ROW | {"claim": "C-001", "paper": "canamares2020", "dataset": "", "verdict": "as defined"},
        ROW | {"claim": "F-001", "paper": "followups"},
    ],
    columns=list(COLUMNS),
)


def lines(*, synthetic: bool = False) -> list[str]:
    return ledger_page(ROWS, synthetic=synthetic).splitlines()


def test_verdicts_are_counted_by_paper_without_other_forms() -> None:
    counts = [line for line in lines() if line.startswith(("| bell", "| cana", "| foll", "| all"))]
    assert counts == [
        "| bellogin2017 | 1 | 1 | 0 | 0 | 0 | 1 | 0 |",
        "| canamares2020 | 1 | 0 | 0 | 0 | 0 | 0 | 1 |",
        "| followups | 1 | 1 | 0 | 0 | 0 | 0 | 0 |",
        "| all that are rebuilt | 2 | 1 | 0 | 0 | 0 | 1 | 1 |",
    ]


def test_every_verdict_has_a_row_with_what_decided_it() -> None:
    rows = [line for line in lines() if line.startswith(("| B-", "| C-", "| F-"))]
    assert len(rows) == len(ROWS)
    assert rows[0].endswith("| ml-1m | holds | .2501 |")
    assert r"\|T\| ≤ 5" in rows[0]
    assert rows[1].endswith("| ml-1m, as released | does not hold | .2501 · Off by .1. |")
    assert rows[2].endswith("| undecidable here | needs the dataset netflix |")


def test_statements_of_newer_papers_are_told_apart() -> None:
    page = lines()
    assert page.index(OF_NEWER) == page.index("## followups") + 2
    assert page.count(OF_NEWER) == 1


def test_only_the_page_of_twins_says_that_it_is_of_twins() -> None:
    assert OF_TWINS in lines(synthetic=True)
    assert OF_TWINS not in lines()
