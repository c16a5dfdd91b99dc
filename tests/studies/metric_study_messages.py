# SPDX-License-Identifier: MIT
"""What every message of valcarce2018 and valcarce2020 must be like."""

from __future__ import annotations

import re

import pandas as pd
from studies.broken_messages import Broken, message, results_of

from receval.studies._shared.message import Message


def assert_shown(found: Message) -> None:
    """Hold a message on accepted results to sentences with numbers of datasets that are there."""
    assert found.holds
    for sentence in (found.reading, found.finding, found.claim):
        assert sentence.endswith(".")
        assert sentence[0].isupper() or sentence.startswith("nDCG")
    assert ": on ML-1M " in found.finding
    assert "nan" not in found.finding
    assert "BeerAdvocate" not in found.finding + found.claim
    # Numbers are in the finding, and not in what the paper's figure shows.
    assert re.search(r"\.\d\d", found.finding)
    assert not re.search(r"\.\d", found.claim)


def assert_claimed(found: Message) -> None:
    """Hold a message that need not be seen to a claim without numbers."""
    assert found.holds or found.claim
    # What is not shown as a whole is said part by part.
    assert "hown" in found.partly.partition(":")[0]
    assert re.search(r"\.\d", found.partly)
    assert "nan" not in found.partly
    assert not re.search(r"\.\d", found.claim)


def assert_every_dataset_counts(
    study: str, artifact: str, broken: list[tuple[str, Broken]]
) -> None:
    """A message holds if all datasets show it, and does not if one of them breaks it.

    Every change breaks the message of one dataset (``test_other_results_do_not``).
    """
    own = results_of(study, artifact)
    again = own.assign(dataset="librarything")
    both = message(study, artifact, pd.concat([own, again]))
    assert both.holds
    assert "; on LibraryThing " in both.finding
    change = next(change for name, change in broken if name == artifact)
    assert not message(study, artifact, pd.concat([own, change(again)])).holds
