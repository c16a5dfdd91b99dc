# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from reproduction.config.reading import load_twins
from reproduction.simulation.spec import TwinSpec
from reproduction.simulation.twins import WRITERS


def test_there_is_a_twin_for_every_raw_format(specs: dict[str, TwinSpec]) -> None:
    assert set(specs) == set(WRITERS)


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


@pytest.mark.parametrize(
    ("dataset", "changes", "message"),
    [
        ("ml-1m", {"stars": 5}, r"ml-1m\.stars: there is no such key"),
        ("ml-1m", {"plays": {"mean": 2, "spread": 1, "fade_days": 9}}, "exactly one of scale"),
        ("ml-1m", {"scale": None}, "exactly one of scale"),
        ("ml-1m", {"users": 0}, r"ml-1m\.users"),
        ("ml-1m", {"items": 300}, "activity.maximum is 350, but there are 300 items"),
        ("ml-1m", {"users": 60}, "activity.total is 40000, which 60 users with 20 to 350 items"),
        ("ml-1m", {"scale": {"step": 0.5, "marginal": {0.7: 1, 1: 1}}}, "0.7 is not a multiple"),
        (
            "ml-1m",
            {"preferences": {"factors": 2, "taste": 0.5, "quality": 0.4, "leniency": 0.2}},
            "taste \\+ quality \\+ leniency is 1.1",
        ),
        (
            "ml-1m",
            {
                "preferences": {
                    "factors": 2,
                    "decay": -1,
                    "taste": 0.5,
                    "quality": 0.4,
                    "leniency": 0.1,
                }
            },
            r"ml-1m\.preferences\.decay",
        ),
        (
            "netflix",
            {
                "period": {
                    "start": "2006-01-01",
                    "end": "2006-01-01",
                    "arrival_share": 1,
                    "items_at_start": 1,
                }
            },
            "the period ends on 2006-01-01, not after its start",
        ),
        ("lastfm-1k", {"period": None}, "plays need a period"),
        ("lastfm-1k", {"sessions": {"active_days": 1, "length": 1}}, "give sessions for ratings"),
        ("netflix", {"sessions": None}, "give sessions for ratings with a period"),
        ("netflix", {"period": None}, "give sessions for ratings with a period"),
        ("lastfm-1k", {"repeated_share": 0.1}, "plays go neither with"),
        (
            "yahoo-r3",
            {"random_sample": {"users": 901, "minimum": 1, "maximum": 2, "holds_choices": False}},
            "random_sample.users is 901, but there are 900 users",
        ),
        (
            "yahoo-r3",
            {"random_sample": {"users": 540, "minimum": 3, "maximum": 2, "holds_choices": False}},
            "draws 3 to 2 items",
        ),
        (
            "yahoo-r3",
            {"random_sample": {"users": 540, "minimum": 1, "maximum": 90, "holds_choices": False}},
            "only 200 items",
        ),
        (
            "cm100k",
            {"random_sample": {"users": 300, "minimum": 40, "maximum": 60, "holds_choices": True}},
            "activity.maximum is 55, but choices lie in a random sample",
        ),
        (
            "cm100k",
            {"random_sample": {"users": 299, "minimum": 93, "maximum": 99, "holds_choices": True}},
            "there are 300 users and all of them need one",
        ),
    ],
)
def test_an_impossible_twin_is_refused_with_file_and_reason(
    tmp_path: Path,
    specs: dict[str, TwinSpec],
    dataset: str,
    changes: dict[str, object],
    message: str,
) -> None:
    path = write_changed(tmp_path, specs, dataset, **changes)
    with pytest.raises(ValueError, match=message) as error:
        load_twins(path)
    assert str(path) in str(error.value)


def test_a_key_given_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "twins.yaml"
    path.write_text("ml-1m: {}\nml-1m: {}\n", encoding="utf-8")
    with pytest.raises(ValueError, match="the key ml-1m occurs twice"):
        load_twins(path)


def test_a_file_that_is_no_yaml_is_named(tmp_path: Path) -> None:
    path = tmp_path / "twins.yaml"
    path.write_text("ml-1m: {users: [", encoding="utf-8")
    with pytest.raises(ValueError, match=r"twins\.yaml is not valid YAML"):
        load_twins(path)
