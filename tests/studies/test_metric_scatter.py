# SPDX-License-Identifier: MIT
"""Figures of one metric against another name every system, whatever its values are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import same_color
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Annotation
from numpy.typing import NDArray
from studies.coefficients_of_claims import published_coefficients
from studies.prepared import ROOT, display_of, drawn_alone, family_of, problems_of
from studies.prepared import drawn as settled

from reproduction.config.settings import EDITIONS, load_settings
from reproduction.studies.menamaldonado2021 import metric_scatter
from reproduction.studies.menamaldonado2021.metric_scatter import (
    COLOURED,
    NEUTRAL,
    axis_title,
    better,
    correlation,
    panels_of,
    tau_text,
)
from reproduction.workflow.plan.plan import Plan

STUDY = "menamaldonado2021"
FIGURES = ("fig01", "fig12", "fig13", "fig14", "fig16", "fig17", "fig18")
WITH_OPTIMA = ("fig12", "fig13", "fig18")
TITLES = {"ml-1m": "ML-1M", "yahoo-r3": "Yahoo! R3", "cm100k": "CM100k"}
# Of figures with the same panels for each dataset, one is drawn in full.
SHOWN = {"fig12": ("yahoo-r3", "cm100k"), **dict.fromkeys(("fig13", "fig14", "fig17"), ("cm100k",))}
Values = Callable[[np.random.Generator, int], NDArray[np.float64]]


@cache
def plan() -> Plan:
    return Plan(load_settings(ROOT / "config", "full"), ROOT)


def spread(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
    """Return coordinates all over the panel, the two axes in agreement."""
    x = rng.random(size)
    return np.column_stack([x, x + 0.2 * rng.random(size)])


def opposed(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
    """Return coordinates of which one falls as the other rises."""
    return spread(rng, size) * (1, -1) + (0, 1.3)


def tiny(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
    """Return values as small as those of .0009 on CM100k."""
    return 0.0009 * (0.5 + spread(rng, size))


def crowded(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
    """Return a few systems far from a knot of all others."""
    values = 0.1 + 0.004 * spread(rng, size)
    values[:3] = [(0.3, 0.2), (0.02, 0.3), (0.2, 0.05)]
    return values


def equal(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
    """Return points of which several coincide."""
    values = spread(rng, size)
    values[1:4] = values[0]
    values[5] = values[4]
    return values


def knots_on_a_grid(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
    """Return coordinates on a grid, the first four and the next two of them the same."""
    points = np.array([(place % 5, place // 5) for place in range(size)], dtype=np.float64)
    points[1:4] = points[0]
    points[5] = points[4]
    return points


DRAWN: dict[str, Values] = {
    **dict.fromkeys(("fig01", "fig12", "fig13", "fig14"), crowded),
    "fig16": knots_on_a_grid,
    "fig18": equal,
}
"""Values of the figures that are drawn; figure 17 has the panels of figure 14."""


def generated(
    figure: str, values: Values, datasets: Sequence[str] = tuple(TITLES), seed: int = 1
) -> pd.DataFrame:
    """Return the numbers of a figure with all its systems, on those of its datasets."""
    rng = np.random.default_rng(seed)
    parameters = plan().artifacts.spec(STUDY, figure).parameters
    experiments = plan().settings.studies[STUDY].experiments
    tables = []
    for panel in panels_of(parameters, plan().artifacts.spec(STUDY, figure).only_experiments):
        experiment = experiments[panel.experiment]
        if experiment.dataset not in datasets:
            continue
        optimal = [name for name in experiment.systems if name.startswith("optimal")]
        systems = [name for name in experiment.systems if name not in optimal]
        if panel.y.metric in parameters.get("optimal_with", ()):
            systems += [name for name in optimal if name in parameters["optimal"]]
        points = values(rng, len(systems))
        table = pd.DataFrame(
            {
                "experiment": panel.experiment,
                "dataset": experiment.dataset,
                "split": experiment.split,
                "form": "text",
                "x_evaluation": panel.x.evaluation,
                "x_metric": panel.x.metric,
                "y_evaluation": panel.y.evaluation,
                "y_metric": panel.y.metric,
                "system": systems,
                "role": ["optimal" if name in optimal else "system" for name in systems],
                "x": points[:, 0],
                "y": points[:, 1],
            }
        )
        tables.append(table.assign(**correlation(table), x_coverage=0.1, y_coverage=0.1))
    return pd.concat(tables, ignore_index=True)


def drawn(figure: str, results: pd.DataFrame, absent: Sequence[str] = ()) -> Figure:
    display = display_of(STUDY, figure, absent, edition="full")
    return drawn_alone(family_of(STUDY, figure), results, display)


def example(figure: str, values: Values, datasets: tuple[str, ...] = ()) -> Figure:
    """Return a figure of generated values, for looking at alone."""
    own = display_of(STUDY, figure, edition="full").datasets
    there = datasets or SHOWN.get(figure, tuple(own))
    return _example(figure, values, tuple(name for name in own if name in there))


@cache
def _example(figure: str, values: Values, datasets: tuple[str, ...]) -> Figure:
    own = display_of(STUDY, figure, edition="full").datasets
    absent = [name for name in own if name not in datasets]
    display = display_of(STUDY, figure, absent, edition="full")
    return settled(family_of(STUDY, figure), generated(figure, values, datasets), display)


@cache
def unnamed_example(figure: str) -> Figure:
    """Return a figure of generated values without names of points, for looking at alone."""
    with pytest.MonkeyPatch.context() as patch:
        leave_names_out(patch)
        return drawn(figure, generated(figure, DRAWN[figure], SHOWN.get(figure, tuple(TITLES))))


@pytest.fixture
def unnamed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put no names beside points, for which places are sought in most of the time of drawing."""
    leave_names_out(monkeypatch)


def leave_names_out(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(metric_scatter, "label_points", lambda *_: [])


def panels_with_points(figure: Figure) -> list[Axes]:
    return [axes for axes in figure.axes if axes.lines]


def headings(figure: Figure) -> list[str]:
    """Return the bold texts above panels, which tell their data."""
    texts = [text for axes in panels_with_points(figure) for text in axes.texts]
    return [t.get_text() for t in texts if t.get_fontweight() == "bold" and t.get_text()]


def names_in(axes: Axes) -> list[Annotation]:
    """Return the names of points: annotations at data coordinates that have a text."""
    return [
        text
        for text in axes.texts
        if isinstance(text, Annotation) and text.get_text() and text.xycoords == "data"
    ]


# --- no overlaps ------------------------------------------------------------------------------


def overlaps_of(picture: Figure) -> list[str]:
    """Return what is wrong with texts but for leaders that meet, as some must among such points.

    The figures of accepted results have none (test_every_figure.py).
    """
    return [problem for problem in problems_of(picture) if not problem.startswith("The leader")]


@pytest.mark.costly
def test_figures_have_no_overlaps_whatever_the_values() -> None:
    assert overlaps_of(example("fig12", tiny, ("ml-1m",))) == []
    assert overlaps_of(example("fig18", equal, ("ml-1m",))) == []
    assert problems_of(example("fig12", crowded)) == []


@pytest.mark.costly
@pytest.mark.parametrize("figure", DRAWN)
def test_each_figure_has_its_panels(figure: str) -> None:
    picture = unnamed_example(figure)
    shown = SHOWN.get(figure, TITLES)
    parameters = plan().artifacts.spec(STUDY, figure).parameters
    experiments = plan().settings.studies[STUDY].experiments
    names = plan().artifacts.spec(STUDY, figure).only_experiments
    panels = [p for p in panels_of(parameters, names) if experiments[p.experiment].dataset in shown]
    assert len(panels_with_points(picture)) == len(panels)
    sizes = {"fig01": (16,), "fig12": (18, 16), "fig13": (17, 16), "fig18": (18, 16)}
    assert {len(axes.lines) for axes in panels_with_points(picture)} == {*sizes.get(figure, (16,))}


@pytest.mark.costly
@pytest.mark.parametrize(
    ("values", "datasets"), [(equal, ("ml-1m",)), (crowded, ("yahoo-r3", "cm100k"))]
)
def test_datasets_that_are_absent_leave_no_gap_and_are_told(
    values: Values, datasets: tuple[str, ...]
) -> None:
    picture = example("fig12", values, datasets)
    assert overlaps_of(picture) == []
    assert headings(picture) == [TITLES[name] for name in datasets]
    assert picture.texts == []
    # All panels of one metric stand in one row.
    if len(datasets) > 1:
        for metric in (0, 1):
            row = panels_with_points(picture)[metric * len(datasets) : (metric + 1) * len(datasets)]
            assert len({axes.get_position().y0 for axes in row}) == 1


# --- what a panel shows -----------------------------------------------------------------------


@pytest.mark.parametrize(("figure", "values"), [("fig12", crowded), ("fig18", equal)])
def test_every_system_is_named_once_in_each_panel_and_few_have_a_colour(
    figure: str, values: Values
) -> None:
    results = generated(figure, values, SHOWN.get(figure, tuple(TITLES)))
    display = display_of(STUDY, figure, edition="full")
    picture = example(figure, values)
    groups = results.groupby(["y_metric", "x_metric", "experiment"], sort=False)
    panels = panels_with_points(picture)
    assert len(panels) == groups.ngroups
    for axes, (_, rows) in zip(panels, groups, strict=True):
        assert [name.get_text() for name in names_in(axes)] == [
            display.short_titles[system] for system in rows["system"]
        ]
        assert [name.xy for name in names_in(axes)] == list(zip(rows["x"], rows["y"], strict=True))
        for line, row in zip(axes.lines, rows.to_dict("records"), strict=True):
            assert line.get_xdata().tolist() == [row["x"]]
            assert line.get_ydata().tolist() == [row["y"]]
            own = row["role"] == "optimal" or row["system"] in COLOURED
            style = display.systems[row["system"]]
            assert same_color(line.get_color(), style.colour if own else NEUTRAL)
            # Rings are round, whatever the marker is.
            is_ring = line.get_markerfacecolor() == "none"
            assert line.get_marker() == (style.marker if own and not is_ring else "o")
            # White edges would hide a marker without an area, such as a cross.
            is_filled = line.get_marker() in Line2D.filled_markers and not is_ring
            edge = "white" if is_filled else line.get_color()
            assert same_color(line.get_markeredgecolor(), edge)
            assert line.get_label() == display.short_titles[row["system"]]
            assert line.get_linestyle() == "None"


@pytest.mark.each("figure", FIGURES)
def test_systems_of_a_figure_have_names_that_differ(figure: str) -> None:
    display = display_of(STUDY, figure, edition="full")
    names = [display.short_titles[name] for name in generated(figure, spread)["system"].unique()]
    assert len(set(names)) == len(names) >= 16


@pytest.mark.usefixtures("unnamed")
def test_only_the_form_of_the_text_is_drawn() -> None:
    text = generated("fig13", spread, ["cm100k"])
    released = text.assign(form="released", x=text["x"] + 5)
    picture = drawn("fig13", pd.concat([text, released], ignore_index=True))
    panels = panels_with_points(picture)
    assert [len(axes.lines) for axes in panels] == [17, 16]
    assert max(axes.get_xlim()[1] for axes in panels) < 5


@pytest.mark.usefixtures("unnamed")
def test_panels_in_the_released_form_say_from_how_many_stars_an_item_is_liked() -> None:
    text = generated("fig14", spread, ["yahoo-r3"])
    results = pd.concat([text, text.assign(form="released")], ignore_index=True)
    picture = drawn("fig14", results, ["cm100k"])
    assert headings(picture) == ["Yahoo! R3", "Yahoo! R3, from 3 stars"]
    assert len(panels_with_points(picture)) == 8


@pytest.mark.usefixtures("unnamed")
def test_each_panel_has_its_own_tau() -> None:
    results = generated("fig13", opposed, ["yahoo-r3"])
    groups = results.groupby(["y_metric", "x_metric", "experiment"], sort=False)
    picture = drawn("fig13", results)
    panels = panels_with_points(picture)
    printed = []
    for axes, (_, rows) in zip(panels, groups, strict=True):
        released = {"P@10": "-.767", "Recall@10": "-.800"}[rows["y_metric"].iloc[0]]
        expected = tau_text(rows["tau"].iloc[0], rows["p_value"].iloc[0], released)
        texts = [text.get_text() for text in axes.texts]
        assert texts.count(expected) == 1
        assert sum("tau" in text for text in texts) == 1
        printed.append(expected)
    assert len(set(printed)) > 1
    assert all("\N{MINUS SIGN}" in text for text in printed)


@pytest.mark.each(
    ("figure", "x", "y"),
    [
        ("fig12", "antiP@10", "P@10"),
        ("fig18", "antiP@10", "P@10"),
        ("fig01", "antiP@10 (condensed)", "P@10 (condensed)"),
        ("fig13", "Real antiP@10", "Real P@10"),
        ("fig14", "Observed P@10", "Real P@10"),
        ("fig16", "Observed P@10", "Real P@10"),
    ],
)
def test_axes_tell_observed_from_real_where_both_or_real_ones_are_shown(
    figure: str, x: str, y: str
) -> None:
    first = panels_with_points(unnamed_example(figure))[0]
    labels = (first.get_xlabel(), first.get_ylabel())
    assert tuple(label.rpartition(" (")[0] for label in labels) == (x, y)


# --- texts ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tau", "p_value", "text"),
    [(-0.617, 0.0004, r"$\tau$ = −.617, $p$ < .001"), (0.617, 0.064, r"$\tau$ = .617, $p$ = .064")],
)
def test_coefficients_are_printed_as_papers_print_them(
    tau: float, p_value: float, text: str
) -> None:
    assert tau_text(tau, p_value) == text


@pytest.mark.each(
    ("label", "told", "title"),
    [
        ("P@10", False, "P@10"),
        ("RR@10", False, "MRR@10"),
        ("antiRR@10", True, "Real anti-MRR@10"),
        ("P@10", True, "Real P@10"),
        ("nDCG(gain=steps)@10", True, "Real nDCG@10"),
        ("P(condensed=true,denominator=filled)@10", False, "P@10 (condensed)"),
        ("Recall(condensed=true)@10", True, "Real Recall@10 (condensed)"),
    ],
)
def test_titles_of_axes_leave_parameters_to_the_caption(label: str, told: bool, title: str) -> None:
    assert axis_title("real", label, told=told) == title


# --- hidden points, arrows, and the paper -----------------------------------------------------


def test_a_system_behind_another_one_is_a_ring_around_it() -> None:
    (axes, *_) = panels_with_points(unnamed_example("fig16"))
    sizes = [line.get_markersize() for line in axes.lines]
    assert sizes[0] > sizes[1] > sizes[2] > sizes[3] == sizes[6]
    assert sizes[4] > sizes[5] == sizes[6]
    for ring in (*axes.lines[:3], axes.lines[4]):
        assert ring.get_markerfacecolor() == "none"
        assert same_color(ring.get_markeredgecolor(), ring.get_color())
    for mark in (axes.lines[3], *axes.lines[5:13]):
        assert same_color(mark.get_markerfacecolor(), mark.get_color())


def test_a_line_leads_from_every_ring_and_what_lies_in_it_to_its_name() -> None:
    results = generated("fig12", equal, ["ml-1m"])
    (axes, *_) = panels_with_points(example("fig12", equal, ("ml-1m",)))
    led = {text.xy for text in axes.texts if isinstance(text, Annotation) and text.arrow_patch}
    knots = results[:18].groupby(["x", "y"]).filter(lambda together: len(together) > 1)
    assert len(knots) >= 6
    assert set(zip(knots["x"], knots["y"], strict=True)) <= led
    ends = [text.xy for text in axes.texts if isinstance(text, Annotation) and text.arrow_patch]
    for point, together in knots.groupby(["x", "y"]):
        # One stroke a name, however far it stands.
        assert ends.count(point) == len(together)


@pytest.mark.usefixtures("unnamed")
def test_named_systems_are_above_others_and_optimal_rankings_above_all() -> None:
    results = generated("fig12", equal, ["ml-1m"])
    results[["x", "y"]] = 0.1
    lines = panels_with_points(drawn("fig12", results))[0].lines
    sizes = {line.get_label(): line.get_markersize() for line in lines}
    optimal, named = ("Optimal P", "Optimal antiP"), ("Pop", "Avg", "Random")
    others = set(sizes) - {*optimal, *named}
    assert max(sizes[name] for name in optimal) < min(sizes[name] for name in named)
    assert max(sizes[name] for name in named) < min(sizes[name] for name in others)


def test_an_arrow_points_to_the_better_values() -> None:
    for label in ("P@10", "Recall(condensed=true)@10", "nDCG(gain=steps)@10"):
        assert better(label) == "(better \N{RIGHTWARDS ARROW})"
    for label in ("Fallout(condensed=true)@10", "antiRR@10", "antiP@10", "nDCL@10"):
        assert better(label) == "(\N{LEFTWARDS ARROW} better)"


OF_FIGURE_12 = {("ml-1m", 0.78), ("yahoo-r3", 0.86), ("cm100k", 0.72)}


@pytest.mark.each("figure", FIGURES)
def test_released_coefficients_are_those_of_the_claims(figure: str) -> None:
    published = published_coefficients()
    parameters = plan().artifacts.spec(STUDY, figure).parameters
    experiments = plan().settings.studies[STUDY].experiments
    released = {
        name.removeprefix("released_tau_"): list(map(float, values))
        for name, values in parameters.items()
        if name.startswith("released_tau_")
    }
    assert released
    for experiment, values in released.items():
        for metric, value in zip(parameters["y_metrics"], values, strict=True):
            key = (figure, experiments[experiment].dataset, str(metric))
            of_claim = published.pop(key)
            # Figure 12 prints others than figure 1 and the release have (M-077, M-081, M-085).
            assert of_claim == value or (key[1], of_claim) in OF_FIGURE_12
    assert not [key for key in published if key[0] == figure]


@pytest.mark.usefixtures("unnamed")
def test_released_coefficients_stand_beside_those_of_real_data_alone() -> None:
    display = display_of(STUDY, "fig16", edition="demo")
    results = generated("fig16", knots_on_a_grid)
    known = results[results["system"].isin(list(display.systems))]
    of_demo = drawn_alone(family_of(STUDY, "fig16"), known, display)
    for picture, is_real in ((unnamed_example("fig16"), True), (of_demo, False)):
        texts = [text.get_text() for axes in picture.axes for text in axes.texts]
        assert any("(released \N{MINUS SIGN}.467)" in text for text in texts) is is_real


@pytest.mark.each("figure", FIGURES)
def test_the_demo_explains_nothing_that_real_data_alone_have(figure: str) -> None:
    real, twin = (display_of(STUDY, figure, edition=edition).caption for edition in EDITIONS[::-1])
    for word in ("BPoissMF", "released values"):
        assert word in real
        assert word not in twin
    for caption in (real, twin):
        assert "Random a grey cross" in caption
        assert ("the optimal rankings are black" in caption) is (figure in WITH_OPTIMA)


def titles(figure: Figure) -> list[str]:
    return [axes.get_title(loc="left") for axes in panels_with_points(figure)]


def test_headings_tell_the_data_once_and_titles_tell_the_metrics() -> None:
    picture = unnamed_example("fig01")
    assert headings(picture) == ["ML-1M, condensed lists", "Full lists"]
    assert titles(picture)[1:3] == ["(b) Recall against Fallout", "(c) P against antiP"]
    picture = unnamed_example("fig16")
    assert headings(picture) == ["CM100k, anti-popular familiarity"]
    assert titles(picture) == ["(a) Precision", "(b) Anti-precision", "(c) Recall", "(d) Fallout"]
