# SPDX-License-Identifier: MIT
"""Check a dataset's raw files, and download missing ones."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from receval.storage.files import sha256_of, write_atomically
from receval.storage.messages import LONGEST, escaped, shortened
from reproduction.datasets.raw import (
    Availability,
    RawFile,
    RawFiles,
    Source,
    checksum_in_words,
    mismatch,
)
from reproduction.datasets.reports import (
    ChecksumError,
    DownloadError,
    FileAccessError,
    UnavailableError,
)
from reproduction.datasets.spec import DatasetSpec, FileSpec, VariantSpec
from reproduction.datasets.transfer import PartialFile, RetryPolicy, TransferError, fetch_from

# The checksum that is recorded at the first download of a file without a published one.

# Longer files are not our records and are not read.
_LONGEST = 1 << 12


def record_of(path: Path) -> Path:
    """Return the path of a file's recorded checksum: its name followed by ``.sha256``."""
    return path.with_name(path.name + ".sha256")


def recorded_sha256(path: Path) -> str | None:
    """Return the SHA-256 recorded beside a file; None if there is no record."""
    record = record_of(path)
    if not record.exists():
        return None
    with record.open("rb") as file:
        content = file.read(_LONGEST)
    match = re.match(rb"([0-9a-f]{64})(\s|$)", content)
    if match is None:
        held = escaped(content.decode("latin-1"))
        raise ChecksumError(
            f"{record.as_posix()} begins with '{held}' instead of a SHA-256 of 64 hexadecimal "
            "digits. Delete it, and the next run records the checksum again."
        )
    return match[1].decode("ascii")


def fetch_file(spec: FileSpec, target: Path, patience: RetryPolicy | None = None) -> RawFile:
    """Download a file, or check an existing one.

    Bytes are written to ``<target>.part``, which a later call continues. The file gets its final
    name only when size and checksum are right. If a file has no published checksum,
    ``<target>.sha256`` records it at the first download for all later checks.
    A wrong file with the final name, or one with a damaged record, is refused and kept.
    """
    part = PartialFile.of(target)
    with access_reported(target):
        for path in (target, part.path, part.origin, record_of(target)):
            if path.is_dir():
                raise FileAccessError(
                    f"{path.as_posix()} is a folder, but a file must be there. Move the folder "
                    "away."
                )
        if target.is_file():
            return check_file(spec, target)
        recorded = None if spec.verifiable else recorded_sha256(target)
        reasons = []
        for url in spec.urls:
            try:
                fetch_from(url, spec, part, recorded, patience or RetryPolicy())
            except TransferError as error:
                reasons.append(f"{urlsplit(url).netloc}: {error}")
                continue
            sha256 = sha256_of(part.path)
            if not spec.verifiable:
                # Recorded as by sha256sum, before the file gets its name: no file lacks a record.
                write_atomically(record_of(target), f"{sha256}  {target.name}\n")
            part.finish(target)
            return RawFile(target, sha256)
    raise _not_downloaded(spec, target, reasons or ["it has no known address"], recorded)


def check_file(spec: FileSpec, path: Path) -> RawFile:
    """Check the size and checksums of an existing file."""
    with access_reported(path):
        recorded = None if spec.verifiable else recorded_sha256(path)
        problem = mismatch(path, spec, recorded)
        if problem is None:
            return RawFile.of(path)
    remedy = "Move it away or replace it with the right file"
    if recorded is not None:
        remedy += f", or, if the change is intended, delete {record_of(path).name} beside it"
    raise ChecksumError(f"{path.as_posix()} is not the known {spec.name}: {problem}. {remedy}.")


def obtain(
    dataset_id: str,
    spec: DatasetSpec,
    availability: Availability,
    raw_folder: Path,
    patience: RetryPolicy | None = None,
) -> RawFiles:
    """Find or download a dataset's raw files, and check them.

    They are of the chosen variant or, if it cannot be downloaded, of the next one that can.
    """
    if availability.status == "absent" or availability.variant is None:
        raise UnavailableError(
            f"The dataset {dataset_id} is not available: {availability.reason}. "
            f"{availability.instructions}"
        )
    known = {Path(file.name).name: file for file in spec.auxiliary_files}
    auxiliary_files = tuple(
        check_file(FileSpec(name=known[path.name].name, sha256=known[path.name].sha256), path)
        for path in availability.auxiliary_files
    )

    def described(variant: VariantSpec, files: tuple[RawFile, ...], source: Source) -> RawFiles:
        return RawFiles(
            dataset_id, variant.name, variant.parser, files, auxiliary_files, source, spec.expected
        )

    if availability.status == "local":
        variant = availability.variant
        return described(variant, _check_variant(variant, availability.files), "local")
    failures = {}
    first = spec.variants.index(availability.variant)
    for variant in (e for e in spec.variants[first:] if e.downloadable):
        try:
            files = tuple(
                fetch_file(file, raw_folder / file.name, patience) for file in variant.files
            )
        except DownloadError as error:
            failures[variant] = error
            continue
        return described(variant, files, "download")
    if len(failures) == 1:
        raise next(iter(failures.values()))
    raise _no_variant_downloaded(dataset_id, failures, raw_folder)


def _check_variant(variant: VariantSpec, paths: tuple[Path, ...]) -> tuple[RawFile, ...]:
    if variant.pattern is None:
        pairs = zip(variant.files, paths, strict=True)
        return tuple(check_file(file, path) for file, path in pairs)
    files = []
    for path in paths:
        with access_reported(path):
            files.append(RawFile.of(path))
    return tuple(files)


@contextmanager
def access_reported(path: Path) -> Iterator[None]:
    """Turn errors of the system into messages that name the file and say what to do."""
    try:
        yield
    except OSError as error:
        met = Path(error.filename).as_posix() if isinstance(error.filename, str) else path
        remedy = "Allow this user to read and write the file and its folder"
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            remedy = (
                "Free some space and run again. The bytes received so far are kept, and the "
                "next run continues from there"
            )
        raise FileAccessError(
            f"{met} could not be read or written ({error.strerror or error}). {remedy}."
        ) from error


def _not_downloaded(
    spec: FileSpec, target: Path, reasons: Sequence[str], recorded: str | None
) -> DownloadError:
    addresses = list(spec.urls[:3]) or ["its owners"]
    size = f", {spec.size:,} bytes" if spec.size is not None else ""
    remedy = (
        f"Download it by hand from {' or '.join(addresses)} ({checksum_in_words(spec)}{size}) "
        f"and put it at {target.as_posix()}."
    )
    if recorded is not None and any(recorded in reason for reason in reasons):
        # A copy got by hand would be refused as well.
        remedy = (
            "The expected checksum is that of the first download. If the file has changed "
            f"permanently, delete the record {record_of(target).as_posix()} and run again."
        )
    return _download_error(f"{spec.name} could not be downloaded", reasons, remedy)


def _no_variant_downloaded(
    dataset_id: str, failures: dict[VariantSpec, DownloadError], raw_folder: Path
) -> DownloadError:
    by_hand = [
        " and ".join(f"{file.urls[0]} as {(raw_folder / file.name).as_posix()}" for file in v.files)
        for v in failures
    ]
    return _download_error(
        f"No variant of {dataset_id} could be downloaded",
        [f"{variant.name}: {error.reasons}" for variant, error in failures.items()],
        f"Download one by hand: {', or '.join(by_hand)}.",
    )


def _download_error(what: str, reasons: Sequence[str], remedy: str) -> DownloadError:
    """Return an error whose message shortens long reasons to keep the remedy."""
    room = LONGEST - len(f"{what} (). {remedy}") - 2 * len(reasons)
    shown = "; ".join(
        shortened(reason, max(40, room // len(reasons)), middle=True) for reason in reasons
    )
    message = shortened(f"{what} ({shown}). {remedy}", LONGEST, middle=True)
    return DownloadError(message, "; ".join(reasons))
