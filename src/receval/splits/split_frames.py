# SPDX-License-Identifier: MIT
"""The parts of a split as data frames, and as files that other tools read unchanged."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from receval.data.ratings import Ratings
from receval.data.reading import ReadingReport
from receval.data.run import first_with_delimiter
from receval.splits.split import FOLD_IN, TEST, TRAIN, UNBIASED, VALIDATION, Split
from receval.storage.files import replacing, write_atomically
from receval.storage.messages import quoted, shortened


class SplitFrames(NamedTuple):
    """The ratings of each part of a split.

    Each frame has the columns ``user``, ``item``, ``rating`` and, if there are any, ``timestamp``
    (seconds since 1970-01-01 UTC), with a row per rating; if there are several folds, the first
    column is ``fold``, from 0. Rows are in the order of fold, user and item. Identifiers and
    ratings have the types of the table that they were read from; identifiers from a text file are
    numbers if all of them are whole numbers without leading zeros.

    Attributes
    ----------
    train, test : DataFrame
    validation : DataFrame, optional
        Ratings set aside for tuning.
    fold_in : DataFrame, optional
        Ratings of held-out users that systems are given after training.
    unbiased : DataFrame, optional
        Ratings of randomly drawn items. A rating may also be in another part.
    """

    train: pd.DataFrame
    test: pd.DataFrame
    validation: pd.DataFrame | None = None
    fold_in: pd.DataFrame | None = None
    unbiased: pd.DataFrame | None = None


def frames_of(ratings: Ratings, split: Split, reading: ReadingReport | None) -> SplitFrames:
    """Return the ratings of each part of a split as data frames.

    Examples
    --------
    See :meth:`receval.splits.split_ratings.SplitRatings.to_frames`.
    """
    types = {} if reading is None else reading.types
    columns = {
        "user": typed_identifiers(ratings.user_ids, types.get("user"))[ratings.users],
        "item": typed_identifiers(ratings.item_ids, types.get("item"))[ratings.items],
        "rating": _values(ratings, types.get("rating")),
    }
    if ratings.timestamps is not None:
        columns["timestamp"] = ratings.timestamps
    table = pd.DataFrame(columns)

    def part(bit: int) -> pd.DataFrame | None:
        frames = []
        for number, codes in enumerate(split.codes):
            own = table[(codes & bit) > 0]
            if split.n_folds > 1:
                own = own.assign(fold=number)[["fold", *table.columns]]
            frames.append(own)
        found = pd.concat(frames, ignore_index=True)
        return found if len(found) else None

    train, test = part(TRAIN), part(TEST)
    assert train is not None
    assert test is not None
    return SplitFrames(train, test, part(VALIDATION), part(FOLD_IN), part(UNBIASED))


def typed_identifiers(ids: NDArray[np.str_], kind: str | None) -> NDArray[np.generic]:
    """Return identifiers as numbers if they were numbers, otherwise as strings.

    Without a kind (:attr:`.ReadingReport.types`), they are numbers if all are whole numbers without
    leading zeros.

    Examples
    --------
    >>> typed_identifiers(np.array(["7", "10"]), None).tolist()
    [7, 10]
    >>> typed_identifiers(np.array(["7", "10"]), "text").tolist()
    ['7', '10']
    """
    if kind != "text" and len(ids):
        try:
            numbers = ids.astype(np.int64)
        except (ValueError, OverflowError):
            numbers = None
        if numbers is not None and (numbers.astype(str) == ids).all():
            return numbers
    return ids.astype(object)


def _values(ratings: Ratings, kind: str | None) -> NDArray[np.generic]:
    """Return ratings in double precision, or as integers if they were integers and all still are.

    Means of integers, or the ratings of another part's table, may have fractions.
    """
    if kind == "integer" or ratings.values.dtype == np.int8:
        whole = ratings.values.astype(np.int64)
        if (whole == ratings.values).all():
            return whole
    return _shortest_doubles(ratings.values)


def _shortest_doubles(values: NDArray[np.floating] | NDArray[np.integer]) -> NDArray[np.float64]:
    """Return single-precision values as the doubles that are written alike, such as 0.1."""
    different, places = np.unique(values, return_inverse=True)
    return np.array([float(str(own)) for own in different], dtype=np.float64)[places]


PartFrames = dict[str, pd.DataFrame]

FORMATS = {
    "csv": "train.csv, test.csv and other parts, with the columns user, item, rating, timestamp",
    "recbole": "atomic files name/name.train.inter, .valid.inter and .test.inter, and name.yaml "
    "with benchmark_filename",
    "elliot": "train.tsv, test.tsv and validation.tsv without a header, and elliot.yml with the "
    "strategy fixed",
    "lenskit": "train.parquet (and validation.parquet) as interactions, and test.parquet as a "
    "collection of item lists by user",
    "rectools": "train.csv, test.csv and other parts, with the columns user_id, item_id, weight, "
    "datetime",
}
"""The formats, and what is written for each."""


def export_frames(
    found: SplitFrames, n_folds: int, folder: Path, form: str, name: str
) -> list[Path]:
    """Write the parts of each fold in a format, and return the files."""
    write: Callable[[PartFrames, Path, str], list[Path]] = {
        "csv": _write_csv,
        "recbole": _write_recbole,
        "elliot": _write_elliot,
        "lenskit": _write_lenskit,
        "rectools": _write_rectools,
    }[form]
    if not name or name != os.path.basename(name) or name.startswith("."):  # noqa: PTH119
        raise ValueError(f"The name {quoted(name)} cannot be part of the name of a file.")
    parts = {part: own for part, own in found._asdict().items() if own is not None}
    if form in ("recbole", "elliot") and "fold_in" in parts:
        raise ValueError(
            f"Files of {form} cannot say which ratings are folded in for held-out users. Export "
            "csv, lenskit or rectools, or choose a split that tests users with training ratings."
        )
    if form in ("recbole", "elliot"):
        _refuse_delimiters(parts)
    written: list[Path] = []
    for number in range(n_folds):
        own = parts
        if n_folds > 1:
            own = {
                part: frame[frame["fold"] == number].drop(columns="fold")
                for part, frame in parts.items()
            }
        target = folder / f"fold-{number}" if n_folds > 1 else folder
        written += write({part: frame for part, frame in own.items() if len(frame)}, target, name)
    return written


def _write_csv(parts: PartFrames, folder: Path, name: str) -> list[Path]:
    return [_as_text(frame, folder / f"{part}.csv", ",") for part, frame in parts.items()]


def _write_recbole(parts: PartFrames, folder: Path, name: str) -> list[Path]:
    """Write the three files that ``benchmark_filename`` must name, and the settings to use them."""
    names = {
        "user": "user_id:token",
        "item": "item_id:token",
        "rating": "rating:float",
        "timestamp": "timestamp:float",
    }
    # Without a validation part, the test stands in its place and is never evaluated in training.
    own = {
        "train": parts["train"],
        "valid": parts.get("validation", parts["test"]),
        "test": parts["test"],
    }
    written = [
        _as_text(frame.rename(columns=names), folder / name / f"{name}.{part}.inter", "\t")
        for part, frame in own.items()
    ]
    fields = [names[column].partition(":")[0] for column in parts["train"].columns]
    lines = [
        f"data_path: {folder.as_posix()}",
        f"dataset: {name}",
        "benchmark_filename: [train, valid, test]",
        "load_col:",
        f"  inter: [{', '.join(fields)}]",
        "USER_ID_FIELD: user_id",
        "ITEM_ID_FIELD: item_id",
        "RATING_FIELD: rating",
    ]
    if "timestamp" in parts["train"]:
        lines.append("TIME_FIELD: timestamp")
    if "validation" not in parts:
        lines += [
            "# The split has no validation part. The valid file is a copy of the test, which",
            "# training must not look at: it is never evaluated.",
            "eval_step: 0",
        ]
    # Paths are those of this call, relative to where the tool is started.
    write_atomically(folder / f"{name}.yaml", "\n".join(lines) + "\n")
    return [*written, folder / f"{name}.yaml"]


def _write_elliot(parts: PartFrames, folder: Path, name: str) -> list[Path]:
    written = [
        _as_text(parts[part], folder / f"{part}.tsv", "\t", with_header=False)
        for part in ("train", "validation", "test")
        if part in parts
    ]
    paths = {
        "train_path": "train.tsv",
        **({"validation_path": "validation.tsv"} if "validation" in parts else {}),
        "test_path": "test.tsv",
    }
    lines = ["experiment:", f"  dataset: {name}", "  data_config:", "    strategy: fixed"]
    lines += [f"    {key}: {(folder / file).as_posix()}" for key, file in paths.items()]
    write_atomically(folder / "elliot.yml", "\n".join(lines) + "\n")
    return [*written, folder / "elliot.yml"]


def _write_lenskit(parts: PartFrames, folder: Path, name: str) -> list[Path]:
    names = {"user": "user_id", "item": "item_id"}
    written = []
    for part, frame in parts.items():
        own = frame.rename(columns=names)
        if part == "test":
            table = _item_lists(own)
        else:
            if "timestamp" in own:
                moments = pd.to_datetime(own["timestamp"], unit="s")
                own = own.assign(timestamp=moments.astype("datetime64[us]"))
            table = pa.Table.from_pandas(own, preserve_index=False).replace_schema_metadata()
        path = folder / f"{part}.parquet"
        with replacing(path) as unfinished:
            pq.write_table(table, unfinished)
        written.append(path)
    return written


def _item_lists(frame: pd.DataFrame) -> pa.Table:
    """Return a row per user with the list of the user's items as structures."""
    users = frame["user_id"].to_numpy()
    starts = np.flatnonzero(np.r_[True, users[1:] != users[:-1]])
    ends = pa.array(np.r_[starts, len(frame)].astype(np.int32))
    columns = [name for name in ("item_id", "rating") if name in frame]
    structures = pa.StructArray.from_arrays(
        [pa.array(frame[name]) for name in columns], names=columns
    )
    owners = pa.array(frame["user_id"].iloc[starts])
    return pa.table({"user_id": owners, "items": pa.ListArray.from_arrays(ends, structures)})


def _write_rectools(parts: PartFrames, folder: Path, name: str) -> list[Path]:
    written = []
    for part, frame in parts.items():
        # Moments are needed; without timestamps all are the same.
        seconds = frame.get("timestamp", pd.Series(0, index=frame.index))
        moments = pd.to_datetime(seconds, unit="s")
        own = pd.DataFrame(
            {
                "user_id": frame["user"],
                "item_id": frame["item"],
                "weight": frame["rating"].astype(np.float64),
                "datetime": moments.dt.strftime("%Y-%m-%d %H:%M:%S.%f"),
            }
        )
        written.append(_as_text(own, folder / f"{part}.csv", ","))
    return written


def _as_text(frame: pd.DataFrame, path: Path, delimiter: str, *, with_header: bool = True) -> Path:
    text = frame.to_csv(sep=delimiter, index=False, header=with_header, lineterminator="\n")
    write_atomically(path, text)
    return path


def _refuse_delimiters(parts: PartFrames) -> None:
    """Refuse identifiers that a text with tabs, and without quotes, cannot hold."""
    for column in ("user", "item"):
        for frame in parts.values():
            if frame[column].dtype.kind in "iu":
                continue
            wrong = first_with_delimiter(frame[column].unique())
            if wrong is not None:
                raise ValueError(
                    f"The {column} {quoted(shortened(wrong))} has a tab, a line end or a quote "
                    "mark, which such files cannot hold. Export csv, lenskit or rectools, or "
                    "rename it."
                )
