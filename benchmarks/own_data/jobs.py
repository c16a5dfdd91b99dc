# SPDX-License-Identifier: MIT
"""One job of ours or of a peer on the generated files, in a process of its own.

    python benchmarks/own_data/jobs.py JOB FOLDER

prints as JSON the processor seconds of its parts, and the means that it has found. What is imported
and compiled before the parts begin is not in them.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

RUNS = ("run-1.run", "run-2.run")
OURS = ("P@10", "Recall@10", "nDCG@10", "RR", "AP")
TREC = ("P_10", "recall_10", "ndcg_cut_10", "recip_rank", "map")
RANX = ("precision@10", "recall@10", "ndcg@10", "mrr", "map")
"""The same five measures by the names of three tools."""

Answer = dict[str, object]


class Parts:
    """Processor seconds by the name of a part."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Add the processor time of a block to a part."""
        start = time.process_time()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.process_time() - start


def read_ratings_alone(folder: Path) -> Answer:
    """Read the ratings."""
    from receval.data.ratings_table import read_ratings

    read_ratings({"user": ["a", "b"], "item": ["x", "y"]})
    parts = Parts()
    with parts.part("read"):
        ratings = read_ratings(folder / "ratings.csv")
    return {"seconds": parts.seconds, "rows": len(ratings)}


def read_and_write_run(folder: Path) -> Answer:
    """Read a run, and write it again in three formats."""
    from receval.data.run import read_run, write_run

    parts = Parts()
    with parts.part("read"):
        run = read_run(folder / RUNS[0])
    for suffix in (".run", ".tsv", ".parquet"):
        target = folder / f"written{suffix}"
        with parts.part(f"write {suffix}"):
            write_run(run, target)
        target.unlink()
    return {"seconds": parts.seconds, "rows": len(run)}


def ours(folder: Path) -> Answer:
    """Read judgments and runs, and evaluate them in one call."""
    from receval.data.ratings_table import read_test_data
    from receval.data.run import read_run
    from receval.evaluation.runs import evaluate_runs

    few = {"a": {"x": 2.0, "y": 1.0}, "b": {"x": 1.0, "z": 0.5}}
    table = {"user": ["a", "b"], "item": ["x", "x"], "rating": [1, 2]}
    evaluate_runs(table, {"few": few}, metrics=OURS, depth="whole").summary()
    parts = Parts()
    with parts.part("read"):
        test = read_test_data(folder / "test.qrels")
        runs = {name: read_run(folder / name) for name in RUNS}
    with parts.part("evaluate"):
        result = evaluate_runs(test, runs, metrics=OURS)
        (values,) = result.values.values()
        means = values.means.T.tolist()
    return {"seconds": parts.seconds, "means": means}


def pytrec_eval_with_input(folder: Path) -> Answer:
    """Read the same files by pytrec_eval's own parsers, evaluate, and average."""
    import numpy as np
    import pytrec_eval

    parts = Parts()
    with parts.part("read"), (folder / "test.qrels").open() as file:
        qrels = pytrec_eval.parse_qrel(file)
    means = []
    for name in RUNS:
        with parts.part("read"), (folder / name).open() as file:
            run = pytrec_eval.parse_run(file)
        with parts.part("evaluate"):
            measures = {"P.10", "recall.10", "ndcg_cut.10", "recip_rank", "map"}
            answers = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
            means.append([float(np.mean([a[key] for a in answers.values()])) for key in TREC])
        del run, answers
    return {"seconds": parts.seconds, "means": means}


def ranx_compiled(folder: Path) -> Answer:
    """Read the same files by ranx, compile on a few lists, then evaluate."""
    from ranx import Qrels, Run, evaluate

    few = {f"u{n}": {"x": 2.0, "y": 1.0} for n in range(3)}
    judged = {user: {"x": 1, "z": 2} for user in few}
    evaluate(Qrels(judged), Run(few), list(RANX))
    parts = Parts()
    with parts.part("read"):
        qrels = Qrels.from_file(str(folder / "test.qrels"), kind="trec")
    means = []
    for name in RUNS:
        with parts.part("read"):
            run = Run.from_file(str(folder / name), kind="trec")
        with parts.part("evaluate"):
            found = evaluate(qrels, run, list(RANX))
            means.append([float(found[measure]) for measure in RANX])
        del run
    return {"seconds": parts.seconds, "means": means}


JOBS: dict[str, Callable[[Path], Answer]] = {
    "ratings": read_ratings_alone,
    "writing": read_and_write_run,
    "ours": ours,
    "pytrec_eval": pytrec_eval_with_input,
    "ranx": ranx_compiled,
}


if __name__ == "__main__":
    print(json.dumps(JOBS[sys.argv[1]](Path(sys.argv[2]))))
