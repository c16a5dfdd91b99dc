# SPDX-License-Identifier: MIT
"""The first page, and the ledger: every claim with its verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from receval.claims.rebuilt_papers import is_rebuilt
from receval.publishing.site.certainty_rows import (
    OUTCOMES,
    CertaintyOfRows,
    counts_of_certainty,
)
from receval.publishing.site.links import relative
from receval.publishing.site.shown_rows import LEDGER, RowPrinter, ledger_of
from receval.publishing.site.site_pages import SitePage, markup
from receval.publishing.site.study_pages import Study
from receval.publishing.site.verdict_bars import verdict_bars
from receval.publishing.site.verdict_rows import (
    UNDECIDABLE,
    VERDICTS,
    VerdictRow,
    count_verdicts,
    overall_verdicts,
)

START = "index.html"
"""Address of the first page."""

MEANINGS = {
    "holds": "Our numbers agree with the paper's, by the rule that stands beside the claim.",
    "holds in part": "Some of what the claim says holds; the row says which part.",
    "depends on the split": "It holds on some of the splits that were tried, not on others.",
    "does not hold": "Our numbers say otherwise; the row says by how much and, where known, why.",
    "undecidable here": "What would decide it is not here; the row says what is missing.",
    "as defined": "A definition or a setting: checked against the configuration.",
}
"""What each verdict means."""


def start_page(
    rows: Sequence[VerdictRow],
    studies: Sequence[Study],
    doors: Mapping[str, str],
    report: str = "",
    certainty: CertaintyOfRows | None = None,
) -> SitePage:
    """Return the first page.

    Parameters
    ----------
    rows : sequence of VerdictRow
        Those on statements of newer papers are not counted here.
    studies : sequence of Study
    doors : mapping of str to str
        Where a reader goes on, by what for: ``use``, ``rerun``.
    report : str
        Address of the paper on all this; empty where it was not made.
    certainty : CertaintyOfRows, optional
        In how many replications claims hold, where there are any.
    """
    rows = [row for row in rows if is_rebuilt(row.paper)]
    repeated = counts_of_certainty(rows, certainty or {})
    papers = [study for study in studies if study.is_paper and study.rows]
    bars = [study.bar(START) for study in papers]
    counts = count_verdicts(rows)
    of_claims = Counter(overall_verdicts(rows).values())
    return SitePage(
        START,
        "",
        "start.html",
        START,
        {
            "bars": bars,
            "picture": markup(verdict_bars(bars, "papers")),
            "papers": papers,
            "others": [study for study in studies if study not in papers],
            "verdicts": VERDICTS,
            "meanings": MEANINGS,
            "counts": counts,
            "claims": of_claims.total(),
            "of_claims": of_claims,
            "rows": sum(counts.values()),
            "decided": of_claims.total() - of_claims[UNDECIDABLE],
            "doors": {name: relative(address, START) for name, address in doors.items()},
            "ledger_of": {verdict: ledger_of(verdict) for verdict in VERDICTS},
            "repeated": {verdict: repeated[verdict] for verdict in VERDICTS if verdict in repeated},
            "repeated_rows": sum(found.total() for found in repeated.values()),
            "outcomes": OUTCOMES,
            "replications": max((c.replications for c in (certainty or {}).values()), default=0),
            "report": relative(report, START) if report else "",
        },
        "Which findings of five papers on recommender evaluation hold, claim by claim.",
    )


def page_of_claims(
    rows: Sequence[VerdictRow], studies: Sequence[Study], printer: RowPrinter
) -> SitePage:
    """Return the page of all rows."""
    labels = {study.name: study.label for study in studies}

    def options(value: Callable[[VerdictRow], str]) -> list[tuple[str, int]]:
        return sorted(Counter(map(value, rows)).items())

    verdicts = Counter(row.verdict for row in rows)
    return SitePage(
        LEDGER,
        "Claims",
        "ledger.html",
        LEDGER,
        {
            "rows": [printer.shown(row, LEDGER) for row in rows],
            "labels": labels,
            "addresses": {study.name: relative(study.address, LEDGER) for study in studies},
            "claims": len({row.claim for row in rows if is_rebuilt(row.paper)}),
            "newer": len({row.claim for row in rows if not is_rebuilt(row.paper)}),
            "counted": sum(row.is_counted for row in rows),
            "papers": [(name, labels.get(name, name), n) for name, n in options(lambda r: r.paper)],
            "datasets": [
                (name, printer.datasets.get(name, name) or "any data", n)
                for name, n in options(lambda r: r.dataset)
            ],
            "kinds": options(lambda r: r.kind),
            "verdicts": [(verdict, verdicts[verdict]) for verdict in VERDICTS if verdicts[verdict]],
            "meanings": MEANINGS,
            "styles": VERDICTS,
        },
        "Every claim of five papers and of newer ones, the value beside ours, and what decided it.",
    )
