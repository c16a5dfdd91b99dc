# SPDX-License-Identifier: MIT
"""Protocols and metrics are told to readers in sentences."""

from __future__ import annotations

import pytest

from receval.evaluation.measuring import description
from receval.metrics.registry import parse, parse_any
from receval.protocols.protocol import parse_protocol


@pytest.mark.each(
    ("name", "words"),
    [
        ("AR AI-AN", "each user has one list of the candidates, which are all items, except"),
        ("AR TI-NN sampled=9", "one list of all relevant test items and 9 of the others, drawn at"),
        ("1R TI-AN", "each relevant test item has a list of its own, among those that are not rel"),
        ("1R AI-NN sampled=99", "of its own, among 99 of the others, drawn at random; candidates"),
        ("1R AI-NN sampled=9 by=popularity", "drawn in proportion to their popularity; candidates"),
        ("P1R TI-NN sampled=9", "drawn at random of about the same popularity; candidates are all"),
        ("AR train-AN", "all items with a training rating, except the user's training items."),
    ],
)
def test_a_protocol_is_told_in_a_sentence(name: str, words: str) -> None:
    _, told, *_ = description({name: parse_protocol(name)}, {}, "All are.", "tested")
    assert told.startswith(f"{name}: ")
    assert words in told


def test_every_metric_is_told_with_its_cutoff_and_the_part_of_lists_that_it_looks_at() -> None:
    labels = ("RR", "Recall@10", "antiP@10", "Recall(condensed=true, depth=50)@10")
    metrics = {label: parse(label) for label in labels}
    told = description({}, metrics, "All are.", "relevant-covered")
    assert told == (
        "All are.",
        "RR: One over the rank of the first relevant item; its mean over users is MRR.",
        "Recall@10: hits / the number of relevant items (k = 10).",
        "antiP@10: Share of items judged non-relevant in the list (k = 10).",
        "Recall(condensed=true, depth=50)@10: hits / the number of relevant items (k = 10), of the "
        "first 50 items, on lists without unjudged items.",
        "Averages are over users with a relevant test rating and a list.",
    )


def test_two_labels_with_one_definition_are_told_apart() -> None:
    metrics = {label: parse_any(label) for label in ("Gini@10", "Gini(corrected=true)@10")}
    _, plain, corrected, _ = description({}, metrics, "All are.", "tested")
    assert corrected == plain.replace("Gini@10", "Gini(corrected=true)@10").removesuffix(".") + (
        ", with corrected=true."
    )
