# SPDX-License-Identifier: MIT
"""SVD++ against Surprise, as ratios within one run.

    python benchmarks/recommenders/svdpp.py [--repeats 3] [--factors 20] [--epochs 2]

Generated ratings of MovieLens 1M's shape, 20 % of them held out; fit and rank, one thread each.
Surprise changes the implicit factors of all a user's items at every rating, receval once a user,
which is the same arithmetic: the errors on the training ratings that both reach, printed too,
differ by their random initial values alone. Surprise visits few epochs in reasonable time;
receval's 100 are timed beside them. Surprise's scores are taken from its factors by BLAS, since its
own ``predict`` is a call for every pair. Surprise is not in the lock: ``pip install
scikit-surprise`` (beside receval's dependencies).
"""

from __future__ import annotations

from timing import fastest, report  # limits the threads before NumPy is imported

# isort: split
import argparse
from collections.abc import Callable

import numpy as np
from generated import add_size, ml1m_shaped
from ranking import one_fold, rank, table, top_unrated
from scipy.sparse import csr_matrix

from receval.recommenders.svdpp import SVDPlusPlus

try:
    from surprise import SVDpp
    from surprise.trainset import Trainset
except ImportError:
    SVDpp = None

RATE, REGULARISATION = 0.005, 0.02


def main() -> None:
    """Print the durations, their ratios and the training errors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3, help="of receval")
    parser.add_argument("--slow-repeats", type=int, default=1, help="of Surprise")
    parser.add_argument("--factors", type=int, default=20)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--many-epochs", type=int, default=100, help="of receval, beside them")
    add_size(parser)
    options = parser.parse_args()
    data = one_fold(table(ml1m_shaped(options.size)))
    train = data.train
    n_users, n_items = train.shape
    everyone = np.arange(n_users)
    rows = np.repeat(everyone, np.diff(train.indptr))
    scores: dict[str, Callable[[], np.ndarray]] = {}

    def ours(name: str, epochs: int) -> Callable[[], None]:
        weights = ("user", "item", "implicit", "bias")
        model = SVDPlusPlus(
            factors=options.factors,
            learning_rate=RATE,
            epochs=epochs,
            **{f"{of}_regularisation": REGULARISATION for of in weights},
        )
        scores[name] = lambda: model.score(everyone)
        return lambda: rank(model.fit(train), data)

    def surprise(name: str, cached: bool) -> Callable[[], None]:
        by_user = {
            user: [
                (int(item), float(train.data[at]))
                for at, item in enumerate(
                    train.indices[train.indptr[user] : train.indptr[user + 1]],
                    start=train.indptr[user],
                )
            ]
            for user in range(n_users)
        }
        by_item: dict[int, list[tuple[int, float]]] = {item: [] for item in range(n_items)}
        for user, ratings in by_user.items():
            for item, value in ratings:
                by_item[item].append((user, value))
        raw_users = {str(user): user for user in range(n_users)}
        raw_items = {str(item): item for item in range(n_items)}
        trainset = Trainset(
            by_user, by_item, n_users, n_items, train.nnz, (1, 5), raw_users, raw_items
        )
        profiles = csr_matrix(train, copy=True)
        profiles.data[:] = (np.maximum(np.diff(train.indptr), 1) ** -0.5)[rows]

        def fit_and_rank() -> None:
            model = SVDpp(
                n_factors=options.factors,
                n_epochs=options.epochs,
                lr_all=RATE,
                reg_all=REGULARISATION,
                random_state=1,
                cache_ratings=cached,
            )
            model.fit(trainset)
            users = model.pu + profiles @ model.yj
            of_items = trainset.global_mean + model.bi

            def score(block: np.ndarray) -> np.ndarray:
                return users[block] @ model.qi.T + (model.bu[block][:, None] + of_items)

            top_unrated(data, score)
            scores[name] = lambda: score(everyone)

        return fit_and_rank

    few = f"receval SVDPlusPlus, {options.epochs} epochs"
    many = f"receval SVDPlusPlus, {options.many_epochs} epochs"
    job = ours(few, options.epochs)
    job()  # compiles
    own = {few: fastest(job, options.repeats), many: fastest(ours(many, options.many_epochs), 1)}
    peers: dict[str, float | None] = {}
    for cached in (True, False):
        name = f"Surprise SVDpp, {options.epochs} epochs" + (", ratings cached" if cached else "")
        peers[name] = fastest(surprise(name, cached), options.slow_repeats) if SVDpp else None
    report(f"SVD++, {options.factors} factors, fit and rank", own, peers)
    for name, of_all in scores.items():
        error = np.sqrt(np.mean((train.data - of_all()[rows, train.indices]) ** 2))
        print(f"  root mean squared error {name:<45}{error:8.4f}")


if __name__ == "__main__":
    main()
