# SPDX-License-Identifier: MIT
"""What the figures of canamares2020 say, on accepted results and on results that deny it."""

from __future__ import annotations

import re

import pandas as pd
import pytest
from studies.accepted_results import ROOT
from studies.broken_messages import (
    Broken,
    assert_sentences,
    figures_of,
    message,
    results_of,
    swapped,
)

from receval.config.settings import load_settings
from receval.studies._shared.message import DATASETS
from receval.studies.canamares2020.messages import MESSAGES

STUDY = "canamares2020"


def flat(results: pd.DataFrame) -> pd.DataFrame:
    return results.assign(value=results["value"].where(results["value"].isna(), 0.5))


def with_equal_depths(results: pd.DataFrame) -> pd.DataFrame:
    """Condensed lists are the full ones."""
    return results.assign(value=results["depth"].astype(float))


def few_ratings(results: pd.DataFrame) -> pd.DataFrame:
    return results.assign(share=results["share"] * (results["ratings"] > 100))


# What the paper says of twins is not for them to show.
BREAKS: dict[str, Broken] = {
    "fig01": few_ratings,
    "fig02": swapped("system", "knn-user", "ranksys-mf"),
    "fig03": lambda results: results.assign(value=results["train_ratio"].astype(float)),
    "fig04": swapped("system", "knn-user", "ranksys-mf"),
    "fig05": with_equal_depths,
    "fig06": swapped("system", "knn-user", "ranksys-mf"),
    "fig07": flat,
    "fig08": swapped("average", "full", "reduced"),
}


def test_every_figure_has_a_message() -> None:
    assert list(MESSAGES) == figures_of(STUDY)


@pytest.mark.parametrize("figure", MESSAGES)
def test_what_a_figure_says_holds_on_the_accepted_results(figure: str) -> None:
    found = message(STUDY, figure, results_of(STUDY, figure))
    assert_sentences(found)
    assert found.holds
    for sentence in (found.reading, found.finding, found.claim):
        assert not any(name in sentence for name in DATASETS)
        assert "MovieLens" not in sentence


@pytest.mark.parametrize("figure", MESSAGES)
def test_what_the_paper_shows_is_said_without_numbers(figure: str) -> None:
    claim = message(STUDY, figure, results_of(STUDY, figure, "demo")).claim
    assert claim.endswith(".")
    assert re.findall(r"(?<!@)\b\d+\b", claim) == []


def test_where_the_papers_point_is_not_met_is_said() -> None:
    said = {
        figure: message(STUDY, figure, results_of(STUDY, figure)).finding for figure in MESSAGES
    }
    assert "MF (text) overtakes between .7 and .8" in said["fig02"]
    assert "below 50 %, as it never is in the paper, with kNN at .3 to .5" in said["fig03"]
    assert "up to .8, then falls a little" in said["fig04"]
    assert "3 with kNN, 3 with MF and 2 with MF (text), are" in said["fig05"]
    assert "MF (text) never overtakes" in said["fig06"]
    assert "stays below MF (.419), which it passes in the paper" in said["fig08"]
    assert "passes MF (text) (.376) between overlap 20 and 30" in said["fig08"]


def test_a_share_that_is_never_below_half_is_said_to_be_so() -> None:
    results = results_of(STUDY, "fig03")
    higher = results.assign(value=results["value"].astype(float) + 0.1)
    assert "never below 50 % (least 58.1 %)" in message(STUDY, "fig03", higher).finding


def test_an_average_that_passes_mf_is_said_to() -> None:
    results = results_of(STUDY, "fig08")
    reduced = results["average"].eq("reduced") & results["minimum_overlap"].ne("")
    values = results["value"].astype(float)
    higher = results.assign(value=values.where(~reduced, values + 0.1))
    assert "passes MF (.419) between overlap 5 and 10" in message(STUDY, "fig08", higher).finding


@pytest.mark.parametrize("edition", ["full", "demo"])
def test_titles_of_figure_6_have_the_neighbours_that_are_configured(edition: str) -> None:
    settings = load_settings(ROOT / "config", edition)
    experiments = settings.studies[STUDY].experiments
    for name in ("movielens", "netflix", "netflix-few-neighbours"):
        neighbours = settings.systems[experiments[name].systems[0]].parameters["neighbours"]
        assert f"k = {neighbours:,}, " in experiments[name].title


@pytest.mark.parametrize("figure", MESSAGES)
def test_results_that_deny_it_are_noticed(figure: str) -> None:
    results = BREAKS[figure](results_of(STUDY, figure))
    assert not message(STUDY, figure, results).holds


@pytest.mark.parametrize("figure", MESSAGES)
@pytest.mark.parametrize("missing", ["", "ml-1m", "netflix"])
def test_twins_have_a_message_too_whatever_dataset_is_missing(figure: str, missing: str) -> None:
    results = results_of(STUDY, figure, "demo")
    results = results[results["dataset"] != missing]
    if len(results):
        assert_sentences(message(STUDY, figure, results))


@pytest.mark.parametrize(
    ("figure", "shown", "other"),
    [
        ("fig01", "83 % of the users and 85 % of the items", "397 of one item"),
        ("fig02", "on ML-1M kNN is ahead by .008", "on Netflix kNN is ahead by .106"),
        ("fig03", "on ML-1M it is never below 50 %", "on Netflix it is below 50 %"),
        ("fig04", "nDCG@10 rises with the train ratio", "MF is ahead throughout"),
        ("fig06", "on Netflix kNN is ahead by .121", "on ML-1M MF is ahead by .093"),
        ("fig07", "k = 1 is best (.833)", "by popularity it grows at every step"),
    ],
)
def test_the_parts_that_twins_show_are_told_from_the_others(
    figure: str, shown: str, other: str
) -> None:
    partly = message(STUDY, figure, results_of(STUDY, figure, "demo")).partly
    before, after = partly.split("Not as claimed:")
    assert before.startswith("Shown:")
    assert shown in before
    assert other in after


def test_condensed_lists_that_get_worse_with_training_are_noticed() -> None:
    results = results_of(STUDY, "fig04")
    falling = results.assign(train_ratio=1 - results["train_ratio"].astype(float))
    assert not message(STUDY, "fig04", falling).holds


def test_a_crossover_on_netflix_is_no_message_of_figure_6() -> None:
    results = results_of(STUDY, "fig06")
    netflix = results.assign(experiment="netflix", dataset="netflix")
    assert not message(STUDY, "fig06", netflix).holds


def test_users_of_figure_8_of_whom_none_gets_a_recommendation_deny_it() -> None:
    results = results_of(STUDY, "fig08")
    reduced = results["average"].eq("reduced")
    assert not message(STUDY, "fig08", results[~reduced]).holds
