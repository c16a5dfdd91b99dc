# SPDX-License-Identifier: MIT
"""The ledger for readers: its rows are read whole or refused, counted, and told on pages."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from publishing.site_samples import OTHER_FORM, ROOT, claim_row, write_ledger
from publishing.site_samples import ROWS as ROWS_OF_SITE

from receval.storage.files import DamagedFileError, read_results
from reproduction.claims.ledger import OF_INTERVAL, claims_of
from reproduction.claims.verdicts import ClaimVerdict, in_prose, is_rebuilt, told_of_splits
from reproduction.config.settings import load_settings
from reproduction.publishing.ledger import (
    OF_NEWER,
    OF_TWINS,
    LedgerClaim,
    VerdictRow,
    claims_in,
    figure_or_section,
    headline,
    here_counts,
    ledger_page,
    paper_page,
    papers_in,
    read_verdict_rows,
    reasons_once,
    splits_in_short,
)
from reproduction.publishing.site.study_pages import Study, StudyText
from reproduction.workflow.plan.datasets import RunFolders
from reproduction.workflow.plan.plan import Plan


def test_papers_have_the_names_of_the_authors_in_their_citations() -> None:
    studies = load_settings(ROOT / "config", "full").studies
    papers = {name: spec.citation for name, spec in studies.items() if is_rebuilt(name)}
    assert len(papers) >= 10
    for name, citation in papers.items():
        assert in_prose(name) == Study(name, Path(name), StudyText("", citation, ()), ()).label


def test_rows_keep_their_order_and_texts(tmp_path: Path) -> None:
    rows = read_verdict_rows(write_ledger(tmp_path / "claims.csv"))
    assert [row.claim for row in rows] == [row["claim"] for row in ROWS_OF_SITE]
    assert rows[0].expected == "0.5"
    assert rows[4].artifacts == ()


def test_verdicts_are_counted_in_the_order_in_which_they_are_shown(tmp_path: Path) -> None:
    rows = read_verdict_rows(write_ledger(tmp_path / "claims.csv"))
    counts = here_counts(claims_in(rows))
    assert list(counts) == list(map(str, ClaimVerdict))
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


@pytest.mark.parametrize("beside", ["", "they are of another design"])
def test_what_is_said_of_splits_is_understood_in_short(beside: str) -> None:
    row = {"replications": 20, "holding": 17, "in_part": 2, "location": "", "beside": beside}
    assert splits_in_short(told_of_splits(math.nan, row)) == "17 of 20 splits"


@pytest.mark.parametrize("location", ["inside", "outside"])
def test_no_share_of_splits_is_told_of_a_number(location: str) -> None:
    place = {"location": location, "published": 0.97, "mean": 0.94, "low": 0.9, "high": 0.95}
    row = {"replications": 20, "holding": "", "in_part": "", "beside": "", **place}
    assert splits_in_short(told_of_splits(0.91, row)) == ""


def test_a_row_hangs_on_each_of_its_artifacts() -> None:
    artifacts = row(artifact="paper2018/fig01; systems/fidelity").artifacts
    assert artifacts == (("paper2018", "fig01"), ("systems", "fidelity"))


def test_an_unknown_verdict_is_refused_with_its_line(tmp_path: Path) -> None:
    path = write_ledger(tmp_path / "claims.csv", [claim_row(), claim_row(verdict="perhaps")])
    with pytest.raises(DamagedFileError, match="line 3: 'perhaps' is not a verdict"):
        read_verdict_rows(path)


def test_a_ledger_without_a_column_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "claims.csv"
    path.write_text("claim,paper\nA-001,paper2018\n", encoding="utf-8")
    with pytest.raises(DamagedFileError, match="has no column artifact, because, cells"):
        read_verdict_rows(path)


# --- pages -------------------------------------------------------------------------------------

LARGEST = 60_000
"""Bytes of a page of Markdown, as of one of the site."""


def row(**changes: str) -> VerdictRow:
    """Return a row of the paper of 2018."""
    return VerdictRow(**claim_row(**changes))


SLIP = row(claim="A-002", in_paper="inconsistent", printed="Table 3 prints .7.", verdict="holds")
FAILING = row(
    claim="A-003",
    where="Section 4 and Fig. 2",
    in_paper="consistent",
    verdict="does not hold",
    reason="Our pLSA is another one.",
)
OF_SPLITS = row(
    claim="A-004",
    kind="trend",
    verdict="depends on the split",
    splits="Holds on 17 of 20 splits, and in part on 3.",
    published="",
)
LACKING = row(dataset="netflix", verdict="undecidable here", needs="the dataset netflix", ours="")
NEWER = row(claim="F-001", paper="followups", verdict="does not hold")
ROWS = [
    row(in_paper="not given"),
    row(form="as released", verdict="does not hold", detail="Off by 0.1."),
    LACKING,
    SLIP,
    FAILING,
    OF_SPLITS,
    NEWER,
]
OF_2018 = ROWS[:-1]
ELSEWHERE = {"netflix": "decided by `make reproduce` where Netflix can be downloaded"}


def titles(*, synthetic: bool = False) -> dict[str, str]:
    return {"ml-1m": "ML-1M twin" if synthetic else "ML-1M", "netflix": "Netflix"}


def page(*, synthetic: bool = False) -> str:
    return ledger_page(ROWS, titles(synthetic=synthetic), synthetic=synthetic)


def claims(*, synthetic: bool = False) -> str:
    return paper_page(OF_2018, titles(synthetic=synthetic), ELSEWHERE, synthetic=synthetic)


def test_the_headline_counts_statements_in_the_paper_and_here() -> None:
    assert headline(claims_in(OF_2018)) == (
        "4 statements. **In the paper:** consistent 1, inconsistent 1, not given 1, "
        "not yet said 1. **Rebuilt here:** holds 2, depends on the split 1, does not hold 1."
    )


def test_newer_papers_are_counted_by_themselves_and_in_words_of_their_own() -> None:
    text = page()
    rebuilt, _, newer = text.partition("## The follow-ups")
    assert OF_NEWER not in rebuilt
    assert newer.count(OF_NEWER) == 1
    assert "| all | 4 |" in rebuilt
    assert "**Here:** not seen on our data 1." in newer
    assert "does not hold" not in newer


def test_the_most_important_claims_of_newer_papers_are_on_their_own_pages() -> None:
    failing = row(claim="W23-001", paper="wegmeth2023", verdict="does not hold", reason="Chance.")
    heading = "### Could not be rebuilt, or in part (1)"
    assert heading not in ledger_page([failing], titles(), synthetic=False)
    assert heading in paper_page([failing], titles(), {}, synthetic=False)
    assert "read first" not in paper_page([failing], titles(), {}, synthetic=False)


def test_a_slip_is_told_with_what_the_paper_prints() -> None:
    slips = page().partition("### Slips in the paper (1)")[2].partition("###")[0]
    assert slips.strip() == (
        "- A-002 (Fig. 1): P at 10 of pLSA. *ML-1M: holds.* Table 3 prints .7."
    )


def test_what_could_not_be_rebuilt_is_told_with_its_reason() -> None:
    failing = page().partition("### Could not be rebuilt, or in part (1)")[2].partition("###")[0]
    assert failing.strip().endswith("*ML-1M: does not hold.* Our pLSA is another one.")


def test_a_reason_of_several_claims_is_told_once() -> None:
    failing = {"verdict": "does not hold", "reason": "Our pLSA is another one."}
    rows = [row(claim=f"A-00{number}", **failing) for number in (1, 2, 3)]
    (paper,) = papers_in([*rows, row(claim="A-004", verdict="does not hold", reason="By chance.")])
    reasons = [why for _, _, why in reasons_once(paper.not_rebuilt)]
    assert reasons == ["Our pLSA is another one.", "As A-001.", "As A-001.", "By chance."]


def test_what_the_paper_itself_contradicts_is_a_slip_and_no_failure_of_ours() -> None:
    (paper,) = papers_in([row(in_paper="inconsistent", verdict="does not hold")])
    assert (len(paper.slips), paper.not_rebuilt) == (1, [])
    assert LedgerClaim((row(verdict="contradicts itself"),)).is_slip


def test_what_depends_on_the_split_says_on_how_many_it_holds() -> None:
    unsure = page().partition("### Depends on the split (1)")[2].partition("##")[0]
    assert unsure.strip().endswith("Holds on 17 of 20 splits.")


def test_all_claims_of_a_paper_stand_under_the_figure_or_section_that_they_are_of() -> None:
    headings = [line for line in claims().splitlines() if line.startswith("## ")]
    assert headings == ["## Figure 1", "## Figure 2"]


def test_a_line_has_every_verdict_of_a_claim_and_other_forms_that_differ() -> None:
    (line,) = (line for line in claims().splitlines() if "A-001" in line)
    assert line == (
        '| <a id="A-001"></a>A-001 | P at 10 of pLSA. | not given | holds (ML-1M): .51; '
        "undecidable here (Netflix). Another form, as released: does not hold (ML-1M): .51 |"
    )


def test_a_number_that_splits_decide_stands_with_their_interval() -> None:
    decided = row(ours=".51", rule=OF_INTERVAL, low="0.4876", high="0.6")
    text = paper_page([decided], titles(), {}, synthetic=False)
    assert "holds (ML-1M): .51 (on one more split .488 to .600) |" in text


def test_another_form_that_says_the_same_or_nothing_is_not_told() -> None:
    same = row(form="as released")
    silent = row(form="as printed", verdict="undecidable here", needs="the lists", ours="")
    of_no_dataset = row(form="in general", dataset="", verdict="holds in part")
    text = paper_page([row(), same, silent, of_no_dataset], titles(), {}, synthetic=False)
    assert re.findall("Another form, ([a-z ]+):", text) == ["in general"]


def test_a_missing_dataset_is_explained_once_a_page() -> None:
    assert claims().count(ELSEWHERE["netflix"]) == 1


@pytest.mark.each(
    ("where", "part"),
    [
        ("Fig. 5a", "Figure 5"),
        ("Section 7.2, Fig. 10, 11 and 13", "Figures 10, 11 and 13"),
        ("Sections 3.2 and 3.3",) * 2,
        ("Section 5, toy example of figure 2", "Figure 2"),
        ("Diaz, Ekstrand and Mitra, TORS 2025, abstract",) * 2,
    ],
)
def test_a_claim_is_of_the_figure_that_where_it_stands_names_first(where: str, part: str) -> None:
    assert figure_or_section(where) == part


def test_only_the_pages_of_twins_say_that_they_are_of_twins() -> None:
    assert OF_TWINS in page(synthetic=True)
    assert OF_TWINS in claims(synthetic=True)
    assert OF_TWINS not in page() + claims()
    assert "holds (ML-1M twin): .51; " in claims(synthetic=True)
    assert "*ML-1M twin: holds.*" in page(synthetic=True)


@pytest.mark.repository
@pytest.mark.parametrize("edition", ["demo", "full"])
def test_no_page_of_the_accepted_ledger_is_large(edition: str) -> None:
    pages = sorted((ROOT / "results" / edition).glob("claims*.md"))
    assert len(pages) == 12
    assert {page.name: page.stat().st_size for page in pages if page.stat().st_size > LARGEST} == {}


@pytest.mark.repository
@pytest.mark.parametrize("edition", ["demo", "full"])
def test_the_accepted_pages_are_those_of_the_accepted_ledger(edition: str) -> None:
    folder: Path = ROOT / "results" / edition
    rows = read_verdict_rows(folder / "claims.csv")
    text = (folder / "claims.md").read_text(encoding="utf-8")
    plan = Plan(load_settings(ROOT / "config", edition), RunFolders.of(ROOT))
    named = plan.site.dataset_titles()
    assert text == ledger_page(rows, named, synthetic=edition == "demo")
