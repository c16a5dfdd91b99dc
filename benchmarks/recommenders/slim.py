# SPDX-License-Identifier: MIT
"""SLIM against irspack and scikit-learn's ElasticNet per column, as ratios within one run.

    python benchmarks/recommenders/slim.py [--repeats 2] [--l1 20] [--l2 100] [--columns 20]

Generated ratings of MovieLens 1M's shape, 20 % of them held out; fit and rank, one thread each, the
same objective. Each stops by a rule of its own, so the objective that it reached is printed too.
scikit-learn's solver is timed on a sample of the columns and scaled to all, without the ranking,
which would need all columns and adds next to nothing to its time. irspack is not in the lock:
``pip install irspack`` (beside receval's dependencies).
"""

from __future__ import annotations

from timing import fastest, report  # limits the threads before NumPy is imported

# isort: split
import argparse

import numpy as np
from generated import add_size, ml1m_shaped
from ranking import one_fold, rank, table, top_unrated
from scipy.sparse import csc_matrix, csr_matrix
from sklearn.linear_model import ElasticNet

from receval.recommenders.slim import SLIM

try:
    from irspack import SLIMRecommender
except ImportError:
    SLIMRecommender = None

TOLERANCES = (1e-5, 1e-7)


def main() -> None:
    """Print the durations, their ratios and the objectives."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--l1", type=float, default=20.0)
    parser.add_argument("--l2", type=float, default=100.0)
    parser.add_argument("--columns", type=int, default=20)
    add_size(parser)
    options = parser.parse_args()
    data = one_fold(table(ml1m_shaped(options.size)))
    ratings = data.train
    n_users, n_items = ratings.shape
    l1, l2 = options.l1, options.l2
    penalties = {"alpha": (l1 + l2) / n_users, "l1_ratio": l1 / (l1 + l2)}
    interactions = csr_matrix(ratings, dtype=np.float64)
    columns = csc_matrix(interactions)
    sample = np.linspace(0, n_items - 1, options.columns).astype(int)
    gram = (interactions.T @ interactions).toarray()
    small = one_fold(table(ml1m_shaped(0.05)))
    rank(SLIM(l1, l2).fit(small.train), small)  # compiles

    def objective(weights: csr_matrix, items: np.ndarray) -> float:
        w = weights.toarray().astype(np.float64)
        losses = gram[items, items] - 2 * (w * gram[:, items]).sum(axis=0)
        losses += (w * (gram @ w)).sum(axis=0)
        return float((losses / 2 + l2 / 2 * (w**2).sum(axis=0) + l1 * w.sum(axis=0)).sum())

    found: dict[str, csr_matrix] = {}

    def ours(tolerance: float) -> None:
        model = SLIM(l1, l2, tolerance=tolerance).fit(ratings)
        rank(model, data)
        found[f"receval, tolerance {tolerance:g}"] = csr_matrix(model.weights_)

    def irspack() -> None:
        model = SLIMRecommender(interactions, n_threads=1, **penalties)
        model.learn()
        top_unrated(data, model.get_score)
        found["irspack"] = csr_matrix(model.W)

    def scikit_learn() -> None:
        solved = np.zeros((n_items, len(sample)))
        for place, item in enumerate(sample):
            others = columns.copy()
            target = others[:, [item]].toarray().ravel()
            others.data[others.indptr[item] : others.indptr[item + 1]] = 0
            model = ElasticNet(positive=True, fit_intercept=False, **penalties)
            solved[:, place] = model.fit(others, target).coef_
        found["scikit-learn"] = csr_matrix(solved)

    own = {
        f"receval, tolerance {tolerance:g}": fastest(
            lambda tolerance=tolerance: ours(tolerance), options.repeats
        )
        for tolerance in TOLERANCES
    }
    theirs = fastest(irspack, options.repeats) if SLIMRecommender else None
    scaled = fastest(scikit_learn, 1) / len(sample) * n_items
    report(
        f"SLIM: {n_users:,} x {n_items:,}, {ratings.nnz:,} ratings, l1 {l1:g}, l2 {l2:g}, one "
        "thread; fit and rank",
        own,
        {
            "irspack, its tolerance": theirs,
            f"scikit-learn, {len(sample)} columns scaled to {n_items:,}, fit alone": scaled,
        },
    )
    print(f"Objective over all columns, and over the {len(sample)} columns of the sample")
    for name, weights in found.items():
        if weights.shape[1] == n_items:
            whole = f"{objective(weights, np.arange(n_items)):16,.1f}"
            weights = weights[:, sample]
        else:
            whole = f"{'':16}"
        print(f"  {name:<40}{whole}{objective(weights, sample):16,.2f}")


if __name__ == "__main__":
    main()
