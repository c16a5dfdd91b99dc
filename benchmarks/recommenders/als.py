"""ALS against implicit (conjugate gradients, exact) and irspack, as ratios within one run.

    python benchmarks/recommenders/als.py [--repeats 3] [--factors 20] [--iterations 15]

Generated ratings of MovieLens 1M's shape; fit and rank all users, one thread each. The weights are
those of Hu et al., 1 + alpha r. The objective that each reaches is printed too, and how long ours
takes to get as low as the fastest peer: conjugate gradients stop early. irspack is not in the
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
from generated import ml1m_shaped
from implicit.cpu.als import AlternatingLeastSquares
from scipy.sparse import csr_matrix
from top_lists import top_lists

from receval.recommenders.wrmf import WRMF

try:
    from irspack import IALSRecommender
except ImportError:
    IALSRecommender = None

ALPHA, REGULARISATION = 1.0, 0.1

Factors = tuple[np.ndarray, np.ndarray]


def main() -> None:
    """Print the durations, their ratios and the objectives."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--factors", type=int, default=20)
    parser.add_argument("--iterations", type=int, default=15)
    options = parser.parse_args()
    train = ml1m_shaped()
    confidences = csr_matrix(train, copy=True)
    confidences.data = 1 + ALPHA * confidences.data
    everyone = np.arange(train.shape[0])

    def objective(users: np.ndarray, items: np.ndarray) -> float:
        scores = users @ items.T
        rated = scores[np.repeat(everyone, np.diff(train.indptr)), train.indices]
        total = np.sum(scores.astype(np.float64) ** 2) - np.sum(rated**2, dtype=np.float64)
        total += np.sum(confidences.data * (1 - rated) ** 2, dtype=np.float64)
        penalty = np.sum(users**2, dtype=np.float64) + np.sum(items**2, dtype=np.float64)
        return float(total + REGULARISATION * penalty)

    def ours() -> Factors:
        model = WRMF(
            factors=options.factors,
            alpha=ALPHA,
            regularisation=REGULARISATION,
            iterations=options.iterations,
            weights="rating",
        ).fit(train)
        top_lists(model.score(everyone), train)
        history[:] = model.objective_.tolist()
        return model.user_factors_, model.item_factors_.T

    def implicit(exact: bool) -> Factors:
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
        top_lists(model.user_factors @ model.item_factors.T, train)
        return model.user_factors, model.item_factors

    def irspack(solver: str) -> Factors:
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
        users, items = model.get_user_embedding(), model.get_item_embedding()
        top_lists(users @ items.T, train)
        return users, items

    def noting(name: str, job: Callable[[], Factors]) -> Callable[[], None]:
        return lambda: factors.update({name: job()})

    history: list[float] = []
    factors: dict[str, Factors] = {}
    name = "receval WRMF"
    jobs: dict[str, Callable[[], Factors] | None] = {
        "implicit, conjugate gradients": lambda: implicit(False),
        "implicit, exact": lambda: implicit(True),
        "irspack, conjugate gradients": (lambda: irspack("CG")) if IALSRecommender else None,
        "irspack, exact": (lambda: irspack("CHOLESKY")) if IALSRecommender else None,
    }
    ours()  # compiles
    own = fastest(noting(name, ours), options.repeats)
    peers = {
        peer: fastest(noting(peer, job), options.repeats) if job else None
        for peer, job in jobs.items()
    }
    report(
        f"ALS, {options.factors} factors, {options.iterations} iterations, fit and rank",
        {name: own},
        peers,
    )
    reached = {system: objective(*pair) for system, pair in factors.items()}
    for system, value in reached.items():
        print(f"  objective {system:<48}{value:12,.0f} {value / reached[name]:7.4f}")
    quickest = min((peer for peer in peers if peers[peer]), key=lambda peer: peers[peer] or 0.0)
    # Two halves an iteration; the first to be as low as the peer at its end.
    halves = 1 + int(np.argmax(np.array(history) <= reached[quickest]))
    if history[halves - 1] <= reached[quickest]:
        share = halves / len(history)
        print(
            f"  {name} is as low as {quickest} after {halves} of {len(history)} half iterations: "
            f"{share * own / (peers[quickest] or 1.0):.3f} of its time"
        )


if __name__ == "__main__":
    main()
