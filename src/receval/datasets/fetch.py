"""Getting a dataset's raw files: checked where they are, downloaded where they are not."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from receval.datasets.availability import Availability
from receval.datasets.checksums import (
    checksum_in_words,
    mismatch,
    record_of,
    record_sha256,
    recorded_sha256,
    sha256_of,
)
from receval.datasets.raw import RawFile, RawFiles
from receval.datasets.reports import ChecksumError, DownloadError, UnavailableError
from receval.datasets.spec import DatasetSpec, FileSpec, VariantSpec
from receval.datasets.transfer import PartialFile, TransferError, transfer

Sleep = Callable[[float], None]

_MEBIBYTE = 1 << 20


def fetch_file(
    spec: FileSpec,
    target: Path,
    *,
    retries: int = 4,
    backoff: float = 1.0,
    timeout: float = 60.0,
    sleep: Sleep = time.sleep,
) -> RawFile:
    """Download a file, or check the one that is there.

    Bytes go to ``<target>.part``, which a later call continues; the final name appears only when
    size and checksum are right. A file without a published checksum gets one at its first
    download, in ``<target>.sha256``, and is held to it ever after.

    Parameters
    ----------
    spec : FileSpec
        Addresses in the order in which they are tried, size and checksums.
    target : Path
        Final name.
    retries : int
        How often in a row a broken transfer is tried again at one address; after one that
        brought at least a mebibyte, the count starts anew.
    backoff : float
        Seconds before the first of them; each further one waits twice as long.
    timeout : float
        Seconds of silence after which a transfer counts as broken.
    sleep : callable
        Waits for a number of seconds.

    Returns
    -------
    RawFile
        The file and its SHA-256.

    Raises
    ------
    ChecksumError
        If a file with the final name is there but is not the right one. It is left alone.
    DownloadError
        If no address gave the file; the message tells what to do by hand.
    """
    if target.is_file():
        return check_file(spec, target)
    part = PartialFile.of(target)
    failures = []
    for url in spec.urls:
        try:
            _fetch_from(url, spec, target, part, retries, backoff, timeout, sleep)
        except TransferError as error:
            failures.append(f"{url}: {error}")
            continue
        sha256 = sha256_of(part.path)
        if spec.sha256 is None and spec.md5 is None:
            # Recorded before the file gets its name, so that no file is ever without a record.
            record_sha256(target, sha256)
        part.finish(target)
        return RawFile(target, sha256)
    tried = "; ".join(failures) or "no address is known"
    size = f", {spec.size:,} bytes" if spec.size is not None else ""
    raise DownloadError(
        f"{spec.name} could not be downloaded ({tried}). Download it by hand from "
        f"{' or '.join(spec.urls) or 'its owners'} ({checksum_in_words(spec)}{size}) and put it at "
        f"{target.as_posix()}."
    )


def check_file(spec: FileSpec, path: Path) -> RawFile:
    """Compare a file that is there with its size and checksums.

    Raises
    ------
    ChecksumError
        If it differs. The file is never deleted: it may be somebody's own.
    """
    recorded = None
    if spec.sha256 is None and spec.md5 is None:
        recorded = recorded_sha256(path)
    problem = mismatch(path, spec, recorded)
    if problem is None:
        return RawFile.of(path)
    remedy = "Move it away or replace it by the right file"
    if recorded is not None:
        remedy += f"; if the change is intended, delete {record_of(path).as_posix()}"
    raise ChecksumError(f"{path.as_posix()} is not the known {spec.name}: {problem}. {remedy}.")


def obtain(
    dataset_id: str,
    spec: DatasetSpec,
    availability: Availability,
    raw_folder: Path,
    *,
    retries: int = 4,
    backoff: float = 1.0,
    timeout: float = 60.0,
    sleep: Sleep = time.sleep,
) -> RawFiles:
    """Make a dataset's raw files be there, checked.

    Parameters
    ----------
    dataset_id, spec
        The dataset's id and its entry in the registry.
    availability : Availability
        What :func:`receval.datasets.availability.resolve` found.
    raw_folder : Path
        Where downloads go.
    retries, backoff, timeout, sleep
        See :func:`fetch_file`.

    Returns
    -------
    RawFiles
        Of the chosen variant or, if that cannot be downloaded, of the next one that can.

    Raises
    ------
    UnavailableError
        If the dataset is absent.
    ChecksumError
        If a file that is there is not the right one.
    DownloadError
        If no variant can be downloaded.
    """
    if availability.status == "absent" or availability.variant is None:
        raise UnavailableError(
            f"The dataset {dataset_id} is not available: {availability.reason}. "
            f"{availability.instructions}"
        )
    auxiliary_files = _check_auxiliary_files(spec, availability)
    if availability.status == "local":
        variant = availability.variant
        files = _check_variant(variant, availability.files)
        return RawFiles(
            dataset_id, variant.name, variant.parser, files, auxiliary_files, "local", spec.expected
        )
    failures = []
    first = spec.variants.index(availability.variant)
    for variant in (e for e in spec.variants[first:] if e.downloadable):
        try:
            files = tuple(
                fetch_file(
                    file,
                    raw_folder / file.name,
                    retries=retries,
                    backoff=backoff,
                    timeout=timeout,
                    sleep=sleep,
                )
                for file in variant.files
            )
        except DownloadError as error:
            failures.append(str(error))
            continue
        return RawFiles(
            dataset_id,
            variant.name,
            variant.parser,
            files,
            auxiliary_files,
            "download",
            spec.expected,
        )
    raise DownloadError(" Or: ".join(failures))


def _check_variant(variant: VariantSpec, paths: tuple[Path, ...]) -> tuple[RawFile, ...]:
    if variant.pattern is not None:
        return tuple(RawFile.of(path) for path in paths)
    return tuple(check_file(file, path) for file, path in zip(variant.files, paths, strict=True))


def _check_auxiliary_files(spec: DatasetSpec, availability: Availability) -> tuple[RawFile, ...]:
    known = {Path(file.name).name: file for file in spec.auxiliary_files}
    return tuple(
        check_file(FileSpec(name=known[path.name].name, sha256=known[path.name].sha256), path)
        for path in availability.auxiliary_files
    )


def _fetch_from(
    url: str,
    spec: FileSpec,
    target: Path,
    part: PartialFile,
    retries: int,
    backoff: float,
    timeout: float,
    sleep: Sleep,
) -> None:
    """Fill the partial file from one address until it is complete and right."""
    verifiable = spec.sha256 is not None or spec.md5 is not None
    progress = _Progress(target.name)
    failed = 0
    while True:
        before = part.size
        try:
            transfer(url, part, target.name, verifiable, timeout, progress)
        except TransferError as error:
            # A slow line that breaks now and then still gets the file, piece by piece.
            failed = 1 if part.size - before >= _MEBIBYTE else failed + 1
            if not error.passing or failed > retries:
                raise
            sleep(backoff * 2 ** (failed - 1))
            continue
        problem = mismatch(part.path, spec, recorded_sha256(target))
        if problem is None:
            return
        part.delete()
        failed += 1
        if before == 0 or failed > retries:
            raise TransferError(f"the file that came is not the known one: {problem}", False)
        # The bytes continued may have been those of an older version: once more, from nothing.


class _Progress:
    """Reports a long transfer on standard error, a line every few seconds."""

    def __init__(self, name: str, every: float = 5.0) -> None:
        self._name = name
        self._every = every
        self._last = time.monotonic()

    def __call__(self, size: int, end: int | None) -> None:
        now = time.monotonic()
        if now - self._last < self._every:
            return
        self._last = now
        done = f"{size / _MEBIBYTE:.1f} MiB"
        if end:
            done = f"{size / _MEBIBYTE:.1f} of {end / _MEBIBYTE:.1f} MiB ({size / end:.0%})"
        print(f"{self._name}: {done}", file=sys.stderr, flush=True)
