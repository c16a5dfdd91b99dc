# SPDX-License-Identifier: MIT
"""Jobs do not wait for libraries that only other jobs need."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from receval.data.ratings import Ratings
from receval.splits.split import TEST, TRAIN, UNBIASED, Split

ROOT = Path(__file__).resolve().parents[2]

# What the rules train_system and rank_system call, as jobs call it; then all recommenders.
TRAIN_AND_RANK = """
import pkgutil
import sys
from importlib import import_module
from pathlib import Path

import receval.recommenders
import reproduction.workflow.jobs.run_job
from reproduction.workflow.jobs.run_job import Call

folder = Path(sys.argv[1])
files = {
    "ratings": [folder / "ml-1m" / f"{name}.parquet" for name in ("ratings", "users", "items")],
    "split": folder / "split.npz",
    "models": folder / "models",
}
shared = {**files, "recommender": "receval.recommenders.non_personalised:Popularity", "seed": 1}
Call(
    "reproduction.workflow.jobs.systems:train_system",
    {**shared, "parameters": {}, "names": ("ml-1m", "split", "pop")},
).make()
protocol = dict(
    relevant="AR", candidates="train", sampled=None, threshold=0.0, ties="librec"
)
Call(
    "reproduction.workflow.jobs.systems:rank_system",
    {
        **shared,
        "protocols": [protocol],
        "names": ("ml-1m", "split"),
        "ranks": folder / "ranks.npz",
    },
).make()
for module in pkgutil.iter_modules(receval.recommenders.__path__):
    import_module(f"receval.recommenders.{module.name}")
slow = [name for name in ("pandas", "matplotlib", "pydantic") if name in sys.modules]
print("imported:", *slow)
"""

# A dry run waits for all that plans import; of them only the seeds of replications need numpy.
PLAN = """
import sys

from reproduction.workflow.plan.datasets import RunFolders
from reproduction.workflow.plan.plan import Plans

plans = Plans(RunFolders(), {"network": "off", "local_mirrors": []})
assert all(plan.targets() for plan in plans.values())
print("imported:", *(name for name in ("numpy",) if name in sys.modules))
"""

# Then what the rule draw_figure calls, and all that draws.
DRAW = """
from importlib import import_module

import reproduction.workflow.jobs.artifacts

for module in sys.argv[1:]:
    import_module(module)
slow = [name for name in ("numba", "scipy.sparse", "scipy.stats") if name in sys.modules]
print("imported:", *slow)
"""

# Then what evaluates, and prints without a figure.
EVALUATE = """
import receval as rv

test = {"user": ["a", "b"], "item": ["x", "y"]}
found = rv.evaluate_runs(test, {"one": test, "two": test}, metrics=["P@1", "Gini@1"])
found.compare(), str(found), found.methods(), rv.evaluate_large_runs, rv.tune
print("imported:", *(name for name in ("matplotlib",) if name in sys.modules))
"""


def ratings() -> Ratings:
    rng = np.random.default_rng(1)
    users, items = np.nonzero(rng.random((12, 9)) < 0.6)
    return Ratings(
        users=users.astype(np.int32),
        items=items.astype(np.int32),
        values=rng.integers(1, 6, len(users)).astype(np.float32),
        user_ids=np.arange(12).astype(np.str_),
        item_ids=np.arange(9).astype(np.str_),
        timestamps=np.arange(len(users), dtype=np.int64),
        known=rng.random(len(users)) < 0.5,
    )


def run(program: str, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.processes
@pytest.mark.costly
def test_training_and_ranking_import_no_pandas_and_evaluating_no_matplotlib(tmp_path: Path) -> None:
    table = ratings()
    table.write(tmp_path / "ml-1m")
    codes = np.random.default_rng(2).choice([TRAIN, TEST, UNBIASED], len(table)).astype(np.uint8)
    Split((codes,)).write(tmp_path / "split.npz")
    assert run(TRAIN_AND_RANK + EVALUATE, str(tmp_path)) == "imported:\nimported:\n"
    with np.load(tmp_path / "ranks.npz") as archive:
        parts = {name.split("/")[-2] for name in archive.files if "/" in name}
    assert parts == {"test", "unbiased"}


def test_what_is_read_without_pandas_can_be_computed_with(tmp_path: Path) -> None:
    table = ratings()
    table.write(tmp_path / "ml-1m")
    found = Ratings.read(tmp_path / "ml-1m")
    assert found.known is not None
    assert found.known.dtype == np.bool_
    np.testing.assert_array_equal(~found.known, ~table.known)
    np.testing.assert_array_equal(found.select(found.known).items, table.items[table.known])
    np.testing.assert_array_equal(found.values + found.users, table.values + table.users)


@pytest.mark.each("rows", [0, 1, 9])
def test_tables_of_any_length_and_of_few_truth_values_come_back(tmp_path: Path, rows: int) -> None:
    table = ratings().select(np.arange(rows))
    table.write(tmp_path / "ml-1m")
    found = Ratings.read(tmp_path / "ml-1m")
    for name in ("users", "items", "values", "timestamps", "known"):
        before, after = getattr(table, name), getattr(found, name)
        assert after.dtype == before.dtype
        np.testing.assert_array_equal(after, before)


@pytest.mark.processes
@pytest.mark.costly
def test_plans_import_no_numpy_and_drawing_no_compiled_kernels_or_sparse_matrices() -> None:
    folder = ROOT / "src" / "reproduction" / "studies"
    drawing = [
        ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
        for path in sorted(folder.rglob("*.py"))
        if re.search(r"^def draw\w*\(results", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert len(drawing) > 30
    assert run(PLAN + DRAW, *drawing) == "imported:\nimported:\n"
