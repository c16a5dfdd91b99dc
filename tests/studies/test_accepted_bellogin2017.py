# SPDX-License-Identifier: MIT
"""What the accepted values of bellogin2017 must show on MovieLens 1M."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from studies.accepted_results import FULL

from receval.storage.files import read_results, real_values

ACCEPTED = FULL / "bellogin2017"


def accepted(artifact: str) -> pd.DataFrame:
    table = read_results(ACCEPTED / f"{artifact}.csv")
    return table[table["dataset"] == "ml-1m"] if "dataset" in table else table


def means(artifact: str, **chosen: str) -> pd.DataFrame:
    table = accepted(artifact)
    table = table[table["fold"] == "mean"]
    for column, value in chosen.items():
        table = table[table[column] == value]
    return table


# --- figure 2 ---------------------------------------------------------------------------------


@pytest.mark.parametrize("artifact", ["fig02", "fig08"])
def test_random_is_within_three_standard_errors_of_theory(artifact: str) -> None:
    table = accepted(artifact)
    table = table[(table["system"] == "random") & (table["metric"] == "P")]
    value, expected, error = (
        real_values(table[name]) for name in ("value", "random_expected", "random_error")
    )
    known = ~np.isnan(expected)
    # All designs, P1R among them.
    assert known.all()
    assert known.sum() >= 18
    # Of a hundred comparisons one may be beyond three standard errors by chance, none beyond four.
    distance = np.abs(value - expected)[known] / error[known]
    assert np.mean(distance > 3) <= 0.02
    assert distance.max() < 4
    of_means = (table["fold"] == "mean").to_numpy()[known]
    assert distance[of_means].max() < 3


@pytest.mark.each("artifact", ["fig02", "fig08", "fig09"])
def test_sampled_values_are_near_their_expectation_over_all_samples(artifact: str) -> None:
    table = means(artifact)
    expected = real_values(table["expected"])
    known = ~np.isnan(expected)
    assert known.any()
    np.testing.assert_allclose(table["value"][known], expected[known], rtol=0.02)


# --- figures 6 and 8 --------------------------------------------------------------------------


def test_figure_6_shows_as_many_test_ratings_for_every_target_item() -> None:
    table = accepted("fig06")
    uniform = table[table["split"] == "uniform-test"]
    inside = uniform[uniform["last_rank"] <= 1703]
    # Items with 147 ratings give no more than 117 of them.
    assert inside["mean_test_ratings"].between(117, 118).all()
    assert (uniform.loc[uniform["first_rank"] > 1703, "mean_test_ratings"] == 0).all()
