# SPDX-License-Identifier: MIT
"""Whether other tools read exported splits and lists as they were written.

    python benchmarks/own_data/load_exports.py write FOLDER
    PYTHON benchmarks/own_data/load_exports.py TOOL FOLDER [ELLIOT]

The first call writes a split of generated ratings for every tool, with and without a validation
part, and lists for RecBole and Elliot. The second reads them with the tool (elliot, lenskit,
recbole or rectools) in PYTHON, the environment of the tool, and compares every user, item and
rating with the CSV files. ELLIOT is a folder with the source of sisinflab/elliot.
"""

from __future__ import annotations

import contextlib
import io
import shutil
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

KINDS = ("with-validation", "without-validation")
Rows = set[tuple[str, str, float]]


def write(folder: Path) -> None:
    """Write both splits in all formats, and lists of one system."""
    import receval as rv

    rng = np.random.default_rng(1)
    users, items = np.nonzero(rng.random((60, 40)) < 0.4)
    table = pd.DataFrame({"user": [f"u {u}" for u in users], "item": [f"i{i}" for i in items]})
    table["rating"] = rng.integers(1, 6, len(table))
    table["timestamp"] = 10**9 + rng.permutation(len(table)) * 86_399
    # Every user trains, so that no tool leaves out a user whom it does not know.
    part = np.where(
        table.groupby("user").cumcount() < 3, 0, rng.choice(3, len(table), p=[0.6, 0.2, 0.2])
    )
    train, validation, test = (table[part == number] for number in range(3))
    known = {*train["item"]}
    validation, test = (own[own["item"].isin(known)] for own in (validation, test))
    for kind in KINDS:
        own = validation if kind == KINDS[0] else None
        split = rv.split(train, "predefined", test=test, validation=own)
        for form in ("csv", "recbole", "elliot", "lenskit", "rectools"):
            split.export(folder / kind / form, form, name="made")
    result = rv.evaluate(split, {"Pop": rv.Popularity()}, metrics=["P@5"], lists=5)
    for form in ("recbole", "elliot"):
        result.write_runs(folder / "runs" / form, form)
    lists = result.lists()[["user", "item", "score"]]
    lists.to_csv(folder / "runs" / "lists.csv", index=False)


def rows(frame: pd.DataFrame, columns: Iterable[str] = ("user", "item", "rating")) -> Rows:
    """Return users, items and ratings of a frame."""
    columns = list(columns)
    assert not frame[columns[:2]].duplicated().any()
    return {
        (str(u), str(i), round(float(r), 4))
        for u, i, r in frame[columns].itertuples(index=False, name=None)
    }


def of_recbole(folder: Path) -> dict[str, Rows]:
    vars(np).update(
        float=np.float64, bool=np.bool_, float_=np.float64, unicode_=np.str_, complex_=np.complex128
    )
    import torch
    from recbole.config import Config
    from recbole.data import create_dataset, data_preparation

    def token_rows(part: Any, field: str) -> Rows:
        feat = part.inter_feat
        tokens = [part.id2token(name, np.asarray(feat[name])) for name in ("user_id", "item_id")]
        return rows(
            pd.DataFrame({"user": tokens[0], "item": tokens[1], "rating": np.asarray(feat[field])})
        )

    sys.argv = sys.argv[:1]
    folder = folder / "recbole"
    if not (folder / "made.yaml").exists():
        config = {
            "data_path": str(folder),
            "load_col": {"inter": ["user_id", "item_id", "score"]},
            "eval_args": {"split": {"RS": [1, 0, 0]}},
        }
        (folder / "Pop").mkdir(exist_ok=True)
        shutil.copy(folder / "Pop.inter", folder / "Pop")  # RecBole reads NAME/NAME.inter
        run = create_dataset(Config(model="Pop", dataset="Pop", config_dict=config))
        return {"lists": token_rows(run, "score")}
    config = Config(model="BPR", config_file_list=[str(folder / "made.yaml")])
    torch.set_num_threads(1)
    parts = data_preparation(config, create_dataset(config))
    names = ("train", "validation", "test")
    return {
        name: token_rows(getattr(part, "dataset", None) or part._dataset, "rating")
        for name, part in zip(names, parts, strict=True)
    }


def of_lenskit(folder: Path) -> dict[str, Rows]:
    from lenskit.data import ItemListCollection, from_interactions_df

    found = {}
    for path in (folder / "lenskit").glob("*.parquet"):
        if path.stem == "test":
            lists = ItemListCollection.load_parquet(path)
            found["test"] = rows(lists.to_df(), ("user_id", "item_id", "rating"))
            continue
        data = from_interactions_df(pd.read_parquet(path))
        table = data.interaction_table(format="pandas", original_ids=True)
        found[path.stem] = rows(table, ("user_id", "item_id", "rating"))
    return found


def of_rectools(folder: Path) -> dict[str, Rows]:
    from rectools import Columns
    from rectools.dataset import Dataset

    found = {}
    for path in (folder / "rectools").glob("*.csv"):
        data = Dataset.construct(pd.read_csv(path))
        table = data.get_raw_interactions()
        assert len(set(table[Columns.Datetime])) > 1
        found[path.stem] = rows(table, (Columns.User, Columns.Item, Columns.Weight))
    return found


def of_elliot(folder: Path) -> dict[str, Rows]:
    """Return what Elliot's loader of data keeps of the files, or its proxy of the lists."""
    names = ("user", "item", "rating")
    if not (folder / "elliot" / "elliot.yml").exists():
        # Its package of recommenders imports TensorFlow, which its proxy does not need.
        for name in ("elliot.recommender", "elliot.recommender.generic"):
            package = ModuleType(name)
            package.__path__ = [str(Path(sys.path[0], *name.split(".")))]
            sys.modules[name] = package
        from elliot.recommender.generic.Proxy.Proxy import ProxyRecommender

        path = folder / "elliot" / "Pop.tsv"
        lists = ProxyRecommender.read_recommendations(SimpleNamespace(), path)
        # From pandas 2 on, the users are tuples, and its evaluation finds none: it needs pandas 1.
        flat = [(user[0], item, score) for user, own in lists.items() for item, score in own]
        return {"lists": rows(pd.DataFrame(flat, columns=list(names)))}
    import yaml
    from elliot.dataset.dataset import DataSetLoader

    text = (folder / "elliot" / "elliot.yml").read_text(encoding="utf-8")
    settings = yaml.safe_load(text)["experiment"]["data_config"]
    config = SimpleNamespace(
        config_test=False,
        binarize=False,
        data_config=SimpleNamespace(**settings, side_information=[]),
        evaluation=SimpleNamespace(),
    )
    train, test = DataSetLoader(config).tuple_list[0]
    found = {"test": test, "train": train}
    if isinstance(train, list):
        found["train"], found["validation"] = train[0]
    columns = ("userId", "itemId", "rating")
    return {name: rows(frame, columns) for name, frame in found.items()}


def check(tool: str, folder: Path) -> int:
    """Compare what the tool reads with the CSV files, and return the exit status."""
    read = {"recbole": of_recbole, "lenskit": of_lenskit, "rectools": of_rectools}.get(
        tool, of_elliot
    )
    fails = 0
    cases = [*KINDS, *(["runs"] if tool in ("recbole", "elliot") else [])]
    for case in cases:
        with contextlib.redirect_stdout(io.StringIO()):
            found = read(folder / case)
        names = ["lists"] if case == "runs" else [p.stem for p in (folder / case / "csv").iterdir()]
        columns = ("user", "item", "score" if case == "runs" else "rating")
        own = folder / case if case == "runs" else folder / case / "csv"
        for name in names:
            wanted = rows(pd.read_csv(own / f"{name}.csv", dtype={"user": str}), columns)
            equal = found.get(name) == wanted
            fails += not equal
            print(f"{tool}, {case}, {name}: {len(wanted)} rows {'arrive' if equal else 'DIFFER'}")
    return int(bool(fails))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[1] == "write":
        write(Path(sys.argv[2]))
    else:
        sys.path[:0] = sys.argv[3:]
        sys.exit(check(sys.argv[1], Path(sys.argv[2])))
