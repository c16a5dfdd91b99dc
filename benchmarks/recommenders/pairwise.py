"""BPR against implicit, as ratios within one run.

    python benchmarks/recommenders/pairwise.py [--repeats 3] [--factors 10] [--epochs 10]

Generated ratings of MovieLens 1M's shape; fit and rank all users, one thread each, as many triples
drawn on either side. implicit draws the rated item from all ratings and the unrated one in
proportion to its popularity, which receval can do too (``positives="ratings"``,
``negatives="popularity"``); the paper's uniform unrated items it cannot. A triple whose second item
turns out to be rated is dropped by implicit and drawn again by receval: so implicit does fewer
steps, and the time a step is printed as well, with the share of rated items above unrated ones that
both reach on the training ratings. implicit belongs to the lock; nothing else is needed.
"""

from __future__ import annotations

from timing import fastest, report  # limits the threads before NumPy is imported

# isort: split
import argparse
from collections.abc import Callable

import numpy as np
from generated import ml1m_shaped
from implicit.cpu.bpr import BayesianPersonalizedRanking
from scipy.sparse import csr_matrix
from top_lists import top_lists

from receval.recommenders.bprmf import BPRMF

RATE, REGULARISATION = 0.01, 0.01


def main() -> None:
    """Print the durations, their ratios and what is reached."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--factors", type=int, default=10)
    parser.add_argument("--epochs", type=int, default=10)
    options = parser.parse_args()
    train = ml1m_shaped()
    matrix = csr_matrix(train)
    everyone = np.arange(train.shape[0])
    rows = np.repeat(everyone, np.diff(train.indptr))
    rng = np.random.default_rng(1)
    rivals = rng.integers(0, train.shape[1], train.nnz)
    unrated = ~np.isin(rows * train.shape[1] + rivals, rows * train.shape[1] + train.indices)
    above: dict[str, float] = {}
    steps: dict[str, float] = {}

    def note(name: str, scores: np.ndarray, n_steps: float) -> None:
        top_lists(scores, train)
        better = scores[rows, train.indices] > scores[rows, rivals]
        above[name], steps[name] = float(better[unrated].mean()), n_steps

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
        n_steps = options.epochs * train.nnz
        return lambda: note(name, model.fit(train).score(everyone), n_steps)

    def implicit(name: str, verified: bool) -> Callable[[], None]:
        # Of its draws, the share whose second item is rated.
        popularity = np.bincount(train.indices, minlength=train.shape[1]) / train.nnz
        dropped = float((matrix.astype(bool) @ popularity)[rows].mean()) if verified else 0.0
        n_steps = options.epochs * train.nnz * (1 - dropped)

        def fit_and_score() -> None:
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
            note(name, model.user_factors @ model.item_factors.T, n_steps)

        return fit_and_score

    jobs: dict[str, Callable[[], None]] = {}
    for name, positives, negatives in (
        ("receval BPRMF, ratings and popularity", "ratings", "popularity"),
        ("receval BPRMF, users and uniform", "users", "uniform"),
    ):
        jobs[name] = ours(name, positives, negatives)
    for name, verified in (("implicit", True), ("implicit, rated pairs kept", False)):
        jobs[name] = implicit(name, verified)
    next(iter(jobs.values()))()  # compiles
    seconds = {name: fastest(job, options.repeats) for name, job in jobs.items()}
    report(
        f"BPR, {options.factors} factors, {options.epochs} epochs, fit and rank",
        {name: duration for name, duration in seconds.items() if name.startswith("receval")},
        {name: duration for name, duration in seconds.items() if name.startswith("implicit")},
    )
    for name, duration in seconds.items():
        nanoseconds = 1e9 * duration / steps[name]
        print(f"  {name:<50}{nanoseconds:8.0f} ns a step, {above[name]:.4f} above")


if __name__ == "__main__":
    main()
