# SPDX-License-Identifier: MIT
"""Universes that cannot tell two systems apart are known, explained, and no part of any share."""

from __future__ import annotations

import json
from functools import cache
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from receval.data.ratings_table import read_ratings
from receval.metrics.evaluation import evaluate
from receval.metrics.lists import DatasetMetadata, JudgedItems, JudgedLists
from receval.metrics.registry import parse
from receval.multiverse.decisions import Configuration, DecisionGrid
from receval.multiverse.exploration import counts_of_reasons, fewest_users, users_whose_order_counts
from receval.multiverse.explore_ratings import ExploredRatings, explore_ratings
from receval.multiverse.multiverse_report import multiverse_report
from receval.multiverse.verdicts import CANNOT_TELL, flips_by_decision, wins_by_level
from receval.protocols.judged_ranks import JudgedRanks
from receval.recommenders.knn import UserKNN
from receval.recommenders.non_personalised import Popularity, Random
from receval.splits.split import Judgments
from receval.statistics.paired_tests import sign_test, t_test, wilcoxon_test

pytestmark = pytest.mark.usefixtures("unrendered")

SYSTEMS = {
    "Pop": lambda seed: Popularity(),
    "kNN": lambda seed: UserKNN(5),
    "Random": lambda seed: Random(seed),
}
# Ratings of the test items of each user, of five candidates.
RATED = (
    [5],
    [5, 5],
    [5, 1],
    [1, 1],
    [5, 4, 1],
    [3, 1],
    [0, 0],
    [5, 5, 5, 5, 5],
    [2, 5, 5, 5, 5],
    [0, 1],
)
CANDIDATES = 5
METRICS = [
    {"name": "P", "depth": 2},
    {"name": "P", "depth": 5},
    {"name": "P", "depth": None},
    {"name": "nDCG", "depth": 3},
    {"name": "nDCG", "depth": 3, "gain": "g2"},
    {"name": "RBP", "depth": None},
    {"name": "RBP", "depth": None, "gain": "g2"},
    {"name": "RBO", "depth": None},
    {"name": "tau", "depth": None},
]


@cache
def lists_in_all_orders() -> list[JudgedLists]:
    """The lists of all users with their candidates in every order."""
    users = np.repeat(np.arange(len(RATED)), [len(own) for own in RATED])
    items = np.concatenate([np.arange(len(own)) for own in RATED])
    judgments = Judgments.from_pairs(users, items, np.concatenate(RATED), n_users=len(RATED))
    metadata = DatasetMetadata(5.0, np.ones(CANDIDATES, dtype=np.int64))
    judged = JudgedItems.of(judgments, 4.0, metadata)
    five = np.full(len(RATED), CANDIDATES, dtype=np.int32)
    found = []
    for order in permutations(range(1, CANDIDATES + 1)):
        ranks = JudgedRanks(np.array(order, dtype=np.int32)[items], lengths=five, candidates=five)
        found.append(JudgedLists.measured_by(judged, ranks, Configuration().protocol))
    return found


@pytest.mark.parametrize(
    ("metric", "form"),
    [
        (metric, form)
        for metric in METRICS
        for form in ("full", "condensed")
        # Orders of ratings are those of condensed lists alone.
        if form == "condensed" or metric["name"] not in ("RBO", "tau")
    ],
)
def test_an_order_counts_where_another_one_has_another_value(
    metric: dict[str, object], form: str
) -> None:
    configuration = Configuration(metric=metric, lists=form)
    values = np.stack(
        [evaluate([parse(configuration.metric_label)], own)[0] for own in lists_in_all_orders()]
    )
    differs = np.ptp(values, axis=0) > 1e-12
    counts = users_whose_order_counts(lists_in_all_orders()[:1], configuration)
    assert counts.tolist() == differs.tolist()


@pytest.mark.parametrize("n_users", [2, 3, 5, 6, 12, 100, 400])
@pytest.mark.parametrize("test", ["t", "sign", "wilcoxon"])
@pytest.mark.costly
def test_the_fewest_users_are_those_with_whom_the_test_reaches_the_level(
    n_users: int, test: str
) -> None:
    def reaches(k: int) -> bool:
        # Equal differences are most certain to the t-test, and all signs alike to the others.
        values = np.zeros((2, n_users))
        values[0, :k] = 1.0 if test == "t" else np.arange(1.0, k + 1)
        p: NDArray[np.float64] = {
            "t": t_test,
            "sign": sign_test,
            "wilcoxon": lambda own: wilcoxon_test(own, exact_up_to=25),
        }[test](values)
        return bool(p[0] < 0.05)

    fewest = fewest_users(n_users, Configuration(test=test))
    assert [reaches(k) for k in range(1, n_users + 1)] == [
        k >= fewest for k in range(1, n_users + 1)
    ]


@pytest.fixture(scope="module")
def plays() -> ExploredRatings:
    """Counts that are all relevant, with more and fewer test items than ten."""
    rng = np.random.default_rng(4)
    users, items = np.nonzero(rng.random((60, 40)) < np.linspace(0.9, 0.4, 40))
    table = {"user": users, "item": items, "rating": rng.integers(1, 9, len(users))}
    grid = DecisionGrid.model_validate(
        {
            "lists": ["full", "condensed"],
            "metric": [{}, {"gain": "g2"}, {"name": "P"}],
            "test": ["t", "wilcoxon"],
        }
    )
    return explore_ratings(read_ratings(table), SYSTEMS, grid=grid, relevant=1)


def test_condensed_lists_of_relevant_items_alone_cannot_tell(plays: ExploredRatings) -> None:
    own = plays.of_pair("Pop", "kNN")
    untold = own[own["verdict"] == CANNOT_TELL]
    binary = own[(own["lists"] == "condensed") & own["metric"].isin(["nDCG@10-g1"])]
    assert set(binary["verdict"]) == {CANNOT_TELL}
    assert set(untold["reason"]) == {"no order"}
    assert set(own[own["lists"] == "full"]["reason"]) == {""}
    assert CANNOT_TELL not in set(own[own["metric"] == "nDCG@10-g2"]["verdict"])


def test_shares_are_of_the_universes_that_can_tell(plays: ExploredRatings) -> None:
    own = plays.of_pair("Pop", "Random")
    untold = counts_of_reasons(own)["no order"]
    assert untold >= 2
    told = own[own["reason"] == ""]
    levels = wins_by_level(own).set_index(["decision", "level"])
    full = told[told["lists"] == "full"]
    assert levels.loc[("lists", "full"), "first"] == pytest.approx(
        (full["verdict"] == "first").mean()
    )
    everywhere = levels.iloc[0]
    assert (everywhere["universes"], everywhere["cannot_tell"]) == (len(own), untold)
    assert everywhere["first"] == pytest.approx((told["verdict"] == "first").mean())
    assert everywhere[["first", "tie", "second"]].sum() == pytest.approx(1.0)
    neighbours = flips_by_decision(own).set_index("decision")["neighbours"]
    assert neighbours["test"] == len(told) // 2


@pytest.mark.costly
def test_text_page_tables_and_json_count_and_explain_them(
    plays: ExploredRatings, tmp_path: Path
) -> None:
    report = multiverse_report(plays)
    report.write(tmp_path)
    untold = int((plays.universes["verdict"] == CANNOT_TELL).sum())
    (note,) = (own for own in report.all_notes if own.code == "cannot-tell")
    assert note.startswith(f"{untold} of {len(plays.universes)} comparisons cannot tell")
    assert "all test items of condensed lists are relevant" in note
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "more universes cannot tell: every order has the same value" in page
    assert "universes that cannot tell are left out" in page
    csv = (tmp_path / "universes.csv").read_text(encoding="utf-8")
    assert csv.count("cannot tell,no order") == untold
    settings = json.loads((tmp_path / "settings.json").read_text(encoding="utf-8"))
    assert settings["result"]["cannot_tell"]["Pop, kNN"] == {
        "no order": untold // 3,
        "few users": 0,
    }
    wins = report.tables[0]
    place = [column.header for column in wins.columns].index("Cannot tell")
    assert [row[place] for row in wins.rows] == [str(untold // 3)] * 3


@pytest.mark.costly
def test_the_starting_configuration_is_told_with_the_threshold_of_the_data(
    plays: ExploredRatings,
) -> None:
    assert plays.settings["relevant"] == 1
    assert "gain 1 for ratings of at least 1 and 0 for others" in multiverse_report(plays).page()


def test_five_users_cannot_tell_by_signs_and_ranks_and_can_by_t() -> None:
    users, items = np.nonzero(np.ones((5, 30)))
    ratings = np.random.default_rng(1).integers(1, 6, len(users))
    table = read_ratings({"user": users, "item": items, "rating": ratings})
    grid = DecisionGrid.model_validate({"test": ["t", "sign", "wilcoxon"]})
    found = explore_ratings(table, SYSTEMS, grid=grid)
    reasons = found.of_pair("Pop", "Random").set_index("test")["reason"].to_dict()
    assert reasons == {"t": "", "sign": "few users", "wilcoxon": "few users"}
    exact = found.universes[found.universes["test"] == "wilcoxon"]["p_value"]
    # Shares of 32 signs, and nothing of the normal approximation.
    assert (exact * 32 % 1 == 0).all()
    (note,) = found.notes
    assert "for the test to reach the level .05" in note


@pytest.mark.costly
def test_where_no_universe_can_tell_the_report_says_so() -> None:
    users, items = np.nonzero(np.ones((4, 12)))
    table = read_ratings({"user": users, "item": items, "rating": np.arange(len(users)) % 5 + 1})
    found = explore_ratings(table, SYSTEMS, grid=DecisionGrid.model_validate({"test": ["sign"]}))
    page = multiverse_report(found).page()
    assert "No universe can tell Pop from kNN." in page
    assert "The starting configuration cannot tell." in page
