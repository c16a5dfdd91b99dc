# SPDX-License-Identifier: MIT
"""Decide from names and sizes of files whether a dataset is available, when a plan is made."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from reproduction.datasets.raw import checksum_in_words
from reproduction.datasets.spec import DatasetSpec, FileSpec, VariantSpec

Status = Literal["local", "download", "generated", "absent"]

# Files of an interrupted or finished download, which are never raw data.
_OWN_FILES = (".part", ".part.json", ".sha256")


@dataclass(frozen=True)
class Availability:
    """Where a dataset's raw files are, or how to get them.

    Attributes
    ----------
    dataset : str
        Id of the dataset.
    status : {"local", "download", "generated", "absent"}
        Files were found, can be downloaded, can be generated, or none of these.
    variant : VariantSpec or None
        The chosen variant; None if absent.
    files : tuple of Path
        For ``local``, the files that were found, in the variant's order; for ``download``, the
        future files; otherwise none.
    auxiliary_files : tuple of Path
        The optional files that were found.
    reason : str
        The reason for the status.
    instructions : str
        What a person can do: where to get the files and where to put them.
    """

    dataset: str
    status: Status
    variant: VariantSpec | None
    files: tuple[Path, ...]
    auxiliary_files: tuple[Path, ...]
    reason: str
    instructions: str


def resolve(
    dataset_id: str,
    spec: DatasetSpec,
    raw_folder: Path,
    mirrors: Sequence[Path] = (),
    network: bool = True,
) -> Availability:
    """Find a dataset's raw files without reading them or using the network.

    Parameters
    ----------
    raw_folder : Path
        Folder of the dataset's downloads and of files put there by hand; searched first.

    Returns
    -------
    Availability
        With the first variant in a folder whose files all exist with the right sizes. Generated
        datasets are not searched for.
    """
    if spec.access == "generated":
        return Availability(
            dataset_id, "generated", spec.variants[0], (), (), "every run generates it", ""
        )
    folders = [raw_folder, *(mirror / dataset_id for mirror in mirrors)]
    folders = [folder for folder in folders if folder.is_dir()]
    auxiliary_files = _find_auxiliary_files(spec, folders)
    instructions = _instructions(spec, raw_folder)
    for folder in folders:
        for variant in spec.variants:
            files = _find_variant(variant, folder)
            if files:
                reason = f"the variant {variant.name} is in {folder.as_posix()}"
                return Availability(
                    dataset_id, "local", variant, files, auxiliary_files, reason, instructions
                )
    reason = "; ".join(_shortcomings(spec, folders)) or "none of its files were found"
    chosen = next((variant for variant in spec.variants if variant.downloadable), None)
    if chosen is None:
        reason = f"{reason}; it cannot be downloaded automatically"
        return Availability(dataset_id, "absent", None, (), auxiliary_files, reason, instructions)
    if not network:
        reason = f"{reason}; it could be downloaded, but the network is off"
        instructions = f"Allow the network, or get the files yourself: {instructions}"
        return Availability(dataset_id, "absent", None, (), auxiliary_files, reason, instructions)
    targets = tuple(raw_folder / file.name for file in chosen.files)
    return Availability(
        dataset_id, "download", chosen, targets, auxiliary_files, reason, instructions
    )


def availability_table(availabilities: Iterable[Availability]) -> str:
    """Return a plain-text table of the datasets, their status, and what was or can be done."""
    rows = list(availabilities)
    width = max([len(row.dataset) for row in rows] + [len("dataset")])
    of_status = max([len(row.status) for row in rows] + [len("download")])
    indent = " " * (width + 2 + of_status + 2)
    lines = [f"{'dataset':<{width}}  {'status':<{of_status}}  what and where"]
    for row in rows:
        sentences = [_what(row)]
        if row.status == "absent":
            sentences.append(row.instructions)
        paragraphs = [
            textwrap.fill(
                sentence,
                width=100,
                initial_indent=indent,
                subsequent_indent=indent,
                break_long_words=False,
                break_on_hyphens=False,
            )
            for sentence in sentences
        ]
        start = f"{row.dataset:<{width}}  {row.status:<{of_status}}  "
        lines.append(start + "\n".join(paragraphs).removeprefix(indent))
    return "\n".join(lines) + "\n"


def _what(row: Availability) -> str:
    if row.status == "absent" or row.variant is None:
        return f"left out: {row.reason}."
    if row.status == "generated":
        return f"synthetic, in every edition ({row.reason})"
    if row.status == "download":
        addresses = [file.urls[0] for file in row.variant.files]
        return f"{row.variant.name}: from {', '.join(addresses)} ({row.reason})"
    files = [path.as_posix() for path in row.files]
    shown = files if len(files) <= 4 else [files[0], "...", f"{files[-1]} ({len(files)} files)"]
    beside = [path.name for path in row.auxiliary_files]
    return f"{row.variant.name}: {', '.join(shown)}" + (
        f" with {', '.join(beside)}" if beside else ""
    )


def _find_variant(variant: VariantSpec, folder: Path) -> tuple[Path, ...]:
    """Return all files of a variant in a folder; none if one is missing."""
    if variant.pattern is not None:
        return tuple(sorted(path for path in folder.glob(variant.pattern) if _is_data(path)))
    found = [_find_file(file, folder) for file in variant.files]
    return tuple(path for path in found if path is not None) if None not in found else ()


def _find_file(file: FileSpec, folder: Path) -> Path | None:
    for path in _candidates(file.name, folder):
        if file.size is None or path.stat().st_size == file.size:
            return path
    return None


def _candidates(name: str, folder: Path) -> list[Path]:
    """Return the files with a name, in the folder or one folder deeper, as after unpacking."""
    below = sorted(folder.glob(f"*/{PurePosixPath(name).name}"))
    return [path for path in (folder / name, *below) if path.is_file()]


def _is_data(path: Path) -> bool:
    return path.is_file() and not path.name.startswith(".") and not path.name.endswith(_OWN_FILES)


def _find_auxiliary_files(spec: DatasetSpec, folders: Sequence[Path]) -> tuple[Path, ...]:
    found = [
        next((folder / file.name for folder in folders if (folder / file.name).is_file()), None)
        for file in spec.auxiliary_files
    ]
    return tuple(path for path in found if path is not None)


def _shortcomings(spec: DatasetSpec, folders: Sequence[Path]) -> list[str]:
    """Describe in words which files are missing or have wrong sizes."""
    sentences: list[str] = []
    sizes: dict[str, list[int | None]] = {}
    for file in (file for variant in spec.variants for file in variant.files):
        sizes.setdefault(file.name, []).append(file.size)
    for folder in folders:
        for name, accepted in sizes.items():
            if None in accepted:
                continue
            expected = " or ".join(f"{size:,}" for size in accepted if size is not None)
            sentences.extend(
                f"{path.as_posix()} has {path.stat().st_size:,} bytes, but {expected} are expected"
                for path in _candidates(name, folder)
                if path.stat().st_size not in accepted
            )
        for variant in spec.variants:
            missing = [file.name for file in variant.files if _find_file(file, folder) is None]
            if 0 < len(missing) < len(variant.files):
                sentences.append(
                    f"{folder.as_posix()} has only a part of the variant {variant.name} and "
                    f"lacks {', '.join(missing)}"
                )
    return sentences


def _name_and_checksum(file: FileSpec) -> str:
    published = file.sha256 is not None or file.md5 is not None
    return f"{file.name} ({checksum_in_words(file)})" if published else file.name


def _instructions(spec: DatasetSpec, raw_folder: Path) -> str:
    forms = [
        f"files that match {variant.pattern}"
        if variant.pattern is not None
        else " and ".join(_name_and_checksum(file) for file in variant.files)
        for variant in spec.variants
    ]
    return (
        f"{spec.instructions.strip()} See {spec.page}. Put the following into "
        f"{raw_folder.as_posix()}: {'; or '.join(forms)}."
    )
