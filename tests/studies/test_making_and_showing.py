# SPDX-License-Identifier: MIT
"""From a description to a CSV, and from the CSV alone to what is printed."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from declared_files import files_in, table_in
from studies.prepared import generated_ratings, write_experiment

from receval.figures.display import DisplayStyle, absence_of
from receval.protocols.protocol import Protocol
from receval.storage.files import read_results, real_values, write_results
from reproduction.studies._shared.inputs import ArtifactDescription, ArtifactInputs
from reproduction.workflow.jobs.artifacts import (
    compute_artifact,
    draw_figure,
    write_page,
    write_table,
)

FIGURE = "reproduction.studies.canamares2020.fig01"
TABLE = "reproduction.studies._shared.tables"
PARAMETERS = {"columns": ["users", "items", "ratings"], "headings": ["Users", "Items", "Ratings"]}


def description_of(*datasets: str) -> dict[str, Any]:
    return {"parameters": PARAMETERS, "experiments": {}, "datasets": list(datasets), "absent": []}


def compute(function: str, folder: Path, results: Path) -> None:
    """Compute an artifact from the ratings of one dataset."""
    compute_artifact(
        function=function,
        description=description_of("ml-1m"),
        results=results,
        ratings=table_in(folder / "ml-1m"),
    )


DISPLAY = {
    "title": "Ratings",
    "caption": "Cumulative distribution.",
    "parameters": PARAMETERS,
    "systems": {},
    "extra_systems": [],
    "experiments": {},
    "datasets": {"ml-1m": "ML-1M", "netflix": "Netflix"},
    "absence": "Absent: Netflix (README).",
    "metrics": {},
}


@pytest.mark.costly
def test_a_figure_is_made_from_its_csv_with_the_same_bytes_each_time(tmp_path: Path) -> None:
    generated_ratings().write(tmp_path / "ml-1m")
    results = tmp_path / "artifacts" / "canamares2020" / "fig01.csv"
    compute(f"{FIGURE}:data", tmp_path, results)
    first = results.read_bytes()
    assert first.startswith(b"dataset,side,ratings,share\nml-1m,user,1,")
    compute(f"{FIGURE}:data", tmp_path, results)
    assert results.read_bytes() == first
    for path in (tmp_path / "ml-1m").iterdir():
        path.unlink()
    made = []
    for name in ("one", "two"):
        drawings = [tmp_path / f"{name}.svg", tmp_path / f"{name}.pdf"]
        for drawing in drawings:
            draw_figure(
                function=f"{FIGURE}:draw", results=results, display=DISPLAY, drawing=drawing
            )
        made.append([drawing.read_bytes() for drawing in drawings])
    assert made[0] == made[1]
    assert made[0][1].startswith(b"%PDF")
    assert DISPLAY["absence"].encode() in made[0][0]


def test_a_table_is_made_from_its_csv(tmp_path: Path) -> None:
    generated_ratings().write(tmp_path / "ml-1m")
    results = tmp_path / "table1.csv"
    compute(f"{TABLE}:data_datasets", tmp_path, results)
    markdown, latex = tmp_path / "table1.md", tmp_path / "table1.tex"
    shown = tmp_path / "table1.html"
    write_table(
        function=f"{TABLE}:tabulate_datasets",
        results=results,
        display=DISPLAY,
        markdown=markdown,
        latex=latex,
        shown=shown,
    )
    ratings = len(generated_ratings())
    assert f"| ML-1M   |    30 |    25 |     {ratings} |" in markdown.read_text(encoding="utf-8")
    assert "Absent: Netflix" in latex.read_text(encoding="utf-8")
    page = shown.read_text(encoding="utf-8")
    assert "<title>Table 1: " in page
    assert f'<td style="text-align:right">{ratings}</td>' in page


def test_a_page_is_what_its_artifact_writes_from_the_csv(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(results: pd.DataFrame, display: DisplayStyle) -> str:
        cells = ", ".join(f"{level!r}" for level in results["level"])
        return f"# {display.title}\n\nLevels → {cells}; {display.absence}\n"

    module = ModuleType("reproduction.studies.pages.flips")
    module.write = write  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    write_results(pd.DataFrame({"level": ["", "none"]}), tmp_path / "flips.csv")
    page = tmp_path / "flips.md"
    for _ in range(2):
        write_page(
            function="reproduction.studies.pages.flips:write",
            results=tmp_path / "flips.csv",
            display=DISPLAY,
            page=page,
        )
        expected = "# Ratings\n\nLevels → '', 'none'; Absent: Netflix (README).\n"
        assert page.read_bytes() == expected.encode()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["flips.csv", "flips.md"]


def test_an_artifact_without_rows_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("reproduction.studies.empty.fig01")
    module.data = lambda inputs: pd.DataFrame({"value": []})  # type: ignore[attr-defined]
    monkeypatch.setitem(
        sys.modules, "reproduction.studies.empty", ModuleType("reproduction.studies.empty")
    )
    monkeypatch.setitem(sys.modules, module.__name__, module)
    with pytest.raises(ValueError, match=r"fig01 has no rows \(.*empty\.fig01:data\), so there is"):
        compute_artifact(
            function="reproduction.studies.empty.fig01:data",
            description=description_of(),
            results=tmp_path / "fig01.csv",
        )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.each(
    ("column", "written"),
    [
        ([1 / 3, 2e-7], ["0.3333333333", "2e-07"]),
        ([0.5, float("nan")], ["0.5", ""]),
        ([6040, 45353], ["6040", "45353"]),
        (["", "99"], ["", "99"]),
        (["NA", "null"], ["NA", "null"]),
    ],
)
def test_numbers_have_ten_digits_and_text_stays_text(
    tmp_path: Path, column: list[Any], written: list[str]
) -> None:
    path = tmp_path / "cells.csv"
    write_results(pd.DataFrame({"name": ["a", "b"], "cell": column}), path)
    lines = [f"{name},{cell}\n" for name, cell in zip("ab", written, strict=True)]
    assert path.read_text(encoding="utf-8") == "".join(["name,cell\n", *lines])
    found = read_results(path)["cell"]
    if isinstance(column[0], str):
        assert found.tolist() == column
    else:
        np.testing.assert_allclose(real_values(found), column, rtol=1e-9)


# --- inputs and display style ----------------------------------------------------------------


def test_an_experiment_opens_what_the_workflow_wrote(tmp_path: Path) -> None:
    protocol = Protocol("1R", "TI", 9, 4.0)
    described = write_experiment(tmp_path, "ml-1m", ["pop"], [protocol], extra_systems=["wrmf"])
    description = {**description_of("ml-1m"), "experiments": {"movielens": described}}
    inputs = ArtifactInputs(
        files_in(tmp_path), ArtifactDescription.of({**description, "absent": ["lastfm-1k"]})
    )
    experiment = inputs.experiments["movielens"]
    assert experiment.all_systems == ("pop", "wrmf")
    assert experiment.protocols == (protocol,)
    assert list(experiment.folds) == [0, 1, 2]
    assert inputs.absent == ("lastfm-1k",)
    assert experiment.fold(1) is experiment.fold(1)
    assert experiment.fold(1).test.items.tolist() != experiment.fold(2).test.items.tolist()
    with pytest.raises(
        KeyError, match=r"has no ranks for ar-ai-an/0/test\. It has 1r-ti-nn9-from4"
    ):
        experiment.lists("pop", Protocol(), 0)


def test_a_sentence_names_the_absent_datasets() -> None:
    assert absence_of([]) == ""
    sentence = "Absent: Netflix, Last.fm (README: how to get the datasets)."
    assert absence_of(["Netflix", "Last.fm"]) == sentence


def test_text_is_no_number() -> None:
    with pytest.raises(ValueError, match="many"):
        real_values(pd.Series(["1", "many"]))
