# SPDX-License-Identifier: MIT
"""``receval runs --in-blocks`` prints the tables of ``receval runs``, also from shards."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from receval.cli.main import main

pytestmark = pytest.mark.usefixtures("undrawn")

TABLES = ["--test", "test.parquet", "one=one.parquet", "two=two.parquet", "--metric", "nDCG@5"]
BLOCKS = [*TABLES, "--in-blocks", "b", "--block-rows", "60", "--jobs", "1"]


@pytest.fixture(autouse=True)
def tables(folder: Path) -> None:
    rng = np.random.default_rng(1)
    for name, size in (("test", 3), ("one", 8), ("two", 8)):
        items = np.concatenate([rng.permutation(12)[:size] for _ in range(40)])
        frame = pd.DataFrame({"user": np.repeat(np.arange(40), size), "item": items})
        frame["rating" if name == "test" else "score"] = rng.integers(1, 6, len(frame))
        frame.to_parquet(f"{name}.parquet", index=False, row_group_size=50)


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["runs", *words]) == 0
    return capsys.readouterr().out


@pytest.mark.costly
def test_blocks_and_shards_print_the_tables_of_lists_at_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    wanted = printed(capsys, *TABLES, "--significance-test", "t", "--out", "at-once")
    found = printed(capsys, *BLOCKS, "--out", "in-blocks")
    assert found.replace("in-blocks", "at-once") == wanted
    planned = printed(capsys, *BLOCKS, "--in-blocks", "c", "--shards", "3")
    assert "3 shards" in planned
    text = Path("c/Snakefile").read_text(encoding="utf-8")
    command = re.search(r"-m receval runs (--settings \S+ --shards 3)", text)
    assert command is not None
    repeated = command[1].split()
    for shard in ("2", "3", "1"):
        assert printed(capsys, *repeated, "--jobs", "1", "--quiet", "--shard", shard) == ""
    joined = printed(capsys, *repeated, "--shard", "join", "--out", "in-shards")
    assert joined.replace("in-shards", "at-once") == wanted
    for name in ("averages.csv", "pairs.csv"):
        assert Path("in-shards", name).read_bytes() == Path("in-blocks", name).read_bytes()


def test_training_data_in_blocks_tell_of_the_options_of_the_test(
    capsys: pytest.CaptureFixture[str],
) -> None:
    test = pd.read_parquet("test.parquet").rename(columns={"item": "thing"})
    test.to_parquet("test.parquet", index=False)
    train = test.assign(thing=test["thing"] + 12 * (test.index % 2))
    train.to_parquet("train.parquet", index=False)
    given = ["--train", "train.parquet", "--item", "thing", "--trained-pairs", "drop"]
    for words, is_told in (([], True), (["--train-item", "thing"], False)):
        assert main(["runs", *BLOCKS, *given, *words]) == 0
        (line,) = [own for own in capsys.readouterr().err.splitlines() if "train.parquet: " in own]
        assert ("read with --item" in line) is is_told
        shutil.rmtree("b")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([*BLOCKS, "--significance-test", "sign"], "--significance-test cannot be used"),
        ([*BLOCKS, "--dialect", "ranx"], "--dialect cannot be used"),
        ([*TABLES, "--shards", "2"], "--shards needs --in-blocks"),
        ([*BLOCKS, "--shards", "2", "--shard", "1"], "has no plan.json"),
    ],
)
def test_what_blocks_do_not_have_is_refused(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["runs", *words]) == 2
    assert told in capsys.readouterr().err
