"""What the figures of valcarce2018 say follows from their numbers, and would not from others."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import pandas as pd
import pytest
from studies.accepted_results import FULL, ROOT

from receval.config.settings import load_settings
from receval.storage.files import read_results
from receval.studies.valcarce2018.messages import MESSAGES

STUDY = "valcarce2018"


@cache
def accepted(artifact: str) -> pd.DataFrame:
    return read_results(FULL / STUDY / f"{artifact}.csv")


def swapped(column: str, one: str, other: str) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """Return a change that gives two metrics each other's rows."""
    names = {one: other, other: one}
    return lambda table: table.assign(**{column: table[column].replace(names)})


def of_pairs(one: str, other: str) -> Callable[[pd.DataFrame], pd.DataFrame]:
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
    artifacts = load_settings(ROOT / "config", "full").studies[STUDY].artifacts
    assert list(MESSAGES) == [name for name, spec in artifacts.items() if spec.kind == "figure"]


@pytest.mark.parametrize("artifact", MESSAGES)
def test_accepted_results_show_it(artifact: str) -> None:
    message = MESSAGES[artifact](accepted(artifact))
    assert message.holds
    for sentence in (message.reading, message.finding, message.claim):
        assert sentence.endswith(".")
        assert sentence[0].isupper() or sentence.startswith("nDCG")
    assert ": on ML-1M " in message.finding
    assert "nan" not in message.finding
    assert "BeerAdvocate" not in message.finding + message.claim
    # Numbers are in the finding, and not in what the paper's figure shows.
    assert re.search(r"\.\d\d", message.finding)
    assert not re.search(r"\.\d", message.claim)


@pytest.mark.parametrize("artifact", MESSAGES)
def test_what_twins_do_not_show_is_said_of_the_paper(artifact: str) -> None:
    path = ROOT / "results" / "demo" / STUDY / f"{artifact}.csv"
    message = MESSAGES[artifact](read_results(path))
    assert message.holds or message.claim
    assert not re.search(r"\.\d", message.claim)


@pytest.mark.parametrize(("artifact", "change"), BROKEN)
def test_other_results_do_not(
    artifact: str, change: Callable[[pd.DataFrame], pd.DataFrame]
) -> None:
    assert not MESSAGES[artifact](change(accepted(artifact))).holds


@pytest.mark.parametrize("artifact", MESSAGES)
def test_a_claim_holds_if_every_dataset_shows_it(artifact: str) -> None:
    again = accepted(artifact).assign(dataset="librarything")
    table = pd.concat([accepted(artifact), again])
    assert MESSAGES[artifact](table).holds
    assert "; on LibraryThing " in MESSAGES[artifact](table).finding
    for name, change in BROKEN:
        if name == artifact:
            assert not MESSAGES[artifact](pd.concat([accepted(artifact), change(again)])).holds


def test_on_beeradvocate_bpref_is_the_odd_one() -> None:
    beers = accepted("fig05").assign(dataset="beeradvocate")
    assert not MESSAGES["fig05"](beers).holds
    assert MESSAGES["fig05"](of_pairs("bpref", "MRR")(beers)).holds
