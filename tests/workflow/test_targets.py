# SPDX-License-Identifier: MIT
"""Targets, the table of datasets, and what Snakemake itself says of the workflow."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import pytest
from workflow.running import FIG02, Workflow

pytestmark = [pytest.mark.processes, pytest.mark.repository]

OFFLINE = ("--config", "network=off", "local_mirrors=[]")


def test_a_study_is_a_target_and_makes_only_its_artifacts(untouched: Workflow) -> None:
    run = untouched.run("-n", *OFFLINE, "edition=demo", targets=("canamares2020",))
    made = {job for job in run.jobs if job.startswith(("compute", "draw", "write", "record"))}
    tables = ["relations", *(f"table{number}" for number in range(1, 5))]
    figures = [f"fig{number:02}" for number in range(1, 9)]
    assert made == {
        *(f"compute_artifact {name}" for name in [*tables, *figures]),
        *(f"write_table {name}" for name in tables),
        *(f"draw_figure {name}" for name in figures),
        "record_provenance canamares2020",
        "write_index canamares2020",
    }, run.text


def test_one_artifact_is_a_target_and_makes_only_what_it_needs(untouched: Workflow) -> None:
    options = ("--config", "network=on", "local_mirrors=[]")
    run = untouched.run("-n", *options, targets=("work/full/artifacts/bellogin2017/fig07.svg",))
    assert run.jobs == {
        "fetch_raw ml-1m",
        "prepare_ratings ml-1m",
        "compute_artifact fig07",
        "draw_figure fig07",
    }, run.text


def test_without_network_absent_datasets_are_named_left_out_and_not_asked_for(
    untouched: Workflow, tmp_path: Path
) -> None:
    attempts = tmp_path / "attempts"
    run = untouched.run("-n", *OFFLINE, variables={"RECEVAL_TEST_REFUSED": str(attempts)})
    assert run.status == 0, run.text
    for name in ("ml-1m", "netflix", "librarything", "yahoo-r3", "trec-qrels"):
        assert re.search(rf"^{name} +absent +left out", run.text, re.MULTILINE), run.text
    assert "Put the following into work/raw/yahoo-r3" in re.sub(r"\s+", " ", run.text)
    rules = {job.split()[0] for job in run.jobs}
    assert "write_table" in rules
    assert "fetch_raw" not in rules
    assert run.values_of("dataset") == {"dated-twin"}, "It is generated, and needs no network."
    assert not attempts.exists(), attempts.read_text(encoding="utf-8")


def test_unknown_keys_are_refused_with_a_sentence_each(untouched: Workflow) -> None:
    changes = {"netwrok": "off", "systems": {"plsa": {"parametres": {"topics": 5}}}}
    run = untouched.run("-n", changes=changes)
    assert run.status == 1, run.text
    remedy = "there is no such key. Remove it or correct its spelling."
    assert f"  netwrok: {remedy}\n" in run.text
    assert f"  systems.plsa.parametres: {remedy}\n" in run.text


def test_snakemakes_own_lint_finds_nothing(untouched: Workflow) -> None:
    run = untouched.run("--lint", *OFFLINE)
    assert run.status == 0, run.text
    assert "your workflow is in a good condition" in run.text


@pytest.fixture(scope="module")
def report(
    made: Workflow, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, dict[str, object]]:
    """The categories of the report and the entries of its files, made without network."""
    attempts = tmp_path_factory.mktemp("report") / "attempts"
    run = made.run("--report", "work/report.zip", variables={"RECEVAL_TEST_REFUSED": str(attempts)})
    assert run.status == 0, run.text
    assert not attempts.exists(), attempts.read_text(encoding="utf-8")
    with zipfile.ZipFile(made.folder / "work" / "report.zip") as archive:
        page = archive.read("report/report.html").decode()
    parts = {}
    for name in ("categories", "results"):
        _, _, text = page.partition(f'<script id="{name}">')
        parts[name], _ = json.JSONDecoder().raw_decode(text, text.index("{"))
    return parts


def test_the_report_has_figures_and_tables_with_their_captions(
    report: dict[str, dict[str, dict[str, object]]],
) -> None:
    figure = report["results"][FIG02]
    assert "ranking-oriented variants that the paper does not have" in str(figure["caption"])
    table = report["results"]["work/demo/pages/bellogin2017/table3.html"]
    assert "The three choices in forming target item sets" in str(table["caption"])
    assert table["mime_type"] == "text/html"
    assert table["labels"] == {"table": "Table 3: Design alternatives in target set formation"}


def test_the_report_has_a_category_for_each_study(
    report: dict[str, dict[str, dict[str, list[str]]]],
) -> None:
    assert set(report["categories"]) == {"bellogin2017", "valcarce2020"}
    assert FIG02 in report["categories"]["bellogin2017"]["Figures"]


def test_captions_in_the_report_are_plain_text(
    report: dict[str, dict[str, dict[str, object]]],
) -> None:
    # As reStructuredText, "P@10" is an address to write to.
    caption = str(report["results"][FIG02]["caption"])
    assert "mailto" not in caption
    assert "<p>P&#64;10 of the" in caption
