# SPDX-License-Identifier: MIT
"""Every artifact of valcarce2018 and valcarce2020, from a few ratings to what is printed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from declared_files import files_in
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from studies.prepared import ROOT, display_of, drawn_alone, family_of, inputs_of, write_experiment

from receval.figures.tables import to_latex, to_markdown
from receval.protocols.protocol import Protocol
from receval.storage.files import read_results, real_values, write_results
from reproduction.config.settings import load_settings
from reproduction.studies._shared.heat_map import two_decimals
from reproduction.workflow.jobs.measurements import sample_judgments

DATASETS = ("ml-1m", "librarything", "beeradvocate")
PUBLISHED = Path(__file__).with_name("published_valcarce2018.csv")
TITLES = {"ml-1m": "ML-1M", "librarything": "LibraryThing", "beeradvocate": "BeerAdvocate"}
SYSTEMS = ("random", "pop", "slim", "svd", "lda", "uir", "kld")
PERCENTS = [100.0, 80.0, 40.0, 5.0]

STUDIES = load_settings(ROOT / "config", "full").studies
ARTIFACTS = {
    kind: [
        (study, name)
        for study in ("valcarce2018", "valcarce2020")
        for name, spec in STUDIES[study].artifacts.items()
        if spec.kind == kind
    ]
    for kind in ("figure", "table")
}


class Prepared:
    """Experiments on three datasets, samplings of their judgments, and artifacts of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.experiments = {
            name: write_experiment(
                folder, dataset, SYSTEMS, [Protocol()], evaluated_users="tested", folds=1
            )
            for name, dataset in zip(
                ("movielens", "librarything", "beeradvocate"), DATASETS, strict=True
            )
        }
        # The same folds serve as the other ones.
        self.experiments |= {f"{name}-other-folds": own for name, own in self.experiments.items()}
        self.judgment_sampling = cache(self._judgment_sampling)
        self.results = cache(self._numbers)
        self.figure = cache(self._figure)

    def _judgment_sampling(self, study: str, name: str) -> Path:
        spec = STUDIES[study].judgment_samplings[name]
        percents = [percent for percent in PERCENTS if percent in spec.levels.percents]
        path = self.folder / study / f"{name}.npz"
        description = {
            "seed": 1,
            "experiments": {name: self.experiments[name] for name in spec.experiments},
            "unit": spec.unit,
            "percents": percents,
            "samples": 2,
            "averages": spec.averages,
        }
        files = files_in(self.folder)
        sample_judgments(
            ratings=files.ratings,
            splits=files.splits,
            ranks=files.ranks,
            values=path,
            description=description,
        )
        return path

    def _numbers(self, study: str, artifact: str) -> pd.DataFrame:
        """Return the numbers of an artifact, written and read again."""
        spec = STUDIES[study].artifacts[artifact]
        parameters: dict[str, Any] = {**spec.parameters, "permutations": 100}
        names = STUDIES[study].experiments_of(artifact)
        inputs = inputs_of(
            self.folder,
            experiments={name: self.experiments[name] for name in spec.experiments},
            judgment_samplings={
                name: self.judgment_sampling(study, name) for name in spec.judgment_samplings
            },
            results={name: self._results_file(study, name) for name in spec.results_of},
            present=spec.datasets or [self.experiments[name]["dataset"] for name in names],
            **parameters,
        )
        module = family_of(study, artifact)
        path = self.folder / study / f"{artifact}.csv"
        path.parent.mkdir(exist_ok=True)
        write_results(module.data(inputs), path)
        return read_results(path)

    def _results_file(self, study: str, artifact: str) -> Path:
        """Return the CSV of an artifact that another one reads."""
        self.results(study, artifact)
        return self.folder / study / f"{artifact}.csv"

    def _figure(self, study: str, artifact: str) -> Figure:
        """Draw all numbers of an artifact."""
        return drawn_as(study, artifact, self.results(study, artifact))


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """What all artifacts are made from."""
    return Prepared(tmp_path_factory.mktemp("valcarce"))


def datasets_of(results: pd.DataFrame) -> list[str]:
    return list(dict.fromkeys(results["dataset"]))


def drawn_as(study: str, artifact: str, results: pd.DataFrame, **display: Any) -> Figure:
    display_style = display_of(study, artifact, **display)
    return drawn_alone(family_of(study, artifact), results, display_style)


def titled(figure: Figure) -> Iterator[tuple[str, Axes]]:
    """Yield the panels with the first line of their titles, without the letter."""
    for axes in figure.axes:
        if title := axes.get_title(loc="left"):
            yield re.sub(r"^\([a-z]\) ", "", title.splitlines()[0]), axes


def notes_of(figure: Figure) -> list[str]:
    """Return what is printed outside of the panels but for names of curves."""
    return [" ".join(text.get_text().split()) for text in figure.texts if not text.get_rotation()]


def condition(study: str, artifact: str) -> str:
    """Return what stands before the name of a single dataset."""
    spec = STUDIES[study].artifacts[artifact]
    curves = str(spec.code).endswith(":curves")
    shown = "$p$-values of pairs of systems" if curves else "Agreement of orders"
    return f"{spec.parameters.get('removed', shown)}, "


TWO_ROWS = [("valcarce2020", f"fig{number:02d}") for number in range(9, 15)]
"""Figures with a second row of panels, for the released form of geometric means."""


def families() -> list[tuple[str, str]]:
    """Return one figure of each family, and of each number of rows: the others are drawn alike."""
    first: dict[tuple[str, bool], tuple[str, str]] = {}
    for figure in ARTIFACTS["figure"]:
        first.setdefault((family_of(*figure).__name__, figure in TWO_ROWS), figure)
    return list(first.values())


# --- figures ----------------------------------------------------------------------------------


@pytest.mark.costly
@pytest.mark.parametrize(("study", "artifact"), families())
def test_a_figure_has_a_panel_for_each_dataset(
    prepared: Prepared, study: str, artifact: str
) -> None:
    results = prepared.results(study, artifact)
    figure = prepared.figure(study, artifact)
    datasets = datasets_of(results)
    titles = [title for title, _ in titled(figure)]
    # Each dataset is named once; a second row of panels has the released form of averages.
    below = ["Users without a hit: 1 (*)"] * len(datasets) if (study, artifact) in TWO_ROWS else []
    before = condition(study, artifact) if len(datasets) == 1 else ""
    assert titles == [f"{before}{TITLES[name]} twin" for name in datasets] + below
    # Above several datasets stands, once, what is removed.
    removed = STUDIES[study].artifacts[artifact].parameters.get("removed", "")
    heading = str(removed) if len(datasets) > 1 else ""
    assert notes_of(figure) == [text for text in (heading,) if text]


@pytest.mark.each(("study", "artifact"), ARTIFACTS["figure"])
def test_numbers_of_a_figure_are_of_all_its_datasets_in_their_order(
    prepared: Prepared, study: str, artifact: str
) -> None:
    found = datasets_of(prepared.results(study, artifact))
    assert found
    assert found == [dataset for dataset in DATASETS if dataset in found]


@pytest.mark.parametrize(("study", "artifact"), families())
def test_a_figure_of_one_dataset_has_one_panel_a_row(
    prepared: Prepared, study: str, artifact: str
) -> None:
    results = prepared.results(study, artifact)
    present = datasets_of(results)[-1]
    absent = [name for name in DATASETS if name in datasets_of(results) and name != present]
    one = results[results["dataset"] == present]
    figure = drawn_as(study, artifact, one, absent=absent, edition="full")
    titles = [title for title, _ in titled(figure)]
    assert titles[0] == condition(study, artifact) + TITLES[present]
    assert len(titles) == (2 if (study, artifact) in TWO_ROWS else 1)
    # The caption names what is absent.
    assert notes_of(figure) == []


@pytest.mark.parametrize("artifact", ["fig01", "fig09"])
def test_cells_are_the_coefficients(prepared: Prepared, artifact: str) -> None:
    results = prepared.results("valcarce2020", artifact)
    figure = prepared.figure("valcarce2020", artifact)
    panels = [axes for _, axes in titled(figure)]
    rows = results.groupby(["average", "dataset"], sort=False)
    by_panel = {keys: real_values(group["tau"]) for keys, group in rows}
    averages = [a for a in dict.fromkeys(results["average"]) if not a.startswith("arithmetic to")]
    order = [(a, d) for a in averages for d in datasets_of(results)]
    prefix = "G" if artifact == "fig09" else ""
    for axes, keys in zip(panels, order, strict=True):
        stars = ("F1", "MRR") if keys[0] == "released" else ()
        names = [
            f"{prefix}{name}" + "*" * (name in stars) for name in dict.fromkeys(results["metric_a"])
        ]
        np.testing.assert_array_equal(
            np.ma.filled(axes.images[0].get_array(), np.nan).ravel(), by_panel[keys]
        )
        assert [label.get_text() for label in axes.get_xticklabels()] == names
        # The names of rows stand once a row.
        down = [label.get_text() for label in axes.get_yticklabels()]
        assert down == (names if keys[1] == order[0][1] else [])
    limits = {axes.images[0].get_clim() for axes in panels}
    ((low, high),) = limits
    # One scale in both figures of the paper, whose coefficients have signs.
    assert (low, high) == (-1, 1)
    forms = {
        "arithmetic": "",
        "geometric": "Users without a hit: .00001",
        "released": "Users without a hit: 1 (*)",
    }
    for axes, (average, _) in zip(panels, order, strict=True):
        assert axes.get_title(loc="left").endswith(forms[average])


@pytest.mark.parametrize(("artifact", "cells"), [("fig01", 55), ("fig05", 21)])
def test_above_the_diagonal_stand_the_coefficients_of_the_paper(
    prepared: Prepared, artifact: str, cells: int
) -> None:
    results = prepared.results("valcarce2018", artifact)
    table = pd.read_csv(PUBLISHED, comment="#")
    for (_, axes), dataset in zip(
        titled(drawn_as("valcarce2018", artifact, results, edition="full")),
        datasets_of(results),
        strict=True,
    ):
        rows = results[results["dataset"] == dataset]
        names = list(dict.fromkeys(rows["metric_a"]))
        shown = np.ma.filled(axes.images[0].get_array(), np.nan)
        ours = real_values(rows["tau"]).reshape(len(names), len(names))
        below = np.tril_indices(len(names))
        np.testing.assert_array_equal(shown[below], ours[below])
        chosen = table[(table["artifact"] == artifact) & (table["dataset"] == dataset)]
        assert len(chosen) == cells
        for row in chosen.itertuples():
            place = sorted((names.index(row.metric_a), names.index(row.metric_b)))
            assert shown[tuple(place)] == pytest.approx(row.tau)
        assert "paper" in axes.get_xlabel()


def test_the_paper_s_agreement_with_the_arithmetic_mean_stands_below(prepared: Prepared) -> None:
    results = prepared.results("valcarce2020", "fig09")
    own = results[results["dataset"] == "ml-1m"].set_index(["average", "metric_a"])["tau"]
    figure = drawn_as("valcarce2020", "fig09", results, edition="full")
    above, below = (figure.axes[index].get_xlabel() for index in (0, 3))
    of_map, of_f1, of_mrr = (
        two_decimals(own["arithmetic to released", name]) for name in ("MAP", "F1", "MRR")
    )
    ours_and_paper = f"GMAP {of_map} (paper .92), GF1* {of_f1} (paper .42), GMRR* {of_mrr}"
    assert below.splitlines()[1] == ours_and_paper
    assert "paper" not in above


# --- tables -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("study", "artifact", "edition"),
    [
        *((*table, "full") for table in ARTIFACTS["table"]),
        # Titles of data differ in the same way in all tables.
        ("valcarce2018", "table2", "demo"),
    ],
)
def test_a_table_is_printed_with_the_absent_datasets(
    prepared: Prepared, study: str, artifact: str, edition: str
) -> None:
    results = prepared.results(study, artifact)
    absent: list[str] = []
    if "dataset" in results and "librarything" in set(results["dataset"]):
        results = results[results["dataset"] != "librarything"]
        absent = ["librarything"]
    module = family_of(study, artifact)
    table = module.tabulate(results, display_of(study, artifact, absent, edition))
    assert all(cell.strip() for row in table.rows for cell in row)
    twin = " twin" if edition == "demo" else ""
    for text in (to_markdown(table), to_latex(table)):
        for dataset in ("ml-1m", "beeradvocate") if absent else ():
            assert f"{TITLES[dataset]}{twin}" in text
        assert (f"Absent: LibraryThing{twin} (README" in text) == bool(absent)
