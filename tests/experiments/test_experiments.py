# SPDX-License-Identifier: MIT
"""What an experiment knows of its dataset."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from studies.prepared import inputs_of, ratings_of, spec_of

from receval.metrics.evaluation import evaluate
from receval.metrics.registry import parse
from receval.protocols.judged_ranks import JudgedRanks, write_ranks
from receval.protocols.protocol import Protocol
from receval.splits.split import TEST, TRAIN, Split
from reproduction.experiments.experiment import Experiment

PROTOCOL = Protocol("AR", "AI")
# Plays, one row each: user 0 hears item 0 three times and item 1 four times, both in the test part;
# two others like item 0, one hears item 1 too seldom to like it.
PLAYS = [(0, 0)] * 3 + [(0, 1)] * 4 + [(1, 0)] * 3 + [(2, 0)] * 5 + [(2, 1)] * 2


def experiment(folder: Path) -> Experiment:
    ratings = ratings_of([(user, item, 1.0) for user, item in PLAYS], 3, 3, events=True)
    tested = np.array([user == 0 for user, _ in PLAYS])
    codes = np.where(tested, TEST, TRAIN).astype(np.uint8)
    (folder / "lastfm-1k" / "plays").mkdir(parents=True)
    Split((codes,)).write(folder / "lastfm-1k" / "plays" / "split.npz")
    # Item 1 comes first, item 0 third.
    outcome = JudgedRanks(
        np.array([3, 1], dtype=np.int32),
        np.array([3, 0, 0], dtype=np.int32),
        np.array([3, 0, 0], dtype=np.int32),
    )
    ranks = folder / "lastfm-1k" / "plays" / "pop" / "ranks.npz"
    write_ranks(ranks, {(PROTOCOL.key, 0, "test"): outcome})
    description = {
        "dataset": "lastfm-1k",
        "split": "plays",
        "split_spec": spec_of("random-ratio", 0.8),
        "systems": ["pop"],
        "extra_systems": [],
        "protocols": [asdict(PROTOCOL)],
        "threshold": 3.0,
        "evaluated_users": "all",
        "evaluations": ["observed"],
        "released_real_threshold": None,
    }
    inputs = inputs_of(folder, {"lastfm-1k": ratings}, experiments={"lastfm": description})
    return inputs.experiments["lastfm"]


def test_plays_of_a_pair_count_together_for_what_metrics_know_of_the_dataset(
    tmp_path: Path,
) -> None:
    metadata = experiment(tmp_path).metadata(3.0)
    assert metadata.maximum_rating == 5.0
    # Item 0 is liked by three listeners, item 1 by one.
    assert metadata.positive_ratings.tolist() == [3, 1, 0]


def test_stratified_recall_weighs_artists_by_their_listeners(tmp_path: Path) -> None:
    lists = experiment(tmp_path).lists("pop", PROTOCOL, 0)
    metrics = [parse("StratifiedRecall@1"), parse("Recall@1")]
    stratified, recall = evaluate(metrics, lists)[:, 0]
    assert recall == 0.5
    assert stratified == pytest.approx(1 / (1 + 3**-0.5))
