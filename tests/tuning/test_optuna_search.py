# SPDX-License-Identifier: MIT
"""Optuna proposes settings from earlier values, repeats none, and resumes to the same trials."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scipy import stats
from tuning.planted import Nearness
from tuning.test_tune import halves

import receval as rv

pytest.importorskip("optuna")


def tuned(values: Any, budget: int = 12, **arguments: Any) -> rv.TuningResult:
    systems = {"near": (Nearness, {"spot": values})}
    return rv.tune(halves(), systems, search="optuna", budget=budget, jobs=1, **arguments)


@pytest.mark.costly
def test_equal_seeds_propose_equal_settings_and_a_resumed_search_makes_no_trial_again(
    tmp_path: Path,
) -> None:
    first = tuned(stats.uniform(0, 14), resume_folder=tmp_path)
    again = tuned(stats.uniform(0, 14), resume_folder=tmp_path)
    assert first.records == again.records
    assert first.seconds == again.seconds
    other = tuned(stats.uniform(0, 14), seed=2)
    assert other.records["near"].settings != first.records["near"].settings


@pytest.mark.costly
def test_no_setting_of_a_list_is_tried_twice() -> None:
    spots = [own["spot"] for own in tuned(list(range(14)), 13).records["near"].settings]
    assert len(set(spots)) == 13


def test_a_setting_is_repeated_if_all_were_tried() -> None:
    spots = [own["spot"] for own in tuned(stats.randint(1, 3), 4).records["near"].settings]
    assert (len(spots), set(spots)) == (4, {1, 2})


def test_a_grid_within_the_budget_is_tried_as_a_whole() -> None:
    assert tuned([0, 7], 5).records["near"].is_exhausted


def test_a_distribution_that_optuna_lacks_is_refused() -> None:
    with pytest.raises(ValueError, match="distribution norm"):
        tuned(stats.norm(3, 1))
