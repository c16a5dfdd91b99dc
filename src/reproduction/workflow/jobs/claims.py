# SPDX-License-Identifier: MIT
"""Judge the claims of papers, once or in replications, and measure the effects of errata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from receval.storage.files import read_results, refusing_damage, write_results

if TYPE_CHECKING:
    import pandas as pd

    from reproduction.claims.sources import ClaimSources

Titles = Mapping[str, str]


def _sources(results: Sequence[Path], records: Sequence[Path]) -> ClaimSources:
    """Return results by their study and name, and records by their study."""
    from reproduction.claims.sources import ClaimSources

    return ClaimSources(
        {f"{path.parent.name}/{path.stem}": path for path in results},
        {path.parent.name: path for path in records},
    )


def judge_claims(
    *,
    claims: Path,
    record: Path,
    results: Sequence[Path],
    certainty: Sequence[Path],
    verdicts: Path,
) -> None:
    """Judge the claims of a paper by the results of an edition."""
    from reproduction.claims.ledger import judged_claims
    from reproduction.claims.spec import read_claims

    sources = _sources(results, [record])
    known = read_results(certainty[0]) if certainty else None
    write_results(judged_claims([read_claims(claims)], sources, known), verdicts)


def gather_claims(
    *, verdicts: Sequence[Path], ledger: Path, page: Path, datasets: Titles, synthetic: bool
) -> None:
    """Write the ledger of all papers, as a table and as a page."""
    import pandas as pd

    from receval.storage.files import write_atomically
    from reproduction.publishing.ledger import ledger_page, read_verdict_rows

    rows = pd.concat([read_results(path) for path in verdicts], ignore_index=True)
    write_results(rows, ledger)
    text = ledger_page(read_verdict_rows(ledger), datasets, synthetic=synthetic)
    write_atomically(page, text)


def list_claims(
    *, verdicts: Path, page: Path, datasets: Titles, elsewhere: Mapping[str, str], synthetic: bool
) -> None:
    """Write the page of all claims of a paper."""
    from receval.storage.files import write_atomically
    from reproduction.publishing.ledger import paper_page, read_verdict_rows

    rows = read_verdict_rows(verdicts)
    write_atomically(page, paper_page(rows, datasets, elsewhere, synthetic=synthetic))


def judge_replication(
    *,
    claims: Path,
    record: Path,
    results: Sequence[Path],
    datasets: Sequence[str],
    label: Mapping[str, Any],
    verdicts: Path,
    numbers: Path,
) -> None:
    """Judge the claims of a paper that depend on splits and seeds, in one replication.

    The verdicts have one row per claim and dataset, the numbers one row per number that was read.
    """
    from reproduction.claims.repetition import ReplicationLabel, judged_replication
    from reproduction.claims.spec import read_claims

    sources = _sources(results, [record])
    rows, cells = judged_replication(
        read_claims(claims), datasets, sources, ReplicationLabel(**label)
    )
    write_results(rows, verdicts)
    write_results(cells, numbers)


def gather_replications(
    *, verdicts: Sequence[Path], accepted: Sequence[Path], seeds: Mapping[str, int], table: Path
) -> None:
    """Write the verdicts of all replications: the new ones, and accepted ones of other seeds."""
    import pandas as pd

    from reproduction.claims.repetition import all_replications

    fresh = pd.concat(map(_as_text, verdicts), ignore_index=True)
    known = _as_text(accepted[0]) if accepted else None
    write_results(all_replications(fresh, known, seeds), table)


def _as_text(path: Path) -> pd.DataFrame:
    """Read a CSV as text, so that copied rows stay the same to the byte."""
    import pandas as pd

    with refusing_damage(path):
        return pd.read_csv(path, dtype=str, keep_default_na=False)


def summarise_replications(
    *, replications: Path, claims: Sequence[Path], designs: Mapping[str, str], table: Path
) -> None:
    """Write the certainty of each verdict.

    ``designs`` says by study why its splits do not decide, where they are of another design.
    """
    from receval.storage.files import real_values
    from reproduction.claims.repetition import told_beside
    from reproduction.claims.spec import read_claims
    from reproduction.claims.verdicts import certainty

    rows = read_results(replications)
    for name in ("published", "value"):
        rows[name] = real_values(rows[name])
    papers = [read_claims(path) for path in claims]
    printed = {number: claim.expected for paper in papers for number, claim in paper.claims.items()}
    write_results(certainty(rows, printed, told_beside(papers, designs)), table)


def split_variance(*, numbers: Sequence[Path], runs: Sequence[str], table: Path) -> None:
    """Write how much of the variance of each deciding number each source of chance explains."""
    import pandas as pd

    from receval.storage.files import real_values
    from reproduction.claims.repetition import SOURCES, variance_table

    tables = []
    for path, run in zip(numbers, runs, strict=True):
        levels = dict(zip(SOURCES, run.split("-"), strict=True))
        tables.append(read_results(path).assign(**levels))
    rows = pd.concat(tables, ignore_index=True)
    rows["value"] = real_values(rows["value"])
    write_results(variance_table(rows.fillna({"label": ""})), table)


def draw_replications(
    *,
    certainty: Path,
    claims: Path,
    study: str,
    datasets: Titles,
    is_demo: bool,
    results: Path,
    svg: Path,
    pdf: Path,
) -> None:
    """Draw the certainty of the verdicts on the claims of a paper."""
    from receval.figures.finish import save_figure
    from receval.figures.style import figure_style
    from reproduction.claims.spec import read_claims
    from reproduction.claims.verdicts import in_prose
    from reproduction.publishing.claim_counts import caption, draw, drawn_rows

    rows = drawn_rows(read_results(certainty), study)
    write_results(rows, results)
    spec = read_claims(claims)
    statements = {number: claim.statement for number, claim in spec.claims.items()}
    with figure_style():
        figure = draw(read_results(results), statements, datasets)
        said = caption(rows, is_demo=is_demo)
        title = f"Replications of {in_prose(study)}"
        save_figure(figure, svg, pdf, title=title, description=said)


def measure_errata(
    *, errata: Path, results: Sequence[Path], records: Sequence[Path], table: Path
) -> None:
    """Write the numbers of all errata."""
    from reproduction.claims.errata import errata_table, load_errata

    sources = _sources(results, records)
    write_results(errata_table(load_errata(errata), sources), table)
