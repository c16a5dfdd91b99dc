# SPDX-License-Identifier: MIT
"""Whether a study's messages hold on accepted results, and notice tables that break them."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import pandas as pd
import pytest
from studies.accepted_results import FULL, ROOT

from receval.config.settings import load_settings
from receval.storage.files import read_results
from receval.studies._shared.message import Message

Broken = Callable[[pd.DataFrame], pd.DataFrame]
"""Returns results that do not show what the figure says."""


def figures_of(study: str) -> list[str]:
    artifacts = load_settings(ROOT / "config", "full").studies[study].artifacts
    return [name for name, spec in artifacts.items() if spec.kind == "figure"]


def message(study: str, figure: str, results: pd.DataFrame) -> Message:
    found: Message = import_module(f"receval.studies.{study}.messages").MESSAGES[figure](results)
    return found


def results_of(study: str, figure: str, edition: str = "full") -> pd.DataFrame:
    path = (FULL if edition == "full" else ROOT / "results" / edition) / study / f"{figure}.csv"
    if not path.is_file():
        pytest.skip(f"There are no accepted results of {study} {figure} in this edition.")
    return read_results(path)


def assert_sentences(found: Message) -> None:
    for sentence in (found.reading, found.finding):
        assert sentence[0].isupper()
        assert sentence.endswith(".")
        assert "nan" not in sentence


def swapped(column: str, one: str, other: str) -> Broken:
    """Return what takes one name for the other in a column."""
    return lambda results: results.assign(
        **{column: results[column].replace({one: other, other: one})}
    )
