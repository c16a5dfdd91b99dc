# SPDX-License-Identifier: MIT
"""Tables 3 and 4 of menamaldonado2021: the lemmas on random pairs of items."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from studies.prepared import display_of, inputs_of, saved

from receval.figures.tables import to_latex, to_markdown
from receval.seeds import generator
from receval.theory.item_pairs import item_pairs
from receval.theory.rating_probabilities import RatingProbabilities
from reproduction.studies.menamaldonado2021.lemma_cases import (
    conclusion_of,
    data,
    held,
    in_case,
    item_dependent_items,
    random_rated_items,
    relevance_dependent_items,
    tabulate,
)

STUDY = "menamaldonado2021"
PARAMETERS: dict[str, dict[str, Any]] = {
    "table3": {"lemmas": (1,), "items": 60},
    "table4": {"lemmas": (2, 3), "items": 60, "worlds": 3},
}

CONCLUSIONS_OF_TABLE_3 = ["disagree", "agree", "disagree", "agree"]
CONCLUSIONS_OF_TABLE_4 = [
    ("agree", "agree"),
    ("agree", "disagree"),
    ("agree", "agree"),
    ("disagree", "agree"),
    ("agree", "agree"),
]


def results_of(artifact: str, folder: Path, **parameters: int) -> pd.DataFrame:
    inputs = inputs_of(folder, seed=1, **{**PARAMETERS[artifact], **parameters})
    return saved(data(inputs), folder)


@pytest.mark.parametrize(("artifact", "rows"), [("table3", 4), ("table4", 5)])
def test_a_table_is_printed_in_both_formats(tmp_path: Path, artifact: str, rows: int) -> None:
    results = results_of(artifact, tmp_path)
    assert len(results) == rows
    table = tabulate(results, display_of(STUDY, artifact))
    assert all(cell for row in table.rows for cell in row)
    assert sum(column.width or 0 for column in table.columns) <= 1
    assert [row[0] for row in table.rows] == ["holds"] * rows
    assert to_markdown(table).count("\n| ") == rows + 2
    latex = re.sub(r"\\shortstack\[.\]\{.*?\}", "", to_latex(table))
    assert latex.count(r" \\") == rows + 1


def test_a_case_in_which_a_conclusion_fails_does_not_hold(tmp_path: Path) -> None:
    results = results_of("table3", tmp_path)
    results.loc[1, "held"] -= 1
    rows = tabulate(results, display_of(STUDY, "table3")).rows
    assert [row[0] for row in rows] == ["holds", "does not hold", "holds", "holds"]


def test_lemma_1_concludes_what_table_3_prints_and_holds_on_all_pairs(tmp_path: Path) -> None:
    results = results_of("table3", tmp_path, items=300)
    assert results["conclusion"].tolist() == CONCLUSIONS_OF_TABLE_3
    assert (results["pairs"] > 1000).all()
    assert (results["held"] == results["pairs"]).all()
    assert set(results["drawn"]) == {300 * 299 // 2}
    # Pairs of equal values or equal steepness are rare, and in no case.
    assert 0.99 * results["drawn"][0] < results["pairs"].sum() <= results["drawn"][0]


def test_lemmas_2_and_3_conclude_what_table_4_prints_and_hold_on_all_pairs(tmp_path: Path) -> None:
    results = results_of("table4", tmp_path, items=300, worlds=3)
    found = list(zip(results["precision"], results["anti_precision"], strict=True))
    assert found == CONCLUSIONS_OF_TABLE_4
    assert (results["pairs"] > 1000).all()
    for column in ("precision_held", "anti_precision_held", "both_held"):
        assert (results[column] == results["pairs"]).all()
    assert results["drawn"].tolist() == [3 * 100 * 99 // 2, *[300 * 299 // 2] * 4]


def exact(items: RatingProbabilities, item: int) -> dict[str, Fraction]:
    """Return the functions of an item as fractions, from the definitions of the paper."""
    n, train, liked = (
        int(counts[item]) for counts in (items.sampled, items.train, items.relevant_train)
    )
    functions = {
        "odds": Fraction(train, n - train),
        "average": Fraction(liked, train),
        "complement": 1 - Fraction(liked, train),
        "phi P": Fraction(liked, n - train),
        "phi antiP": -Fraction(train - liked, n - train),
    }
    if items.relevant is not None:
        relevant = int(items.relevant[item])
        functions["relevance"] = Fraction(relevant, n)
        functions["non-relevance"] = 1 - Fraction(relevant, n)
        functions["real"] = Fraction(relevant - liked, n - train)
    return functions


def together(f: str, g: str, pair: tuple[dict[str, Fraction], dict[str, Fraction]]) -> int:
    a, b = pair
    product = (a[f] - b[f]) * (a[g] - b[g])
    return int(product > 0) - int(product < 0)


def rate(f: str, pair: tuple[dict[str, Fraction], dict[str, Fraction]]) -> Fraction:
    a, b = pair
    return abs(a[f] - b[f]) / max(a[f], b[f])


@dataclass(frozen=True)
class Counted:
    """How the cases of a lemma are counted: its items, functions and columns."""

    artifact: str
    items: RatingProbabilities
    relevance: tuple[str, str, str]
    kept: tuple[tuple[str, tuple[str, str], str], ...]


@pytest.mark.parametrize(
    "counted",
    [
        Counted(
            "table3",
            random_rated_items(generator(1, STUDY, "table3"), 25),
            ("popularity_and_average_rating", "average", "complement"),
            (("conclusion", ("phi P", "phi antiP"), "held"),),
        ),
        Counted(
            "table4",
            item_dependent_items(generator(1, STUDY, "table4", "lemma3"), 25),
            ("popularity_and_relevance", "relevance", "non-relevance"),
            (
                ("precision", ("phi P", "real"), "precision_held"),
                ("anti_precision", ("phi antiP", "real"), "anti_precision_held"),
            ),
        ),
    ],
    ids=["lemma 1", "lemma 3"],
)
def test_the_cases_of_a_lemma_are_counted_as_definitions_1_and_2_say(
    tmp_path: Path, counted: Counted
) -> None:
    results = results_of(counted.artifact, tmp_path, items=25)
    if "lemma" in results:
        results = results[results["lemma"] == "lemma 3"]
    every = [exact(counted.items, item) for item in range(25)]
    column, agreeing, opposed = counted.relevance
    for row in results.to_dict("records"):
        sign = 1 if row[column] == "agree" else -1
        other = opposed if sign == 1 else agreeing
        steeper = 1 if row["odds_are"] == "steeper" else -1
        case = [
            pair
            for pair in combinations(every, 2)
            if together("odds", agreeing, pair) == sign
            and steeper * (rate("odds", pair) - rate(other, pair)) > 0
        ]
        assert row["pairs"] == len(case)
        for conclusion, functions, held_in in counted.kept:
            expected = 1 if row[conclusion] == "agree" else -1
            assert row[held_in] == sum(together(*functions, pair) == expected for pair in case)


def share_of_unliked(items: RatingProbabilities) -> np.ndarray:
    """Return p(train | not rel, i): the share of ratings among users who do not like an item."""
    return (items.train - items.relevant_train) / (items.sampled - items.known_relevant)


def test_items_satisfy_the_premises_of_the_lemmas_exactly() -> None:
    rng = np.random.default_rng(5)
    dependent = relevance_dependent_items(rng, 40)
    assert np.ptp(dependent.p_train_given_relevant) < 1e-12
    assert np.ptp(share_of_unliked(dependent)) < 1e-12
    assert np.ptp(dependent.p_relevant) > 0.1
    independent = item_dependent_items(rng, 40)
    assert independent.relevant is not None
    liked = independent.relevant_train * independent.sampled
    assert (liked == independent.relevant * independent.train).all()
    assert np.ptp(independent.p_train) > 0.1


def test_lemma_3_fails_on_pairs_without_its_premise() -> None:
    # Under the premise of lemma 2 anti-precision is consistent where lemma 3 says that it is not.
    worlds = (relevance_dependent_items(np.random.default_rng(seed), 30) for seed in range(8))
    cases = consistent = 0
    for pairs in (item_pairs(world, "all") for world in worlds):
        case = in_case(pairs, 1, pairs.steeper_than_non_relevance, 1)
        cases += pairs.count(case)
        consistent += pairs.count(
            case & held(pairs.observed_anti_precision, pairs.real_ranking, "agree")
        )
    assert cases == consistent > 0


def test_a_verdict_is_what_all_predictions_say() -> None:
    assert conclusion_of(np.array([True, True])) == "agree"
    assert conclusion_of(np.array([False, False])) == "disagree"
    assert conclusion_of(np.array([True, False])) == "either"
