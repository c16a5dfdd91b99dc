# SPDX-License-Identifier: MIT
"""Table 2 and figures 2 to 6 of canamares2020 on a few ratings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from studies.compared_experiments import (
    RATIOS,
    STUDY,
    comparisons_of,
    inputs_for,
    precision,
    relevance_of_top,
)
from studies.prepared import display_of, drawn_alone, family_of, saved

from receval.figures.printed_numbers import significant
from receval.figures.tables import to_latex, to_markdown
from receval.multiverse.decisions import Configuration
from reproduction.studies._shared.published import PUBLISHED_GREY
from reproduction.studies.canamares2020 import system_curves, tables

BOTH = ("ml-1m", "netflix")


@pytest.mark.parametrize(
    ("artifact", "datasets", "absent"),
    [
        *((name, BOTH, ()) for name in ("fig02", "fig05", "fig06")),
        *((name, ("ml-1m",), ("netflix",)) for name in ("fig03", "fig04", "fig05")),
    ],
)
def test_figures_draw_a_panel_for_each_dataset(
    tmp_path: Path, artifact: str, datasets: tuple[str, ...], absent: tuple[str, ...]
) -> None:
    module = family_of(STUDY, artifact)
    results = saved(module.data(inputs_for(tmp_path, artifact, datasets)), tmp_path)
    display = display_of(STUDY, artifact, absent)
    figure = drawn_alone(module, results, display)
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    alone = {"fig05": "Ranks in both lists"}.get(artifact) or display.parameters.get("panel")
    letters = ["(a) ", "(b) "] if len(datasets) > 1 else [f"{alone}, "]
    assert [title.partition("\n")[0] for title in titles] == [
        letter + display.datasets[name] for letter, name in zip(letters, datasets, strict=True)
    ]
    for axes in figure.axes:
        named = ", ".join(text.get_text() for text in axes.texts).split(", ")
        with_values = [not np.isnan(line.get_ydata()).all() for line in axes.lines[:3]]
        names = zip(("kNN", "MF", "MF (text)"), with_values, strict=True)
        assert all((name in named) == there for name, there in names)
        knn, mf, text = axes.lines[:3]
        assert knn.get_linestyle() == "-"
        assert (mf.get_linestyle(), text.get_linestyle()) == ("-", "--")


def test_metrics_of_the_configuration_are_those_of_the_paper() -> None:
    start = Configuration()
    condensed = start.replace(lists="condensed")
    assert display_of(STUDY, "fig02").parameters["metric"] == start.metric_label
    assert display_of(STUDY, "fig04").parameters["metric"] == condensed.metric_label
    assert display_of(STUDY, "fig06").parameters["metric"] == start.metric_label.removesuffix("@10")
    labels = display_of(STUDY, "table2").parameters["metrics"]
    assert labels == [start.replace(metric={"name": "P"}).metric_label, start.metric_label]


def test_every_ratio_is_the_starting_configuration_on_its_own_fold(tmp_path: Path) -> None:
    inputs = comparisons_of(tmp_path, ["ml-1m"], metric="P@10", users=["tested"])
    results = system_curves.data_train_ratios(inputs).set_index(["train_ratio", "system"])["value"]
    experiment = inputs.experiments["movielens"]
    assert len(results) == len(RATIOS) * 3
    for number, ratio in enumerate(RATIOS):
        for system in experiment.all_systems:
            expected = precision(experiment, system, number).mean()
            assert results[ratio, system] == pytest.approx(expected)


def test_unrated_ranks_are_those_without_a_test_rating(tmp_path: Path) -> None:
    inputs = comparisons_of(tmp_path, ["ml-1m"], metric="Unjudged@10", users=["tested"])
    results = system_curves.data_train_ratios(inputs).set_index(["train_ratio", "system"])["value"]
    experiment = inputs.experiments["movielens"]
    rated = [
        sum(0 < rank <= 10 for rank, _ in items)
        for has_train, items in relevance_of_top(experiment, "knn-user", 1)
        if has_train and items
    ]
    assert results[0.5, "knn-user"] == pytest.approx(1 - np.mean(rated) / 10)


def test_users_without_a_relevant_test_rating_count_0_or_not_at_all(tmp_path: Path) -> None:
    inputs = comparisons_of(tmp_path, ["ml-1m"], **display_of(STUDY, "fig04").parameters)
    results = system_curves.data_train_ratios(inputs).set_index(
        ["train_ratio", "evaluated_users", "system"]
    )
    experiment = inputs.experiments["movielens"]
    for number, ratio in enumerate(RATIOS):
        users = [
            [rating for _, rating in items]
            for has_train, items in relevance_of_top(experiment, "knn-user", number)
            if has_train and items
        ]
        relevant = [own for own in users if max(own) >= 4]
        for system in experiment.all_systems:
            tested, others = (results.loc[(ratio, name, system)] for name in ("tested", "relevant"))
            assert (tested["lists"], others["lists"]) == (len(users), len(relevant))
            total = others["value"] * len(relevant)
            assert tested["value"] * len(users) == pytest.approx(total)


def test_figure_4_draws_all_users_with_test_ratings(tmp_path: Path) -> None:
    inputs = comparisons_of(tmp_path, ["ml-1m"], **display_of(STUDY, "fig04").parameters)
    results = system_curves.data_train_ratios(inputs)
    results.loc[results["evaluated_users"] == "relevant", "value"] = 2.0
    figure = drawn_alone(family_of(STUDY, "fig04"), results, display_of(STUDY, "fig04"))
    lines = figure.axes[0].lines[:3]
    assert max(np.max(line.get_ydata()) for line in lines) <= 1


def test_the_papers_lower_limit_of_the_unrated_share_is_drawn(tmp_path: Path) -> None:
    results = system_curves.data_train_ratios(
        comparisons_of(tmp_path, ["ml-1m"], metric="Unjudged@10", users=["tested"])
    )
    figure = drawn_alone(
        family_of(STUDY, "fig03"), results, display_of(STUDY, "fig03", edition="full")
    )
    limit = figure.axes[0].lines[3]
    assert set(limit.get_ydata()) == {0.5}
    assert "paper: \N{GREATER-THAN OR EQUAL TO} 50" in [
        text.get_text() for text in figure.axes[0].texts
    ]


def test_the_papers_crossover_is_drawn_where_the_paper_has_one(tmp_path: Path) -> None:
    results = system_curves.data_train_ratios(
        comparisons_of(tmp_path, ["ml-1m"], metric="P@10", users=["tested"])
    )
    for edition, expected in (("full", [0.5]), ("demo", [])):
        figure = drawn_alone(
            family_of(STUDY, "fig02"), results, display_of(STUDY, "fig02", edition=edition)
        )
        limits = [
            line.get_xdata()[0]
            for line in figure.axes[0].lines
            if str(line.get_color()) == PUBLISHED_GREY
        ]
        assert limits == expected


def test_table_2_has_a_row_for_each_dataset_and_system(tmp_path: Path) -> None:
    results = tables.data_table2(inputs_for(tmp_path, "table2", ("ml-1m", "netflix")))
    table = tables.tabulate_table2(results, display_of(STUDY, "table2"))
    assert [column.header for column in table.columns][2:] == [
        "P@10",
        "p, P@10",
        "nDCG@10",
        "p, nDCG@10",
    ]
    assert [row[1] for row in table.rows] == ["kNN", "MF", "MF (text)"] * 2
    first = results[(results["dataset"] == "ml-1m") & (results["system"] == "ranksys-mf")]
    assert table.rows[1][2] == significant(first["value"].iloc[0])
    assert table.rows[0][3] == "\N{EN DASH}"
    assert "Netflix twin" in to_markdown(table)
    assert to_latex(table)


def test_ranks_in_the_full_list_by_sorting_each_users_ranks(tmp_path: Path) -> None:
    inputs = comparisons_of(tmp_path, ["ml-1m"], depth=4)
    results = system_curves.data_fig05(inputs).set_index(["evaluated_users", "system", "depth"])
    experiment = inputs.experiments["movielens"]
    lists = {
        system: [
            sorted(rank for rank, _ in items if rank) if has_train else []
            for has_train, items in relevance_of_top(experiment, system, 1)
        ]
        for system in experiment.all_systems
    }
    complete = [
        all(len(own) >= 4 for own in of_user) for of_user in zip(*lists.values(), strict=True)
    ]
    assert 1 < sum(complete) < len(complete)
    for system, own in lists.items():
        for depth in range(1, 5):
            ranks_of = {
                "any": [ranks[depth - 1] for ranks in own if len(ranks) >= depth],
                "complete": [
                    ranks[depth - 1] for ranks, chosen in zip(own, complete, strict=True) if chosen
                ],
            }
            for users, expected in ranks_of.items():
                row = results.loc[(users, system, depth)]
                assert row["lists"] == len(expected)
                assert row["value"] == pytest.approx(np.mean(expected))


def test_ranks_that_no_user_has_have_no_mean(tmp_path: Path) -> None:
    results = system_curves.data_fig05(comparisons_of(tmp_path, ["ml-1m"], depth=24))
    last = results[results["depth"] == 24]
    assert last["lists"].tolist() == [0] * 6
    assert last["value"].isna().all()


def test_depth_ten_of_figure_6_is_the_starting_configuration(tmp_path: Path) -> None:
    inputs = comparisons_of(tmp_path, ["ml-1m"], metric="nDCG(gain=binary)", depths=[1, 10])
    by_depth = system_curves.data_fig06(inputs)
    assert by_depth["metric"].unique().tolist() == ["nDCG(gain=binary)"]
    inputs = comparisons_of(tmp_path, ["ml-1m"], **display_of(STUDY, "fig02").parameters)
    by_ratio = system_curves.data_train_ratios(inputs)
    columns = ["system", "lists", "value", "p_value", "verdict"]
    ten = by_depth.loc[by_depth["cutoff"] == 10, columns].reset_index(drop=True)
    half = by_ratio.loc[by_ratio["train_ratio"] == 0.5, columns].reset_index(drop=True)
    pd.testing.assert_frame_equal(ten, half)
