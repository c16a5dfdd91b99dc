# SPDX-License-Identifier: MIT
"""Kendall's tau of metrics with themselves at every level of sampling, by hand and by scipy."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import FillBetweenPolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Annotation
from scipy.stats import kendalltau
from studies.accepted_results import FULL, ROOT
from studies.prepared import display_of, drawn, drawn_alone, inputs_of, saved

from receval.figures.point_labels import LEADER
from receval.figures.style import SINGLE_COLUMN, figure_style, new_figure
from receval.storage.archives import write_archive
from receval.storage.files import read_results
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.metric_studies import rank_stability
from reproduction.studies.metric_studies.rank_stability import data, read_samplings, scale_near_one

NINE_SYSTEMS = [f"s{number}" for number in range(9)]
MEASURES = [
    ("arithmetic", "P@5"),
    ("arithmetic", "RR@5"),
    ("geometric", "P@5"),
    ("geometric", "RR@5"),
    ("geometric(zeros=one)", "RR@5"),
]
GEOMETRIC = {"average": "geometric", "released_average": "geometric(zeros=one)"}
PERCENTS = [100.0, 50.0, 10.0]
SAMPLES = 7


def write_sampling(path: Path, *datasets: str, seed: int = 1) -> Path:
    """Write values of nine systems at three levels; the first level has all judgments."""
    rng = np.random.default_rng(seed)
    arrays: dict[str, np.ndarray] = {
        "percents": np.array(PERCENTS),
        "aggregated_metrics": np.array(MEASURES),
    }
    for index, dataset in enumerate(datasets):
        shape = (len(PERCENTS), SAMPLES, len(MEASURES), len(NINE_SYSTEMS))
        complete = rng.random((len(MEASURES), len(NINE_SYSTEMS)))
        noise = np.array([0.0, 0.5, 2.0])[:, None, None, None] * rng.random(shape)
        arrays[f"experiment-{index}/dataset"] = np.array(dataset)
        arrays[f"experiment-{index}/systems"] = np.array(NINE_SYSTEMS)
        arrays[f"experiment-{index}/complete"] = complete
        arrays[f"experiment-{index}/values"] = complete + noise
        arrays[f"experiment-{index}/evaluated_users"] = rng.integers(1, 99, shape[:2])
    write_archive(path, arrays)
    return path


def arrays_of(path: Path) -> dict[str, np.ndarray]:
    with np.load(path) as archive:
        return dict(archive)


def inputs_from(
    *paths: Path,
    present: tuple[str, ...],
    names: tuple[str, ...] = ("P", "MRR"),
    metrics: tuple[str, ...] = ("P@5", "RR@5"),
    **parameters: str,
) -> ArtifactInputs:
    judgment_samplings = {path.stem: path for path in paths}
    return inputs_of(
        paths[0].parent,
        judgment_samplings=judgment_samplings,
        present=present,
        names=names,
        metrics=metrics,
        **parameters,
    )


def at(table: pd.DataFrame, **keys: object) -> pd.Series:
    for name, value in keys.items():
        table = table[table[name] == value]
    assert len(table) == 1
    return table.iloc[0]


def test_every_level_has_the_mean_and_spread_of_its_samples(tmp_path: Path) -> None:
    path = write_sampling(tmp_path / "ratings.npz", "ml-1m")
    table = data(inputs_from(path, present=("ml-1m",)))
    (archive,) = read_samplings(path)
    assert len(table) == 2 * len(PERCENTS)
    for aggregated_metric, name in enumerate(("P", "MRR")):
        for level, percent in enumerate(PERCENTS):
            taus = [
                kendalltau(
                    archive.complete[aggregated_metric], archive.values[level, s, aggregated_metric]
                ).statistic
                for s in range(SAMPLES)
            ]
            row = at(table, metric=name, kept_percent=percent)
            assert row["tau"] == pytest.approx(np.mean(taus))
            assert [row["tau_low"], row["tau_high"]] == pytest.approx(np.percentile(taus, [5, 95]))
            assert row["computable_samples"] == SAMPLES
            assert row["evaluated_lists"] == pytest.approx(archive.evaluated_users[level].mean())
    assert table["tau"].nunique() > 3


def test_samples_with_all_systems_tied_are_counted_and_left_out(tmp_path: Path) -> None:
    path = write_sampling(tmp_path / "items.npz", "ml-1m")
    arrays = arrays_of(path)
    values = arrays["experiment-0/values"]
    values[1, :2, 0] = 0.0
    values[2, :, 0] = 0.0
    write_archive(path, arrays)
    table = data(inputs_from(path, present=("ml-1m",)))
    half, least = (at(table, metric="P", kept_percent=percent) for percent in (50.0, 10.0))
    taus = [
        kendalltau(arrays["experiment-0/complete"][0], sample[0]).statistic
        for sample in values[1, 2:]
    ]
    assert half["computable_samples"] == SAMPLES - 2
    assert half["tau"] == pytest.approx(np.mean(taus))
    assert least["computable_samples"] == 0
    assert all(math.isnan(least[name]) for name in ("tau", "tau_low", "tau_high"))
    assert at(table, metric="MRR", kept_percent=10.0)["computable_samples"] == SAMPLES


def test_systems_apart_by_rounding_errors_are_tied(tmp_path: Path) -> None:
    path = write_sampling(tmp_path / "users.npz", "ml-1m")
    arrays = arrays_of(path)
    one, other = 0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1
    assert one != other
    arrays["experiment-0/complete"][0] = [one, other] + [0.9] * 7
    arrays["experiment-0/values"][:, :, 0] = [other, one] + [0.9] * 7
    write_archive(path, arrays)
    table = data(inputs_from(path, present=("ml-1m",)))
    assert table.loc[table["metric"] == "P", "tau"].tolist() == pytest.approx([1, 1, 1])


def test_mean_values_are_those_of_the_systems(tmp_path: Path) -> None:
    path = write_sampling(tmp_path / "ratings.npz", "ml-1m")
    table = data(inputs_from(path, present=("ml-1m",), average="geometric", statistic="value"))
    (archive,) = read_samplings(path)
    assert list(table.columns)[4] == "value"
    assert set(table["average"]) == {"geometric"}
    for aggregated_metric, name in ((2, "P"), (3, "MRR")):
        for level, percent in enumerate(PERCENTS):
            samples = [np.mean(archive.values[level, s, aggregated_metric]) for s in range(SAMPLES)]
            row = at(table, metric=name, kept_percent=percent)
            assert row["value"] == pytest.approx(np.mean(samples))
            assert [row["value_low"], row["value_high"]] == pytest.approx(
                np.percentile(samples, [5, 95])
            )


def test_datasets_are_in_the_order_of_the_configuration(tmp_path: Path) -> None:
    # Neither the order in an archive nor that of two archives decides.
    first = write_sampling(tmp_path / "a.npz", "librarything", "ml-1m")
    second = write_sampling(tmp_path / "b.npz", "beeradvocate", seed=2)
    order = ("beeradvocate", "ml-1m", "librarything")
    for inputs in (
        inputs_from(first, second, present=order),
        inputs_from(first, second, present=order, statistic="value"),
    ):
        table = data(inputs)
        assert tuple(dict.fromkeys(table["dataset"])) == order


def test_a_metric_that_was_not_measured_is_refused_and_not_left_out(tmp_path: Path) -> None:
    path = write_sampling(tmp_path / "ratings.npz", "ml-1m")
    message = "arithmetic AP@5 was not measured on ml-1m; arithmetic P@5, arithmetic RR@5"
    for statistic in ("tau", "value"):
        inputs = inputs_from(
            path,
            present=("ml-1m",),
            names=("P", "MAP"),
            metrics=("P@5", "AP@5"),
            statistic=statistic,
        )
        with pytest.raises(KeyError, match=message):
            data(inputs)


def test_the_released_form_has_rows_for_the_metrics_measured_so(tmp_path: Path) -> None:
    path = write_sampling(tmp_path / "ratings.npz", "ml-1m")
    table = data(inputs_from(path, present=("ml-1m",), **GEOMETRIC))
    found = list(dict.fromkeys(zip(table["average"], table["metric"], strict=True)))
    assert found == [("geometric", "P"), ("geometric", "MRR"), ("geometric(zeros=one)", "MRR")]


# --- drawing ----------------------------------------------------------------------------------


def figure_of(
    results: pd.DataFrame, study: str = "valcarce2020", artifact: str = "fig03", **display: str
) -> Figure:
    return drawn_alone(rank_stability, results, display_of(study, artifact, **display))


def settled_figure_of(results: pd.DataFrame, study: str, artifact: str, edition: str) -> Figure:
    return drawn(rank_stability, results, display_of(study, artifact, edition=edition))


def results_of_two(folder: Path) -> pd.DataFrame:
    path = write_sampling(folder / "ratings.npz", "ml-1m", "librarything")
    return saved(data(inputs_from(path, present=("ml-1m", "librarything"))), folder)


def curves_of(axes: Axes) -> list[Line2D]:
    """Return the lines that carry a name."""
    return [curve for curve in axes.lines if not str(curve.get_label()).startswith("_")]


def test_curves_go_from_all_judgments_to_the_fewest(tmp_path: Path) -> None:
    results = results_of_two(tmp_path)
    figure = figure_of(results)
    for axes, dataset in zip(figure.axes, ("ml-1m", "librarything"), strict=True):
        assert axes.get_xlim() == (100, 10)
        assert axes.get_xlabel() == "Test ratings kept (%)"
        bands = [c for c in axes.collections if isinstance(c, FillBetweenPolyCollection)]
        for curve, band, name in zip(curves_of(axes), bands, ("P", "MRR"), strict=True):
            rows = results[(results["dataset"] == dataset) & (results["metric"] == name)]
            points = dict(zip(rows["kept_percent"], rows["tau"], strict=True))
            assert dict(zip(curve.get_xdata(), curve.get_ydata(), strict=True)) == points
            (path,) = band.get_paths()
            assert path.vertices[:, 1].min() == pytest.approx(rows["tau_low"].min())
            assert path.vertices[:, 1].max() == pytest.approx(rows["tau_high"].max())


def test_mean_values_are_drawn_without_bands(tmp_path: Path) -> None:
    path = write_sampling(tmp_path / "ratings.npz", "ml-1m")
    table = data(inputs_from(path, present=("ml-1m",), statistic="value"))
    (axes,) = figure_of(table, artifact="fig04").axes
    for curve, name in zip(curves_of(axes), ("P", "MRR"), strict=True):
        values = table.loc[table["metric"] == name, "value"]
        assert curve.get_ydata()[::-1].tolist() == values.tolist()
    assert not axes.collections


def test_levels_without_a_tau_leave_a_gap(tmp_path: Path) -> None:
    results = results_of_two(tmp_path)
    results.loc[results["kept_percent"] == 10, ["tau", "tau_low", "tau_high"]] = np.nan
    figure = figure_of(results)
    with figure_style():
        figure.draw_without_rendering()
    axes = figure.axes[0]
    assert np.isnan(curves_of(axes)[0].get_ydata()[0])
    assert axes.get_xlim() == (100, 10)
    assert {name.get_text() for name in names_beside(axes)} == {"P", "MRR"}
    ends = [line.get_ydata() for line in axes.lines if line.get_label() == "_interval"]
    assert np.isnan(np.concatenate(ends)).all()


@pytest.mark.parametrize(
    ("low", "end"), [(0.9, 0.7), (0.7, 0.7), (0.4, 0.38), (-0.1, -0.12), (math.nan, 0.7)]
)
def test_the_axis_cuts_neither_a_curve_nor_its_band(low: float, end: float) -> None:
    results = pd.DataFrame(
        {
            "dataset": "ml-1m",
            "average": "arithmetic",
            "metric": "P",
            "kept_percent": [100.0, 50.0],
            "tau": [1.0, 0.95],
            "tau_low": [1.0, low],
            "tau_high": [1.0, 1.0],
        }
    )
    figure = figure_of(results, "valcarce2018", "fig06")
    low_end, high_end = figure.axes[0].get_ylim()
    assert low_end == pytest.approx(end)
    assert 1 < high_end < 1.03


def test_the_least_and_the_most_stable_metric_have_bands_and_all_have_intervals() -> None:
    names = ("P", "MAP", "nDCG", "MRR")
    results = pd.concat(
        pd.DataFrame(
            {
                "dataset": "ml-1m",
                "average": "arithmetic",
                "metric": name,
                "kept_percent": [100.0, 50.0],
                "tau": [1.0, tau],
                "tau_low": [1.0, tau - 0.02],
                "tau_high": [1.0, tau + 0.01],
            }
        )
        for name, tau in zip(names, (0.95, 0.99, 0.9, 0.97), strict=True)
    )
    axes = figure_of(results).axes[0]
    bands = [c for c in axes.collections if isinstance(c, FillBetweenPolyCollection)]
    styles = display_of("valcarce2020", "fig03").metric_styles(names)
    assert [to_hex(band.get_facecolor()[0]) for band in bands] == [
        styles[name].colour for name in ("MAP", "nDCG")
    ]
    intervals = [line for line in axes.lines if line.get_label() == "_interval"]
    ends = {
        (line.get_color(), *line.get_ydata()) for line in intervals if len(line.get_ydata()) > 1
    }
    taus = dict(zip(names, (0.95, 0.99, 0.9, 0.97), strict=True))
    assert ends == {(styles[name].colour, tau - 0.02, tau + 0.01) for name, tau in taus.items()}


def names_beside(axes: Axes) -> list[Annotation]:
    """Return the upright names to the right of a panel."""
    return [text for text in axes.texts if text.get_rotation() == 90]


def test_intervals_are_in_the_order_of_the_ends_and_cut_offs_without_a_name_have_none() -> None:
    results = read_results(FULL / "valcarce2018" / "fig02.csv")
    axes = figure_of(results, "valcarce2018", "fig02", edition="full").axes[0]
    display = display_of("valcarce2018", "fig02", edition="full")
    named = set(display.parameters["named"])
    assert {curve.get_label() for curve in curves_of(axes)} == named
    means = [
        line.get_ydata()[0]
        for line in axes.lines
        if line.get_label() == "_interval" and len(line.get_ydata()) == 1
    ]
    assert sorted(means) == sorted(curve.get_ydata()[0] for curve in curves_of(axes))
    names = sorted(names_beside(axes), key=lambda name: name.get_position()[0])
    assert {name.get_text() for name in names} == named
    last = {curve.get_label(): curve.get_ydata()[0] for curve in curves_of(axes)}
    ends = [last[name.get_text()] for name in names]
    assert ends == sorted(ends, reverse=True)


@pytest.mark.costly
@pytest.mark.parametrize("artifact", ["fig03", "fig13"])
def test_no_name_and_no_leader_meets_an_interval(artifact: str) -> None:
    results = read_results(FULL / "valcarce2020" / f"{artifact}.csv")
    figure = settled_figure_of(results, "valcarce2020", artifact, "full")
    axes = figure.axes[0]
    with figure_style():
        assert not [part for part in figure.findobj(Line2D) if leads_from(axes, part)]
        bars = [
            line.get_window_extent()
            for line in axes.lines
            if line.get_label() == "_interval" and len(line.get_ydata()) == 2
        ]
        names = [name.get_window_extent() for name in names_beside(axes)]
    assert len(bars) == len(names) == (4 if artifact == "fig13" else 9)
    assert not [(bar, name) for bar in bars for name in names if bar.overlaps(name)]


def leads_from(axes: Axes, part: Line2D) -> bool:
    """Return whether a line is a leader beside a panel."""
    frame = axes.get_window_extent()
    return part.get_label() == LEADER and frame.y0 < part.get_window_extent().y1 < frame.y1


def test_the_paper_is_marked_where_it_says_a_level() -> None:
    results = read_results(FULL / "valcarce2020" / "fig03.csv")
    axes = figure_of(results, edition="full").axes[0]
    (mark,) = [line for line in axes.lines if line.get_label() == "_paper"]
    assert (*mark.get_xdata(), *mark.get_ydata()) == (50, 0.9)
    assert mark.get_fillstyle() == "none"
    assert "paper: all above" in [text.get_text() for text in axes.texts]


def test_released_forms_have_a_panel_of_their_own_below(tmp_path: Path) -> None:
    path = write_sampling(tmp_path / "ratings.npz", "ml-1m")
    table = data(inputs_from(path, present=("ml-1m",), **GEOMETRIC))
    above, below = figure_of(table, artifact="fig10").axes
    assert [curve.get_label() for curve in curves_of(above)] == ["GP", "GMRR"]
    assert [curve.get_label() for curve in curves_of(below)] == ["GMRR", "GMRR*"]
    assert [curve.get_linestyle() for curve in curves_of(below)] == ["-", ":"]
    assert above.get_position().height > below.get_position().height
    assert above.get_title(loc="left") == (
        "(a) Ratings removed at random, ML-1M twin\nUsers without a hit: .00001"
    )
    assert below.get_title(loc="left") == "(b) Users without a hit: 1 (*)"
    assert "log scale" in above.get_ylabel()
    assert "log scale" not in below.get_ylabel()


def test_the_condition_is_named_once_whatever_the_datasets() -> None:
    display = display_of("valcarce2018", "fig06")
    results = read_results(ROOT / "results" / "demo" / "valcarce2018" / "fig06.csv")
    alone = results[results["dataset"] == "ml-1m"]
    several = settled_figure_of(results, "valcarce2018", "fig06", "demo")
    single = figure_of(alone, "valcarce2018", "fig06")
    removed = display.parameters["removed"]
    assert several.get_suptitle() == removed
    assert not any(removed in axes.get_title(loc="left") for axes in several.axes)
    (heading,) = several.texts
    first, *_ = several.axes
    assert heading.get_position()[0] == pytest.approx(first.get_position().x0, abs=1e-6)
    assert single.get_suptitle() == ""
    assert single.axes[0].get_title(loc="left") == f"{removed}, ML-1M twin"


# --- the axis of coefficients near 1 -----------------------------------------------------------


def test_each_factor_of_what_is_missing_has_the_same_room() -> None:
    with figure_style():
        figure = new_figure(SINGLE_COLUMN, SINGLE_COLUMN)
        axes = figure.subplots()
        scale_near_one(axes, 0.35)
        figure.draw_without_rendering()
    heights = axes.transData.transform([(0, tau) for tau in (0.4, 0.8, 0.9, 0.95, 1)])[:, 1]
    assert (np.diff(heights) > 0).all()
    assert heights[2] - heights[1] == pytest.approx(heights[3] - heights[2], rel=0.01)
    marks = [label.get_text() for label in axes.get_yticklabels()]
    assert marks == ["1", ".99", ".97", ".9", ".7"]


def test_an_axis_without_length_is_refused() -> None:
    with figure_style(), pytest.raises(ValueError, match="would end at 1"):
        scale_near_one(new_figure(2, 2).subplots(), 1.0)
