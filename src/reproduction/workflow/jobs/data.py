# SPDX-License-Identifier: MIT
"""Fetch or generate raw files, prepare ratings, and split them: jobs of data.smk and split.smk."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from receval.data.ratings import Ratings, table_folder
from receval.splits.kinds import AnySplitSpec, SplitSpec, make_split
from receval.storage.messages import enumerated, quoted
from reproduction.datasets.fetch import obtain
from reproduction.datasets.prepare import PREPARED_FILES, prepare
from reproduction.datasets.raw import RawFile, RawFiles, resolve
from reproduction.datasets.reports import RawDataError
from reproduction.datasets.spec import DatasetSpec, ExpectedCounts
from reproduction.simulation.spec import TwinSpec
from reproduction.simulation.twins import write_twin

_log = logging.getLogger(__name__)


def generate_twin(
    *,
    manifest: Path,
    files: Path,
    dataset: str,
    twin: Mapping[str, Any],
    description: Mapping[str, Any],
    seed: int,
) -> None:
    """Write a dataset's synthetic twin in the raw format of the original."""
    files.mkdir(parents=True, exist_ok=True)
    report = write_twin(dataset, TwinSpec.model_validate(twin), seed, files)
    variant = DatasetSpec.model_validate(description).variant_of(report["files"])
    RawFiles(
        dataset=dataset,
        variant=variant.name,
        parser=variant.parser,
        files=tuple(RawFile.of(files / name) for name in report["files"]),
        source="twin",
        expected=ExpectedCounts.model_validate(report["expected"]),
    ).write(manifest)


def fetch_raw(
    *,
    manifest: Path,
    dataset: str,
    description: Mapping[str, Any],
    raw_folder: Path,
    local_mirrors: Sequence[str],
    network: bool,
    checksums: Mapping[str, str],
) -> None:
    """Find or download the raw files of a dataset, and check them.

    The raw folder has one folder per dataset. Files in it are used first, and downloads are stored
    there. The checksums are of the files that existed when the plan was made. They only tell
    Snakemake when to run the job again; the job uses the files that exist now.
    """
    spec = DatasetSpec.model_validate(description)
    mirrors = [Path(mirror) for mirror in local_mirrors]
    own = raw_folder / dataset
    found = resolve(dataset, spec, own, mirrors, network)
    obtain(dataset, spec, found, own).write(manifest)


def prepare_ratings(
    *,
    manifest: Path,
    ratings: Path,
    user_ids: Path,
    item_ids: Path,
    summary: Path,
    description: Mapping[str, Any],
) -> None:
    """Turn raw files into the canonical table of ratings.

    The manifest lists the raw files with their checksums. Only these files are read without being
    declared by the rule, because the name of a download is not known in advance.
    """
    declared = (ratings, user_ids, item_ids, summary)
    written = tuple(ratings.parent / name for name in PREPARED_FILES)
    if declared != written:
        raise ValueError(
            f"A prepared dataset consists of {', '.join(PREPARED_FILES)}, in this order and in "
            f"one folder, but the rule declares {', '.join(map(str, declared))}."
        )
    raw, spec = RawFiles.read(manifest), DatasetSpec.model_validate(description)
    # Importing a parser runs its code. Only names from the configuration are known to be in this
    # package or in a plugin.
    parsers = sorted({variant.parser for variant in spec.variants})
    if raw.parser not in parsers:
        raise RawDataError(
            manifest,
            None,
            f"it names the parser {quoted(raw.parser)}, but the dataset uses "
            f"{enumerated(parsers)}. Delete the file, and the next run makes it again",
        )
    prepare(raw, spec, ratings.parent)


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

    The manifest describes the raw files, including auxiliary files for a predefined split.
    """
    raw = RawFiles.read(manifest)
    auxiliary_files = {file.path.name: file.path for file in raw.auxiliary_files}
    table = Ratings.read(table_folder(ratings))
    spec: SplitSpec = TypeAdapter(AnySplitSpec).validate_python(description)
    made = make_split(table, spec, seed, *names, auxiliary_files)
    for file in raw.auxiliary_files:
        file.check()
    _log.info("%d folds; %s", made.n_folds, dict(made.metadata))
    made.write(split)
