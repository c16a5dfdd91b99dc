from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receval.metrics.aggregation import averaged_lists, mean
from receval.metrics.evaluation import evaluate
from receval.metrics.lists import JudgedLists
from receval.metrics.parse import METRICS, parse
from receval.protocols.judged_ranks import JudgedRanks, read_ranks, write_ranks
from receval.protocols.protocol import Protocol
from receval.splits.split import Judgments

ONE = Protocol("1R", "TI", 99, 4.0)


def ranks(values: list[int], lengths: list[int]) -> JudgedRanks:
    sizes = np.array(lengths, dtype=np.int32)
    return JudgedRanks(np.array(values, dtype=np.int32), sizes, sizes)


def example() -> JudgedLists:
    """Three users: five judged items, one judged item that is not ranked, nothing judged."""
    judgments = Judgments.from_pairs([0, 0, 0, 0, 0, 1], [0, 1, 2, 3, 4, 0], [5, 2, 4, 1, 4, 5], 3)
    return JudgedLists.of(judgments, ranks([1, 2, 4, 7, 0, 0], [8, 0, 0]), 4, Protocol())


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("P@1", 1.0),
        ("P@3", 1 / 3),
        ("P@4", 2 / 4),
        ("P@20", 2 / 20),
        ("P", 2 / 8),
        ("Recall@4", 2 / 3),
        ("antiP@2", 1 / 2),
        ("antiP@7", 2 / 7),
        ("Fallout@6", 1 / 2),
        ("Fallout", 1.0),
        ("Coverage@4", 1.0),
        ("Coverage@16", 0.5),
        ("Unjudged@4", 1 / 4),
        ("Unjudged@16", 12 / 16),
        ("P(condensed=true)@3", 2 / 3),
        ("antiP(condensed=true)@4", 2 / 4),
        ("P(depth=3)@4", 1 / 4),
        ("Coverage(depth=3)@4", 3 / 4),
        ("P(condensed=true,depth=2)@3", 1 / 3),
        (
            "nDCG@4",
            (5 + 2 / np.log2(3) + 4 / np.log2(5))
            / (5 + 4 / np.log2(3) + 4 / np.log2(4) + 2 / np.log2(5)),
        ),
        (
            "nDCG(ideal=all)@4",
            (5 + 2 / np.log2(3) + 4 / np.log2(5))
            / (5 + 4 / np.log2(3) + 4 / np.log2(4) + 2 / np.log2(5) + 1 / np.log2(6)),
        ),
        ("nDCG(gain=binary)@2", 1 / (1 + 1 / np.log2(3))),
        ("nDCG(gain=exponential)@2", (31 + 3 / np.log2(3)) / (31 + 15 / np.log2(3))),
    ],
)
def test_hand_worked_values(label: str, expected: float) -> None:
    values = evaluate([parse(label)], example())
    assert values[0, 0] == pytest.approx(expected, abs=1e-15)
    assert values[0, 1] == (1.0 if label.startswith("Unjudged") else 0.0)


def test_under_1r_every_relevant_judgment_is_a_list_of_its_own() -> None:
    judgments = Judgments.from_pairs([0, 0, 0, 1], [0, 1, 2, 0], [5, 4, 2, 4], 3)
    lists = JudgedLists.of(judgments, ranks([1, 12, 0, 0], [99, 99, 0]), 4, ONE)
    np.testing.assert_array_equal(lists.users, [0, 0, 1])
    values = evaluate([parse(m) for m in ("P@10", "Recall@12", "nDCG", "Coverage@100")], lists)
    np.testing.assert_allclose(values[0], [0.1, 0, 0])
    np.testing.assert_allclose(values[1], [1, 1, 0])
    np.testing.assert_allclose(values[2], [1, 1 / np.log2(13), 0])
    np.testing.assert_allclose(values[3], [1, 1, 0.99])
    np.testing.assert_allclose(mean(values, lists)[0], 0.1 / 3)


def test_precision_under_1r_never_exceeds_one_over_the_cutoff() -> None:
    rng = np.random.default_rng(0)
    judgments = Judgments.from_pairs(np.arange(50), rng.integers(0, 9, 50), np.full(50, 5), 50)
    found = ranks(rng.integers(0, 101, 50).tolist(), [99] * 50)
    lists = JudgedLists.of(judgments, found, 4, ONE)
    for cutoff in (1, 5, 10):
        assert evaluate([parse(f"P@{cutoff}")], lists).max() <= 1 / cutoff


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 10_000), cutoff=st.integers(1, 40))
def test_precision_antiprecision_and_unjudged_sum_to_one(seed: int, cutoff: int) -> None:
    rng = np.random.default_rng(seed)
    judgments = Judgments.from_pairs(
        rng.integers(0, 6, 60), rng.integers(0, 30, 60), np.ones(60), 6
    )
    values = rng.integers(1, 6, len(judgments)).astype(np.float32)
    judgments = Judgments(judgments.indptr, judgments.items, values)
    found = np.zeros(len(judgments), dtype=np.int32)
    for user in range(6):
        rows = slice(judgments.indptr[user], judgments.indptr[user + 1])
        found[rows] = rng.permutation(30)[: found[rows].size] + 1
    lists = JudgedLists.of(judgments, ranks(found.tolist(), [30] * 6), 4, Protocol())
    total = evaluate([parse(f"{name}@{cutoff}") for name in ("P", "antiP", "Unjudged")], lists)
    np.testing.assert_allclose(total.sum(axis=0), 1.0)
    condensed = evaluate(
        [parse(f"{name}(condensed=true)@{cutoff}") for name in ("P", "antiP")], lists
    )
    full = np.diff(judgments.indptr) >= cutoff
    np.testing.assert_allclose(condensed.sum(axis=0)[full], 1.0)


def test_metrics_computed_together_equal_metrics_computed_alone() -> None:
    labels = [
        f"{name}{parameters}@{cutoff}"
        for name in METRICS
        for parameters in ("", "(condensed=true)", "(depth=3)")
        for cutoff in (5, 1, 3)
    ]
    together = evaluate([parse(label) for label in labels], example())
    for label, row in zip(labels, together, strict=True):
        # The order of additions differs by cut-off, so the last bit may.
        alone = evaluate([parse(label)], example())[0]
        np.testing.assert_allclose(row, alone, rtol=1e-14, err_msg=label)


@settings(max_examples=100)
@given(
    name=st.sampled_from([name for name in METRICS if name != "nDCG"]),
    cutoff=st.none() | st.integers(1, 500),
    condensed=st.booleans(),
    depth=st.none() | st.integers(1, 500),
)
def test_a_label_reads_back_as_the_same_metric(
    name: str, cutoff: int | None, condensed: bool, depth: int | None
) -> None:
    metric = type(parse(name))(cutoff=cutoff, condensed=condensed, depth=depth)
    assert parse(metric.label) == metric


@pytest.mark.parametrize("gain", ["rating", "binary", "exponential", "relevant"])
@pytest.mark.parametrize("ideal", ["cut", "all"])
def test_a_label_of_ndcg_reads_back(gain: str, ideal: str) -> None:
    metric = parse(f"nDCG(ideal={ideal}, gain={gain})@7")
    assert parse(metric.label) == metric
    assert metric.at(None).label == metric.label.removesuffix("@7")


@pytest.mark.parametrize(
    ("label", "word"),
    [
        ("P@0", "label"),
        ("MAP@10", "antiP"),
        ("P(gain=binary)@10", "condensed"),
        ("P(depth=2,depth=3)@10", "once"),
        ("nDCG(gain=square)@10", "exponential"),
        ("P(condensed=yes)", "true or false"),
        ("P(depth=deep)", "whole number"),
        ("P(depth=0)", "at least 1"),
    ],
)
def test_bad_labels_are_refused_with_what_is_accepted(label: str, word: str) -> None:
    with pytest.raises(ValueError, match=word):
        parse(label)


def test_coverage_without_a_cutoff_is_refused() -> None:
    with pytest.raises(ValueError, match="cut-off"):
        evaluate([parse("Coverage")], example())


def test_averages_name_who_is_averaged() -> None:
    lists = example()
    values = evaluate([parse("P@1")], lists)
    assert averaged_lists(lists, "all").tolist() == [True, True, True]
    assert averaged_lists(lists, "tested").tolist() == [True, True, False]
    assert averaged_lists(lists, "relevant").tolist() == [True, True, False]
    assert averaged_lists(lists, "covered").tolist() == [True, False, False]
    assert mean(values, lists, "all")[0] == pytest.approx(1 / 3)
    assert mean(values, lists, "tested")[0] == pytest.approx(1 / 2)
    assert mean(values, lists, "covered")[0] == 1.0
    with pytest.raises(ValueError, match="covered"):
        mean(values, lists, "some")  # type: ignore[arg-type]


def test_ranks_of_another_fold_or_threshold_are_refused() -> None:
    judgments = Judgments.from_pairs([0, 1], [0, 1], [5, 3], 2)
    with pytest.raises(ValueError, match="different folds"):
        JudgedLists.of(judgments, ranks([1], [3, 3]), 4, Protocol())
    with pytest.raises(ValueError, match="threshold"):
        JudgedLists.of(judgments, ranks([1, 1], [3, 3]), 5, ONE)


def test_judged_ranks_come_back_from_their_file(tmp_path) -> None:
    path = tmp_path / "ranks.npz"
    outcome = ranks([1, 0, 3], [4, 5])
    write_ranks(path, {("ar-ti-an", 0, "test"): outcome})
    first = path.read_bytes()
    write_ranks(path, {("ar-ti-an", 0, "test"): outcome})
    assert path.read_bytes() == first
    again = read_ranks(path, "ar-ti-an", 0)
    np.testing.assert_array_equal(again.ranks, outcome.ranks)
    np.testing.assert_array_equal(again.lengths, outcome.lengths)
    with pytest.raises(KeyError, match="ar-ti-an/0/test"):
        read_ranks(path, "ar-ti-an", 1)


@pytest.mark.parametrize("label", ["antiP@10", "Fallout@10", "Unjudged@10", "P(condensed=true)@10"])
def test_metrics_that_need_all_judgments_are_refused_under_1r(label: str) -> None:
    judgments = Judgments.from_pairs([0, 0], [0, 1], [5, 1], 1)
    lists = JudgedLists.of(judgments, ranks([3, 0], [99]), 4, ONE)
    with pytest.raises(ValueError, match="measure it under AR"):
        evaluate([parse(label)], lists)


def test_the_share_of_computable_candidates_is_kept() -> None:
    judgments = Judgments.from_pairs([0], [0], [5], 1)
    outcome = JudgedRanks(
        np.array([1], dtype=np.int32), np.array([3], dtype=np.int32), np.array([4], dtype=np.int32)
    )
    assert JudgedLists.of(judgments, outcome, 4, Protocol()).computable_share == 0.75
