# SPDX-License-Identifier: MIT
"""The ledger: every claim of the papers has a verdict, and says what decided it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from claims.made_up import CLAIMS, STUDY, claims_of_paper, sources_of, values_of

from receval.figures.printed_numbers import NOTHING
from receval.storage.files import read_results, real_values
from reproduction.claims.comparison_rules import NumberRule
from reproduction.claims.ledger import (
    COLUMNS,
    COLUMNS_OF_A_LINE,
    LINES,
    OF_INTERVAL,
    judge,
    judged_claims,
    ledger_row,
    reminders_of,
    report_of_claims,
)
from reproduction.claims.sources import ClaimContext, ClaimSources
from reproduction.claims.spec import (
    AnyRule,
    EachRule,
    PaperClaims,
    UnmeasuredRule,
    filled_in,
    read_claims,
)
from reproduction.claims.verdicts import ENOUGH, IN_PROSE, RARE, RELEASED, ClaimVerdict

pytestmark = [pytest.mark.costly, pytest.mark.repository]

ROOT = Path(__file__).resolve().parents[2]
NUMBERS = {
    "bellogin2017": [f"B-{n:03}" for n in range(1, 73)],
    "canamares2020": [f"C-{n:03}" for n in range(1, 40)],
    "menamaldonado2021": [f"M-{n:03}" for n in range(1, 140)],
    "valcarce2018": [f"V18-{n:03}" for n in range(1, 183)],
    "valcarce2020": [f"V20-{n:03}" for n in range(1, 51)],
}
"""All 482 statements that can be checked."""

NEWER = ("followups", "rampisela2024", "rampisela2025", "shehzad2023", "wegmeth2023", "winter2025")
"""The studies that judge statements of newer papers."""

CLAIM = """
paper: bellogin2017
claims:
  B-001:
    where: Section 1
    kind: {kind}
    statement: Pop is at .25.
    expected: 0.25
    reason: It is a twin.
    checks:
      - datasets: [{datasets}]
        artifact: fig01
        decide:
          rule: number
          ours: {{where: {{system: pop}}{ends}}}
          published: 0.25
"""


@cache
def papers() -> list[PaperClaims]:
    return [claims_of_paper(paper) for paper in sorted((*NUMBERS, *NEWER))]


@cache
def ledger() -> pd.DataFrame:
    results = ROOT / "results" / "full"
    certainty = read_results(results / "certainty.csv")
    return judged_claims(papers(), ClaimSources.of_folder(results), certainty)


def stored(path: Path) -> pd.DataFrame:
    table = read_results(path)
    numbers = {name: real_values(table[name]) for name in ("published", "value", "low", "high")}
    return table.assign(**numbers)


@pytest.fixture(autouse=True)
def _claims_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give every report the claims that were read before: reading all takes a second."""
    monkeypatch.setattr("reproduction.claims.ledger.read_claims", lambda p: claims_of_paper(p.stem))


@pytest.fixture(params=["full", "demo"])
def rows(request: pytest.FixtureRequest) -> pd.DataFrame:
    """The ledger of the accepted results, and that of the demo edition as a run wrote it."""
    if request.param == "full":
        return ledger()
    return stored(request.getfixturevalue("demo_edition") / "artifacts" / "claims.csv")


def claim_of(
    tmp_path: Path, kind: str = "number", datasets: str = "ml-1m", ends: str = ""
) -> PaperClaims:
    path = tmp_path / "claims.yaml"
    path.write_text(CLAIM.format(kind=kind, datasets=datasets, ends=ends))
    return read_claims(path)


def test_what_some_copies_of_a_dataset_lack_is_needed_where_a_check_says_so(tmp_path: Path) -> None:
    claim = claim_of(tmp_path).claims["B-001"]
    (check,) = claim.checks
    sources = sources_of(tmp_path, values_of(knn=0.5), edition="full")
    with pytest.raises(ValueError, match="Correct the selection"):
        judge(check, claim, STUDY, sources)
    needing = check.model_copy(update={"needs": "the timestamps"})
    finding = judge(needing, claim, STUDY, sources)
    assert (finding.verdict, finding.detail) == (ClaimVerdict.UNDECIDABLE, "the timestamps")
    there = sources_of(tmp_path, values_of(pop=0.25), edition="full")
    assert judge(needing, claim, STUDY, there).verdict is ClaimVerdict.HOLDS


def test_a_statement_on_released_folds_is_judged_on_others_too_but_for_numbers(
    tmp_path: Path,
) -> None:
    claim = claim_of(tmp_path).claims["B-001"].model_copy(update={"published_on": {"ml-1m": "a"}})
    (check,) = claim.checks
    other = sources_of(
        tmp_path,
        values_of(pop=0.25),
        study={"experiments": {"x": {"dataset": "ml-1m", "split": "b"}}},
    )
    assert judge(check, claim, STUDY, other).verdict is ClaimVerdict.UNDECIDABLE
    relation = claim.model_copy(update={"kind": "relation"})
    assert judge(check, relation, STUDY, other).verdict is ClaimVerdict.HOLDS


@pytest.mark.parametrize(("value", "said"), [(0.25, "Pop has .250."), (float("nan"), NOTHING)])
def test_a_sentence_is_told_where_it_has_all_its_numbers(
    tmp_path: Path, value: float, said: str
) -> None:
    claim = claim_of(tmp_path).claims["B-001"]
    (check,) = claim.checks
    assert isinstance(check.decide, NumberRule)
    telling = {"here": "Pop has {pop:.3f}.", "numbers": {"pop": check.decide.ours}}
    sources = sources_of(tmp_path, values_of(pop=value), edition="full")
    row = ledger_row("B-001", claim, check.model_copy(update=telling), STUDY, sources)
    assert row["ours"] == said


@pytest.mark.parametrize("paper", NUMBERS)
def test_every_statement_of_a_paper_is_in_the_ledger_with_one_check_that_decides_a_dataset(
    paper: str,
) -> None:
    claims = claims_of_paper(paper).claims
    assert list(claims) == NUMBERS[paper]
    for number, claim in claims.items():
        keys = [(check.dataset, check.form) for check in claim.checks]
        assert len(set(keys)) == len(keys), number
        assert {dataset for dataset, _ in keys} == {own for own, form in keys if not form}, number


def test_every_claim_of_bellogin2017_says_what_the_values_of_the_paper_itself_say() -> None:
    claims = claims_of_paper("bellogin2017").claims
    assert [number for number, claim in claims.items() if claim.in_paper is None] == []


def test_every_claim_has_one_verdict_for_each_dataset(rows: pd.DataFrame) -> None:
    assert tuple(rows.columns) == COLUMNS
    newer = {number for paper in NEWER for number in claims_of_paper(paper).claims}
    known = {number for numbers in NUMBERS.values() for number in numbers}
    assert set(rows["claim"]) == known | newer
    assert set(rows["verdict"]) <= set(map(str, ClaimVerdict))
    assert not rows.duplicated(["claim", "dataset", "form"]).any()


def test_movielens_and_cm100k_decide_at_least_320_claims() -> None:
    rows = ledger()
    of_claims = rows[(rows["form"] == "") & (rows["verdict"] != "undecidable here")]
    assert of_claims["claim"].nunique() >= 320


def test_a_verdict_says_what_decided_it_and_what_else_would(rows: pd.DataFrame) -> None:
    decided = rows["verdict"] != "undecidable here"
    assert (rows.loc[decided, ["ours", "rule"]] != "").all(axis=None)
    # Of a paper that contradicts itself its text decides, and no cell.
    by_the_text = rows["verdict"] == "contradicts itself"
    assert ((rows["cells"] == "") == by_the_text)[decided].all()
    assert (rows.loc[~decided, "needs"] != "").all()
    of_a_number = rows["published"].notna()
    assert (rows["value"].notna() | ~decided | ~of_a_number).all()


def test_only_real_data_have_reasons() -> None:
    fails = ~ledger()["verdict"].isin(["holds", "as defined", "undecidable here"])
    assert (ledger().loc[~fails, "reason"] == "").all()
    # The claims of one paper, as a run of the demo edition judges them.
    (paper,) = (each for each in papers() if each.paper == "canamares2020")
    twins = judged_claims([paper], ClaimSources.of_folder(ROOT / "results" / "demo"))
    assert twins["verdict"].isin(["holds in part", "does not hold"]).any()
    assert (twins["reason"] == "").all()


def test_the_accepted_ledger_is_that_of_the_accepted_results() -> None:
    accepted = stored(ROOT / "results" / "full" / "claims.csv")
    assert accepted["claim"].tolist() == ledger()["claim"].tolist()
    assert accepted["verdict"].tolist() == ledger()["verdict"].tolist()


def test_texts_have_authors_and_years_and_systems_in_print() -> None:
    texts = ledger()[["statement", "expected", "printed", "ours", "because", "detail", "reason"]]
    internal = re.compile(rf"\b(?:{'|'.join(set(IN_PROSE) - {'followups'})})\b(?!/)|PLSA")
    assert [text for text in texts.to_numpy().ravel() if internal.search(text)] == []


def test_a_row_has_the_reason_of_its_rule() -> None:
    sources = ClaimSources.of_folder(ROOT / "results" / "full")
    rows = ledger()
    expected = [
        check.decide.why(
            sources, ClaimContext(paper.paper, check.artifact, check.dataset, check.where)
        )
        for paper in papers()
        for claim in paper.claims.values()
        for check in claim.checks
    ]
    # Where the interval of splits decides a number, its tolerance needs no reason.
    by_tolerance = (rows["rule"] != OF_INTERVAL).tolist()
    assert rows["because"].tolist() == [
        why if own else "" for why, own in zip(expected, by_tolerance, strict=True)
    ]
    tolerant = rows["rule"].str.match(r"within \S+$")
    assert tolerant.sum() > 100
    assert (rows.loc[tolerant, "because"] != "").all()


def test_what_is_undecided_has_its_rule_and_the_published_number() -> None:
    rows = ledger()
    checks = [
        check.decide
        for paper in papers()
        for claim in paper.claims.values()
        for check in claim.checks
    ]
    assert [bool(said) for said in rows["rule"]] == [is_measured(decide) for decide in checks]
    published = [d.published if isinstance(d, NumberRule) else np.nan for d in checks]
    np.testing.assert_array_equal(rows["published"], published)
    undecided = rows[rows["verdict"] == "undecidable here"]
    assert undecided["published"].notna().sum() > 90
    assert undecided["value"].isna().all()


def is_measured(decide: AnyRule) -> bool:
    if isinstance(decide, EachRule):
        return any(map(is_measured, decide.parts.values()))
    return not isinstance(decide, UnmeasuredRule)


def test_every_claim_that_fails_says_by_how_much(rows: pd.DataFrame) -> None:
    fails = rows["verdict"].isin(["does not hold", "holds in part"])
    # A sentence of our own has our numbers, in their units.
    silent = (rows["detail"] == "") & (rows["splits"] == "") & ~rows["ours"].str.endswith(".")
    assert rows.loc[fails & silent, "claim"].tolist() == []


def test_a_claim_is_decided_for_each_dataset_that_is_there(tmp_path: Path) -> None:
    sources = sources_of(tmp_path, values_of(pop=0.25))
    rows = judged_claims([claim_of(tmp_path, datasets="ml-1m, netflix")], sources)
    assert rows["verdict"].tolist() == ["holds", "undecidable here"]
    assert rows["needs"].tolist() == ["", "the dataset netflix"]
    assert rows["artifact"].tolist() == [f"{STUDY}/fig01", ""]
    assert rows["cells"][0] == "system=pop, dataset=ml-1m: value"


@pytest.mark.parametrize(
    ("kind", "value", "verdict"),
    [
        ("number", 0.25, "holds"),
        ("setting", 0.25, "as defined"),
        ("definition", 0.25, "as defined"),
        ("setting", 0.3, "does not hold"),
    ],
)
def test_settings_and_definitions_are_as_defined(
    tmp_path: Path, kind: str, value: float, verdict: str
) -> None:
    sources = sources_of(tmp_path, values_of(pop=value))
    rows = judged_claims([claim_of(tmp_path, kind)], sources)
    assert rows["verdict"].tolist() == [verdict]
    assert rows["reason"].tolist() == ["It is a twin." if "not" in verdict else ""]


def test_a_claim_that_selects_nothing_is_named(tmp_path: Path) -> None:
    sources = sources_of(tmp_path, values_of(mf=0.25))
    with pytest.raises(
        ValueError, match=r"The claim B-001 on ml-1m cannot be judged: .*system=pop"
    ):
        judged_claims([claim_of(tmp_path)], sources)


@pytest.mark.each(
    ("old", "new", "message"),
    [
        ("kind: number", "kind: guess", "claims.B-001.kind: Input should be"),
        ("published", "publishd", "publishd: there is no such key"),
        ("rule: number", "rule: numbr", "claims.B-001.checks.0.decide"),
        ("B-001", "B-1", "claims.B-1"),
        ("where: Section 1", "were: Section 1", "claims.B-001.where: the key is missing"),
    ],
)
def test_a_claim_that_is_none_is_refused_in_a_sentence(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    path = tmp_path / "claims.yaml"
    path.write_text(CLAIM.format(kind="number", datasets="ml-1m", ends="").replace(old, new, 1))
    with pytest.raises(ValueError, match=r"claims\.yaml cannot be used") as refused:
        read_claims(path)
    assert message in str(refused.value)


FAMILY = """
paper: bellogin2017
families:
  - where: Section 1
    kind: number
    statement: "{name} is at {published}."
    expected: "{published}"
    each:
      B-002: {name: Pop, system: pop, published: 0.25}
      B-003: {name: MF, system: mf, published: 0.5}
    checks:
      - datasets: [ml-1m]
        decide:
          rule: number
          ours: {where: {system: "{system}"}}
          published: "{published}"
claims: {}
"""


def test_a_family_writes_out_its_claims(tmp_path: Path) -> None:
    path = tmp_path / "claims.yaml"
    path.write_text(FAMILY)
    claims = read_claims(path).claims
    assert {number: claim.statement for number, claim in claims.items()} == {
        "B-002": "Pop is at 0.25.",
        "B-003": "MF is at 0.5.",
    }
    assert [claim.expected for claim in claims.values()] == [".25", ".5"]
    assert [claim.checks[0].decide.published for claim in claims.values()] == [0.25, 0.5]


def test_checks_are_repeated_for_the_names_that_they_list(tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    path.write_text(
        """
paper: study
claims:
  A-001:
    where: Section 1
    kind: number
    statement: One is less than two.
    expected: less
    checks:
      - each:
          - {dataset: ml-1m, low: 1, high: 2}
          - {dataset: ml-1m, form: exchanged, low: 2, high: 1}
        decide: {rule: comparison, left: "{low}", sign: "<", right: "{high}"}
"""
    )
    checks = read_claims(path).claims["A-001"].checks
    assert [(check.dataset, check.form) for check in checks] == [
        ("ml-1m", ""),
        ("ml-1m", "exchanged"),
    ]
    assert [(check.decide.left, check.decide.right) for check in checks] == [(1, 2), (2, 1)]
    path.write_text(path.read_text().replace("{low}", "{lowest}"))
    with pytest.raises(ValueError, match="lowest"):
        read_claims(path)


def test_a_claim_is_given_once(tmp_path: Path) -> None:
    path = tmp_path / "claims.yaml"
    path.write_text(FAMILY.replace("claims: {}", "claims: {B-002: {}}"))
    with pytest.raises(ValueError, match="the claim B-002 is defined twice"):
        read_claims(path)


def test_a_name_without_a_value_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"names y, but each has no value for it\. Its values are x"
    ):
        filled_in("{x} and {y}", {"x": 1})


def test_the_report_counts_verdicts_and_tells_all_of_some_claims(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    results = ROOT / "results" / "full"
    with monkeypatch.context() as patch:
        # To judge all claims once more would take seconds.
        patch.setattr("reproduction.claims.ledger.judged_claims", lambda *_: ledger())
        counts = report_of_claims(CLAIMS, results)
    printed, here, _, rebuilt, newer = counts.split("\n\n")
    assert printed.startswith("in the paper\n")
    assert [line.split()[0] for line in here.splitlines()[3:]] == [*NUMBERS, "all"]
    assert newer.splitlines()[1].split("  ")[-1] == "undecidable here"
    assert newer.splitlines()[1].split()[:4] == ["seen", "on", "our", "data"]
    lines = [*newer.splitlines()[3:], *rebuilt.splitlines()[3:]]
    assert [line.split()[0] for line in lines] == [*NEWER, "all"]
    told = report_of_claims(CLAIMS, results, ["V18-044"])
    assert told.startswith("V18-044 (Fig. 1): Kendall's tau between nDCG@20 and nDCG@80 is .97.\n")
    said = " ".join(told.split())
    assert " ml-1m: holds. On this split .9139; on 20 others .9426 on average. The publ" in said
    assert " decided by: in the interval in which one more split is expected; " in said
    assert " keep in mind: systems were fitted to published P@10 and nDCG, so that " in said
    assert "; the same artifact decides 56 other claims, and no verdict is corr" in said


def told_of_all(monkeypatch: pytest.MonkeyPatch, rows: pd.DataFrame) -> list[str]:
    """Return what a terminal prints of every claim of some rows."""

    def judged(papers: list[PaperClaims], *_: object) -> pd.DataFrame:
        return rows[rows["claim"].isin([number for paper in papers for number in paper.claims])]

    with monkeypatch.context() as patch:
        # To judge all claims once more would take seconds.
        patch.setattr("reproduction.claims.ledger.judged_claims", judged)
        numbers = rows["claim"].unique().tolist()
        return report_of_claims(CLAIMS, ROOT / "results" / "full", numbers).split("\n\n")


def test_all_that_is_known_of_a_claim_has_twelve_lines_at_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = told_of_all(monkeypatch, ledger())
    assert len(told) == ledger()["claim"].nunique()
    assert [text for text in told if len(text.strip().splitlines()) > LINES] == []
    lines = [line for text in told for line in text.splitlines()]
    assert [line for line in lines if len(line) > COLUMNS_OF_A_LINE] == []


def test_where_lines_are_not_enough_verdicts_stay_whole_and_reasons_end_early(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (told,) = told_of_all(monkeypatch, ledger().loc[ledger()["claim"] == "B-006"])
    assert len(told.strip().splitlines()) == LINES
    said = " ".join(told.split())
    assert "ml-1m: holds in part. Holds on 0 of 20 splits, and in part on 20. pLSA leads" in said
    assert "in AR TI-AN, .062 in AR AI-AN and .019 in 1R; Pop leads the best" in said
    assert "  why not: The order is the paper's." in told
    assert " …\n" in told


def test_a_claim_says_what_its_paper_has_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    one = ledger().loc[ledger()["claim"] == "V18-044"]
    rows = one.assign(in_paper="consistent", printed="Table 3 has it, too.")
    (told,) = told_of_all(monkeypatch, rows)
    assert "\n  in the paper: .97; consistent. Table 3 has it, too.\n" in told


def test_what_weakens_a_verdict_is_what_it_shares_and_what_was_fitted() -> None:
    reminders = reminders_of([claims_of_paper("valcarce2018")])
    fitted, shared = reminders["V18-044"]
    assert re.fullmatch(r"the same artifact decides \d+ other claims, and no verdict .*", shared)
    assert fitted.startswith("systems were fitted to published P@10 and nDCG")


def test_no_claim_fails_that_splits_say_otherwise_of() -> None:
    accepted = read_results(ROOT / "results" / "full" / "claims.csv")
    certainty = read_results(ROOT / "results" / "full" / "certainty.csv")
    failing = accepted[accepted["verdict"] == ClaimVerdict.DOES_NOT_HOLD]
    found = failing.merge(certainty, on=["paper", "claim", "dataset", "form"])
    found = found[(real_values(found["replications"]) >= ENOUGH) & (found["beside"] != RELEASED)]
    assert len(found)
    assert not (found["location"] == "inside").any()
    shared = found[found["location"] == ""]
    assert (real_values(shared["holding"]) <= RARE * real_values(shared["replications"])).all()


def test_every_number_that_splits_decide_is_decided_by_its_interval_alone() -> None:
    accepted = read_results(ROOT / "results" / "full" / "claims.csv")
    certainty = read_results(ROOT / "results" / "full" / "certainty.csv")
    numbers = certainty[(certainty["location"] != "") & (certainty["beside"] == "")]
    found = numbers.merge(accepted, on=["paper", "claim", "dataset", "form"])
    assert len(found) == len(numbers) > 80
    assert {*zip(found["location"], found["verdict"], strict=True)} == {
        ("inside", "holds"),
        ("outside", "does not hold"),
    }
    assert set(found["because"]) == {""}


def test_docs_count_the_numbers_that_hold_by_a_wide_interval() -> None:
    certainty = read_results(ROOT / "results" / "full" / "certainty.csv")
    rows = certainty[(certainty["location"] == "inside") & (certainty["beside"] == "")]
    low, high, published = (real_values(rows[name]) for name in ("low", "high", "published"))
    wide = rows.loc[high - low > np.abs(published) / 2, "claim"]
    page = " ".join((ROOT / "docs" / "claims.md").read_text(encoding="utf-8").split())
    assert f"Of {len(rows)} numbers that hold by their interval, {len(wide)} rest on one" in page
    of_figures = ["M-113", "M-115", "M-131", "M-132", "M-134"]
    assert list(wide) == [*of_figures, *(f"V18-{n}" for n in (158, 159, 160, 162, 163, 164))]


@pytest.mark.parametrize(
    ("tried", "holding", "splits", "verdict"),
    [
        ("", "", "", "holds"),
        ("0", "0", "", "holds"),
        (str(ENOUGH - 1), "0", f"Holds on 0 of {ENOUGH - 1} splits.", "holds"),
        (str(ENOUGH), "0", f"Holds on 0 of {ENOUGH} splits.", "does not hold"),
    ],
)
def test_splits_are_told_of_where_they_were_tried_and_decide_where_they_are_enough(
    tmp_path: Path, tried: str, holding: str, splits: str, verdict: str
) -> None:
    row = {"paper": STUDY, "claim": "B-001", "dataset": "ml-1m", "form": "", "in_part": "0"}
    row |= {"replications": tried, "holding": holding, "location": "", "low": "", "high": ""}
    row |= {"beside": ""}
    sources = sources_of(tmp_path, values_of(pop=0.25))
    (found,) = judged_claims([claim_of(tmp_path)], sources, pd.DataFrame([row])).to_dict("records")
    assert (found["splits"], found["verdict"], found["one_split"]) == (splits, verdict, "holds")


@pytest.mark.parametrize(
    ("folder", "number", "message"),
    [("results/full", "B-999", "There is no claim B-999"), ("docs", "B-001", "no results in")],
)
def test_the_report_refuses_what_is_not_there(folder: str, number: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        report_of_claims(CLAIMS, ROOT / folder, [number])
