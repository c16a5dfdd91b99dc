# SPDX-License-Identifier: MIT
"""One's own ratings in the multiverse: who wins, what flips it, and what the data rules out."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import receval as rv
from receval.data.ratings import Ratings
from receval.data.ratings_table import read_ratings
from receval.evaluation.report import ReportFigure
from receval.multiverse.decisions import DECISION_NAMES, DecisionGrid
from receval.multiverse.explore_ratings import GRIDS, ExploredRatings, explore_ratings, grid_of
from receval.multiverse.multiverse_report import multiverse_report
from receval.multiverse.verdicts import (
    changes_from_start,
    flips_by_decision,
    telling,
)
from receval.recommenders.knn import UserKNN
from receval.recommenders.non_personalised import Popularity, Random

SYSTEMS = {
    "Pop": lambda seed: Popularity(),
    "kNN": lambda seed: UserKNN(5),
    "Random": lambda seed: Random(seed),
}
GRID = DecisionGrid.model_validate(
    {
        "split": [{}, {"train_ratio": 0.8}],
        "lists": ["full", "condensed"],
        "metric": [{}, {"name": "P"}, {"name": "tau", "depth": None}],
        "aggregation": ["mean", "geometric"],
        "test": ["t", "t-log", "bootstrap"],
    }
)


def own_ratings(grades: bool = True) -> Ratings:
    rng = np.random.default_rng(4)
    users, items = np.nonzero(rng.random((70, 30)) < np.linspace(0.8, 0.15, 30))
    values = rng.integers(1, 6, len(users)) if grades else np.ones(len(users))
    return read_ratings({"user": users, "item": items, "rating": values})


@pytest.fixture(scope="module")
def found() -> ExploredRatings:
    return explore_ratings(own_ratings(), SYSTEMS, grid=GRID)


def test_every_pair_is_compared_in_every_universe(found: ExploredRatings) -> None:
    assert found.pairs == [("Pop", "kNN"), ("Pop", "Random"), ("kNN", "Random")]
    assert len(found.universes) == 3 * len(GRID.configurations())
    assert found.settings["universes"] == len(GRID.configurations())


def test_the_starting_configuration_is_the_first_level_of_all(found: ExploredRatings) -> None:
    own = found.of_pair("Pop", "Random")
    means = found.per_user.groupby("system")["value"].mean()
    assert own["value"].iloc[0] == pytest.approx(means["Pop"])
    assert own["other_value"].iloc[0] == pytest.approx(means["Random"])


@pytest.mark.costly
def test_a_flip_is_a_pair_of_universes_that_differ_in_one_decision(found: ExploredRatings) -> None:
    own = found.of_pair("Pop", "Random")
    flips = flips_by_decision(own).set_index("decision")
    rows = telling(own)[[*DECISION_NAMES, "verdict"]].to_dict("records")
    counted = dict.fromkeys(DECISION_NAMES, (0, 0, 0))
    for one, other in combinations(rows, 2):
        differing = [name for name in DECISION_NAMES if one[name] != other[name]]
        if len(differing) != 1:
            continue
        verdicts = {one["verdict"], other["verdict"]}
        n, changed, opposed = counted[differing[0]]
        counted[differing[0]] = (
            n + 1,
            changed + (len(verdicts) == 2),
            opposed + (verdicts == {"first", "second"}),
        )
    assert set(flips.index) == {"split", "lists", "metric", "aggregation", "test"}
    for decision, row in flips.iterrows():
        n, changed, opposed = counted[str(decision)]
        assert row["neighbours"] == n
        assert row["changes"] == pytest.approx(changed / n)
        assert row["reversed"] == pytest.approx(opposed / n)
    assert flips["changes"].max() > 0


def test_one_decision_away_from_the_start_are_its_other_levels(found: ExploredRatings) -> None:
    changes = changes_from_start(found.of_pair("Pop", "kNN"), found.start)
    assert changes[["decision", "level"]].to_numpy().tolist() == [
        ["", ""],
        ["split", "random-0.8"],
        ["lists", "condensed"],
        ["metric", "P@10"],
        ["aggregation", "geometric"],
        ["aggregation", "geometric"],
        ["test", "bootstrap"],
    ]


@pytest.mark.costly
def test_the_full_grid_is_the_repositorys_own() -> None:
    assert len(DecisionGrid.model_validate(GRIDS["full"]).configurations()) == 20_480


@pytest.mark.costly
def test_without_grades_decisions_that_need_them_drop_out_with_a_note() -> None:
    ratings = own_ratings(grades=False)
    grid, notes = grid_of("quick", ratings)
    assert {metric.name for metric in grid.metric} == {"nDCG", "P", "RBP"}
    assert {metric.gain for metric in grid.metric} == {"g1"}
    assert grid.lists == ("full",)
    assert any("All ratings are the same" in note for note in notes)
    assert explore_ratings(ratings, SYSTEMS, grid="quick").notes == notes


def test_graded_ratings_keep_all_levels() -> None:
    grid, notes = grid_of("quick", own_ratings())
    assert notes == ()
    assert grid == DecisionGrid.model_validate(GRIDS["quick"])


def test_one_system_is_refused() -> None:
    with pytest.raises(ValueError, match="only Pop, but a multiverse compares two"):
        explore_ratings(own_ratings(), {"Pop": SYSTEMS["Pop"]})


@pytest.mark.parametrize("system", [Popularity(), Popularity])
def test_systems_that_no_seed_makes_are_refused(system: object) -> None:
    with pytest.raises(ValueError, match=r"systems\['mine'\] must be a function of a seed"):
        explore_ratings(own_ratings(), {**SYSTEMS, "mine": system})  # type: ignore[dict-item]


@pytest.mark.costly
def test_a_report_has_the_tables_of_all_pairs(found: ExploredRatings) -> None:
    report = multiverse_report(found)
    assert set(report.data) == {"universes", "levels", "flips", "changes", "per_user"}
    assert len(report.tables) == 1 + 3 * 3
    assert "Pop" in report.page()
    (wins,) = (table for table in report.tables if table.title == "Who wins how often")
    assert [row[:2] for row in wins.rows] == found.pairs


@pytest.mark.costly
def test_one_universe_alone_has_nothing_to_flip() -> None:
    found = explore_ratings(own_ratings(), SYSTEMS, grid=DecisionGrid())
    assert flips_by_decision(found.of_pair("Pop", "kNN")).empty
    assert "No single change" in multiverse_report(found).page()


@pytest.mark.costly
def test_told_how_far_the_work_is() -> None:
    steps: list[tuple[str, int, int]] = []
    explore_ratings(own_ratings(), SYSTEMS, grid=GRID, told=lambda *step: steps.append(step))
    assert steps == [("splits", 0, 2), ("splits", 1, 2), ("splits", 2, 2)]


@pytest.mark.costly
def test_of_many_pairs_all_have_tables_and_the_first_have_figures(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("receval.multiverse.multiverse_report.MOST_DRAWN", 2)
    systems = {
        f"Random {sign} of a long name that has no end at all": SYSTEMS["Random"] for sign in "+*~"
    }
    grid = DecisionGrid.model_validate({"test": ["t", "sign"]})
    report = multiverse_report(explore_ratings(own_ratings(), systems, grid=grid))
    figures = [part for part in report.parts if isinstance(part, ReportFigure)]
    assert len(report.tables) == 1 + 3 * 3
    assert len({part.name for part in report.parts if hasattr(part, "name")}) == 1 + 3 * 3 + 2
    assert len(figures) == 2
    assert "The first 2 of 3 pairs have a figure." in report.page()
    assert not [note for note in report.all_notes if note.code == "no-figure"]


def test_a_split_of_ones_own_is_the_first_universe_and_prints_in_ten_lines() -> None:
    data = rv.split(own_ratings(), "leave-out", held_out=3)
    found = explore_ratings(data, SYSTEMS, grid=DecisionGrid(selection=[{}, {"share": 0.5}]))
    assert found.start.levels["split"] == "own"
    assert set(found.universes["split"]) == {"own", "random-0.5"}
    assert len(str(found).splitlines()) <= 10


def test_a_split_along_time_is_a_level_if_there_are_times() -> None:
    ratings = own_ratings()
    assert all(own.kind != "time" for own in grid_of("quick", ratings)[0].split)
    times = np.arange(len(ratings)) * 37 % len(ratings)
    timed = Ratings(
        ratings.users, ratings.items, ratings.values, ratings.user_ids, ratings.item_ids, times
    )
    assert [own.label for own in grid_of("quick", timed)[0].split][-1] == "time-0.8"
    alone = DecisionGrid(split=[{"kind": "time", "train_ratio": 0.8}])
    found = explore_ratings(timed, SYSTEMS, grid=alone)
    late = times[np.argsort(times)][int(0.8 * len(times))]
    tested = np.unique(timed.users[times >= late])
    assert found.per_user["user"].nunique() <= len(tested)
    tied = replace(timed, timestamps=np.zeros(len(ratings)))
    assert "All ratings have the same time. The split along time (A2) is left out." in {
        str(note) for note in grid_of("quick", tied)[1]
    }
