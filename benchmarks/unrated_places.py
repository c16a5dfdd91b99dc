# SPDX-License-Identifier: MIT
"""How many of kNN's first ten items are unrated under other settings: docs/decisions.md (C-009).

    python benchmarks/unrated_places.py work/full/ml-1m

The folder is that of the prepared MovieLens 1M after a run of the full edition; --splits names
another one with splits, such as that of a replication. A few minutes of one thread.
"""

from __future__ import annotations

from receval.arithmetic import use_one_arithmetic

use_one_arithmetic()

import argparse
from pathlib import Path

from split_ratios import LABELS, RATIOS, measured, rank

from receval.data.ratings import Ratings
from receval.recommenders.knn import ItemKNN, UserKNN
from receval.splits.split import Split, fold

SYSTEMS = {
    "100 neighbours, as in the paper": UserKNN(100),
    "10 neighbours": UserKNN(10),
    "30 neighbours": UserKNN(30),
    "300 neighbours": UserKNN(300),
    "which items were rated alone": UserKNN(100, threshold=1),
    "which items were rated 4 or 5 alone": UserKNN(100, threshold=4),
    "100 neighbours of items": ItemKNN(100),
}


def main() -> None:
    """Print P@10, nDCG@10 and the unrated share."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("prepared", type=Path)
    parser.add_argument("--splits", type=Path)
    parser.add_argument("--ratios", type=float, nargs="*", default=[0.3, 0.4, 0.5])
    options = parser.parse_args()
    ratings = Ratings.read(options.prepared)
    split = Split.read((options.splits or options.prepared) / "training-shares" / "split.npz")
    shown = [LABELS.index(label) for label in ("P@10", "nDCG(gain=binary)@10", "Unjudged@10")]
    for ratio in options.ratios:
        data = fold(ratings, split, RATIOS.index(ratio))
        for name, model in SYSTEMS.items():
            values = measured(data, rank(model.fit(data.train), data))[shown]
            print(f"{ratio}  {name:36}", *(f"{value:.4f}" for value in values), flush=True)


if __name__ == "__main__":
    main()
