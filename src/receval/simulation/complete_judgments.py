"""Judgments without gaps: what only a simulated world knows, and random samples of it.

A metric measured with a judgment of every item has its *real* value, not an estimate. Measured with
a sample of them drawn uniformly at random (missing at random), P@n and antiP@n count a true or a
false positive as often as the sample holds its judgment: divided by that rate they are unbiased.
Measured with items that users chose (missing not at random), they are neither.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.ratings import Ratings
from receval.simulation.twins import Simulation
from receval.splits.ranks_within_groups import random_ranks_within_groups
from receval.splits.split import Judgments


def observed_ratings(simulation: Simulation) -> Ratings:
    """Return what is observed of a world, as the table that splits take.

    The codes of users and items are their indices into the world, so that the world's complete
    relevance fits them, and items that nobody rated have a code as well. Users without a random
    sample, whom the parser of Yahoo! R3 leaves out, are in it.
    """
    seen = simulation.observation
    return Ratings(
        users=seen.users,
        items=seen.items,
        values=seen.values,
        user_ids=simulation.user_ids,
        item_ids=simulation.item_ids,
        timestamps=seen.timestamps,
        known=seen.known,
    )


def relevance_of_twin(truth_file: Path, ratings: Ratings) -> NDArray[np.float32]:
    """Read the complete relevance of a synthetic twin for the codes of its parsed ratings.

    Parameters
    ----------
    truth_file : Path
        The ``truth.npz`` beside its raw files (`receval.simulation.twins.write_twin`).
    ratings : Ratings
        The parsed synthetic twin.

    Returns
    -------
    ndarray of float32, shape (n_users, n_items)
        What every user's rating of every item is or would be. Users whom the parser left out and
        items that nobody rated have no code, so they are not in it.

    Raises
    ------
    ValueError
        If the ratings have a user or an item that is not in the synthetic twin.
    """
    with np.load(truth_file, allow_pickle=False) as truth:
        rows = _indices(ratings.user_ids, truth["user_ids"], "user", truth_file)
        columns = _indices(ratings.item_ids, truth["item_ids"], "item", truth_file)
        relevance: NDArray[np.float32] = truth["relevance"][np.ix_(rows, columns)]
    return relevance


def complete_judgments(relevance: NDArray[np.float32], train: csr_array) -> Judgments:
    """Return a judgment of every (user, item) pair that does not train.

    Parameters
    ----------
    relevance : ndarray of float32, shape (n_users, n_items)
        Every user's rating of every item.
    train : csr_array, shape (n_users, n_items)
        Training ratings; an explicit zero is one, too.

    Raises
    ------
    ValueError
        If the two differ in shape.
    """
    if relevance.shape != train.shape:
        raise ValueError(
            f"The relevance has shape {relevance.shape}, but the training ratings have "
            f"{train.shape}: both need one row per user and one column per item of one dataset."
        )
    judged = np.ones(relevance.shape, dtype=bool)
    judged[np.repeat(np.arange(train.shape[0]), np.diff(train.indptr)), train.indices] = False
    _, items = np.nonzero(judged)
    return Judgments(
        indptr=np.concatenate([[0], np.cumsum(judged.sum(axis=1))]).astype(np.int64),
        items=items.astype(np.int32),
        values=relevance[judged],
    )


def drawn_at_random(
    judgments: Judgments, per_user: int, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Draw some judgments of each user, uniformly without replacement.

    Parameters
    ----------
    judgments : Judgments
    per_user : int
        Number n of judgments of a user; one who has fewer keeps all of them.
    rng : Generator
        Equal generators give nested samples: with a larger n only more is drawn.

    Returns
    -------
    ndarray of bool, shape (n_judgments,)
        True for the drawn judgments.
    """
    return random_ranks_within_groups(judgments.users, judgments.n_users, rng) < per_user


def kept_judgments(judgments: Judgments, kept: NDArray[np.bool_]) -> Judgments:
    """Return some of the judgments, for as many users as before.

    Parameters
    ----------
    judgments : Judgments
    kept : ndarray of bool, shape (n_judgments,)
        True for those to keep. Ranks that are aligned with the judgments and do not depend on
        which items are judged (AR without sampled candidates) are kept by the same mask.
    """
    counts = np.bincount(judgments.users[kept], minlength=judgments.n_users)
    return Judgments(
        indptr=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        items=judgments.items[kept],
        values=judgments.values[kept],
    )


def sampling_rates(sample: Judgments, judgments: Judgments) -> NDArray[np.float64]:
    """Return the share of each user's judgments that a sample holds.

    Parameters
    ----------
    sample : Judgments
        Some of the judgments.
    judgments : Judgments
        All of them.

    Returns
    -------
    ndarray of float64, shape (n_users,)
        NaN for users without judgments.
    """
    drawn, there = np.diff(sample.indptr), np.diff(judgments.indptr)
    rates = np.full(len(there), np.nan)
    np.divide(drawn, there, out=rates, where=there > 0)
    return rates


def _indices(
    wanted: NDArray[np.str_], known: NDArray[np.str_], what: str, file: Path
) -> NDArray[np.int64]:
    """Return the index of each identifier among the known ones."""
    order = np.argsort(known)
    indices = order[np.minimum(np.searchsorted(known, wanted, sorter=order), len(known) - 1)]
    strange = np.flatnonzero(known[indices] != wanted)
    if len(strange):
        raise ValueError(
            f"{file} knows no {what} '{wanted[strange[0]]}': it belongs to another synthetic twin "
            "than these ratings, or to one of another seed."
        )
    return indices
