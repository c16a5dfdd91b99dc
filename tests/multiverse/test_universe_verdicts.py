# SPDX-License-Identifier: MIT
"""Counts, explained variance and single changes of universes, and how levels are named."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from multiverse.small_universes import explored

from receval.multiverse.decisions import DECISIONS, Configuration, DecisionGrid
from receval.multiverse.description import decision_title, level_title
from receval.multiverse.verdicts import (
    explained,
    index_of_universe,
    single_changes,
    verdict_shares,
    with_verdicts,
)
from receval.storage.files import read_results, write_results

GRID = DecisionGrid.model_validate(
    {
        "selection": [{}, {"share": 0.5}],
        "split": [{}, {"train_ratio": 0.8}],
        "users": ["trained", "all"],
        "non_computable": ["none", "popularity"],
        "lists": ["full", "condensed"],
        "metric": [{}, {"gain": "g2"}, {"name": "tau", "depth": None}],
        "aggregation": ["mean", "median", "geometric"],
        "coverage": ["full", "reduced"],
        "test": ["t", "t-log", "sign", "bootstrap"],
    }
)


@cache
def levels_of(grid: DecisionGrid) -> pd.DataFrame:
    return pd.DataFrame([configuration.levels for configuration in grid.configurations()])


def universes_where(decision: str, *, noise: float = 0.0) -> pd.DataFrame:
    """Return universes whose effect and winner depend on one decision, and a little on chance."""
    universes = levels_of(GRID)
    first = universes[decision] == universes[decision].iloc[0]
    by_chance = np.random.default_rng(0).normal(size=len(universes))
    # Universes that differ in their test alone have one effect.
    same = universes.groupby([name for name in DECISIONS if name != "test"], sort=False).ngroup()
    effect = np.where(first, 0.5, -0.5) + noise * by_chance[same]
    p = np.where(universes["test"] == "bootstrap", np.nan, 0.01)
    rejected = np.where(np.isnan(p), 0.9, np.nan)
    return universes.assign(
        value=0.3 + effect / 10,
        other_value=0.3,
        difference=effect / 10,
        effect=effect,
        p_value=p,
        rejected=rejected,
        signed_one_minus_p=np.sign(effect) * np.where(np.isnan(p), rejected, 1 - p),
        verdict=np.where(effect > 0, "first", "second"),
    )


def test_verdicts_have_shares_also_those_that_no_universe_has() -> None:
    universes = pd.DataFrame({"verdict": ["second", "first", "second", "second"]})
    assert verdict_shares(universes) == {"first": 0.25, "tie": 0, "second": 0.75}


def test_signed_one_minus_p_at_the_level_of_significance_is_none() -> None:
    universes = pd.DataFrame(
        {
            "test": ["t", "sign", "t-log", "bootstrap", "bootstrap", "bootstrap", "t"],
            "signed_one_minus_p": [0.95, 0.951, -0.96, 0.5, 0.505, -0.6, ""],
        }
    )
    found = with_verdicts(universes)["verdict"].tolist()
    assert found == ["tie", "first", "second", "tie", "first", "second", "tie"]


@pytest.mark.parametrize(
    ("decision", "response"), [("lists", "effect"), ("aggregation", "effect"), ("users", "verdict")]
)
def test_the_only_decision_that_matters_explains_everything(decision: str, response: str) -> None:
    found = explained(universes_where(decision), response)
    alone = dict(zip(found.names, found.alone[0], strict=True))
    # What some levels of other decisions never meet, these tell too: it is shared with them.
    assert alone[decision] + found.shared[0] == pytest.approx(1)
    if decision in ("selection", "split", "users"):
        assert alone[decision] == pytest.approx(1)
    assert alone[decision] > 0.7
    assert sum(alone.values()) == pytest.approx(alone[decision])
    assert found.together[0] == pytest.approx(0, abs=1e-9)
    assert found.rest[0] == pytest.approx(0, abs=1e-9)
    assert ("test" in found.names) == (response == "verdict")


def test_chance_is_left_as_the_rest() -> None:
    found = explained(universes_where("lists", noise=0.2), "effect")
    alone = dict(zip(found.names, found.alone[0], strict=True))
    # .25 of the variance .29 is that of the two levels.
    assert 0.6 < alone["lists"] < 0.95
    assert found.rest[0] > 0.02
    total = found.alone.sum() + found.together.sum() + found.shared[0] + found.rest[0]
    assert total == pytest.approx(1)


@pytest.mark.costly
def test_the_winner_can_depend_on_the_test_and_the_effect_cannot() -> None:
    universes = universes_where("lists")
    universes["verdict"] = np.where(universes["test"] == "sign", "tie", "first")
    found = explained(universes, "verdict")
    alone = dict(zip(found.names, found.alone[0], strict=True))
    assert max(alone, key=lambda name: alone[name]) == "test"
    assert explained(universes, "effect").names == tuple(DECISIONS)[:-1]


@pytest.mark.costly
def test_each_universe_counts_once_for_the_effect_however_many_tests_it_has() -> None:
    universes = universes_where("users", noise=0.3)
    once = universes.drop_duplicates(subset=[name for name in DECISIONS if name != "test"])
    assert len(once) < len(universes)
    np.testing.assert_array_equal(
        explained(universes, "effect").alone, explained(once, "effect").alone
    )


def test_a_universe_is_found_by_its_levels_or_missed_by_its_name() -> None:
    universes = universes_where("lists").iloc[::-1]
    for wanted in (Configuration(), Configuration(users="all", lists="condensed")):
        found = universes.iloc[index_of_universe(universes, wanted)]
        assert found[list(DECISIONS)].to_dict() == wanted.levels
    message = r"The universe A1=all .* D=wilcoxon is not among the \d+ universes: add its levels"
    with pytest.raises(ValueError, match=message):
        index_of_universe(universes, Configuration(test="wilcoxon"))


def test_single_changes_are_one_decision_away_and_some_bring_their_test() -> None:
    changed = single_changes(universes_where("lists"))
    start = Configuration()
    # tau needs condensed lists and t-log the geometric mean: no change brings them alone.
    changes: list[dict[str, Any]] = [
        {"selection": {"share": 0.5}},
        {"split": {"train_ratio": 0.8}},
        {"users": "all"},
        {"non_computable": "popularity"},
        {"lists": "condensed"},
        {"metric": {"gain": "g2"}},
        {"aggregation": "median", "test": "sign"},
        {"aggregation": "geometric", "test": "t-log"},
        {"coverage": "reduced"},
        {"test": "sign"},
        {"test": "bootstrap"},
    ]
    expected = [["", "", *start.levels.values()]]
    for change in changes:
        decision, levels = next(iter(change)), start.replace(**change).levels
        expected.append([decision, levels[decision], *levels.values()])
    found = changed[["decision", "level", *DECISIONS]].to_numpy().tolist()
    assert sorted(found) == sorted(expected)
    assert changed["decision"].drop_duplicates().tolist() == ["", *DECISIONS]


@pytest.mark.costly
def test_columns_keep_their_kind_also_in_the_csv(tmp_path: Path) -> None:
    universes = universes_where("lists", noise=1 / 3)
    changed = single_changes(universes)
    assert list(changed) == ["decision", "level", *universes]
    assert changed.dtypes[list(universes)].equals(universes.dtypes)
    write_results(changed, tmp_path / "flips.csv")
    # Ten digits, as of all numbers.
    row = read_results(tmp_path / "flips.csv").iloc[0]
    assert f"{row['effect']:.10g}" == repr(float(row["effect"]))


def test_universes_of_several_pairs_are_not_mixed_and_another_response_is_refused() -> None:
    universes = explored([Configuration()], [("kNN", "Pop"), ("Random", "Pop")])
    for analyse in (single_changes, lambda universes: explained(universes, "effect")):
        with pytest.raises(ValueError, match=r"2 pairs of systems \(kNN and Pop; Random and Pop"):
            analyse(universes)
    with pytest.raises(
        ValueError, match="The response is 'difference'; it must be effect or verdict"
    ):
        explained(universes, "difference")


@pytest.mark.each(
    ("decision", "level", "title"),
    [
        ("selection", "all", "all ratings"),
        ("selection", "share-0.5", "half of the ratings"),
        ("selection", "share-0.125", "12.5 % of the ratings"),
        ("selection", "share-1e-05", ".001 % of the ratings"),
        ("selection", "headless-0.07", "without the top 7 % of items"),
        ("selection", "users-50+items-20", "users with 50+ ratings, items with 20+ ratings"),
        ("selection", "users-50+items-50", "users, items with 50+ ratings"),
        ("split", "random-0.5", ".5 for training"),
        ("split", "user-0.8", ".8 for training, by user"),
        ("metric", "nDCG@10-g1", "nDCG@10, binary gain"),
        ("metric", "RBP-g2-phi0.8", "RBP, exponential gain, phi = .8"),
        ("metric", "RBO@5-phi0.5", "RBO@5, phi = .5"),
        ("metric", "P@10", "P@10"),
        ("metric", "tau", "Kendall's tau"),
        ("users", "trained", "with training ratings"),
        ("non_computable", "average", "by average rating"),
        ("aggregation", "mean", "mean"),
        ("coverage", "reduced", "reduced average"),
        ("test", "t-log", "t-test of logs"),
    ],
)
def test_a_level_has_a_title(decision: str, level: str, title: str) -> None:
    assert level_title(decision, level) == title


def test_no_two_levels_have_one_title() -> None:
    universes = universes_where("lists")
    for decision in DECISIONS:
        levels = universes[decision].unique()
        assert len({level_title(decision, level) for level in levels}) == len(levels)
    assert decision_title("non_computable") == "B2 Items without score"
    assert len({decision_title(decision) for decision in DECISIONS}) == 9
