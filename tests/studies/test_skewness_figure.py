# SPDX-License-Identifier: MIT
"""Figure 5 of bellogin2017 on a few ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import same_color
from matplotlib.figure import Figure
from studies.prepared import (
    display_of,
    drawn_alone,
    family_of,
    generated_ratings,
    inputs_of,
    ratings_of,
)

from receval.data.ratings import Ratings
from receval.figures.style import INK
from receval.storage.files import read_results, write_results
from reproduction.config.reading import load_drift_spec
from reproduction.drift.changes import read_table, roles_of_columns
from reproduction.simulation.skewed_popularity import ShiftedPowerLaw
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.bellogin2017 import popularity

ROOT = Path(__file__).resolve().parents[2]
STUDY = "bellogin2017"
SYSTEMS = ("plsa", "mf", "knn-centred", "pop", "random")
SKEWNESS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0)
CURVES = {"netflix": 5, "ml-1m": 5, "lastfm-1k": 3, "trec-qrels": 1}

JUDGMENTS = ratings_of([(0, 0, 1), (1, 0, 2), (2, 0, 0), (0, 1, 1), (1, 2, -2)], 4, 4)
PLAYS = ratings_of(
    [(0, 0, 1)] * 3 + [(0, 1, 1)] * 2 + [(1, 1, 1)] * 4 + [(1, 0, 1)] * 3, 2, 3, events=True
)


def written_simulations(
    folder: Path, skewness: Sequence[float] = SKEWNESS, repetitions: int = 2
) -> dict[str, dict[str, Path]]:
    """Write what the simulation of every system would: values that tell where they come from."""
    files = {}
    for place, system in enumerate(SYSTEMS):
        rows = [
            {
                "dataset": "ml-1m",
                "skewness": alpha,
                "repetition": repetition,
                "protocol": protocol,
                "sampled": "99" if protocol == "1R TI-NN" else "",
                "metric": metric,
                "value": 0.01 + 0.01 * place * alpha + 0.001 * repetition,
                "lists": 100,
            }
            for alpha, repetition, protocol, metric in product(
                skewness, range(1, repetitions + 1), ("1R TI-NN", "AR TI-AN"), ("P@10", "RR")
            )
        ]
        files[system] = folder / "simulations" / "skewed-popularity" / f"{system}.csv"
        write_results(pd.DataFrame(rows), files[system])
    return {"skewed-popularity": files}


def inputs_with(
    folder: Path,
    datasets: Mapping[str, Ratings],
    simulations: Mapping[str, Mapping[str, Path]] | None = None,
) -> ArtifactInputs:
    return inputs_of(
        folder,
        datasets,
        simulations=simulations,
        metric="P@10",
        protocol="1R TI-NN",
        curves=list(CURVES),
        thresholds=list(CURVES.values()),
    )


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The numbers with all datasets, as a drawing reads them."""
    folder = tmp_path_factory.mktemp("skewness")
    datasets = {
        "netflix": generated_ratings(1),
        "ml-1m": generated_ratings(2),
        "lastfm-1k": PLAYS,
        "trec-qrels": JUDGMENTS,
    }
    results = popularity.data_fig05(inputs_with(folder, datasets, written_simulations(folder)))
    write_results(results, folder / "fig05.csv")
    return folder / "fig05.csv"


# --- numbers ----------------------------------------------------------------------------------


def test_measured_values_are_means_over_repetitions(everything: Path) -> None:
    rows = read_results(everything)
    rows = rows[rows["panel"] == "measured"]
    assert len(rows) == len(SYSTEMS) * len(SKEWNESS) * 4
    keys = ("skewness", "system", "protocol", "metric")
    values = rows.set_index(list(keys))["value"].astype(float)
    assert values["0", "plsa", "1R TI-NN", "P@10"] == pytest.approx(0.0115)
    assert values["2", "pop", "AR TI-AN", "RR"] == pytest.approx(0.01 + 0.06 + 0.0015)
    assert set(rows["lists"].astype(int)) == {200}
    assert rows["system"].drop_duplicates().tolist() == list(SYSTEMS)


def test_simulated_curves_are_those_of_the_law_that_is_fitted(everything: Path) -> None:
    rows = read_results(everything)
    rows = rows[rows["panel"] == "simulated"]
    source = generated_ratings(2)
    counts = np.bincount(source.items, minlength=source.n_items)
    law = ShiftedPowerLaw.fit(counts)
    metadata = rows[rows["metric"] != "cumulative share"].set_index("metric")["value"].astype(float)
    assert metadata.to_dict() == pytest.approx({"alpha": law.alpha, "c1": law.c1, "c2": law.c2})
    curves = rows[rows["metric"] == "cumulative share"]
    assert curves["skewness"].drop_duplicates().tolist() == [
        *(f"{alpha:g}" for alpha in SKEWNESS),
        "source",
    ]
    steep = curves[curves["skewness"] == "2"]
    made = law.with_skewness(2, source.n_items, len(source)).counts(
        source.n_items, source.n_users, len(source)
    )
    assert steep["rank"].astype(int).tolist() == list(range(1, 26))
    assert steep["rating_share"].astype(float).tolist() == pytest.approx(made.cumsum() / made.sum())
    own = curves[curves["skewness"] == "source"]["rating_share"].astype(float).to_numpy()
    assert own == pytest.approx(np.sort(counts)[::-1].cumsum() / counts.sum())


def test_positive_judgments_by_hand(tmp_path: Path) -> None:
    datasets = {"trec-qrels": JUDGMENTS, "lastfm-1k": PLAYS}
    results = popularity.data_fig05(inputs_with(tmp_path, datasets))
    assert set(results["panel"]) == {"positive"}
    # In the order of the configuration, not of what is there.
    assert results["dataset"].drop_duplicates().tolist() == ["lastfm-1k", "trec-qrels"]
    trec = results[results["dataset"] == "trec-qrels"]
    curve = trec[trec["metric"] == "cumulative share"]
    assert curve["rank"].tolist() == [1, 2]
    assert curve["item_share"].tolist() == [0.5, 1]
    assert curve["rating_share"].tolist() == pytest.approx([2 / 3, 1])
    metadata = trec[trec["metric"] != "cumulative share"].set_index("metric")["value"]
    assert metadata["positive ratings"] == 3
    assert metadata["items with positive ratings"] == 2
    # Documents that are relevant to a topic: 2 of 4 topics.
    assert metadata["share of users who like the most liked item"] == 0.5
    # Pairs of more than two plays: (0, 0), (1, 1) and (1, 0).
    lastfm = results[results["dataset"] == "lastfm-1k"].set_index("metric")["value"]
    assert lastfm["positive ratings"] == 3
    assert lastfm["share of users who like the most liked item"] == 1


def test_rows_are_told_apart_when_they_are_compared(everything: Path) -> None:
    table = read_table(everything)
    roles = roles_of_columns(table, load_drift_spec(ROOT / "config" / "drift.yaml"))
    assert roles.keys == (
        *("panel", "dataset", "skewness", "system", "protocol", "metric", "rank"),
    )
    assert roles.values == ("item_share", "rating_share", "value")
    assert not table.duplicated(list(roles.keys)).any()


# --- drawing ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def of_demo(everything: Path) -> Figure:
    """The figure with all datasets, in the demo edition."""
    return drawn_alone(
        family_of(STUDY, "fig05"), read_results(everything), display_of(STUDY, "fig05")
    )


def test_figure_5_draws_three_panels(of_demo: Figure) -> None:
    left, centre, right = of_demo.axes
    # Five of nine, and the data that they are like.
    labels = [line.get_label() for line in left.lines]
    named = ["$\\alpha$ = 0", ".5", "1", "1.5", "2"]
    assert labels[:-1] == named
    assert labels[-1].startswith("ML-1M twin,\n$\\alpha$ = ")
    # The names stand on their curves, as far as there is room for them: few items, little room.
    curves = {line.get_label(): line for line in left.lines}
    assert {text.get_text() for text in left.texts} <= set(named)
    assert named[0] in {text.get_text() for text in left.texts}
    for text in left.texts:
        across, up = text.get_position()
        curve = curves[text.get_text()]
        assert np.interp(across, *curve.get_xydata().T) == pytest.approx(up, abs=1e-6)
    assert centre.get_title(loc="left") == "(b) ML-1M twin, 1R TI-NN,\n$|N_u|$ = 99"
    names = [line.get_label() for line in centre.lines]
    assert names == ["pLSA", "MF", "kNN", "Pop", "Random", "$1/t$"]
    assert centre.lines[3].get_xdata() == pytest.approx(SKEWNESS)
    assert centre.lines[3].get_ydata() == pytest.approx([0.0115 + 0.03 * a for a in SKEWNESS])
    assert centre.lines[5].get_ydata() == pytest.approx(0.01)
    assert [line.get_label() for line in right.lines] == [
        *(f"{name} twin" for name in ("Netflix", "ML-1M", "Last.fm")),
        "TREC",
    ]
    # A dataset has one look in both panels, ink with a dash of its own.
    of_ml = (left.lines[-1], right.lines[1])
    assert [line.get_linestyle() for line in of_ml] == [":", ":"]
    assert all(same_color(line.get_color(), INK) for line in (*of_ml, *right.lines))
    assert len({line.get_linestyle() for line in right.lines}) == 4
    for axes in (left, right):
        assert all(line.get_xydata()[0].tolist() == [0, 0] for line in axes.lines)
        assert all(line.get_xydata()[-1].tolist() == [100, 100] for line in axes.lines)


@pytest.mark.costly
@pytest.mark.parametrize("present", [("ml-1m",), ("trec-qrels",), ("netflix", "lastfm-1k")])
def test_panels_without_data_are_left_out_and_the_absent_named(
    everything: Path, of_demo: Figure, present: tuple[str, ...]
) -> None:
    results = read_results(everything)
    results = results[results["dataset"].isin(present)]
    absent = tuple(name for name in CURVES if name not in present)
    display = display_of(STUDY, "fig05", absent)
    figure = drawn_alone(family_of(STUDY, "fig05"), results, display)
    assert len(figure.axes) == (3 if "ml-1m" in present else 1)
    # A dataset has the same dash whichever are there.
    dashes = dict(
        zip(CURVES, (line.get_linestyle() for line in of_demo.axes[-1].lines), strict=True)
    )
    assert [line.get_linestyle() for line in figure.axes[-1].lines] == [
        dashes[name] for name in present
    ]
    # The caption names what is absent.
    assert display.absence.startswith("Absent: ")
    assert display.absence in display.described


@pytest.mark.costly
def test_what_the_paper_prints_is_marked_on_the_real_data_alone(
    everything: Path, of_demo: Figure
) -> None:
    of_full = display_of(STUDY, "fig05", edition="full")
    texts, marks = {}, {}
    for edition, figure in (
        ("full", drawn_alone(family_of(STUDY, "fig05"), read_results(everything), of_full)),
        ("demo", of_demo),
    ):
        left, centre, _ = figure.axes
        marks[edition] = [line.get_xydata().tolist() for line in centre.lines[6:]]
        texts[edition] = [text.get_text() for text in centre.texts]
        assert ("(paper: 1.4)" in left.lines[-1].get_label()) == (edition == "full")
    assert "paper" in texts["full"]
    assert "paper" not in texts["demo"]
    assert marks["full"] == [[[0, 0.0077]]]


def test_a_short_grid_of_the_demo_is_drawn_whole(tmp_path: Path) -> None:
    simulations = written_simulations(tmp_path, (0, 1, 2), repetitions=1)
    results = popularity.data_fig05(
        inputs_with(tmp_path, {"ml-1m": generated_ratings()}, simulations)
    )
    figure = drawn_alone(family_of(STUDY, "fig05"), results, display_of(STUDY, "fig05"))
    assert len(figure.axes[0].lines) == 4
