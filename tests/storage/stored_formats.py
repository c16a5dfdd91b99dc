# SPDX-License-Identifier: MIT
"""Every format in which the project stores what it has computed, with an example; and damage."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from receval.data.ratings import ITEMS_FILE, RATINGS_FILE, USERS_FILE, Ratings
from receval.protocols.judged_ranks import JudgedRanks, read_ranks, write_ranks
from receval.recommenders.base import read_model, write_model
from receval.splits.split import TEST, TRAIN, Split
from receval.storage.archives import write_archive
from receval.storage.files import DamagedFileError
from receval.storage.messages import LONGEST
from reproduction.simulation.complete_judgments import relevance_of_twin
from reproduction.studies.metric_studies.rank_stability import read_samplings


@dataclass(frozen=True)
class StoredFormat:
    """How a file of one format is written into a folder, and read back from it as plain values."""

    file: str
    write: Callable[[Path, int], None]
    read: Callable[[Path], Any]


def ratings_of(seed: int) -> Ratings:
    rng = np.random.default_rng(seed)
    n, users, items = 400 + seed, 30, 30
    pairs = rng.permutation(users * items)[:n].astype(np.int32)
    return Ratings(
        users=pairs // items,
        items=pairs % items,
        values=rng.integers(1, 6, size=n).astype(np.float32),
        user_ids=np.array([f"u{seed}-{number}" for number in range(users)]),
        item_ids=np.array([f"i{number}" for number in range(items)]),
        timestamps=rng.integers(10**9, 10**9 + 10**6, size=n),
        known=rng.random(n) < 0.5,
    )


def values_of_ratings(folder: Path) -> Any:
    table = Ratings.read(folder)
    assert Ratings.sizes(folder) == (table.n_users, table.n_items)
    assert not table.events
    columns = (table.users, table.items, table.values, table.timestamps, table.known)
    assert table.timestamps is not None
    return [[c.dtype.str, c.tolist()] for c in (*columns, table.user_ids, table.item_ids) if len(c)]


def write_split(folder: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes = tuple(rng.choice([0, TRAIN, TEST], size=300 + seed).astype(np.uint8) for _ in range(3))
    Split(codes, {"target_items": 7 + seed, "shares": (0.5, 0.2)}).write(folder / "split.npz")


def values_of_split(folder: Path) -> Any:
    split = Split.read(folder / "split.npz")
    return [split.n_ratings, dict(split.metadata), *(codes.tolist() for codes in split.codes)]


def write_own_model(folder: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    fitted = {
        "factors_": np.asfortranarray(rng.random((20 + seed, 3))),
        "similarity_": csr_array(np.eye(12 + seed, dtype=np.float32)),
        "n_users_": 20 + seed,
        "average_": 3.25,
        "order_of_items_": np.arange(12, dtype=np.int32),
    }
    write_model(folder / "fold0.npz", "module:Class", {"factors": 3 + seed}, fitted)


def values_of_model(folder: Path) -> Any:
    recommender, parameters, fitted = read_model(folder / "fold0.npz")

    def plain(value: Any) -> Any:
        if isinstance(value, csr_array):
            return [value.shape, value.dtype.str, value.toarray().tolist()]
        return [value.dtype.str, value.tolist()] if isinstance(value, np.ndarray) else value

    return [recommender, parameters, {name: plain(fitted[name]) for name in sorted(fitted)}]


KEYS = [("AR-TI", 0, "test"), ("AR-TI", 1, "test"), ("P1R-TI-99", 0, "unbiased")]


def write_judged_ranks(folder: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)

    def judged(with_percentiles: bool) -> JudgedRanks:
        ranks = rng.integers(0, 50, size=200 + seed, dtype=np.int32)
        lengths = rng.integers(0, 50, size=40, dtype=np.int32)
        percentiles = (ranks % 10).astype(np.int16) if with_percentiles else None
        return JudgedRanks(ranks, lengths, lengths + 1, percentiles)

    write_ranks(folder / "ranks.npz", {key: judged(key[0][0] == "P") for key in KEYS})


def values_of_ranks(folder: Path) -> Any:
    found = [read_ranks(folder / "ranks.npz", *key) for key in KEYS]
    return [
        [None if part is None else part.tolist() for part in vars(judged).values()]
        for judged in found
    ]


def write_sampling(folder: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    arrays = {
        "percents": np.array([10.0, 50.0, 100.0]),
        "aggregated_metrics": np.array([("mean", "P@10"), ("mean", "nDCG@10")]),
    }
    for name in ("movielens", "lastfm"):
        arrays |= {
            f"{name}/dataset": np.array("ml-1m"),
            f"{name}/systems": np.array(["pop", "random", "plsa"][: 3 - seed % 2]),
            f"{name}/complete": rng.random((2, 3 - seed % 2)),
            f"{name}/values": rng.random((3, 4, 2, 3 - seed % 2)),
            f"{name}/evaluated_users": rng.integers(9, size=(3, 4)),
        }
    write_archive(folder / "sampling.npz", arrays)


def values_of_sampling(folder: Path) -> Any:
    return [
        [part.tolist() if isinstance(part, np.ndarray) else part for part in vars(values).values()]
        for values in read_samplings(folder / "sampling.npz")
    ]


def write_truth(folder: Path, seed: int) -> None:
    ratings = ratings_of(0)
    rng = np.random.default_rng(seed)
    relevance = rng.integers(1, 6, size=(30, 30)).astype(np.float32)
    ids = {"user_ids": ratings_of(seed).user_ids, "item_ids": ratings.item_ids}
    write_archive(folder / "truth.npz", {"relevance": relevance, **ids})


def values_of_truth(folder: Path) -> Any:
    return relevance_of_twin(folder / "truth.npz", ratings_of(0)).tolist()


def write_ratings(folder: Path, seed: int) -> None:
    ratings_of(seed).write(folder)


FORMATS = {
    "ratings": StoredFormat(RATINGS_FILE, write_ratings, values_of_ratings),
    "users": StoredFormat(USERS_FILE, write_ratings, values_of_ratings),
    "items": StoredFormat(ITEMS_FILE, write_ratings, values_of_ratings),
    "split": StoredFormat("split.npz", write_split, values_of_split),
    "model": StoredFormat("fold0.npz", write_own_model, values_of_model),
    "ranks": StoredFormat("ranks.npz", write_judged_ranks, values_of_ranks),
    "judgment sampling": StoredFormat("sampling.npz", write_sampling, values_of_sampling),
    "truth": StoredFormat("truth.npz", write_truth, values_of_truth),
}


def damaged(content: bytes, rng: random.Random) -> bytes:
    """Return a file's bytes with damage of one of seven kinds."""
    spoilt = bytearray(content)
    kind = rng.randrange(10)
    start = rng.randrange(len(spoilt))
    length = rng.randrange(1, 64)
    if kind < 4:
        # Most likely of all, and the hardest to see.
        spoilt[start] ^= 1 << rng.randrange(8)
    elif kind == 4:
        for _ in range(rng.randrange(2, 9)):
            spoilt[rng.randrange(len(spoilt))] = rng.randrange(256)
    elif kind == 5:
        del spoilt[start:]
    elif kind == 6:
        spoilt[start : start + length] = bytes(length)
    elif kind == 7:
        del spoilt[start : start + length]
    elif kind == 8:
        spoilt[start:start] = rng.randbytes(length)
    else:
        other = rng.randrange(len(spoilt))
        spoilt[start : start + length] = spoilt[other : other + length]
    return bytes(spoilt)


def damages(content: bytes, times: int, seed: int) -> Iterator[bytes]:
    """Yield damaged copies of a file's bytes: those with a bit flipped anywhere near its end first.

    What describes a file lies there, in parquet and in zip.
    """
    rng = random.Random(seed)
    for _ in range(times // 4):
        spoilt = bytearray(content)
        spoilt[-rng.randrange(1, min(len(spoilt), 1500))] ^= 1 << rng.randrange(8)
        yield bytes(spoilt)
    for _ in range(times - times // 4):
        yield damaged(content, rng)


def check_damages(name: str, folder: Path, times: int, seed: int) -> int:
    """Damage a file again and again; return how often it was refused.

    Whatever is not refused in a sentence is read as it was written.
    """
    stored = FORMATS[name]
    stored.write(folder, 0)
    path = folder / stored.file
    content = path.read_bytes()
    before = stored.read(folder)
    refused = 0
    for number, spoilt in enumerate(damages(content, times, seed)):
        path.write_bytes(spoilt)
        began = time.process_time()
        try:
            after = stored.read(folder)
        except DamagedFileError as error:
            refused += 1
            sentence = str(error)
        else:
            sentence = str(path)
            assert after == before, f"damage {number} of {times} gave other values"
        assert str(path) in sentence
        assert len(sentence) <= LONGEST
        assert time.process_time() - began < 5
    return refused
