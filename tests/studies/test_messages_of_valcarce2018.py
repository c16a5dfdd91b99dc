# SPDX-License-Identifier: MIT
"""What the figures of valcarce2018 say follows from their numbers, and would not from others."""

from __future__ import annotations

import pandas as pd
import pytest
from studies.broken_messages import Broken, figures_of, results_of, swapped
from studies.metric_study_messages import (
    assert_claimed,
    assert_every_dataset_counts,
    assert_shown,
)

from receval.studies.valcarce2018.messages import MESSAGES

STUDY = "valcarce2018"


def accepted(artifact: str) -> pd.DataFrame:
    return results_of(STUDY, artifact)


def of_pairs(one: str, other: str) -> Broken:
    """Return a change of two metrics in a matrix of all pairs."""
    return lambda table: swapped("metric_b", one, other)(swapped("metric_a", one, other)(table))


def lowered(table: pd.DataFrame) -> pd.DataFrame:
    """Take something off every coefficient."""
    return table.assign(tau=table["tau"] - 0.2)


def unrelated(table: pd.DataFrame) -> pd.DataFrame:
    """Let MAP and nDCG order the systems less alike than the paper says."""
    pair = table["metric_a"].isin(["MAP", "nDCG"]) & table["metric_b"].isin(["MAP", "nDCG"])
    return table.assign(tau=table["tau"].mask(pair & (table["tau"] < 1), 0.85))


BROKEN = [
    ("fig01", of_pairs("nDCG@5", "nDCG@50")),
    ("fig02", swapped("metric", "nDCG@5", "nDCG@100")),
    ("fig02", swapped("metric", "nDCG@10", "nDCG@100")),
    ("fig03", swapped("metric", "nDCG@5", "nDCG@10")),
    ("fig04", swapped("metric", "nDCG@10", "nDCG@60")),
    ("fig05", of_pairs("MRR", "P")),
    ("fig05", unrelated),
    ("fig06", swapped("metric", "nDCG", "MAP")),
    ("fig06", lowered),
    ("fig07", swapped("metric", "MRR", "MAP")),
    ("fig07", swapped("metric", "P", "bpref")),
    ("fig08", swapped("metric", "nDCG", "MAP")),
]


def test_every_figure_has_a_message() -> None:
    assert list(MESSAGES) == figures_of(STUDY)


@pytest.mark.parametrize("artifact", MESSAGES)
def test_accepted_results_show_it(artifact: str) -> None:
    assert_shown(MESSAGES[artifact](accepted(artifact)))


@pytest.mark.parametrize("artifact", MESSAGES)
def test_what_twins_do_not_show_is_said_of_the_paper(artifact: str) -> None:
    assert_claimed(MESSAGES[artifact](results_of(STUDY, artifact, "demo")))


@pytest.mark.parametrize(("artifact", "change"), BROKEN)
def test_other_results_do_not(artifact: str, change: Broken) -> None:
    assert not MESSAGES[artifact](change(accepted(artifact))).holds


@pytest.mark.parametrize("artifact", MESSAGES)
def test_a_claim_holds_if_every_dataset_shows_it(artifact: str) -> None:
    assert_every_dataset_counts(STUDY, artifact, BROKEN)


def test_on_beeradvocate_bpref_is_the_odd_one() -> None:
    beers = accepted("fig05").assign(dataset="beeradvocate")
    assert not MESSAGES["fig05"](beers).holds
    assert MESSAGES["fig05"](of_pairs("bpref", "MRR")(beers)).holds
