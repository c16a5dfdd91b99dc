# SPDX-License-Identifier: MIT
"""Accuracy, coverage, popularity, novelty and diversity of the same lists, beside other tools.

    python benchmarks/own_data/whole_lists.py ML-1M [--rounds 3] [--python PYTHON]

ML-1M is the folder with MovieLens 1M. The five systems of docs/whole_evaluation.md recommend ten
items to every user; LensKit, RecBole, RecTools and receval read these lists, the ratings and the
genres from the same files, and compute the values that the tool has. PYTHON is that of the
environment of the tools (benchmarks/dialects/README.md). Every job is a process of its own on one
thread; rounds take the tools in turn. The values must be equal. Fails where receval takes more than
half of the processor time of a tool for the tool's values.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

K = 10
GIB = 1 << 30
GOAL = 0.5

OURS = {
    "lenskit": {
        "NDCG": "nDCG(discount=log-after-2,gain=binary)@10",
        "Precision": "P(denominator=filled)@10",
        "Recall": "Recall(denominator=reachable)@10",
        "RecipRank": "RR@10",
        "AveragePrecision": "AP(denominator=listed)@10",
        "Hit": "Hit@10",
        "ListGini": "Gini@10",
        "ExposureGini": "ExposureGini(discount=rbp)@10",
        "MeanPopRank": "ARP(unit=quantile)@10",
    },
    "recbole": {
        "ndcg": "nDCG(gain=binary)@10",
        "precision": "P@10",
        "recall": "Recall@10",
        "mrr": "RR@10",
        "map": "AP(denominator=reachable)@10",
        "hit": "Hit@10",
        "itemcoverage": "ItemCoverage@10",
        "giniindex": "Gini@10",
        "shannonentropy": "ShannonEntropy(base=e,denominator=recommended)@10",
        "averagepopularity": "ARP@10",
        "tailpercentage": "APLT(by=count,head=5)@10",
    },
    "rectools": {
        "NDCG": "nDCG(gain=binary,ideal=ranks)@10",
        "Precision": "P@10",
        "Recall": "Recall@10",
        "MRR": "RR@10",
        "MAP": "AP@10",
        "HitRate": "Hit@10",
        "CatalogCoverage": "ItemCoverage@10",
        "AvgRecPopularity": "ARP@10",
        "MeanInvUserFreq": "SelfInformation@10",
        "IntraListDiversity": "ILD(distance=hamming,feature=genres)@10",
    },
}
"""Our labels of the values that each tool computes, by the tool's names."""

PROGRAM = (
    "nDCG@10",
    "ItemCoverage@10",
    "Gini@10",
    "ARP@10",
    "ILD(feature=genres)@10",
    "Miscalibration(feature=genres)@10",
)
"""The values of docs/whole_evaluation.md."""

Means = dict[str, dict[str, float]]


class Parts:
    """Processor seconds by the name of a part."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def part(self, name: str) -> Any:
        """Add the processor time of a block to a part."""
        start = time.process_time()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.process_time() - start


def prepare(data: Path, folder: Path) -> None:
    """Write the lists of five systems, the parts of the split and the genres as Parquet."""
    import numpy as np
    import pandas as pd

    import receval as rv

    split = rv.split(rv.read_ratings(data / "ratings.dat"), "user-ratio", train_ratio=0.8, seed=1)
    systems = {
        "UserKNN": rv.UserKNN(neighbours=100),
        "ItemKNN": rv.ItemKNN(neighbours=100),
        "SVD": rv.PureSVD(factors=40),
        "MF": rv.WRMF(factors=20),
        "Pop": rv.Popularity(),
    }
    result = rv.evaluate(split, systems, metrics=["nDCG@10"], lists=K)
    lists = result.lists()[["system", "user", "item", "rank", "score"]]
    # The other tools look up identifiers of one type.
    lists = lists.astype({"user": np.int64, "item": np.int64})
    lists.to_parquet(folder / "lists.parquet")
    frames = split.to_frames()
    for name in ("train", "test"):
        getattr(frames, name)[["user", "item", "rating"]].to_parquet(folder / f"{name}.parquet")
    lines = (data / "movies.dat").read_text(encoding="latin-1").splitlines()
    cells = [line.split("::") for line in lines]
    genres = pd.DataFrame({"item": [own[0] for own in cells], "genres": [own[2] for own in cells]})
    genres["item"] = genres["item"].astype(frames.train["item"].dtype)
    genres.to_parquet(folder / "genres.parquet")


def read(folder: Path) -> tuple[Any, Any, Any, Any]:
    """Return the lists, the training and the test ratings, and the genres as data frames."""
    import pandas as pd

    parts = ("lists", "train", "test", "genres")
    return tuple(pd.read_parquet(folder / f"{name}.parquet") for name in parts)  # type: ignore[return-value]


def of_receval(folder: Path, labels: list[str], parts: Parts) -> Means:
    """Return our values; the part ``intervals`` is beyond what other tools compute."""
    import receval as rv

    few = {"ann": {"x": 2.0, "y": 1.0}, "bob": {"x": 1.0}}
    rv.evaluate_runs(few, {"few": few}, metrics=["nDCG@1"], depth="whole").summary()
    with parts.part("read"):
        lists, train, test, genres = read(folder)
        runs = dict(list(lists.drop(columns="system").groupby(lists["system"])))
    with parts.part("evaluate"):
        result = rv.evaluate_runs(
            test,
            runs,
            train=train,
            metrics=labels,
            relevant=1,
            depth=K,
            ties="listed",
            item_features=genres if any("genres" in label for label in labels) else None,
        )
        (values,) = result.values.values()
        means = values.means
    with parts.part("intervals"):
        result.summary()
    return {
        system: dict(zip(labels, means[:, place].tolist(), strict=True))
        for place, system in enumerate(result.systems)
    }


def of_lenskit(folder: Path, parts: Parts) -> Means:
    """Return LensKit's values of each system, by our labels."""
    from lenskit.data import ItemListCollection, from_interactions_df
    from lenskit.metrics import NDCG, Hit, Precision, Recall, RecipRank, RunAnalysis
    from lenskit.metrics.ranking import AveragePrecision, ExposureGini, ListGini, MeanPopRank

    with parts.part("read"):
        lists, train, test, _ = read(folder)
        names = {"user": "user_id", "item": "item_id"}
        n_items = len({*train["item"], *test["item"], *lists["item"]})
        data = from_interactions_df(train.rename(columns=names))
        truth = ItemListCollection.from_df(test.rename(columns=names), ["user_id"])
        runs = {
            system: ItemListCollection.from_df(own.rename(columns=names), ["user_id"])
            for system, own in lists.drop(columns="system").groupby(lists["system"])
        }
    means: Means = {}
    for system, run in runs.items():
        with parts.part("evaluate"):
            analysis = RunAnalysis()
            for of_lists in (NDCG, Precision, Recall, RecipRank, AveragePrecision, Hit):
                analysis.add_metric(of_lists(K), label=of_lists.__name__)
            for of_all in (ListGini, ExposureGini):
                analysis.add_metric(of_all(K, items=n_items), label=of_all.__name__)
            analysis.add_metric(MeanPopRank(data, n=K), label="MeanPopRank")
            found = analysis.measure(run, truth)
            own = {**found.list_metrics().mean(), **found.global_metrics()}
            means[system] = {ours: float(own[name]) for name, ours in OURS["lenskit"].items()}
    return means


def of_recbole(folder: Path, parts: Parts) -> Means:
    """Return RecBole's values; which listed items are hits is looked up outside its time."""
    import numpy as np
    import pandas as pd
    import torch

    vars(np).update(float=np.float64, bool=np.bool_)
    from recbole.evaluator import Evaluator
    from recbole.evaluator.collector import DataStruct

    torch.set_num_threads(1)
    with parts.part("read"):
        lists, train, test, _ = read(folder)
        items = pd.Index(np.unique(np.concatenate([train["item"], test["item"], lists["item"]])))
        tests = test.groupby("user", sort=True).size()
        counts = train["item"].map({item: at for at, item in enumerate(items)}).value_counts()
        known = pd.MultiIndex.from_frame(test[["user", "item"]])
    means: Means = {}
    for system, run in lists.groupby("system"):
        with parts.part("read"):
            own = run.sort_values(["user", "rank"])
            hits = pd.MultiIndex.from_frame(own[["user", "item"]]).isin(known).reshape(-1, K)
            content = DataStruct()
            content.set("rec.topk", torch.from_numpy(np.c_[hits, tests.to_numpy()].astype(int)))
            content.set(
                "rec.items", torch.from_numpy(items.get_indexer(own["item"]).reshape(-1, K))
            )
            content.set("data.num_items", len(items))
            content.set("data.count_items", counts.to_dict())
        with parts.part("evaluate"):
            config = {
                "metrics": list(OURS["recbole"]),
                "topk": [K],
                "metric_decimal_place": 16,
                "tail_ratio": 5,
            }
            found = Evaluator(config).evaluate(content)
            means[str(system)] = {
                ours: float(found[f"{name}@{K}"]) for name, ours in OURS["recbole"].items()
            }
    return means


def of_rectools(folder: Path, parts: Parts) -> Means:
    """Return RecTools' values of each system, by our labels."""
    from rectools import Columns
    from rectools.dataset import IdMap, SparseFeatures
    from rectools.metrics import (
        MAP,
        MRR,
        NDCG,
        AvgRecPopularity,
        CatalogCoverage,
        HitRate,
        IntraListDiversity,
        MeanInvUserFreq,
        Precision,
        Recall,
        SparsePairwiseHammingDistanceCalculator,
        calc_metrics,
    )
    from scipy.sparse import csr_matrix

    with parts.part("read"):
        lists, train, test, genres = read(folder)
        names = {"user": Columns.User, "item": Columns.Item, "rank": Columns.Rank}
        lists, train, test = (part.rename(columns=names) for part in (lists, train, test))
        catalog = list({*train[Columns.Item], *test[Columns.Item], *lists[Columns.Item]})
        table = genres.set_index("item")["genres"].str.get_dummies("|")
        features = SparseFeatures(csr_matrix(table.to_numpy(float)), tuple(table.columns))
        ids = IdMap.from_values(table.index.to_numpy())
        distances = SparsePairwiseHammingDistanceCalculator(features, ids)
    metrics: dict[str, Any] = {
        "NDCG": NDCG(k=K),
        "Precision": Precision(k=K),
        "Recall": Recall(k=K),
        "MRR": MRR(k=K),
        "MAP": MAP(k=K),
        "HitRate": HitRate(k=K),
        "CatalogCoverage": CatalogCoverage(k=K, normalize=True),
        "AvgRecPopularity": AvgRecPopularity(k=K),
        "MeanInvUserFreq": MeanInvUserFreq(k=K),
        "IntraListDiversity": IntraListDiversity(k=K, distance_calculator=distances),
    }
    means: Means = {}
    for system, run in lists.groupby("system"):
        with parts.part("evaluate"):
            found = calc_metrics(metrics, run, test, train, catalog)
            means[str(system)] = {
                ours: float(found[name]) for name, ours in OURS["rectools"].items()
            }
    return means


TOOLS: dict[str, Callable[[Path, Parts], Means]] = {
    "lenskit": of_lenskit,
    "recbole": of_recbole,
    "rectools": of_rectools,
}


def run_job(job: str, folder: Path) -> None:
    """Print what one job took and found; ``receval-TOOL`` computes the tool's values by ours."""
    warnings.simplefilter("ignore")
    parts = Parts()
    if job in TOOLS:
        means = TOOLS[job](folder, parts)
    else:
        tool = job.removeprefix("receval-")
        labels = list(OURS[tool].values()) if tool in OURS else list(PROGRAM)
        means = of_receval(folder, labels, parts)
    print(json.dumps({"seconds": parts.seconds, "means": means}))


def report(measured: dict[str, Any]) -> int:
    """Print the table and the ratios, and return the exit status."""
    sys.path.append(str(Path(__file__).resolve().parents[1]))
    from ratios import note_ratio

    print(f"{'job':<20}{'CPU s':>8}{'GiB':>7}   parts, CPU s")
    for name, own in measured.items():
        told = ", ".join(f"{part} {own.part(part):.2f}" for part in own.parts[0])
        print(f"{name:<20}{median(own.seconds):>8.2f}{max(own.peaks) / GIB:>7.2f}   {told}")
    fails = 0
    for tool in [name for name in TOOLS if name in measured]:
        theirs, ours = measured[tool], measured[f"receval-{tool}"]
        worst = max(
            abs(value - ours.means[system][label]) / max(1.0, abs(value))
            for system, own in theirs.means.items()
            for label, value in own.items()
        )
        # The same numbers first: what is compared must do the same work.
        assert worst < 1e-6, (tool, worst, theirs.means, ours.means)
        work = f"{len(OURS[tool])} values of the lists of five systems"
        note_ratio(work, tool, ours.part("evaluate"), theirs.part("evaluate"))
        ratio = ours.part("evaluate") / theirs.part("evaluate")
        both = ours.part("read", "evaluate") / theirs.part("read", "evaluate")
        print(
            f"receval / {tool}, {len(OURS[tool])} values of 5 systems: {ratio:.2f} evaluating, "
            f"{both:.2f} with reading (largest difference {worst:.0e})"
        )
        fails += ratio > GOAL
    return int(bool(fails))


def main() -> int:
    """Prepare the lists, measure all jobs, and return the exit status."""
    from measure import Measured, run

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder of MovieLens 1M")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--python", default=sys.executable, help="Python of the other tools")
    parser.add_argument("--tools", nargs="*", default=list(TOOLS), choices=list(TOOLS))
    parser.add_argument("--folder", type=Path, help="of lists that are there already")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        if not (folder / "genres.parquet").exists():
            run([sys.executable, __file__, "prepare", str(options.data), str(folder)], Measured())
        measured: dict[str, Measured] = {}
        for _ in range(options.rounds):
            for tool in options.tools:
                for job in (tool, f"receval-{tool}"):
                    python = options.python if job in TOOLS else sys.executable
                    command = [python, __file__, "job", job, str(folder)]
                    run(command, measured.setdefault(job, Measured()))
            command = [sys.executable, __file__, "job", "receval-program", str(folder)]
            run(command, measured.setdefault("receval-program", Measured()))
    return report(measured)


if __name__ == "__main__":
    if sys.argv[1:2] == ["prepare"]:
        prepare(Path(sys.argv[2]), Path(sys.argv[3]))
    elif sys.argv[1:2] == ["job"]:
        run_job(sys.argv[2], Path(sys.argv[3]))
    else:
        sys.exit(main())
