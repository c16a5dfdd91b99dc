# SPDX-License-Identifier: MIT
"""What the figures of the multiverse say, on accepted results and on results that deny it."""

from __future__ import annotations

import pandas as pd
import pytest
from studies.broken_messages import Broken, assert_sentences, figures_of, message, results_of

from receval.studies.multiverse.messages import MESSAGES

STUDY = "multiverse"


def one_ahead(results: pd.DataFrame) -> pd.DataFrame:
    return results.assign(difference=results["difference"].abs() + 1e-6)


def one_wins(results: pd.DataFrame) -> pd.DataFrame:
    return results.assign(first=results[["first", "second"]].max(axis=1) + 0.01)


def each_decision_has_one_winner(results: pd.DataFrame) -> pd.DataFrame:
    """Levels of one decision favour one system, those of all others the other."""
    shares = results[["first", "second"]]
    low, high = shares.min(axis=1), shares.max(axis=1) + 0.01
    of_split = results["decision"] == "split"
    return results.assign(first=high.where(of_split, low), second=low.where(of_split, high))


def metric_decides(results: pd.DataFrame) -> pd.DataFrame:
    names = {"split": "metric", "metric": "split"}
    return results.assign(decision=results["decision"].replace(names))


def never_lost(results: pd.DataFrame) -> pd.DataFrame:
    return results.assign(losses=results["losses"].where(results.index > 0, 0.0))


BREAKS: dict[str, Broken] = {
    "universes": one_ahead,
    "shares": one_wins,
    "explained": metric_decides,
    "pairs": never_lost,
}


def test_every_figure_has_a_message() -> None:
    assert list(MESSAGES) == figures_of(STUDY)


@pytest.mark.parametrize("figure", MESSAGES)
def test_what_a_figure_says_holds_on_the_accepted_results(figure: str) -> None:
    found = message(STUDY, figure, results_of(STUDY, figure))
    assert_sentences(found)
    assert found.holds


@pytest.mark.parametrize("figure", MESSAGES)
def test_results_that_deny_it_are_noticed(figure: str) -> None:
    results = BREAKS[figure](results_of(STUDY, figure))
    assert not message(STUDY, figure, results).holds


@pytest.mark.parametrize("edition", ["full", "demo"])
def test_who_wins_is_turned_by_two_levels_of_one_decision(edition: str) -> None:
    results = results_of(STUDY, "shares", edition)
    finding = message(STUDY, "shares", results).finding
    decision = "A2 Train/test split" if edition == "full" else "C1 Lists"
    assert f"by {decision}, kNN wins" in finding


def test_a_decision_that_is_neither_data_nor_measure_may_decide_too() -> None:
    found = message(STUDY, "explained", results_of(STUDY, "explained", "demo"))
    assert found.holds
    assert "26.7 % by A2 Train/test split and 1.6 % by C2 Metric (and 25.1 % by C1" in found.finding


@pytest.mark.parametrize("figure", MESSAGES)
def test_twins_have_a_message_too(figure: str) -> None:
    found = message(STUDY, figure, results_of(STUDY, figure, "demo"))
    assert_sentences(found)
    assert found.claim.endswith(".")
    assert not any(character.isdigit() for character in found.claim)
