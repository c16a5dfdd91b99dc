# SPDX-License-Identifier: MIT
"""The paper's numbers are read from results, and what cannot be read stops it with a sentence."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from receval.storage.files import read_results, real_values, write_results
from reproduction.claims.ledger import claims_of
from reproduction.claims.repetition import VARIANCE_COLUMNS
from reproduction.claims.verdicts import certainty
from reproduction.publishing.claim_counts import (
    counts_by_cause,
    failing_claims,
    verdict_counts,
    with_outcomes,
)
from reproduction.publishing.paper import (
    PaperInputs,
    PaperSpec,
    paper_numbers,
    read_paper_spec,
    shown_number,
    table_of_numbers,
    typeset,
)
from reproduction.workflow.plan.publishing import read_paper_sources

ROOT = Path(__file__).resolve().parents[2]
PAPER = ROOT / "paper"
TEXT = [PAPER / name for name in ("receval.typ", "style.typ", "receval.bib")]
PLAN = ("artifacts", "figures", "tables", "datasets", "splits", "systems", "trainings")


def spec_of(**numbers: Any) -> PaperSpec:
    """What a text names that has some numbers and nothing else."""
    return PaperSpec.model_validate({"numbers": numbers, "tables": {}, "causes": [], "errata": []})


def ledger_of(*rows: tuple[str, str, str, str]) -> pd.DataFrame:
    """A ledger by claim, dataset, verdict and form."""
    columns = ["claim", "dataset", "verdict", "form"]
    texts = dict.fromkeys(("where", "statement", "expected", "ours", "reason"), "")
    return pd.DataFrame(rows, columns=columns).assign(
        paper="p2020", kind="number", in_paper="not given", value=0.5, **texts
    )


def inputs_of(folder: Path, ledger: pd.DataFrame) -> PaperInputs:
    """The files of a made-up edition."""
    write_results(ledger, folder / "claims.csv")
    write_results(pd.DataFrame({"system": ["pop", "mf"], "value": [0.25, 0.5]}), folder / "s/a.csv")
    (folder / "s" / "provenance.json").write_text('{"datasets": {}, "config": {}}')
    (folder / "notes.md").write_text("It took 1,234 s on 2 cores.")
    return PaperInputs(
        ledger=folder / "claims.csv",
        results=[folder / "s/a.csv"],
        records=[folder / "s/provenance.json"],
        errata=ROOT / "config" / "errata.yaml",
        documents=[folder / "notes.md"],
        counts={"artifacts": 3},
    )


@pytest.fixture
def inputs(tmp_path: Path) -> PaperInputs:
    return inputs_of(tmp_path, ledger_of(("B-001", "ml-1m", "holds", "")))


CELL = {"artifact": "s/a", "where": {"system": "mf"}}


def test_a_number_is_read_where_its_name_says(inputs: PaperInputs) -> None:
    found = paper_numbers(spec_of(mf={"quantity": CELL, "shown": ".1f"}), inputs)
    assert found["numbers"]["mf"] == {"value": 0.5, "shown": ".5", "source": "s/a system=mf: value"}


def test_numbers_of_the_plan_the_ledger_and_documents_are_read(inputs: PaperInputs) -> None:
    found = paper_numbers(
        spec_of(
            made={"quantity": {"artifact": "plan/counts", "where": {"of": "artifacts"}}},
            held={"quantity": {"artifact": "ledger/claims", "column": "verdict", "equal": "holds"}},
            took={"document": "notes.md", "pattern": r"took ([\d,]+) s", "shown": "text"},
        ),
        inputs,
    )
    assert [number["value"] for number in found["numbers"].values()] == [3, 1, 1234]
    assert found["numbers"]["took"]["shown"] == "1,234"


@pytest.mark.parametrize(
    ("number", "said"),
    [
        ({"quantity": {"artifact": "s/b"}}, "it needs the results of s/b"),
        ({"quantity": {**CELL, "where": {"system": "knn"}}}, "there is no row of s/a with"),
        ({"quantity": {**CELL, "column": "tau"}}, "no column tau"),
        ({"quantity": {"artifact": "s/a"}}, "2 cells"),
        ({"document": "notes.md", "pattern": r"cost (\d+)"}, "no places with"),
        ({"document": "notes.md", "pattern": r"(\d)"}, "5 places with"),
        ({"document": "gone.md", "pattern": r"(\d)"}, "gone.md is not among those"),
    ],
)
def test_a_number_whose_source_is_gone_stops_the_paper_with_a_sentence(
    number: dict[str, Any], said: str, inputs: PaperInputs
) -> None:
    with pytest.raises(ValueError, match=r"The paper's number mine cannot be read: ") as error:
        paper_numbers(spec_of(mine=number), inputs)
    assert said in str(error.value)


def test_twins_go_without_a_number_only_where_the_selection_says_so(inputs: PaperInputs) -> None:
    twins = replace(inputs, synthetic=True)
    gone = {"quantity": {"artifact": "s/b"}}
    found = paper_numbers(spec_of(mine={**gone, "on_twins": False}), twins)
    assert found["numbers"]["mine"]["shown"] == ""
    with pytest.raises(ValueError, match="number mine cannot be read"):
        paper_numbers(spec_of(mine=gone), twins)


def test_claims_that_the_paper_lists_must_be_in_the_ledger(inputs: PaperInputs) -> None:
    spec = spec_of().model_copy(update={"tables": {"some": ("B-001", "B-099")}})
    with pytest.raises(ValueError, match="table some lists B-099"):
        paper_numbers(spec, inputs)


LEDGER = ledger_of(
    ("B-001", "ml-1m", "holds", ""),
    ("B-001", "netflix", "undecidable here", ""),
    ("B-002", "ml-1m", "holds", ""),
    ("B-002", "cm100k", "does not hold", ""),
    ("B-003", "netflix", "undecidable here", ""),
    ("B-004", "ml-1m", "does not hold", ""),
    ("B-004", "ml-1m", "holds", "released"),
)


def test_a_claim_counts_once_by_the_datasets_on_which_it_is_decided() -> None:
    claims = claims_of(LEDGER).set_index("claim")
    assert claims["verdict"].to_dict() == {
        "B-001": "holds",
        "B-002": "holds in part",
        "B-003": "undecidable here",
        "B-004": "does not hold",
    }
    assert claims["datasets"].tolist() == [1, 2, 0, 1]


def test_statements_of_newer_papers_are_counted_by_themselves(tmp_path: Path) -> None:
    newer = ledger_of(("F-001", "ml-1m", "holds", "")).assign(paper="followups")
    both = pd.concat([ledger_of(("B-001", "ml-1m", "does not hold", "")), newer])
    holding = {"column": "verdict", "equal": "holds", "take": "sum"}
    numbers = {
        name: {"quantity": {"artifact": f"ledger/{name}", **holding}}
        for name in ("claims", "newer")
    }
    spec = spec_of(**numbers).model_copy(update={"tables": {"some": ("F-001",)}})
    found = paper_numbers(spec, inputs_of(tmp_path, both))
    assert [found["numbers"][name]["value"] for name in numbers] == [0, 1]
    assert [row["name"] for row in found["papers"]] == ["p2020", "all"]
    assert found["verdicts"] == {"B-001": "does not hold", "F-001": "holds"}
    assert [row["claim"] for row in found["tables"]["some"]] == ["F-001"]


def test_counts_by_paper_end_with_those_of_all() -> None:
    of_paper, of_all = verdict_counts(claims_of(LEDGER), "paper")
    assert {**of_all, "name": "p2020"} == of_paper
    assert (of_all["claims"], of_all["holds"], of_all["undecidable here"]) == (4, 1, 1)


def test_claims_that_fail_are_told_by_reason_without_other_forms() -> None:
    assert [row["claim"] for group in failing_claims(LEDGER) for row in group["claims"]] == [
        "B-002",
        "B-004",
    ]


def test_claims_without_a_cause_are_counted_as_such() -> None:
    rows = counts_by_cause(claims_of(LEDGER), {"a draw": ["B-004"]})
    assert rows == [
        {"cause": "a draw", "in-part": 0, "failing": 1},
        {"cause": "No cause is known", "in-part": 1, "failing": 0},
    ]


@pytest.mark.parametrize(
    ("causes", "said"),
    [({"one": ["B-009"]}, "B-009, which"), ({"one": ["B-004"], "two": ["B-004"]}, "two causes")],
)
def test_causes_name_claims_that_are_there_once(causes: dict[str, list[str]], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        counts_by_cause(claims_of(LEDGER), causes)


JUDGED = LEDGER.assign(rule="within .1", published=[0.5, "", 0.46, 0.66, "", 0.7, 0.5])


def test_what_holds_in_half_of_the_replications_is_put_down_to_the_split() -> None:
    causes = {cause.cause: cause.claims for cause in read_paper_spec(PAPER / "numbers.yaml").causes}
    results = ROOT / "results" / "full"
    known = with_outcomes(
        read_results(results / "certainty.csv"), read_results(results / "claims.csv"), causes
    )
    often = known["outcome"].isin(["always", "mostly"]) & (known["verdict"] == "does not hold")
    assert set(known.loc[often, "cause"]) == {"One split or draw decides"}


def test_numbers_with_a_tolerance_are_told_by_how_many_of_it_they_are_off(tmp_path: Path) -> None:
    def count(column: str) -> dict[str, Any]:
        cells = {"artifact": "ledger/tolerances", "column": column, "equal": "yes", "take": "sum"}
        return {"quantity": cells}

    names = ("within_half", "within", "within_twice")
    spec = spec_of(**{name.replace("_", "-"): count(name) for name in names})
    found = paper_numbers(spec, inputs_of(tmp_path, JUDGED))["numbers"]
    assert [number["value"] for number in found.values()] == [2, 2, 4]


def test_other_forms_stand_beside_the_verdict_of_the_claim(tmp_path: Path) -> None:
    cells = {"artifact": "ledger/forms", "where": {"own": "does not hold"}, "column": "same"}
    spec = spec_of(other={"quantity": {**cells, "equal": "no", "take": "sum"}})
    found = paper_numbers(spec, inputs_of(tmp_path, LEDGER))
    assert found["numbers"]["other"]["value"] == 1


def test_numbers_are_shown_as_print_has_them() -> None:
    assert shown_number(-0.5, "+.1f") == "\N{MINUS SIGN}.5"
    assert shown_number(0.5147, ".1%") == "51.5\N{NO-BREAK SPACE}%"
    assert (shown_number(20480, ",.0f"), shown_number(12, "words"), shown_number(13, "words")) == (
        "20,480",
        "twelve",
        "13",
    )
    assert (shown_number(1e-9, "p"), shown_number(0.631, "p")) == ("< .001", "= .631")


# --- the paper itself, of the accepted results ---------------------------------------------------


def accepted_inputs(edition: str) -> tuple[PaperInputs, dict[str, Path]]:
    """The inputs that the rule has, from what is accepted."""
    results = ROOT / "results" / edition
    if not (results / "claims.csv").is_file():
        pytest.skip(f"no ledger is accepted in results/{edition}")
    listed = read_paper_sources(PAPER / "sources.yaml")
    figures = {name: results / f"{of}.pdf" for name, of in listed.figures.items()}
    figures = {name: path for name, path in figures.items() if path.is_file()}
    inputs = PaperInputs(
        ledger=results / "claims.csv",
        results=sorted(results.glob("*/*.csv")),
        records=sorted(results.glob("*/provenance.json")),
        errata=ROOT / "config" / "errata.yaml",
        documents=[ROOT / name for name in listed.documents],
        counts=dict.fromkeys(PLAN, 12),
        figures=list(figures),
        synthetic=edition == "demo",
    )
    return inputs, figures


@pytest.fixture(scope="module", params=["full", "demo"])
def made(request: pytest.FixtureRequest) -> tuple[str, dict[str, Any], dict[str, Path]]:
    inputs, figures = accepted_inputs(request.param)
    contents = paper_numbers(read_paper_spec(PAPER / "numbers.yaml"), inputs)
    return request.param, contents, figures


@pytest.mark.repository
def test_the_paper_is_set_with_the_same_bytes_every_time(
    made: tuple[str, dict[str, Any], dict[str, Path]],
) -> None:
    edition, contents, figures = made
    pdf = typeset(TEXT, contents, figures)
    assert pdf.startswith(b"%PDF-")
    if edition == "full":
        assert pdf == typeset(TEXT, contents, figures)
    for private in (str(Path.cwd()).encode(), b"/tmp", b"CreationDate", b"ModDate"):
        assert private not in pdf


# A later table stands on a later page, in a later column, or farther down.
IN_ORDER = """
#context for kind in (table, image) {
  let places = query(figure.caption.where(kind: kind)).map(it => it.location().position())
  assert(places.len() > 1)
  for (one, next) in places.windows(2) {
    assert(
      next.page > one.page or next.page == one.page and (next.x > one.x or next.y > one.y),
      message: "not in order: page " + repr(next.page),
    )
  }
}
"""


@pytest.mark.repository
def test_tables_and_figures_stand_in_the_order_of_their_numbers(
    made: tuple[str, dict[str, Any], dict[str, Path]], tmp_path: Path
) -> None:
    edition, contents, figures = made
    text = tmp_path / TEXT[0].name
    text.write_text(TEXT[0].read_text(encoding="utf-8") + IN_ORDER, encoding="utf-8")
    typeset([text, *TEXT[1:]], contents, figures)
    if edition == "demo":
        return
    turned = IN_ORDER.replace("windows(2)", "rev().windows(2)")
    text.write_text(TEXT[0].read_text(encoding="utf-8") + turned, encoding="utf-8")
    with pytest.raises(ValueError, match="not in order"):
        typeset([text, *TEXT[1:]], contents, figures)


def test_every_number_of_the_paper_is_read_or_said_to_be_none_of_twins(
    made: tuple[str, dict[str, Any], dict[str, Path]],
) -> None:
    edition, contents, _ = made
    spec = read_paper_spec(PAPER / "numbers.yaml")
    empty = {name for name, number in contents["numbers"].items() if not number["shown"]}
    without = {name for name, number in spec.numbers.items() if not number.on_twins}
    assert empty == (without if edition == "demo" else set())
    table = table_of_numbers(contents)
    assert table["name"].tolist() == list(contents["numbers"])
    assert table.columns.tolist() == ["name", "source", "value", "printed"]


@pytest.mark.parametrize("made", ["full"], indirect=True)
def test_the_text_takes_no_verdict_for_granted_that_the_ledger_does_not_have(
    made: tuple[str, dict[str, Any], dict[str, Path]],
) -> None:
    _, contents, _ = made
    text = TEXT[0].read_text(encoding="utf-8")
    taken = {
        "holds": "holds",
        "in-part": "holds in part",
        "depends": "depends on the split",
        "fails": "does not hold",
    }
    for word, claims in re.findall(r"#(holds|in-part|depends|fails)\(([^()]*)\)", text):
        for claim in re.findall(r'"([^"]+)"', claims):
            assert contents["verdicts"][claim] == taken[word], (
                f"paper/receval.typ says that {claim} {taken[word]}: write the sentence anew."
            )


def repeated(folder: Path) -> PaperInputs:
    """The accepted inputs of the full edition with made-up replications of its claims."""
    inputs, _ = accepted_inputs("full")
    ledger = read_results(inputs.ledger)
    known = (ledger["form"] == "") & (ledger["verdict"] != "undecidable here")
    own = ledger[known & ~ledger["kind"].isin(["theorem", "setting", "definition"])]
    verdicts = [*["holds"] * 3, "does not hold"]
    runs = [
        own.assign(
            replication=f"r{run:02d}",
            seed=run,
            judged_by="",
            code="",
            verdict=[verdicts[(place * run) % 4] for place in range(len(own))],
            published=real_values(own["published"]),
            value=real_values(own["value"]) + 0.01 * run,
        )
        for run in range(4)
    ]
    write_results(certainty(pd.concat(runs, ignore_index=True)), folder / "certainty.csv")
    shares = [
        ["bellogin2017/fig02", "", "pop", "B-004", 0.1, 0.01, *SHARES],
        ["bellogin2017/fig02", "", "mf", "B-008", 0, 0, "", "", "", ""],
    ]
    write_results(pd.DataFrame(shares, columns=list(VARIANCE_COLUMNS)), folder / "variance.csv")
    return replace(inputs, certainty=folder / "certainty.csv", variance=folder / "variance.csv")


SHARES = (0.5, 0.25, 0.125, 0.125)


@pytest.mark.repository
def test_the_paper_is_set_with_replications_too(tmp_path: Path) -> None:
    inputs = repeated(tmp_path)
    _, figures = accepted_inputs("full")
    spec = read_paper_spec(PAPER / "numbers.yaml")
    alone = paper_numbers(spec, replace(inputs, variance=None))
    assert (alone["replicated"], alone["crossed"], alone["variance"]) == (True, False, [])
    both = paper_numbers(spec, inputs)
    assert {*both["numbers"]} == {*spec.numbers, *spec.replications, *spec.crossed}
    assert all(number["shown"] for number in both["numbers"].values())
    for contents in (alone, both):
        assert typeset(TEXT, contents, figures).startswith(b"%PDF-")


@pytest.mark.parametrize("made", ["full"], indirect=True)
def test_a_name_that_the_text_does_not_find_stops_it_with_a_sentence(
    made: tuple[str, dict[str, Any], dict[str, Path]],
) -> None:
    _, contents, figures = made
    numbers = {name: n for name, n in contents["numbers"].items() if name != "claims"}
    with pytest.raises(ValueError, match=r"numbers\.yaml has no number called claims"):
        typeset(TEXT, {**contents, "numbers": numbers}, figures)


def test_the_yaml_is_refused_with_a_sentence(tmp_path: Path) -> None:
    broken = {"numbers": {"x": {"shown": ".1f"}}, "tables": {}, "causes": [], "errata": []}
    (tmp_path / "numbers.yaml").write_text(yaml.safe_dump(broken))
    with pytest.raises(ValueError, match=r"numbers\.x.*a quantity, or a document"):
        read_paper_spec(tmp_path / "numbers.yaml")
