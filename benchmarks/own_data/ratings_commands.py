# SPDX-License-Identifier: MIT
"""The commands for a person's own ratings, whole processes, beside the same work with LensKit.

    python benchmarks/own_data/ratings_commands.py ML-1M --python PYTHON [--rounds 3]

ML-1M is the folder with MovieLens 1M, PYTHON that of an environment with LensKit. `receval
evaluate` reads the ratings, splits them, trains the most popular items and a user kNN of 100
neighbours, and measures ten items per user by three metrics. LensKit does the same by its own
split, scorers, batch recommender and metrics; its tests and report, which receval has beyond that,
are left out. `receval diagnose` has no peer, so its time is compared with that of the same program.
Each job is a process of its own on one thread; what counts is its processor time with imports, and
its peak memory.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from statistics import median

from measure import GIB, Measured, run
from ratios import note_ratio

K = 10
NEIGHBOURS = 100
RELEVANT = 4
PEER = "LensKit, two systems"
COMMANDS = {
    "receval evaluate, two systems": [
        *("evaluate", "--system", "pop", "--system", f"user-knn:neighbours={NEIGHBOURS}"),
        *("--metric", "nDCG@10", "--metric", "P@10", "--metric", "Recall@10"),
    ],
    "receval diagnose": ["diagnose"],
}


def evaluate_with_lenskit(ratings: Path) -> None:
    """Print LensKit's values of both systems."""
    import numpy as np
    import pandas as pd
    import torch
    from lenskit.basic import PopScorer
    from lenskit.batch import recommend
    from lenskit.data import ItemListCollection, from_interactions_df
    from lenskit.knn import UserKNNScorer
    from lenskit.metrics import NDCG, Precision, Recall, RunAnalysis
    from lenskit.pipeline import topn_pipeline
    from lenskit.splitting import SampleFrac, sample_users

    torch.set_num_threads(1)
    names = ["user_id", "item_id", "rating"]
    # The fields are separated by two colons: every second column is empty.
    table = pd.read_csv(ratings, sep=":", header=None, usecols=[0, 2, 4], names=None)
    table.columns = pd.Index(names)
    data = from_interactions_df(table)
    rng = np.random.default_rng(1)
    parts = sample_users(data, data.user_count, SampleFrac(0.2, rng=rng), rng=rng)
    test = parts.test.to_df()
    relevant = test.loc[test["rating"] >= RELEVANT, ["user_id", "item_id"]]
    truth = ItemListCollection.from_df(relevant, ["user_id"])
    for scorer in (PopScorer(), UserKNNScorer(max_nbrs=NEIGHBOURS, feedback="implicit")):
        pipeline = topn_pipeline(scorer, n=K)
        pipeline.train(parts.train)
        lists = recommend(pipeline, test["user_id"].unique(), n=K, n_jobs=1)
        analysis = RunAnalysis()
        for metric in (NDCG, Precision, Recall):
            analysis.add_metric(metric(K), label=metric.__name__)
        print(analysis.measure(lists, truth).list_metrics().mean().to_dict())


def main() -> int:
    """Measure all jobs in turn, and print what they took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder of MovieLens 1M")
    parser.add_argument("--python", required=True, help="Python of an environment with LensKit")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    ratings = str(options.data / "ratings.dat")
    measured: dict[str, Measured] = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.rounds):
            for name, (command, *words) in COMMANDS.items():
                receval = [sys.executable, "-m", "receval", command, ratings, *words]
                run([*receval, "--out", folder], measured.setdefault(name, Measured()))
            peer = [options.python, __file__, "lenskit", ratings]
            run(peer, measured.setdefault(PEER, Measured()))
    theirs = median(measured[PEER].seconds)
    for name, own in measured.items():
        seconds = median(own.seconds)
        print(f"{name:<32}{seconds:>6.2f} CPU s{max(own.peaks) / GIB:>6.2f} GiB")
        if name != PEER:
            note_ratio(f"{name}, the whole process", PEER, seconds, theirs)
    return 0


if __name__ == "__main__":
    if sys.argv[1] == "lenskit":
        evaluate_with_lenskit(Path(sys.argv[2]))
    else:
        sys.exit(main())
