"""User and item kNN against similaripy and implicit, as ratios within one run.

    python benchmarks/recommenders/neighbourhoods.py [--repeats 3] [--neighbours 100]
    python benchmarks/recommenders/neighbourhoods.py --scale

Generated ratings of MovieLens 1M's shape; fit and rank all users, one thread each. The cosines of
all three are compared first. The peers have no such scores of all items: their similarities are
multiplied with the ratings by SciPy, a block of users at a time. similaripy is not in the lock:
``pip install similaripy`` (beside receval's dependencies).

``--scale`` fits user kNN to 100,000 users with 20,000,000 ratings of 17,770 items instead and ranks
for 1,000 of them, ours alone, prints the peak of memory and fails above 6 GiB; it takes some six
minutes.
"""

from __future__ import annotations

from timing import fastest, report  # limits the threads before NumPy is imported

# isort: split
import argparse
import resource
import sys
import warnings

import numpy as np
from generated import ml1m_shaped, skewed
from implicit.nearest_neighbours import CosineRecommender
from scipy.sparse import csr_matrix
from top_lists import BLOCK, top_lists

from receval.recommenders.item_knn import ItemKNN
from receval.recommenders.neighbourhood import nearest_rows
from receval.recommenders.user_knn import UserKNN

try:
    import similaripy
except ImportError:
    similaripy = None

LARGEST = 6.0
"""GiB."""

SCORED = 1000


def main() -> None:
    """Print the durations and their ratios, or the memory at scale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--neighbours", type=int, default=100)
    parser.add_argument("--scale", action="store_true")
    options = parser.parse_args()
    if options.scale:
        scale(options.neighbours)
        return
    # implicit warns that its own matrix of similarities is not in CSR form.
    warnings.filterwarnings("ignore", module="implicit")
    ratings = ml1m_shaped()
    for system in (UserKNN(options.neighbours), ItemKNN(options.neighbours)):
        compare(system, csr_matrix(ratings), options.neighbours, options.repeats)


def compare(system: UserKNN | ItemKNN, ratings: csr_matrix, neighbours: int, repeats: int) -> None:
    """Print the durations for users or for items."""
    users = np.arange(ratings.shape[0])
    of_users = isinstance(system, UserKNN)
    rows = ratings if of_users else ratings.T.tocsr()

    def similaripy_cosines() -> csr_matrix:
        return similaripy.cosine(
            rows, k=neighbours, num_threads=1, verbose=False, format_output="csr"
        )

    def implicit_cosines() -> csr_matrix:
        # K counts the row itself, which is its own first neighbour.
        model = CosineRecommender(K=neighbours + 1, num_threads=1)
        model.fit(rows.T.tocsr(), show_progress=False)
        return model.similarity

    def score(similarities: csr_matrix) -> None:
        left, right = (similarities, ratings) if of_users else (ratings, similarities.T.tocsr())
        for first in range(0, len(users), BLOCK):
            scores = (left[first : first + BLOCK] @ right).toarray()
            top_lists(scores, ratings[first : first + BLOCK])

    peers = {"similaripy": similaripy and similaripy_cosines, "implicit": implicit_cosines}
    largest = csr_matrix(nearest_rows(rows, neighbours)).max(axis=1).toarray()
    for name, cosines in peers.items():
        if cosines:
            found = csr_matrix(cosines())
            found.setdiag(0)
            np.testing.assert_allclose(
                found.max(axis=1).toarray(), largest, rtol=1e-4, err_msg=name
            )

    title = f"{type(system).__name__}: {rows.shape[0]:,} rows, {ratings.nnz:,} ratings, one thread"
    fitted: dict[str, float | None] = {}
    ranked: dict[str, float | None] = {}
    for name, cosines in peers.items():
        if not cosines:
            fitted[name] = ranked[name] = None
            continue
        fitted[name] = fastest(cosines, repeats)
        ranked[name] = fastest(lambda cosines=cosines: score(cosines()), repeats)
    alone = fastest(lambda: nearest_rows(rows, neighbours), repeats)
    whole = fastest(lambda: top_lists(system.fit(ratings).score(users), ratings), repeats)
    report(f"{title}; neighbours", {"receval": alone}, fitted)
    report(f"{title}; fit and rank", {"receval": whole}, ranked)


def scale(neighbours: int) -> None:
    """Print the duration and the peak of memory for 100,000 users."""
    ratings = skewed(100_000, 17_770, 20_000_000)
    model = UserKNN(neighbours)
    some = np.linspace(0, ratings.shape[0] - 1, SCORED).astype(np.int64)
    report(
        "100,000 users, 17,770 items, 20,000,000 ratings, one thread; UserKNN",
        {
            "receval, fit": fastest(lambda: model.fit(ratings), 1),
            f"receval, rank {SCORED:,} users": fastest(
                lambda: top_lists(model.score(some), csr_matrix(ratings)[some]), 1
            ),
        },
        {},
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"  peak of memory, generating included: {peak:.2f} GiB")
    if peak > LARGEST:
        sys.exit(f"The peak of memory is above {LARGEST} GiB.")


if __name__ == "__main__":
    main()
