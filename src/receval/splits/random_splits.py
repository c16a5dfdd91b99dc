# SPDX-License-Identifier: MIT
"""Random splits: hold-out of a share or number of ratings, k folds, and uniform tests.

In a uniform test each item has the same number of test ratings, so popularity cannot help.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from receval.data.ratings import Ratings
from receval.seeds import GeneratorFor
from receval.splits.split import TEST, TRAIN, UNBIASED, Split
from receval.storage.kernel_cache import njit
from receval.storage.messages import how_many

Drawn = TypeVar("Drawn")

UnbiasedRows = Literal["unknown", "fold"]


# The ranks of ratings within their users or items.


@njit(cache=True)
def ranks_within_groups(
    groups: NDArray[np.int32], order: NDArray[np.int64], n_groups: int
) -> NDArray[np.int32]:
    """Return how many rows of the same group come before each row in an order of all rows."""
    ranks = np.empty(len(groups), dtype=np.int32)
    seen = np.zeros(n_groups, dtype=np.int32)
    for row in order:
        ranks[row] = seen[groups[row]]
        seen[groups[row]] += 1
    return ranks


def random_ranks_within_groups(
    groups: NDArray[np.int32], n_groups: int, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Return each row's rank within its group, from 0, in random order.

    The rows with a rank below k are a uniform sample of k rows per group, without replacement.
    """
    order = rng.permutation(np.arange(len(groups), dtype=np.int32))
    ranks: NDArray[np.int32] = ranks_within_groups(groups, order, n_groups)
    return ranks


def ceiling_of_share(counts: NDArray[np.int64], share: float) -> NDArray[np.int64]:
    """Return ``ceil(share * counts)`` without errors from binary fractions (.55 of 100 is 55)."""
    return np.ceil(np.round(share * counts, 9)).astype(np.int64)


# Hold-out: folds are independent repetitions, whose tests overlap.


def split_by_shares(
    train_ratio: float | Sequence[float],
    repetitions: int,
    draw: Callable[[int], Drawn],
    trains: Callable[[Drawn, float], NDArray[np.bool_]],
) -> Split:
    """Return one fold for each share and repetition, with the repetitions of a share together.

    ``draw(repetition)`` makes the random draws of a repetition, which all shares use, and
    ``trains(drawn, share)`` marks the training ratings. The metadatum ``train_ratios`` has the
    share of each fold.
    """
    shares = tuple(train_ratio) if isinstance(train_ratio, Sequence) else (train_ratio,)
    of_repetition: list[list[NDArray[np.uint8]]] = []
    for repetition in range(repetitions):
        drawn = draw(repetition)
        of_repetition.append(
            [np.where(trains(drawn, share), TRAIN, TEST).astype(np.uint8) for share in shares]
        )
    codes = tuple(folds[number] for number in range(len(shares)) for folds in of_repetition)
    return Split(codes, {"train_ratios": tuple(s for s in shares for _ in range(repetitions))})


def split_by_random_ratio(
    ratings: Ratings, rng_for: GeneratorFor, *, train_ratio: float | Sequence[float], folds: int
) -> Split:
    """Put each rating into train with probability ``train_ratio``, and otherwise into test.

    Several probabilities use the same draws: a rating that trains with one also trains with every
    larger one. These are the coin flips of Bellogín et al. (2017), section 3.3, and the random
    split of Cañamares et al. (2020), section 4.1.
    """

    def coins(repetition: int) -> NDArray[np.float32]:
        return rng_for(repetition).random(len(ratings), dtype=np.float32)

    return split_by_shares(
        train_ratio, folds, coins, lambda thrown, share: thrown < np.float32(share)
    )


def split_by_user_ratio(
    ratings: Ratings, rng_for: GeneratorFor, *, train_ratio: float | Sequence[float], folds: int
) -> Split:
    """Put ``ceil(train_ratio * n_u)`` random ratings of each user into train, the rest into test.

    Several shares take a user's ratings in the same order: a rating that trains with one also
    trains with every larger one. This is the split of Valcarce et al. (2018), section 5. The paper
    does not say how the share is rounded; the released runs agree with rounding up.
    """
    sizes = np.bincount(ratings.users, minlength=ratings.n_users)

    def ranks(repetition: int) -> NDArray[np.int32]:
        return random_ranks_within_groups(ratings.users, ratings.n_users, rng_for(repetition))

    def trains(rank: NDArray[np.int32], share: float) -> NDArray[np.bool_]:
        n_train = ceiling_of_share(sizes, share)
        marked: NDArray[np.bool_] = rank < n_train[ratings.users]
        return marked

    return split_by_shares(train_ratio, folds, ranks, trains)


def split_leaving_out(
    ratings: Ratings,
    rng_for: GeneratorFor,
    *,
    held_out: int,
    short_profiles: Literal["refuse", "train"],
    folds: int,
) -> Split:
    """Put ``held_out`` random ratings of each user into test, the rest into train.

    The metadatum ``users_without_test`` counts the users who train with all their ratings
    (:func:`short_profiles_of`), not counting users without any rating.
    """
    _, too_short = short_profiles_of(ratings, held_out, short_profiles)
    n_test = np.where(too_short, 0, held_out)

    def codes(fold: int) -> NDArray[np.uint8]:
        ranks = random_ranks_within_groups(ratings.users, ratings.n_users, rng_for(fold))
        return np.where(ranks < n_test[ratings.users], TEST, TRAIN).astype(np.uint8)

    return Split(
        tuple(codes(fold) for fold in range(folds)),
        {"users_without_test": int(too_short.sum())},
    )


def short_profiles_of(
    ratings: Ratings, held_out: int, short_profiles: Literal["refuse", "train"]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the number of ratings of each user, and who would have none left to train on.

    These users have ``held_out`` ratings or fewer. "refuse" raises an error if there are any;
    "train" keeps all their ratings in train, so that they are not tested.
    """
    profile_sizes = np.bincount(ratings.users, minlength=ratings.n_users)
    too_short = (profile_sizes > 0) & (profile_sizes <= held_out)
    if short_profiles == "refuse" and too_short.any():
        user = int(np.argmax(too_short))
        raise ValueError(
            f"Some users have {how_many(held_out, 'rating')} or fewer ({too_short.sum():,}, such "
            f"as '{ratings.user_ids[user]}' with {profile_sizes[user]}), so leaving {held_out} out "
            "would leave nothing to train on. Leave fewer out (held_out), or keep such users in "
            "train (short_profiles='train', in a command: --split KIND:short_profiles=train)."
        )
    return profile_sizes, too_short


# k folds: each tests its own ratings and trains on those of the others.


def split_from_partition(
    ratings: Ratings,
    fold_of_rating: NDArray[np.uint8],
    folds: int,
    unbiased_rows: UnbiasedRows | None = None,
) -> Split:
    """Return the split in which fold k, from 0, tests the ratings numbered k.

    Without ``unbiased_rows`` there is no unbiased test: all ratings of the fold test, and those of
    the other folds train. Otherwise, only ratings of items that the user chose or knew
    (``ratings.known``) train and test. With "unknown", the unbiased test is every rating of an item
    drawn for the user, in any fold. With "fold", it is every rating of the fold, known or not, for
    data whose ratings as a whole are a random sample. These are the unbiased tests of Yahoo! R3 and
    of CM100k in Mena-Maldonado et al. (2021), section 8.2 and figure 11.
    """
    trains_or_tests = np.ones(len(ratings), dtype=bool)
    if unbiased_rows is not None:
        if ratings.known is None:
            raise ValueError(
                "This split needs to know which ratings users chose themselves, but the dataset "
                "does not say (its ratings have no column 'known'). Use a k-fold split instead."
            )
        trains_or_tests = ratings.known

    def codes(fold: int) -> NDArray[np.uint8]:
        in_fold = fold_of_rating == fold
        used = np.zeros(len(ratings), dtype=np.uint8)
        used[trains_or_tests & ~in_fold] |= TRAIN
        used[trains_or_tests & in_fold] |= TEST
        if unbiased_rows == "unknown":
            used[~trains_or_tests] |= UNBIASED
        elif unbiased_rows == "fold":
            used[in_fold] |= UNBIASED
        return used

    return Split(tuple(codes(fold) for fold in range(folds)))


def split_into_folds(
    ratings: Ratings, rng_for: GeneratorFor, *, folds: int, balanced_per_user: bool
) -> Split:
    """Put every rating into one of k folds at random; each fold trains on the other folds.

    If balanced, the ratings of each user are spread over the folds as evenly as possible, and the
    folds that get one more are random. If not, the fold of each rating is drawn independently, so
    that fold sizes vary, as in the released folds of Mena-Maldonado et al. (2021).
    """
    rng = rng_for("partition")
    if balanced_per_user:
        first_fold = rng.integers(folds, size=ratings.n_users)
        ranks = random_ranks_within_groups(ratings.users, ratings.n_users, rng)
        fold_of_rating = ((ranks + first_fold[ratings.users]) % folds).astype(np.uint8)
    else:
        fold_of_rating = rng.integers(folds, size=len(ratings), dtype=np.uint8)
    return split_from_partition(ratings, fold_of_rating, folds)


def split_with_unbiased_test(
    ratings: Ratings, rng_for: GeneratorFor, *, unbiased_rows: UnbiasedRows, folds: int
) -> Split:
    """Put every rating into one of k folds at random and give each fold an unbiased test.

    The ratings must say which are known. These test in their own fold and train in the others. The
    unbiased test has the "unknown" ones, as for Yahoo! R3: all ratings of randomly drawn items, in
    every fold; or all ratings of the "fold", known or not, as for CM100k, whose ratings as a whole
    are a random sample. All folds share the generator of the partition.

    Source: Mena-Maldonado et al. (2021), section 8.2 and figure 11.

    Examples
    --------
    Each of the known ratings trains (1) in one fold and tests (2) in the other. The third rating is
    of an item drawn for the user, and an unbiased test (4) in both:

    >>> ratings = Ratings(
    ...     *np.array([[0, 0, 1], [0, 1, 1]], dtype=np.int32),
    ...     values=np.array([5, 2, 4], dtype=np.float32),
    ...     user_ids=np.array(["ann", "bob"]),
    ...     item_ids=np.array(["book", "film"]),
    ...     known=np.array([True, True, False]),
    ... )
    >>> def rng_for(name):
    ...     return np.random.default_rng(1)
    >>> split = split_with_unbiased_test(ratings, rng_for, unbiased_rows="unknown", folds=2)
    >>> np.sort(split.codes, axis=0).T.tolist()
    [[1, 2], [1, 2], [4, 4]]
    """
    fold_of_rating = rng_for("partition").integers(folds, size=len(ratings), dtype=np.uint8)
    return split_from_partition(ratings, fold_of_rating, folds, unbiased_rows)


_log = logging.getLogger(__name__)


def split_with_uniform_test(
    ratings: Ratings,
    rng_for: GeneratorFor,
    *,
    test_share: float,
    min_train_ratio: float,
    folds: int,
    tests_from: float | None = None,
) -> Split:
    r"""Give the most popular items the same number of test ratings, and the others none.

    The rows of a repeated (user, item) pair, such as plays, count as one rating: they all train or
    all test, and :math:`|R(i)|` is the number of users of an item.

    With the items :math:`i_1, i_2, \ldots` sorted by their numbers of ratings :math:`|R(i_1)| \ge
    |R(i_2)| \ge \ldots`, the ``test_share`` :math:`\sigma` and the ``min_train_ratio``
    :math:`\varepsilon`,

    .. math::

        \zeta = \max\{k : (1 - \varepsilon)\,|R(i_k)|\,k / |R| \ge \sigma\}, \quad
        T = \{i_k : k \le \zeta\}, \quad \eta = (1 - \varepsilon)\,|R(i_\zeta)|.

    The test has :math:`\mathrm{round}(\eta |T|)` ratings in total: each item of T has
    :math:`\lfloor\eta\rfloor`, and items drawn at random among those with enough ratings have one
    more. No item has more than :math:`(1 - \varepsilon)|R(i)|` test ratings; if that leaves too few
    items to draw from, the test is smaller. Folds are independent repetitions, as disjoint tests
    would need more ratings than the items of T have.

    Only ratings (for plays: their sums) at or above ``tests_from`` are counted and may test; the
    others train. With the relevance threshold, all test ratings are relevant. If then no number of
    items reaches :math:`\sigma`, the largest possible share is used, as a long tail may have too
    few ratings. The log reports this.

    Metadata: ``target_items`` (:math:`|T|`), ``eta``, ``sigma`` (the share that is reached),
    ``epsilon`` and ``test_ratings``, the number of test ratings in each fold. Bellogín et al.
    (2017), section 6.2 (UAR and U1R).
    """
    pair_of_row, items = _pairs(ratings, tests_from)
    popularity = np.bincount(items, minlength=ratings.n_items)
    # A target set never separates items of equal popularity: if k meets the condition, so does
    # every later rank with the same number of ratings. Ties therefore need no rule.
    descending = np.sort(popularity)[::-1]
    available = np.round((1 - min_train_ratio) * descending, 9)
    reached = np.round(available * np.arange(1, len(descending) + 1), 9)
    wanted = np.round(test_share * len(items), 9)
    if tests_from is not None:
        # With less than one test rating per item there is no test, whatever the number of items.
        reached = np.where(available >= 1, reached, 0)
        if 0 < reached.max(initial=0) < wanted:
            wanted = reached.max()
            test_share = float(wanted / len(items))
            _log.warning(
                "no uniform test has the requested share; the share %.4g is used", test_share
            )
    feasible = np.flatnonzero(reached >= wanted)
    if not len(feasible) or available[feasible[-1]] < 1:
        raise ValueError(
            f"No uniform test exists for a test share of {test_share} with at least "
            f"{min_train_ratio} of each item's ratings in train: equal numbers of test ratings "
            f"reach at most {reached.max(initial=0) / max(len(items), 1):.4g} of the ratings, "
            "or less than one per item. Lower test_share or min_train_ratio."
        )
    n_targets = int(feasible[-1]) + 1
    eta = float(available[n_targets - 1])
    targets = np.flatnonzero(popularity >= descending[n_targets - 1])
    most = np.floor(np.round((1 - min_train_ratio) * popularity[targets], 9)).astype(np.int64)
    with_room = targets[most > int(eta)]
    n_one_more = min(round(eta * n_targets) - int(eta) * n_targets, len(with_room))

    def codes(fold: int) -> NDArray[np.uint8]:
        rng = rng_for(fold)
        n_test = np.zeros(ratings.n_items, dtype=np.int64)
        n_test[targets] = int(eta)
        n_test[rng.choice(with_room, size=n_one_more, replace=False)] += 1
        ranks = random_ranks_within_groups(items, ratings.n_items, rng)
        # The last index is for rows that may not test.
        code_of_pair = np.full(len(items) + 1, TRAIN, dtype=np.uint8)
        code_of_pair[:-1][ranks < n_test[items]] = TEST
        return code_of_pair[pair_of_row]

    return Split(
        tuple(codes(fold) for fold in range(folds)),
        {
            "target_items": n_targets,
            "eta": eta,
            "sigma": test_share,
            "epsilon": min_train_ratio,
            "test_ratings": int(eta) * n_targets + n_one_more,
        },
    )


def _pairs(
    ratings: Ratings, tests_from: float | None
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the pair of each row (-1 if it may not test) and the item of each pair."""
    keys = ratings.users.astype(np.int64) * ratings.n_items + ratings.items
    distinct, pair_of_row = np.unique(keys, return_inverse=True)
    items = (distinct % max(ratings.n_items, 1)).astype(np.int32)
    if tests_from is None:
        return pair_of_row, items
    sums = np.bincount(pair_of_row, weights=ratings.values, minlength=len(distinct))
    may_test = sums >= np.float32(tests_from)  # .7 is more in double precision.
    index = np.where(may_test, np.cumsum(may_test) - 1, -1)
    return index[pair_of_row], items[may_test]
