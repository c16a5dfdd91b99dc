# SPDX-License-Identifier: MIT
"""ALS against implicit (conjugate gradients, exact) and irspack, as ratios within one run.

    python benchmarks/recommenders/als.py [--repeats 3] [--factors 20] [--iterations 15]

Generated ratings of MovieLens 1M's shape, 20 % of them held out; fit and rank, one thread each. The
weights are those of Hu et al., 1 + alpha r. The objective that each reaches is printed too, with
the iterations after which ours is as low: conjugate gradients stop early. irspack is not in the
lock: ``pip install irspack`` (beside receval's dependencies).
"""

from __future__ import annotations

from timing import fastest, report  # limits the threads before NumPy is imported

# isort: split
import argparse
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO

import numpy as np
from generated import add_size, ml1m_shaped
from implicit.cpu.als import AlternatingLeastSquares
from ranking import one_fold, rank, table, top_unrated
from scipy.sparse import csr_matrix

from receval.recommenders.wrmf import WRMF

try:
    from irspack import IALSRecommender
except ImportError:
    IALSRecommender = None

ALPHA, REGULARISATION = 1.0, 0.1
OURS = "receval WRMF"

Factors = tuple[np.ndarray, np.ndarray]


def main() -> None:
    """Print the durations, their ratios and the objectives."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--factors", type=int, default=20)
    parser.add_argument("--iterations", type=int, default=15)
    add_size(parser)
    options = parser.parse_args()
    data = one_fold(table(ml1m_shaped(options.size)))
    train = data.train
    confidences = csr_matrix(train, copy=True)
    confidences.data = 1 + ALPHA * confidences.data
    everyone = np.arange(train.shape[0])

    def objective(users: np.ndarray, items: np.ndarray) -> float:
        users = np.nan_to_num(users)  # ours are NaN for users without training ratings
        scores = users @ items.T
        rated = scores[np.repeat(everyone, np.diff(train.indptr)), train.indices]
        total = np.sum(scores.astype(np.float64) ** 2) - np.sum(rated**2, dtype=np.float64)
        total += np.sum(confidences.data * (1 - rated) ** 2, dtype=np.float64)
        penalty = np.sum(users**2, dtype=np.float64) + np.sum(items**2, dtype=np.float64)
        return float(total + REGULARISATION * penalty)

    factors: dict[str, Factors] = {}
    history: list[float] = []

    def rank_and_keep(name: str, users: np.ndarray, items: np.ndarray) -> None:
        top_unrated(data, lambda block: users[block] @ items.T)
        factors[name] = users, items

    def ours() -> None:
        model = WRMF(
            factors=options.factors,
            alpha=ALPHA,
            regularisation=REGULARISATION,
            iterations=options.iterations,
            weights="rating",
        ).fit(train)
        rank(model, data)
        factors[OURS] = model.user_factors_, model.item_factors_.T
        history[:] = model.objective_.tolist()

    def implicit(name: str, exact: bool) -> None:
        model = AlternatingLeastSquares(
            factors=options.factors,
            regularization=REGULARISATION,
            alpha=1.0,
            iterations=options.iterations,
            use_cg=not exact,
            num_threads=1,
            random_state=1,
        )
        model.fit(confidences, show_progress=False)
        rank_and_keep(name, model.user_factors, model.item_factors)

    def irspack(name: str, solver: str) -> None:
        # Of its forms of the loss this one is Hu et al.'s: rated pairs weigh alpha0 + the entry.
        model = IALSRecommender(
            ALPHA * csr_matrix(train),
            n_components=options.factors,
            alpha0=1.0,
            reg=REGULARISATION,
            nu=0.0,
            solver_type=solver,
            loss_type="ORIGINAL",
            train_epochs=options.iterations,
            n_threads=1,
            random_seed=1,
        )
        with redirect_stdout(StringIO()):  # of its progress
            model.learn()
        rank_and_keep(name, model.get_user_embedding(), model.get_item_embedding())

    peers: dict[str, Callable[[str], None] | None] = {
        "implicit, conjugate gradients": lambda name: implicit(name, False),
        "implicit, exact": lambda name: implicit(name, True),
        "irspack, conjugate gradients": None,
        "irspack, exact": None,
    }
    if IALSRecommender:
        peers["irspack, conjugate gradients"] = lambda name: irspack(name, "CG")
        peers["irspack, exact"] = lambda name: irspack(name, "CHOLESKY")
    ours()  # compiles
    report(
        f"ALS, {options.factors} factors, {options.iterations} iterations, fit and rank",
        {OURS: fastest(ours, options.repeats)},
        {
            name: fastest(lambda name=name, job=job: job(name), options.repeats) if job else None
            for name, job in peers.items()
        },
    )
    halves = np.array(history)
    print(f"  {'objective':<45}{'reached':>14}  ours is as low after, of {options.iterations}")
    for name, pair in factors.items():
        value = objective(*pair)
        as_low = np.flatnonzero(halves <= value * (1 + 1e-6))
        iterations = f"{(as_low[0] + 1) / 2:g} iterations" if len(as_low) else "more iterations"
        print(f"  {name:<45}{value:14,.0f}  {iterations}")


if __name__ == "__main__":
    main()
