# SPDX-License-Identifier: MIT
"""Errata: their file is checked, their numbers are cells that exist, their names are names."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

from receval.metrics.averages import parse_average
from receval.metrics.registry import parse
from receval.protocols.protocol import Protocol
from receval.storage.files import read_results, real_values
from reproduction.claims.errata import (
    COLUMNS,
    ERRATA,
    ClaimId,
    Erratum,
    ErratumName,
    errata_page,
    errata_table,
    load_errata,
    sizes,
)
from reproduction.claims.ledger import report_of_claims
from reproduction.claims.sources import ClaimSources
from reproduction.config.reading import read_yaml
from reproduction.config.settings import load_settings

ROOT = Path(__file__).resolve().parents[2]
ERRATA_OF_ALL = load_errata(ROOT / ERRATA)
SETTINGS = load_settings(ROOT / "config", "full")
ACCEPTED = ClaimSources.of_folder(ROOT / "results" / "full")
MEASURED = {name: e for name, e in ERRATA_OF_ALL.items() if e.size.numbers}
QUICK = {name: e.command for name, e in ERRATA_OF_ALL.items() if e.command.startswith("python -c")}

ENTRY: dict[str, Any] = {
    "paper": "valcarce2018",
    "where": "Section 1",
    "title": "A title",
    "text": {"form": "a", "says": "One."},
    "other": {"form": "b", "says": "Two.", "source": "table"},
    "size": {"short": "none", "missing": "No effect."},
    "command": "receval repo metrics",
    "certainty": "open",
    "because": "Somebody said so.",
}


def written(folder: Path, content: dict[str, Any]) -> Path:
    path = folder / "errata.yaml"
    path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return path


def results(folder: Path, text: str) -> ClaimSources:
    """Write the CSV of an artifact ``study/fig`` and return what reads it."""
    (folder / "study").mkdir()
    (folder / "study" / "fig.csv").write_text(text, encoding="utf-8")
    return ClaimSources.of_folder(folder)


def sized(numbers: dict[str, Any], short: str = "", shown: str = "") -> Erratum:
    """Return an erratum with these numbers, which its texts name."""
    every = short + shown or "".join(f"{{{name}}}" for name in numbers)
    size = {"short": short or every, "shown": shown or every, "numbers": numbers}
    return Erratum.model_validate(ENTRY | {"size": size})


@pytest.mark.each(
    ("change", "sentence"),
    [
        ({"titel": "x"}, "E-01.titel: there is no such key"),
        (
            {"text": {"form": "a", "says": "One.", "dose": 1}},
            "E-01.text.dose: there is no such key",
        ),
        ({"paper": "nobody1999"}, "E-01.paper: Input should be 'bellogin2017'"),
        ({"certainty": "sure"}, "E-01.certainty: Input should be 'certain'"),
        ({"claims": ["X-1"]}, "E-01.claims.0: String should match"),
        ({"command": "rm -r results"}, "E-01.command: String should match"),
        ({"because": ""}, "E-01.because: String should have at least 1 character"),
        ({"size": {"missing": "No."}}, "E-01.size.short: the key is missing"),
        ({"size": {"short": "x"}}, "a size must have either numbers and shown, or missing"),
        (
            {"size": {"short": "{a}", "missing": "No."}},
            "the texts and the numbers must have the same names, but differ in a",
        ),
        (
            {"size": {"short": "1", "shown": "2", "numbers": {"a": {"artifact": "study/fig"}}}},
            "the texts and the numbers must have the same names, but differ in a",
        ),
        (
            {"size": {"short": "{a}", "shown": "x", "numbers": {"a": {"valeu": 3}}}},
            "E-01.size.numbers.a.SelectedCells.valeu: there is no such key",
        ),
        (
            {"text": {"form": "a", "says": "One.", "here": [{"metric": "P", "system": "pop"}]}},
            "E-01.text.here.0: a name must have exactly one of the keys metric, average",
        ),
    ],
)
def test_what_is_no_erratum_is_refused_with_the_key(
    tmp_path: Path, change: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=r"errata\.yaml cannot be used") as refused:
        load_errata(written(tmp_path, {"E-01": ENTRY | change}))
    assert sentence in str(refused.value)


def test_ids_count_up_and_those_of_withdrawn_errata_are_not_used_again(tmp_path: Path) -> None:
    assert list(load_errata(written(tmp_path, {"E-01": ENTRY, "E-03": ENTRY}))) == ["E-01", "E-03"]
    with pytest.raises(ValueError, match="'E-01' comes after E-03"):
        load_errata(written(tmp_path, {"E-03": ENTRY, "E-01": ENTRY}))


TABLE = "system,kept,value,tau\npop,100,0.5,\npop,50,0.25,0.8\nrandom,100,0.125,0.9\n"


def test_numbers_of_an_erratum_are_quantities_of_claims(tmp_path: Path) -> None:
    pop = {"artifact": "study/fig", "where": {"system": "pop", "kept": 100}}
    other = {"artifact": "study/fig", "where": {"system": "random"}}
    erratum = sized(
        {
            "pop": pop,
            "other": other,
            "rows": {"artifact": "study/fig", "take": "count"},
            "less": {"difference": [pop, other]},
            "times": {"quotient": [pop, other]},
        }
    )
    assert erratum.numbers(results(tmp_path, TABLE)) == {
        "pop": 0.5,
        "other": 0.125,
        "rows": 3.0,
        "less": 0.375,
        "times": 4.0,
    }


@pytest.mark.each(
    ("spec", "sentence"),
    [
        ({"artifact": "study/gone"}, "the results of study/gone. Correct the number"),
        (
            {"artifact": "study/fig", "column": "rho"},
            "no column rho. Its columns are system, kept, val",
        ),
        ({"artifact": "study/fig", "where": {"system": "pop"}}, "has 2 cells with system=pop"),
        ({"artifact": "study/fig", "each": ["system", "kept"]}, "3 numbers, but one is needed"),
        ({"setting": "datasets"}, "the provenance of valcarce2018. Correct"),
    ],
)
def test_a_number_without_a_source_is_a_sentence(
    tmp_path: Path, spec: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=f"number x.*{sentence}"):
        sized({"x": spec}).numbers(results(tmp_path, TABLE))


def test_the_sentence_names_the_erratum(tmp_path: Path) -> None:
    errata = {"E-01": sized({"a": {"artifact": "study/gone"}})}
    with pytest.raises(
        ValueError, match=r"^config/errata\.yaml: E-01, number a needs the results of study/gone"
    ):
        sizes(errata, ClaimSources.of_folder(tmp_path))


def test_a_result_that_is_gone_stops_the_page_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match="E-01, number lower needs the results of bellogin2017/fig03"
    ):
        errata_page(ROOT / "config", tmp_path)


def test_errata_that_a_text_of_the_page_names_are_there() -> None:
    page = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")
    assert set(re.findall(r"E-\d\d", page)) == set(ERRATA_OF_ALL)


def test_numbers_are_shown_without_the_zero_before_the_point(tmp_path: Path) -> None:
    a = {"artifact": "study/fig", "where": {"kept": 50}}
    c = {"artifact": "study/fig", "where": {"system": "random"}}
    erratum = sized(
        {"a": a, "b": {"difference": [c, a]}, "c": c},
        short="{a:.2f}, {b:.3f}, {a:.1%}",
        shown="{c:,.0f} and {c:.1f}",
    )
    assert erratum.size_texts(results(tmp_path, TABLE)) == (".25, −.125, 25.0 %", "0 and .1")


@pytest.mark.repository
@pytest.mark.each("name", MEASURED)
def test_every_size_is_read_from_the_accepted_results(name: str) -> None:
    numbers = ERRATA_OF_ALL[name].numbers(ACCEPTED)
    assert all(value == value for value in numbers.values())


def test_most_errata_have_a_number() -> None:
    assert len(MEASURED) >= 35
    for erratum in ERRATA_OF_ALL.values():
        assert (erratum.size.missing is None) == bool(erratum.size.numbers)


def test_the_table_has_a_row_a_number_and_says_what_is_missing(tmp_path: Path) -> None:
    pop = {"artifact": "study/fig", "where": {"system": "pop", "kept": 100}}
    errata = {
        "E-01": Erratum.model_validate(ENTRY),
        "E-02": sized(
            {
                "pop": pop,
                "gone": {"artifact": "study/gone"},
                "two": {"artifact": "study/fig", "where": {"system": "pop"}},
                "none": {**pop, "where": {"system": "mf"}},
                "empty": {**pop, "column": "tau"},
                "unset": {"setting": "datasets"},
            }
        ),
    }
    table = errata_table(errata, results(tmp_path, TABLE))
    assert tuple(table.columns) == COLUMNS
    assert table["erratum"].tolist() == ["E-01", *["E-02"] * 6]
    assert table["number"].tolist() == ["", *errata["E-02"].size.numbers]
    assert table["value"].notna().tolist() == [False, True, *[False] * 5]
    assert table["missing"].tolist()[:3] == ["", "", "the results of study/gone"]
    assert all(table["missing"][3:])
    assert set(table["paper"] + table["certainty"]) == {"valcarce2018open"}


@pytest.mark.repository
@pytest.mark.parametrize("edition", ["full", "demo"])
def test_the_accepted_table_is_that_of_the_accepted_results(edition: str) -> None:
    folder = ROOT / "results" / edition
    accepted = read_results(folder / "errata.csv")
    now = errata_table(ERRATA_OF_ALL, ClaimSources.of_folder(folder))
    keys = ["erratum", "paper", "certainty", "number", "missing"]
    assert accepted[keys].equals(now[keys])
    found = real_values(accepted["value"])
    assert found == pytest.approx(real_values(now["value"]), rel=1e-9, abs=1e-12, nan_ok=True)


@pytest.mark.repository
def test_the_accepted_results_have_every_number_and_those_of_twins_nearly_all() -> None:
    full, demo = (read_results(ROOT / "results" / e / "errata.csv") for e in ("full", "demo"))
    assert set(full["missing"]) == {""}
    assert 0 < (demo["missing"] != "").sum() < 5


def named() -> list[ErratumName]:
    forms = [form for e in ERRATA_OF_ALL.values() for form in (e.text, e.other)]
    return [name for form in forms for name in form.here]


@pytest.mark.each("name", named(), ids=lambda name: name.name)
def test_every_name_of_a_form_exists(name: ErratumName) -> None:
    match name.kind:
        case "metric":
            assert parse(name.name).label
        case "average":
            assert parse_average(name.name).label == name.name
        case "system":
            assert name.name in SETTINGS.systems
        case "split":
            assert name.name in SETTINGS.splits
        case "setting":
            file, _, keys = name.name.removeprefix("studies/").partition("/")
            folder = "config/studies" if name.name.startswith("studies/") else "config"
            found: Any = read_yaml(ROOT / folder / f"{file}.yaml")
            for key in keys.split("/"):
                found = found[key]
            assert found is not None
        case "protocol":
            whole = [Protocol(kind, base) for kind in ("AR", "1R") for base in ("AI", "TI")]
            assert name.name in {protocol.name for protocol in whole}
        case "column":
            artifact, _, column = name.name.partition(": ")
            assert column in ACCEPTED.table(artifact).columns
        case "function":
            module, _, attribute = name.name.partition(":")
            assert callable(getattr(import_module(module), attribute))
        case other:
            pytest.fail(other)


def test_both_forms_of_most_errata_have_names() -> None:
    unnamed = [n for n, e in ERRATA_OF_ALL.items() if not e.text.here and not e.other.here]
    assert len(unnamed) <= len(ERRATA_OF_ALL) // 8, unnamed


@pytest.mark.each("name", QUICK)
def test_quick_commands_run(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    found = re.fullmatch(r'python -c "([^"$`\\]+)"', QUICK[name])
    assert found, "a shell would not hand over this program as it stands"
    exec(compile(found[1], name, "exec"), {})
    assert capsys.readouterr().out.strip()


def test_all_other_commands_are_of_the_project() -> None:
    for name, erratum in ERRATA_OF_ALL.items():
        if name in QUICK:
            continue
        target = re.fullmatch(
            r"snakemake --cores 2 -- work/full/artifacts/(\w+)/(\w+)\.csv", erratum.command
        )
        if target:
            study, artifact = target.groups()
            assert artifact in SETTINGS.studies[study].artifacts, name
        elif erratum.command.startswith("receval repo claims "):
            numbers = erratum.command.split()[3:]
            assert set(numbers) <= set(erratum.claims), name
            assert report_of_claims(ROOT / "config/claims", ROOT / "results/full", numbers), name
        else:
            assert erratum.command == "receval repo datasets --edition full", name


def test_claims_are_numbers_of_the_paper() -> None:
    letter = {
        "bellogin2017": "B",
        "valcarce2018": "V18",
        "valcarce2020": "V20",
        "canamares2020": "C",
        "menamaldonado2021": "M",
    }
    assert ClaimId
    for name, erratum in ERRATA_OF_ALL.items():
        prefixes = {claim.partition("-")[0] for claim in erratum.claims}
        assert prefixes <= {letter[erratum.paper], "V18"}, name


def test_errata_stand_in_the_order_of_the_papers() -> None:
    papers = [erratum.paper for erratum in ERRATA_OF_ALL.values()]
    assert papers == sorted(papers, key=list(dict.fromkeys(papers)).index)
