# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from reproduction.config.reading import load_twins
from reproduction.simulation.spec import TwinSpec


def write_changed(
    folder: Path, specs: dict[str, TwinSpec], dataset: str, **changes: object
) -> Path:
    content = {dataset: {**specs[dataset].model_dump(mode="json"), **changes}}
    path = folder / "twins.yaml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return path


def test_an_unchanged_entry_survives_writing_and_loading(
    tmp_path: Path, specs: dict[str, TwinSpec]
) -> None:
    assert load_twins(write_changed(tmp_path, specs, "cm100k"))["cm100k"] == specs["cm100k"]


TASTES = "preferences: {factors: 2, taste: 0.5, quality: 0.4, leniency: "
SAMPLE = "random_sample: {users: %d, minimum: %d, maximum: %d, holds_choices: %s}"


@pytest.mark.each(
    ("dataset", "changes", "message"),
    [
        ("ml-1m", "stars: 5", r"ml-1m\.stars: there is no such key"),
        ("ml-1m", "plays: {mean: 2, spread: 1, fade_days: 9}", "exactly one of scale"),
        ("ml-1m", "scale: null", "exactly one of scale"),
        ("ml-1m", "users: 0", r"ml-1m\.users"),
        ("ml-1m", "items: 300", "activity.maximum is 350, but there are 300 items"),
        ("ml-1m", "users: 60", "activity.total is 40000, but 60 users with 20 to 350 items"),
        ("ml-1m", "scale: {step: 0.5, marginal: {0.7: 1, 1: 1}}", "0.7 is not a multiple"),
        ("ml-1m", TASTES + "0.2}", r"taste \+ quality \+ leniency is 1.1"),
        ("ml-1m", TASTES + "0.1, decay: -1}", r"ml-1m\.preferences\.decay"),
        (
            "netflix",
            "period: {start: 2006-01-01, end: 2006-01-01, arrival_share: 1, items_at_start: 1}",
            "the period ends on 2006-01-01, which is not after its start",
        ),
        ("lastfm-1k", "period: null", "plays need a period"),
        (
            "lastfm-1k",
            "sessions: {active_days: 1, length: 1}",
            "ratings with a period need sessions",
        ),
        ("netflix", "sessions: null", "ratings with a period need sessions"),
        ("netflix", "period: null", "ratings with a period need sessions"),
        ("lastfm-1k", "repeated_share: 0.1", "plays cannot be combined with"),
        ("yahoo-r3", SAMPLE % (901, 1, 2, "false"), "users is 901, but there are 900 users"),
        ("yahoo-r3", SAMPLE % (540, 3, 2, "false"), "draws 3 to 2 items"),
        ("yahoo-r3", SAMPLE % (540, 1, 90, "false"), "only 200 items"),
        (
            "cm100k",
            SAMPLE % (300, 40, 60, "true"),
            "maximum is 55, but choices are made in a random",
        ),
        (
            "cm100k",
            SAMPLE % (299, 93, 99, "true"),
            "300 users, and each of them needs a random sample",
        ),
    ],
)
def test_an_impossible_twin_is_refused_with_file_and_reason(
    tmp_path: Path, specs: dict[str, TwinSpec], dataset: str, changes: str, message: str
) -> None:
    path = write_changed(tmp_path, specs, dataset, **yaml.safe_load(changes))
    with pytest.raises(ValueError, match=message) as error:
        load_twins(path)
    assert str(path) in str(error.value)
