# SPDX-License-Identifier: MIT
"""User and item kNN against similaripy and implicit, as ratios within one run.

    python benchmarks/recommenders/neighbourhoods.py [--repeats 3] [--neighbours 100]
    python benchmarks/recommenders/neighbourhoods.py --scale

Generated ratings of MovieLens 1M's shape, 20 % of them held out; one thread each. The cosines of
all three are compared first. Two tables each for users and for items: the neighbours alone, then
fit and rank. The peers' lists are made in two ways, of which the faster counts: their similarities
times the ratings by SciPy, a block of users at a time, and their own function, similaripy's product
that keeps the largest and implicit's ``recommend`` (which is for item kNN alone). similaripy is not
in the lock: ``pip install similaripy`` (beside receval's dependencies).

``--scale`` fits a user kNN to 20,000,000 ratings of 17,770 items by 100,000 users instead and
scores a sample of 1,000 users, ours alone, prints the peak of memory and fails above 6 GiB; it
takes some six minutes. Fitting needs nothing but the nearest rows: beside them it checks the
ratings and keeps them, without a copy.
"""

from __future__ import annotations

from timing import fastest, line, report  # limits the threads before NumPy is imported

# isort: split
import argparse
import resource
import sys
import warnings
from collections.abc import Callable

import numpy as np
from generated import add_size, ml1m_shaped, sized
from implicit.nearest_neighbours import CosineRecommender
from ranking import DEPTH, one_fold, rank, table, tested, top_unrated
from scipy.sparse import csr_matrix

from receval.recommenders.knn import ItemKNN, UserKNN
from receval.recommenders.neighbourhood import nearest_rows
from receval.seeds import generator
from receval.splits.split import Fold

try:
    import similaripy
except ImportError:
    similaripy = None

LARGEST = 6.0
SCORED = 1_000


def main() -> None:
    """Print the durations and their ratios, or the memory at scale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--neighbours", type=int, default=100)
    parser.add_argument("--scale", action="store_true")
    add_size(parser)
    options = parser.parse_args()
    small = one_fold(table(ml1m_shaped(0.05)))
    for system in (UserKNN(options.neighbours), ItemKNN(options.neighbours)):
        rank(system.fit(small.train), small)  # compiles
    if options.scale:
        scale(options.neighbours, options.size)
        return
    # implicit warns that its own matrix of similarities is not in CSR form.
    warnings.filterwarnings("ignore", module="implicit")
    data = one_fold(table(ml1m_shaped(options.size)))
    for system in (UserKNN(options.neighbours), ItemKNN(options.neighbours)):
        compare(system, data, options.neighbours, options.repeats)


def compare(system: UserKNN | ItemKNN, data: Fold, neighbours: int, repeats: int) -> None:
    """Print the durations for users or for items."""
    users = tested(data)
    ratings = csr_matrix(data.train)
    of_users = isinstance(system, UserKNN)
    rows = ratings if of_users else ratings.T.tocsr()

    def similaripy_cosines() -> csr_matrix:
        return similaripy.cosine(
            rows, k=neighbours, num_threads=1, verbose=False, format_output="csr"
        )

    def implicit_model() -> CosineRecommender:
        # K counts the row itself, which is its own first neighbour.
        model = CosineRecommender(K=neighbours + 1, num_threads=1)
        model.fit(rows.T.tocsr(), show_progress=False)
        return model

    def implicit_cosines() -> csr_matrix:
        return implicit_model().similarity

    def to_multiply(similarities: csr_matrix) -> tuple[csr_matrix, csr_matrix]:
        single = similarities.astype(np.float32)
        return (single, ratings) if of_users else (ratings, single.T.tocsr())

    def by_scipy(similarities: csr_matrix) -> None:
        left, right = to_multiply(similarities)
        top_unrated(data, lambda block: (left[block] @ right).toarray())

    def by_similaripy() -> None:
        similaripy.dot_product(
            *to_multiply(similaripy_cosines()),
            k=DEPTH,
            target_rows=users,
            filter_cols=ratings,
            num_threads=1,
            verbose=False,
            format_output="csr",
        )

    def by_implicit() -> None:
        implicit_model().recommend(users, ratings[users], N=DEPTH)

    cosines: dict[str, Callable[[], csr_matrix] | None] = {
        "similaripy": similaripy_cosines if similaripy else None,
        "implicit": implicit_cosines,
    }
    own_lists = {"similaripy": by_similaripy} | ({} if of_users else {"implicit": by_implicit})
    largest = csr_matrix(nearest_rows(data.train if of_users else rows, neighbours)).max(axis=1)
    fitted: dict[str, float | None] = {}
    ranked: dict[str, float | None] = {}
    for name, find in cosines.items():
        if find is None:
            fitted[name] = ranked[name] = None
            continue
        found = csr_matrix(find())
        found.setdiag(0)
        np.testing.assert_allclose(
            found.max(axis=1).toarray(), largest.toarray(), rtol=1e-4, err_msg=name
        )
        fitted[name] = fastest(find, repeats)
        ranked[name] = fastest(lambda find=find: by_scipy(find()), repeats)
        if name in own_lists:
            ranked[name] = min(ranked[name], fastest(own_lists[name], repeats))
    title = f"{type(system).__name__}: {rows.shape[0]:,} rows, {ratings.nnz:,} ratings, one thread"
    report(
        f"{title}; neighbours",
        {"receval": fastest(lambda: nearest_rows(rows, neighbours), repeats)},
        fitted,
    )
    report(
        f"{title}; fit and rank",
        {"receval": fastest(lambda: rank(system.fit(data.train), data), repeats)},
        ranked,
    )


def scale(neighbours: int, size: float) -> None:
    """Print the durations and the peak of memory for 100,000 users."""
    ratings = sized(100_000, 17_770, 20_000_000, size)
    n_users, n_items = ratings.shape
    model = UserKNN(neighbours)
    chosen = generator(1, "benchmark", "scored").permutation(n_users)[:SCORED]
    print(f"UserKNN: {n_users:,} users, {n_items:,} items, {ratings.nnz:,} ratings, one thread")
    print(line("fit", fastest(lambda: model.fit(ratings), 1)), flush=True)
    print(line(f"scores of {len(chosen):,} users", fastest(lambda: model.score(chosen), 1)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"  peak of memory, generating included: {peak:.2f} GiB of {LARGEST:g} GiB")
    if peak > LARGEST:
        sys.exit(f"The peak of memory is above {LARGEST:g} GiB.")


if __name__ == "__main__":
    main()
