# SPDX-License-Identifier: MIT
"""Tuning the same systems on the same parts of MovieLens 1M, beside LensKit, RecTools and RecBole.

    python benchmarks/own_data/tuning.py ML-1M [--rounds 1] [--rectools PYTHON] [--lenskit PYTHON]
        [--recbole PYTHON] [--one]

ML-1M is the folder with MovieLens 1M. Each tool tries four settings of each system by nDCG@10 on
the same validation ratings, trains the best setting of each again with these ratings, and measures
ten items for every user on the same test. RecTools has no tuner, LensKit's draws its trials itself,
and RecBole's reads the files again for each trial, so all grids are loops over their own models and
metrics. Of the four systems of docs/whole_evaluation.md, RecTools and LensKit tune the three that
they have: RecTools has no user kNN, and LensKit no SVD of the unrated pairs. RecBole tunes both kNN
and EASE on ratings of 1. These models are ready before its trainer's fit, which is left out here
and would take longer. receval tunes the same three, and also writes the report with the trace of
all trials, as a part of its own. PYTHON is that of an environment with the tool
(benchmarks/dialects/README.md). Every job is a process of its own on one thread. Prints the
processor time without reading and imports, the memory and the values; fails where receval takes
more than half of the time of a tool. With --one, each system has one setting, because LensKit
would take twenty minutes.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

K = 10
GIB = 1 << 30
GOAL = 0.5
ITERATIONS = 15
METRICS = {
    "rectools": "nDCG(gain=binary,ideal=ranks)@10",
    "lenskit": "nDCG(discount=log-after-2,gain=binary)@10",
    "recbole": "nDCG(gain=binary)@10",
}
"""What each tool means by nDCG, by our labels."""

GRIDS: dict[str, dict[str, list[Any]]] = {
    "UserKNN": {"neighbours": [25, 50, 100, 200]},
    "ItemKNN": {"neighbours": [25, 50, 100, 200]},
    "SVD": {"factors": [10, 20, 40, 80]},
    "MF": {"factors": [10, 20], "regularisation": [0.1, 1.0]},
    "EASE": {"regularisation": [100.0, 300.0, 1000.0, 3000.0]},
}
ONE = {"neighbours": 50, "factors": 20, "regularisation": 0.1}
"""The setting of --one; where a grid lacks it, its first value."""

SYSTEMS = {
    "rectools": ("ItemKNN", "SVD", "MF"),
    "lenskit": ("UserKNN", "ItemKNN", "MF"),
    "recbole": ("UserKNN", "ItemKNN", "EASE"),
}
PARTS = ("train", "validation", "test")

Found = dict[str, dict[str, float]]


def split_of(folder: Path, tool: str = "") -> Any:
    """Return the split into training and test ratings, which are all 1 for RecBole."""
    import pandas as pd

    import receval as rv

    table = pd.read_parquet(folder / "ratings.parquet")
    ratings = rv.read_ratings(table.assign(rating=1.0) if tool == "recbole" else table)
    return rv.split(ratings, "user-ratio", train_ratio=0.8, seed=1)


def prepare(data: Path, folder: Path) -> None:
    """Write all ratings, and those that train, validate and test, as Parquet."""
    import pandas as pd

    from receval.tuning.validation import validation_split

    names = ["user", "item", "rating", "time"]
    table = pd.read_csv(data / "ratings.dat", sep="::", names=names, engine="python")
    table[names[:3]].to_parquet(folder / "ratings.parquet")
    split = split_of(folder)
    inner = validation_split(split, seed=1).to_frames()
    for name, own in zip(PARTS, (inner.train, inner.test, split.to_frames().test), strict=True):
        # The other tool looks up identifiers of one type.
        own = own[names[:3]].apply(pd.to_numeric)
        own.to_parquet(folder / f"{name}.parquet")


def of_receval(tool: str, folder: Path, seconds: dict[str, float]) -> Found:
    """Return the values of the best settings in validation and test, of the systems of a tool."""
    import receval as rv

    metric = METRICS[tool]
    classes = {"UserKNN": rv.UserKNN, "ItemKNN": rv.ItemKNN, "SVD": rv.PureSVD, "MF": rv.WRMF}
    classes["EASE"] = rv.EASE
    split = split_of(folder, tool)
    start = time.process_time()
    tuned = rv.tune(
        split,
        {name: (classes[name], GRIDS[name]) for name in SYSTEMS[tool]},
        metric=metric,
        relevant=1,
        seed=1,
        jobs=1,
    )
    result = rv.evaluate(split, tuned.systems, metrics=[metric], relevant=1)
    means = result.summary().set_index("system")["mean"]
    seconds["tune and evaluate"] = time.process_time() - start
    start = time.process_time()
    result.report(folder / "report.html")
    seconds["report"] = time.process_time() - start
    best = tuned.trace().groupby("system")["value"].max()
    return {
        name: {"validation": float(best[name]), "test": float(means[name])}
        for name in SYSTEMS[tool]
    }


def of_grids(
    tool: str,
    folder: Path,
    seconds: dict[str, float],
    value: Callable[[str, dict[str, Any], Any, Any], float],
) -> Found:
    """Return the values of the best settings, given one of a setting, training and other ratings.

    Ratings are data frames with the columns ``user_id``, ``item_id`` and ``rating``.
    """
    import pandas as pd

    names = {"user": "user_id", "item": "item_id"}
    train, validation, test = (
        pd.read_parquet(folder / f"{part}.parquet").rename(columns=names) for part in PARTS
    )
    start = time.process_time()
    whole = pd.concat([train, validation])
    found: Found = {}
    for system in SYSTEMS[tool]:
        grid = GRIDS[system]
        settings = [dict(zip(grid, own, strict=True)) for own in product(*grid.values())]
        values = [value(system, own, train, validation) for own in settings]
        best = settings[values.index(max(values))]
        found[system] = {"validation": max(values), "test": value(system, best, whole, test)}
    seconds["tune and evaluate"] = time.process_time() - start
    return found


def of_rectools(folder: Path, seconds: dict[str, float]) -> Found:
    """Return the values of the best settings in validation and test, by RecTools."""
    import pandas as pd
    from implicit.als import AlternatingLeastSquares
    from implicit.nearest_neighbours import CosineRecommender
    from rectools import Columns
    from rectools.dataset import Dataset
    from rectools.metrics import NDCG
    from rectools.models import ImplicitALSWrapperModel, ImplicitItemKNNWrapperModel, PureSVDModel

    def model(system: str, setting: dict[str, Any]) -> Any:
        if system == "ItemKNN":
            neighbours = CosineRecommender(K=setting["neighbours"], num_threads=1)
            return ImplicitItemKNNWrapperModel(neighbours)
        if system == "SVD":
            return PureSVDModel(setting["factors"], recommend_n_threads=1)
        factors = AlternatingLeastSquares(
            setting["factors"],
            regularization=setting["regularisation"],
            iterations=ITERATIONS,
            num_threads=1,
            random_state=1,
        )
        return ImplicitALSWrapperModel(factors)

    def value(system: str, setting: dict[str, Any], known: Any, unknown: Any) -> float:
        columns = {"rating": Columns.Weight}
        known, unknown = (
            own.rename(columns=columns).assign(**{Columns.Datetime: pd.Timestamp(0)})
            for own in (known, unknown)
        )
        dataset = Dataset.construct(known)
        users = unknown[Columns.User].unique()
        trained = model(system, setting).fit(dataset)
        lists = trained.recommend(users, dataset, k=K, filter_viewed=True)
        return float(NDCG(k=K).calc(lists, unknown))

    return of_grids("rectools", folder, seconds, value)


def of_lenskit(folder: Path, seconds: dict[str, float]) -> Found:
    """Return the values of the best settings in validation and test, by LensKit."""
    import torch
    from lenskit.als import ImplicitMFScorer
    from lenskit.batch import recommend
    from lenskit.data import ItemListCollection, from_interactions_df
    from lenskit.knn import ItemKNNScorer, UserKNNScorer
    from lenskit.metrics import NDCG, RunAnalysis
    from lenskit.pipeline import topn_pipeline

    torch.set_num_threads(1)

    def scorer(system: str, setting: dict[str, Any]) -> Any:
        if system == "MF":
            return ImplicitMFScorer(
                embedding_size=setting["factors"],
                regularization=setting["regularisation"],
                epochs=ITERATIONS,
            )
        of = {"UserKNN": UserKNNScorer, "ItemKNN": ItemKNNScorer}[system]
        return of(max_nbrs=setting["neighbours"], feedback="implicit")

    def value(system: str, setting: dict[str, Any], known: Any, unknown: Any) -> float:
        pipeline = topn_pipeline(scorer(system, setting), n=K)
        pipeline.train(from_interactions_df(known))
        truth = ItemListCollection.from_df(unknown, ["user_id"])
        lists = recommend(pipeline, unknown["user_id"].unique(), n=K, n_jobs=1)
        analysis = RunAnalysis()
        analysis.add_metric(NDCG(K), label="NDCG")
        return float(analysis.measure(lists, truth).list_metrics()["NDCG"].mean())

    return of_grids("lenskit", folder, seconds, value)


def of_recbole(folder: Path, seconds: dict[str, float]) -> Found:
    """Return the values of the best settings in validation and test, by RecBole."""
    import os

    import numpy as np
    import pandas as pd
    import torch

    # Names that numpy had before 2.
    vars(np).update(float_=np.float64, complex_=np.complex128, unicode_=np.str_)
    from recbole.config import Config
    from recbole.data import create_dataset, data_preparation
    from recbole.utils import get_model, get_trainer

    torch.set_num_threads(1)
    os.chdir(folder)
    frames = {part: pd.read_parquet(folder / f"{part}.parquet") for part in PARTS}
    whole = pd.concat([frames["train"], frames["validation"]])
    columns = {"user": "user_id:token", "item": "item_id:token", "rating": "rating:float"}
    asked = {
        "data_path": str(folder),
        "use_gpu": False,
        "benchmark_filename": ["train", "valid", "test"],
        "load_col": {"inter": ["user_id", "item_id"]},
        "metrics": ["NDCG"],
        "topk": [K],
        "valid_metric": f"NDCG@{K}",
        "metric_decimal_place": 16,
        "eval_batch_size": 1 << 24,
        "show_progress": False,
    }
    datasets = {}
    # The last part is not known to a model.
    for name, known in (
        ("inner", (frames["train"], frames["validation"])),
        ("outer", (whole, frames["test"])),
    ):
        (folder / name).mkdir()
        for part, own in zip(asked["benchmark_filename"], (*known, known[1]), strict=True):
            own.rename(columns=columns).to_csv(
                folder / name / f"{name}.{part}.inter", sep="\t", index=False
            )
        datasets[name] = create_dataset(Config("Pop", name, config_dict=asked))
    loaders: dict[str, Any] = {}

    def value(system: str, setting: dict[str, Any], known: Any, unknown: Any) -> float:
        name = "outer" if len(known) == len(whole) else "inner"
        own = (
            {"k": setting["neighbours"]}
            if "neighbours" in setting
            else {"reg_weight": setting["regularisation"]}
        )
        own["knn_method"] = "user" if system == "UserKNN" else "item"
        model_name = "EASE" if system == "EASE" else "ItemKNN"
        config = Config(model_name, name, config_dict=asked | own)
        if name not in loaders:
            loaders[name] = data_preparation(config, datasets[name])
        train, valid, _ = loaders[name]
        model = get_model(model_name)(config, train.dataset)
        trainer = get_trainer(config["MODEL_TYPE"], model_name)(config, model)
        return float(trainer.evaluate(valid, load_best_model=False)[f"ndcg@{K}"])

    return of_grids("recbole", folder, seconds, value)


TOOLS = {"rectools": of_rectools, "lenskit": of_lenskit, "recbole": of_recbole}


def report(measured: dict[str, Any]) -> int:
    """Print the table and the ratios, and return the exit status."""
    sys.path.append(str(Path(__file__).resolve().parents[1]))
    from ratios import note_ratio

    for job, own in measured.items():
        parts = ", ".join(f"{name} {own.part(name):.1f} s" for name in own.parts[0])
        print(f"{job:<18}{max(own.peaks) / GIB:.2f} GiB, {parts}")
        for system, values in own.means.items():
            print(f"    {system:<10}" + ", ".join(f"{n} {v:.4f}" for n, v in values.items()))
    fails = 0
    for tool in [name for name in TOOLS if name in measured]:
        ours, theirs = (
            measured[job].part("tune and evaluate") for job in (f"receval-{tool}", tool)
        )
        note_ratio("tuning three systems", tool, ours, theirs)
        print(f"receval / {tool}: {ours / theirs:.2f}")
        fails += ours > GOAL * theirs
    return int(bool(fails))


def main() -> int:
    """Prepare the parts, measure both jobs in turn, and return the exit status."""
    from measure import Measured, run

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder of MovieLens 1M")
    parser.add_argument("--rounds", type=int, default=1)
    for tool in TOOLS:
        parser.add_argument(f"--{tool}", metavar="PYTHON", help="Python of an environment with it")
    parser.add_argument("--one", action="store_true", help="one setting of each system")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run([sys.executable, __file__, "prepare", str(options.data), folder], Measured())
        measured: dict[str, Measured] = {}
        for _ in range(options.rounds):
            for tool in TOOLS:
                if python := getattr(options, tool):
                    for job, own in ((tool, python), (f"receval-{tool}", sys.executable)):
                        command = [own, __file__, "job", job, folder, *["one"] * options.one]
                        run(command, measured.setdefault(job, Measured()))
    return report(measured)


if __name__ == "__main__":
    if sys.argv[1:2] == ["prepare"]:
        prepare(Path(sys.argv[2]), Path(sys.argv[3]))
    elif sys.argv[1:2] == ["job"]:
        seconds: dict[str, float] = {}
        job, folder = sys.argv[2], Path(sys.argv[3])
        if sys.argv[4:] == ["one"]:
            for grid in GRIDS.values():
                grid |= {
                    name: [ONE[name] if ONE[name] in own else own[0]] for name, own in grid.items()
                }
        if job in TOOLS:
            found = TOOLS[job](folder, seconds)
        else:
            found = of_receval(job.removeprefix("receval-"), folder, seconds)
        print(json.dumps({"seconds": seconds, "means": found}))
    else:
        sys.exit(main())
