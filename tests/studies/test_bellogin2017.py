# SPDX-License-Identifier: MIT
"""The artifacts of bellogin2017 on a few ratings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import same_color
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from studies.prepared import (
    display_of,
    drawn_alone,
    family_of,
    inputs_of,
    ratings_of,
    saved,
    write_experiment,
)

from receval.figures.style import INK
from receval.protocols.protocol import Protocol
from reproduction.experiments.experiment import InputFiles
from reproduction.studies._shared.inputs import ArtifactDescription, ArtifactInputs
from reproduction.studies.bellogin2017 import configuration_bars, fig01, popularity
from reproduction.studies.bellogin2017.configuration_bars import means_with_intervals

STUDY = "bellogin2017"

Sets = dict[tuple[str, str], set[str]]
SYSTEMS = ("plsa", "mf", "knn-centred", "pop", "random")
EXTRA = ("knn-user", "wrmf")
PROTOCOLS = (Protocol("AR", "TI"), Protocol("AR", "AI"), Protocol("1R", "TI", 99, 4.0))
LASTFM = (Protocol("AR", "TI", 2500, 4.0), Protocol("1R", "TI", 99, 4.0))


# --- figure 1: the toy ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def toy() -> Sets:
    """The sets of user u by protocol and name."""
    results = fig01.data(ArtifactInputs(InputFiles(), ArtifactDescription()))
    assert set(results["item"]) == set("abcdefg")
    return {
        (protocol, name): set(rows.loc[rows["member"] == 1, "item"])
        for (protocol, name), rows in results.groupby(["protocol", "set"])
    }


def test_the_toy_has_every_option_once(toy: Sets) -> None:
    protocols = {protocol for protocol, _ in toy}
    assert protocols == {
        f"{r} {c}-{n}" for r in ("AR", "1R") for c in ("AI", "TI") for n in ("AN", "NN")
    }
    for protocol in protocols:
        lists = {name for p, name in toy if p == protocol} - {"C", "N_u"}
        assert lists == ({"T_u"} if protocol.startswith("AR") else {"T_u^1", "T_u^2"})


# By hand, for user u: f and g train, d and e are relevant test items, b is a test item that is
# not relevant; nobody has a test rating of a.


def test_all_relevant_test_items_and_all_others_that_were_not_rated(toy: Sets) -> None:
    assert toy["AR TI-AN", "C"] == set("bcdefg")
    assert toy["AR TI-AN", "N_u"] == set("bc")
    assert toy["AR TI-AN", "T_u"] == set("bcde")
    assert toy["AR AI-AN", "C"] == set("abcdefg")
    assert toy["AR AI-AN", "N_u"] == set("abc")
    assert toy["AR AI-AN", "T_u"] == set("abcde")


def test_one_relevant_item_a_list(toy: Sets) -> None:
    assert toy["1R TI-AN", "T_u^1"] == set("bcd")
    assert toy["1R TI-AN", "T_u^2"] == set("bce")
    assert toy["1R AI-AN", "T_u^1"] == set("abcd")
    assert toy["1R AI-AN", "T_u^2"] == set("abce")
    for (protocol, name), items in toy.items():
        if protocol.startswith("1R") and name.startswith("T_u^"):
            assert len(items & set("de")) == 1


@pytest.mark.parametrize("candidates", ["TI", "AI"])
def test_a_sample_is_one_item_of_those_that_all_would_take(toy: Sets, candidates: str) -> None:
    sample = toy[f"AR {candidates}-NN", "N_u"]
    assert len(sample) == 1
    assert sample < toy[f"AR {candidates}-AN", "N_u"]
    assert toy[f"AR {candidates}-NN", "T_u"] == sample | set("de")
    # The lemma of section 3.4 compares AR and 1R on one sample.
    assert toy[f"1R {candidates}-NN", "N_u"] == sample
    assert toy[f"1R {candidates}-NN", "T_u^1"] == sample | {"d"}
    assert toy[f"1R {candidates}-NN", "T_u^2"] == sample | {"e"}


def test_the_toy_figure_shows_its_sets(tmp_path: Path) -> None:
    results = fig01.data(inputs_of(tmp_path))
    figure = drawn_alone(fig01, results, display_of(STUDY, "fig01"))
    protocols = dict.fromkeys(results["protocol"])
    toy, *panels = figure.axes
    assert [axes.get_title(loc="left")[4:] for axes in panels] == list(protocols)
    assert toy.get_title(loc="left") == "(a) Toy ratings"
    # The ground says what an item is: a candidate, a non-relevant or a relevant target.
    for axes, (_, sets) in zip(panels, results.groupby("protocol", sort=False), strict=True):
        grounds = [patch.get_facecolor() for patch in axes.patches if isinstance(patch, Rectangle)]
        members = sets[sets["member"] == 1]
        targets = members[members["set"].str.startswith("T_u")]
        relevant = targets["item"].isin(["d", "e"]).sum()
        found = {
            name: sum(same_color(ground, colour) for ground in grounds)
            for name, colour in fig01.GROUNDS.items()
        }
        assert found == {
            "C": (members["set"] == "C").sum(),
            "N_u": (members["set"] == "N_u").sum() + len(targets) - relevant,
            "relevant": relevant,
        }


# --- figure 2: precision under AR and 1R ------------------------------------------------------


@pytest.fixture(scope="module")
def of_figure_2(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    """The numbers of both datasets, written and read again."""
    folder = tmp_path_factory.mktemp("fig02")
    experiments = {
        name: write_experiment(folder, name, SYSTEMS, protocols, folds=folds, extra_systems=EXTRA)
        for name, protocols, folds in (("ml-1m", PROTOCOLS, 5), ("lastfm-1k", LASTFM, 1))
    }
    inputs = inputs_of(folder, experiments=experiments, metrics=["P@10"])
    return saved(configuration_bars.data(inputs), folder)


@pytest.fixture(scope="module")
def figure_2(of_figure_2: pd.DataFrame) -> Figure:
    """The drawing of the demo."""
    return drawn_alone(family_of(STUDY, "fig02"), of_figure_2, display_of(STUDY, "fig02"))


def test_every_system_has_a_value_under_every_protocol_and_fold(of_figure_2: pd.DataFrame) -> None:
    results = of_figure_2
    columns = [
        "dataset",
        "split",
        "protocol",
        "sampled",
        "system",
        "metric",
        "cutoff",
        "fold",
        "value",
        "lists",
    ]
    columns += ["computable_share", "expected", "random_expected", "random_error"]
    columns += [f"p_against_{system}" for system in (*SYSTEMS, *EXTRA)]
    assert list(results.columns) == columns
    sizes = results.groupby("dataset").size()
    assert sizes["ml-1m"] == 3 * 7 * (5 + 1)
    assert sizes["lastfm-1k"] == 2 * 7 * (1 + 1)
    assert set(results["metric"]) == {"P"}
    assert set(results["cutoff"].astype(int)) == {10}
    assert not results.duplicated(["dataset", "protocol", "system", "fold"]).any()
    one_relevant = results["protocol"].str.startswith("1R")
    assert results.loc[one_relevant, "value"].max() <= 0.1
    assert set(results.loc[one_relevant, "sampled"]) == {"99"}


def bars_of(figure: Figure) -> list[list[BarContainer]]:
    return [
        [one for one in axes.containers if isinstance(one, BarContainer)] for axes in figure.axes
    ]


def test_bars_are_the_means_and_whiskers_their_intervals(
    of_figure_2: pd.DataFrame, figure_2: Figure
) -> None:
    results, figure = of_figure_2, figure_2
    means = means_with_intervals(results)
    display = display_of(STUDY, "fig02")
    for axes, panel, dataset in zip(
        figure.axes, bars_of(figure), ("ml-1m", "lastfm-1k"), strict=True
    ):
        assert axes.get_title(loc="left")[4:] == display.datasets[dataset]
        # The paper's systems in the order of its text, then ours.
        order = ("plsa", "pop", "mf", "knn-centred", "random", *EXTRA)
        for bars, system in zip(panel, order, strict=True):
            rows = means[(means["dataset"] == dataset) & (means["system"] == system)]
            assert bars.get_label() == display.titles[system]
            assert [bar.get_height() for bar in bars] == pytest.approx(rows["value"].tolist())
            assert bool(bars.patches[0].get_hatch()) == (system in EXTRA)
    # Whiskers are there with five folds, and not with one.
    first, second = (
        [line for line in axes.collections if isinstance(line, LineCollection)]
        for axes in figure.axes
    )
    whiskers = np.array([path.vertices[:, 1] for line in first for path in line.get_paths()])
    rows = means[means["dataset"] == "ml-1m"]
    half = (whiskers[:, 1] - whiskers[:, 0]) / 2
    assert sorted(half) == pytest.approx(sorted(rows["half_interval"]))
    assert all(np.isnan(path.vertices).any() for line in second for path in line.get_paths())


def test_figure_2_marks_what_the_paper_prints_on_the_real_data_alone(
    of_figure_2: pd.DataFrame, figure_2: Figure
) -> None:
    full = drawn_alone(
        family_of(STUDY, "fig02"), of_figure_2, display_of(STUDY, "fig02", edition="full")
    )
    marks = {}
    for edition, figure in (("full", full), ("demo", figure_2)):
        marks[edition] = [
            line.get_ydata().tolist()
            for axes in figure.axes
            for line in axes.lines
            if line.get_marker() == "D"
        ]
        # The largest possible precision of 1R, over its group in both panels.
        words = [[text.get_text() for text in axes.texts] for axes in figure.axes]
        assert all("bound: .10" in of_panel for of_panel in words)
    assert marks == {"full": [[0.08], [0.35]], "demo": []}


# --- figure 7: positive ratio against popularity ----------------------------------------------

# Item 0: one of two ratings positive; 1: two of three; 2: none of three; 3: the only one; 4: none.
SEVEN = ratings_of(
    [
        (0, 0, 5),
        (1, 0, 1),
        (0, 1, 5),
        (1, 1, 5),
        (2, 1, 4),
        (0, 2, 1),
        (1, 2, 2),
        (2, 2, 3),
        (2, 3, 5),
    ],
    n_users=3,
    n_items=5,
)


def test_segments_by_hand(tmp_path: Path) -> None:
    inputs = inputs_of(tmp_path, {"ml-1m": SEVEN}, segments=2, relevance_threshold=5)
    rows = popularity.data_fig07(inputs).to_dict("records")
    # By popularity 1, 2 (as many ratings, the later code), 0, 3; item 4 has no ratings.
    assert rows == [
        {
            "dataset": "ml-1m",
            "segment": 1,
            "first_rank": 1,
            "last_rank": 2,
            "items": 2,
            "mean_ratings": 3.0,
            "positive_ratio": pytest.approx((2 / 3 + 0) / 2),
        },
        {
            "dataset": "ml-1m",
            "segment": 2,
            "first_rank": 3,
            "last_rank": 4,
            "items": 2,
            "mean_ratings": 1.5,
            "positive_ratio": pytest.approx((1 / 2 + 1) / 2),
        },
    ]


@pytest.mark.parametrize("absent", [(), ("ml-1m",)])
def test_figure_7_draws_its_numbers(tmp_path: Path, absent: tuple[str, ...]) -> None:
    inputs = inputs_of(tmp_path, {"ml-1m": SEVEN}, segments=4, relevance_threshold=5)
    results = popularity.data_fig07(inputs)
    figure = drawn_alone(family_of(STUDY, "fig07"), results, display_of(STUDY, "fig07", absent))
    (axes,) = figure.axes
    (curve,) = axes.lines
    assert same_color(curve.get_color(), INK)
    assert curve.get_ydata() == pytest.approx(results["positive_ratio"])
    assert curve.get_xdata() == pytest.approx([1, 2, 3, 4])
    assert axes.get_title(loc="left") == "Share of positive ratings (rating 5)"
    # Named at its end.
    assert [text.get_text() for text in axes.texts] == ["ML-1M twin"]
