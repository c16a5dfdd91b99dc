# SPDX-License-Identifier: MIT
"""The decisions as one object: names, hashes, what is refused and why, the grid."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
import yaml
from config.copied_config import CONFIG
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from receval.metrics.registry import parse
from receval.multiverse.decisions import (
    DECISIONS,
    Configuration,
    DecisionGrid,
    MetricDecision,
    SplitDecision,
)
from receval.protocols.protocol import Protocol
from receval.splits.kinds import SelectionSpec
from reproduction.config.settings import load_settings

METRICS: list[dict[str, Any]] = [
    *({"name": name, "depth": depth} for name in ("P", "nDCG", "RBP") for depth in (None, 1, 10)),
    *({"name": name, "gain": "g2"} for name in ("nDCG", "RBP")),
    *({"name": name, "depth": depth} for name in ("RBO", "tau") for depth in (None, 5)),
    *({"name": name, "phi": 0.8} for name in ("RBP", "RBO")),
]

START = {"name": "nDCG", "depth": 10}

# Every level of every decision, with what must change beside it.
CHANGES: list[dict[str, Any]] = [
    *(
        {"selection": selection}
        for selection in (
            {"share": 0.5},
            {"share": 0.25},
            {"head_removed": 0.05},
            {"min_user_ratings": 5},
            {"min_item_ratings": 5},
            {"min_user_ratings": 5, "min_item_ratings": 5},
        )
    ),
    {"split": {"kind": "user"}},
    *({"split": {"train_ratio": tenths / 10}} for tenths in range(1, 10) if tenths != 5),
    {"users": "all"},
    *({"non_computable": policy} for policy in ("random", "popularity", "average")),
    {"lists": "condensed"},
    *({"metric": metric, "lists": "condensed"} for metric in METRICS if metric != START),
    *({"aggregation": weighted} for weighted in ("test-weighted", "positive-weighted")),
    *({"aggregation": "median", "test": test} for test in ("sign", "wilcoxon", "bootstrap")),
    *({"aggregation": "geometric", "test": test} for test in ("t-log", "bootstrap")),
    {"coverage": "reduced"},
    *({"test": test} for test in ("sign", "wilcoxon", "bootstrap")),
]


def changed(change: dict[str, Any]) -> Configuration:
    return Configuration().replace(**change)


def test_the_default_is_the_starting_configuration_of_the_paper() -> None:
    start = Configuration()
    assert start.levels == {
        "selection": "all",
        "split": "random-0.5",
        "users": "trained",
        "non_computable": "none",
        "lists": "full",
        "metric": "nDCG@10-g1",
        "aggregation": "mean",
        "coverage": "full",
        "test": "t",
    }
    assert start.name == (
        "A1=all A2=random-0.5 B1=trained B2=none C1=full C2=nDCG@10-g1 C3=mean C4=full D=t"
    )
    assert start.metric_label == "nDCG(gain=binary)@10"
    assert start.protocol == Protocol("AR", "rated")
    assert list(start.levels) == list(DECISIONS) == list(Configuration.model_fields)


def test_hashes_are_those_of_every_process() -> None:
    assert Configuration().hash == "25bc758b0e50"
    assert changed({"test": "sign"}).hash == "6f6207374254"


@pytest.mark.each(
    ("written", "other"),
    [
        ({"name": "nDCG"}, {"name": "nDCG", "gain": "g1"}),
        ({}, {"name": "nDCG", "depth": 10, "gain": None, "phi": None}),
        ({"name": "RBP"}, {"name": "RBP", "phi": 0.9, "gain": "g1"}),
        ({"name": "RBO"}, {"name": "RBO", "phi": None}),
        ({"name": "P"}, {"name": "P", "gain": "g1"}),
        ({"name": "tau"}, {"name": "tau", "gain": None}),
    ],
)
def test_equal_decisions_have_one_hash_however_much_was_written(
    written: dict[str, Any], other: dict[str, Any]
) -> None:
    one, two = (
        Configuration.model_validate({"metric": metric, "lists": "condensed"})
        for metric in (written, other)
    )
    assert one == two
    assert (one.hash, one.name, hash(one)) == (two.hash, two.name, hash(two))
    written_out = Configuration.model_validate(one.model_dump(mode="json"))
    assert written_out.hash == one.hash


def test_every_other_decision_has_another_hash_and_another_name() -> None:
    configurations = [Configuration(), *map(changed, CHANGES)]
    assert len({c.hash for c in configurations}) == len(configurations)
    assert len({c.name for c in configurations}) == len(configurations)
    assert all(len(c.hash) == 12 and int(c.hash, 16) >= 0 for c in configurations)


SHARES = st.floats(0, 1, exclude_min=True, exclude_max=True)
SELECTIONS = st.builds(
    SelectionSpec,
    share=st.none() | SHARES,
    head_removed=st.none() | SHARES,
    min_user_ratings=st.integers(1, 99),
    min_item_ratings=st.integers(1, 99),
)
DECIDED = st.builds(
    Configuration,
    selection=SELECTIONS,
    split=st.builds(SplitDecision, kind=st.sampled_from(["random", "user"]), train_ratio=SHARES),
    metric=st.builds(MetricDecision, name=st.just("RBP"), phi=SHARES),
)


@given(DECIDED, DECIDED)
def test_names_and_hashes_tell_any_two_configurations_apart(
    one: Configuration, two: Configuration
) -> None:
    assert (one == two) == (one.hash == two.hash) == (one.name == two.name)


def test_shares_that_differ_in_a_late_digit_have_different_names() -> None:
    near = (0.1234567, 0.1234568)
    assert len({changed({"split": {"train_ratio": share}}).name for share in near}) == 2
    assert len({changed({"selection": {"share": share}}).name for share in near}) == 2
    assert len({MetricDecision(name="RBP", phi=share).short_label for share in near}) == 2


@pytest.mark.each("condensed", [False, True])
@pytest.mark.each("metric", METRICS, ids=str)
def test_the_label_of_a_metric_is_read_as_it_was_decided(
    metric: dict[str, Any], condensed: bool
) -> None:
    decided = MetricDecision.model_validate(metric)
    found = parse(decided.label(condensed))
    assert (found.name, found.cutoff, found.condensed) == (decided.name, decided.depth, condensed)
    gains = {"g1": "binary", "g2": "exp-normalised"}
    if decided.name in ("nDCG", "RBP"):
        assert getattr(found, "gain") == gains[str(decided.gain)]  # noqa: B009
    assert getattr(found, "phi", None) == decided.phi


def test_depth_null_in_yaml_means_whole_lists() -> None:
    levels = yaml.safe_load("[{name: RBP, depth: null}, {name: RBP}, {}]")
    whole, default, start = (MetricDecision.model_validate(level) for level in levels)
    assert (whole.depth, default.depth, start.depth) == (None, 10, 10)
    assert whole.label(condensed=False) == "RBP(gain=binary,phi=0.9)"
    assert (whole.short_label, start.short_label) == ("RBP-g1", "nDCG@10-g1")


@pytest.mark.each(
    ("metric", "reason"),
    [
        ({"name": "tau", "gain": "g1"}, "tau compares two orders and has no gain: leave out g1"),
        ({"name": "RBO", "gain": "g2"}, "RBO compares two orders and has no gain: leave out g2"),
        ({"name": "P", "gain": "g2"}, "P counts relevant items, so its gain is g1; for g2 choose"),
        ({"phi": 0.9}, "phi belongs to RBP and RBO, not to nDCG: leave it out"),
        ({"name": "tau", "phi": 0.5}, "phi belongs to RBP and RBO, not to tau: leave it out"),
        ({"name": "MAP"}, "name"),
        ({"depth": 0}, "depth"),
        ({"name": "RBP", "phi": 1}, "phi"),
        ({"cutoff": 10}, "cutoff"),
    ],
)
def test_a_metric_that_cannot_be_is_refused(metric: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValidationError, match=reason):
        MetricDecision.model_validate(metric)


TAU = {"name": "tau", "depth": None}
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"metric": TAU}, "tau compares the order of the judged items .* choose condensed lists"),
    ({"metric": {"name": "RBO"}}, "RBO compares the order .* choose condensed lists"),
    *(
        (
            {"coverage": "reduced", "non_computable": policy},
            f"the policy {policy} for non-computable items, every user gets",
        )
        for policy in ("random", "popularity", "average")
    ),
    (
        {"metric": TAU, "lists": "condensed", "aggregation": "geometric", "test": "t-log"},
        "tau can be negative, so it has no geometric mean",
    ),
    *(
        ({"aggregation": "geometric", "test": test}, f"{test} does not test a geometric mean")
        for test in ("t", "sign", "wilcoxon")
    ),
    *(
        (
            {"aggregation": aggregation, "test": "t-log"},
            f"t-log tests a geometric mean, not the aggregation {aggregation}",
        )
        for aggregation in ("mean", "median", "test-weighted", "positive-weighted")
    ),
    ({"aggregation": "median"}, "t tests a mean, not a median: choose sign, wilcoxon or bootstrap"),
    *(
        (
            {"aggregation": f"{by}-weighted", "test": test},
            f"{test} ignores the weights of users: choose t or bootstrap",
        )
        for by in ("test", "positive")
        for test in ("sign", "wilcoxon")
    ),
]


@pytest.mark.each(("decisions", "reason"), REFUSED)
def test_decisions_that_do_not_go_together_are_refused_with_the_reason(
    decisions: dict[str, Any], reason: str
) -> None:
    with pytest.raises(ValidationError, match=reason):
        Configuration.model_validate(decisions)
    with pytest.raises(ValidationError, match=reason):
        changed(decisions)


def test_all_reasons_are_told_at_once() -> None:
    with pytest.raises(ValidationError) as raised:
        Configuration.model_validate({"metric": TAU, "aggregation": "geometric"})
    reasons = (
        "choose condensed lists",
        "has no geometric mean",
        "choose t-log (the t-test of logarithms) or bootstrap",
    )
    assert all(reason in str(raised.value) for reason in reasons)


def test_an_unknown_decision_is_refused() -> None:
    with pytest.raises(ValidationError, match="significance"):
        changed({"significance": "t"})
    with pytest.raises(ValidationError, match=r"'t', 't-log', 'sign', 'wilcoxon' or 'bootstrap'"):
        changed({"test": "anova"})


LEVELS: dict[str, list[Any]] = {
    "selection": [{}, {"share": 0.5}],
    "split": [{}, {"kind": "user", "train_ratio": 0.8}],
    "users": ["trained", "all"],
    "non_computable": ["none", "random", "popularity", "average"],
    "lists": ["full", "condensed"],
    "metric": [{}, {"name": "P"}, {"name": "RBO", "depth": None}, {"name": "tau"}],
    "aggregation": ["mean", "median", "test-weighted", "positive-weighted", "geometric"],
    "coverage": ["full", "reduced"],
    "test": ["t", "t-log", "sign", "wilcoxon", "bootstrap"],
}


def legal_product(levels: dict[str, list[Any]]) -> list[Configuration]:
    """All combinations in the order of nested loops, each validated in full."""
    legal = []
    for decided in product(*(levels.get(name, [None]) for name in LEVELS)):
        given_levels = {
            name: level for name, level in zip(LEVELS, decided, strict=True) if level is not None
        }
        try:
            legal.append(Configuration.model_validate(given_levels))
        except ValidationError:
            continue
    return legal


def test_a_grid_has_every_combination_that_is_not_refused() -> None:
    dependent = {name: LEVELS[name] for name in list(LEVELS)[3:]}
    found = DecisionGrid.model_validate(dependent).configurations()
    expected = legal_product(dependent)
    assert found == expected
    assert [c.hash for c in found] == [c.hash for c in expected]
    # Tests: 4 of the mean, 3 of the median, 2 of each weighted mean and of the geometric one, which
    # tau has not. Policies and coverage: 5. Metrics: two on both lists, RBO and tau on condensed.
    assert len(found) == 5 * (5 * (4 + 3 + 2 * 2 + 2) + (4 + 3 + 2 * 2))


def test_a_grid_of_one_level_a_decision_is_the_starting_configuration_and_none_is_refused() -> None:
    assert DecisionGrid().configurations() == [Configuration()]
    with pytest.raises(ValidationError, match="users"):
        DecisionGrid.model_validate({"users": []})


@st.composite
def some_levels(draw: st.DrawFn) -> dict[str, list[Any]]:
    """One or two levels of each decision, in any order."""
    return {
        name: draw(
            st.lists(st.sampled_from(levels), min_size=1, max_size=2, unique_by=str), label=name
        )
        for name, levels in LEVELS.items()
    }


@given(some_levels())
def test_small_grids_are_their_product_without_what_is_refused(levels: dict[str, Any]) -> None:
    expected = legal_product(levels)
    if not expected:
        with pytest.raises(ValidationError, match="no combination of these levels is legal"):
            DecisionGrid.model_validate(levels)
        return
    found = DecisionGrid.model_validate(levels).configurations()
    assert found == expected
    assert len(set(found)) == len(found)


def test_a_grid_without_a_universe_is_refused_with_all_reasons() -> None:
    levels = {"metric": [{"name": "tau"}], "aggregation": ["median", "mean"], "test": ["t-log"]}
    with pytest.raises(ValidationError, match="no combination of these levels is legal") as raised:
        DecisionGrid.model_validate(levels)
    text = str(raised.value)
    for reason in ("choose condensed lists", "not the aggregation median", "aggregation mean"):
        assert text.count(reason) == 1


@pytest.mark.each(
    ("decision", "levels", "level"),
    [
        ("selection", [{}, {"share": 0.5}, {"min_user_ratings": 1}], "all"),
        ("split", [{"train_ratio": 0.5}, {"kind": "random"}], "random-0.5"),
        ("metric", [{"name": "RBP"}, {"name": "RBP", "phi": 0.9, "gain": "g1"}], "RBP@10-g1"),
        ("test", ["t", "sign", "t"], "t"),
    ],
)
def test_a_level_that_is_there_twice_is_named(decision: str, levels: list[Any], level: str) -> None:
    with pytest.raises(ValidationError, match=f"{decision} has the level {level} twice, but"):
        DecisionGrid.model_validate({decision: levels})


@pytest.mark.costly
@pytest.mark.parametrize("edition", ["demo", "full"])
def test_the_grids_of_the_studies_begin_with_the_starting_configuration(edition: str) -> None:
    studies = load_settings(CONFIG, edition).studies.values()
    grids = [grid for study in studies for grid in study.grids.values()]
    assert grids
    for grid in grids:
        assert grid.configurations()[0] == Configuration()
