# SPDX-License-Identifier: MIT
"""Values of the code that two papers released, on the inputs of the tests of their studies.

    python benchmarks/dialects/run_released_code.py STUDY FOLDER

For shehzad2023 FOLDER holds `elliot` of Faisalse/RecSys2023_hyperparameter_tuning: its metrics
measure a few lists, and its EASE_R gives the weights of a small matrix. For wegmeth2023 FOLDER
holds `evaluate_predictions.py` and `static.py` of dlay/random-seed-effects, which read lists from
files. The fixture, with the inputs, is written to tests/studies/fixtures.
"""

from __future__ import annotations

import json
import logging
import os
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "studies" / "fixtures"
CUTOFFS = (1, 5, 10)
SOURCES = {
    "shehzad2023": "Faisalse/RecSys2023_hyperparameter_tuning, elliot, commit "
    "ab6f4c7d8e3c8fdd6eb7f6f5c7b076ea529df55b",
    "wegmeth2023": "dlay/random-seed-effects, evaluate_predictions.py, commit "
    "bdbd215de169abf05ca6dc831f237b352f53a53e",
}

TESTED = {
    0: [4, 2, 9],
    1: [0, 11],
    2: [1, 3],
    3: list(range(12)),
    4: [8],
}
"""Relevant items by user: one has more of them than the deepest cut-off, one has no hit."""

LISTS = {
    0: [4, 1, 2, 3, 0, 5, 6, 7, 8, 9, 10, 11],
    1: [7, 6, 5, 4, 3, 2, 1, 0, 9, 8, 11, 10],
    2: [1, 2, 3],
    3: [9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 11, 10],
    4: [10, 11, 0, 1, 2, 3, 4, 5, 6, 7],
}
"""Lists by user, of which one has three items."""

MATRIX = [[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 1, 0], [0, 1, 0, 1], [1, 0, 0, 1]]
NORM = 2.5


def of_shehzad2023(folder: Path) -> dict[str, Any]:
    """Return the values of Elliot's metrics and the weights of its EASE_R."""
    sys.path.insert(0, str(folder))
    for name in ("evaluation", "evaluation/metrics", "recommender", "recommender/autoencoders"):
        # The packages themselves load every metric and system, and what these need.
        package = ModuleType(f"elliot.{name.replace('/', '.')}")
        package.__path__ = [str(folder / "elliot" / name)]
        sys.modules[package.__name__] = package
    # Of the base classes training uses a logger and an evaluation alone, which are given below.
    base = ModuleType("elliot.recommender.base_recommender_model")
    vars(base).update(BaseRecommenderModel=type("Base", (), {}), init_charger=lambda made: made)
    mixin = ModuleType("elliot.recommender.recommender_utils_mixin")
    vars(mixin).update(RecMixin=type("Mixin", (), {}))
    sys.modules |= {base.__name__: base, mixin.__name__: mixin}
    from elliot.evaluation.metrics.accuracy.mrr.mrr import MRR
    from elliot.evaluation.metrics.accuracy.ndcg.ndcg import nDCG
    from elliot.evaluation.metrics.accuracy.precision.precision import Precision
    from elliot.evaluation.metrics.accuracy.recall.recall import Recall
    from elliot.evaluation.relevance.relevance import Relevance
    from elliot.recommender.autoencoders.EASE_R.ease_r import EASER
    from scipy.sparse import csr_matrix

    relevance = Relevance({user: dict.fromkeys(own, 1) for user, own in TESTED.items()}, 1)
    scored = {
        user: [(item, float(-place)) for place, item in enumerate(own)]
        for user, own in LISTS.items()
    }
    values = {}
    for cutoff in CUTOFFS:
        objects = SimpleNamespace(cutoff=cutoff, relevance=relevance)
        values[str(cutoff)] = {
            metric.name(): float(metric(scored, None, None, objects).eval())
            for metric in (nDCG, MRR, Precision, Recall)
        }
    system = EASER.__new__(EASER)
    given = {"_restore": False, "_l2_norm": NORM, "logger": logging.getLogger("ease")}
    trained = csr_matrix(np.array(MATRIX, dtype=np.float64))
    vars(system).update(given, _data=SimpleNamespace(sp_i_train_ratings=trained))
    system.evaluate = lambda: None
    system.train()
    weights = np.asarray(system._similarity_matrix).tolist()
    ease = {"matrix": MATRIX, "l2_norm": NORM, "weights": weights}
    return {"values": values, "ease": ease}


def of_wegmeth2023(folder: Path) -> dict[str, Any]:
    """Return precision and nDCG of the lists, which the released code reads from files."""
    if not hasattr(np, "in1d"):  # Gone since numpy 2.4; its successor gives the same for a list.
        vars(np).update(in1d=np.isin)
    sys.path.insert(0, str(folder))
    import evaluate_predictions as released

    with TemporaryDirectory() as place:
        os.chdir(place)
        data = Path("data/own")
        for name in ("split", "predictions_own"):
            (data / name).mkdir(parents=True)
        pairs = [(user, item) for user, own in TESTED.items() for item in own]
        split = data / "split" / "0_1_none_folds_split.csv"
        pd.DataFrame(pairs, columns=["user", "item"]).to_csv(split, index=False)
        lists = {user: pd.DataFrame({"item": own}) for user, own in LISTS.items()}
        predicted = data / "predictions_own" / "0_1_none_folds_1_1_0_predictions.pkl"
        pd.to_pickle(lists, predicted)
        asked = ("own", "none", "folds", 0, 1, "own", 1, 1, list(CUTOFFS))
        released.evaluate_predictions(*asked)
        (made,) = (data / "evaluations_own").iterdir()
        found = pd.read_pickle(made)[0]
        os.chdir(folder)
    return {
        "values": {
            str(cutoff): {name: float(value) for name, value in own.items()}
            for cutoff, own in found.items()
        }
    }


STUDIES: dict[str, Callable[[Path], dict[str, Any]]] = {
    "shehzad2023": of_shehzad2023,
    "wegmeth2023": of_wegmeth2023,
}


def main(study: str, folder: Path) -> None:
    """Write what the released code of a study gives."""
    found = STUDIES[study](folder.resolve())
    content = {
        "source": SOURCES[study],
        "environment": {
            "python": platform.python_version(),
            **{tool.__name__: tool.__version__ for tool in (np, pd)},
        },
        "tested": list(TESTED.values()),
        "lists": list(LISTS.values()),
        **found,
    }
    FIXTURES.mkdir(exist_ok=True)
    path = FIXTURES / f"{study}.json"
    path.write_text(json.dumps(content) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
