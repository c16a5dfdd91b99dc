# SPDX-License-Identifier: MIT
"""BPR against implicit, as ratios within one run.

    python benchmarks/recommenders/pairwise.py [--repeats 3] [--factors 10] [--epochs 10]

Generated ratings of MovieLens 1M's shape, 20 % of them held out; fit and rank, one thread each, as
many triples drawn on either side. implicit draws the rated item from all ratings and the unrated
one in proportion to its popularity, which receval can do too (``positives="ratings"``,
``negatives="popularity"``); the paper's uniform unrated items it cannot. A triple whose second item
turns out to be rated is dropped by implicit and drawn again by receval: so implicit does fewer
steps, and the time a step (ranking included) is printed as well, with the share of rated items
above unrated ones that both reach on the training ratings.

implicit can also leave out that check and learn from pairs of two rated items. That is less work
for a model that separates rated from unrated items worse, so it is compared in a table of its own.
implicit belongs to the lock; nothing else is needed.
"""

from __future__ import annotations

from timing import fastest, report  # limits the threads before NumPy is imported

# isort: split
import argparse
from collections.abc import Callable

import numpy as np
from generated import add_size, ml1m_shaped
from implicit.cpu.bpr import BayesianPersonalizedRanking
from ranking import one_fold, rank, table, top_unrated
from scipy.sparse import csr_matrix

from receval.recommenders.bprmf import BPRMF

RATE, REGULARISATION = 0.01, 0.01


def main() -> None:
    """Print the durations, their ratios and what is reached."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--factors", type=int, default=10)
    parser.add_argument("--epochs", type=int, default=10)
    add_size(parser)
    options = parser.parse_args()
    data = one_fold(table(ml1m_shaped(options.size)))
    train = data.train
    matrix = csr_matrix(train)
    everyone = np.arange(train.shape[0])
    rows = np.repeat(everyone, np.diff(train.indptr))
    drawn = options.epochs * train.nnz
    scores: dict[str, Callable[[], np.ndarray]] = {}
    steps: dict[str, float] = {}

    def ours(name: str, positives: str, negatives: str) -> Callable[[], None]:
        weights = ("user", "positive", "negative", "bias")
        model = BPRMF(
            factors=options.factors,
            learning_rate=RATE,
            epochs=options.epochs,
            positives=positives,
            negatives=negatives,
            **{f"{of}_regularisation": REGULARISATION for of in weights},
        )
        scores[name], steps[name] = lambda: model.score(everyone), drawn
        return lambda: rank(model.fit(train), data)

    def implicit(name: str, verified: bool) -> Callable[[], None]:
        # Of its draws, the share whose second item is rated.
        popularity = np.bincount(train.indices, minlength=train.shape[1]) / train.nnz
        dropped = float((matrix.astype(bool) @ popularity)[rows].mean()) if verified else 0.0
        steps[name] = drawn * (1 - dropped)

        def fit_and_rank() -> None:
            model = BayesianPersonalizedRanking(
                factors=options.factors,
                learning_rate=RATE,
                regularization=REGULARISATION,
                iterations=options.epochs,
                verify_negative_samples=verified,
                num_threads=1,
                random_state=1,
            )
            model.fit(matrix, show_progress=False)
            top_unrated(data, lambda block: model.user_factors[block] @ model.item_factors.T)
            scores[name] = lambda: model.user_factors @ model.item_factors.T

        return fit_and_rank

    def timed(jobs: dict[str, Callable[[], None]]) -> dict[str, float]:
        return {name: fastest(job, options.repeats) for name, job in jobs.items()}

    same, uniform = "receval BPRMF, ratings and popularity", "receval BPRMF, users and uniform"
    checked, unchecked = "implicit", "implicit, rated pairs kept"
    jobs = {
        same: ours(same, "ratings", "popularity"),
        uniform: ours(uniform, "users", "uniform"),
    }
    jobs[same]()  # compiles
    own = timed(jobs)
    peers = timed({name: implicit(name, name == checked) for name in (checked, unchecked)})
    title = f"BPR, {options.factors} factors, {options.epochs} epochs, fit and rank"
    report(title, own, {checked: peers[checked]})
    report(
        f"{title}; a peer that learns from pairs of two rated items",
        {same: own[same]},
        {unchecked: peers[unchecked]},
    )
    rivals = np.random.default_rng(1).integers(0, train.shape[1], train.nnz)
    unrated = ~np.isin(rows * train.shape[1] + rivals, rows * train.shape[1] + train.indices)
    for name, duration in {**own, **peers}.items():
        reached = scores[name]()
        above = (reached[rows, train.indices] > reached[rows, rivals])[unrated].mean()
        print(f"  {name:<50}{1e9 * duration / steps[name]:8.0f} ns a step, {above:.4f} above")


if __name__ == "__main__":
    main()
