# SPDX-License-Identifier: MIT
"""PLSA against scikit-learn's NMF with KL loss, LDA against scikit-learn, as ratios within one run.

    python benchmarks/recommenders/topics.py [--repeats 2] [--topics 50] [--iterations 20]

Generated ratings of MovieLens 1M's shape, 20 % of them held out; fit and rank, one thread each, as
many iterations of either side. A multiplicative update of NMF with KL loss is a step of PLSA's EM
but for the order (its second table is updated with the first one's new values). scikit-learn's LDA
repeats the users' half of each iteration until it settles; ours does each half once. What is
reached is printed too: the mean logarithm of the probability of a training observation.
"""

from __future__ import annotations

from timing import fastest, report  # limits the threads before NumPy is imported

# isort: split
import argparse
import warnings
from collections.abc import Callable

import numpy as np
from generated import add_size, ml1m_shaped
from ranking import one_fold, rank, table, top_unrated
from scipy.sparse import csr_matrix
from sklearn.decomposition import NMF, LatentDirichletAllocation

from receval.recommenders.base import Recommender
from receval.recommenders.lda import LDA
from receval.recommenders.plsa import PLSA

ALPHA, BETA = 0.5, 0.1


def main() -> None:
    """Print the durations, their ratios and the likelihoods."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--topics", type=int, default=50)
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--slow-iterations", type=int, default=3, help="of scikit-learn's LDA")
    add_size(parser)
    options = parser.parse_args()
    data = one_fold(table(ml1m_shaped(options.size)))
    train = data.train
    matrix = csr_matrix(train)
    everyone = np.arange(train.shape[0])
    rows = np.repeat(everyone, np.diff(train.indptr))
    scores: dict[str, Callable[[], np.ndarray]] = {}

    def ours(name: str, model: Recommender) -> Callable[[], None]:
        scores[name] = lambda: model.score(everyone)
        return lambda: rank(model.fit(train), data)

    def rank_and_keep(name: str, users: np.ndarray, topics: np.ndarray) -> None:
        top_unrated(data, lambda block: users[block] @ topics)
        scores[name] = lambda: users @ topics

    def nmf() -> None:
        model = NMF(
            options.topics,
            init="random",
            solver="mu",
            beta_loss="kullback-leibler",
            max_iter=options.iterations,
            tol=0,
            random_state=1,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it does not converge, as it is told
            users = model.fit_transform(matrix)
        rank_and_keep("scikit-learn NMF, KL", users, model.components_)

    def sklearn_lda(iterations: int) -> None:
        model = LatentDirichletAllocation(
            options.topics,
            doc_topic_prior=ALPHA,
            topic_word_prior=BETA,
            learning_method="batch",
            max_iter=iterations,
            random_state=1,
        )
        users = model.fit_transform(matrix)
        topics = model.components_ / model.components_.sum(axis=1, keepdims=True)
        rank_and_keep("scikit-learn LDA", users, topics)

    few, many = options.slow_iterations, options.iterations
    plsa = ours("receval PLSA", PLSA(options.topics, many))
    short = ours("receval LDA", LDA(options.topics, few, ALPHA, BETA))
    whole = ours("receval LDA, more iterations", LDA(options.topics, many, ALPHA, BETA))
    plsa()  # compiles
    short()
    title = f"{options.topics} topics, {{}} iterations, fit and rank"
    report(
        "PLSA, " + title.format(many),
        {"receval PLSA": fastest(plsa, options.repeats)},
        {"scikit-learn NMF, KL loss, multiplicative": fastest(nmf, options.repeats)},
    )
    report(
        "LDA, " + title.format(few),
        {
            "receval LDA": fastest(short, options.repeats),
            f"receval LDA, {many} iterations": fastest(whole, options.repeats),
        },
        {"scikit-learn LDA, batch": fastest(lambda: sklearn_lda(few), 1)},
    )
    for name, of_all in scores.items():
        reached = of_all()
        probabilities = reached[rows, train.indices] / reached.sum(axis=1)[rows]
        value = np.average(np.log(probabilities), weights=train.data)
        print(f"  mean log probability {name:<40}{value:10.4f}")


if __name__ == "__main__":
    main()
