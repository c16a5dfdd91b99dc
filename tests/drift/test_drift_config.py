# SPDX-License-Identifier: MIT
import pytest

from reproduction.config.reading import load_drift_spec
from reproduction.drift.spec import DriftSpec

REST = {"*": {"reason": "exact"}}


def config(**fields):
    return DriftSpec.model_validate(
        {"keys": ["cutoff", "*_threshold"], "lists": "lists", "tolerances": REST, **fields}
    )


def test_the_first_pattern_that_matches_counts():
    found = config(
        tolerances={
            "tau_value": {"absolute": 1, "reason": "a"},
            "*_value": {"absolute": 2, "reason": "b"},
            **REST,
        }
    )
    assert found.tolerance("tau_value").absolute == 1
    assert found.tolerance("p_value").absolute == 2
    assert found.tolerance("share").absolute == 0


def test_the_tolerance_of_a_column_of_one_artifact_comes_first_and_there_alone():
    found = config(
        tolerances={
            "ours": {"absolute": 1, "reason": "a"},
            "one/relations:ours": {"absolute": 2, "reason": "b"},
            **REST,
        }
    )
    assert found.of("one/relations").tolerance("ours").absolute == 2
    assert found.of("two/relations").tolerance("ours").absolute == 1
    assert found.of("one/relations").tolerance("theirs").absolute == 0
    assert list(found.of("one/relations").tolerances)[-1] == "*"


def test_texts_may_be_those_of_one_artifact_or_of_all():
    found = config(words=["verdict", "one/relations:cells"], texts=["one/relations:ours"])
    one, two = found.of("one/relations"), found.of("two/relations")
    assert [one.is_text(name) for name in ("verdict", "cells", "ours")] == [True, True, True]
    assert [two.is_text(name) for name in ("verdict", "cells", "ours")] == [True, False, False]


def test_numbers_among_words_have_no_tolerance():
    found = config(words=["reason"], tolerances={"*": {"absolute": 1, "reason": "a"}})
    assert (found.tolerance("reason").absolute, found.tolerance("ours").absolute) == (0, 1)


def test_nothing_is_tolerated_where_every_difference_is_asked_for():
    given = {"study/*:tau": {"absolute": 0.5, "reason": "a"}, "*": {"relative": 1, "reason": "b"}}
    spec = config(tolerances=given).exact()
    for column in ("tau", "value"):
        tolerance = spec.of("study/fig01").tolerance(column)
        assert (tolerance.absolute, tolerance.relative, tolerance.per_list) == (0, 0, 0)


def test_keys_are_patterns():
    assert config().is_key("relevance_threshold")
    assert not config().is_key("threshold_value")


@pytest.mark.each(
    "fields",
    [
        {"tolerances": {"value": {"reason": "a"}}},
        {"tolerances": {}},
        {"tolerances": {**REST, "value": {"reason": "a"}}},
        {"tolerances": {"*": {"absolute": -1, "reason": "a"}}},
        {"tolerances": {"*": {"absolute": float("inf"), "reason": "a"}}},
        {"tolerances": {"*": {"absolute": 1}}},
        {"tolerances": {"*": {"reason": "a", "share": 1}}},
        {"key": []},
    ],
    ids=str,
)
def test_a_wrong_configuration_is_refused(fields):
    with pytest.raises(ValueError, match="validation error"):
        config(**fields)


def test_a_wrong_file_is_named_with_its_keys(tmp_path):
    path = tmp_path / "drift.yaml"
    path.write_text("keys: []\nlists: lists\ntolerances: {'*': {absolute: -1, reason: a}}\n")
    with pytest.raises(
        ValueError, match=r"(?s)drift\.yaml.*tolerances\.\*\.absolute: .*greater than"
    ):
        load_drift_spec(path)
    path.write_text("keys: [\n")
    with pytest.raises(ValueError, match=r"drift\.yaml is not valid YAML"):
        load_drift_spec(path)
