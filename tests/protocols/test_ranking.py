# SPDX-License-Identifier: MIT
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from protocols.brute_force import Scores, rank_by_sorting
from scipy.sparse import csr_array

from receval.protocols import evaluation
from receval.protocols.candidates import (
    Sample,
    SampledCandidates,
    base_candidates,
    sample_candidates,
    user_seeds,
)
from receval.protocols.evaluation import SharedByPasses, rank_judged
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.seeds import generator
from receval.splits.split import Fold, Judgments

N_USERS, N_ITEMS = 7, 23


def seeded(*names: str | int) -> np.random.Generator:
    return generator(5, "dataset", "split", 0, *names)


def random_fold(seed: int, n_items: int = N_ITEMS) -> tuple[Fold, np.ndarray]:
    """Return a fold with users without judgments or training ratings, ties, NaN, -0.0 and inf."""
    rng = np.random.default_rng(seed)
    use = rng.choice(4, size=(N_USERS, n_items), p=[0.45, 0.25, 0.25, 0.05])
    # Any of them may be user 0 or the last one.
    unjudged, untrained, all_trained = rng.permutation(N_USERS)[:3]
    use[unjudged][use[unjudged] == 2] = 0
    use[untrained][use[untrained] == 1] = 0
    use[all_trained] = 1
    users, items = np.nonzero(use == 1)
    train = csr_array(
        (np.ones(len(users), dtype=np.float32), (users, items)), shape=(N_USERS, n_items)
    )
    users, items = np.nonzero(use == 2)
    ratings = rng.integers(1, 6, size=len(users))
    # A judged item may also be in train (plays); it can then not be ranked.
    again = rng.random(train.nnz) < 0.1
    train_users = np.repeat(np.arange(N_USERS), np.diff(train.indptr))
    judgments = Judgments.from_pairs(
        np.concatenate([users, train_users[again]]),
        np.concatenate([items, train.indices[again]]),
        np.concatenate([ratings, np.full(again.sum(), 5)]),
        N_USERS,
    )
    scores = rng.choice(
        np.array([-np.inf, -1.5, -0.0, 0.0, 0.25, 3.0, np.inf, np.nan], dtype=np.float32),
        size=(N_USERS, n_items),
    )
    if seed % 2:
        scores = np.where(np.isnan(scores), scores, rng.normal(size=scores.shape))
    return Fold(train=train, test=judgments, unbiased=None), scores.astype(np.float32)


def priority_of(protocol: Protocol, n_items: int = N_ITEMS) -> np.ndarray:
    return np.arange(n_items) if protocol.ties == "index" else seeded("ties").permutation(n_items)


def samples_of(fold: Fold, protocol: Protocol, size: int) -> dict[int, list[int]]:
    judgments = fold.test
    relevant = judgments.values >= protocol.threshold
    indptr = np.concatenate(
        [[0], np.cumsum(np.bincount(judgments.users[relevant], minlength=N_USERS))]
    )
    starts, items = sample_candidates(
        base_candidates(protocol, fold, judgments),
        fold.train.indptr,
        fold.train.indices,
        indptr.astype(np.int64),
        judgments.items[relevant],
        size,
        user_seeds(
            seeded("sample", "test", protocol.candidates, f"{protocol.threshold:g}"), N_USERS
        ),
    )
    return {user: items[starts[user] : starts[user + 1]].tolist() for user in range(N_USERS)}


def assert_as_by_sorting(
    found: list[JudgedRanks],
    fold: Fold,
    scores: np.ndarray,
    protocols: list[Protocol],
    fallback: np.ndarray | None = None,
) -> None:
    """Compare ranks with positions in the sorted lists of all candidates, or of the samples."""
    for protocol, outcome in zip(protocols, found, strict=True):
        ranks, lengths = rank_by_sorting(
            scores,
            fold,
            fold.test,
            protocol,
            priority_of(protocol, fold.train.shape[1]),
            samples_of(fold, protocol, protocol.sampled) if protocol.sampled else None,
            fallback,
        )
        np.testing.assert_array_equal(outcome.ranks, ranks)
        np.testing.assert_array_equal(outcome.lengths, lengths)


@given(
    seed=st.integers(0, 10_000),
    relevant=st.sampled_from(["AR", "1R"]),
    candidates=st.sampled_from(["AI", "TI", "train"]),
    ties=st.sampled_from(["random", "index"]),
)
def test_ranks_are_positions_in_the_sorted_lists_of_all_candidates_and_of_nested_samples(
    seed: int, relevant: str, candidates: str, ties: str
) -> None:
    fold, scores = random_fold(seed)
    sizes = (None, 1, 4, 9, 40)
    protocols = [Protocol(relevant, candidates, size, 4.0, ties) for size in sizes]
    assert_as_by_sorting(
        rank_judged(Scores(scores), fold, protocols, seeded), fold, scores, protocols
    )


ONE_PASS = {
    "mixed": [
        Protocol("1R", "TI", 9, 4.0),
        Protocol("AR", "TI"),
        Protocol("1R", "TI", 3, 4.0),
        Protocol("AR", "AI", ties="index"),
        Protocol("AR", "TI", 3, 4.0),
        Protocol("1R", "TI", 3, 5.0),
    ],
    "percentiles": [Protocol("1R", "AI", size, 4.0, percentiles=3) for size in (2, 5, 9)],
    "no head": [Protocol("1R", "AI", size, 4.0, head_removed=0.2) for size in (2, 5, 9)],
}


@pytest.mark.each("name", ONE_PASS)
@pytest.mark.each("seed", [11, 12])
def test_several_protocols_in_one_pass_rank_as_each_does_alone(name: str, seed: int) -> None:
    fold, scores = random_fold(seed)
    together = rank_judged(Scores(scores), fold, ONE_PASS[name], seeded)
    for protocol, outcome in zip(ONE_PASS[name], together, strict=True):
        (alone,) = rank_judged(Scores(scores), fold, [protocol], seeded)
        np.testing.assert_array_equal(outcome.ranks, alone.ranks)
        np.testing.assert_array_equal(outcome.lengths, alone.lengths)


def fallback_of(policy: str, fold: Fold) -> np.ndarray | None:
    """Return what orders items without a score, straight from the definition; a row a user."""
    if policy == "none":
        return None
    dense = fold.train.toarray()
    raters = np.zeros((N_USERS, N_ITEMS), dtype=bool)
    raters[np.repeat(np.arange(N_USERS), np.diff(fold.train.indptr)), fold.train.indices] = True
    if policy == "popularity":
        return np.tile(raters.sum(axis=0), (N_USERS, 1))
    if policy == "average":
        means = [
            dense[raters[:, item], item].mean() if raters[:, item].any() else -np.inf
            for item in range(N_ITEMS)
        ]
        return np.tile(means, (N_USERS, 1))
    with_judgments = np.flatnonzero(np.diff(fold.test.indptr))
    drawn = np.zeros((N_USERS, N_ITEMS), dtype=np.float32)
    drawn[with_judgments] = seeded("non-computable").random(
        (len(with_judgments), N_ITEMS), dtype=np.float32
    )
    return drawn


@given(
    seed=st.integers(0, 10_000),
    relevant=st.sampled_from(["AR", "1R"]),
    candidates=st.sampled_from(["AI", "TI", "rated"]),
    policy=st.sampled_from(["none", "random", "popularity", "average"]),
    sampled=st.sampled_from([None, 4]),
)
def test_items_without_a_score_stand_behind_the_others_in_the_order_of_the_policy(
    seed: int, relevant: str, candidates: str, policy: str, sampled: int | None
) -> None:
    fold, scores = random_fold(seed)
    fold.train.data[:] = np.random.default_rng(seed).integers(1, 6, fold.train.nnz)
    protocol = Protocol(relevant, candidates, sampled, 4.0, non_computable=policy)
    (outcome,) = rank_judged(Scores(scores), fold, [protocol], seeded)
    assert_as_by_sorting([outcome], fold, scores, [protocol], fallback_of(policy, fold))
    if policy != "none":
        np.testing.assert_array_equal(outcome.lengths, outcome.candidates)


def test_candidates_less_lengths_counts_what_the_system_cannot_compute() -> None:
    fold, scores = random_fold(4)
    complete = np.nan_to_num(scores, nan=0.5)
    for protocol in (Protocol(), Protocol("1R", "TI", 5, 4.0), Protocol("AR", "TI", 5, 4.0)):
        (with_gaps,) = rank_judged(Scores(scores), fold, [protocol], seeded)
        (without,) = rank_judged(Scores(complete), fold, [protocol], seeded)
        np.testing.assert_array_equal(with_gaps.candidates, without.lengths)
        assert (with_gaps.lengths < with_gaps.candidates).any()


def test_a_score_of_the_wrong_shape_is_refused() -> None:
    fold, scores = random_fold(1)
    with pytest.raises(ValueError, match="must be"):
        rank_judged(Scores(scores[:, :-1]), fold, [Protocol()], seeded)


@pytest.mark.each(
    ("arguments", "word"),
    [
        ({"relevant": "2R"}, "AR, 1R"),
        ({"candidates": "all"}, "AI, TI, train"),
        ({"sampled": 0, "threshold": 4.0}, "at least 1"),
        ({"ties": "none"}, "random, index"),
        ({"percentiles": 10}, "percentiles require 1R"),
        ({"head_removed": 1.0}, "between 0 and 1"),
        ({"head_removed": 0.0}, "between 0 and 1"),
        (
            {"sampled": 1, "threshold": 4.0, "sampled_by": "popularity", "power": np.inf},
            "0 or more",
        ),
    ],
)
def test_bad_protocols_are_refused_with_what_is_accepted(arguments: dict, word: str) -> None:
    with pytest.raises(ValueError, match=word):
        Protocol(**arguments)


@pytest.mark.parametrize("arguments", [{"relevant": "1R"}, {"sampled": 5}])
def test_a_threshold_is_needed_where_relevance_decides_who_is_a_candidate(arguments: dict) -> None:
    fold, scores = random_fold(6)
    with pytest.raises(ValueError, match="needs a relevance threshold"):
        rank_judged(Scores(scores), fold, [Protocol(**arguments)], seeded)


def test_a_threshold_may_be_given_with_the_protocol_or_when_ranking() -> None:
    fold, scores = random_fold(6)
    within = Protocol("1R", "TI", 5, 4.0)
    (one,) = rank_judged(Scores(scores), fold, [within], seeded, threshold=1.0)
    (other,) = rank_judged(Scores(scores), fold, [Protocol("1R", "TI", 5)], seeded, threshold=4.0)
    np.testing.assert_array_equal(one.ranks, other.ranks)


@pytest.mark.costly
def test_keys_of_different_protocols_differ() -> None:
    protocols = {
        Protocol(relevant, candidates, sampled, threshold, ties, percentiles, head, policy)
        for relevant in ("AR", "1R")
        for candidates in ("AI", "TI", "train", "rated")
        for sampled in (None, 1, 99)
        for threshold in (4.0, 5.0)
        for ties in ("random", "index")
        for percentiles in ((None, 5, 10) if relevant == "1R" else (None,))
        for head in (None, 0.1, 0.25)
        for policy in ("none", "random", "popularity", "average")
    }
    assert len({protocol.key for protocol in protocols}) == len(protocols)


@pytest.mark.each(
    "blocks", [[(0, N_USERS), (2, 5)], [(1, 4), (1, 6), (3, 6)], [(2, 3), (0, 1), (2, 3)]]
)
def test_samples_are_those_of_the_ranked_users_of_the_block_that_was_asked_for_last(
    blocks: list[tuple[int, int]],
) -> None:
    fold, _ = random_fold(3)
    protocol = Protocol("AR", "AI", 4, 4.0)
    base, ranked = np.ones(N_ITEMS, dtype=bool), np.arange(N_USERS) != 3
    samples = samples_of(fold, protocol, 4)
    shared = SharedByPasses(fold, fold.test, seeded, "test", [protocol])
    for start, stop in blocks:
        indptr, items = shared.sample(protocol, base, ranked, None, np.arange(start, stop))
        for user in range(N_USERS):
            wanted = samples[user] if start <= user < stop and ranked[user] else []
            assert items[indptr[user] : indptr[user + 1]].tolist() == wanted


def test_a_sample_is_drawn_once_a_block_and_serves_all_sizes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[int] = []
    of_users = SampledCandidates.of_users

    def counted(sampled: SampledCandidates, users: np.ndarray) -> Sample:
        drawn.append(int(users.sum()))
        return of_users(sampled, users)

    monkeypatch.setattr(SampledCandidates, "of_users", counted)
    monkeypatch.setattr(evaluation, "_BLOCK_ENTRIES", 2 * N_ITEMS)
    fold, scores = random_fold(3)
    protocols = [Protocol("1R", "AI", size, 4.0) for size in (2, 4)]
    protocols.append(Protocol("AR", "AI", 3, 4.0))
    blocked = rank_judged(Scores(scores), fold, protocols, seeded)
    tested = int((np.diff(fold.test.indptr) > 0).sum())
    assert sum(drawn) == tested
    assert len(drawn) == -(-tested // 2)
    monkeypatch.setattr(evaluation, "_BLOCK_ENTRIES", N_USERS * N_ITEMS)
    whole = rank_judged(Scores(scores), fold, protocols, seeded)
    for one, other in zip(blocked, whole, strict=True):
        np.testing.assert_array_equal(one.ranks, other.ranks)
        np.testing.assert_array_equal(one.lengths, other.lengths)
