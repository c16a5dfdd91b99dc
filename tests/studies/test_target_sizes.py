# SPDX-License-Identifier: MIT
"""Figures 3 and 4 of bellogin2017 on a few ratings, ranked for good."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.container import ErrorbarContainer
from studies.prepared import display_of, drawn_alone, family_of, inputs_of, saved, write_experiment

from receval.figures.display import DisplayStyle
from receval.metrics.evaluation import evaluate
from receval.metrics.lists import JudgedLists
from receval.metrics.registry import parse
from receval.protocols.judged_ranks import JudgedRanks, read_ranks
from receval.protocols.protocol import Protocol
from receval.splits.split import Judgments
from reproduction.experiments.universes import kept_ratings
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.bellogin2017 import target_sizes

STUDY = "bellogin2017"
SYSTEMS = ("plsa", "mf", "knn-centred", "pop", "random")
SIZES = (3, 5, 30)
THRESHOLD = 3.0
EVERYTHING = Protocol("AR", "TI")
PROTOCOLS = (
    EVERYTHING,
    *(Protocol(kind, "TI", size, THRESHOLD) for kind in ("1R", "AR") for size in SIZES),
)
REMOVED = (0, 30, 60)
METRICS = ("RR", "nDCG(gain=relevant)@2", "Recall@2", "AP")
FOLDS = 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("target-sizes")


@pytest.fixture(scope="module")
def experiment(folder: Path) -> dict[str, Any]:
    """A dataset, its split and the ranks of systems that score at random."""
    return write_experiment(
        folder,
        "ml-1m",
        SYSTEMS,
        PROTOCOLS,
        folds=FOLDS,
        threshold=THRESHOLD,
        tested_share=0.4,
        with_all_scores=True,
    )


Inputs = Callable[..., ArtifactInputs]


@pytest.fixture(scope="module")
def inputs(folder: Path, experiment: dict[str, Any]) -> Inputs:
    """The inputs of the figures, some of which may be changed."""

    def changed(protocols: Sequence[Protocol] = PROTOCOLS, **parameters: Any) -> ArtifactInputs:
        described = {**experiment, "protocols": [asdict(protocol) for protocol in protocols]}
        usual = {"metric": "P@2", "metrics": METRICS, "systems": ("plsa", "knn-centred")}
        return inputs_of(
            folder,
            experiments={"target-sizes": described},
            seed=1,
            **{**usual, "removed_percents": REMOVED, **parameters},
        )

    return changed


def display(artifact: str) -> DisplayStyle:
    shown = display_of(STUDY, artifact)
    return replace(shown, parameters={**shown.parameters, "metric": "P@2"})


@pytest.fixture(scope="module")
def three(inputs: Inputs) -> pd.DataFrame:
    return target_sizes.data_fig03(inputs())


@pytest.fixture(scope="module")
def four(inputs: Inputs) -> pd.DataFrame:
    return target_sizes.data_fig04(inputs())


def kept_of(inputs: Inputs, number: int, percent: int) -> np.ndarray:
    kept = kept_ratings(inputs().experiments["target-sizes"], number, REMOVED, 1)
    return kept.masks[kept.percents.index(percent)]


def lists_of_what_is_left(
    inputs: Inputs, system: str, protocol: Protocol, number: int, percent: int
) -> JudgedLists:
    """Bind the ranks of the ratings kept to judgments that know no others."""
    test = inputs().experiments["target-sizes"].fold(number).test
    mask = kept_of(inputs, number, percent)
    left = Judgments.from_pairs(test.users[mask], test.items[mask], test.values[mask], 30)
    path = inputs().files.ranks_file("ml-1m", "coin-flip", system)
    outcome = read_ranks(path, protocol.key, number)
    reduced = JudgedRanks(outcome.ranks[mask], outcome.lengths, outcome.candidates)
    return JudgedLists.of(left, reduced, THRESHOLD, protocol)


# --- what is left -----------------------------------------------------------------------------


def test_levels_are_nested_and_keep_their_share(inputs: Inputs) -> None:
    masks = [kept_of(inputs, 0, percent) for percent in (100, 70, 40)]
    assert masks[0].all()
    for percent, wider, narrower in zip((70, 40), masks, masks[1:], strict=False):
        assert not np.any(narrower & ~wider)
        assert narrower.mean() == pytest.approx(percent / 100, abs=0.01)
    assert kept_of(inputs, 1, 70).mean() == pytest.approx(0.7, abs=0.01)
    again = kept_of(inputs, 0, 70)
    assert np.array_equal(again, masks[1])


# --- figure 3 ---------------------------------------------------------------------------------


def test_figure_3_has_bounds_for_every_system_point_and_fold(three: pd.DataFrame) -> None:
    columns = [
        "dataset",
        "varied",
        "kept_percent",
        "target_set_size",
        "system",
        "metric",
        "cutoff",
        "fold",
    ]
    assert list(three.columns) == [*columns, "lower", "value", "upper", "lists"]
    assert len(three) == 2 * (len(REMOVED) + len(SIZES)) * (FOLDS + 1)
    assert (three["lower"] <= three["value"]).all()
    assert (three["value"] <= three["upper"]).all()
    assert (three["lower"] < three["upper"]).any()


def test_figure_3_measures_the_lists_that_are_left(inputs: Inputs, three: pd.DataFrame) -> None:
    rows = three[(three["fold"] == "1") & (three["system"] == "knn-centred")]
    for row in rows.to_dict("records"):
        protocol = Protocol("1R", "TI", row["target_set_size"] - 1, THRESHOLD)
        lists = lists_of_what_is_left(inputs, "knn-centred", protocol, 1, row["kept_percent"])
        values = evaluate([parse("P@2")], lists)[0]
        assert row["value"] == pytest.approx(values.mean())
        assert row["lists"] == len(values)


def test_the_means_of_figure_3_are_those_of_the_folds(three: pd.DataFrame) -> None:
    point = ["varied", "kept_percent", "target_set_size", "system"]
    folds = three[three["fold"] != "mean"].groupby(point)
    means = three[three["fold"] == "mean"].set_index(point)
    for column in ("lower", "value", "upper"):
        expected = folds[column].mean().loc[means.index]
        assert means[column].tolist() == pytest.approx(expected.tolist())
    assert means["lists"].tolist() == folds["lists"].sum().loc[means.index].tolist()


def test_figure_3_shades_up_to_its_bounds(tmp_path: Path, three: pd.DataFrame) -> None:
    results = saved(three, tmp_path)
    figure = drawn_alone(family_of(STUDY, "fig03"), results, display("fig03"))
    means = results[(results["fold"] == "mean") & (results["varied"] == "target set size")]
    _, right = figure.axes
    labels = [curve.get_label() for curve in right.lines]
    assert labels == ["pLSA", "upper bound", "lower bound", "kNN", "upper bound", "lower bound"]
    # Named at the ends of the lines, and no legend.
    assert [text.get_text() for text in right.texts] == labels
    assert not figure.legends
    for index, system in enumerate(("plsa", "knn-centred")):
        own = means[means["system"] == system]
        curve, upper, lower = right.lines[3 * index : 3 * index + 3]
        assert curve.get_ydata() == pytest.approx(own["value"])
        assert upper.get_ydata() == pytest.approx(own["upper"])
        assert lower.get_ydata() == pytest.approx(own["lower"])
        light, dark = (
            shade.get_paths()[0].vertices[:, 1]
            for shade in right.collections[2 * index : 2 * index + 2]
        )
        assert light.max() == pytest.approx(own["upper"].max())
        assert dark.min() == pytest.approx(own["lower"].min())


def test_figure_3_needs_the_same_sizes_under_both_protocols(inputs: Inputs) -> None:
    unequal = (Protocol("1R", "TI", 3, THRESHOLD), Protocol("AR", "TI", 5, THRESHOLD))
    with pytest.raises(ValueError, match="give both protocols the same sizes"):
        target_sizes.data_fig03(inputs(protocols=unequal))
    with pytest.raises(ValueError, match="no protocol AR with sampled"):
        target_sizes.data_fig03(inputs(protocols=unequal[:1]))


@pytest.mark.each("metric", ["RR", "P", "nDCG@10"])
def test_only_precision_at_a_cut_off_is_drawn(inputs: Inputs, metric: str) -> None:
    for data in (target_sizes.data_fig03, target_sizes.data_fig04):
        with pytest.raises(ValueError, match="precision at a cut-off"):
            data(inputs(metric=metric))


# --- figure 4 ---------------------------------------------------------------------------------


def test_figure_4_has_a_value_for_every_system_point_and_fold(four: pd.DataFrame) -> None:
    drawn = four[(four["metric"] == "P") & (four["evaluated_users"] == "all")]
    assert len(drawn) == 5 * (2 * len(REMOVED) + len(SIZES)) * (FOLDS + 1)
    others = four.drop(drawn.index)
    assert set(others["fold"]) == {"mean"}
    assert len(others) == 5 * len(REMOVED) * (2 * len(METRICS) + 1)
    keys = list(four.columns[: list(four.columns).index("value")])
    assert not four.duplicated(keys).any()


def test_removed_ratings_are_nowhere_relevant_under_ar(inputs: Inputs, four: pd.DataFrame) -> None:
    labels = {"P": "P@2", **{parse(label).at(None).label: label for label in METRICS}}
    means = four[(four["protocol"] == "AR TI-AN") & (four["fold"] == "mean")]
    for (percent, system), rows in means.groupby(["kept_percent", "system"]):
        both = [lists_of_what_is_left(inputs, system, EVERYTHING, n, percent) for n in range(FOLDS)]
        for row in rows.to_dict("records"):
            metric = parse(labels[row["metric"]])
            values = [evaluate([metric], lists)[0] for lists in both]
            if row["evaluated_users"] == "relevant":
                values = [v[x.full.n_relevant > 0] for v, x in zip(values, both, strict=True)]
            assert row["value"] == pytest.approx(np.mean([v.mean() for v in values])), row
            assert row["lists"] == sum(map(len, values))
            assert row["expected"] == row["value"]


def test_the_density_of_what_is_left_is_the_expected_random_precision(
    inputs: Inputs, four: pd.DataFrame
) -> None:
    rows = four[(four["metric"] == "P") & (four["fold"] == "0") & (four["system"] == "random")]
    for row in rows[rows["protocol"] == "AR TI-AN"].to_dict("records"):
        lists = lists_of_what_is_left(inputs, "random", EVERYTHING, 0, row["kept_percent"])
        assert row["rho"] == pytest.approx(evaluate([parse("P")], lists)[0].mean())
        assert 0 < row["rho_error"] < 0.1
    one = rows[(rows["protocol"] == "1R TI-NN") & (rows["target_set_size"] != "31")]
    assert one["rho"].tolist() == pytest.approx(1 / one["target_set_size"].astype(int))
    # Few candidates are left for 30 samples.
    assert (rows.loc[rows["target_set_size"] == "31", "rho"] > 1 / 31).all()


def test_values_of_samples_that_take_all_candidates_are_their_expectations(
    four: pd.DataFrame,
) -> None:
    whole = four[four["target_set_size"] == "31"]
    assert whole["value"].tolist() == pytest.approx(whole["expected"].tolist())
    small = four[four["target_set_size"] == "4"]
    assert (small["value"] != small["expected"]).any()
    # Eighty lists of 0 or 1/2, those of a user over one sample: an error of about .035.
    assert small["value"].tolist() == pytest.approx(small["expected"].tolist(), abs=0.12)


def test_both_figures_measure_the_same_lists(three: pd.DataFrame, four: pd.DataFrame) -> None:
    point = ["varied", "kept_percent", "target_set_size", "system", "fold"]
    one = four[four["protocol"] == "1R TI-NN"]
    other = one.assign(target_set_size=one["target_set_size"].astype(int)).set_index(point)
    for row in three.to_dict("records"):
        assert row["value"] == pytest.approx(other.loc[tuple(row[k] for k in point), "value"])


def test_figure_4_draws_means_and_the_theory(tmp_path: Path, four: pd.DataFrame) -> None:
    results = saved(four, tmp_path)
    figure = drawn_alone(family_of(STUDY, "fig04"), results, display("fig04"))
    assert len(figure.axes) == 3
    left, centre, right = figure.axes
    means = results[(results["fold"] == "mean") & (results["metric"] == "P")]
    means = means[(means["evaluated_users"] == "all") & (means["system"] == "mf")]
    of_left, of_centre, of_right = (
        {line.get_label(): line for line in axes.lines} for axes in figure.axes
    )
    assert of_left["MF"].get_ydata() == pytest.approx(
        means["value"][means["protocol"] == EVERYTHING.name]
    )
    assert of_left["MF"].get_xdata() == pytest.approx(REMOVED)
    sizes = means[means["varied"] == "target set size"]
    assert of_right["MF"].get_ydata() == pytest.approx(sizes["value"])
    assert of_right["$\\rho$"].get_ydata() == pytest.approx(sizes["rho"])
    assert of_right["$\\rho$"].get_linestyle() == ":"
    assert of_centre["$\\rho$"].get_ydata() == pytest.approx([1 / 4] * 3)
    # One interval a system, at the last level.
    for axes, last in ((left, REMOVED[-1]), (centre, REMOVED[-1]), (right, max(SIZES) + 1)):
        bars = [one for one in axes.containers if isinstance(one, ErrorbarContainer)]
        assert len(bars) == 5
        assert all((bar[2][0].get_segments()[0][:, 0] == last).all() for bar in bars)
    assert centre.get_ylim() == right.get_ylim()


def test_metrics_that_count_other_ratings_have_no_average_over_relevant_users(
    inputs: Inputs,
) -> None:
    with pytest.raises(ValueError, match="choose a gain of relevant items alone"):
        target_sizes.data_fig04(inputs(metrics=("nDCG@2",)))


def test_figure_4_needs_one_protocol_of_all_candidates(inputs: Inputs) -> None:
    with pytest.raises(ValueError, match="has 0 protocols AR that rank all"):
        target_sizes.data_fig04(inputs(protocols=PROTOCOLS[1:]))
