"""From prepared ratings to a split: what the rule of ``split.smk`` names."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from receval.datasets.raw import RawFiles
from receval.ratings import Ratings, table_folder
from receval.splits.registry import make_split
from receval.splits.spec import AnySplit, SplitConfig

_log = logging.getLogger(__name__)


def split_ratings(
    *,
    manifest: Path,
    ratings: Sequence[Path],
    split: Path,
    description: Mapping[str, Any],
    seed: int,
    names: tuple[str, str],
) -> None:
    """Split the ratings of a dataset into training and test parts.

    Parameters
    ----------
    manifest : Path
        The description of the raw files, with the files beside them that a given split reads.
    ratings : sequence of Path
        The table of the prepared dataset.
    split : Path
        The archive to write.
    description : mapping
        One of the models of :mod:`receval.splits.spec` as plain values.
    seed : int
        The edition's root seed.
    names : tuple of str
        Dataset and split.
    """
    raw = RawFiles.read(manifest)
    spec: SplitConfig = TypeAdapter(AnySplit).validate_python(description)
    auxiliary_files = {file.path.name: file.path for file in raw.auxiliary_files}
    made = make_split(Ratings.read(table_folder(ratings)), spec, seed, *names, auxiliary_files)
    _log.info("%d folds; %s", made.n_folds, dict(made.metadata))
    made.write(split)
