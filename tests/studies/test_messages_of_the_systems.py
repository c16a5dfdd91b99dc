# SPDX-License-Identifier: MIT
"""What the figures of the systems say, on accepted results and on results that deny it."""

from __future__ import annotations

import pandas as pd
import pytest
from studies.broken_messages import assert_sentences, figures_of, message, results_of

from receval.studies.systems.messages import MESSAGES

STUDY = "systems"


def values(of_other: float) -> pd.DataFrame:
    """Return the means of three algorithms by receval and by another package."""
    rows = [
        {"algorithm": name, "package": package, "metric": "P@10", "fold": "mean", "value": value}
        for name in ("ALS", "librec-slim", "BPR")
        for package, value in (("receval", 0.25), ("LibRec", of_other))
    ]
    return pd.DataFrame(rows)


def test_every_figure_has_a_message() -> None:
    assert list(MESSAGES) == figures_of(STUDY)


@pytest.mark.parametrize("figure", MESSAGES)
def test_what_a_figure_says_holds_on_the_accepted_results(figure: str) -> None:
    found = message(STUDY, figure, results_of(STUDY, figure))
    assert_sentences(found)
    assert found.holds
    assert found.claim.endswith(".")


def test_values_far_from_the_published_ones_are_noticed() -> None:
    results = results_of(STUDY, "fidelity")
    far = results.assign(relative_difference=0.06)
    assert not message(STUDY, "fidelity", far).holds


def test_values_that_the_search_has_seen_are_no_evidence() -> None:
    results = results_of(STUDY, "fidelity")
    seen = results["searched"] == "yes"
    far = results.assign(relative_difference=seen.map({True: 0.0, False: 0.06}))
    found = message(STUDY, "fidelity", far)
    assert not found.holds
    assert "of valcarce2018 0 of 42 (0 %) values that no search has seen" in found.finding


def test_packages_that_differ_are_noticed() -> None:
    same, other = values(0.2501), values(0.2)
    assert message(STUDY, "implementations", same).holds
    found = message(STUDY, "implementations", other)
    assert not found.holds
    assert "Of 3 algorithms 0 have" in found.finding
    assert "20.0 %: .250 by receval, .200 by LibRec" in found.finding
