"""PLSA against scikit-learn's NMF with KL loss, LDA against scikit-learn, as ratios within one run.

    python benchmarks/recommenders/topics.py [--repeats 2] [--topics 50] [--iterations 20]

Generated ratings of MovieLens 1M's shape; fit and rank all users, one thread each, as many
iterations of either side. A multiplicative update of NMF with KL loss is a step of PLSA's EM but
for the order (its second table is updated with the first one's new values). scikit-learn's LDA
repeats the users' half of each iteration until it settles; ours does each half once. What is
reached is printed too: the mean logarithm of the probability of an observation.
"""

from __future__ import annotations

from timing import fastest, report  # limits the threads before NumPy is imported

# isort: split
import argparse
import warnings
from collections.abc import Callable

import numpy as np
from generated import ml1m_shaped
from scipy.sparse import csr_matrix
from sklearn.decomposition import NMF, LatentDirichletAllocation
from top_lists import top_lists

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
    options = parser.parse_args()
    train = ml1m_shaped()
    matrix = csr_matrix(train)
    rows = np.repeat(np.arange(train.shape[0]), np.diff(train.indptr))
    likelihoods: dict[str, float] = {}

    def note(name: str, scores: np.ndarray) -> None:
        top_lists(scores, train)
        probabilities = scores / scores.sum(axis=1, keepdims=True)
        logarithms = np.log(probabilities[rows, train.indices])
        likelihoods[name] = float(np.average(logarithms, weights=train.data))

    def ours(name: str, model: Recommender) -> Callable[[], None]:
        return lambda: note(name, model.fit(train).score(np.arange(train.shape[0])))

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
        note("scikit-learn NMF, KL", users @ model.components_)

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
        note("scikit-learn LDA", users @ topics)

    plsa = ours("receval PLSA", PLSA(options.topics, options.iterations))
    few, many = options.slow_iterations, options.iterations
    short = ours("receval LDA", LDA(options.topics, few, ALPHA, BETA))
    whole = ours("receval LDA, more iterations", LDA(options.topics, many, ALPHA, BETA))
    plsa()  # compiles
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
    for name, value in likelihoods.items():
        print(f"  mean log probability {name:<40}{value:10.4f}")


if __name__ == "__main__":
    main()
