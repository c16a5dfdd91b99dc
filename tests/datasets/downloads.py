# SPDX-License-Identifier: MIT
"""A file to download, and how the tests download it."""

from __future__ import annotations

import hashlib
import io
import zipfile
from pathlib import Path

import numpy as np

from reproduction.datasets.fetch import RetryPolicy, fetch_file
from reproduction.datasets.raw import RawFile
from reproduction.datasets.spec import FileSpec


def zip_bytes() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        noise = np.random.default_rng(5).integers(0, 256, 400_000, dtype=np.uint8)
        archive.writestr("ml-1m/ratings.dat", noise.tobytes())
    return buffer.getvalue()


CONTENT = zip_bytes()
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Waits(list[float]):
    """Takes the place of sleeping and remembers for how long one would have slept."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


def spec_of(*urls: str, **known: object) -> FileSpec:
    known = known or {"sha256": SHA256, "size": len(CONTENT)}
    return FileSpec(name="ml-1m.zip", urls=urls, **known)  # type: ignore[arg-type]


def fetch(spec: FileSpec, target: Path, **options: object) -> RawFile:
    options = {"timeout": 5.0, "sleep": Waits(), **options}
    return fetch_file(spec, target, RetryPolicy(**options))  # type: ignore[arg-type]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())
